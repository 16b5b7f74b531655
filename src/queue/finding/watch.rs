//! The memory of a queue from one read to the next, since most rules need two looks.

mod exact;
mod expiry;
mod sampling;
mod standing;
mod twins;

use std::collections::VecDeque;
use std::sync::Arc;

pub(super) use self::exact::LASTS_MS;
pub(super) use self::expiry::ExpiredEntries;
use self::expiry::Expiry;
pub(super) use self::sampling::{APART_MS, BEYOND_HAND_OVER, LEAST_GROWTH, LIES_MS};
pub(super) use self::standing::StandingTarget;
use self::standing::TargetMemory;
use self::twins::TwinSigns;
use super::PassedFinding;
use super::ledger::FindingLedger;
use super::slow_transfer::SlowBursts;
use crate::clock::EpochMillis;
use crate::queue::frames::{Fingerprint, Frames};
use crate::queue::{
    Announcement, Change, Due, EntryId, Exact, Known, Pulse, Queue, QueueLateness, Survey,
};

/// An entry that has stood still for so long will not say more, in ms.
const ACUTE_MS: i64 = 60_000;

/// An entry that is so much less late than another one, in ms, leaves with it by no clock.
const LESS_LATE_MS: i64 = 1_000;
/// Two looks so far apart are no chance, in ms.
const LOOKS_MS: i64 = 500;
/// The time in ms after a change of ours in which all is read again, or cannot be.
const READ_AGAIN_MS: i64 = 5_000;
/// The time in ms after the server was away in which nothing is told to be over: rules that watch
/// for some seconds have to begin anew.
const BACK_AGAIN_MS: i64 = 10_000;

/// One pulse, in short.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Beat {
    /// The server's time.
    pub at: EpochMillis,
    /// Entries in timeouts.
    pub waiting: Option<u64>,
    /// Entries of them that are late.
    pub late: Option<u64>,
    /// Length of the order list.
    pub order: Option<u64>,
    /// Length of target.
    pub target: Option<u64>,
    /// Clients subscribed to the channel.
    pub clients: Option<u64>,
    /// The time that the answer took, in ms of our clock.
    pub took_ms: u64,
    /// The entry that clients transfer next, and when it is due.
    pub first: Option<(EntryId, EpochMillis)>,
}

impl Beat {
    /// Compares the lengths of timeouts and order list; none when neither is the longer one.
    fn differ(&self) -> Option<std::cmp::Ordering> {
        let order = self.waiting?.cmp(&self.order?);
        Some(order).filter(|order| order.is_ne())
    }

    /// The other one shows the same entries, as far as a pulse tells.
    fn shows(&self, other: &Self) -> bool {
        let figures = |beat: &Self| (beat.waiting, beat.order, beat.target, beat.first);
        figures(self) == figures(other)
    }
}

/// An entry that has headed timeouts for a while.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct LastingHead {
    /// Its id.
    pub id: EntryId,
    /// When it is due.
    pub due: EpochMillis,
    /// The first pulse in a row that saw it there, by the server's clock.
    pub since: EpochMillis,
    /// The last one.
    pub until: EpochMillis,
}

/// An entry has left the head of timeouts, between two pulses.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Departure {
    /// When it was due.
    pub due: EpochMillis,
    /// At least so long before that, in ms; negative: after it.
    pub least_ms: i64,
    /// At most so long before that, in ms.
    pub most_ms: i64,
    /// Target has grown meanwhile: it was transferred, and not cancelled.
    pub delivered: bool,
    /// Another one left with it that was much less late: who transfers looks seldom, and takes what
    /// is due by then.
    pub takes_others: bool,
}

