//! Questions of commands on a terminal.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::PROGRAM;
use crate::support::{Server, wait_for};
use crate::terminal::Terminal;

/// Ends the load when it is dropped.
struct EndOfLoad<'a>(&'a AtomicBool);

impl Drop for EndOfLoad<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Columns on which the question has one line.
const WIDE: (u16, u16) = (400, 20);

/// Commands a second that the server says it runs.
fn per_second(server: &Server) -> u64 {
    let stats: String = redis::from_redis_value(server.cmd(&["INFO", "stats"])).unwrap();
    let figure = stats
        .lines()
        .find_map(|line| line.strip_prefix("instantaneous_ops_per_sec:"));
    figure.unwrap().trim().parse().unwrap()
}

/// A trace on a terminal of a server that runs many commands; it has been asked whether it shall go on,
/// and this is the answer.
fn answered(answer: &[u8]) -> Terminal {
    let server = Server::start();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut connection = server.connection();
            let mut many = redis::pipe();
            for _ in 0..2_000 {
                many.cmd("SET").arg("k").arg("v").ignore();
            }
            while !is_over.load(Ordering::Relaxed) {
                many.exec(&mut connection).unwrap();
            }
        });
        // Also where something is not as it should be.
        let _end = EndOfLoad(&is_over);
        wait_for("the server to be busy", || per_second(&server) > 8_000);
        let url = server.url();
        let words = [
            "trace",
            "orders",
            "--for",
            "100ms",
            "--max-rate",
            "100000000",
        ];
        let mut terminal =
            Terminal::start(&[&[PROGRAM, "-u", &url], &words[..]].concat(), WIDE, &[]);
        terminal.wait_text("Go on? [y/N]");
        is_over.store(true, Ordering::Relaxed);
        assert!(terminal.shown().text().contains("commands/s now"));
        terminal.send(answer);
        // Nothing of the queue happens.
        assert_eq!(terminal.exit_code(), 1);
        terminal
    })
}

#[test]
fn a_trace_of_a_busy_server_asks_on_a_terminal_and_a_yes_lets_it_run() {
    let terminal = answered(b"y\r");
    terminal.wait_text("MONITOR ran for");
}

#[test]
fn a_trace_of_a_busy_server_that_is_told_no_traces_nothing() {
    for no in [&b"n\r"[..], b"\r"] {
        let terminal = answered(no);
        terminal.wait_text("nothing was traced");
        assert!(!terminal.shown().text().contains("MONITOR ran"));
    }
}
