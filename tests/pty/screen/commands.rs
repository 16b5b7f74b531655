//! Commands in the real program.

use super::{ended, open, open_with, server, with_data};
use crate::support::{PATIENCE, room, wait_for};

#[test]
fn another_database_shows_its_queues_and_the_first_one_is_there_again() {
    let server = server(77);
    let due = server.now().plus(7_200_000).get();
    let mut elsewhere = server.connection_to(1);
    let put = redis::cmd("ZADD")
        .arg("redisson_delay_queue_timeout:{elsewhere}")
        .arg(due)
        .arg("no frame")
        .query::<i64>(&mut elsewhere);
    assert_eq!(put, Ok(1));
    let mut terminal = open(&server);
    terminal.wait_text("of 77");
    terminal.send(b":db 1\r");
    terminal.wait("the other queue", PATIENCE, |s| {
        s.text().contains("elsewhere") && !s.text().contains("of 77")
    });
    terminal.send(b":db 0\r");
    terminal.wait_text("of 77");
    // One that the server does not have is a link that is not there, and no dead end.
    terminal.send(b":db 9999\r");
    terminal.wait_text("cannot connect");
    terminal.send(b":db 0\r");
    terminal.wait_text("of 77");
    terminal.send(b":q\r");
    ended(&mut terminal, 0);
}

#[test]
fn an_unknown_queue_is_opened_and_the_line_is_there_after_a_restart() {
    let server = server(5);
    let state = room();
    let state = state.path().to_str().unwrap();
    let mut terminal = open_with(&server, &[("XDG_STATE_HOME", state)]);
    with_data(&terminal);
    terminal.send(b":queue not found yet\r");
    terminal.wait_text("not found yet was not found");
    terminal.wait_text("Nothing waits");
    let history = std::path::Path::new(state).join("delayscope/history.json");
    wait_for("the history", || history.exists());
    terminal.send(b"\x03");
    ended(&mut terminal, 0);
    let mut terminal = open_with(&server, &[("XDG_STATE_HOME", state)]);
    with_data(&terminal);
    terminal.send(b":\x1b[A");
    terminal.wait_text(":queue not found yet");
    terminal.send(b"\x03");
    ended(&mut terminal, 0);
}
