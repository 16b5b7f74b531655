//! The number of entries that go into a script, and how fast they go.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::{Duration, Instant};

use super::Limits;
use crate::ops::bulk::Size;
use crate::ops::plan::work::Work;
use crate::store::change::MOST_CHANGED;

/// Entries in a script at most: beyond them little is gained, and others wait longer.
const MOST_ENTRIES_IN_A_SCRIPT: usize = 500;
/// The same for a script that is told what to move by a number alone, and tells what it moved.
pub(super) const MOST_TOLD: usize = 1_000;
/// The same for a transaction that moves what was read before: it spends half of what a script
/// does.
pub(super) const MOST_WATCHED: usize = 4_000;
/// The limit of a script's time from which on there may be more.
const WIDE: Duration = Duration::from_millis(25);
/// Bytes in a script at most, about: a large entry alone may be more.
const BYTES: usize = 4 << 20;
/// Bytes that keep the server for a millisecond.
const BYTES_PER_MS: u128 = 100_000;
/// Batches in a second under a limit of entries a second.
const BATCHES_PER_S: f64 = 5.0;
/// The time over which the speed is reckoned.
const BACK: Duration = Duration::from_secs(3);

/// The size of the next script.
#[derive(Debug)]
pub(super) struct ScriptPace {
    size: usize,
    most: usize,
    /// Entries in a script at most, by a limit of entries a second.
    limited: bool,
    /// Bytes in a script at most, but for a single entry.
    bytes: usize,
    max_block: Duration,
}

impl ScriptPace {
    /// Begins with `first` entries in a script, by what one of them is thought to cost.
    pub(super) fn new(limits: &Limits, first: usize) -> Self {
        let wide = limits.max_block >= WIDE;
        let mut most = if wide {
            MOST_CHANGED
        } else {
            MOST_ENTRIES_IN_A_SCRIPT
        };
        if let Some(per_s) = limits.per_s {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a float becomes the nearest number that there is"
            )]
            let share = (per_s / BATCHES_PER_S) as usize;
            most = share.clamp(1, most);
        }
        let bytes = limits.max_block.as_micros() * BYTES_PER_MS / 1_000;
        Self {
            size: first.clamp(1, most),
            most,
            limited: limits.per_s.is_some(),
            bytes: usize::try_from(bytes).map_or(BYTES, |bytes| bytes.min(BYTES)),
            max_block: limits.max_block,
        }
    }

    /// Sets the most entries for scripts that are told by a number what to move. The more of them,
    /// the fewer round trips.
    pub(super) fn by_number(&mut self, most: usize) {
        if !self.limited {
            self.most = most;
            self.size = self.size.min(most);
        }
    }

    /// Bytes in a script at most, but for a single entry.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) const fn size(&self) -> usize {
        self.size
    }

    /// The size for a way that goes step by step, of which `first` elements are thought to be cheap
    /// enough: a limit of entries a second holds for it too.
    pub(super) fn of(&self, size: Size, first: usize) -> Size {
        let size = size.beginning_with(first);
        if self.limited {
            Size::new(size.get().min(self.most), self.most)
        } else {
            size
        }
    }

    /// Learns that a script with so many entries kept the server for so long.
    pub(super) fn had(&mut self, entries: usize, took: Duration) {
        if took > self.max_block {
            self.size = (entries / 2).clamp(1, self.size);
        } else if took * 2 < self.max_block && entries >= self.size {
            self.size = (self.size + self.size / 4 + 1).min(self.most);
        }
    }

    /// The entries of the next script, from `first` on.
    pub(super) fn batch(&self, work: &Work, first: usize) -> Range<usize> {
        let (mut end, mut bytes) = (first, 0);
        while end < work.len() && end - first < self.size {
            bytes += work.bytes(end);
            if bytes > self.bytes && end > first {
                break;
            }
            end += 1;
        }
        first..end
    }
}

/// The speed at which entries go, and the moment at which the next ones may.
#[derive(Debug)]
pub(super) struct EntryPace {
    per_s: Option<f64>,
    /// The moment before which a limit of entries a second lets none through.
    next: Instant,
    began: Instant,
    /// The number of entries that had gone, with the moment of each count.
    seen: VecDeque<(Instant, u64)>,
    all: u64,
}

impl EntryPace {
    pub(super) fn new(limits: &Limits, now: Instant) -> Self {
        Self {
            per_s: limits.per_s,
            next: now,
            began: now,
            seen: VecDeque::new(),
            all: 0,
        }
    }

