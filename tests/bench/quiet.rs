//! What watching costs when nothing happens: bytes to the terminal, the server's CPU, our own.
//!
//! `cargo bench --bench quiet`; with `-- due` only the case in which entries fall due by the
//! hundred. Each figure stands beside its limit; one that is over it fails the run.

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
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use delayscope::queue::{Keys, Queue};
use live::{HOUR_MS, PROGRAM, Table, own_cpu_ms, pause, server_cpu_ms};
use support::{Server, Value};
use terminal::Terminal;

const SIZE: (u16, u16) = (120, 40);
const WINDOW: Duration = Duration::from_secs(20);
/// Past the search for queues and the first surveys.
const SETTLED: Duration = Duration::from_secs(8);
/// What transfers and starts the measurement, in the server's list of commands.
const NOT_OURS: [&str; 4] = [
    "cmdstat_zpopmin",
    "cmdstat_lmove",
    "cmdstat_publish",
    "cmdstat_info",
];

fn main() -> ExitCode {
    // `cargo test` builds benchmarks and runs them with other arguments.
    if !std::env::args().any(|arg| arg == "--bench") {
        return ExitCode::SUCCESS;
    }
    let mut table = Table::default();
    if !std::env::args().any(|arg| arg == "due") {
        written(&mut table);
        many_queues(&mut table);
    }
    falling_due(&mut table);
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

/// What watching a queue costs of which 130 entries fall due each second and are transferred.
fn falling_due(table: &mut Table) {
    const DUE_A_SECOND: i64 = 130;
    let server = Server::start();
    let queue = Queue::redisson("orders");
    let first = server.now().plus(2_000);
    server.fill_with(&queue, 1_000_000, |n| {
        first.plus(i64::try_from(n).unwrap() * 1000 / DUE_A_SECOND)
    });
    let mut transfers = server.connection();
    let keys = queue.keys();
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let transferring = std::thread::spawn(move || {
        while !stopped.load(Relaxed) {
            transfer_head(&mut transfers, &keys);
            pause(Duration::from_micros(7_700));
        }
    });
    let terminal = Terminal::start(&[PROGRAM, &server.url(), "--queue", "orders"], SIZE, &[]);
    terminal.wait_text("entry 1");
    pause(SETTLED);
    let (calls, micros) = reads(&server);
    let before = own_cpu_ms(terminal.pid());
    pause(WINDOW);
    let own = (own_cpu_ms(terminal.pid()) - before) / WINDOW.as_secs_f64();
    let (calls_then, micros_then) = reads(&server);
    stop.store(true, Relaxed);
    transferring.join().unwrap();
    let commands = (calls_then - calls) / WINDOW.as_secs_f64();
    let server_ms = (micros_then - micros) / 1000.0 / WINDOW.as_secs_f64();
    table.row("130 due a second: commands", commands, 200.0, "/s");
    table.row("130 due a second: server in them", server_ms, 2.0, "ms/s");
    table.row("130 due a second: own CPU", own, 10.0, "ms/s");
}

/// Transfers the entry that is due next, with commands that the program under test never sends.
fn transfer_head(connection: &mut redis::Connection, keys: &Keys) {
    let channel = keys.channel.as_deref().unwrap_or_default();
    let mut transfer = redis::pipe();
    transfer.cmd("ZPOPMIN").arg(&keys.timeouts).ignore();
    transfer
        .cmd("LMOVE")
        .arg(&keys.order)
        .arg(&keys.target)
        .arg("LEFT")
        .arg("RIGHT")
        .ignore();
    transfer.cmd("PUBLISH").arg(channel).arg("1").ignore();
    transfer.exec(connection).unwrap();
}

/// Commands that only read, and what they took, in µs, since the server was started.
fn reads(server: &Server) -> (f64, f64) {
    let info = match server.cmd(&["INFO", "commandstats"]) {
        Value::BulkString(bytes) => String::from_utf8(bytes).unwrap(),
        Value::VerbatimString { text, .. } => text,
        other => panic!("INFO answered {other:?}"),
    };
    let (mut calls, mut micros) = (0.0, 0.0);
    for line in info.lines() {
        let Some((name, figures)) = line.split_once(':') else {
            continue;
        };
        if NOT_OURS.contains(&name) {
            continue;
        }
        let figure = |key: &str| {
            let all = figures
                .split(',')
                .find_map(|figure| figure.strip_prefix(key));
            all.map_or(0.0, |text| text.parse::<f64>().unwrap())
        };
        calls += figure("calls=");
        micros += figure("usec=");
    }
    (calls, micros)
}