/// The memory of all reads of a queue so far.
#[derive(Clone, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and none excludes another"
)]
pub struct Watch {
    /// The pulses of the last minutes, oldest first: at most [`Watch::BEATS`], no two nearer to
    /// each other than half a second but the last two.
    pub beats: VecDeque<Beat>,
    /// The first and the last of the pulses in a row that saw nobody subscribed, by the server's
    /// clock.
    pub unattended: Option<(EpochMillis, EpochMillis)>,
    /// The entry that heads timeouts.
    pub still: Option<LastingHead>,
    /// The departures of the last entries from the head of timeouts, oldest first; at most
    /// [`Watch::LEADS`].
    pub leads: VecDeque<Departure>,
    /// Number of members of the order list that were aside in the last survey, and since when that
    /// is so, by the server's clock.
    pub aside: Option<(u64, EpochMillis)>,
    /// Number of elements that the intake of our consumers held in the last survey, and since when
    /// that is so, by the server's clock.
    pub intake: Option<(u64, EpochMillis)>,
    /// The last samples of the members, oldest first; at most [`Watch::SAMPLES`].
    pub frames: VecDeque<Arc<Frames>>,
    /// When somebody kicked last.
    pub kicked: Option<EpochMillis>,
    /// When we kicked last, as the journal tells: before the first pulse.
    pub kicked_before: Option<EpochMillis>,
    /// The last announcement, but for kicks: when it was heard, and the due time that it tells.
    /// None since a kick, which puts right whatever it said.
    pub said: Option<(EpochMillis, EpochMillis)>,
    /// The elements that stand in target, as far as they are known.
    target: TargetMemory,
    /// The signs of the other queue that has the same keys.
    twins: TwinSigns,
    /// The server was away, and the pulses that are kept are from after that.
    was_away: bool,
    /// A change of this program is under way at this queue.
    pub changing: bool,
    /// It takes elements from target: what goes there meanwhile, nobody has consumed.
    pub takes_from_target: bool,
    /// The last span in which one did, from the last pulse before it to the last one in it.
    pub(super) taken_by_us: Option<(EpochMillis, EpochMillis)>,
    /// A change of this program is under way at another queue of the server, such as `transfer of
    /// orders`.
    pub beside: Option<String>,
    /// Another queue of the server whose transfers keep it from all else, or did until a moment ago.
    pub blocked_by: Option<String>,
    /// The last pulse that was read while one did.
    blocked_at: Option<EpochMillis>,
    /// The first sample of it has been asked for, and is still to come.
    pub awaits_sample: bool,
    /// The last pulse that was read while one was, by the server's clock.
    pub changed: Option<EpochMillis>,
    /// The last change of this program that is over, and when it was.
    pub(super) ours: Option<(Change, EpochMillis)>,
    /// When the number of late ones rose last, which was seen by the second of these pulses, and not
    /// by the first.
    rose: Option<[EpochMillis; 2]>,
    /// When the first one was due that was not late at the last pulse.
    next: Option<EpochMillis>,
    /// The lowest score when it was last seen, where it is no due time, and the moment of that.
    pub(super) lowest: Option<(EpochMillis, Option<f64>)>,
    /// The expiry of timeouts, as long as it has not run out.
    expiry: Option<Expiry>,
    /// The entries that the last one which did has taken.
    pub(super) expired: Option<ExpiredEntries>,
    /// The payloads that were seen to be delivered again and again.
    pub(super) redelivered: Vec<Fingerprint>,
    /// The bursts during which transfers were slow.
    pub(super) bursts: SlowBursts,
    /// The last look that found what stops every transfer.
    pub(super) stopped: Option<EpochMillis>,
    /// The last look that found why entries are late.
    pub(super) explained: Option<EpochMillis>,
    /// Stand-in workers of this session that are subscribed to the queue's channel.
    pub own_workers: u64,
    /// The lateness of what has left timeouts.
    pub lateness: QueueLateness,
    /// By the last pulse, nobody else transfers.
    transfers_alone: bool,
    /// The last that our worker moved, it moved in bulk.
    moves_in_bulk: bool,
    /// The last look at all members.
    exact: Option<Arc<Exact>>,
    /// The end of our last change that mends what such a look finds.
    mended: Option<EpochMillis>,
    /// The last pulse before the last sample.
    sampled: Option<Beat>,
    /// The moment since which a sample is on its way; the epoch: since before the first pulse.
    asked: Option<EpochMillis>,
    /// The largest member seen, in bytes.
    largest: usize,
    /// All that has been found before.
    pub(super) ledger: FindingLedger,
    /// The last words of the rules need a fresh look at the server.
    pub(super) presses: bool,
}

