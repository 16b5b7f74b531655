//! The number of entries that one script moves: as many as the server can do without being kept too
//! long.

use std::time::Duration;

/// A script shall not keep the server longer than this: other clients wait that long.
const LONGEST_SCRIPT: Duration = Duration::from_millis(10);
/// Entries that the first script moves, as many as Redisson's does. How long it takes nobody knows
/// before: the messages may be large, the order list may be long and in another order.
const ENTRIES_OF_FIRST_SCRIPT: usize = 100;

/// The size of the next batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct WorkerPace {
    size: usize,
    most: usize,
}

impl WorkerPace {
    pub(super) fn new(most: u32) -> Self {
        let most = usize::try_from(most).unwrap_or(usize::MAX).max(1);
        Self {
            size: most.min(ENTRIES_OF_FIRST_SCRIPT),
            most,
        }
    }

    pub(super) fn size(self) -> usize {
        self.size
    }

    /// Learns from a script that moved or passed so many entries.
    pub(super) fn learn(&mut self, entries: usize, took: Duration) {
        if took > LONGEST_SCRIPT {
            self.size = (self.size.min(entries) / 2).max(1);
        } else if took < LONGEST_SCRIPT / 2 && entries >= self.size {
            self.size = (self.size + self.size / 2 + 1).min(self.most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_script_halves_the_batch_and_quick_full_ones_grow_it_to_its_limit() {
        let mut pace = WorkerPace::new(500);
        let (slow, quick) = (Duration::from_millis(20), Duration::from_millis(1));
        pace.learn(100, slow);
        assert_eq!(pace.size(), 50);
        pace.learn(3, quick);
        assert_eq!(pace.size(), 50, "three entries say nothing of fifty");
        for _ in 0..20 {
            pace.learn(pace.size(), quick);
        }
        assert_eq!(pace.size(), 500);
        for _ in 0..20 {
            pace.learn(pace.size(), slow);
        }
        assert_eq!(pace.size(), 1);
    }

    #[test]
    fn a_batch_of_one_stays_one() {
        let mut pace = WorkerPace::new(0);
        pace.learn(1, Duration::ZERO);
        assert_eq!(pace.size(), 1);
    }
}
