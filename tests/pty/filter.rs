//! Finding entries with the real program, on a real terminal with a real server.

use delayscope::queue::Queue;

use crate::support::{PATIENCE, Server};
use crate::terminal::Terminal;

/// The program on a queue `orders` of `count` entries that are due in an hour, with its data.
fn open(count: u64) -> (Server, Terminal) {
    let server = Server::start();
    let orders = Queue::redisson("orders");
    server.fill(&orders, count, server.now().plus(3_600_000), 10);
    let program = env!("CARGO_BIN_EXE_delayscope");
    let terminal = Terminal::start(&[program, &server.url()], (120, 40), &[]);
    terminal.wait_text("entry 1");
    (server, terminal)
}

#[test]
fn one_entry_among_a_hundred_thousand_is_found_marked_and_shown_in_its_place() {
    let (_server, mut terminal) = open(100_000);
    terminal.send(b"/\"entry 77777\"");
    terminal.wait_text("1 found");
    terminal.send(b"\r ");
    terminal.wait_text("1 marked");
    terminal.wait("the end of the search", PATIENCE, |s| {
        !s.text().contains("looked through") && !s.text().contains("Esc stops")
    });
    terminal.send(b"\x1b");
    // The filter is gone, the cursor still on its entry, its neighbours around it.
    terminal.wait("its place in the queue", PATIENCE, |s| {
        s.text().contains("entry 77778") && s.text().contains("of 100,000")
    });
    terminal.send(b"a");
    terminal.wait_text("100,000 marked");
    // Sent together, Esc and what follows would be one key with Alt.
    terminal.send(b"\x1b");
    terminal.wait("no marks", PATIENCE, |s| !s.text().contains("marked"));
    terminal.send(b"@+2h\r");
    terminal.wait_text("nothing is due then or later");
    terminal.wait_text("entry 100000");
    terminal.send(b"q");
    assert_eq!(terminal.exit_code(), 0);
}

#[test]
fn a_search_can_be_stopped_and_says_how_far_it_came() {
    let (_server, mut terminal) = open(100_000);
    terminal.send(b"/entry\r");
    terminal.wait_text("found");
    terminal.send(b"\x1b");
    terminal.wait("where it stopped", PATIENCE, |s| {
        // It may have been through before the key came: then the filter is gone.
        s.text().contains("stopped at") || !s.text().contains("found")
    });
    terminal.send(b"\x03");
    assert_eq!(terminal.exit_code(), 0);
}
