//! The entry under the cursor has left its list: its row stays for a moment, so that nobody acts on
//! the one that comes in its place.

pub mod queries;
pub mod update;

use std::time::{Duration, Instant};

use crate::queue::{Change, Entry, EntryId, Queue};
use crate::tui::entries::EntryRow;
use crate::tui::marks::Marks;
use crate::tui::tabs::Tab;

/// Time for which its row stays.
pub const STAYS: Duration = Duration::from_secs(2);

/// A row that has left.
#[derive(Clone, Debug, PartialEq)]
pub struct DepartedRow {
    /// The row as it was.
    pub row: EntryRow,
    /// The tab that it stood in.
    pub tab: Tab,
    /// Its place among the rows: the one that took its place stands behind it.
    pub place: u64,
    /// The fate of the entry, as far as is known.
    pub fate: DepartedFate,
    /// When its row goes.
    pub until: Instant,
}

/// The fate of an entry that is no longer where it was.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum DepartedFate {
    /// It was due, and is in timeouts no more.
    Transferred,
    /// It was at the head of target.
    Taken,
    /// A change of this screen did it.
    Ours(Change),
    /// It was in the order list and is not due: it stands elsewhere in it, after a sort or an offer, or
    /// has left it.
    Moved,
    /// Nobody knows: it was not due, or there is no client that would have transferred it.
    Gone,
}

impl DepartedFate {
    /// The word that stands in its row.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Transferred => "transferred",
            Self::Taken => "taken",
            Self::Ours(change) => change.past(),
            Self::Moved => "not here",
            Self::Gone => "gone",
        }
    }

    /// Says why a key does nothing to it.
    #[must_use]
    pub const fn why_not(self) -> &'static str {
        match self {
            Self::Transferred => "it was transferred meanwhile: nothing can be done to it here",
            Self::Taken => "it was taken meanwhile: nothing can be done to it",
            Self::Ours(Change::Delete) => "it is deleted already: nothing more is done to it",
            Self::Ours(Change::Requeue) => "it is requeued already, and stands elsewhere now",
            Self::Ours(_) => "that is done already: it is no longer here",
            Self::Moved => "it stands elsewhere in the order list now, or has left it",
            Self::Gone => "it is no longer here: nothing can be done to it",
        }
    }
}

/// The cursor, watched for what comes under it by itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct WatchedCursor {
    /// The item that it was on when something happened last.
    pub(crate) under: Option<ItemUnderCursor>,
    /// When it came to something else by itself.
    pub(crate) shifted: Option<Instant>,
}

/// The item that the cursor is on, whatever its place.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct ItemUnderCursor {
    /// The queue of the item, or that queue itself.
    pub(crate) queue: Queue,
    /// The member of the entry, or what the finding is called; none where the queue is meant.
    pub(crate) what: Option<Vec<u8>>,
}

/// The subject of the change that was agreed to last.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeSubject {
    /// The generation of the change.
    pub generation: u64,
    /// The kind of change.
    pub change: Change,
    /// The queue that it is made to.
    pub queue: Queue,
    /// The member, when it is about one.
    pub one: Option<Vec<u8>>,
    /// The marks, when it is about them.
    pub marks: Option<Box<Marks>>,
    /// Entries to which it did nothing, as it has told.
    pub spared: Vec<EntryId>,
    /// When it was over, by our monotonic clock; none before that.
    pub over: Option<Instant>,
}

impl ChangeSubject {
    /// Tells whether a row that leaves now leaves by this change.
    #[must_use]
    pub fn on(&self, row: &EntryRow, now: Instant) -> bool {
        self.acts(&row.member, row.id, now, |marks| marks.has_any(row))
    }

    /// The same of an entry that is no row.
    #[must_use]
    pub fn on_entry(&self, queue: &Queue, entry: &Entry, now: Instant) -> bool {
        let id = queue.id(&entry.member);
        self.queue == *queue && self.acts(&entry.member, id, now, |marks| marks.marks(queue, entry))
    }

    fn acts(
        &self,
        member: &[u8],
        id: EntryId,
        now: Instant,
        is_marked: impl Fn(&Marks) -> bool,
    ) -> bool {
        let recent = |over| now.saturating_duration_since(over) < STAYS;
        self.over.is_none_or(recent)
            && !self.spared.contains(&id)
            && (self.one.as_deref() == Some(member) || self.marks.as_deref().is_some_and(is_marked))
    }
}
