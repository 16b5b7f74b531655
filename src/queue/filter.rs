//! Filters for the entries that somebody wants to see, as they typed it: the screen's `/`,
//! `--grep`, `search`.
//!
//! Terms stand between spaces and all of them must hold ([`GRAMMAR`]). A filter is parsed once and
//! asked a million times, so everything that can be compiled is. The time that it takes is linear
//! in the text, whatever the pattern; patterns look at the first 256 kB of a text.

mod bad;
mod parse;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use regex::Regex;

use super::entry::{Due, EntryId};
use super::text;
use crate::clock::EpochMillis;
use crate::clock::when::TypedMoment;

pub use bad::{BadFilter, FilterMistake};

/// The forms of a filter, each with its meaning: for help and for hints.
pub const GRAMMAR: [(&str, &str); 7] = [
    ("word", "in the id or the text, in any case"),
    ("\"two words\"", "the same, with spaces or a word like late"),
    ("late", "due time has passed"),
    ("due<14:10 due>+1h", "due before, after; also <= and >="),
    ("id:9f3c", "ids that begin so"),
    ("codec:kryo5", "payloads of that codec"),
    ("re:/ord(er)?/", "a regular expression; re:/…/i in any case"),
];

/// The progress of a search, in entries.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct SearchProgress {
    /// Looked at so far.
    pub looked: u64,
    /// To be looked at: how many there were when it began, never fewer than `looked`.
    pub of: u64,
    /// Found so far.
    pub matched: u64,
}

/// A filter that says which entries are wanted. Equal when their texts are.
#[derive(Clone, Default)]
pub struct Filter {
    text: String,
    terms: Vec<Term>,
    /// Of it and of all its clones.
    cut_short: Arc<AtomicU64>,
}

/// The parts of an entry that a filter looks at.
#[derive(Clone, Copy, Debug)]
pub struct EntryParts<'a> {
    /// Its id.
    pub id: EntryId,
    /// Its due time; none for what is delivered.
    pub due: Option<Due>,
    /// The name of its payload's codec; `unknown` of a member that is no frame.
    pub codec: &'a str,
    /// The whole decoded text of its payload; of a member that is no frame, that of all its bytes.
    pub text: &'a str,
}

/// The due times that a filter leaves.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Bounds {
    /// Due at this moment or later.
    pub from: Option<EpochMillis>,
    /// Due before this moment.
    pub before: Option<EpochMillis>,
}

#[derive(Clone)]
enum Term {
    Word {
        find: Regex,
        /// Its bytes.
        length: usize,
        /// The longest pieces of it that no [separator](crate::payload::SEPARATORS) divides.
        pieces: Vec<Regex>,
        /// The word itself, in lower case, when it can stand in an id.
        in_id: Option<String>,
    },
    Pattern {
        find: Regex,
        /// The number of its characters, once its repetitions are written out.
        length: u32,
    },
    Late,
    Due(Side, TypedMoment),
    /// In lower case.
    Id(String),
    Codec(String),
}

/// A side of a moment.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Side {
    Before,
    UpTo,
    From,
    After,
}

impl Filter {
    /// Reads a filter as it is typed; white space alone is the empty filter, for which all
    /// entries match.
    pub fn parse(text: &str) -> Result<Self, BadFilter> {
        Ok(Self {
            text: text.to_owned(),
            terms: parse::terms(text)?,
            cut_short: Arc::default(),
        })
    }

    /// The text that it was parsed from.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns how often a pattern did not find anything in the part of a long text that it looks
    /// at: what it would have found in the rest, nobody knows.
    #[must_use]
    pub fn cut_short(&self) -> u64 {
        self.cut_short.load(Ordering::Relaxed)
    }

    /// The same in words, where it happened.
    #[must_use]
    pub fn unlooked(&self) -> Option<String> {
        let n = self.cut_short();
        (n > 0).then(|| {
            format!(
                "of {} only the first 256 kB were looked at by the pattern",
                text::counted(n, "large value", "large values")
            )
        })
    }

    /// Tells whether it lets everything through.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Tells whether it asks for a due time, which what is delivered has no more.
    #[must_use]
    pub fn asks_due(&self) -> bool {
        let due = |term: &Term| matches!(term, Term::Late | Term::Due(..));
        self.terms.iter().any(due)
    }

    /// Tells whether codec or text are looked at, so whether the payload must be decoded.
    #[must_use]
    pub fn needs_payload(&self) -> bool {
        self.terms.iter().any(|term| {
            matches!(
                term,
                Term::Word { .. } | Term::Pattern { .. } | Term::Codec(_)
            )
        })
    }

    /// Estimates how many ns it takes at most to look through a text of so many bytes: for whoever
    /// must not be kept waiting. Nearly all filters are a hundred times as fast.
    #[must_use]
    pub fn cost_ns(&self, bytes: usize) -> u64 {
        if !self.needs_payload() {
            return 0;
        }
        let each = |term: &Term| match term {
            Term::Word { length, .. } => 10 + *length as u64 / 2,
            // Where nothing makes it fast, each byte is held against each character.
            Term::Pattern { length, .. } => 10 + u64::from(*length) * 8,
            _ => 0,
        };
        // The text has to be written out first.
        (10 + self.terms.iter().map(each).sum::<u64>()).saturating_mul(bytes as u64)
    }

