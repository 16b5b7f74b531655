//! No bytes make a decoder panic, hang, overflow a thread's stack of 2 MB or hold more than 16 MB:
//! mutations of all payloads that real codecs wrote, of which some are grown to a megabyte.
//!
//! A slice runs with the other tests. The whole, ten million cases:
//! `FUZZ_CASES=10000000 cargo test --release --test unit payloads::fuzz -- --nocapture`,
//! on as many threads as `FUZZ_THREADS` says (2), from `FUZZ_SEED` on. What fails is said with its
//! bytes and with the seed that makes it again as the only case. With `FUZZ_LARGE` all cases are
//! grown to a megabyte.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a failure here is a failed test; millions of cases take an hour"
)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use proptest::test_runner::{RngAlgorithm, TestRng};

use super::asked::{ask, ask_all, questions, weigh};
use super::mutate::Mutator;
use super::slowest::{MOST_HELD, MOST_TIME};
use crate::rows::{golden, rows, unhex};

/// As large as tokio's threads have it.
pub(super) const STACK: usize = 2 << 20;

/// All payloads of the fixtures.
pub(super) fn vectors() -> Vec<Vec<u8>> {
    let of_libraries =
        rows(include_str!("../../fixtures/codec-vectors.tsv")).map(|row| unhex(row[2]));
    let of_types = rows(include_str!("../../fixtures/java-types.tsv"))
        .chain(rows(include_str!("../../fixtures/java-values.tsv")))
        .map(|row| unhex(row[4]));
    let of_jdk = rows(include_str!("../../fixtures/jdk-classes.tsv")).map(|row| unhex(row[3]));
    let of_redisson = golden().into_iter().map(|row| row.payload);
    let of_java = of_types.chain(of_jdk);
    let all: BTreeSet<Vec<u8>> = of_libraries.chain(of_java).chain(of_redisson).collect();
    all.into_iter().collect()
}

/// A number that is told by the environment.
fn told(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |said| said.parse().unwrap())
}

/// Everything that is ever asked of a payload, within the bounds of each.
fn weigh_all(bytes: &[u8]) {
    let taken = weigh(|| ask_all(bytes));
    if taken.held <= MOST_HELD && (taken.time <= MOST_TIME || cfg!(debug_assertions)) {
        return;
    }
    for question in questions() {
        let often = || {
            weigh(|| {
                ask(question, bytes);
            })
        };
        // The least of three: a thread is also held up by what shares its core and its caches.
        let least = (0..3).map(|_| often()).min_by_key(|taken| taken.time);
        let taken = least.unwrap();
        let is_slow = taken.time > MOST_TIME && !cfg!(debug_assertions);
        assert!(
            taken.held <= MOST_HELD && !is_slow,
            "{question:?} {taken:?}"
        );
    }
}

/// The case of a seed.
fn case(vectors: &[Vec<u8>], seed: u64) -> Vec<u8> {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..].copy_from_slice(&seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
    let random = TestRng::from_seed(RngAlgorithm::XorShift, &bytes);
    let is_large = std::env::var("FUZZ_LARGE").is_ok();
    Mutator { vectors, random }.case(is_large)
}

/// Asks about the cases of these seeds; how many of them failed.
fn fuzz(vectors: &[Vec<u8>], seeds: impl Iterator<Item = u64>, done: &AtomicU64) -> u64 {
    let mut failed = 0;
    for seed in seeds {
        let bytes = case(vectors, seed);
        if catch_unwind(AssertUnwindSafe(|| weigh_all(&bytes))).is_err() {
            let mut hex = String::new();
            for byte in bytes.iter().take(4096) {
                write!(hex, "{byte:02x}").unwrap();
            }
            eprintln!(
                "FUZZ_SEED={seed} FUZZ_CASES=1: {} bytes: {hex}",
                bytes.len()
            );
            failed += 1;
        }
        let all = done.fetch_add(1, Ordering::Relaxed) + 1;
        if all.is_multiple_of(100_000) {
            println!("{all} cases, up to seed {seed}");
        }
    }
    failed
}

#[test]
fn fuzz_no_mutation_of_a_real_payload_harms() {
    let cases = told("FUZZ_CASES", 500);
    let threads = told("FUZZ_THREADS", 2).min(cases);
    let first = told("FUZZ_SEED", 20_261_121);
    let vectors = vectors();
    let done = AtomicU64::new(0);
    let failed: u64 = thread::scope(|scope| {
        let work = |thread| {
            let seeds = (first + thread..first + cases).step_by(usize::try_from(threads).unwrap());
            let run = || fuzz(&vectors, seeds, &done);
            let thread = thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(scope, run).unwrap()
        };
        let running: Vec<_> = (0..threads).map(work).collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    assert_eq!(failed, 0, "of {cases} cases from seed {first}");
}
