//! Bytes that several codecs can have written: a text stays a text, of numbers the likelier is
//! shown, that it could be another's is said, and the queue's other payloads settle it.
//!
//! Some thousand texts are tried; with `LONG=1` it is 400,000.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::ops::Range;

use delayscope::payload::{self, Certainty, Codec, DecodedPayload, Habit};
use serde_json::{Value, json};

use crate::rows::unhex;

/// The codecs whose payloads are text.
pub(super) const TEXTS: [Codec; 5] = [
    Codec::Text,
    Codec::Json,
    Codec::Json3,
    Codec::TypedJson,
    Codec::Ion,
];

/// A control character that is not white space.
pub(super) fn is_binary(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r')
}

/// Numbers by chance, the same each time.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: u32) -> u32 {
        u32::try_from(self.next() % u64::from(end)).unwrap()
    }

    fn char(&mut self, kind: usize) -> char {
        const RANGES: [Range<u32>; 9] = [
            0..0x11_0000,
            0x20..0x7f,
            0xa0..0x250,
            0x400..0x500,
            0x4e00..0x9fff,
            0x1_f300..0x1_f600,
            0x20..0x40,
            0..0x3000,
            0x60..0x7b,
        ];
        let range = &RANGES[kind % RANGES.len()];
        loop {
            let c = char::from_u32(range.start + self.below(range.end - range.start));
            if let Some(c) = c.filter(|c| !is_binary(*c)) {
                return c;
            }
        }
    }

    /// One to three characters as often as many, with white space in front as often as not.
    fn text(&mut self, kind: usize) -> String {
        let blank = ["", "", "", "\t", "\n", "\r"][kind / 9 % 6];
        let most = [3, 10, 40, 200][kind / 54 % 4];
        let rest = (0..=self.below(most)).map(|_| self.char(kind));
        blank.chars().chain(rest).collect()
    }
}

#[test]
fn no_text_is_taken_for_a_binary_codec() {
    let most = if std::env::var("LONG").is_ok() {
        400_000
    } else {
        8000
    };
    let mut chance = Chance(0x1234_5678_8765_4321);
    let mut open = 0;
    for kind in 0..most {
        let text = chance.text(kind);
        let read = payload::decode(text.as_bytes());
        let said = format!("{text:?} is {}: {}", read.codec, read.text);
        assert!(TEXTS.contains(&read.codec), "{said}");
        open += usize::from(read.sure < Certainty::Exact);
    }
    // Some are also another's: a tab and a letter, a letter that is the length of what follows.
    assert!(open > most / 1000 && open < most / 5, "{open} of {most}");
}

#[test]
fn a_queue_of_texts_stays_one_whatever_they_begin_with() {
    for kind in [3 * 9 + 1, 4 * 9 + 1, 5 * 9 + 6, 1, 6, 8, 27 + 54, 0] {
        let mut chance = Chance(99 + kind as u64);
        let texts: Vec<String> = (0..50).map(|_| chance.text(kind)).collect();
        let habit = Habit::default().after(texts.iter().map(String::as_bytes));
        for text in &texts {
            let read = habit.decode(text.as_bytes());
            assert!(TEXTS.contains(&read.codec), "{text:?} is {}", read.codec);
        }
    }
    let indented: Vec<String> = (0..50).map(|n| format!("\t{n}")).collect();
    let habit = Habit::default().after(indented.iter().map(String::as_bytes));
    assert_eq!(habit.decode(b"\t7").value, json!("\t7"));
}

#[test]
fn what_is_a_text_and_a_number_says_both() {
    let both = [
        ("094c", "kryo5"),
        ("0a3333333333337140", "kryo5"),
        ("37", "msgpack"),
        ("6568656c6c6f", "cbor"),
        (
            "781c7b226f726465724964223a34322c227374617465223a224e4557227d",
            "",
        ),
    ];
    for (hex, other) in both {
        let read = payload::decode(&unhex(hex));
        assert!(read.why.contains(other), "{hex}: {}", read.why);
        assert_eq!(read.sure < Certainty::Exact, !other.is_empty(), "{hex}");
    }
}

/// Doubles as Kryo writes them: 5 with the lowest byte first, 3 and 4 with the highest.
fn kryo(double: f64, codec: Codec) -> Vec<u8> {
    let mut bytes = double.to_be_bytes();
    if codec == Codec::Kryo5 {
        bytes.reverse();
    }
    [&[0x0a], &bytes[..]].concat()
}

/// The payloads as their queue reads them.
fn in_queue(payloads: &[Vec<u8>]) -> Vec<DecodedPayload> {
    let habit = Habit::default().after(payloads.iter().map(Vec::as_slice));
    let read = payloads.iter().map(|payload| habit.decode(payload));
    read.collect()
}

fn doubles(of: impl Fn(&mut Chance) -> f64) -> Vec<f64> {
    let mut chance = Chance(4711);
    (0..2000).map(|_| of(&mut chance)).collect()
}

