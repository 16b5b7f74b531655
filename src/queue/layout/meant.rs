//! The due times that were meant by scores that say no time, or the wrong one.

use super::{Due, Queue, Unit};
use crate::clock::EpochMillis;

/// From here on Redis prints a score as `1e+17`, which Redisson's `Long.valueOf` cannot read.
const MAX_SCORE: f64 = 1e17;
/// From here on a score in seconds says the year 5138: nobody means that, but milliseconds.
const MAX_SECONDS: f64 = 1e11;

/// The time that an entry waits which has overflowed or was never meant to fall due, in ms: 100
/// years.
pub const NEVER_MS: i64 = 3_155_760_000_000;

/// Seconds that somebody wrote for milliseconds lie within so many ms of now, when read as what
/// they are.
const NEAR_MS: i64 = 20 * 365 * 86_400_000;

impl Queue {
    /// From here on a score is no time.
    #[must_use]
    pub fn no_time(&self) -> f64 {
        match self.unit() {
            Unit::Millis => MAX_SCORE,
            Unit::Seconds => MAX_SECONDS,
        }
    }

    /// When an entry was meant to be due whose due time is so long ago that it makes sense only as
    /// seconds in a queue that counts milliseconds; none when it makes sense as it is.
    #[must_use]
    pub fn meant_in_seconds(&self, due: EpochMillis, now: EpochMillis) -> Option<EpochMillis> {
        if self.unit() != Unit::Millis || due.get() <= 0 {
            return None;
        }
        let meant = EpochMillis::new(due.get().saturating_mul(1_000));
        (now.since(meant).saturating_abs() < NEAR_MS).then_some(meant)
    }

    /// The scores from `.0` on and below `.2` are due times that make sense only as microseconds in
    /// a queue that counts milliseconds; those below `.1` were meant to be due by now. None in a
    /// queue that counts seconds, where milliseconds are [no time](Self::no_time) already.
    #[must_use]
    pub fn in_micros(&self, now: EpochMillis) -> Option<[f64; 3]> {
        let micros = |ms: i64| self.score(now.plus(ms)) * 1e3;
        let few = self.unit() == Unit::Millis;
        few.then(|| [micros(1 - NEAR_MS), micros(0), micros(NEAR_MS)])
    }

    /// When an entry was meant to be due whose score makes sense only in a finer unit than the
    /// queue's, such as micro- or nanoseconds for milliseconds; none when it makes none there
    /// either.
    #[must_use]
    pub fn meant_finer(&self, score: f64, now: EpochMillis) -> Option<EpochMillis> {
        #[expect(clippy::cast_possible_truncation, reason = "saturates")]
        let read = |by: f64| EpochMillis::new((self.ms(score) / by) as i64);
        let near = |meant: &EpochMillis| now.since(*meant).saturating_abs() < NEAR_MS;
        [1e3, 1e6, 1e9].map(read).into_iter().find(near)
    }

    /// When an entry is to be due whose score is no time, or not the one that was meant. One that
    /// makes sense in a finer unit: then. One below 0 is long past: now. What else is below -1e17
    /// or above 1e17 has overflowed: in [`NEVER_MS`], which delivers nothing that nobody wanted.
    #[must_use]
    pub fn meant(&self, score: f64, now: EpochMillis) -> Option<EpochMillis> {
        match (self.due(score), self.meant_finer(score, now)) {
            (_, Some(meant)) => Some(meant),
            (Due::At(_), None) => None,
            (Due::OutOfRange(score), None) if score < 0.0 && score > -1e17 => Some(now),
            (Due::OutOfRange(_), None) => Some(now.plus(NEVER_MS)),
        }
    }
}
