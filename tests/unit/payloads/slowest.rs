//! A megabyte of anything is read in 50 ms and 16 MB, on a thread's stack of 2 MB: in twice the time
//! where `QUIET_MACHINE` does not say that the machine does nothing else.
//!
//! Beside the other tests (in a debug build) a little of each is read, for panics and memory. The
//! whole, with the table of what takes longest, is read when asked, by a release build; with
//! `FUZZ_ONLY` those payloads alone in whose name that stands.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a failure here is a failed test; a table is what it is run for"
)]

use std::thread;
use std::time::Duration;

use delayscope::payload::{self, Codec};

use super::asked::{Question, Taken, ask, questions, weigh};
use super::fuzz::{STACK, vectors};
use super::hostile::{Named, SIZE, bare, hostile};

/// What one answer about a megabyte may take.
pub(super) const MOST_TIME: Duration = Duration::from_millis(50);
pub(super) const MOST_HELD: u64 = 16 << 20;
/// What an answer about a payload of [`LITTLE`] bytes may copy, all in all.
const MOST_COPIED: u64 = 32 << 20;
/// The size of payloads that a debug build reads without a second's thought.
const LITTLE: usize = 100_000;
/// Rows of the table.
const SHOWN: usize = 20;

/// A payload behind itself, again and again: all that follows the first is nested in it or wrong.
fn of_a_megabyte(payload: &[u8]) -> Vec<u8> {
    payload.repeat(SIZE / payload.len().max(1))
}

/// How much is read.
#[derive(Clone, Copy, PartialEq)]
enum Much {
    /// A few, and little of each, for a debug build.
    Little,
    /// All of it.
    Whole,
}

/// All hostile payloads with their names, each byte, and some of the real ones again and again.
fn megabytes(much: Much) -> Vec<Named> {
    let (mut all, every_byte, every_vector) = match much {
        Much::Whole => (hostile(SIZE), 1, 20),
        Much::Little => (bare(LITTLE).into_iter().step_by(4).collect(), 64, 2000),
    };
    let bytes = (0..=u8::MAX).step_by(every_byte);
    all.extend(bytes.map(|byte| (format!("all {byte:02x}"), vec![byte; SIZE])));
    let grown = vectors().into_iter().step_by(every_vector).enumerate();
    all.extend(grown.map(|(i, bytes)| (format!("vector {i} again"), of_a_megabyte(&bytes))));
    let only = std::env::var("FUZZ_ONLY").unwrap_or_default();
    all.retain(|(name, _)| name.contains(&only));
    if much == Much::Little {
        for (_, bytes) in &mut all {
            bytes.truncate(2000);
        }
    }
    all
}

#[test]
fn a_little_of_anything_is_read_in_16_mb_on_a_small_stack() {
    let thread = thread::Builder::new().stack_size(STACK);
    let reading = thread.spawn(|| read_all(Much::Little));
    reading.unwrap().join().unwrap();
}

#[test]
#[ignore = "needs a release build: cargo test --release --test unit megabyte -- --ignored --nocapture"]
fn a_megabyte_of_anything_is_read_in_50_ms_and_16_mb_on_a_small_stack() {
    let thread = thread::Builder::new().stack_size(STACK);
    let reading = thread.spawn(|| read_all(Much::Whole));
    reading.unwrap().join().unwrap();
}

/// Of which payloads each part is little and says much, or takes much stack.
const SAID_AGAIN: &[&str] = &[
    "java long array class",
    "java long class",
    "java long field",
    "java hidden fields",
    "java dimensions",
    "java copies",
    "java bits",
    "java odd objects around a long text",
    "java texts in a block",
    "java keys of keys",
    "java superclasses in annotations",
    "river superclasses in externalizers",
    "kryo a name of brackets",
    "kryo texts in vain",
    "fury bits with short numbers",
    "json numbers",
];

#[test]
fn what_is_said_once_and_means_much_again_and_again_takes_little_memory_and_stack() {
    let run = || {
        let all = bare(LITTLE).into_iter();
        let mut asked = 0;
        for (name, bytes) in all.filter(|(name, _)| SAID_AGAIN.contains(&&**name)) {
            let codec = payload::decode(&bytes).codec;
            let questions = [
                Question::Whole,
                Question::Rows(codec),
                Question::Spelled(codec),
                Question::As(Codec::Kryo),
            ];
            for question in questions {
                let taken = weigh(|| {
                    ask(question, &bytes);
                });
                // Before each of these was bounded, they took hundreds of megabytes.
                assert!(taken.held <= MOST_HELD, "{name} {question:?} {taken:?}");
                assert!(taken.copied <= MOST_COPIED, "{name} {question:?} {taken:?}");
            }
            asked += 1;
        }
        assert_eq!(asked, SAID_AGAIN.len());
    };
    let thread = thread::Builder::new().stack_size(STACK).spawn(run);
    thread.unwrap().join().unwrap();
}

/// What was read, what was asked, and what that took.
type Row = (String, Question, Taken);

fn read_all(much: Much) {
    let mut rows: Vec<Row> = Vec::new();
    for (name, bytes) in megabytes(much) {
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
    if much == Much::Whole {
        show("slowest", &mut rows, |taken| taken.time.as_nanos());
        show("largest", &mut rows, |taken| taken.held.into());
    }
    let over = rows.iter().filter(|(_, _, taken)| is_over(taken)).count();
    assert_eq!(over, 0, "of {}", rows.len());
}

fn is_over(taken: &Taken) -> bool {
    // Another machine may be slower by half, and have other things to do.
    let is_quiet = std::env::var_os("QUIET_MACHINE").is_some();
    let most = if is_quiet { MOST_TIME } else { 2 * MOST_TIME };
    let is_slow = taken.time > most && !cfg!(debug_assertions);
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
