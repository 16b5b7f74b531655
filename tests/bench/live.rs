//! What the benchmarks of the running program share: figures beside their limits, and what it and
//! the server spend.

#![expect(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "shared by benchmarks; a failure here is a failed run"
)]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use delayscope::clock::instant;

use crate::support::{Server, Value};

/// The program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_delayscope");
/// An hour in ms.
pub const HOUR_MS: i64 = 3_600_000;

/// The figures so far.
#[derive(Default)]
pub struct Table {
    over: bool,
}

impl Table {
    /// Prints a figure beside its limit.
    pub fn row(&mut self, what: &str, figure: f64, limit: f64, unit: &str) {
        let over = figure > limit;
        self.over |= over;
        let mark = if over { "OVER" } else { "ok" };
        println!("{what:<58} {figure:>9.2} {unit:<4} ≤ {limit:>7.1}  {mark}");
    }

    /// Whether every figure was within its limit.
    pub fn end(self) -> ExitCode {
        if self.over {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        }
    }
}

/// A span in ms.
pub fn ms(span: Duration) -> f64 {
    span.as_secs_f64() * 1000.0
}

/// The span, in ms, that this share of them does not exceed; 0.5 is the median.
pub fn middle(mut spans: Vec<Duration>, share: f64) -> f64 {
    spans.sort_unstable();
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an index into a few thousand"
    )]
    let at = ((spans.len() - 1) as f64 * share).round() as usize;
    ms(spans[at])
}

/// CPU time of all threads of a process, in ms.
pub fn own_cpu_ms(pid: u32) -> f64 {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let nanos = tasks.map(|task| {
        let path = task.unwrap().path().join("schedstat");
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let first = text.split_whitespace().next().unwrap_or("0");
        first.parse::<f64>().unwrap()
    });
    nanos.sum::<f64>() / 1e6
}

/// CPU time of the server, in ms.
pub fn server_cpu_ms(server: &Server) -> f64 {
    let info = match server.cmd(&["INFO", "cpu"]) {
        Value::BulkString(bytes) => String::from_utf8(bytes).unwrap(),
        Value::VerbatimString { text, .. } => text,
        other => panic!("INFO answered {other:?}"),
    };
    let seconds = |name: &str| {
        let line = info.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap().parse::<f64>().unwrap()
    };
    (seconds("used_cpu_user:") + seconds("used_cpu_sys:")) * 1000.0
}

/// Lets time pass: what is measured is what happens meanwhile.
pub fn pause(span: Duration) {
    let until: Instant = instant() + span;
    std::thread::sleep(until.saturating_duration_since(instant()));
}
