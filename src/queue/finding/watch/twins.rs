//! The signs of the other queue that has the same keys, gathered from sample to sample: one in which
//! nothing is to be seen of it shows only that nothing was delivered or taken in that moment.

use super::Watch;
use crate::clock::EpochMillis;
use crate::queue::frames::Frames;
use crate::queue::{Pulse, Twin};

/// A sign counts for so long, in ms: longer than from one sample to the next.
const TWIN_LASTS_MS: i64 = 180_000;
/// Where the server tells of writes that follow one another quickly, a sign counts for so long, in ms,
/// or for this multiple of the longest time between two of them.
const LEAST_LASTS_MS: i64 = 30_000;
const GAPS: i64 = 4;
/// Writes that tell how quickly they follow one another.
const ENOUGH_WRITES: u32 = 4;
/// Two moments that are closer than this, in ms, may be those of one write: they are told as so long
/// ago, in messages of different speed.
const SAME_MS: i64 = 1_000;
/// A list that stood there, to which nobody was seen to write, may have been emptied by its consumers:
/// it has been cleared away when it has not come back for so long, in ms.
const COMES_BACK_MS: i64 = 60_000;

/// The time in ms after which it is told that nothing more is seen of a list; sooner where writes
/// followed one another quickly.
const QUIET_MS: i64 = 25_000;
const LEAST_QUIET_MS: i64 = 8_000;

/// A sample that is younger than this, in ms, is followed by the next one soon.
const YOUNG_MS: i64 = 10_000;

/// A sign that lasts: something was seen to be written to a list.
#[derive(Clone, Copy, Debug, Default)]
struct Writes {
    /// The last write that was seen.
    last: Option<EpochMillis>,
    /// Number of those that the server has told of.
    count: u32,
    /// The longest time between two of them, in ms.
    gap_ms: i64,
    /// By the last sample, something stands there.
    stands: bool,
    /// By the last sample, somebody writes still.
    go_on: bool,
}

impl Writes {
    /// A sample was read that tells of a write so many ms before it, or of none.
    fn saw(&mut self, at: EpochMillis, ago_ms: Option<i64>) {
        (self.go_on, self.stands) = (ago_ms.is_some(), ago_ms == Some(0));
        self.last = self.last.max(ago_ms.map(|ago_ms| at.plus(-ago_ms)));
    }

    /// The server has told of a write at this moment, maybe before.
    fn told(&mut self, at: Option<EpochMillis>) {
        // A sample has to look first: it tells whether the queue shares its keys.
        let Some((at, last)) = at.zip(self.last) else {
            return;
        };
        if at.since(last) >= SAME_MS {
            self.gap_ms = self.gap_ms.max(at.since(last));
            (self.last, self.count) = (Some(at), self.count.saturating_add(1));
        }
    }

    /// The time in ms for which a write counts.
    fn lasts_ms(&self) -> i64 {
        if self.count < ENOUGH_WRITES {
            return TWIN_LASTS_MS;
        }
        (self.gap_ms.saturating_mul(GAPS)).clamp(LEAST_LASTS_MS, TWIN_LASTS_MS)
    }

    /// Tells whether it counts at `now`; `sampled`: the time of the last sample.
    fn counts(&self, now: EpochMillis, sampled: EpochMillis) -> bool {
        let lately = |at: EpochMillis| now.since(at) < self.lasts_ms();
        // What is told as so long ago is over when that is long; what stands there is not.
        let holds = self.go_on && (self.count == 0 || self.stands);
        self.last.is_some_and(lately) || holds && now.since(sampled) < TWIN_LASTS_MS
    }
}

/// The signs, each with the last sample that showed it.
#[derive(Clone, Debug, Default)]
pub(super) struct TwinSigns {
    /// The last sample that showed anything of the other one.
    last: Option<(EpochMillis, Twin)>,
    stands: Option<EpochMillis>,
    /// Writes to the other one.
    written: Writes,
    /// The first sample of those without a pause that showed them.
    written_since: Option<EpochMillis>,
    /// Writes to the queue's own target.
    own: Writes,
    not_own: Option<EpochMillis>,
    /// The last write to the other one that a pulse has told of.
    told: Option<EpochMillis>,
    /// The moment up to which the server has told of writes, if there were any.
    heard: Option<EpochMillis>,
}

impl TwinSigns {
    /// A sample has been read.
    pub(super) fn saw(&mut self, frames: &Frames) {
        let at = frames.at;
        let twin = frames.twin.as_ref();
        let (before, written) = (self.written, twin.and_then(|twin| twin.written_ago_ms));
        self.written.saw(at, written);
        self.own.saw(at, twin.and_then(|twin| twin.own_ago_ms));
        let Some(twin) = twin else {
            if self.written.last.is_none() && !self.are_doubted(at) {
                // A list that only stood there, and to which nobody writes, has gone.
                *self = Self::default();
            }
            return;
        };
        if written.is_some() && !before.counts(at, at) {
            self.written_since = Some(at);
        }
        if twin.stands {
            self.stands = Some(at);
        }
        if twin.own == Some(false) {
            self.not_own = Some(at);
        }
        self.last = Some((at, twin.clone()));
    }

    /// A pulse has been read.
    pub(super) fn pulsed(&mut self, pulse: &Pulse) {
        let Some(told) = pulse.told.as_deref() else {
            return;
        };
        self.told = self.told.max(told.twin);
        self.heard = self.heard.max(Some(pulse.at));
        self.written.told(told.twin);
        self.own.told(told.own);
    }