impl Watch {
    /// Pulses kept.
    pub const BEATS: usize = 240;
    /// Departures kept.
    pub const LEADS: usize = 12;
    /// Samples kept.
    pub const SAMPLES: usize = 4;

    /// A pulse has been read.
    pub fn saw(&mut self, pulse: &Pulse) {
        let beat = Beat {
            at: pulse.at,
            waiting: pulse.waiting.get(),
            late: pulse.late.get(),
            order: pulse.order.get(),
            target: pulse.target.get(),
            clients: pulse.transfer_clients.get(),
            took_ms: pulse.took_ms,
            first: pulse
                .first
                .as_ref()
                .and_then(|one| Some((one.id, one.due_at()?))),
        };
        if self.beats.back().is_some_and(|last| last.at > beat.at) {
            // A clock that was set back begins anew.
            self.interrupted();
        }
        self.unattended = match pulse.transfer_clients {
            Known::Is(0) => {
                let first = self.unattended.map_or(pulse.at, |(first, _)| first);
                Some((first, pulse.at))
            }
            _ => None,
        };
        if self.blocked_by.is_some() {
            self.blocked_at = Some(beat.at);
        }
        if pulse.sees_head() {
            let lowest = match pulse.head {
                Some(Due::OutOfRange(score)) => Some(score),
                _ => None,
            };
            self.lowest = Some((pulse.at, lowest));
        }
        self.twins.pulsed(pulse);
        if let Some(first) = &pulse.first {
            self.largest = self.largest.max(first.bytes);
        }
        if self.asked == Some(EpochMillis::default()) {
            self.asked = Some(beat.at);
        }
        if self.changing {
            self.exact = None;
            self.changed = Some(beat.at);
        }
        self.expires(&beat);
        self.departs(&beat);
        // What was given a due time in the past did not fall due.
        let fell_due = self.next.is_some_and(|next| next <= beat.at);
        if let Some(last) = self.beats.back()
            && last.late.is_some()
            && beat.late > last.late
            && fell_due
        {
            self.rose = Some([last.at, beat.at]);
        }
        self.next = pulse.next.and_then(Due::at);
        let before = self.beats.back().map(|before| before.at);
        if self.takes_from_target {
            self.takes_by_us(beat.at);
        }
        let ours = self.taken_by_us.is_some_and(|(_, to)| Some(to) >= before);
        self.target.saw(&beat, ours);
        self.still = beat.first.map(|(id, due)| LastingHead {
            id,
            due,
            since: match self.still {
                Some(still) if (still.id, still.due) == (id, due) => still.since,
                _ => beat.at,
            },
            until: beat.at,
        });
        self.keep(beat);
    }

    /// A pulse has been read, with its rows if it has any: what has left timeouts since the last one,
    /// and how late.
    pub fn saw_lateness(&mut self, queue: &Queue, pulse: &Pulse) {
        let is_ours = pulse.transfer_clients == Known::Is(self.own_workers);
        self.transfers_alone = self.own_workers > 0 && is_ours;
        let is_told_exactly = self.transfers_alone && !self.moves_in_bulk;
        if self.changing || is_told_exactly {
            self.lateness.forget();
        } else {
            self.lateness.saw(queue, pulse);
        }
    }

    /// Takes in how late each of the messages was that a worker of ours has moved, in ms; none: it
    /// moves in bulk, and what pulses see is all that is known.
    pub fn worker_moved(&mut self, at: EpochMillis, late_ms: &[i64]) {
        self.moves_in_bulk = late_ms.is_empty();
        // Beside other clients, pulses see what leaves, whoever moves it.
        if self.transfers_alone {
            self.lateness.transferred(at, late_ms);
        }
    }

