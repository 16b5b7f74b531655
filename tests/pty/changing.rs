//! What the screen changes, by the real program on a real terminal with a real server.
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use delayscope::queue::Queue;

use crate::support::{PATIENCE, Server, frame, wait_for};
use crate::terminal::{Shown, Terminal};
use crate::{PROGRAM, SIZE};

mod bulk;

const TIMEOUTS: &str = "redisson_delay_queue_timeout:{orders}";

/// A server with the queue `orders`: three entries late by a minute, five due in an hour.
fn server() -> Server {
    let server = Server::start();
    let orders = Queue::redisson("orders");
    for id in 0..3 {
        let due = server.now().plus(-60_000).get().to_string();
        server.put(&orders, &frame(id, b"late one"), &due);
    }
    for id in 3..8 {
        let due = server.now().plus(3_600_000).get().to_string();
        server.put(&orders, &frame(id, b"patient one"), &due);
    }
    server
}

fn open(server: &Server, env: &[(&str, &str)]) -> Terminal {
    let terminal = Terminal::start(&[PROGRAM, &server.url()], SIZE, env);
    terminal.wait_text("late one");
    terminal
}

/// A program that writes `text` into the file that it is given.
fn editor(dir: &Path, text: &str) -> PathBuf {
    let path = dir.join("editor");
    let script = format!("#!/bin/sh\nprintf '%s\\n' '{text}' > \"$1\"\n");
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    path
}

fn start_worker(server: &Server, terminal: &mut Terminal) {
    terminal.send(b"w");
    terminal.wait_text("3: moved at once");
    terminal.send(b"y");
    terminal.wait_text("WORKER orders 3 moved");
    // A letter right behind an answer is no command; an arrow ends the answer.
    terminal.send(b"\x1b[B");
    assert_eq!(server.int(&["LLEN", "orders"]), 3);
    assert_eq!(server.int(&["ZCARD", TIMEOUTS]), 5);
}

#[test]
fn an_offer_through_the_form_is_in_the_table_and_in_redis() {
    let server = server();
    let mut terminal = open(&server, &[]);
    terminal.send(b"o");
    terminal.wait_text("as the queue's entries");
    terminal.send(b"quite new\t\t\t\x15");
    terminal.send(b"-90s\x13");
    terminal.wait_text("offered 1, due ");
    terminal.wait_text("quite new");
    assert_eq!(server.int(&["ZCARD", TIMEOUTS]), 9);
    let head = server.list(&["ZRANGE", TIMEOUTS, "0", "0"]);
    assert!(head[0].ends_with(b"quite new"));
    assert_eq!(head[0].len(), frame(0, b"quite new").len());
}

#[test]
fn the_editor_has_the_terminal_and_what_it_writes_is_offered() {
    let server = server();
    let dir = tempfile::tempdir().unwrap();
    let editor = editor(dir.path(), "from the editor");
    let temp = dir.path().join("tmp");
    std::fs::create_dir(&temp).unwrap();
    let env = [
        ("VISUAL", editor.to_str().unwrap()),
        ("TMPDIR", temp.to_str().unwrap()),
    ];
    let mut terminal = open(&server, &env);
    terminal.send(b"odraft\x05");
    terminal.wait_text("from the editor");
    terminal.wait("the screen again", PATIENCE, Shown::taken);
    terminal.send(b" and by hand\x13");
    terminal.wait_text("offered 1, due ");
    let newest = server.list(&["LRANGE", "redisson_delay_queue:{orders}", "-1", "-1"]);
    assert!(newest[0].ends_with(b"from the editor and by hand"));
    assert_eq!(std::fs::read_dir(&temp).unwrap().count(), 0);
}

