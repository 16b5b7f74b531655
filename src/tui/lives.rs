//! The lives of messages that the screen has seen: when each was due, left timeouts, and was taken,
//! as far as refreshes and announcements tell it.

pub mod author;
pub mod place;
pub mod run;
pub mod update;
pub mod view;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::clock::EpochMillis;
use crate::payload::Codec;
use crate::queue::{Address, Change, Due, EntryId, EntryParts, Filter, Known, Queue, text};
use crate::trace::life::Moment;
use crate::trace::{ClientNames, Event, EventKind};

/// The answers of MONITOR, and its price.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// Its price, or why that could not be asked.
    Priced(Queue, Result<MonitorPrice, String>),
    /// MONITOR is to run.
    Agreed(Queue),
    /// It is not to run.
    Refused,
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
    /// The node of a cluster that bears it; none: it is the server that was named.
    pub node: Option<Address>,
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

/// The lives on the screen: the chosen one, and which are shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LivesView {
    /// The number of the chosen one; none: the one that left last, whichever that is.
    pub chosen: Option<u64>,
    /// First row in sight.
    pub scroll: usize,
    /// The chosen one is open: first line in sight of all that is known of it.
    pub opened: Option<usize>,
    /// The filter: lives that it matches are shown.
    pub filter: Option<Filter>,
    /// The filter before the one that is being typed.
    pub replaced: Option<Filter>,
}

impl LivesView {
    /// The index of the chosen life among those that are listed; where none is chosen, of the one that
    /// left last, else of the one that is due next.
    #[must_use]
    pub fn cursor(&self, listed: &[&MessageLife]) -> usize {
        let is_chosen = |life: &&MessageLife| Some(life.number) == self.chosen;
        let has_left = |life: &&MessageLife| life.left.is_some();
        let chosen = listed.iter().position(is_chosen);
        let usual = || listed.iter().position(has_left);
        let chosen = chosen.or_else(usual);
        chosen.unwrap_or(listed.len().saturating_sub(1))
    }

    /// The first life in sight of those that are listed, in so many rows: the chosen one is among them.
    #[must_use]
    pub fn top(&self, listed: &[&MessageLife], rows: usize) -> usize {
        let cursor = self.cursor(listed);
        let least = (cursor + 1).saturating_sub(rows);
        let most = cursor.min(listed.len().saturating_sub(rows));
        self.scroll.clamp(least, most.max(least))
    }
}

/// Later than this is late, in ms: what a refresh cannot see closer is not held against anybody.
pub const LATE_MS: i64 = 1_000;

/// The end of a message that was not transferred.
#[must_use]
pub fn words_of_end(kind: &EventKind) -> &'static str {
    match kind {
        EventKind::Polled => "polled away before its transfer",
        EventKind::Removed => "removed",
        EventKind::EditedInto { .. } => "edited: it is another message now",
        EventKind::Deleted => "lost: its key was deleted",
        EventKind::Expired => "lost: its key expired",
        EventKind::Renamed => "lost: its key was renamed",
        other => other.word(),
    }
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
    /// The number of lives that have begun here: that of the last one.
    pub(crate) begun: u64,
    /// The server's time of the last refresh.
    pub read: Option<EpochMillis>,
    /// MONITOR under way.
    pub tracing: Option<Tracing>,
    /// The lives on the screen, as they were before the question whether it shall run.
    pub(crate) before_question: Option<LivesView>,
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
    /// Its number among the lives of its queue: a member that is offered again lives again.
    pub number: u64,
    /// Its member in timeouts.
    pub member: Vec<u8>,
    /// Its id.
    pub id: EntryId,
    /// The codec of its payload.
    pub codec: Codec,
    /// Its payload, decoded, as far as it is not long; empty where it is too long to be decoded.
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
    /// The way on which it did.
    pub exit: LifeExit,
    /// It left target.
    pub taken: Option<LifeStep>,
    /// The number of times that it was given another due time.
    pub requeues: u64,
    /// The words of MONITOR about it.
    pub told: MonitoredLife,
}

/// The way on which a message leaves timeouts, as far as it is known.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum LifeExit {
    /// MONITOR told of its transfer; or it was due, and there are clients that transfer.
    #[default]
    Transfer,
    /// A change of this screen did it.
    Ours(Change),
    /// It was transferred, polled, moved, removed or lost: nobody has told which.
    Unknown,
}