    /// When the entry that headed timeouts has left: how long before or after its due time.
    fn departs(&mut self, beat: &Beat) {
        let Some(still) = self.still else { return };
        let left = beat.first.is_none_or(|(id, _)| id != still.id);
        // A new head that is due earlier has only pushed it back.
        let pushed = beat.first.is_some_and(|(_, due)| due < still.due);
        // Whoever transfers it has waited for the server.
        let waited = self.blocked_at >= Some(still.due);
        if !left || pushed || waited || self.changing {
            return;
        }
        let last = self.beats.back();
        let before = last.and_then(|last| last.target);
        let was_late = |still: LastingHead| still.until.since(still.due);
        // The youngest of those that were late fell due between these two pulses.
        let takes_others = last.is_some_and(|last| last.late >= Some(2))
            && self.rose.is_some_and(|[from, to]| {
                let has_left = beat.first.is_none_or(|(_, due)| due > to);
                has_left && was_late(still) - beat.at.since(from) > LESS_LATE_MS
            });
        self.leads.push_back(Departure {
            due: still.due,
            least_ms: still.due.since(beat.at),
            most_ms: still.due.since(still.until),
            delivered: beat.target > before,
            takes_others,
        });
        if self.leads.len() > Self::LEADS {
            self.leads.pop_front();
        }
    }

    fn keep(&mut self, beat: Beat) {
        let count = self.beats.len();
        if count >= 2 && beat.at.since(self.beats[count - 2].at) < 500 {
            self.beats.pop_back();
        }
        self.beats.push_back(beat);
        if self.beats.len() > Self::BEATS {
            self.beats.pop_front();
        }
    }

    /// A survey has been read.
    pub fn surveyed(&mut self, survey: &Survey) {
        let still = |now: Option<u64>, before: Option<(u64, EpochMillis)>| {
            now.map(|length| match before {
                // A clock that was set back begins anew.
                Some((before, since)) if before == length => (length, since.min(survey.at)),
                _ => (length, survey.at),
            })
        };
        self.aside = still(survey.aside, self.aside);
        let intake = survey.held.map(|held| held.intake);
        self.intake = still(intake.filter(|count| *count > 0), self.intake);
        self.surveyed_expiry(survey);
        if let Some(frames) = &survey.frames {
            self.largest = frames.largest;
            self.sampled = self.beats.back().copied();
            self.asked = None;
            self.frames.push_back(Arc::new((**frames).clone()));
            if self.frames.len() > Self::SAMPLES {
                self.frames.pop_front();
            }
            self.sampled_target();
            self.twins.saw(frames);
        }
    }

    /// Something was published on the queue's channel.
    pub fn announced(&mut self, announcement: &Announcement) {
        if announcement.message == b"0" {
            self.kicked = Some(announcement.at);
        }
        let due = announcement.due().filter(|due| due.get() > 0);
        self.said = due.map(|due| (announcement.at, due));
    }

    /// A change of this program is over, at that moment of the server's clock: a quick one falls
    /// between two pulses. What a look at all members has found before a repair is no longer so.
    pub fn changed_by_us(&mut self, change: Change, at: EpochMillis) {
        if change == Change::Kick {
            return;
        }
        if exact::is_mended_by(change) {
            self.exact = None;
            self.mended = Some(at);
        }
        if matches!(change, Change::Delete | Change::Requeue | Change::Undo) {
            self.takes_by_us(at);
        }
        self.lateness.forget();
        self.changed = self.changed.max(Some(at));
        self.ours = Some((change, at));
    }

    /// A change of this program takes elements from target, or has taken some, at that moment.
    fn takes_by_us(&mut self, at: EpochMillis) {
        let before = self.beats.back().map_or(at, |before| before.at.min(at));
        self.taken_by_us = Some(match self.taken_by_us {
            Some((from, to)) if to >= before => (from, to.max(at)),
            _ => (before, at),
        });
    }

    /// Tells whether a change of this program has taken elements from target between these two
    /// moments.
    pub(super) fn is_taken_by_us(&self, from: EpochMillis, to: EpochMillis) -> bool {
        let ours = self.taken_by_us;
        ours.is_some_and(|(begun, ended)| begun <= to && ended >= from)
    }

    /// The order list was sorted by this program, to the end.
    pub const fn sorted_by_us(&mut self, at: EpochMillis) {
        self.bursts.sorted(at);
    }

