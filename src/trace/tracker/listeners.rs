//! The clients that listen to a queue's channel, as the server counts them while a trace is live: a log
//! of commands has no answers, so that it alone does not tell how many an announcement has reached.

use std::collections::VecDeque;

/// Counts that are kept at most.
const MOST_COUNTS: usize = 16;
/// A count says nothing of what is announced later than this, in µs.
const OLD_US: i64 = 2_000_000;

/// The last counts, each with its time in µs since the epoch.
#[derive(Default)]
pub(super) struct Listeners {
    counts: VecDeque<(i64, u64)>,
    /// The last time that the log shows somebody subscribe.
    joined_us: Option<i64>,
}

impl Listeners {
    /// The server has counted so many.
    pub(super) fn counted(&mut self, at_us: i64, count: u64) {
        if self.counts.back().is_some_and(|(last, _)| at_us <= *last) {
            return;
        }
        if self.counts.len() >= MOST_COUNTS {
            self.counts.pop_front();
        }
        self.counts.push_back((at_us, count));
    }

    /// Somebody has subscribed.
    pub(super) fn joined(&mut self, at_us: i64) {
        self.joined_us = self.joined_us.max(Some(at_us));
    }

    /// The number of them at that time; none where that is not known.
    pub(super) fn at(&self, at_us: Option<i64>) -> Option<u64> {
        let at_us = at_us?;
        let mut counts = self.counts.iter().rev();
        let (counted_us, count) = *counts.find(|(counted, _)| *counted <= at_us)?;
        let is_old = at_us - counted_us > OLD_US;
        let has_joined = self.joined_us.is_some_and(|joined| joined >= counted_us);
        (!is_old && !has_joined).then_some(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_announcement_has_reached_those_of_the_last_count_before_it_if_nobody_has_come_since() {
        let mut listeners = Listeners::default();
        assert_eq!(listeners.at(Some(5)), None);
        listeners.counted(10, 0);
        listeners.counted(500_010, 2);
        let told = [9, 10, 500_009, 500_010, 2_500_010, 2_500_011].map(|at| listeners.at(Some(at)));
        assert_eq!(told, [None, Some(0), Some(0), Some(2), Some(2), None]);
        listeners.joined(600_000);
        assert_eq!(listeners.at(Some(700_000)), None);
        listeners.counted(1_000_010, 3);
        assert_eq!(listeners.at(Some(1_000_020)), Some(3));
        for more in 0..100 {
            listeners.counted(2_000_000 + more, 1);
        }
        assert_eq!(listeners.counts.len(), MOST_COUNTS);
    }
}
