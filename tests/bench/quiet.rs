//! What watching costs when nothing happens: bytes to the terminal, the server's CPU, our own.
//!
//! `cargo bench --bench quiet`. Each figure stands beside its limit; one that is over it fails
//! the run.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that fails shall say where; its output is its purpose"
)]

#[expect(dead_code, reason = "shared; a part of it is used here")]
mod live;
#[expect(dead_code, reason = "each program uses a part of it")]
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/terminal.rs"]
mod terminal;

use std::process::ExitCode;
use std::time::Duration;

use delayscope::queue::Queue;
use live::{HOUR_MS, PROGRAM, Table, own_cpu_ms, pause, server_cpu_ms};
use support::Server;
use terminal::Terminal;

const SIZE: (u16, u16) = (120, 40);
const WINDOW: Duration = Duration::from_secs(20);
/// Past the search for queues and the first surveys.
const SETTLED: Duration = Duration::from_secs(8);

fn main() -> ExitCode {
    // `cargo test` builds benchmarks and runs them with other arguments.
    if !std::env::args().any(|arg| arg == "--bench") {
        return ExitCode::SUCCESS;
    }
    let mut table = Table::default();
    written(&mut table);
    many_queues(&mut table);
    table.end()
}

/// A server with so many queues, all of them due in more than an hour.
fn server(queues: u64) -> Server {
    let server = Server::start();
    for n in 0..queues {
        let name = format!("service-{n:03}:reminders");
        let first = server.now().plus(HOUR_MS + 1_800_000);
        server.fill(&Queue::redisson(name.as_str()), 40 + n % 60, first, 61_000);
    }
    server
}

/// Bytes to the terminal while nothing is due within the hour.
fn written(table: &mut Table) {
    let server = server(4);
    let url = server.url();
    let measure = |terminal: &Terminal| {
        pause(SETTLED);
        let before = terminal.shown().bytes.len();
        pause(WINDOW);
        let bytes = terminal.shown().bytes.len() - before;
        f64::from(u32::try_from(bytes).unwrap()) / WINDOW.as_secs_f64()
    };
    let dashboard = Terminal::start(&[PROGRAM, &url], SIZE, &[]);
    let queue = Terminal::start(
        &[PROGRAM, &url, "--queue", "service-001:reminders"],
        SIZE,
        &[],
    );
    for (what, terminal) in [("dashboard", dashboard), ("queue", queue)] {
        terminal.wait_text("entry 1");
        let rate = measure(&terminal);
        let what = format!("written, all due in more than an hour, {what}");
        table.row(&what, rate, 500.0, "B/s");
    }
}

/// What 500 queues cost while nothing happens to them, beside the server by itself.
fn many_queues(table: &mut Table) {
    let server = server(500);
    let spent = |span: Duration| {
        let before = server_cpu_ms(&server);
        pause(span);
        (server_cpu_ms(&server) - before) / span.as_secs_f64()
    };
    let alone = spent(WINDOW / 2);
    let terminal = Terminal::start(&[PROGRAM, &server.url()], SIZE, &[]);
    terminal.wait_text("of 500");
    pause(SETTLED);
    let before = own_cpu_ms(terminal.pid());
    let with_us = spent(WINDOW);
    let own = (own_cpu_ms(terminal.pid()) - before) / WINDOW.as_secs_f64();
    let what = "idle, 500 queues: server CPU for us";
    table.row(what, with_us - alone, 5.0, "ms/s");
    table.row("idle, 500 queues: own CPU", own, 5.0, "ms/s");
    println!("{:<58} {alone:>9.2} ms/s", "  (the server by itself)");
}
