//! No bytes make a decoder panic, hang or overflow a thread's stack of 2 MB: mutations of all
//! payloads that real codecs wrote.
//!
//! A slice runs with the other tests. The whole, ten million cases:
//! `FUZZ_CASES=10000000 cargo test --release --test payloads fuzz -- --nocapture`.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use delayscope::payload::{self, Codec};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::rows::{golden, rows, unhex};

/// As large as tokio's threads have it.
const STACK: usize = 2 << 20;
/// Threads: this machine's cores.
const THREADS: u64 = 2;

/// All payloads of the fixtures.
fn vectors() -> Vec<Vec<u8>> {
    let of_libraries = rows(include_str!("../fixtures/codec-vectors.tsv")).map(|row| unhex(row[2]));
    let of_types = rows(include_str!("../fixtures/java-types.tsv")).map(|row| unhex(row[4]));
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

/// Everything that is ever asked of a payload.
fn ask(bytes: &[u8]) {
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
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            panic!("{hex}");
        }
    }
}

#[test]
fn fuzz_no_mutation_of_a_real_payload_harms() {
    let asked = std::env::var("FUZZ_CASES").ok();
    let cases: u64 = asked.map_or(3_000, |cases| cases.parse().unwrap());
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

/// Payloads that nest as deep as their size allows, refer to themselves or count too far.
fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let repeat = |part: &[u8], times: usize| part.repeat(times);
    let java = |body: &[u8], times| [b"\xac\xed\0\x05", repeat(body, times).as_slice()].concat();
    let objects = b"\x75\x72\0\x13[Ljava.lang.Object;\x90\xce\x58\x9f\x10\x73\x29\x6c\x02\0\0\x78\x70\0\0\0\x01";
    let again = b"\x75\x71\0\x7e\0\0\0\0\0\x01";
    vec![
        ("json lists", repeat(b"[", 1_000_000)),
        ("json objects", repeat(b"{\"a\":", 200_000)),
        (
            "json numbers",
            [b"[", repeat(b"1,", 500_000).as_slice(), b"1]"].concat(),
        ),
        (
            "json wide",
            [b"{", repeat(b"\"\":1,", 200_000).as_slice(), b"\"a\":1}"].concat(),
        ),
        (
            "java arrays",
            java(&[&objects[..], &repeat(again, 90_000)].concat(), 1),
        ),
        ("java nulls", java(b"\x70", 1_000_000)),
        ("java block data", java(b"\x77\0", 500_000)),
        (
            "river lists",
            [b"\x04", repeat(b"\x53\x01\x5a", 330_000).as_slice()].concat(),
        ),
        (
            "river counts",
            [
                b"\x04\x55\x7f\xff\xff\xff\x5a",
                repeat(b"\x01", 999_990).as_slice(),
            ]
            .concat(),
        ),
        (
            "river unmodifiable",
            [b"\x04", repeat(b"\x7d", 999_999).as_slice()].concat(),
        ),
        (
            "kryo optionals",
            repeat(b"\x01\0java.util.Optiona\xec", 50_000),
        ),
        (
            "kryo lists",
            [
                b"\x01\0java.util.ArrayLis\xf4\x02",
                repeat(b"\x01\0\x02", 330_000).as_slice(),
            ]
            .concat(),
        ),
        (
            "kryo unknown",
            [
                b"\x01\0com.acme.Orde\xf2",
                repeat(b"\xc8\x7f", 500_000).as_slice(),
            ]
            .concat(),
        ),
        (
            "kryo unknown text",
            [
                b"\x01\0com.acme.Orde\xf2",
                repeat(b"abcdefghijklmnopq", 58_000).as_slice(),
            ]
            .concat(),
        ),
        ("zeros", repeat(b"\0", 1_000_000)),
        ("ones", repeat(b"\xff", 1_000_000)),
        ("msgpack lists", repeat(b"\x91", 1_000_000)),
        ("cbor lists", repeat(b"\x9f", 1_000_000)),
        ("cbor tags", repeat(b"\xc1", 1_000_000)),
        (
            "smile lists",
            [b":)\n\x01", repeat(b"\xf8", 1_000_000).as_slice()].concat(),
        ),
        ("protobuf groups", repeat(b"\x0b", 1_000_000)),
        ("ion lists", repeat(b"a::[", 250_000)),
        ("fst lists", repeat(b"\0\x10\x01", 330_000)),
        ("msgpack objects", repeat(b"\x81\xa1a", 330_000)),
        ("cbor objects", repeat(b"\xbf\x61a", 330_000)),
        (
            "smile objects",
            [b":)\n\x03\xf8", repeat(b"\xfa\x80a", 330_000).as_slice()].concat(),
        ),
        ("ion annotated", repeat(b"'a.b'::[", 125_000)),
        (
            "ion binary lists",
            [
                b"\xe0\x01\0\xea",
                repeat(b"\xbe\x7f\xff", 330_000).as_slice(),
            ]
            .concat(),
        ),
        // Lengths that are texts as well.
        ("avro lengths", repeat(b"\xc3\xa0\x3f", 330_000)),
        ("protobuf lengths", repeat(b"\x0a\xc3\xa0\x3f", 250_000)),
    ]
}

#[test]
fn a_megabyte_of_hostile_bytes_is_read_on_a_small_stack() {
    let run = || {
        for (name, bytes) in hostile() {
            let started = delayscope::clock::instant();
            ask(&bytes);
            // A debug build on a busy machine, once for each codec; the benchmark measures.
            let taken = started.elapsed();
            assert!(taken.as_secs() < 30, "{name}: {taken:?}");
        }
    };
    let thread = thread::Builder::new().stack_size(STACK).spawn(run);
    thread.unwrap().join().unwrap();
}
