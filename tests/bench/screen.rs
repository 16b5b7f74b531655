//! How fast the screen is there, answers keys and shows changes, and what it costs, measured
//! through a pseudo-terminal on the real program with a private server.
//!
//! `cargo bench --bench screen`; of keys beside a bulk change alone `cargo bench --bench screen --
//! change`. Each figure stands beside its limit; one that is over it fails
//! the run.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that fails shall say where; its output is its purpose"
)]

mod live;
#[expect(dead_code, reason = "each program uses a part of it")]
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/terminal.rs"]
mod terminal;

use std::process::ExitCode;
use std::time::Duration;

use delayscope::clock::instant;
use delayscope::queue::Queue;
use live::{HOUR_MS, PROGRAM, Table, middle, ms, own_cpu_ms, pause, server_cpu_ms};
use support::{PATIENCE, Server, frame};
use terminal::Terminal;

const SIZE: (u16, u16) = (120, 40);
const IDLE: Duration = Duration::from_secs(20);

fn main() -> ExitCode {
    // `cargo test` builds benchmarks and runs them with other arguments.
    if !std::env::args().any(|arg| arg == "--bench") {
        return ExitCode::SUCCESS;
    }
    let mut table = Table::default();
    if std::env::args().any(|arg| arg == "change") {
        beside_a_change(&mut table);
        return table.end();
    }
    let small = server(1_000);
    let large = server(1_000_000);
    start(&mut table, &small, "1 k", "1,000");
    start(&mut table, &large, "1 M", "1,000,000");
    keys(&mut table, &large);
    changes(&mut table, &small);
    beside_a_change(&mut table);
    memory(&mut table, &large);
    idle(&mut table, &large);
    drop(large);
    recovery(&mut table, small);
    table.end()
}

/// A server with `orders`, due in an hour and later.
fn server(count: u64) -> Server {
    let server = Server::start();
    let first = server.now().plus(HOUR_MS);
    server.fill(&Queue::redisson("orders"), count, first, 10);
    server
}

/// From the start of the process to a picture with the count and the first rows.
fn start(table: &mut Table, server: &Server, size: &str, count: &str) {
    let cardinality = server.int(&["ZCARD", "redisson_delay_queue_timeout:{orders}"]);
    assert_eq!(count.replace(',', ""), cardinality.to_string());
    let of = format!("of {count}");
    let state = tempfile::tempdir().unwrap();
    let home = state.path().to_str().unwrap().to_owned();
    let first = |program: &[&str]| {
        let terminal = Terminal::start(program, SIZE, &[("XDG_STATE_HOME", &home)]);
        let shown = terminal.wait("data", PATIENCE, |s| {
            s.text().contains(&of) && s.text().contains("entry 1")
        });
        shown - terminal.started
    };
    let url = server.url();
    let named: Vec<Duration> = (0..15)
        .map(|_| first(&[PROGRAM, &url, "--queue", "orders"]))
        .collect();
    let what = format!("start to first data, named, {size} entries (median)");
    table.row(&what, middle(named, 0.5), 40.0, "ms");
    // The first one finds and remembers it.
    first(&[PROGRAM, &url]);
    let remembered: Vec<Duration> = (0..15).map(|_| first(&[PROGRAM, &url])).collect();
    let what = format!("start to first data, remembered, {size} entries (median)");
    table.row(&what, middle(remembered, 0.5), 40.0, "ms");
}

fn open(server: &Server) -> Terminal {
    let url = server.url();
    let terminal = Terminal::start(&[PROGRAM, &url, "--queue", "orders"], SIZE, &[]);
    terminal.wait_text("entry 1");
    terminal
}

/// From a key to the picture that it makes.
fn keys(table: &mut Table, server: &Server) {
    let mut terminal = open(server);
    let press = |terminal: &mut Terminal| {
        let mut took = Vec::new();
        for i in 0..200 {
            let open = i % 2 == 0;
            let pressed = instant();
            terminal.send(b"?");
            let shown = terminal.wait("help", PATIENCE, |s| {
                s.text().contains("quit at once") == open
            });
            took.push(shown - pressed);
            pause(Duration::from_millis(7));
        }
        took
    };
    let live = press(&mut terminal);
    table.row(
        "key to picture, live (median)",
        middle(live.clone(), 0.5),
        3.0,
        "ms",
    );
    table.row("key to picture, live (p95)", middle(live, 0.95), 10.0, "ms");
    server.stop();
    let hung = press(&mut terminal);
    server.go_on();
    table.row(
        "key to picture, server hangs (median)",
        middle(hung.clone(), 0.5),
        3.0,
        "ms",
    );
    table.row(
        "key to picture, server hangs (p95)",
        middle(hung, 0.95),
        10.0,
        "ms",
    );
}

