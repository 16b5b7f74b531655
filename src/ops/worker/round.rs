//! The place where a worker looks: behind what it has passed, and now and then from the beginning.

use std::time::{Duration, Instant};

use crate::store::write::DueCursor;

/// The largest number of passed members that are looked at again each time: nothing is missed then
/// that comes to stand before one of them.
const MOST_PASSED_LOOKED_AT: usize = 500;
/// The least time from the end of a round to the start of another one.
const PAUSE: Duration = Duration::from_secs(10);
/// The same as a multiple of the time for which a round kept the server.
const CALM: u32 = 50;
/// The same, and the whole pause, when something has come to stand where it had looked.
const SOON: u32 = 10;

/// All that is due, looked at once, by as many scripts as that takes.
#[derive(Debug, Default)]
pub(super) struct DueRound {
    cursor: DueCursor,
    /// Members passed since it began.
    passed: usize,
    /// Due members before the cursor when it was there last.
    left: usize,
    /// More are there now: something has come to stand where it had looked.
    missed: bool,
    /// It was begun to see whether something has come to stand where the one before had looked, and
    /// has moved nothing so far.
    confirms: bool,
    /// The server was kept for so long since it began.
    took: Duration,
    /// Its end: only what falls due later is looked at until the next one.
    ended: Option<Instant>,
}

impl DueRound {
    /// Returns the place where the next script is to look.
    pub(super) fn cursor(&mut self, now: Instant) -> DueCursor {
        let again =
            |ended: Instant| self.passed <= MOST_PASSED_LOOKED_AT || now >= ended + self.pause();
        if self.ended.is_some_and(again) {
            *self = Self::default();
        }
        self.cursor.clone()
    }

    /// Returns how long the next one is waited for.
    fn pause(&self) -> Duration {
        if self.missed {
            self.took.saturating_mul(SOON)
        } else {
            PAUSE.max(self.took.saturating_mul(CALM))
        }
    }

    /// A script has passed so many members, behind those `ahead` of where it began.
    pub(super) fn went_on(&mut self, to: DueCursor, [ahead, passed]: [usize; 2], took: Duration) {
        self.missed |= ahead > self.left;
        self.left = ahead + passed;
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

    /// True when all that is due was looked at by a single script, or a second time in vain, while
    /// nothing came to stand where it had looked.
    pub(super) const fn is_sure(&self) -> bool {
        !self.missed && (self.confirms || self.cursor.is_beginning())
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
            let mut round = DueRound::default();
            round.went_on(DueCursor::at("5 1 x"), [0, passed], took);
            round
        };
        let mut few = begun(MOST_PASSED_LOOKED_AT, Duration::ZERO);
        assert!(few.cursor(now) == DueCursor::at("5 1 x"), "it is under way");
        few.ended(now);
        assert!(few.cursor(now).is_beginning());
        for (took, pause) in [(1, 10), (1_000, 50)] {
            let mut many = begun(MOST_PASSED_LOOKED_AT + 1, Duration::from_millis(took));
            many.ended(now);
            let again = now + Duration::from_secs(pause);
            let shortly_before = again.checked_sub(Duration::from_millis(1)).unwrap();
            assert!(!many.cursor(shortly_before).is_beginning());
            many.went_on(
                DueCursor::at("6 1 x"),
                [MOST_PASSED_LOOKED_AT + 1, 1],
                Duration::from_secs(1),
            );
            many.ended(again);
            assert!(many.cursor(again).is_beginning());
        }
    }

    #[test]
    fn what_comes_to_stand_where_it_had_looked_is_looked_for_soon() {
        let now = instant();
        let at = |score: u32| DueCursor::at(&format!("{score} 1 x"));
        let took = Duration::from_millis(20);
        let mut round = DueRound::default();
        round.begin_again();
        round.went_on(at(5), [0, 500], took);
        round.went_on(at(6), [500, 100], took);
        assert!(round.is_sure());
        // One of them was removed by others, and one was added: then another one.
        round.went_on(at(6), [599, 0], took);
        round.ended(now);
        assert!(round.is_sure() && !round.cursor(now).is_beginning());
        round.went_on(at(6), [600, 0], took);
        assert!(!round.is_sure(), "one stands before the cursor");
        let soon = SOON * 3 * took;
        let shortly_before = (now + soon).checked_sub(took).unwrap();
        assert!(!round.cursor(shortly_before).is_beginning());
        assert!(round.cursor(now + soon).is_beginning());
        round.begin_again();
        assert!(round.is_sure());
    }
}