    /// Counts entries that have gone by `now`.
    pub(super) fn went(&mut self, entries: usize, now: Instant) {
        self.all += u64::try_from(entries).unwrap_or(0);
        if let Some(per_s) = self.per_s {
            #[expect(clippy::cast_precision_loss, reason = "a batch has few entries")]
            let share = entries as f64 / per_s;
            let from = self.next.max(now);
            let share = Duration::try_from_secs_f64(share).unwrap_or(Duration::MAX);
            self.next = from.checked_add(share).unwrap_or(from);
        }
        self.seen.push_back((now, self.all));
        while self.seen.len() > 2 && now.saturating_duration_since(self.seen[0].0) > BACK {
            self.seen.pop_front();
        }
    }

    /// The time for which the limit of entries a second lets none through.
    pub(super) fn pause(&self, now: Instant) -> Option<Duration> {
        let pause = self.next.saturating_duration_since(now);
        (!pause.is_zero()).then_some(pause)
    }

    /// Entries a second over the last seconds.
    pub(super) fn per_s(&self, now: Instant) -> f64 {
        let (since, before) = match self.seen.front() {
            Some(first) if self.seen.len() > 1 => *first,
            _ => (self.began, 0),
        };
        let span = now.saturating_duration_since(since).as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "it is for people")]
        let went = (self.all - before) as f64;
        if span > 0.0 { went / span } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::instant;
    use crate::queue::plan::Cost;
    use crate::store::change::ChosenEntry;

    fn pace(max_block: u64, per_s: Option<f64>) -> ScriptPace {
        let limits = Limits {
            max_block: Duration::from_millis(max_block),
            per_s,
            ..Limits::default()
        };
        ScriptPace::new(&limits, FIRST_SIZE)
    }

    const FIRST_SIZE: usize = 100;

    #[test]
    fn batches_grow_while_they_are_cheap_and_halve_when_they_are_not() {
        let mut pace = pace(10, None);
        assert_eq!(pace.size(), FIRST_SIZE);
        for _ in 0..20 {
            pace.had(pace.size(), Duration::from_millis(1));
        }
        assert_eq!(pace.size(), MOST_ENTRIES_IN_A_SCRIPT);
        pace.had(500, Duration::from_millis(11));
        assert_eq!(pace.size(), 250);
        pace.had(250, Duration::from_millis(6));
        assert_eq!(pace.size(), 250, "about right");
        pace.had(20, Duration::from_micros(1));
        assert_eq!(pace.size(), 250, "a rest tells nothing");
        for _ in 0..20 {
            pace.had(pace.size(), Duration::from_secs(1));
        }
        assert_eq!(pace.size(), 1);
    }

    #[test]
    fn the_first_batch_is_as_large_as_its_entries_are_cheap() {
        let first = |entry: u64| {
            let cost = Cost {
                entry: Duration::from_micros(entry),
                ..Cost::default()
            };
            let limits = Limits::default();
            ScriptPace::new(&limits, cost.entries_within(limits.max_block)).size()
        };
        assert_eq!(first(1), MOST_ENTRIES_IN_A_SCRIPT);
        assert_eq!(first(100), 100);
        assert_eq!(first(4_000), 2);
        assert_eq!(first(60_000), 1, "one alone is longer than a script may be");
    }

    #[test]
    fn a_limit_of_entries_a_second_makes_small_batches() {
        assert_eq!(pace(10, Some(50.0)).size(), 10);
        assert_eq!(pace(10, Some(0.5)).size(), 1);
        assert_eq!(pace(25, Some(1e9)).most, MOST_CHANGED);
    }

    #[test]
    fn large_entries_make_small_batches_but_never_an_empty_one() {
        let chosen = |len| ChosenEntry {
            member: vec![0; len],
            score: 0.0,
        };
        let pace = pace(10, None);
        let most = pace.bytes;
        assert_eq!(most, 1_000_000);
        let work = Work::Delete(vec![chosen(most), chosen(most / 2), chosen(most / 2)]);
        assert_eq!(pace.batch(&work, 0), 0..1);
        assert_eq!(pace.batch(&work, 1), 1..3);
        assert_eq!(pace.batch(&work, 3), 3..3);
    }

    #[test]
    fn no_more_entries_a_second_go_than_may() {
        let begin = instant();
        let limits = Limits {
            per_s: Some(100.0),
            ..Limits::default()
        };
        let mut meter = EntryPace::new(&limits, begin);
        assert_eq!(meter.pause(begin), None);
        meter.went(20, begin);
        assert_eq!(meter.pause(begin), Some(Duration::from_millis(200)));
        let later = begin + Duration::from_millis(200);
        assert_eq!(meter.pause(later), None);
        meter.went(20, later);
        assert!((meter.per_s(later) - 100.0).abs() < 1e-6);
    }
}
