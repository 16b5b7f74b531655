//! The file of a change's entries, and how it is torn without harm.
//!
//! Eight bytes say what it is; then records, each its length (u32), the first four bytes of its
//! body's SHA-1, and the body: intended items, which of them the next script tries, or what became of
//! some. A record that is cut off at the end is none, since nothing was done before its record was
//! written; one amid others that does not hold its checksum is damaged, and passed over.
//! Numbers are little-endian or base 128 (seven bits a byte, the lowest first).

mod read;

use std::ops::Range;

use sha1::{Digest as _, Sha1};

use crate::ops::journal::{Item, ItemResult, Tries};
use crate::queue::{Form, Outcome, State};
use crate::store::change::ListPlace;

pub(super) use read::{Results, items, kind, tries};

/// The beginning of the file; the last byte is the version of the format.
pub(super) const MAGIC: [u8; 8] = *b"dlyscop\x01";
/// Length and checksum, before each body.
pub(super) const HEAD: usize = 8;

/// The kind of what a record holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum RecordKind {
    /// Items that are about to be tried.
    Intents,
    /// The results of items.
    Results,
    /// The items that the next script tries. Where no such record is, everything may have been
    /// tried: earlier versions wrote none, and pass these over.
    Tries,
    /// Number of entries that the next script may move and chooses itself.
    Untold,
}

const INTENTS: u8 = 1;
const RESULTS: u8 = 2;
const TRIES: u8 = 3;
/// The codes of [`Tries::SomeBeside`] and [`Tries::Whole`]; that of [`Tries::Some`] is 0.
const BESIDE: u8 = 1;
const WHOLE: u8 = 2;
const UNTOLD: u8 = 4;

/// A record holds about so many items and bytes at most, so that reading takes little memory.
const MOST_ITEMS: usize = 1_000;
const MOST_BYTES: usize = 1 << 20;

const HAS_SCORE: u8 = 1 << 3;
const HAS_MEMBER: u8 = 1 << 4;
const HAS_NEW_SCORE: u8 = 1 << 5;
const HAS_NEW_MEMBER: u8 = 1 << 6;
const HAS_HASH: u8 = 1 << 3;
const TO_QUARANTINE: u8 = 1 << 4;
/// The low three bits of a byte: a state, a form or an outcome.
const CODE: u8 = 7;
/// The number of bits by which the place stands above the outcome, and its codes.
const PLACE_SHIFT: u8 = 3;
const PLACE_HEAD: u8 = 1;
const PLACE_BEHIND: u8 = 2;
const PLACE_TAIL: u8 = 3;
const PLACE_BEHIND_NTH: u8 = 4;

/// Appends records of items, of which the first is the `first` of the change.
pub(super) fn put_intents(out: &mut Vec<u8>, mut first: u64, items: &[Item]) {
    let mut left = items;
    while !left.is_empty() {
        let begin = begin_record(out, INTENTS);
        let count = fitting(left);
        let (now, rest) = left.split_at(count);
        put_number(out, first);
        put_number(out, count as u64);
        for item in now {
            put_item(out, item);
        }
        end_record(out, begin);
        first += count as u64;
        left = rest;
    }
}

/// Appends a record of what became of items.
pub(super) fn put_results(out: &mut Vec<u8>, results: &[ItemResult]) {
    for results in results.chunks(MOST_ITEMS) {
        let begin = begin_record(out, RESULTS);
        put_number(out, results.len() as u64);
        // Most follow each other: only the distance is written.
        let mut expected = 0_u64;
        for result in results {
            put_distance(out, result.index.wrapping_sub(expected).cast_signed());
            expected = result.index.wrapping_add(1);
            let place = match &result.stood {
                None => 0,
                Some(ListPlace::Head) => PLACE_HEAD,
                Some(ListPlace::Behind(_)) => PLACE_BEHIND,
                Some(ListPlace::BehindNth(..)) => PLACE_BEHIND_NTH,
                Some(ListPlace::Tail) => PLACE_TAIL,
            };
            out.push(outcome_code(result.outcome) | place << PLACE_SHIFT);
            match &result.stood {
                Some(ListPlace::Behind(neighbour)) => put_bytes(out, neighbour),
                Some(ListPlace::BehindNth(neighbour, n)) => {
                    put_bytes(out, neighbour);
                    put_number(out, *n);
                }
                Some(ListPlace::Head | ListPlace::Tail) | None => {}
            }
        }
        end_record(out, begin);
    }
}

