//! Changes from the key to Redis and back: one entry deleted and put back; 20,000 of them paused,
//! gone on with, stopped, and left.
//!
//! The server lets no write through while a test gets to where it wants to be: then each step is
//! seen, however fast it all is.

use std::time::Duration;

use delayscope::clock::instant;
use delayscope::queue::Queue;
use delayscope::queue::text::thousands;

use super::{TIMEOUTS, open, server};
use crate::support::{PATIENCE, Server, wait_for};
use crate::terminal::Terminal;
use crate::{PROGRAM, SIZE};

const ORDER: &str = "redisson_delay_queue:{orders}";
const ASIDE: &str = "delayscope:aside:{orders}";
const MANY: u64 = 20_000;

#[test]
fn what_x_has_deleted_u_puts_back_where_it_was() {
    let server = server();
    let before = server.list(&["ZRANGE", TIMEOUTS, "0", "-1", "WITHSCORES"]);
    let order = server.list(&["LRANGE", ORDER, "0", "-1"]);
    let mut terminal = open(&server, &[]);
    terminal.send(b"jx");
    terminal.wait_text("Delete 1 entry of orders?");
    terminal.send(b"\x1b");
    terminal.wait("the question to be gone", PATIENCE, |s| {
        !s.text().contains("Delete 1 entry of orders?")
    });
    assert_eq!(server.int(&["ZCARD", TIMEOUTS]), 8);
    terminal.send(b"x");
    terminal.wait_text("Delete 1 entry of orders?");
    terminal.send(b"y");
    terminal.wait("what was deleted, and what undoes it", PATIENCE, |s| {
        let text = s.text();
        text.contains("✓ deleted late one ") && text.contains(" · u undo")
    });
    assert_eq!(server.int(&["ZCARD", TIMEOUTS]), 7);
    assert_eq!(server.int(&["LLEN", ORDER]), 7);
    // What has just been done is taken back without a question. A letter so soon behind the answer
    // would be ignored as a part of it: an arrow ends that.
    terminal.send(b"\x1b[Au");
    terminal.wait_text("✓ undone late one ");
    let after = server.list(&["ZRANGE", TIMEOUTS, "0", "-1", "WITHSCORES"]);
    assert_eq!(after, before);
    assert_eq!(server.list(&["LRANGE", ORDER, "0", "-1"]), order);
    terminal.send(b"6");
    terminal.wait("the journal", PATIENCE, |s| {
        let text = s.text();
        text.contains("1 undone") && text.contains("1 deleted") && text.contains("undone ")
    });
    terminal.send(b"j\r");
    terminal.wait_text("ZREM");
}

/// A server with 20,000 entries, and a terminal where their deletion was agreed to and waits for
/// the server to let it write.
fn begun() -> (Server, Terminal) {
    let server = Server::start();
    let orders = Queue::redisson("orders");
    let due = server.now().plus(3_600_000);
    server.fill(&orders, MANY, due, 10);
    let mut terminal = Terminal::start(&[PROGRAM, &server.url()], SIZE, &[]);
    terminal.wait_text("waiting 20,000");
    terminal.send(b"ax");
    terminal.wait_text("Type the queue's name");
    terminal.send(b"orders");
    terminal.wait_text("› orders");
    hold(&server);
    let asked = |text: &str| text.contains("Type the queue's name");
    terminal.send(b"\r");
    let mut answered = instant();
    // A question that comes late wants to be read first. (Asked again at once, what was answered
    // meanwhile would be answered twice.)
    wait_for("the question to be answered", || {
        let text = terminal.shown().text();
        let long = instant().saturating_duration_since(answered) > Duration::from_secs(1);
        if long && asked(&text) && text.contains("read it first") {
            terminal.send(b"\r");
            answered = instant();
        }
        !asked(&text)
    });
    terminal.wait_text("delete: orders");
    (server, terminal)
}

/// The server lets no write through.
fn hold(server: &Server) {
    server.cmd(&["CLIENT", "PAUSE", "60000", "WRITE"]);
}

fn let_go(server: &Server) {
    server.cmd(&["CLIENT", "UNPAUSE"]);
}

/// Waits until a script of the change stands before the server, which lets no write through: it is
/// in the middle then, and what it does next it does after this script.
fn wait_for_a_script(server: &Server) {
    wait_for("a script that waits", || {
        let info = server.cmd(&["INFO", "clients"]);
        format!("{info:?}").contains("blocked_clients:1")
    });
}

/// Timeouts and order list hold the same number; how many.
fn left(server: &Server) -> i64 {
    let left = server.int(&["ZCARD", TIMEOUTS]);
    assert_eq!(server.int(&["LLEN", ORDER]), left);
    assert_eq!(server.int(&["EXISTS", ASIDE]), 0);
    left
}

#[test]
fn a_bulk_change_pauses_goes_on_and_stops() {
    let (server, mut terminal) = begun();
    wait_for_a_script(&server);
    terminal.send(b" ");
    terminal.wait_text("pausing");
    let_go(&server);
    terminal.wait_text(" paused ");
    let paused = left(&server);
    let some = 1..i64::try_from(MANY).unwrap();
    assert!(some.contains(&paused), "{paused} left");
    // The dashboard stays alive around it.
    terminal.send(b"1G");
    terminal.wait_text(&format!("of {},{:03}", paused / 1000, paused % 1000));
    hold(&server);
    terminal.send(b" ");
    terminal.wait_text("Space pause");
    wait_for_a_script(&server);
    terminal.send(b"\x1b");
    terminal.wait_text("stopping");
    let_go(&server);
    terminal.wait_text(" left");
    let stopped = left(&server);
    assert!((1..paused).contains(&stopped), "{stopped} left");
    // What is said is what was done.
    let figure = |n: i64| thousands(u64::try_from(n).unwrap());
    let (done, left) = (figure(20_000 - stopped), figure(stopped));
    terminal.wait_text(&format!("{done} of 20,000 deleted, {left} left"));
    let text = terminal.shown().text();
    assert!(!text.contains("delete: orders ──"), "{text}");
}

#[test]
fn leaving_stops_a_bulk_change_and_says_what_is_left() {
    let (server, mut terminal) = begun();
    terminal.send(b"\x03");
    terminal.wait_text("A delete of orders is under way");
    terminal.send(b"y");
    terminal.wait_text("Stopping the delete of orders");
    let_go(&server);
    assert_eq!(terminal.exit_code(), 0);
    terminal.wait_text("The delete of orders has ended: ");
    terminal.wait_text("delayscope journal ");
    assert!(left(&server) > 0);
}

#[test]
fn leaving_twice_leaves_now_and_prints_what_repairs() {
    let (server, mut terminal) = begun();
    wait_for_a_script(&server);
    terminal.signal("-TERM");
    terminal.wait_text("Stopping the delete of orders");
    terminal.send(b"\x03");
    assert_eq!(terminal.exit_code(), 128 + 15);
    terminal.wait_text("was left in the middle");
    let socket = server.socket();
    let repair = format!(
        "delayscope -s {} repair orders --restore-order",
        socket.display()
    );
    terminal.wait("the command that repairs", PATIENCE, |s| {
        // The terminal breaks long lines anywhere.
        s.text().replace('\n', "").contains(&repair)
    });
    let_go(&server);
}
