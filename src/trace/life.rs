//! A message, what happens to it, and what became of it.

use std::sync::Arc;

use crate::clock::EpochMillis;
use crate::queue::{Due, EntryId, Form, Queue};

/// The most clients that are kept of those who ran the transfer of one message in vain.
pub const MOST_RIVALS: usize = 8;

/// A message of a delayed queue: the same bytes are the same message.
#[derive(Debug, Eq, PartialEq)]
pub struct TracedMessage {
    /// Its queue.
    pub queue: Arc<Queue>,
    /// The database that its queue is in.
    pub db: u32,
    /// The member of timeouts.
    pub member: Box<[u8]>,
}

impl TracedMessage {
    /// The id that people call it by.
    #[must_use]
    pub fn id(&self) -> EntryId {
        self.queue.id(&self.member)
    }

    /// The form of its frame; none without one.
    #[must_use]
    pub fn form(&self) -> Option<Form> {
        self.queue.unwrap(&self.member).ok()?.form
    }

    /// The message's bytes; of a member that is no frame, all of them.
    #[must_use]
    pub fn payload(&self) -> &[u8] {
        let inside = self.queue.unwrap(&self.member);
        inside.map_or(&self.member, |inside| inside.payload)
    }
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its time, in µs since the epoch by the server's clock; none where the log has no times.
    pub at_us: Option<i64>,
    /// The queue that it happened to.
    pub queue: Arc<Queue>,
    /// The database that the queue is in.
    pub db: u32,
    /// The message that it happened to; none when it happened to the queue.
    pub message: Option<Arc<TracedMessage>>,
    /// The address of who did it; none where the log does not say.
    pub by: Option<Arc<[u8]>>,
    /// The kind of event.
    pub kind: EventKind,
    /// True when it is so only if target, or timeouts, held nothing that the log does not show.
    pub is_presumed: bool,
}

/// The kinds of events.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// It was offered.
    Offered {
        /// Its due time.
        due: Due,
    },
    /// It was the new head, and its due time was published.
    Announced {
        /// The number of clients that listened; none where that is not known.
        to: Option<u64>,
    },
    /// It was given another due time, or put back.
    Requeued {
        /// Its new due time.
        due: Due,
    },
    /// It was moved to the target list.
    Transferred {
        /// The span since its due time, in µs; negative before it.
        late_us: Option<i64>,
        /// Its place among those that were moved together, from 1.
        place: usize,
        /// The number of messages that were transferred together.
        of: usize,
        /// It is still in timeouts, and will be moved again: the script failed, or the one who
        /// moved it does so in two commands.
        stays: bool,
    },
    /// It was taken from the target list.
    Consumed {
        /// The span that it was there, in µs.
        waited_us: Option<i64>,
    },
    /// It was taken from the delayed queue before it was transferred.
    Polled,
    /// It was removed from timeouts, or from the target list.
    Removed,
    /// It was given other bytes, and so became another message.
    EditedInto {
        /// The message that it became.
        into: EntryId,
    },
    /// It is what a message became that was given other bytes.
    EditedFrom {
        /// The message that it was.
        from: EntryId,
        /// Its due time, which is that one's.
        due: Due,
    },
    /// The key that it was in was deleted.
    Deleted,
    /// The key that it was in expired.
    Expired,
    /// The key that it was in was renamed.
    Renamed,
    /// Another client ran the same transfer after it, and found nothing. Of messages that were
    /// transferred together the first one has it.
    InVain {
        /// The transfer that was before it.
        won: Moment,
    },
    /// A transfer of the queue failed half-way.
    Failed,
}

impl EventKind {
    /// The word for it in JSON.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Offered { .. } => "offered",
            Self::Announced { .. } => "announced",
            Self::Requeued { .. } => "requeued",
            Self::Transferred { .. } => "transferred",
            Self::Consumed { .. } => "consumed",
            Self::Polled => "polled",
            Self::Removed => "removed",
            Self::EditedInto { .. } | Self::EditedFrom { .. } => "edited",
            Self::Deleted => "deleted",
            Self::Expired => "expired",
            Self::Renamed => "renamed",
            Self::InVain { .. } => "in-vain",
            Self::Failed => "failed",
        }
    }
}

/// The time and the author of an event.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Moment {
    /// Its time, in µs since the epoch; none where the log has no times.
    pub at_us: Option<i64>,
    /// The address of who did it; none where the log does not say.
    pub by: Option<Arc<[u8]>>,
}

/// The first transfer that a client of Redisson ran since a message was due, whatever it found. Other
/// workers ask in their own ways.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum FirstAsk {
    /// Its time, in µs since the epoch.
    At(i64),
    /// There was none up to the end of the log.
    Never,
}

