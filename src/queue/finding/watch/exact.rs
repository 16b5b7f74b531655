//! A look at all members: how long it tells something, and when it is time for another.

use std::sync::Arc;

use super::sampling::AGAIN_MS;
use super::{Beat, Watch};
use crate::clock::EpochMillis;
use crate::queue::exact::ListDifferences;
use crate::queue::{Change, Exact};

/// A look at all members tells something for so long, in ms.
const EXACT_MS: i64 = 600_000;
/// A look that found something is taken again after this, in ms, by whoever watches on.
const ODD_MS: i64 = 30_000;
/// No look is taken before so many times as long as the last one took.
const RESTS: i64 = 20;
/// The members of timeouts, order list and target, and their bytes, up to which a look at all of
/// them costs little.
const LITTLE_MEMBERS: u64 = 5_000;
const LITTLE_BYTES: u64 = 4_000_000;
/// Timeouts and order list have disagreed in all pulses of this time, in ms: who writes both
/// without a script is not caught in between.
pub(in crate::queue::finding) const LASTS_MS: i64 = 1_000;

/// Tells whether a change mends what a look at all members finds.
pub(super) const fn is_mended_by(change: Change) -> bool {
    let leaves = matches!(
        change,
        Change::Kick
            | Change::Transfer
            | Change::Deliver
            | Change::Requeue
            | Change::Delete
            | Change::Edit
            | Change::Duplicate
    );
    !leaves
}

impl Watch {
    /// All members have been looked at. What was read before a repair of ours was over is no longer so.
    pub fn examined(&mut self, exact: Exact) {
        let amid = self.mended.is_some_and(|at| at >= exact.from);
        if !self.changing && !amid {
            self.exact = Some(Arc::new(exact));
        }
    }

    /// The last look at all members, while it tells anything of what is there now: our own changes
    /// end that, and time does.
    #[must_use]
    pub fn exact(&self) -> Option<&Exact> {
        let exact = self.exact.as_deref()?;
        let age = self.beats.back().map_or(0, |beat| beat.at.since(exact.at));
        (!self.changing && age < EXACT_MS).then_some(exact)
    }

    /// The differences between timeouts and order list by the last look at all members, as long as
    /// their lengths bear it out.
    #[must_use]
    pub fn differences(&self) -> Option<(&Exact, &ListDifferences)> {
        let exact = self.exact()?;
        let drift = exact.drift.as_ref().filter(|drift| !drift.aside)?;
        (!self.balance_moved(exact)).then_some((exact, drift))
    }

    /// All members are to be looked at (again): nobody has, timeouts and order list have come to
    /// differ by another number since then, or whoever mends what that look found wants to see it.
    #[must_use]
    pub fn wants_exact(&self) -> bool {
        let (Some(beat), false) = (self.beats.back(), self.changing) else {
            return false;
        };
        let Some(exact) = self.exact() else {
            return beat.waiting > Some(0) || beat.order > Some(0) || beat.target > Some(0);
        };
        let age = beat.at.since(exact.at);
        // A look that took long is not taken again at once.
        let rests = exact
            .at
            .since(exact.from)
            .saturating_mul(RESTS)
            .max(AGAIN_MS);
        let odd = exact.is_odd() && age >= ODD_MS;
        age >= rests && (odd || self.balance_moved(exact))
    }

    /// The time of the last look at all members, whether it still tells anything or not.
    #[must_use]
    pub fn examined_at(&self) -> Option<EpochMillis> {
        self.exact.as_deref().map(|exact| exact.at)
    }

    /// A look at all members is wanted, tells how timeouts and order list differ, and costs little:
    /// nobody has to ask for it.
    #[must_use]
    pub fn wants_little_exact(&self) -> bool {
        let lengths = |beat: &Beat| {
            [beat.waiting, beat.order, beat.target]
                .into_iter()
                .flatten()
        };
        let Some(members) = self.beats.back().map(|beat| lengths(beat).sum::<u64>()) else {
            return false;
        };
        let bytes = members.saturating_mul(self.largest as u64);
        // Before the first sample nobody knows their size.
        let is_known = self.largest > 0;
        let little = is_known && members <= LITTLE_MEMBERS && bytes <= LITTLE_BYTES;
        // What such a look has found is told until another one says that it is over.
        let found = self.exact().is_some_and(Exact::is_odd);
        little && (found || self.differ_for_long()) && self.wants_exact()
    }

    /// For a second, the one has been longer than the other in all pulses.
    fn differ_for_long(&self) -> bool {
        let last = self.beats.back();
        let since = self.differ_since().zip(last);
        since.is_some_and(|(since, last)| last.at.since(since) >= LASTS_MS)
    }

