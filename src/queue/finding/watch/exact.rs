//! A look at all members: how long it tells something, and when it is time for another.

use std::sync::Arc;

use super::{AGAIN_MS, Beat, Watch};
use crate::queue::Exact;

/// A look at all members tells something for so long, in ms.
const EXACT_MS: i64 = 600_000;
/// One that found something is taken again after this, in ms, by who watches on.
const ODD_MS: i64 = 30_000;
/// And none before so many times as long as the last one took.
const RESTS: i64 = 20;
/// Timeouts and order list have disagreed in all pulses of this time, in ms: who writes both without
/// a script is not caught in between.
pub(in crate::queue::finding) const LASTS_MS: i64 = 1_000;

impl Watch {
    /// All members have been looked at.
    pub fn examined(&mut self, exact: Exact) {
        self.exact = Some(Arc::new(exact));
    }

    /// The last look at all members, while it tells anything of what is there now: our own changes
    /// end that, and time does.
    #[must_use]
    pub fn exact(&self) -> Option<&Exact> {
        let exact = self.exact.as_deref()?;
        let age = self.beats.back().map_or(0, |beat| beat.at.since(exact.at));
        (!self.changing && age < EXACT_MS).then_some(exact)
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

    /// For a second, timeouts and order list have differed by another number of elements than the
    /// last look at all members says.
    pub(in crate::queue::finding) fn balance_moved(&self, exact: &Exact) -> bool {
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
