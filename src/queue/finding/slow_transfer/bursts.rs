//! The bursts during which transfers were slow: for how long much was late each time. How long the
//! finding itself stands tells nothing of that, since it is there before the burst, and after it.

use std::collections::VecDeque;

use crate::clock::EpochMillis;

/// Much that is late again within this, in ms, is late still: its number went about a limit.
const SAME_MS: i64 = 10_000;

/// A time in which much was late while transfers were slow.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct SlowBurst {
    /// The first pulse that saw it.
    pub(super) since: EpochMillis,
    /// The first pulse that saw it over.
    pub(super) until: EpochMillis,
    /// The list was sorted from here between the one before it and this one.
    pub(super) behind_sort: bool,
    /// A later one was quick behind a sort: this one tells nothing of what comes.
    pub(super) is_past: bool,
}

/// The last of them.
#[derive(Clone, Debug, Default)]
pub(in crate::queue::finding) struct SlowBursts {
    /// Bursts that are over, oldest first; at most [`SlowBursts::KEPT`].
    over: VecDeque<SlowBurst>,
    /// When much began to be late, while it is.
    since: Option<EpochMillis>,
    /// Transfers were seen to be slow since then.
    slow: bool,
    /// The list was sorted from here between the one before this and this one.
    behind_sort: bool,
    /// When it was sorted from here, since the last one began.
    sorted: Option<EpochMillis>,
}

impl SlowBursts {
    /// Bursts that are remembered: one each minute of an hour.
    const KEPT: usize = 60;

    /// A pulse has been judged: much is late, and transfers are slow.
    pub(super) fn saw(&mut self, at: EpochMillis, much: bool, slow: bool) {
        if much {
            if self.since.is_none() {
                self.since = Some(at);
                self.behind_sort = self.sorted.take().is_some();
            }
            self.slow |= slow;
            return;
        }
        let Some(since) = self.since.take() else {
            return;
        };
        if !std::mem::take(&mut self.slow) {
            if self.behind_sort {
                // Sorting has helped.
                self.over.iter_mut().for_each(|burst| burst.is_past = true);
            }
            return;
        }
        match self.over.back_mut() {
            Some(last) if since.since(last.until) <= SAME_MS => last.until = at,
            _ => self.over.push_back(SlowBurst {
                since,
                until: at,
                behind_sort: self.behind_sort,
                is_past: false,
            }),
        }
        if self.over.len() > Self::KEPT {
            self.over.pop_front();
        }
    }

    /// The order list was sorted from here, to the end.
    pub(in crate::queue::finding) const fn sorted(&mut self, at: EpochMillis) {
        self.sorted = Some(at);
    }

    /// Transfers were slow, and much is late or was by the last pulse.
    pub(super) const fn is_running(&self) -> bool {
        self.since.is_some() && self.slow
    }

    /// The end of a slow one, where that was a moment ago.
    pub(super) fn just_ended(&self, at: EpochMillis) -> Option<EpochMillis> {
        let last = self.over.back().filter(|last| !last.is_past)?;
        (at.since(last.until) <= SAME_MS).then_some(last.until)
    }

    /// Returns when it was sorted since the last burst.
    pub(super) const fn sorted_at(&self) -> Option<EpochMillis> {
        self.sorted
    }

    /// Returns the bursts that ended no longer than so many ms before that moment, the newest first.
    pub(super) fn within(&self, ms: i64, at: EpochMillis) -> impl Iterator<Item = &SlowBurst> {
        let recent = move |burst: &&SlowBurst| at.since(burst.until) <= ms;
        self.over.iter().rev().take_while(recent)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::START;
    use super::*;

    /// Each second of these: how much is late (`.` little, `m` much, `s` much, transferred slowly).
    fn after(seconds: &str) -> Vec<(i64, i64)> {
        let mut all = SlowBursts::default();
        for (s, seen) in (0..).zip(seconds.chars()) {
            all.saw(START.plus(s * 1_000), seen != '.', seen == 's');
        }
        let end = START.plus(3_600_000);
        let told = all.within(3_600_000, end);
        let seconds = |at: EpochMillis| at.since(START) / 1_000;
        told.map(|one| (seconds(one.since), seconds(one.until)))
            .collect()
    }

    #[test]
    fn a_burst_lasts_from_the_first_pulse_that_saw_much_late_to_the_first_that_did_not() {
        assert_eq!(after("..mmssm.."), [(2, 7)]);
        assert_eq!(after("..mmmmm.."), [], "it was transferred quickly");
        assert_eq!(after("..mss"), [], "it is not over");
        assert_eq!(after(".ss..s."), [(1, 6)], "it went about the limit");
    }

    #[test]
    fn a_burst_that_is_quick_behind_a_sort_ends_what_is_told_of_those_before() {
        let mut all = SlowBursts::default();
        let told = |all: &SlowBursts| {
            let all = all.within(3_600_000, START);
            all.filter(|burst| !burst.is_past).count()
        };
        let at = |s: i64| START.plus(s * 1_000);
        all.saw(at(0), true, true);
        all.saw(at(9), false, false);
        all.saw(at(60), true, false);
        all.saw(at(61), false, false);
        assert_eq!(told(&all), 1, "nobody has sorted");
        all.sorted(at(70));
        all.saw(at(120), true, false);
        all.saw(at(121), false, false);
        assert_eq!(told(&all), 0);
    }

    #[test]
    fn each_burst_is_counted() {
        let bursts = "ss............".repeat(4);
        assert_eq!(after(&bursts), [(42, 44), (28, 30), (14, 16), (0, 2)]);
    }
}
