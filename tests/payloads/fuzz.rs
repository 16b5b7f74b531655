//! No bytes make a decoder panic, hang, overflow a thread's stack of 2 MB or hold more than 16 MB:
//! mutations of all payloads that real codecs wrote, and those payloads repeated to a megabyte.
//!
//! A slice runs with the other tests. The whole, ten million cases:
//! `FUZZ_CASES=10000000 cargo test --release --test payloads fuzz -- --nocapture`.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use allocation_counter::measure;
use delayscope::payload::{self, Codec};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::hostile::hostile;
use super::rows::{golden, rows, unhex};

/// As large as tokio's threads have it.
const STACK: usize = 2 << 20;
/// Threads: this machine's cores.
const THREADS: u64 = 2;

/// All payloads of the fixtures.
fn vectors() -> Vec<Vec<u8>> {
    let of_libraries = rows(include_str!("../fixtures/codec-vectors.tsv")).map(|row| unhex(row[2]));
    let of_types = rows(include_str!("../fixtures/java-types.tsv"))
        .chain(rows(include_str!("../fixtures/java-values.tsv")))
        .map(|row| unhex(row[4]));
    let of_redisson = golden().into_iter().map(|row| row.payload);
    let all: BTreeSet<Vec<u8>> = of_libraries.chain(of_types).chain(of_redisson).collect();
    all.into_iter().collect()
}

/// What is done to a payload, at a place that is counted from 0 to the whole of it.
#[derive(Clone, Debug)]
enum Change {
    Set(u8),
    Insert(Vec<u8>),
    Remove(usize),
    Repeat(usize, usize),
    CutAfter,
    Append(Vec<u8>),
}

fn change(vectors: &'static [Vec<u8>]) -> impl Strategy<Value = Change> {
    let edges = prop::sample::select(b"\x00\x01\x02\x7f\x80\x81\xfe\xff\x70\x71\x7e".to_vec());
    prop_oneof![
        3 => any::<u8>().prop_map(Change::Set),
        3 => edges.prop_map(Change::Set),
        1 => prop::collection::vec(any::<u8>(), 1..8).prop_map(Change::Insert),
        1 => prop::sample::select(vec![vec![0xff; 4], vec![0x7f, 0xff, 0xff, 0xff]]).prop_map(Change::Insert),
        1 => (1_usize..16).prop_map(Change::Remove),
        1 => (1_usize..16, 1_usize..200).prop_map(|(length, times)| Change::Repeat(length, times)),
        1 => Just(Change::CutAfter),
        1 => prop::sample::select(vectors).prop_map(Change::Append),
    ]
}

fn apply(bytes: &mut Vec<u8>, place: prop::sample::Index, change: Change) {
    if bytes.is_empty() {
        bytes.push(0);
    }
    let at = place.index(bytes.len());
    match change {
        Change::Set(byte) => bytes[at] = byte,
        Change::Insert(new) => drop(bytes.splice(at..at, new)),
        Change::Remove(length) => {
            let end = bytes.len().min(at + length);
            drop(bytes.drain(at..end));
        }
        Change::Repeat(length, times) => {
            let end = bytes.len().min(at + length);
            let part = bytes[at..end].repeat(times);
            drop(bytes.splice(at..at, part));
        }
        Change::CutAfter => bytes.truncate(at),
        Change::Append(other) => {
            bytes.truncate(at);
            bytes.extend_from_slice(&other);
        }
    }
}

fn case(vectors: &'static [Vec<u8>]) -> impl Strategy<Value = Vec<u8>> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), change(vectors)), 0..4);
    (prop::sample::select(vectors), changes).prop_map(|(mut bytes, changes)| {
        for (place, change) in changes {
            apply(&mut bytes, place, change);
        }
        bytes
    })
}

/// Bytes that reading a payload of a megabyte may hold at a time.
const MOST_HELD: u64 = 16 << 20;

/// Everything that is ever asked of a payload.
fn ask(bytes: &[u8]) {
    let held = measure(|| ask_all(bytes)).bytes_max;
    assert!(held <= MOST_HELD, "{held} bytes for {}", bytes.len());
}

fn ask_all(bytes: &[u8]) {
    let read = payload::decode(bytes);
    assert!(!read.text.contains(char::is_control), "{:?}", read.text);
    let (codec, _) = payload::whole(bytes);
    assert_eq!(codec, read.codec);
    for codec in Codec::ALL {
        if let Some(read) = payload::read(bytes, Some(codec)) {
            let length = read.unpacked.as_ref().map_or(bytes.len(), Vec::len);
            inside(&read.tree, length);
        }
    }
}

/// Every node means bytes that there are.
fn inside(node: &payload::Node, length: usize) {
    assert!(node.span.start <= node.span.end, "{node:?}");
    assert!(node.span.end as usize <= length, "{node:?}");
    for child in node.children() {
        inside(child, length);
    }
}

/// A payload behind itself, again and again: all that follows the first is nested in it or wrong.
fn of_a_megabyte(payload: &[u8]) -> Vec<u8> {
    payload.repeat((1 << 20) / payload.len().max(1))
}

fn fuzz(seed: u64, cases: u64) {
    let vectors: &'static [Vec<u8>] = vectors().leak();
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = case(vectors);
    for _ in 0..cases {
        let bytes = strategy.new_tree(&mut runner).unwrap().current();
        if catch_unwind(AssertUnwindSafe(|| ask(&bytes))).is_err() {
            let mut hex = String::new();
            for byte in bytes {
                write!(hex, "{byte:02x}").unwrap();
            }
            panic!("{hex}");
        }
    }
}

#[test]
fn fuzz_no_mutation_of_a_real_payload_harms() {
    let asked = std::env::var("FUZZ_CASES").ok();
    let cases: u64 = asked.map_or(500, |cases| cases.parse().unwrap());
    let seed = std::env::var("FUZZ_SEED").map_or(20_261_121, |seed| seed.parse().unwrap());
    let work = |thread| {
        let run = move || fuzz(seed + thread, cases / THREADS);
        thread::Builder::new().stack_size(STACK).spawn(run).unwrap()
    };
    let threads: Vec<_> = (0..THREADS).map(work).collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn a_megabyte_of_hostile_bytes_is_read_on_a_small_stack_in_little_memory() {
    let run = || {
        let is_whole = std::env::var("FUZZ_CASES").is_ok();
        let grown = vectors()
            .into_iter()
            .step_by(if is_whole { 20 } else { 2000 });
        let grown = grown.map(|bytes| ("a payload again and again", of_a_megabyte(&bytes)));
        for (name, mut bytes) in hostile().into_iter().chain(grown) {
            // A debug build reads a megabyte as each of the codecs in seconds.
            bytes.truncate(if is_whole { usize::MAX } else { 10_000 });
            let started = super::worked();
            ask(&bytes);
            // What a table and a tree show.
            let said = || drop(payload::read(&bytes, None).map(|read| read.tree.json()));
            let held = measure(said).bytes_max;
            assert!(held <= MOST_HELD, "{name}: {held}");
            // A debug build; the benchmark measures.
            let taken = super::worked().saturating_sub(started);
            assert!(taken.as_secs() < 30, "{name}: {taken:?}");
        }
    };
    let thread = thread::Builder::new().stack_size(STACK).spawn(run);
    thread.unwrap().join().unwrap();
}
