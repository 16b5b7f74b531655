//! The finding under the cursor, as it is remembered from one message to the next.

use std::cmp::Reverse;

use crate::clock::EpochMillis;
use crate::queue::{Queue, Severity};

/// When something is, where it is at all: what is first stands first, what is not last.
pub type Moment = (bool, Option<EpochMillis>);

/// The place of a finding among those of other queues: how bad it is, how urgent, since when its queue
/// is late.
pub type FindingPlace = (Reverse<Severity>, Moment, Moment);

/// The finding that the cursor is on.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldFinding {
    /// Its queue.
    pub queue: Queue,
    /// Its rule.
    pub id: &'static str,
    /// Its place when it was there last, while the cursor was on it; none where it was over before.
    pub place: Option<FindingPlace>,
}