/// All that a log says of one message.
#[derive(Clone, Debug)]
pub struct Life {
    /// The message.
    pub message: Arc<TracedMessage>,
    /// Its offer; none when that was before the log begins.
    pub offered: Option<Moment>,
    /// The message that it was before it was given other bytes, and when that was.
    pub edited_from: Option<(EntryId, Moment)>,
    /// Its due time, by its last score; none when no score was seen.
    pub due: Option<Due>,
    /// The time at which its due time was published.
    pub announced_us: Option<i64>,
    /// The number of clients that listened then; none where that is not known.
    pub announced_to: Option<u64>,
    /// The first transfer that left it as the head of timeouts: from it that client knows its due time,
    /// and sets its timer.
    pub armed: Option<Moment>,
    /// The subscription of that client to the queue's channel: since then it listens.
    pub listening: Option<Moment>,
    /// The first transfer that a client of Redisson ran since it was due; none where the log does not
    /// tell.
    pub asked: Option<FirstAsk>,
    /// The number of times that it was given another due time, or put back.
    pub requeued: u64,
    /// The first transfer.
    pub transferred: Option<Moment>,
    /// The lateness of that transfer, in µs; negative before the due time.
    pub late_us: Option<i64>,
    /// The number of its transfers: more than one means that it was delivered twice.
    pub transfers: u64,
    /// The number of times that another client ran the same transfer after it, and found nothing.
    pub in_vain: u64,
    /// The addresses of those clients, at most [`MOST_RIVALS`].
    pub in_vain_by: Vec<Arc<[u8]>>,
    /// The first time that it was taken from the target list.
    pub consumed: Option<Moment>,
    /// The number of times that it was taken.
    pub deliveries: u64,
    /// True when one of these is so only if target, or timeouts, held nothing that the log does not
    /// show.
    pub is_presumed: bool,
    /// Another end of it, with its time.
    pub ended: Option<(EventKind, Moment)>,
    /// It is in timeouts.
    pub(super) waits: bool,
    /// The number of its copies in target.
    pub(super) in_target: u64,
    /// The time at which the one there came into target, in µs since the epoch.
    pub(super) in_target_since: Option<i64>,
    /// It was transferred since it was last offered or requeued.
    pub(super) is_moved: bool,
    /// Events of an element that may be no message of the queue at all: a plain element of its target,
    /// until it is taken out of timeouts too.
    pub(super) unconfirmed: Option<Vec<Event>>,
}

/// The fate of a message.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum MessageFate {
    /// It is in timeouts, and its due time is still to come.
    Waiting,
    /// It is in timeouts, and its due time has passed.
    Late,
    /// It is in target.
    Delivered,
    /// It was taken from target.
    Consumed,
    /// It was taken from the delayed queue before it was transferred.
    Polled,
    /// It was removed.
    Removed,
    /// It was given other bytes, and is another message now.
    Edited,
    /// Its key was deleted.
    Deleted,
    /// Its key expired.
    Expired,
    /// Its key was renamed.
    Renamed,
}

impl MessageFate {
    /// The word for it in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Late => "late",
            Self::Delivered => "delivered",
            Self::Consumed => "consumed",
            Self::Polled => "polled",
            Self::Removed => "removed",
            Self::Edited => "edited",
            Self::Deleted => "deleted",
            Self::Expired => "expired",
            Self::Renamed => "renamed",
        }
    }
}

impl Life {
    pub(super) fn new(message: Arc<TracedMessage>) -> Self {
        Self {
            message,
            offered: None,
            edited_from: None,
            due: None,
            announced_us: None,
            announced_to: None,
            armed: None,
            listening: None,
            asked: None,
            requeued: 0,
            transferred: None,
            late_us: None,
            transfers: 0,
            in_vain: 0,
            in_vain_by: Vec::new(),
            consumed: None,
            deliveries: 0,
            is_presumed: false,
            ended: None,
            waits: false,
            in_target: 0,
            in_target_since: None,
            is_moved: false,
            unconfirmed: None,
        }
    }

    /// Somebody ran the same transfer after it, in vain.
    pub(super) fn ran_in_vain(&mut self, by: &Arc<[u8]>) {
        self.in_vain += 1;
        if self.in_vain_by.len() < MOST_RIVALS {
            self.in_vain_by.push(by.clone());
        }
    }

    /// Its fate as far as the log goes, which ends at `end_us`.
    #[must_use]
    pub fn fate(&self, end_us: Option<i64>) -> MessageFate {
        if self.waits {
            let end = end_us.map(|us| EpochMillis::new(us.div_euclid(1_000)));
            let due = self.due.and_then(Due::at);
            let is_late = due.zip(end).is_some_and(|(due, end)| due <= end);
            return if is_late {
                MessageFate::Late
            } else {
                MessageFate::Waiting
            };
        }
        if self.in_target > 0 {
            return MessageFate::Delivered;
        }
        match self.ended.as_ref().map(|(kind, _)| kind) {
            Some(EventKind::Polled) => MessageFate::Polled,
            Some(EventKind::EditedInto { .. }) => MessageFate::Edited,
            Some(EventKind::Deleted) => MessageFate::Deleted,
            Some(EventKind::Expired) => MessageFate::Expired,
            Some(EventKind::Renamed) => MessageFate::Renamed,
            _ if self.consumed.is_some() => MessageFate::Consumed,
            _ => MessageFate::Removed,
        }
    }

    /// The span that it was in target before it was first taken, in µs.
    #[must_use]
    pub fn waited_us(&self) -> Option<i64> {
        let at = |moment: Option<&Moment>| moment.and_then(|moment| moment.at_us);
        at(self.consumed.as_ref())?.checked_sub(at(self.transferred.as_ref())?)
    }

    /// Its due time; none where it is not known, or is no time.
    pub(super) fn waits_until(&self) -> Option<EpochMillis> {
        self.due.and_then(Due::at)
    }

    /// True when nothing more is to be expected of it.
    pub(super) fn is_over(&self) -> bool {
        !self.waits && self.in_target == 0
    }
}