    /// For a second, timeouts and order list have differed by another number of elements than the
    /// last look at all members says.
    fn balance_moved(&self, exact: &Exact) -> bool {
        let Some(drift) = &exact.drift else {
            return false;
        };
        let moved = |beat: &&Beat| {
            let (Some(waiting), Some(order)) = (beat.waiting, beat.order) else {
                return false;
            };
            i128::from(waiting) - i128::from(order) != i128::from(drift.balance)
        };
        let newer = self.beats.iter().rev().filter(|beat| beat.at > exact.at);
        let first = newer.take_while(moved).last();
        let last = self.beats.back();
        first
            .zip(last)
            .is_some_and(|(first, last)| last.at.since(first.at) >= LASTS_MS)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::{START, pulse};
    use super::*;
    use crate::queue::{Known, Pulse, Queue};

    /// A look at all members that ended at the start, and found timeouts longer by so many.
    fn look(balance: i64) -> Exact {
        let mut exact = Exact::new(&Queue::redisson("q"), START);
        let mut drift = ListDifferences {
            balance,
            ..ListDifferences::default()
        };
        drift.lacking.count = balance.unsigned_abs();
        exact.drift = Some(drift);
        exact
    }

    fn beat(ms: i64, order: u64) -> Pulse {
        let mut pulse = pulse(ms, 5, None, 1);
        pulse.order = Known::Is(order);
        pulse
    }

    fn after(balance: i64, beats: &[(i64, u64)]) -> Watch {
        let mut watch = Watch::default();
        watch.examined(look(balance));
        for (ms, order) in beats {
            watch.saw(&beat(*ms, *order));
        }
        watch
    }

    #[test]
    fn all_members_are_wanted_at_first_and_when_the_numbers_come_to_differ_for_a_second() {
        let mut new = Watch::default();
        assert!(!new.wants_exact(), "nothing is there");
        new.saw(&beat(0, 5));
        assert!(new.wants_exact());
        assert!(!after(0, &[(1_000, 5), (5_000, 5)]).wants_exact());
        assert!(!after(0, &[(1_000, 5), (5_000, 4)]).wants_exact());
        assert!(after(0, &[(4_000, 4), (5_000, 4)]).wants_exact());
        assert!(!after(1, &[(4_000, 4), (5_000, 4)]).wants_exact());
    }

    #[test]
    fn what_was_found_is_looked_at_again_and_a_long_look_not_at_once() {
        let found = after(1, &[(29_000, 4)]);
        assert!(!found.wants_exact());
        assert!(after(1, &[(30_000, 4)]).wants_exact());
        let mut long = look(1);
        long.from = START.plus(-4_000);
        let mut watch = Watch::default();
        watch.examined(long);
        watch.saw(&beat(79_000, 4));
        assert!(!watch.wants_exact());
        watch.saw(&beat(80_000, 4));
        assert!(watch.wants_exact());
    }

    #[test]
    fn a_small_queue_whose_lists_differ_is_looked_at_unasked_and_a_large_one_is_not() {
        let of = |largest: usize, ms, order| {
            let mut watch = Watch {
                largest,
                ..Watch::default()
            };
            watch.saw(&beat(0, order));
            watch.saw(&beat(ms, order));
            watch.wants_little_exact()
        };
        let differs = |ms, order| of(100, ms, order);
        assert!(differs(1_000, 4));
        assert!(!of(0, 1_000, 4), "nobody knows how much it is");
        assert!(!of(1_000_000, 1_000, 4), "it is much");
        assert!(!differs(900, 4), "it may be over in a moment");
        assert!(!differs(1_000, 5), "they do not differ");
        assert!(!differs(1_000, 5_000), "it is not small");
        let mut looked = after(1, &[(1_000, 4), (3_000, 4)]);
        assert!(!looked.wants_little_exact(), "somebody has");
        looked.largest = 100;
        looked.saw(&beat(30_000, 4));
        assert!(looked.wants_little_exact());
        looked.saw(&beat(31_000, 5));
        assert!(looked.wants_little_exact(), "it may be well again");
    }

    #[test]
    fn it_tells_nothing_any_more_after_a_change_of_ours_an_outage_or_ten_minutes() {
        assert!(after(0, &[(599_000, 5)]).exact().is_some());
        assert!(after(0, &[(600_000, 5)]).exact().is_none());
        let mut changed = after(0, &[]);
        changed.changing = true;
        changed.saw(&beat(1_000, 5));
        changed.changing = false;
        assert!(changed.exact().is_none());
        let mut repaired = after(0, &[(1_000, 5)]);
        repaired.changed_by_us(Change::Drift, START.plus(2_000));
        repaired.examined(look(1));
        assert!(repaired.exact().is_none(), "it began before the repair");
        let mut away = after(0, &[(1_000, 5)]);
        away.interrupted();
        assert!(away.exact().is_none());
    }
}
