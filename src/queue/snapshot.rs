//! The results of one refresh of a queue: the pulse (small, each interval) and the survey (larger,
//! when something changed).

use super::classes::{DUE, LATE};
use super::entry::Due;
use super::frames::{Frames, JudgedMember};
use super::hold::HeldCount;
use super::known::Known;
use super::zoom::{Scale, Zoom, enough};
use crate::clock::EpochMillis;

/// The last writes to two lists that the server has told of, by its clock: also of what was taken at
/// once.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ToldWrites {
    /// To the target of the other queue with the same keys.
    pub twin: Option<EpochMillis>,
    /// To the queue's own target, where that was asked about.
    pub own: Option<EpochMillis>,
}

/// The small read of every refresh: all figures from the same instant of the server.
#[derive(Clone, Debug, PartialEq)]
pub struct Pulse {
    /// The server's time of the read.
    pub at: EpochMillis,
    /// Entries in timeouts.
    pub waiting: Known<u64>,
    /// Entries of them whose due time has passed.
    pub late: Known<u64>,
    /// The head of timeouts (lowest score). While rows further down are in sight, a negative
    /// score there is passed over.
    pub head: Option<Due>,
    /// When the oldest late entry was due; none when nothing is late.
    pub oldest_late: Option<EpochMillis>,
    /// The first one not due yet.
    pub next: Option<Due>,
    /// Length of the order list.
    pub order: Known<u64>,
    /// Length of target: delivered, not yet consumed.
    pub target: Known<u64>,
    /// Clients subscribed to the queue's channel.
    pub transfer_clients: Known<u64>,
    /// The entry that clients transfer next: the one with the lowest score from 0 on.
    pub first: Option<JudgedMember>,
    /// The last writes that the server has told of; none where it has told of none.
    pub told: Option<Box<ToldWrites>>,
    /// Bytes of the members that came with head, oldest and next, beside the rows: Redis tells
    /// no score without its member.
    pub beside_bytes: u64,
    /// The visible rows, when asked for.
    pub page: Option<Page>,
    /// Cost of the read to the server, in µs by its own clock.
    pub server_us: u64,
    /// The time that the answer took, in ms of this machine's clock.
    pub took_ms: u64,
}

impl Pulse {
    /// Tells whether `head` is the lowest score, also where that is negative: no rows further down
    /// are in sight.
    #[must_use]
    pub fn sees_head(&self) -> bool {
        let shows = |page: &Page| page.first == 0 && !page.rows.is_empty();
        self.page.as_ref().is_none_or(shows)
    }

    /// Nothing is known of the queue, and why.
    #[must_use]
    pub fn unknown(at: EpochMillis, why: &str) -> Self {
        let unknown = || Known::Unknown(why.into());
        Self {
            at,
            waiting: unknown(),
            late: unknown(),
            head: None,
            oldest_late: None,
            next: None,
            order: unknown(),
            target: unknown(),
            transfer_clients: unknown(),
            first: None,
            told: None,
            beside_bytes: 0,
            page: None,
            server_us: 0,
            took_ms: 0,
        }
    }

    /// The reason why nothing is known of the queue; none where something is.
    #[must_use]
    pub fn why_unknown(&self) -> Option<&str> {
        let figures = [&self.waiting, &self.order, &self.target];
        let is_known = |figure: &&Known<u64>| !matches!(figure, Known::Unknown(_));
        match &self.waiting {
            Known::Unknown(why) if !figures.iter().any(is_known) => Some(why),
            _ => None,
        }
    }

    /// Tells whether there is anything of the queue: one of its keys, or somebody who listens. A name
    /// that somebody has typed is no queue yet.
    #[must_use]
    pub fn has_signs(&self) -> bool {
        let keys = [&self.waiting, &self.order, &self.target];
        let stands = |key: &&Known<u64>| !matches!(key, Known::Is(0) | Known::None);
        keys.iter().any(stands) || self.transfer_clients.get().is_some_and(|count| count > 0)
    }
}

/// A run of entries by rank in timeouts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Rank of the first row.
    pub first: u64,
    /// Members with their scores, by due time.
    pub rows: Vec<(Vec<u8>, f64)>,
}

/// The rows that a pulse shall bring: ranks `first .. first + count` of timeouts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PageAsk {
    /// Rank of the first row.
    pub first: u64,
    /// Number of rows.
    pub count: u32,
}