    /// Pulse and survey, which are of these moments, are from after the last change of ours; what
    /// has not come after so long does not come.
    #[must_use]
    pub(super) fn is_read_again(&self, times: [Option<EpochMillis>; 2]) -> bool {
        let newest = times.into_iter().flatten().max();
        self.ours.zip(newest).is_none_or(|((_, changed), newest)| {
            let after = |at: EpochMillis| at > changed;
            times.into_iter().flatten().all(after) || newest.since(changed) > READ_AGAIN_MS
        })
    }

    /// The server has come back so shortly ago that rules which find nothing have not watched for
    /// long enough to say that what they told before is over.
    #[must_use]
    pub(super) fn is_back_again(&self) -> bool {
        self.was_away && self.ours.is_none() && self.watched_ms() < BACK_AGAIN_MS
    }

    /// The server was away: what was true before it says nothing of what is.
    pub fn interrupted(&mut self) {
        self.was_away |= !self.beats.is_empty();
        (self.unattended, self.still, self.exact) = (None, None, None);
        (self.said, self.expiry, self.lowest, self.rose) = (None, None, None, None);
        self.lateness.forget();
        (self.changed, self.ours) = (None, None);
        (self.stopped, self.explained) = (None, None);
        self.beats.clear();
        self.leads.clear();
    }

    /// Keeps telling of that finding when it has gone, until another one or none is named: somebody
    /// is at it.
    pub fn hold_finding(&mut self, id: Option<&'static str>) {
        self.ledger.held = id;
    }

    /// The last sample.
    #[must_use]
    pub fn sample(&self) -> Option<&Frames> {
        self.frames.back().map(AsRef::as_ref)
    }

    /// Returns the time for which the entry that heads timeouts has headed it in answered pulses,
    /// and its lateness in the last of them, both in ms; the lateness is negative when it is not
    /// due.
    #[must_use]
    pub fn standing(&self) -> Option<(i64, i64)> {
        let still = self.still?;
        Some((still.until.since(still.since), still.until.since(still.due)))
    }

    /// The moment since which all pulses have seen timeouts and order list differ in length, the
    /// same one being the longer; as far as that was watched.
    #[must_use]
    pub fn differ_since(&self) -> Option<EpochMillis> {
        let now = self.beats.back()?.differ()?;
        let beats = self.beats.iter().rev();
        let same = beats.take_while(|beat| beat.differ() == Some(now));
        same.last().map(|beat| beat.at)
    }

    /// Timeouts and order list differ in length, and not only in one look: who writes both without
    /// a script is seen in between now and then.
    #[must_use]
    pub fn differ(&self) -> bool {
        let last = self.beats.back();
        let since = self.differ_since().zip(last);
        since.is_some_and(|(since, last)| last.at.since(since) >= LOOKS_MS)
    }

    /// The pulses of the last so many ms.
    #[must_use]
    pub fn last(&self, ms: i64) -> impl DoubleEndedIterator<Item = &Beat> {
        let end = self.beats.back().map(|beat| beat.at);
        let recent = move |beat: &&Beat| end.is_some_and(|end| end.since(beat.at) <= ms);
        self.beats.iter().filter(recent)
    }

    /// A fresh look at the server may tell more: rules that go by it had something to say, or an
    /// entry has come to a standstill of late.
    #[must_use]
    pub fn presses_for_look(&self) -> bool {
        let lately = self.standing().is_some_and(|(stood, _)| stood < ACUTE_MS);
        self.presses || lately && self.stands_still()
    }

    /// Findings that are over, the newest first: at most twenty, not those that are still told
    /// as just gone.
    pub fn passed(&self) -> impl Iterator<Item = &PassedFinding> {
        self.ledger.passed()
    }

    /// The same, and what has just gone before it.
    pub fn over(&self) -> impl Iterator<Item = PassedFinding> {
        self.ledger.over()
    }

    /// The time for which it has been watched without a break, in ms.
    #[must_use]
    pub fn watched_ms(&self) -> i64 {
        match (self.beats.front(), self.beats.back()) {
            (Some(first), Some(last)) => last.at.since(first.at),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests;
