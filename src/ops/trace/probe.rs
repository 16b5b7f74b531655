//! A message of our own, followed without MONITOR: offered to the real queue, looked up until it is
//! taken, and taken back when nobody takes it.

use std::time::Duration;

use tokio::time::sleep;

use super::super::activity::ActivityRecord;
use crate::clock::EpochMillis;
use crate::queue::{EntryId, Form, Outcome, Queue, frame};
use crate::store::change::{ChosenEntry, End, Fate};
use crate::store::read::{Whereabouts, whereabouts};
use crate::store::write::{Head, Writer};
use crate::store::{Store, StoreError};

/// It is looked up without a pause from so long after it is due, in ms: timers pause for 3 ms when
/// asked for 2, and nearly all that happens to it happens then. One look is four cheap commands, one
/// round trip after another.
const AT_ONCE_FROM_MS: i64 = -5;
/// The time, after it was due or came to target, until which it is looked up without a pause, in
/// ms.
const AT_ONCE_UNTIL_MS: i64 = 20;
/// The pause between two looks while something is to be expected any moment.
const CLOSE: Duration = Duration::from_millis(2);
/// The pause once it is late.
const SLOW: Duration = Duration::from_millis(50);
/// It is looked up often from so long before it is due, and until so long after the last thing
/// that happened to it, in ms.
const EXPECTED_MS: i64 = 500;

/// A test message under way.
pub struct Probe {
    writer: Writer,
    queue: Queue,
    member: Vec<u8>,
    payload: Vec<u8>,
    /// The knowledge of it so far.
    probed: ProbedMessage,
    /// The server's time of the last look.
    looked: EpochMillis,
}

/// The knowledge of a test message. All times are of the server's clock.
#[derive(Clone, Debug)]
pub struct ProbedMessage {
    /// Its id.
    pub id: EntryId,
    /// When it was offered.
    pub offered: EpochMillis,
    /// When it was due.
    pub due: EpochMillis,
    /// It was the new head, so its due time was published with the offer.
    pub is_announced: bool,
    /// When it was first seen to have left timeouts.
    pub transferred: Option<EpochMillis>,
    /// When it was first seen to have left target.
    pub taken: Option<EpochMillis>,
    /// The most that these two may be too late, in ms.
    pub within_ms: i64,
    /// Its fate.
    pub fate: ProbeFate,
}

/// The fate of a test message.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ProbeFate {
    /// A consumer took it.
    Taken,
    /// Nobody took it from target, so we did.
    NotTaken,
    /// Nobody transferred it, so it was deleted from timeouts.
    NotTransferred,
    /// It is in target, too far down to be seen.
    OutOfSight,
}

impl ProbeFate {
    /// The word for it in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Taken => "taken",
            Self::NotTaken => "not-taken",
            Self::NotTransferred => "not-transferred",
            Self::OutOfSight => "out-of-sight",
        }
    }
}

impl ProbedMessage {
    /// The time from its due time until it was transferred, in ms.
    #[must_use]
    pub fn late_ms(&self) -> Option<i64> {
        self.transferred.map(|at| at.since(self.due))
    }

    /// The time that it lay in target, in ms.
    #[must_use]
    pub fn in_target_ms(&self) -> Option<i64> {
        Some(self.taken?.since(self.transferred?))
    }
}

impl Probe {
    /// Offers a message, due after so many ms, and writes that down. Fails before when an equal one
    /// is there: they could not be told apart.
    pub async fn offer(
        writer: &Writer,
        queue: &Queue,
        payload: &[u8],
        (form, after_ms): (Form, i64),
        noted: &mut ActivityRecord,
    ) -> Result<Self, StoreError> {
        const ATTEMPT: &str = "offer a test message";
        let store = writer.store();
        let impossible = |why: String| writer.impossible(ATTEMPT, why);
        let member = if queue.has_frames() {
            let id = form.fresh_id().map_err(|why| impossible(why.to_string()))?;
            frame::encode(form, id, payload)
        } else {
            payload.to_vec()
        };
        let seen = whereabouts(store, queue, &member, payload).await?;
        if seen.waits || seen.is_delivered == Some(true) {
            return Err(impossible(
                "an equal message is there; give another payload".to_owned(),
            ));
        }
        let due = seen.at.plus(after_ms);
        let members = [(due, member.clone())];
        let written = noted.offering(&members).await;
        written.map_err(|why| impossible(why.0))?;
        let added = writer.offer(queue, members.to_vec()).await;
        let outcome = match &added {
            Ok(_) => Outcome::Done,
            Err(why) if why.outcome_unknown() => Outcome::Unknown,
            Err(_) => Outcome::Left,
        };
        // That the journal cannot be written does not undo what was done; its end tells it.
        let _ = noted.offered(std::iter::once(outcome)).await;
        let added = added?;
        if !added.done.refused.is_empty() {
            return Err(impossible("an equal message waits already".to_owned()));
        }
        Ok(Self {
            probed: ProbedMessage {
                id: queue.id(&member),
                offered: seen.at,
                due,
                is_announced: added.done.head == Head::Announced,
                transferred: None,
                taken: None,
                within_ms: 0,
                fate: ProbeFate::NotTransferred,
            },
            writer: writer.clone(),
            queue: queue.clone(),
            member,
            payload: payload.to_vec(),
            looked: seen.at,
        })
    }

