//! The transfers that clients run on a queue, whatever they find: whether anybody has asked for a message
//! since it was due, and whether a client that failed has tried again.

use std::collections::VecDeque;

use super::super::figures::host;
use super::super::life::Moment;
use crate::clock::EpochMillis;

/// Times of transfers that are kept of a queue at most.
const MOST_TIMES: usize = 10_000;
/// A client of Redisson's repeats a transfer that failed after 5 s; one more for what keeps it back, in
/// µs.
const A_RETRY_US: i64 = 6_000_000;
/// Bytes that a host takes, about.
const BYTES_OF_A_HOST: usize = 64;
/// Hosts whose failed transfers are remembered at most.
const MOST_HOSTS: usize = 1_000;

/// The transfers of one queue.
#[derive(Default)]
pub(super) struct TransferTimes {
    /// Times in µs since the epoch.
    times: VecDeque<i64>,
    /// A time that was forgotten: what was due before it may have been asked for.
    forgotten_us: Option<i64>,
    /// The hosts whose last transfer failed, with its time.
    failed: Vec<(Box<[u8]>, i64)>,
}

impl TransferTimes {
    /// A client ran a transfer. True when its last one failed, and it has left out to repeat that.
    pub(super) fn ran(&mut self, moment: &Moment, failed: bool) -> bool {
        let Some(at_us) = moment.at_us else {
            return false;
        };
        if self.times.len() >= MOST_TIMES {
            self.forgotten_us = self.times.pop_front();
        }
        self.times.push_back(at_us);
        let Some(by) = moment.by.as_deref().map(host) else {
            return false;
        };
        let place = self.failed.iter().position(|(of, _)| **of == *by);
        let before = place.map(|place| self.failed.swap_remove(place));
        if failed && self.failed.len() < MOST_HOSTS {
            self.failed.push((by.into(), at_us));
        }
        before.is_some_and(|(_, failed)| at_us.saturating_sub(failed) > A_RETRY_US)
    }

    /// Bytes that they take, about.
    pub(super) fn bytes(&self) -> usize {
        self.times.capacity() * size_of::<i64>() + self.failed.len() * BYTES_OF_A_HOST
    }

    /// Forgets the older half of the times.
    pub(super) fn halve(&mut self) {
        let newer = self.times.split_off(self.times.len().div_ceil(2));
        let older = std::mem::replace(&mut self.times, newer);
        self.forgotten_us = self.forgotten_us.max(older.back().copied());
    }

    /// The hosts that had not repeated a failed transfer when the log ended, though it was time.
    pub(super) fn unrepeated(&self, end_us: Option<i64>) -> impl Iterator<Item = &[u8]> {
        let is_over = move |at: i64| end_us.is_some_and(|end| end.saturating_sub(at) > A_RETRY_US);
        let those = self.failed.iter().filter(move |(_, at)| is_over(*at));
        those.map(|(host, _)| &**host)
    }

    /// The first time that a client asked for what is due by then, in µs since the epoch; none where
    /// nobody did, and an error where that is forgotten.
    pub(super) fn first_since(&self, due: EpochMillis) -> Result<Option<i64>, ForgottenTimes> {
        let due_us = due.get().saturating_mul(1_000);
        if self
            .forgotten_us
            .is_some_and(|forgotten| due_us <= forgotten)
        {
            return Err(ForgottenTimes);
        }
        let place = self.times.partition_point(|at| *at < due_us);
        Ok(self.times.get(place).copied())
    }
}

/// The error of times that are not kept any more.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct ForgottenTimes;

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(at_us: i64) -> Moment {
        Moment {
            at_us: Some(at_us),
            by: Some(b"10.0.0.1:5".as_slice().into()),
        }
    }

    #[test]
    fn times_are_kept_in_bounded_memory_and_what_is_forgotten_is_not_told_as_nobody() {
        let mut times = TransferTimes::default();
        let most = i64::try_from(MOST_TIMES).unwrap();
        for n in 0..most + 5 {
            assert!(!times.ran(&moment(n * 1_000), false));
        }
        assert_eq!(times.times.len(), MOST_TIMES);
        let first = |due| times.first_since(EpochMillis::new(due));
        assert_eq!(first(4), Err(ForgottenTimes));
        assert_eq!(first(5), Ok(Some(5_000)));
        assert_eq!(first(most + 9), Ok(None));
        let bytes = times.bytes();
        times.halve();
        assert!(times.bytes() <= bytes * 2 / 3);
        let first = |due| times.first_since(EpochMillis::new(due));
        let middle = most / 2 + 4;
        assert_eq!(first(middle), Err(ForgottenTimes));
        assert_eq!(first(middle + 1), Ok(Some((middle + 1) * 1_000)));
    }
}
