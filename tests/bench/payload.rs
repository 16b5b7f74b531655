//! What reading payloads takes: short ones of every codec, and megabytes that are made to hurt.
//!
//! `cargo bench --bench payload`. Takes half a minute. Each hostile payload is read in a process of
//! its own, whose peak of memory tells what reading it took.

#![expect(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    clippy::print_stdout,
    reason = "a benchmark that fails shall say where; no figure here has more than 52 bits"
)]

#[expect(dead_code, reason = "its spreads are of times that vary")]
mod common;
#[expect(dead_code, reason = "those that are packed are weighed by the tests")]
#[path = "../unit/payloads/hostile.rs"]
mod hostile;
#[expect(dead_code, reason = "the tests of payloads use more of it")]
#[path = "../fixtures/rows.rs"]
mod rows;

use std::collections::BTreeMap;
use std::process::Command;

use delayscope::clock::instant;
use delayscope::payload::{decode, whole};

use common::{Limit, head, row};

/// A short payload has at most so many bytes.
const SHORT: usize = 200;
/// Each codec's are read so often.
const TIMES: usize = 200;
/// µs for each, at 200,000 a second.
const MOST_US: f64 = 5.0;
/// What reading a megabyte may take.
const MOST_MS: f64 = 50.0;
const MOST_MB: f64 = 16.0;

fn main() {
    let mut args = std::env::args().skip_while(|arg| arg != "--weigh");
    if let Some(at) = args.nth(1) {
        weigh(at.parse().unwrap());
        return;
    }
    if !common::asked_for() {
        return;
    }
    short();
    large();
}

fn short() {
    let mut codecs: BTreeMap<String, Vec<Vec<u8>>> = BTreeMap::new();
    let golden = rows::golden();
    for row in golden.into_iter().filter(|row| row.payload.len() <= SHORT) {
        codecs
            .entry("all".to_owned())
            .or_default()
            .push(row.payload.clone());
        codecs.entry(row.codec).or_default().push(row.payload);
    }
    head("short payloads, µs each", &["decode", "search"]);
    for (codec, payloads) in codecs {
        let us = |read: &dyn Fn(&[u8]) -> usize| {
            let started = instant();
            let mut said = 0;
            for _ in 0..TIMES {
                said += payloads.iter().map(|payload| read(payload)).sum::<usize>();
            }
            assert!(said > 0);
            started.elapsed().as_secs_f64() * 1e6 / (TIMES * payloads.len()) as f64
        };
        let figures = [
            us(&|payload| decode(payload).text.len() + 1),
            us(&|payload| whole(payload).1.len() + 1),
        ];
        let limit = if codec == "all" {
            Limit::Most(0, MOST_US)
        } else {
            Limit::None
        };
        row(&codec, &figures, limit);
    }
}

fn large() {
    head("a hostile megabyte", &["ms", "MB"]);
    for (at, (name, _)) in hostile::bare(hostile::SIZE).into_iter().enumerate() {
        let program = std::env::current_exe().unwrap();
        let told = Command::new(program)
            .args(["--weigh", &at.to_string()])
            .output();
        let told = String::from_utf8(told.unwrap().stdout).unwrap();
        let mut figures = told
            .split_whitespace()
            .map(|figure| figure.parse::<f64>().unwrap());
        let (ms, mb) = (figures.next().unwrap(), figures.next().unwrap());
        row(&name, &[ms, mb], Limit::Most(0, MOST_MS));
        if mb > MOST_MB {
            println!("    {mb} MB: MISSED, the limit is {MOST_MB}");
        }
    }
}

/// Reads one of them, and prints the time and by how much the peak of memory grew.
fn weigh(at: usize) {
    let (_, bytes) = hostile::bare(hostile::SIZE).swap_remove(at);
    // Forgets the peak of making the payloads.
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = peak();
    let started = instant();
    let read = decode(&bytes);
    let ms = started.elapsed().as_secs_f64() * 1e3;
    let grown = (peak() - before) / 1024.0;
    println!("{ms:.3} {grown:.3} {}", read.text.len());
}

/// The most memory that this process had at once, in kB.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