    /// The due times that it leaves when it is `now`, by the server's clock. A time of day is the
    /// nearest one.
    #[must_use]
    pub fn bounds(&self, now: EpochMillis) -> Bounds {
        let mut bounds = Bounds::default();
        for term in &self.terms {
            let (side, moment) = match term {
                Term::Late => (Side::UpTo, now),
                Term::Due(side, when) => (*side, when.nearest(now)),
                _ => continue,
            };
            match side {
                Side::Before => bounds.end(moment),
                Side::UpTo => bounds.end(moment.plus(1)),
                Side::From => bounds.begin(moment),
                Side::After => bounds.begin(moment.plus(1)),
            }
        }
        bounds
    }

    /// Tells whether the entry is wanted when it is `now`, by the server's clock.
    #[must_use]
    pub fn matches(&self, seen: &EntryParts<'_>, now: EpochMillis) -> bool {
        self.bounds(now).hold(seen.due) && self.finds(seen)
    }

    /// [`matches`](Self::matches) but for the due time: for who has asked for the
    /// [`bounds`](Self::bounds) once and looks at many entries.
    #[must_use]
    pub fn finds(&self, seen: &EntryParts<'_>) -> bool {
        self.terms.iter().all(|term| match term {
            Term::Word { find, in_id, .. } => {
                find.is_match(seen.text) || stands_in(in_id.as_ref(), seen.id)
            }
            Term::Pattern { find, .. } => {
                let part = parse::searched(seen.text);
                let found = find.is_match(part);
                if !found && part.len() < seen.text.len() {
                    self.cut_short.fetch_add(1, Ordering::Relaxed);
                }
                found
            }
            Term::Id(start) => seen.id.hex().starts_with(start.as_bytes()),
            Term::Codec(start) => seen.codec.starts_with(start),
            Term::Late | Term::Due(..) => true,
        })
    }

    /// Tells whether [`finds`](Self::finds) can be true of an entry with that id and a payload of
    /// which only this is known: each run of characters without one of [`SEPARATORS`](crate::payload::SEPARATORS) in its
    /// decoded text stands in `raw` too, save for the case of letters. False says that it is not;
    /// true says nothing.
    #[must_use]
    pub fn may_find(&self, id: EntryId, raw: &str) -> bool {
        self.terms.iter().all(|term| match term {
            Term::Word { pieces, in_id, .. } => {
                let in_raw = pieces.iter().all(|piece| piece.is_match(raw));
                in_raw || stands_in(in_id.as_ref(), id)
            }
            Term::Id(start) => id.hex().starts_with(start.as_bytes()),
            Term::Pattern { .. } | Term::Codec(_) | Term::Late | Term::Due(..) => true,
        })
    }

    /// Finds the bytes of a shown text that made it match: in order, none touching the next. To be
    /// marked in a table.
    #[must_use]
    pub fn found_in(&self, text: &str) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for term in &self.terms {
            match term {
                Term::Word { find, .. } => found.extend(find.find_iter(text).map(|m| m.range())),
                Term::Pattern { find, .. } => {
                    let places = find.find_iter(parse::searched(text)).map(|m| m.range());
                    found.extend(places.filter(|place| !place.is_empty()));
                }
                _ => {}
            }
        }
        joined(found)
    }

    /// The same in an id of 16 hex digits.
    #[must_use]
    pub fn found_in_id(&self, id: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        for term in &self.terms {
            match term {
                Term::Id(start) if id.starts_with(start) => found.push(0..start.len()),
                Term::Word {
                    in_id: Some(word), ..
                } => found.extend(id.match_indices(word).map(|(at, word)| at..at + word.len())),
                _ => {}
            }
        }
        joined(found)
    }
}

/// Tells whether a word of hex digits stands in an id.
fn stands_in(word: Option<&String>, id: EntryId) -> bool {
    let hex = id.hex();
    word.is_some_and(|word| hex.windows(word.len()).any(|part| part == word.as_bytes()))
}

/// In order, and as one where they touch.
fn joined(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

impl Bounds {
    /// Tells whether a due time lies inside; one that there is not, or that is no time, only when
    /// nothing is asked.
    #[must_use]
    pub fn hold(&self, due: Option<Due>) -> bool {
        if *self == Self::default() {
            return true;
        }
        due.and_then(Due::at).is_some_and(|due| {
            self.from.is_none_or(|from| due >= from) && self.before.is_none_or(|end| due < end)
        })
    }

    /// Both must hold.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        other.from.into_iter().for_each(|from| self.begin(from));
        other.before.into_iter().for_each(|end| self.end(end));
        self
    }

    fn begin(&mut self, from: EpochMillis) {
        self.from = self.from.max(Some(from));
    }

    fn end(&mut self, before: EpochMillis) {
        self.before = Some(self.before.map_or(before, |known| known.min(before)));
    }
}

impl PartialEq for Filter {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Filter {}

impl fmt::Debug for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Filter").field(&self.text).finish()
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests;