/// The larger read: due times in bars and classes, types and expiries of the keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Survey {
    /// The server's time of the read.
    pub at: EpochMillis,
    /// The zoom that `bars` are of; none when only classes were asked for.
    pub zoom: Option<Zoom>,
    /// The width of `bars` and their number; none when only classes were asked for.
    pub scale: Option<Scale>,
    /// The future in bars, the first one cut at `at`; edges on multiples of the bar's width.
    pub bars: Vec<Bar>,
    /// Entries due after the last bar.
    pub beyond: u64,
    /// Entries, also in `beyond`, whose score is no time: infinite, or that much and more
    /// (see [`Queue::no_time`](super::Queue::no_time)).
    pub no_time: u64,
    /// Entries, also in `beyond`, whose score makes sense only as microseconds (see
    /// [`Queue::in_micros`](super::Queue::in_micros)): meant to be due by now · later.
    pub micros: [u64; 2],
    /// Entries in each class of lateness.
    pub late: [u64; LATE.len()],
    /// Of `late[3]`, those late by less than 2 s: normal hand-over.
    pub handing_over: u64,
    /// Entries in each class of due times to come.
    pub classes: [u64; DUE.len()],
    /// The type and expiry of each key; see [`KeyFacts`].
    pub keys: Vec<KeyFacts>,
    /// Number of members in an order list that was set aside; none when there is no such list, or
    /// when the server does not let us look.
    pub aside: Option<u64>,
    /// Number of entries in quarantine; none when the server does not let us look.
    pub quarantined: Option<u64>,
    /// Elements that our consumers hold; none when the server does not let us look.
    pub held: Option<HeldCount>,
    /// A sample of the members, when it was asked for.
    pub frames: Option<Box<Frames>>,
    /// Cost of the read to the server, in µs by its own clock.
    pub server_us: u64,
}

impl Survey {
    /// Its bars show four fifths of what falls due, or more.
    #[must_use]
    pub fn shows_most(&self) -> bool {
        let bars = self.bars.iter().map(|bar| bar.count);
        let shown = bars.fold(0, u64::saturating_add);
        enough(shown, shown.saturating_add(self.beyond))
    }
}

/// A span of due times and how many entries fall into it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Bar {
    /// Start, inclusive.
    pub from: EpochMillis,
    /// End, exclusive.
    pub to: EpochMillis,
    /// Entries due in it.
    pub count: u64,
}

/// A key's type (`none` when it is not there) and expiry.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct KeyFacts {
    /// Its name.
    pub key: Vec<u8>,
    /// The type that it should have: `zset` or `list`.
    pub wanted: &'static str,
    /// The type that it has, in the words of TYPE.
    pub kind: String,
    /// When it expires, in ms from the read; none when it does not.
    pub expires_in_ms: Option<i64>,
}

impl KeyFacts {
    /// Something of another type has taken its name.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        self.kind != self.wanted && !matches!(self.kind.as_str(), "none" | "?")
    }
}

/// One message on a queue's channel: a new head was offered, due then.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Announcement {
    /// The server's time when it arrived here.
    pub at: EpochMillis,
    /// The name of the channel, prefix and all.
    pub channel: Vec<u8>,
    /// The message: the new head's due time as decimal ms; `0` is a kick. Of what is
    /// neither, the first [`MOST_HEARD`] bytes: anybody may publish anything.
    pub message: Vec<u8>,
    /// Number of bytes that were published.
    pub length: usize,
}

/// The most bytes of a message on a channel that are kept.
pub const MOST_HEARD: usize = 1_000;

impl Announcement {
    /// Makes the announcement of a message that arrived `at`.
    #[must_use]
    pub fn new(at: EpochMillis, channel: Vec<u8>, message: &[u8]) -> Self {
        Self {
            at,
            channel,
            message: message[..message.len().min(MOST_HEARD)].to_vec(),
            length: message.len(),
        }
    }

    /// Returns the number of bytes that were published, when they are more than were kept.
    #[must_use]
    pub const fn cut_from(&self) -> Option<usize> {
        if self.length > self.message.len() {
            Some(self.length)
        } else {
            None
        }
    }

    /// The due time it tells, when it is one.
    #[must_use]
    pub fn due(&self) -> Option<EpochMillis> {
        std::str::from_utf8(&self.message)
            .ok()?
            .parse()
            .ok()
            .map(EpochMillis::new)
    }
}