    /// The moment up to which is known what was written: with each pulse where the server tells.
    fn known_to(&self, sampled: EpochMillis) -> EpochMillis {
        self.heard.map_or(sampled, |heard| heard.max(sampled))
    }

    /// A list stood there a moment ago, and another look tells whether it comes back.
    pub(super) fn are_doubted(&self, at: EpochMillis) -> bool {
        let lately = |stood: EpochMillis| at.since(stood) < COMES_BACK_MS;
        self.written.last.is_none() && self.stands.is_some_and(lately)
    }
}

impl Watch {
    /// The server has told of a write to the other one, and that, or whether this queue gets any, is
    /// not known for sure yet.
    pub(super) fn twin_presses(&self) -> bool {
        let last = self.sample().map(|sample| sample.at);
        self.twins.told > last && self.twin().is_none_or(|twin| twin.is_open())
    }

    /// The last sample has left open whether messages reach another queue: it is to be read again soon,
    /// in sight or not.
    pub(super) fn has_open_twin(&self) -> bool {
        let last = self.sample();
        last.is_some_and(|last| last.twin.as_ref().is_some_and(Twin::is_open))
    }

    /// The same, where the last sample is so young that the next one was not put off by others: of many
    /// queues that are looked at for the first time, each would be read with every refresh else. Of
    /// `few` queues each is listened to in its first seconds.
    #[must_use]
    pub fn wants_word_of_twin(&self, few: bool) -> bool {
        let young = |last: &Frames| {
            let beat = self.beats.back();
            beat.is_some_and(|beat| beat.at.since(last.at) < YOUNG_MS)
        };
        let is_new = few && self.watched_ms() < YOUNG_MS;
        is_new || self.has_open_twin() && self.sample().is_some_and(young)
    }

    /// The queue's own list was written to while the other one was.
    pub(in crate::queue::finding) fn were_mixed(&self) -> bool {
        let both = self.twins.written_since.zip(self.twins.own.last);
        both.is_some_and(|(since, own)| own >= since)
    }

    /// The time for which it is known that somebody writes to the other one, in ms.
    pub(in crate::queue::finding) fn twin_written_ms(&self) -> i64 {
        let last = self.sample().map(|sample| sample.at);
        let since = self
            .twins
            .written_since
            .filter(|_| self.twins.written.last.is_some());
        last.zip(since).map_or(0, |(last, since)| last.since(since))
    }

    /// The time in ms since which nothing was seen to reach the other list, or the queue's own (true),
    /// where that was looked for in vain, and the time after which it counts no more; none while both
    /// are written to.
    pub(in crate::queue::finding) fn twin_quiet_ms(&self) -> Option<(bool, [i64; 2])> {
        let TwinSigns { written, own, .. } = &self.twins;
        let at = self.twins.known_to(self.sample()?.at);
        let quiet = |writes: &Writes, stands: Option<EpochMillis>| {
            // What the last sample has shown may be over, where the server tells.
            let last = writes.last.filter(|_| !writes.go_on || writes.count > 0)?;
            let last = stands.map_or(last, |stands| stands.max(last));
            let lasts_ms = writes.lasts_ms();
            let is_quiet = at.since(last) >= QUIET_MS.min((lasts_ms / GAPS).max(LEAST_QUIET_MS));
            is_quiet.then(|| [at.since(last), lasts_ms])
        };
        let other = quiet(written, self.twins.stands).map(|ms| (false, ms));
        other.or_else(|| quiet(own, None).map(|ms| (true, ms)))
    }

    /// The other queue that has the same keys, by all samples of the last minutes; none when none of
    /// them shows anything of it. Where nothing is left of this queue, none are taken any more.
    pub(in crate::queue::finding) fn twin(&self) -> Option<Twin> {
        let signs = &self.twins;
        let beat = self.beats.back();
        let is_empty = |beat: &&super::Beat| {
            let counts = [beat.waiting, beat.order, beat.target];
            counts.iter().all(|count| *count == Some(0))
        };
        let sampled = self.sample()?.at;
        let now = beat
            .filter(is_empty)
            .map_or(sampled, |beat| beat.at.max(sampled))
            .max(signs.known_to(sampled));
        let counts = |at: Option<EpochMillis>| at.is_some_and(|at| now.since(at) < TWIN_LASTS_MS);
        let (_, last) = signs.last.as_ref().filter(|(at, _)| counts(Some(*at)))?;
        let ago_ms = |writes: &Writes| {
            let last = writes.last.filter(|_| writes.counts(now, sampled));
            last.map(|last| now.since(last))
        };
        let own_ago_ms = ago_ms(&signs.own);
        Some(Twin {
            name: last.name.clone(),
            stands: counts(signs.stands),
            written_ago_ms: ago_ms(&signs.written),
            own: match () {
                () if own_ago_ms.is_some() => Some(true),
                () if counts(signs.not_own) || signs.own.last.is_some() => Some(false),
                () => None,
            },
            own_ago_ms,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_writes_that_follow_one_another_quickly_each_counts_for_less_long() {
        let lasts_s = |every_s: i64, count: i64| {
            let mut writes = Writes::default();
            for n in 0..count {
                let at = EpochMillis::new(n * every_s * 1_000);
                writes.saw(at, (n == 0).then_some(0));
                writes.told(Some(at));
                // Each message tells it as so long ago, and was on its way for another time.
                writes.told(Some(at.plus(5)));
                writes.told(Some(at.plus(-5)));
            }
            writes.lasts_ms() / 1_000
        };
        assert_eq!([lasts_s(2, 4), lasts_s(2, 5)], [180, 30]);
        assert_eq!([lasts_s(20, 9), lasts_s(60, 9)], [80, 180]);
    }
}
