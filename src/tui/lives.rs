//! The lives of messages that the screen has seen: when each was due, left timeouts, and was taken,
//! as far as refreshes and announcements tell it.

pub mod place;
pub mod run;
pub mod update;
pub mod view;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::clock::EpochMillis;
use crate::queue::{EntryId, Known, Queue};
use crate::trace::life::Moment;
use crate::trace::{ClientNames, Event, EventKind};

/// The answers of MONITOR, and its price.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// Its price, or why that could not be asked.
    Priced(Queue, Result<MonitorPrice, String>),
    /// MONITOR is to run.
    Agreed(Queue),
    /// It runs, for so long at most.
    Began(u64, Duration),
    /// This happened to messages, by clients of these names.
    Happened(u64, Vec<Event>, ClientNames),
    /// It has ended: how, or why it did not begin.
    Ended(u64, Result<String, String>),
}

/// The price of MONITOR, and when it ends by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct MonitorPrice {
    /// The commands a second that the server runs now: it copies each.
    pub now: Known<u64>,
    /// It lasts so long.
    pub span: Duration,
    /// It ends above so many commands a second.
    pub most: u64,
    /// It ends when more bytes wait on the server to be sent.
    pub buffer: u64,
}

/// Requests about MONITOR.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Ask how many commands a second the server runs.
    Price(Queue),
    /// Run it for this queue; what it tells carries the generation.
    Start(u64, Queue),
    /// End it.
    End,
}

/// MONITOR under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Tracing {
    /// The generation that all it tells carries.
    pub(crate) generation: u64,
    /// When it ends by itself; none: it has not begun.
    pub until: Option<Instant>,
    /// The program is to be suspended once it has ended.
    pub(crate) suspends: bool,
}

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
    /// MONITOR under way.
    pub tracing: Option<Tracing>,
    /// Its end the last time, or the reason why it did not begin.
    pub ended: Option<Result<String, String>>,
    /// Transfers of the queue that failed half-way, as MONITOR has told.
    pub failed: u64,
    /// The names of the clients that MONITOR has told of.
    pub names: ClientNames,
}

/// The life of one message, as far as it is known. All times are of the server's clock.
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
    /// When it is due; where that was not seen, when it left.
    pub due: EpochMillis,
    /// Its due time was seen.
    pub is_due_known: bool,
    /// Its score in timeouts, which says so.
    pub score: f64,
    /// When its due time was published; none: that was not heard.
    pub announced: Option<EpochMillis>,
    /// It left timeouts.
    pub left: Option<LifeStep>,
    /// It left target.
    pub taken: Option<LifeStep>,
    /// The words of MONITOR about it.
    pub told: MonitoredLife,
}

/// The words of MONITOR about a message: exact times, and by whom.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MonitoredLife {
    /// Its offer.
    pub offered: Option<Moment>,
    /// The number of clients that listened when its due time was published.
    pub announced_to: Option<u64>,
    /// Its first transfer.
    pub transferred: Option<Moment>,
    /// The number of its transfers.
    pub transfers: u64,
    /// The clients that ran the first transfer too, after it and in vain.
    pub in_vain: Vec<Arc<[u8]>>,
    /// The first time that a consumer took it.
    pub consumed: Option<Moment>,
    /// The number of times that one did.
    pub deliveries: u64,
    /// Another end of it.
    pub ended: Option<(EventKind, Moment)>,
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
        self.is_due_known && self.left.is_some_and(|left| left.at < self.due)
    }
}

impl Lives {
    /// The life of the message with this member in that queue, if it was seen.
    #[must_use]
    pub fn of(&self, queue: &Queue, member: &[u8]) -> Option<&MessageLife> {
        let is_its = self.queue.as_ref() == Some(queue);
        let mut newest = self.all.iter().rev().filter(|_| is_its);
        newest.find(|life| life.member == member)
    }

    /// The lives to be shown: the next few that are coming, with all that MONITOR has told of, those
    /// that are late, then what has happened, newest first.
    #[must_use]
    pub fn shown(&self) -> Vec<&MessageLife> {
        let mut coming: Vec<&MessageLife> = self.all.iter().filter(|l| l.left.is_none()).collect();
        coming.sort_by_key(|life| life.due);
        let mut few = 0;
        coming.retain(|life| {
            let is_late = self.read.is_some_and(|read| life.due < read);
            let is_told = life.told != MonitoredLife::default();
            few += usize::from(!is_late && !is_told);
            is_late || is_told || few <= MOST_COMING
        });
        coming.reverse();
        let mut past: Vec<&MessageLife> = self.all.iter().filter(|l| l.left.is_some()).collect();
        past.sort_by_key(|life| (life.left.map(|left| left.at), life.due));
        past.reverse();
        coming.extend(past);
        coming
    }
}
