//! Where a worker looks: behind what it has passed, and now and then from the beginning.

use std::time::{Duration, Instant};

use crate::store::write::DueCursor;

/// So few members that were passed are looked at again each time: nothing is missed then that comes to
/// stand before one of them.
const FEW: usize = 500;
/// So long after the end of a round another one begins, at least.
const PAUSE: Duration = Duration::from_secs(10);
/// How many times as long as the server was kept by a round.
const CALM: u32 = 50;

/// All that is due, looked at once, by as many scripts as that takes.
#[derive(Debug, Default)]
pub(super) struct Round {
    cursor: DueCursor,
    /// Members passed since it began.
    passed: usize,
    /// It was begun to see whether something has come to stand where the one before had looked, and
    /// has moved nothing so far.
    confirms: bool,
    /// The server was kept for so long since it began.
    took: Duration,
    /// Its end: only what falls due later is looked at until the next one.
    ended: Option<Instant>,
}

impl Round {
    /// Where the next script is to look.
    pub(super) fn cursor(&mut self, now: Instant) -> DueCursor {
        let again = |ended: Instant| self.passed <= FEW || now >= ended + self.pause();
        if self.ended.is_some_and(again) {
            *self = Self::default();
        }
        self.cursor.clone()
    }

    /// How long the next one is waited for.
    fn pause(&self) -> Duration {
        PAUSE.max(self.took.saturating_mul(CALM))
    }

    /// A script has passed so many, and was at the end of what is due or not.
    pub(super) fn went_on(&mut self, to: DueCursor, passed: usize, took: Duration) {
        self.cursor = to;
        if self.ended.is_none() {
            self.passed += passed;
            self.took += took;
        }
    }

    /// All that is due was looked at.
    pub(super) fn ended(&mut self, now: Instant) {
        self.ended.get_or_insert(now);
    }

    /// Begins once more, to see whether something has come to stand where this one had looked.
    pub(super) fn begin_again(&mut self) {
        *self = Self {
            confirms: true,
            ..Self::default()
        };
    }

    /// A script has moved something.
    pub(super) const fn moved(&mut self) {
        self.confirms = false;
    }

    /// True when all that is due was looked at by a single script, or a second time in vain.
    pub(super) const fn is_sure(&self) -> bool {
        self.confirms || self.cursor.is_beginning()
    }

    /// Members stand before the place where it looks.
    pub(super) const fn has_passed(&self) -> bool {
        !self.cursor.is_beginning()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::instant;

    #[test]
    fn what_was_passed_is_looked_at_again_when_it_is_little_or_after_a_while() {
        let now = instant();
        let begun = |passed, took| {
            let mut round = Round::default();
            round.went_on(DueCursor::at("5 1 x"), passed, took);
            round
        };
        let mut few = begun(FEW, Duration::ZERO);
        assert!(few.cursor(now) == DueCursor::at("5 1 x"), "it is under way");
        few.ended(now);
        assert!(few.cursor(now).is_beginning());
        for (took, pause) in [(1, 10), (1_000, 50)] {
            let mut many = begun(FEW + 1, Duration::from_millis(took));
            many.ended(now);
            let again = now + Duration::from_secs(pause);
            let shortly_before = again.checked_sub(Duration::from_millis(1)).unwrap();
            assert!(!many.cursor(shortly_before).is_beginning());
            many.went_on(DueCursor::at("6 1 x"), 1, Duration::from_secs(1));
            many.ended(again);
            assert!(many.cursor(again).is_beginning());
        }
    }
}
