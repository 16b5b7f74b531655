//! What other set-ups than one plain server cost: the start behind TLS, and watching a cluster while
//! nothing happens in it.
//!
//! `cargo bench --bench nodes`. Each figure stands beside its limit; one that is over it fails the run.

#![expect(
    unreachable_pub,
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that fails shall say where; its output is its purpose"
)]

#[expect(dead_code, reason = "shared; a part of it is used here")]
#[path = "../support/cluster.rs"]
mod cluster;
mod live;
#[path = "../support/self_signed.rs"]
mod self_signed;
#[expect(dead_code, reason = "each program uses a part of it")]
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/terminal.rs"]
mod terminal;

use std::process::ExitCode;
use std::time::Duration;

use cluster::{Cluster, MASTERS, queue_at};
use delayscope::queue::Queue;
use live::{HOUR_MS, PROGRAM, Table, middle, own_cpu_ms, pause, server_cpu_ms};
use self_signed::SelfSigned;
use support::PATIENCE;
use terminal::Terminal;

const SIZE: (u16, u16) = (120, 40);
const QUEUES: usize = 40;
const WINDOW: Duration = Duration::from_secs(30);
/// Past the search for queues and the turn of the rules, which comes to each within 20 s.
const SETTLED: Duration = Duration::from_secs(25);

fn main() -> ExitCode {
    // `cargo test` builds benchmarks and runs them with other arguments.
    if !std::env::args().any(|arg| arg == "--bench") {
        return ExitCode::SUCCESS;
    }
    let mut table = Table::default();
    start_behind_tls(&mut table);
    idle_cluster(&mut table);
    table.end()
}

/// From the start of the process to a picture with the first rows, of a server behind TLS.
fn start_behind_tls(table: &mut Table) {
    let SelfSigned {
        server, url, cert, ..
    } = &SelfSigned::start();
    let first = server.now().plus(HOUR_MS);
    server.fill(&Queue::redisson("orders"), 1_000, first, 10);
    let start = || {
        let program = [PROGRAM, url, "--cacert", cert, "--queue", "orders"];
        let terminal = Terminal::start(&program, SIZE, &[]);
        let shown = terminal.wait("data", PATIENCE, |s| {
            s.text().contains("of 1,000") && s.text().contains("entry 1")
        });
        shown - terminal.started
    };
    let took: Vec<Duration> = (0..15).map(|_| start()).collect();
    let what = "start to first data, TLS, 1 k entries (median)";
    table.row(what, middle(took, 0.5), 60.0, "ms");
}

/// What each node of a cluster spends on us while nothing happens to its queues, beside what it
/// spends by itself.
fn idle_cluster(table: &mut Table) {
    let cluster = Cluster::start();
    for n in 0..QUEUES {
        let (master, number) = (n % MASTERS, n / MASTERS);
        let node = &cluster.nodes[master];
        let first = node.now().plus(HOUR_MS + 1_800_000);
        node.fill(&queue_at(master, number), 40, first, 61_000);
    }
    let spent = |span: Duration| {
        let spent_so_far = || cluster.nodes.iter().map(server_cpu_ms).collect::<Vec<_>>();
        let before = spent_so_far();
        pause(span);
        let after = spent_so_far().into_iter();
        let each = after.zip(before).map(|(then, now)| then - now);
        each.map(|ms| ms / span.as_secs_f64()).collect::<Vec<_>>()
    };
    let alone = spent(WINDOW);
    let terminal = Terminal::start(&[PROGRAM, &cluster.url(0)], SIZE, &[]);
    terminal.wait_text(&format!("of {QUEUES} ──"));
    pause(SETTLED);
    let before = own_cpu_ms(terminal.pid());
    let with_us = spent(WINDOW);
    let own = (own_cpu_ms(terminal.pid()) - before) / WINDOW.as_secs_f64();
    for (n, (with_us, alone)) in with_us.into_iter().zip(&alone).enumerate() {
        let role = if n < MASTERS { "master" } else { "replica" };
        let what = format!(
            "idle cluster, 40 queues: CPU for us, {role} {}",
            n % MASTERS
        );
        table.row(&what, with_us - alone, 2.0, "ms/s");
        println!("{:<58} {alone:>9.2} ms/s", "  (the node by itself)");
    }
    table.row("idle cluster, 40 queues: own CPU", own, 10.0, "ms/s");
}
