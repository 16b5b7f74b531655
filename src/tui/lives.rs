//! The lives of messages that the screen has seen: when each was due, left timeouts, and was taken,
//! as far as refreshes and announcements tell it.

pub mod place;
pub mod update;
pub mod view;

use std::collections::VecDeque;

use crate::clock::EpochMillis;
use crate::queue::{EntryId, Queue};

/// The most lives that are kept.
pub const MOST_LIVES: usize = 300;

/// The most coming ones that are shown before those that have happened.
pub const MOST_COMING: usize = 8;

/// The lives of one queue, those that were seen first in front.
#[derive(Clone, Debug, Default)]
pub struct Lives {
    /// The queue.
    pub queue: Option<Queue>,
    /// The lives.
    pub all: VecDeque<MessageLife>,
    /// The server's time of the last refresh.
    pub read: Option<EpochMillis>,
}

/// What is known of one message. All times are of the server's clock.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageLife {
    /// Its member in timeouts.
    pub member: Vec<u8>,
    /// Its id.
    pub id: EntryId,
    /// The beginning of its payload, decoded.
    pub text: String,
    /// When it was first seen.
    pub seen: EpochMillis,
    /// When it is due.
    pub due: EpochMillis,
    /// Its score in timeouts, which says so.
    pub score: f64,
    /// When its due time was published; none: that was not heard.
    pub announced: Option<EpochMillis>,
    /// It left timeouts.
    pub left: Option<LifeStep>,
    /// It left target.
    pub taken: Option<LifeStep>,
}

/// Something that happened to a message between two refreshes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct LifeStep {
    /// The time of the second one.
    pub at: EpochMillis,
    /// The time between the two, in ms: so much earlier it may have been.
    pub within_ms: i64,
}

impl MessageLife {
    /// True when it left before it was due: transferred by hand, requeued or deleted.
    #[must_use]
    pub fn left_early(&self) -> bool {
        self.left.is_some_and(|left| left.at < self.due)
    }
}

impl Lives {
    /// Those to be shown: the next few that are coming, then what has happened, newest first.
    #[must_use]
    pub fn shown(&self) -> Vec<&MessageLife> {
        let mut coming: Vec<&MessageLife> = self.all.iter().filter(|l| l.left.is_none()).collect();
        coming.sort_by_key(|life| life.due);
        coming.truncate(MOST_COMING);
        coming.reverse();
        let mut past: Vec<&MessageLife> = self.all.iter().filter(|l| l.left.is_some()).collect();
        past.sort_by_key(|life| (life.left.map(|left| left.at), life.due));
        past.reverse();
        coming.extend(past);
        coming
    }
}
