//! A run of a list by index: of the order list, each row held against timeouts, of target, or of
//! quarantine.

use std::sync::Arc;

/// A list of a queue.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum List {
    /// The order list: members as timeouts should hold them, in offer order.
    Order,
    /// Target: what was delivered and not yet consumed, without frames.
    Target,
    /// Quarantine: what was set aside, by due time.
    Quarantine,
}

/// A run of a list by index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListPage {
    /// Index of the first row, counted from the head.
    pub first: u64,
    /// Number of elements that the list had in the same instant.
    pub len: u64,
    /// The elements from there on; fewer than asked for at the list's end.
    pub rows: Vec<ListRow>,
}

/// An element of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ListRow {
    /// Its exact bytes.
    pub element: Vec<u8>,
    /// Its score in timeouts.
    pub score: ListScore,
}

/// The score in timeouts of an element of a list.
#[derive(Clone, Debug, PartialEq)]
pub enum ListScore {
    /// It holds a member with these bytes, with this score; of what is in quarantine, its own.
    Is(f64),
    /// It holds no such member while the list does: drift.
    Drift,
    /// It could not be told, because of this; the next read may tell.
    Untold(Arc<str>),
    /// Elements of target have no score.
    None,
}

impl ListScore {
    /// The score, where there is one.
    #[must_use]
    pub fn get(&self) -> Option<f64> {
        match self {
            Self::Is(score) => Some(*score),
            _ => None,
        }
    }
}
