//! A password that is wrong, and one that is changed while the program runs.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use delayscope::queue::Queue;

use super::{ended, with_data};
use crate::support::{PATIENCE, Server};
use crate::terminal::Terminal;
use crate::{PROGRAM, SIZE};

/// A server with a password, and the queue `orders` in it.
fn guarded() -> Server {
    let mut server = Server::start_with(&["--requirepass", "sesame"]);
    server.log_in(None, Some("sesame"));
    let orders = Queue::redisson("orders");
    server.fill(&orders, 20, server.now().plus(3_600_000), 10);
    server
}

fn open(server: &Server, password: &str) -> Terminal {
    let socket = server.socket();
    let program = [PROGRAM, "-s", socket.to_str().unwrap()];
    Terminal::start(&program, SIZE, &[("REDISCLI_AUTH", password)])
}

/// The banner over what was read before.
fn told(terminal: &Terminal) {
    terminal.wait("what is wrong", PATIENCE, |s| {
        let text = s.text();
        let lines: Vec<&str> = text.lines().take(2).collect();
        lines.len() == 2
            && lines[0].contains("✖ lost")
            && lines[1].contains("login failed")
            && lines[1].contains("check user and password")
            && lines[1].contains("user or password refused")
    });
}

#[test]
fn a_wrong_password_is_told_and_when_the_server_takes_it_all_is_there() {
    let server = guarded();
    let mut terminal = open(&server, "abracadabra");
    terminal.wait("what is wrong", PATIENCE, |s| {
        let text = s.text();
        text.contains("failed: user or password refused") && text.contains("REDISCLI_AUTH")
    });
    // Keys act all the while.
    terminal.send(b"?");
    terminal.wait_text("Why is it late");
    terminal.send(b"\x1b");
    server.cmd(&["CONFIG", "SET", "requirepass", "abracadabra"]);
    with_data(&terminal);
    terminal.wait("the words to go", PATIENCE, |s| {
        !s.text().contains("WRONGPASS")
    });
    let shown = terminal.shown();
    let bytes = String::from_utf8_lossy(&shown.bytes).into_owned();
    assert!(!bytes.contains("abracadabra"), "a password is never shown");
    drop(shown);
    terminal.send(b"\x03");
    ended(&mut terminal, 0);
}

#[test]
fn a_password_that_is_changed_meanwhile_is_told_and_healed_by_itself() {
    let server = guarded();
    let mut terminal = open(&server, "sesame");
    with_data(&terminal);
    // Who is in stays in: only a new connection is asked again.
    let mut operator = server.connection();
    let mut run = |words: &[&str]| {
        let mut command = redis::cmd(words[0]);
        for word in &words[1..] {
            command.arg(word);
        }
        command.exec(&mut operator).unwrap();
    };
    run(&["CONFIG", "SET", "requirepass", "changed"]);
    for kind in ["normal", "pubsub"] {
        run(&["CLIENT", "KILL", "TYPE", kind]);
    }
    told(&terminal);
    assert!(
        terminal.shown().text().contains("of 20"),
        "the picture stays"
    );
    run(&["CONFIG", "SET", "requirepass", "sesame"]);
    terminal.wait_text("● live");
    terminal.wait("the banner to go", PATIENCE, |s| {
        !s.text().contains("login failed")
    });
    terminal.send(b"q");
    ended(&mut terminal, 0);
}