    /// Follows it until a consumer has taken it, or nothing has happened to it for `patience`.
    /// Dropped before, what was seen so far stays known.
    pub async fn follow(&mut self, patience: Duration) -> Result<(), StoreError> {
        let store = self.writer.store().clone();
        let patience = i64::try_from(patience.as_millis()).unwrap_or(i64::MAX);
        loop {
            let seen = self.look(&store).await?;
            match self.probed.fate {
                ProbeFate::Taken | ProbeFate::OutOfSight => return Ok(()),
                ProbeFate::NotTaken | ProbeFate::NotTransferred => {}
            }
            let last = self.probed.transferred.unwrap_or(self.probed.due);
            let since = seen.at.since(last);
            if since > patience {
                return Ok(());
            }
            let pause = match since {
                ..AT_ONCE_FROM_MS => {
                    Duration::from_millis((-since - EXPECTED_MS).max(2).unsigned_abs())
                }
                AT_ONCE_FROM_MS..AT_ONCE_UNTIL_MS => continue,
                AT_ONCE_UNTIL_MS..EXPECTED_MS => CLOSE,
                _ => SLOW,
            };
            sleep(pause).await;
        }
    }

    async fn look(&mut self, store: &Store) -> Result<Whereabouts, StoreError> {
        let seen = whereabouts(store, &self.queue, &self.member, &self.payload).await?;
        let gap = seen.at.since(self.looked);
        self.looked = seen.at;
        let probed = &mut self.probed;
        if seen.waits {
            return Ok(seen);
        }
        if probed.transferred.is_none() {
            // What was transferred was due.
            probed.within_ms = probed
                .within_ms
                .max(gap.min(seen.at.since(probed.due)).max(0));
            probed.transferred = Some(seen.at);
            probed.fate = ProbeFate::NotTaken;
        }
        match seen.is_delivered {
            Some(true) => {}
            Some(false) => {
                probed.within_ms = probed.within_ms.max(gap);
                probed.taken = Some(seen.at);
                probed.fate = ProbeFate::Taken;
            }
            None => probed.fate = ProbeFate::OutOfSight,
        }
        Ok(seen)
    }

    /// Takes it back when nobody took it: the queue is as if it had never been offered.
    pub async fn end(mut self) -> Result<ProbedMessage, StoreError> {
        if !matches!(
            self.probed.fate,
            ProbeFate::NotTaken | ProbeFate::NotTransferred
        ) {
            return Ok(self.probed);
        }
        let chosen = ChosenEntry {
            member: self.member.clone(),
            score: self.queue.score(self.probed.due),
        };
        let deleted = self.writer.delete(&self.queue, &[chosen]).await?;
        let is_deleted = |fate: Option<Fate>| fate == Some(Fate::Done);
        if is_deleted(deleted.done.first().map(|deleted| deleted.fate)) {
            return Ok(self.probed);
        }
        // It has been transferred, perhaps just now.
        let discarding =
            self.writer
                .discard_from(&self.queue, std::slice::from_ref(&self.payload), End::Tail);
        let discarded = discarding.await?;
        let store = self.writer.store().clone();
        let fate = if is_deleted(discarded.done.first().copied()) {
            ProbeFate::NotTaken
        } else {
            ProbeFate::Taken
        };
        self.look(&store).await?;
        self.probed.fate = fate;
        if fate == ProbeFate::NotTaken {
            self.probed.taken = None;
        }
        Ok(self.probed)
    }
}
