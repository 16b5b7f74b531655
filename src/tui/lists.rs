//! The tabs other than the first one: windows on lists by index, and rows of lines.

pub mod queries;
pub mod run;
pub mod update;
pub mod view;

use std::collections::HashMap;
use std::time::Instant;

use crate::clock::EpochMillis;
use crate::queue::{EntryId, List, ListPage, ListScore, Queue};
use crate::tui::entries::EntryRow;
use crate::tui::tabs::Tab;

/// A run of a list, or what the journal tells of it, as it was read.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// A run of a list was read.
    Loaded {
        /// As in the effect that asked for it.
        generation: u64,
        /// The queue that was read.
        queue: Queue,
        /// The list that was read.
        list: List,
        /// The run that was read, or why it could not be.
        result: Result<ListPage, String>,
    },
    /// The journal was looked through for what is in quarantine.
    SinceRead {
        /// The queue of those entries.
        queue: Queue,
        /// The time since which each entry is there, as far as is known.
        known: HashMap<EntryId, QuarantineTime>,
    },
}

/// Requests to read a run of a list, or what the journal tells of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Read a run of a list.
    Load {
        /// A later request makes answers with an earlier generation void.
        generation: u64,
        /// The queue to read.
        queue: Queue,
        /// The list to read.
        list: List,
        /// Index of the first element, from the head.
        first: u64,
        /// Number of elements to read.
        count: u32,
    },
    /// Read since when the entries of a queue are in quarantine.
    ReadSince(Queue),
}

/// Position in a pane of rows: both figures count from 0.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Stand {
    /// The first row in sight.
    pub top: u64,
    /// The row under the cursor.
    pub cursor: u64,
}

/// A window on a list of the selected queue, by index from its head.
#[derive(Clone, Debug, Default)]
pub struct ListWindow {
    /// The position of the rows in sight, and of the cursor.
    pub stand: Stand,
    /// The cursor was moved: it follows its element, not its index.
    pub anchored: bool,
    /// Index of `rows[0]`.
    pub first: u64,
    /// The rows that are loaded.
    pub rows: Vec<ListElement>,
    /// Number of elements in the list when it was read; none before that.
    pub len: Option<u64>,
    /// When it was read, by our monotonic clock.
    pub read_at: Option<Instant>,
    /// The reason why it could not be read.
    pub trouble: Option<String>,
}

/// An element of a list, ready to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct ListElement {
    /// As any entry; without a score when timeouts tells none (see [`EntryRow::scored`]).
    pub row: EntryRow,
    /// Its score in timeouts.
    pub score: ListScore,
}

impl ListWindow {
    /// The element at an index, when it is loaded.
    #[must_use]
    pub fn at(&self, index: u64) -> Option<&ListElement> {
        let offset = index.checked_sub(self.first)?;
        self.rows.get(usize::try_from(offset).ok()?)
    }
}

/// The windows on the lists.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    /// On target.
    pub delivered: ListWindow,
    /// On the order list.
    pub order: ListWindow,
    /// On quarantine.
    pub quarantine: ListWindow,
    /// The times since which its entries are there, as far as the journal tells; none before it was
    /// asked.
    pub since: Option<HashMap<EntryId, QuarantineTime>>,
}

/// The time since which an entry is in quarantine.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct QuarantineTime {
    /// When it was set aside, by the clock of the machine that did it.
    pub at: EpochMillis,
    /// The change of the journal that set it aside.
    pub change: String,
}

impl Lists {
    /// The window on one of them.
    #[must_use]
    pub const fn of(&self, list: List) -> &ListWindow {
        match list {
            List::Target => &self.delivered,
            List::Order => &self.order,
            List::Quarantine => &self.quarantine,
        }
    }

    /// The same, to be changed.
    pub const fn of_mut(&mut self, list: List) -> &mut ListWindow {
        match list {
            List::Target => &mut self.delivered,
            List::Order => &mut self.order,
            List::Quarantine => &mut self.quarantine,
        }
    }

    /// Tells whether it is known since when an entry is in quarantine.
    #[must_use]
    pub fn knows_since(&self, id: &EntryId) -> bool {
        let known = self.since.as_ref();
        known.is_some_and(|known| known.contains_key(id))
    }
}

/// Positions in the tabs of lines.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct ListPositions {
    /// The traffic, newest first.
    pub traffic: Stand,
    /// The findings, worst first.
    pub findings: Stand,
    /// The changes, newest first.
    pub changes: Stand,
    /// The nodes, masters first.
    pub nodes: Stand,
}

impl Tab {
    /// The list that it shows, when it shows one.
    #[must_use]
    pub const fn list(self) -> Option<List> {
        match self {
            Self::Delivered => Some(List::Target),
            Self::Order => Some(List::Order),
            Self::Quarantine => Some(List::Quarantine),
            _ => None,
        }
    }
}
