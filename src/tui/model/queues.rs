//! The table of queues: what is known of each.

use std::collections::VecDeque;
use std::time::Instant;

use crate::clock::EpochMillis;
use crate::queue::{Finding, Pulse, Queue, Survey};

/// A queue in the table.
#[derive(Clone, Debug)]
pub struct QueueRow {
    /// Which queue.
    pub queue: Queue,
    /// The last pulse.
    pub pulse: Option<Pulse>,
    /// The last survey.
    pub survey: Option<Survey>,
    /// Depths over the last minutes.
    pub trend: Trend,
    /// When the last pulse arrived here.
    pub read_at: Option<Instant>,
    /// Why the last read failed, when it did.
    pub trouble: Option<String>,
    /// What is wrong with it, worst first.
    pub findings: Vec<Finding>,
}

impl QueueRow {
    /// A queue of which nothing is known yet.
    #[must_use]
    pub fn new(queue: Queue) -> Self {
        Self {
            queue,
            pulse: None,
            survey: None,
            trend: Trend::default(),
            read_at: None,
            trouble: None,
            findings: Vec::new(),
        }
    }
}

/// Depths over time: one sample a second at most, an outage leaves a gap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trend {
    /// Oldest first; `None` is a second without an answer. At most [`Trend::KEPT`].
    pub samples: VecDeque<Option<Depths>>,
}

impl Trend {
    /// Samples kept: five minutes of seconds.
    pub const KEPT: usize = 300;
}

/// The three depths at one moment.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Depths {
    /// The server's time.
    pub at: EpochMillis,
    /// Entries in timeouts.
    pub waiting: u64,
    /// Length of the order list; `None` in a layout without one.
    pub order: Option<u64>,
    /// Length of target.
    pub target: u64,
}
