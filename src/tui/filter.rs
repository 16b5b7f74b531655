//! A filter over the entries, and what it has found so far.

pub mod queries;
pub mod run;
pub mod update;
pub mod view;

use std::borrow::Cow;
use std::time::Instant;

use serde_json::Value;

use crate::clock::EpochMillis;
use crate::payload::{Codec, Habit};
use crate::queue::{EntryParts, Filter, Queue, text};
use crate::tui::entries::{Entries, EntryRow};
use crate::tui::tabs::Tab;

/// Members with the scores they have; none: it is gone.
pub type Scores = Vec<(Vec<u8>, Option<f64>)>;

/// The progress of a search, and scores that were read.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// A search went on.
    Hits {
        /// As in the effect that asked for it.
        generation: u64,
        /// Entries found since the last message: member, and score where there is one. Those beyond
        /// the first [`HITS_KEPT`] are only counted.
        hits: Scores,
        /// Number of entries found in all.
        found: u64,
        /// Entries looked through.
        looked: u64,
        /// Entries there are.
        of: u64,
    },
    /// A search is through.
    Searched {
        /// As in the effect that asked for it.
        generation: u64,
        /// Or why it could not go on.
        result: Result<(), String>,
    },
    /// Scores were read: of each member the one it has, none when it is gone.
    ScoresChecked {
        /// As in the effect that asked for it.
        generation: u64,
        /// The queue that the members are of.
        queue: Queue,
        /// The scores, or why they could not be read.
        result: Result<Scores, String>,
    },
}

/// Requests to search a queue, and to read scores.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Look through a queue for the entries that a filter matches.
    Search {
        /// A later request makes answers with an earlier generation void.
        generation: u64,
        /// The queue to look through.
        queue: Queue,
        /// The filter that the entries have to match.
        filter: Filter,
        /// The codecs by which its payloads are read.
        habit: Habit,
        /// The tab to look in: what waits, what was delivered, or the order list.
        tab: Tab,
    },
    /// The search under way is no longer wanted.
    EndSearch,
    /// Read the scores that these members have now.
    CheckScores {
        /// A later request makes answers with an earlier generation void.
        generation: u64,
        /// The queue that the members are of.
        queue: Queue,
        /// The members: as many as a screen has rows.
        members: Vec<Vec<u8>>,
    },
}

/// The order of the entries.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum EntrySort {
    /// By due time, those due next first.
    #[default]
    Next,
    /// By due time, those due last first.
    Last,
}

/// A filter that is on.
#[derive(Clone, Debug)]
pub struct ActiveFilter {
    /// The filter itself.
    pub filter: Filter,
    /// The server's time that `late` and `due>+1h` are meant at: when the search began.
    pub at: EpochMillis,
    /// The tab that it looks in: what waits, what was delivered, the order list.
    pub tab: Tab,
    /// Entries found, in due order (in the order of the list where there are no due times). At most
    /// [`HITS_KEPT`] are sure.
    pub hits: Vec<Hit>,
    /// Number of entries found in all.
    pub found: u64,
    /// Entries looked through.
    pub looked: u64,
    /// Entries there are to be looked through.
    pub of: u64,
    /// The state of the search.
    pub search: Search,
    /// The queue has changed since the search began.
    pub stale: bool,
    /// The window on the whole list, for when the filter goes.
    pub whole: Entries,
}

/// The work of the filter: what runs, what is read in turn, what is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct FilterWork {
    /// The generation of the search that runs.
    pub(crate) searching: Option<u64>,
    /// The state that the filter that is being typed has replaced.
    pub(crate) replaced: Option<ReplacedFilter>,
    /// Index of the marked one at which the turn goes on in the looks at scores.
    pub(crate) check_turn: usize,
}

/// The state that a filter that is being typed has replaced, to be restored when it is given up.
#[derive(Clone, Debug)]
pub(crate) struct ReplacedFilter {
    /// The filter before it.
    pub(crate) filtered: Option<Box<ActiveFilter>>,
    /// The window then.
    pub(crate) entries: Entries,
}

/// The most hits that are kept to be shown; those beyond are counted.
pub const HITS_KEPT: usize = 20_000;

/// An entry that matches.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Its exact bytes.
    pub member: Vec<u8>,
    /// Its score, as last read; none where there is none.
    pub score: Option<f64>,
    /// The search has come to it; else it was only seen on the screen.
    pub sure: bool,
    /// It is no longer there.
    pub gone: bool,
}

/// The state of a search.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Search {
    /// It begins then: while somebody types, each key puts it off.
    Planned(Instant),
    /// Under way; its answers have this generation.
    Running(u64),
    /// Stopped by the user.
    Stopped,
    /// Through.
    Done,
    /// It failed, because of this.
    Failed(String),
}

impl ActiveFilter {
    /// The search is under way, or about to be.
    #[must_use]
    pub const fn is_searching(&self) -> bool {
        matches!(self.search, Search::Planned(_) | Search::Running(_))
    }

    /// More was found than is kept.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.found > self.hits.len() as u64
    }

    /// Counts the entries found, those seen on the screen before the search came to them too.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.found.max(self.hits.len() as u64)
    }

    /// Returns the share of the entries that was looked through, in percent.
    #[must_use]
    pub fn percent(&self) -> u64 {
        let part = self.looked.min(self.of) * 100;
        part.checked_div(self.of).unwrap_or(0)
    }
}

/// Estimates how many bytes a value takes as text: no more than a little over `most`, so that
/// nobody waits for the answer.
fn weight(value: &Value, most: usize) -> usize {
    let mut weight = 0;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        weight += match value {
            Value::String(text) => text.len(),
            Value::Array(all) => {
                open.extend(all.iter().take(most));
                2
            }
            Value::Object(all) => {
                open.extend(all.iter().take(most).map(|(_, value)| value));
                all.keys().take(most).map(|key| key.len() + 4).sum()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        };
        if weight > most {
            break;
        }
    }
    weight
}

impl EntryRow {
    /// Estimates the bytes of text that a filter has to look through: far more than those of the
    /// payload when that is compressed. No more than a little over `most`.
    #[must_use]
    pub fn weight(&self, most: usize) -> usize {
        match &self.content {
            Ok(decoded) if decoded.value.is_null() => decoded.text.len(),
            Ok(decoded) => weight(&decoded.value, most),
            Err(_) => self.member.len(),
        }
    }

    /// Tells whether the row matches `filter`, its relative times meant at `at`.
    #[must_use]
    pub fn matches(&self, filter: &Filter, at: EpochMillis) -> bool {
        let text = match &self.content {
            _ if !filter.needs_payload() => Cow::Borrowed(""),
            Ok(decoded) => decoded.whole(),
            Err(_) => Cow::Owned(text::printable_bytes(&self.member)),
        };
        let codec = match &self.content {
            Ok(decoded) => decoded.codec,
            Err(_) => Codec::Unknown,
        };
        let seen = EntryParts {
            id: self.id,
            due: Some(self.due),
            codec: codec.name(),
            text: &text,
        };
        filter.matches(&seen, at)
    }
}