impl LifeExit {
    /// True when it led to target.
    #[must_use]
    pub const fn is_transfer(self) -> bool {
        matches!(
            self,
            Self::Transfer | Self::Ours(Change::Transfer | Change::Deliver)
        )
    }
}

/// The words of MONITOR about a message: exact times, and by whom.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MonitoredLife {
    /// Its offer.
    pub offered: Option<Moment>,
    /// The last time that it was given another due time.
    pub requeued: Option<Moment>,
    /// The number of clients that listened when its due time was published.
    pub announced_to: Option<u64>,
    /// Its first transfer.
    pub transferred: Option<Moment>,
    /// The number of its transfers.
    pub transfers: u64,
    /// The clients that ran the first transfer too, after it and in vain: each once, and some at most.
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
    /// The words for its fate, by which it is found.
    fn words(&self) -> Vec<String> {
        let times = |n: u64| (n > 1).then(|| format!("{n} times"));
        let ended = self.told.ended.as_ref();
        let left = match (self.exit, self.left) {
            _ if ended.is_some() => None,
            (LifeExit::Ours(change), Some(_)) => Some(change.past().to_owned()),
            (LifeExit::Transfer, Some(_)) => Some("transferred".to_owned()),
            (LifeExit::Unknown, Some(_)) => Some("left".to_owned()),
            (_, None) => None,
        };
        let words = [
            ended.map(|(kind, _)| words_of_end(kind).to_owned()),
            left,
            self.taken.map(|_| "taken".to_owned()),
            (self.requeues > 0).then(|| "requeued".to_owned()),
            times(self.told.transfers),
            times(self.told.deliveries),
        ];
        words.into_iter().flatten().collect()
    }

    /// True when it has come to an end, so that what happens to its member next is another life.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.taken.is_some() || self.told.ended.is_some()
    }

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

    /// The lives that the filter leaves of those to be [shown](Self::shown).
    #[must_use]
    pub fn listed(&self, view: &LivesView) -> Vec<&MessageLife> {
        let mut shown = self.shown(view.chosen);
        if let Some(filter) = &view.filter {
            shown.retain(|life| self.matches(life, filter));
        }
        shown
    }

    /// Its text, the clients that MONITOR has told of and the words for its fate are looked through;
    /// `late` is what waits though it is due, or left more than [`LATE_MS`] after that.
    fn matches(&self, life: &MessageLife, filter: &Filter) -> bool {
        let told = &life.told;
        let ended = told.ended.as_ref().map(|(_, moment)| moment);
        let moments = [
            &told.offered,
            &told.requeued,
            &told.transferred,
            &told.consumed,
        ];
        let moments = moments.into_iter().flatten().chain(ended);
        let by = moments.filter_map(|moment| moment.by.as_ref());
        let mut text = life.text.clone();
        for by in by.chain(&told.in_vain) {
            // By what it is called on the screen.
            let said = self.names.now(by).unwrap_or(by);
            text.push('\n');
            text.push_str(&text::printable_bytes(said));
        }
        for word in life.words() {
            text.push('\n');
            text.push_str(&word);
        }
        let seen = EntryParts {
            id: life.id,
            due: life.is_due_known.then_some(Due::At(life.due)),
            codec: life.codec.name(),
            text: &text,
        };
        let at = match life.left {
            Some(left) => left.at.plus(-LATE_MS),
            None => self.read.unwrap_or(life.seen),
        };
        filter.matches(&seen, at)
    }

    /// The lives to be shown: the next few that are coming, with all that MONITOR has told of, those
    /// that are late, and the one with that number, then what has happened, newest first.
    #[must_use]
    pub fn shown(&self, chosen: Option<u64>) -> Vec<&MessageLife> {
        let mut coming: Vec<&MessageLife> = self.all.iter().filter(|l| l.left.is_none()).collect();
        coming.sort_by_key(|life| life.due);
        let mut few = 0;
        coming.retain(|life| {
            let is_late = self.read.is_some_and(|read| life.due < read);
            let is_told = life.told != MonitoredLife::default();
            few += usize::from(!is_late && !is_told);
            is_late || is_told || few <= MOST_COMING || Some(life.number) == chosen
        });
        coming.reverse();
        let mut past: Vec<&MessageLife> = self.all.iter().filter(|l| l.left.is_some()).collect();
        past.sort_by_key(|life| (life.left.map(|left| left.at), life.due));
        past.reverse();
        coming.extend(past);
        coming
    }
}