/// Appends a record of what the next script tries.
pub(super) fn put_tries(out: &mut Vec<u8>, items: &[Range<u64>], how: Tries) {
    let begin = begin_record(out, TRIES);
    out.push(match how {
        Tries::Some => 0,
        Tries::SomeBeside => BESIDE,
        Tries::Whole => WHOLE,
    });
    put_number(out, items.len() as u64);
    let mut expected = 0_u64;
    for some in items {
        put_distance(out, some.start.wrapping_sub(expected).cast_signed());
        put_number(out, some.end.saturating_sub(some.start));
        expected = some.end;
    }
    end_record(out, begin);
}

/// Appends that up to so many entries may have been moved that no item tells of.
pub(super) fn put_untold(out: &mut Vec<u8>, most: u64) {
    let begin = begin_record(out, UNTOLD);
    put_number(out, most);
    end_record(out, begin);
}

/// Counts the items, from the first one on, that go into one record.
fn fitting(items: &[Item]) -> usize {
    let mut bytes = 0;
    let size = |item: &Item| {
        let length = |bytes: &Option<Vec<u8>>| bytes.as_ref().map_or(0, Vec::len);
        length(&item.member) + length(&item.new_member)
    };
    let fits = items.iter().take(MOST_ITEMS).take_while(|item| {
        let before = bytes;
        bytes += size(item);
        before < MOST_BYTES
    });
    fits.count()
}

fn put_item(out: &mut Vec<u8>, item: &Item) {
    let flag = |is_there: bool, flag: u8| if is_there { flag } else { 0 };
    out.push(
        state_code(item.state)
            | flag(item.score.is_some(), HAS_SCORE)
            | flag(item.member.is_some(), HAS_MEMBER)
            | flag(item.new_score.is_some(), HAS_NEW_SCORE)
            | flag(item.new_member.is_some(), HAS_NEW_MEMBER),
    );
    out.push(
        form_code(item.form)
            | flag(item.hash.is_some(), HAS_HASH)
            | flag(item.to_quarantine, TO_QUARANTINE),
    );
    out.extend(item.id.0);
    for score in [item.score, item.new_score].into_iter().flatten() {
        out.extend(score.to_le_bytes());
    }
    for member in [&item.member, &item.new_member].into_iter().flatten() {
        put_bytes(out, member);
    }
    out.extend(item.hash.iter().flatten());
}

/// Leaves room for length and checksum.
fn begin_record(out: &mut Vec<u8>, kind: u8) -> usize {
    let begin = out.len();
    out.extend([0; HEAD]);
    out.push(kind);
    begin
}

fn end_record(out: &mut [u8], begin: usize) {
    let (head, body) = out[begin..].split_at_mut(HEAD);
    // Members are at most 512 MB in Redis, and a record ends after the first large one.
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
    head[..4].copy_from_slice(&length.to_le_bytes());
    head[4..].copy_from_slice(&check(body));
}

/// Tells whether a body may begin with this byte.
pub(super) const fn is_kind(byte: u8) -> bool {
    matches!(byte, INTENTS | RESULTS | TRIES | UNTOLD)
}

/// Returns the checksum that tells a whole body from a torn one.
pub(super) fn check(body: &[u8]) -> [u8; 4] {
    let [a, b, c, d, ..]: [u8; 20] = Sha1::digest(body).into();
    [a, b, c, d]
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn put_distance(out: &mut Vec<u8>, distance: i64) {
    put_number(out, (distance << 1 ^ distance >> 63).cast_unsigned());
}

fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

// What stands on disk stays what it is, however the enums are put in order.

const fn state_code(state: State) -> u8 {
    match state {
        State::Waiting => 0,
        State::Late => 1,
        State::Delivered => 2,
        State::Order => 3,
        State::Quarantined => 4,
    }
}

const fn form_code(form: Option<Form>) -> u8 {
    match form {
        None => 0,
        Some(form) => form.code(),
    }
}

const fn outcome_code(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Done => 0,
        Outcome::Gone => 1,
        Outcome::Changed => 2,
        Outcome::Undecodable => 3,
        Outcome::Refused => 4,
        Outcome::Unknown => 5,
        Outcome::Left => 6,
    }
}