#[test]
fn what_is_typed_into_the_editor_is_the_editors_alone() {
    let server = server();
    let dir = tempfile::tempdir().unwrap();
    let path = editor(dir.path(), "");
    let script = r#"#!/bin/sh
for i in 1 2 3; do
    echo "line $i" >&2
    read -r line
    printf %s "$line"
done > "$1.new"
mv "$1.new" "$1"
"#;
    std::fs::write(&path, script).unwrap();
    let env = [("VISUAL", path.to_str().unwrap())];
    let mut terminal = open(&server, &env);
    terminal.send(b"odraft\x05");
    for (line, typed) in [
        ("line 1", "q one"),
        ("line 2", ", two"),
        ("line 3", ", three"),
    ] {
        terminal.wait_text(line);
        terminal.send(format!("{typed}\n").as_bytes());
    }
    terminal.wait_text("q one, two, three");
    terminal.send(b" and more");
    terminal.wait_text("three and more");
}

#[test]
fn an_editor_that_is_stopped_stops_the_whole_job_and_fg_brings_both_back() {
    let server = server();
    let dir = tempfile::tempdir().unwrap();
    let path = editor(dir.path(), "stopped once");
    let script = std::fs::read_to_string(&path).unwrap();
    let script = script.replace("\nprintf", "\nkill -TSTP 0\nprintf");
    std::fs::write(&path, script).unwrap();
    let env = [("VISUAL", path.to_str().unwrap())];
    let mut shell = Terminal::start(&["sh", "-i"], SIZE, &env);
    shell.wait_text("$ ");
    shell.send(format!("{PROGRAM} {}\n", server.url()).as_bytes());
    shell.wait_text("late one");
    shell.send(b"odraft\x05");
    shell.wait("the shell", PATIENCE, |s| {
        s.given_back() && s.text().trim_end().ends_with('$')
    });
    assert!(shell.shown().text().contains("Stopped"));
    shell.send(b"fg\n");
    shell.wait_text("stopped once");
    shell.wait("the screen again", PATIENCE, Shown::taken);
    shell.send(b"\x03");
    shell.wait("the shell", PATIENCE, Shown::given_back);
}

#[test]
fn an_editor_that_cannot_be_started_leaves_the_text_and_the_keys_alone() {
    let server = server();
    let mut terminal = open(&server, &[("VISUAL", "/nowhere/to/be found")]);
    terminal.send(b"okept\x05");
    terminal.wait_text("set VISUAL or EDITOR");
    terminal.send(b" well");
    terminal.wait_text("kept well");
}

#[test]
fn a_worker_moves_what_is_late_and_leaving_prints_what_goes_on() {
    let server = server();
    let mut terminal = open(&server, &[]);
    start_worker(&server, &mut terminal);
    let socket = server.socket();
    let command = format!("delayscope -s {} worker orders", socket.display());
    terminal.send(b"q");
    terminal.wait_text("What goes on is printed too:");
    terminal.wait_text(&command);
    terminal.send(b"y");
    assert_eq!(terminal.exit_code(), 0);
    terminal.wait_text("The worker on orders has ended after moving 3 entries.");
    // The terminal breaks long lines anywhere.
    let text = terminal.shown().text().replace('\n', "");
    assert!(text.contains(&command), "{text}");
    assert!(terminal.modes_are_back());
}

#[test]
fn a_signal_asks_nothing_and_prints_the_command_all_the_same() {
    let server = server();
    let mut terminal = open(&server, &[]);
    start_worker(&server, &mut terminal);
    terminal.signal("-TERM");
    assert_eq!(terminal.exit_code(), 128 + 15);
    terminal.wait_text("worker orders");
    assert!(terminal.shown().given_back());
}

#[test]
fn a_worker_that_was_stopped_moves_nothing_more() {
    let server = server();
    let mut terminal = open(&server, &[]);
    start_worker(&server, &mut terminal);
    terminal.send(b"w");
    terminal.wait_text("Stop the worker on orders?");
    terminal.send(b"y");
    terminal.wait_text("has ended: 3 entries moved");
    let channel = "redisson_delay_queue_channel:{orders}";
    wait_for("nobody to be subscribed", || {
        server.list(&["PUBSUB", "CHANNELS", channel]).is_empty()
    });
    terminal.send(b"\x03");
    assert_eq!(terminal.exit_code(), 0);
    let text = terminal.shown().text();
    assert!(!text.contains("worker orders"), "{text}");
}