#[test]
fn doubles_are_read_in_the_order_of_bytes_that_makes_sense_of_the_queue() {
    let part = |chance: &mut Chance| f64::from(chance.below(u32::MAX)) / f64::from(u32::MAX);
    let kinds = [
        doubles(|chance| f64::from(chance.below(100_000)) / 100.0),
        doubles(|chance| f64::from(chance.below(10_000)) / 10.0),
        doubles(|chance| 1.7e12 + f64::from(chance.below(u32::MAX))),
        doubles(|chance| (1.0 + part(chance)) * 10_f64.powi(chance.below(30).cast_signed() + 10)),
        doubles(|chance| 10_f64.powi(chance.below(30).cast_signed() + 10)),
        doubles(part),
    ];
    for (kind, doubles) in kinds.iter().enumerate() {
        for codec in [Codec::Kryo5, Codec::Kryo] {
            let payloads: Vec<_> = doubles.iter().map(|d| kryo(*d, codec)).collect();
            for (read, double) in in_queue(&payloads).iter().zip(doubles) {
                let said = read.value.as_f64();
                assert_eq!((read.codec, said), (codec, Some(*double)), "kind {kind}");
            }
            // Alone, none is said for certain to be what it is not.
            for (payload, double) in payloads.iter().zip(doubles) {
                let read = payload::decode(payload);
                let is_right = read.value.as_f64() == Some(*double);
                assert!(
                    is_right || read.sure < Certainty::Exact,
                    "{double}: {read:?}"
                );
            }
        }
    }
}

#[test]
fn a_large_double_is_no_older_kryos_odd_one() {
    let read = payload::decode(&unhex("0a408cb5781daf1544"));
    assert_eq!(
        (read.codec, read.value.as_f64()),
        (Codec::Kryo5, Some(1e20))
    );
    let largest = payload::decode(&kryo(f64::MAX, Codec::Kryo5));
    assert_eq!(largest.value.as_f64(), Some(f64::MAX));
}

#[test]
fn a_queue_of_small_numbers_is_its_codecs_although_none_is_by_itself() {
    let numbers = |first: u8| (0..40_u8).map(move |n| vec![first | 3, n, n + 1, n / 2]);
    for (lists, codec) in [(0x90, Codec::MsgPack), (0x80, Codec::Cbor3)] {
        let payloads: Vec<_> = numbers(lists).filter(|list| list[2] < 0x18).collect();
        let read = in_queue(&payloads);
        let said = |list: &[u8]| json!(&list[1..]);
        for (read, list) in read.iter().zip(&payloads) {
            assert_eq!((read.codec, &read.value), (codec, &said(list)));
        }
    }
    let longs: Vec<_> = (0..50_u8).map(|n| vec![0x09, 2 * n]).collect();
    for (read, n) in in_queue(&longs).iter().zip(0..) {
        assert_eq!((read.codec, &read.value), (Codec::Kryo5, &json!(n)));
    }
}

#[test]
fn what_no_codec_is_sure_of_is_the_likeliest_and_says_so() {
    let read = payload::decode(&unhex("93010203"));
    assert_eq!((read.codec, read.value), (Codec::MsgPack, json!([1, 2, 3])));
    assert_eq!(read.sure, Certainty::Unlikely);
    let empty = payload::decode(&unhex("02ffd001"));
    assert_eq!((empty.codec, empty.value), (Codec::Fury, json!([])));
    assert!(empty.why.contains("kryo5"), "{}", empty.why);
    let zero = payload::decode(&[0]);
    assert_eq!((zero.codec, zero.value), (Codec::Kryo5, Value::Null));
    assert!(zero.why.contains("msgpack, cbor"), "{}", zero.why);
    // The same bytes again and again say no more than once.
    let zeros = in_queue(&vec![vec![0]; 50]);
    assert!(zeros.iter().all(|read| read.sure == Certainty::Plausible));
    for noise in ["01", "81921384fe01", "f3a90c5511d2837e", "0080ff7f"] {
        assert_eq!(payload::decode(&unhex(noise)).codec, Codec::Unknown);
    }
}

#[test]
fn what_is_packed_around_something_unknown_is_shown_as_its_bytes() {
    let inner = b"\x80\xf5\x88\x11\x93\xfeorder 4711\x93\xfe";
    let block = lz4_flex::block::compress(inner);
    let payload = [&18_u32.to_be_bytes()[..], &block].concat();
    let said = json!({"@fields": [{"bytes": "80f5881193fe"}, "order 4711", {"bytes": "93fe"}]});
    for read in [
        payload::read(&payload, None),
        payload::read(&payload, Some(Codec::Lz4)),
    ] {
        let read = read.unwrap();
        assert_eq!((read.codec, read.inner), (Codec::Lz4, Some(Codec::Unknown)));
        assert_eq!(read.unpacked.as_deref(), Some(inner.as_slice()));
        assert_eq!(read.tree.json(), said);
        assert!(read.why.contains("18 bytes"), "{}", read.why);
    }
    let noise = payload::decode_as(Codec::Lz4, &unhex("0000000880f5881193fe010203")).unwrap();
    assert_eq!(noise.value, json!({"bytes": "f5881193fe010203"}));
}

#[test]
fn what_is_packed_is_read_as_what_others_of_the_queue_have_packed() {
    let packed = (0..50_u8).map(|n| {
        let long = [0x09, 2 * n];
        [&2_u32.to_be_bytes()[..], &lz4_flex::block::compress(&long)].concat()
    });
    for (read, n) in in_queue(&packed.collect::<Vec<_>>()).iter().zip(0..) {
        assert_eq!((read.codec, &read.value), (Codec::Lz4, &json!(n)));
    }
}

/// The size of a megabyte begins as an object of FST's does, of a class by its number.
#[test]
fn a_packed_megabyte_of_what_no_codec_is_sure_of_is_no_object_of_fsts() {
    let mut inner = b"coloured \x1b[31m".repeat(80_000);
    inner.truncate(1 << 20);
    for inner in [inner, vec![0xfb; 1 << 20]] {
        let size = u32::try_from(inner.len()).unwrap().to_be_bytes();
        let payload = [&size[..], &lz4_flex::block::compress(&inner)].concat();
        assert!(payload::readable_as(&payload).contains(&Codec::Fst));
        assert_eq!(payload::decode(&payload).codec, Codec::Lz4);
    }
}