/// From a key to the picture that it makes, while a million due entries are transferred: the keys
/// belong to what lies below the panel.
fn beside_a_change(table: &mut Table) {
    let server = Server::start();
    let first = server.now().plus(-2 * HOUR_MS);
    server.fill(&Queue::redisson("orders"), 1_000_000, first, 5);
    // With a second queue there is a table, and in it `t` is about the whole queue.
    let later = server.now().plus(HOUR_MS);
    server.fill(&Queue::redisson("emails"), 5, later, 10);
    let state = tempfile::tempdir().unwrap();
    let home = state.path().to_str().unwrap();
    let url = server.url();
    let mut terminal = Terminal::start(&[PROGRAM, &url], SIZE, &[("XDG_STATE_HOME", home)]);
    terminal.wait_text("1,000,000");
    terminal.send(b"t");
    terminal.wait_text("Type the queue's name");
    terminal.send(b"orders");
    terminal.wait_text("› orders");
    // A question that has only just come wants to be read first.
    pause(Duration::from_secs(1));
    terminal.send(b"\r");
    terminal.wait_text("entries/s");
    let mut took = Vec::new();
    // The help may lie over the panel.
    while took.len() % 2 == 1 || terminal.shown().text().contains("entries/s") {
        let open = took.len() % 2 == 0;
        let pressed = instant();
        terminal.send(b"?");
        let shown = terminal.wait("help", PATIENCE, |s| {
            s.text().contains("quit at once") == open
        });
        took.push(shown - pressed);
        pause(Duration::from_millis(7));
    }
    assert!(took.len() >= 50, "only {} keys while it ran", took.len());
    println!(
        "{:<58} {:>9}",
        "  (keys while 1 M were transferred)",
        took.len()
    );
    for (share, name) in [(0.5, "median"), (0.95, "p95"), (1.0, "longest")] {
        let what = format!("key to picture beside a bulk change ({name})");
        table.row(&what, middle(took.clone(), share), 10.0, "ms");
    }
}

/// From a change in Redis to the picture that shows it.
fn changes(table: &mut Table, server: &Server) {
    let terminal = open(server);
    let orders = Queue::redisson("orders");
    let mut count = 1_000;
    let mut change = |publish: bool, pace: u64| {
        count += 1;
        let due = server.now().plus(2 * HOUR_MS).get().to_string();
        server.put(&orders, &frame(count, b"more"), &due);
        let changed = instant();
        if publish {
            server.cmd(&["PUBLISH", "redisson_delay_queue_channel:{orders}", &due]);
        }
        let of = format!("of 1,{:03}", count - 1_000);
        let shown = terminal.wait("the change", PATIENCE, |s| s.text().contains(&of));
        pause(Duration::from_millis(pace));
        shown.saturating_duration_since(changed)
    };
    let quiet: Vec<Duration> = (0..15).map(|i| change(false, 137 * (i % 7))).collect();
    table.row(
        "change to picture (longest of 15)",
        middle(quiet, 1.0),
        1200.0,
        "ms",
    );
    let published: Vec<Duration> = (0..30).map(|i| change(true, 61 * (i % 7))).collect();
    table.row(
        "published to picture (longest of 30)",
        middle(published, 1.0),
        100.0,
        "ms",
    );
}

/// What the program weighs with a million entries open, after having been everywhere in them.
fn memory(table: &mut Table, server: &Server) {
    let mut terminal = open(server);
    terminal.send(b"G");
    terminal.wait_text("entry 1000000");
    for _ in 0..50 {
        terminal.send(b"\x1b[5~");
        pause(Duration::from_millis(10));
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", terminal.pid())).unwrap();
    let line = status.lines().find(|l| l.starts_with("VmRSS")).unwrap();
    let kb: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    table.row("memory with 1 M entries open", kb / 1024.0, 20.0, "MB");
}

/// What nothing costs: four queues, nothing changes, nothing due within a minute.
fn idle(table: &mut Table, server: &Server) {
    for name in ["emails", "invoices", "reminders"] {
        let first = server.now().plus(HOUR_MS);
        server.fill(&Queue::redisson(name), 500, first, 1000);
    }
    let spent = |span: Duration| {
        let before = server_cpu_ms(server);
        pause(span);
        (server_cpu_ms(server) - before) / span.as_secs_f64()
    };
    let alone = spent(IDLE / 2);
    let url = server.url();
    let terminal = Terminal::start(&[PROGRAM, &url], SIZE, &[]);
    terminal.wait_text("reminders");
    // Past the search for queues and the first surveys.
    pause(Duration::from_secs(5));
    let before = own_cpu_ms(terminal.pid());
    let with_us = spent(IDLE);
    let own = (own_cpu_ms(terminal.pid()) - before) / IDLE.as_secs_f64();
    table.row(
        "idle, four queues: server CPU for us",
        with_us - alone,
        2.0,
        "ms/s",
    );
    table.row("idle, four queues: own CPU", own, 5.0, "ms/s");
    println!("{:<58} {alone:>9.2} ms/s", "  (the server by itself)");
}

/// Dead for three seconds, back with other data.
fn recovery(table: &mut Table, mut server: Server) {
    let terminal = open(&server);
    server.kill();
    terminal.wait_text("lost");
    pause(Duration::from_secs(3));
    server.restart();
    let back = instant();
    let first = server.now().plus(HOUR_MS);
    server.fill(&Queue::redisson("orders"), 88, first, 10);
    let live = terminal.wait("live data", PATIENCE, |s| s.text().contains("of 88"));
    table.row("server back to live picture", ms(live - back), 1000.0, "ms");
}
