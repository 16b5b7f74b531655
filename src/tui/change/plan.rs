//! The order to plan a change: of which queue, what to do, with which entries.

use crate::queue::change::ChangeRequest;
use crate::queue::{Entry, Queue, Repair};
use crate::tui::marks::Marks;

/// A change to be planned.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanRequest {
    /// As in the answer.
    pub generation: u64,
    /// The queue to be changed.
    pub queue: Queue,
    /// The change to make.
    pub what: ChangeRequest,
    /// The entries to change; a change of the whole queue does not look at it.
    pub which: MarkedEntries,
}

/// The entries that a change is about.
#[derive(Clone, Debug, PartialEq)]
pub enum MarkedEntries {
    /// All that is due.
    Due,
    /// Entries that only the order list holds.
    Lost,
    /// All elements of target, but one of each that have equal payloads.
    Copies,
    /// This one, as it was seen.
    One(Entry),
    /// The marked ones of the tab that they were marked in, as the marks were.
    Marks(Box<Marks>),
    /// The same, but one of each that have equal payloads.
    ButOne(Box<Marks>),
}

/// Says where what only the order list holds can be dealt with: the menu of repairs has a row for
/// each way.
pub(crate) fn three_ways() -> String {
    let [again, now, never] =
        [Repair::Requeue, Repair::DeliverStrays, Repair::DropStrays].map(Repair::label);
    format!("Choose one of three in the menu of repairs: {again}, {now} or {never}.")
}
