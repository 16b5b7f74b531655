//! A megabyte of anything is read in 50 ms and 16 MB, on a thread's stack of 2 MB.
//!
//! Beside the other tests (in a debug build) a little of each is read, for panics and memory. The
//! whole, with the table of what takes longest:
//! `FUZZ_CASES=1 cargo test --release --test payloads megabyte -- --nocapture`; with `FUZZ_ONLY` of
//! those payloads alone in whose name that stands.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::thread;
use std::time::Duration;

use super::asked::{Question, Taken, ask, questions, weigh};
use super::fuzz::{STACK, is_whole, vectors};
use super::hostile::{SIZE, hostile};

/// What one answer about a megabyte may take.
pub const MOST_TIME: Duration = Duration::from_millis(50);
pub const MOST_HELD: u64 = 16 << 20;
/// Rows of the table.
const SHOWN: usize = 20;

/// A payload behind itself, again and again: all that follows the first is nested in it or wrong.
fn of_a_megabyte(payload: &[u8]) -> Vec<u8> {
    payload.repeat(SIZE / payload.len().max(1))
}

/// All hostile payloads with their names, some of the real ones again and again, and each byte.
fn megabytes() -> impl Iterator<Item = (String, Vec<u8>)> {
    let every = if is_whole() { 20 } else { 2000 };
    let grown = vectors().into_iter().step_by(every).enumerate();
    let grown = grown.map(|(i, bytes)| (format!("vector {i} again"), of_a_megabyte(&bytes)));
    let every = if is_whole() { 1 } else { 64 };
    let bytes = (0..=u8::MAX).step_by(every);
    let bytes = bytes.map(|byte| (format!("all {byte:02x}"), vec![byte; SIZE]));
    let only = std::env::var("FUZZ_ONLY").unwrap_or_default();
    let all = hostile().into_iter().chain(bytes).chain(grown);
    all.filter(move |(name, _)| name.contains(&only))
}

#[test]
fn a_megabyte_of_anything_is_read_in_50_ms_and_16_mb_on_a_small_stack() {
    let thread = thread::Builder::new().stack_size(STACK).spawn(read_all);
    thread.unwrap().join().unwrap();
}

/// What was read, what was asked, and what that took.
type Row = (String, Question, Taken);

fn read_all() {
    let mut rows: Vec<Row> = Vec::new();
    for (name, mut bytes) in megabytes() {
        // A debug build reads a megabyte as each of the codecs in seconds.
        bytes.truncate(if is_whole() { SIZE } else { 3000 });
        let mut is_read = true;
        for question in questions() {
            match question {
                Question::As(_) => is_read = true,
                // As a codec that cannot read it, it is read as the one that can.
                Question::Tree(_) | Question::Rows(_) if !is_read => continue,
                _ => {}
            }
            let taken = least(question, &bytes, &mut is_read);
            if is_over(&taken) {
                println!("over: {name:<50}{question:?} {taken:?}");
            }
            rows.push((name.clone(), question, taken));
        }
    }
    if is_whole() {
        show("slowest", &mut rows, |taken| taken.time.as_nanos());
        show("largest", &mut rows, |taken| taken.held.into());
    }
    let over = rows.iter().filter(|(_, _, taken)| is_over(taken)).count();
    assert_eq!(over, 0, "of {}", rows.len());
}

fn is_over(taken: &Taken) -> bool {
    let is_slow = taken.time > MOST_TIME && !cfg!(debug_assertions);
    is_slow || taken.held > MOST_HELD
}

/// What an answer takes: the least of some, since a thread is also held up by what shares its core
/// and its caches.
fn least(question: Question, bytes: &[u8], is_read: &mut bool) -> Taken {
    let mut once = || weigh(|| *is_read = ask(question, bytes));
    let first = once();
    if first.time < MOST_TIME / 4 {
        return first;
    }
    let more = (0..3).map(|_| once());
    more.chain([first]).min_by_key(|taken| taken.time).unwrap()
}

fn show(title: &str, rows: &mut [Row], by: impl Fn(&Taken) -> u128) {
    rows.sort_by_key(|(_, _, taken)| std::cmp::Reverse(by(taken)));
    println!("{title:<50}{:<24}{:>8}{:>8}", "asked", "ms", "MB");
    for (name, question, taken) in rows.iter().take(SHOWN) {
        let ms = taken.time.as_secs_f64() * 1e3;
        let megabytes = taken.held >> 20;
        println!(
            "{name:<50}{:<24}{ms:>8.1}{megabytes:>8}",
            format!("{question:?}")
        );
    }
}
