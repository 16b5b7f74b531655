//! A due backlog worked off by `delayscope transfer` and by the newest Redisson client, on the same
//! data in one run; a burst worked off by that client with and without `repair --realign`; and
//! `delete` of ten thousand out of a million, with its undo.
//!
//! `cargo bench --features interop --bench backlog`; needs a JDK and Maven, and some four minutes.
//! Words after `--` choose rows by a part of their name. Ours is the real program with its journal
//! on, timed from outside, start and planning included. Fails when a claim does not hold.

#![expect(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark: it prints, uses a part of what the tests use, and may fail"
)]

#[path = "../interop/build.rs"]
mod build;
#[path = "backlog/burst.rs"]
mod burst;
#[path = "../interop/check.rs"]
mod check;
#[path = "../support/data.rs"]
mod data;
#[path = "backlog/deletion.rs"]
mod deletion;
#[path = "backlog/drain.rs"]
mod drain;
#[path = "../interop/peer.rs"]
mod peer;
#[path = "../support/program.rs"]
mod program;
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/watch.rs"]
mod watch;

use std::time::Duration;

use drain::Row;

/// The backlogs: name, entries, shuffled, how many times as fast as Redisson.
const ROWS: [Row; 4] = [
    Row::new("100 k in due order", 100_000, false, 2.0),
    Row::new("1 M in due order", 1_000_000, false, 2.0),
    Row::new("100 k shuffled", 100_000, true, 100.0),
    Row::new("1 M shuffled", 1_000_000, true, 2_000.0),
];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test --benches` and such only want to know that it builds.
    if !words.iter().any(|word| word == "--bench") {
        return;
    }
    let chosen: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let is_chosen =
        |name: &str| chosen.is_empty() || chosen.iter().any(|word| name.contains(word.as_str()));
    let mut missed = Vec::new();
    let rows: Vec<&Row> = ROWS.iter().filter(|row| is_chosen(row.name)).collect();
    if !rows.is_empty() {
        missed.extend(drain::compare(&rows));
    }
    if is_chosen("burst") {
        missed.extend(burst::compare());
    }
    if is_chosen("deletion") {
        missed.extend(deletion::measure());
    }
    assert!(missed.is_empty(), "missed:\n{}", missed.join("\n"));
}

/// Entries a second.
#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
fn rate(count: usize, took: Duration) -> f64 {
    count as f64 / took.as_secs_f64()
}

fn ms(took: Duration) -> f64 {
    took.as_secs_f64() * 1_000.0
}
