//! The other way: records into items and results. What makes no sense is none.

#![expect(
    clippy::option_option,
    reason = "what is read may be none, and reading may fail"
)]

use std::ops::Range;

use super::{
    BESIDE, CODE, HAS_HASH, HAS_MEMBER, HAS_NEW_MEMBER, HAS_NEW_SCORE, HAS_SCORE, INTENTS,
    PLACE_BEHIND, PLACE_BEHIND_NTH, PLACE_HEAD, PLACE_SHIFT, PLACE_TAIL, RESULTS, RecordKind,
    TO_QUARANTINE, TRIES, UNTOLD, WHOLE, form_code, outcome_code, state_code,
};
use crate::ops::journal::{Item, ItemResult, Tries};
use crate::queue::{EntryId, Form, Outcome, State};
use crate::store::change::ListPlace;

/// Reads the kind of a record's body, and of intents the first index and how many; how many of
/// others.
pub(in crate::ops::journal) fn kind(body: &[u8]) -> Option<(RecordKind, u64, u64)> {
    let mut from = Reader(body);
    match from.byte()? {
        INTENTS => Some((RecordKind::Intents, from.number()?, from.number()?)),
        RESULTS => Some((RecordKind::Results, 0, from.number()?)),
        TRIES => Some((RecordKind::Tries, 0, 0)),
        UNTOLD => Some((RecordKind::Untold, 0, from.number()?)),
        _ => None,
    }
}

/// The items of a body of intents.
pub(in crate::ops::journal) fn items(body: &[u8]) -> Option<Vec<Item>> {
    let mut from = Reader(body);
    (from.byte()? == INTENTS).then_some(())?;
    from.number()?;
    let count = from.number()?;
    (0..count).map(|_| item(&mut from)).collect()
}

fn item(from: &mut Reader) -> Option<Item> {
    let (has, more) = (from.byte()?, from.byte()?);
    let id = EntryId(from.array()?);
    let score = from.some(has & HAS_SCORE, Reader::score)?;
    let new_score = from.some(has & HAS_NEW_SCORE, Reader::score)?;
    let member = from.some(has & HAS_MEMBER, Reader::bytes)?;
    let new_member = from.some(has & HAS_NEW_MEMBER, Reader::bytes)?;
    Some(Item {
        id,
        state: state(has & CODE)?,
        score,
        member,
        new_score,
        new_member,
        form: form(more & CODE)?,
        hash: from.some(more & HAS_HASH, Reader::array)?,
        to_quarantine: more & TO_QUARANTINE != 0,
    })
}

/// Reads what a body of tries says: how items are tried, and which.
pub(in crate::ops::journal) fn tries(body: &[u8]) -> Option<(Tries, Vec<Range<u64>>)> {
    let mut from = Reader(body);
    (from.byte()? == TRIES).then_some(())?;
    let how = match from.byte()? {
        WHOLE => Tries::Whole,
        BESIDE => Tries::SomeBeside,
        _ => Tries::Some,
    };
    let count = from.number()?;
    let mut expected = 0_u64;
    let ranges = (0..count).map(|_| {
        let start = expected.wrapping_add(from.distance()?.cast_unsigned());
        expected = start.saturating_add(from.number()?);
        Some(start..expected)
    });
    Some((how, ranges.collect::<Option<_>>()?))
}

/// The results of a body of results, one after the other.
pub(in crate::ops::journal) struct Results<'a> {
    from: Reader<'a>,
    expected: u64,
    left: u64,
}

impl<'a> Results<'a> {
    /// Of that body.
    pub(in crate::ops::journal) fn of(body: &'a [u8]) -> Option<Self> {
        let mut from = Reader(body);
        (from.byte()? == RESULTS).then_some(())?;
        let left = from.number()?;
        Some(Self {
            from,
            expected: 0,
            left,
        })
    }

    fn read(&mut self) -> Option<ItemResult> {
        let distance = self.from.distance()?;
        let index = self.expected.wrapping_add(distance.cast_unsigned());
        self.expected = index.wrapping_add(1);
        let code = self.from.byte()?;
        Some(ItemResult {
            index,
            outcome: outcome(code & CODE)?,
            stood: match code >> PLACE_SHIFT {
                PLACE_HEAD => Some(ListPlace::Head),
                PLACE_BEHIND => Some(ListPlace::Behind(self.from.bytes()?)),
                PLACE_TAIL => Some(ListPlace::Tail),
                PLACE_BEHIND_NTH => {
                    let neighbour = self.from.bytes()?;
                    Some(ListPlace::BehindNth(neighbour, self.from.number()?))
                }
                _ => None,
            },
        })
    }
}

impl Iterator for Results<'_> {
    type Item = ItemResult;

    fn next(&mut self) -> Option<ItemResult> {
        self.left = self.left.checked_sub(1)?;
        self.read()
    }
}

/// The bytes that are not read yet.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn score(&mut self) -> Option<f64> {
        self.array().map(f64::from_le_bytes)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn distance(&mut self) -> Option<i64> {
        let distance = self.number()?;
        Some((distance >> 1).cast_signed() ^ -(distance & 1).cast_signed())
    }

    fn bytes(&mut self) -> Option<Vec<u8>> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes.to_vec())
    }

    /// Reads a value that is there only when its flag is set.
    fn some<T>(
        &mut self,
        flag: u8,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<Option<T>> {
        if flag == 0 {
            return Some(None);
        }
        read(self).map(Some)
    }
}

fn state(code: u8) -> Option<State> {
    let states = [
        State::Waiting,
        State::Late,
        State::Delivered,
        State::Order,
        State::Quarantined,
    ];
    states.into_iter().find(|state| state_code(*state) == code)
}

fn form(code: u8) -> Option<Option<Form>> {
    let forms = Form::ALL.into_iter().map(Some).chain([None]);
    forms.into_iter().find(|form| form_code(*form) == code)
}

fn outcome(code: u8) -> Option<Outcome> {
    let mut outcomes = Outcome::ALL.into_iter();
    outcomes.find(|outcome| outcome_code(*outcome) == code)
}
