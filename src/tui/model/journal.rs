//! Changes that were made, as the journal tells them.

use crate::clock::EpochMillis;
use crate::queue::{Change, Tally};

/// A change of the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct PastChange {
    /// Its id.
    pub id: String,
    /// When it began, by the clock of the machine that made it.
    pub at: EpochMillis,
    /// What kind of change.
    pub change: Change,
    /// Of which queue, as it is typed.
    pub queue: String,
    /// On which server, as the header shows it.
    pub server: String,
    /// How many entries were planned.
    pub planned: u64,
    /// What became of them; none: it was never ended.
    pub ended: Option<Tally>,
    /// It was taken back.
    pub undone: bool,
}
