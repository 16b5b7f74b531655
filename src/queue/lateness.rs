//! The lateness with which the messages of a queue leave timeouts, told from what is read of it
//! anyway.
//!
//! A read sees the head of timeouts, and perhaps some rows. What it saw and the next one does not
//! see any more has left in between: its lateness lies between two bounds. Percentiles of the lower
//! bounds and of the upper ones enclose the true percentile, so the error is known.

use std::collections::{HashMap, VecDeque};

use super::{Due, EntryId, Known, Page, Pulse, Queue, text};
use crate::clock::EpochMillis;

/// Percentiles are those of the last so many ms.
pub const SPAN_MS: i64 = 300_000;

/// The upper edges of the buckets that departures are counted in, in ms; what is later is in none.
pub const BUCKETS_MS: [i64; 13] = [
    10, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000, 1_800_000,
];

/// Entries that are looked for again in the next read: those that are due first.
const MOST_AWAITED: usize = 128;
/// Departures of one read that the percentiles are made of; the buckets count all.
const MOST_OF_A_READ: usize = 8;
/// Departures that the percentiles are made of.
const MOST_KEPT: usize = 2_400;

/// A lateness, between two bounds, in ms.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct LateBounds {
    /// It is this at least.
    pub least: i64,
    /// It is this at most.
    pub most: i64,
}

impl LateBounds {
    /// The middle between the bounds.
    #[must_use]
    pub const fn middle(self) -> i64 {
        self.least.midpoint(self.most)
    }

    /// The most that the middle may be wrong.
    #[must_use]
    pub const fn error(self) -> i64 {
        self.most - self.middle()
    }

    /// Its middle says little: it is no larger than its own error, or than the one that it is told
    /// with.
    const fn is_vague(self, told_ms: i64) -> bool {
        let (error, middle) = (self.error(), self.middle());
        error > 0 && (middle <= error || middle <= told_ms)
    }
}

/// The lateness of the departures of the last minutes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RecentLateness {
    /// Departures that it is made of.
    pub count: usize,
    /// Half of them were not later.
    pub p50: LateBounds,
    /// Of 20 of them 19 were not later.
    pub p95: LateBounds,
    /// None was later.
    pub max: LateBounds,
    /// The time since the first of them was looked for, in ms.
    pub span_ms: i64,
}

impl RecentLateness {
    /// The most that a middle may be wrong, in ms.
    #[must_use]
    pub fn error(&self) -> i64 {
        let all = [self.p50, self.p95, self.max];
        all.into_iter().map(LateBounds::error).max().unwrap_or(0)
    }

    /// One of its figures for people: its middle, or `under 9.6 s` where the error is as large as
    /// that.
    #[must_use]
    pub fn words(&self, figure: LateBounds) -> String {
        let of = |ms: i64| text::span(ms.unsigned_abs());
        if figure.is_vague(self.error_of_middles()) {
            format!("under {}", of(figure.most))
        } else {
            of(figure.middle())
        }
    }

    /// The most that the figures which [`words`](Self::words) tells by their middle may be wrong,
    /// such as `±115 ms`; none when they are exact, or all are told by a bound.
    #[must_use]
    pub fn error_words(&self) -> Option<String> {
        let error = self.error_of_middles();
        (error > 0).then(|| format!("±{}", text::span(error.unsigned_abs())))
    }

    /// The most that the middle of a figure may be wrong, of those that are larger than their error.
    fn error_of_middles(&self) -> i64 {
        let all = [self.p50, self.p95, self.max].into_iter();
        let clear = all.filter(|figure| !figure.is_vague(figure.error()));
        clear.map(LateBounds::error).max().unwrap_or(0)
    }
}

/// Departures counted by one of their bounds, since the beginning.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct LateCounts {
    /// The messages that were not later than each edge of [`BUCKETS_MS`].
    pub within: [u64; BUCKETS_MS.len()],
    /// All of them.
    pub count: u64,
    /// The sum of their lateness, in ms.
    pub sum_ms: u64,
}

impl LateCounts {
    fn add(&mut self, late_ms: i64) {
        for (within, edge) in self.within.iter_mut().zip(BUCKETS_MS) {
            *within += u64::from(late_ms <= edge);
        }
        self.count += 1;
        self.sum_ms = self.sum_ms.saturating_add(late_ms.unsigned_abs());
    }
}

/// The lateness of a queue, as far as it was watched. Its memory is bounded.
#[derive(Clone, Debug, Default)]
pub struct QueueLateness {
    awaited: Vec<AwaitedEntry>,
    read: Option<EpochMillis>,
    kept: VecDeque<(EpochMillis, LateBounds)>,
    /// The most that anything was late which left in a second of the last minutes, in ms; by the second
    /// since the epoch.
    by_second: VecDeque<(i64, i64)>,
    recent: Option<RecentLateness>,
    /// Departures counted by the least that they were late.
    pub least: LateCounts,
    /// The same by the most.
    pub most: LateCounts,
}

/// An entry that will leave timeouts.
#[derive(Clone, Copy, Debug)]
struct AwaitedEntry {
    /// Its id; none of the one behind the late ones, of which only the due time is read.
    id: Option<EntryId>,
    due: EpochMillis,
    /// The last read by which it was there.
    until: EpochMillis,
}

impl QueueLateness {
    /// The lateness of the last minutes; none when nothing has left late or in time.
    #[must_use]
    pub const fn recent(&self) -> Option<RecentLateness> {
        self.recent
    }

    /// The last minutes up to `end` in so many columns, the oldest first: the longest lateness of what
    /// left in each, at most, in ms; none where nothing did.
    #[must_use]
    pub fn strip(&self, end: EpochMillis, columns: usize) -> Vec<Option<u64>> {
        let mut strip = vec![None; columns];
        let count = i64::try_from(columns).unwrap_or(i64::MAX).max(1);
        let column_ms = (SPAN_MS / count).max(1);
        // On whole columns: else what stands in one would wander from picture to picture.
        let last = end.get().div_euclid(column_ms);
        for (second, most) in &self.by_second {
            let ago = last - (second * 1_000).div_euclid(column_ms);
            let place = usize::try_from(count - 1 - ago).ok();
            if let Some(longest) = place.and_then(|place| strip.get_mut(place)) {
                *longest = (*longest).max(Some(most.unsigned_abs()));
            }
        }
        strip
    }

    /// A read of the queue: what is not there any more has left since the one before.
    pub fn saw(&mut self, queue: &Queue, pulse: &Pulse) {
        if self.read.is_some_and(|read| read > pulse.at) {
            // A clock that was set back begins anew.
            *self = Self::default();
        }
        let seen = SeenEntries::of(queue, pulse);
        let mut departed = Vec::new();
        self.awaited.retain_mut(|one| match seen.state(one) {
            State::There => {
                one.until = pulse.at;
                true
            }
            State::Unknown => true,
            State::Gone => {
                // What left before it was due was polled, moved or removed.
                if one.due <= pulse.at {
                    departed.push(LateBounds {
                        least: one.until.since(one.due).max(0),
                        most: pulse.at.since(one.due),
                    });
                }
                false
            }
        });
        self.add(pulse.at, &departed);
        for (id, due) in seen.entries {
            self.awaits(id, due, pulse.at);
        }
        self.awaited.sort_by_key(|one| one.due);
        self.awaited.truncate(MOST_AWAITED);
        self.read = Some(pulse.at);
    }

    /// A worker of ours has transferred entries together, each so late.
    pub fn transferred(&mut self, at: EpochMillis, late_ms: &[i64]) {
        let exact = |late_ms: &i64| LateBounds {
            least: *late_ms.max(&0),
            most: *late_ms.max(&0),
        };
        let all: Vec<_> = late_ms.iter().map(exact).collect();
        self.add(at, &all);
    }

    /// Forgets what was there by the last read: it was changed by hand, or not read for long.
    pub fn forget(&mut self) {
        self.awaited.clear();
    }

    fn awaits(&mut self, id: Option<EntryId>, due: EpochMillis, at: EpochMillis) {
        let known = self.awaited.iter_mut().find(|one| match id {
            Some(_) if one.id.is_some() => one.id == id,
            _ => one.due == due,
        });
        match known {
            Some(one) if one.due == due => one.id = one.id.or(id),
            // It was given another due time.
            Some(one) => (one.due, one.until) = (due, at),
            None => self.awaited.push(AwaitedEntry { id, due, until: at }),
        }
    }

    fn add(&mut self, at: EpochMillis, departed: &[LateBounds]) {
        for bounds in departed {
            self.least.add(bounds.least);
            self.most.add(bounds.most);
        }
        let second = at.get().div_euclid(1_000);
        for bounds in departed {
            match self.by_second.back_mut() {
                Some((last, most)) if *last == second => *most = (*most).max(bounds.most),
                _ => self.by_second.push_back((second, bounds.most)),
            }
        }
        let oldest = at.plus(-SPAN_MS).get().div_euclid(1_000);
        while self
            .by_second
            .front()
            .is_some_and(|(second, _)| *second < oldest)
        {
            self.by_second.pop_front();
        }
        let some = departed.len().div_ceil(MOST_OF_A_READ).max(1);
        let some = departed.iter().step_by(some);
        self.kept.extend(some.map(|bounds| (at, *bounds)));
        let over = self.kept.len().saturating_sub(MOST_KEPT);
        self.kept.drain(..over);
        while let Some((oldest, _)) = self.kept.front()
            && at.since(*oldest) > SPAN_MS
        {
            self.kept.pop_front();
        }
        self.recent = self.percentiles(at);
    }

    fn percentiles(&self, at: EpochMillis) -> Option<RecentLateness> {
        let (first, _) = self.kept.front()?;
        let sorted = |pick: fn(&LateBounds) -> i64| -> Vec<i64> {
            let mut all: Vec<i64> = self.kept.iter().map(|(_, bounds)| pick(bounds)).collect();
            all.sort_unstable();
            all
        };
        let (least, most) = (sorted(|bounds| bounds.least), sorted(|bounds| bounds.most));
        let count = least.len();
        let at_rank = |percent: usize| {
            let rank = (count * percent).div_ceil(100).max(1) - 1;
            LateBounds {
                least: least[rank],
                most: most[rank],
            }
        };
        Some(RecentLateness {
            count,
            p50: at_rank(50),
            p95: at_rank(95),
            max: at_rank(100),
            span_ms: at.since(*first),
        })
    }
}

/// Where an entry is, by a read.
enum State {
    There,
    Gone,
    Unknown,
}

/// The entries that a read shows, and what it says of others.
struct SeenEntries {
    entries: Vec<(Option<EntryId>, EpochMillis)>,
    ids: HashMap<EntryId, EpochMillis>,
    is_empty: bool,
    /// The lowest due time.
    first: Option<EpochMillis>,
    /// An entry due after the first of them and before the second would be among the rows; none:
    /// there is nothing before, or behind, them. None at all without rows.
    rows: Option<(Option<EpochMillis>, Option<EpochMillis>)>,
}

impl SeenEntries {
    fn of(queue: &Queue, pulse: &Pulse) -> Self {
        let rows = pulse.page.as_ref().map_or(&[][..], |page| &page.rows);
        // Below 0 nothing is transferred.
        let rows = rows.iter().filter(|(_, score)| *score >= 0.0);
        let due = |score: f64| queue.due(score).at();
        let rows = rows.filter_map(|(member, score)| Some((queue.id(member), due(*score)?)));
        let mut entries: Vec<_> = rows.map(|(id, due)| (Some(id), due)).collect();
        let first = pulse.first.as_ref();
        let first = first.and_then(|one| Some((Some(one.id), one.due_at()?)));
        entries.extend(first);
        let ids = entries.iter().filter_map(|(id, due)| Some(((*id)?, *due)));
        let ids = ids.collect();
        let next = pulse.next.and_then(Due::at);
        entries.extend(next.map(|due| (None, due)));
        Self {
            entries,
            ids,
            is_empty: pulse.waiting == Known::Is(0),
            first: first.map(|(_, due)| due),
            rows: pulse
                .page
                .as_ref()
                .and_then(|page| covered(queue, page, pulse)),
        }
    }

    fn state(&self, one: &AwaitedEntry) -> State {
        let by_id = one.id.and_then(|id| self.ids.get(&id));
        match by_id {
            Some(due) if *due == one.due => return State::There,
            // It was given another due time.
            Some(_) => return State::Unknown,
            None => {}
        }
        let lacks = self.rows.is_some_and(|(from, until)| {
            one.id.is_some()
                && from.is_none_or(|from| from < one.due)
                && until.is_none_or(|until| one.due < until)
        });
        match self.first {
            _ if self.is_empty || lacks => State::Gone,
            Some(first) if one.due < first => State::Gone,
            // Transfers take the lowest due time first.
            Some(first) if first < one.due => State::There,
            _ => State::Unknown,
        }
    }
}

/// The due times between which an entry would be among the rows.
fn covered(
    queue: &Queue,
    page: &Page,
    pulse: &Pulse,
) -> Option<(Option<EpochMillis>, Option<EpochMillis>)> {
    let at = |row: &(Vec<u8>, f64)| queue.due(row.1).at();
    let (from, until) = (at(page.rows.first()?)?, at(page.rows.last()?)?);
    let end = page.first + page.rows.len() as u64;
    let is_end = matches!(pulse.waiting, Known::Is(waiting) if end >= waiting);
    Some(((page.first > 0).then_some(from), (!is_end).then_some(until)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::JudgedMember;

    const T0: i64 = 1_700_000_000_000;

    fn at(ms: i64) -> EpochMillis {
        EpochMillis::new(T0 + ms)
    }

    /// A read that sees these entries, due at these ms; `rows`: all of them, not only the head.
    fn pulse(now: i64, dues: &[i64], rows: bool) -> Pulse {
        let queue = queue();
        #[expect(clippy::cast_precision_loss, reason = "times are far below 2^53")]
        let row = |due: &i64| (format!("due {due}").into_bytes(), (T0 + due) as f64);
        let all: Vec<(Vec<u8>, f64)> = dues.iter().map(row).collect();
        let first = all.first();
        let next = dues.iter().find(|due| **due > now);
        Pulse {
            at: at(now),
            waiting: Known::Is(dues.len() as u64),
            late: Known::Is(0),
            head: None,
            oldest_late: None,
            next: next.map(|due| Due::At(at(*due))),
            order: Known::None,
            target: Known::None,
            transfer_clients: Known::None,
            first: first.map(|(member, score)| JudgedMember::new(&queue, member, Some(*score), 8)),
            told: None,
            beside_bytes: 0,
            page: rows.then_some(Page {
                first: 0,
                rows: all,
            }),
            server_us: 0,
            took_ms: 0,
        }
    }

    fn queue() -> Queue {
        "zset-list:delayed,ready,ms,right".parse().unwrap()
    }

    fn after(reads: &[(i64, &[i64])], rows: bool) -> QueueLateness {
        let mut lateness = QueueLateness::default();
        for (now, dues) in reads {
            lateness.saw(&queue(), &pulse(*now, dues, rows));
        }
        lateness
    }

    #[test]
    fn what_left_between_two_reads_was_late_between_two_bounds() {
        // Due at 500, seen late at 1,000, gone at 2,000.
        let reads: &[(i64, &[i64])] = &[
            (0, &[500, 9_000]),
            (1_000, &[500, 9_000]),
            (2_000, &[9_000]),
        ];
        for rows in [false, true] {
            let recent = after(reads, rows).recent().unwrap();
            let bounds = LateBounds {
                least: 500,
                most: 1_500,
            };
            assert_eq!((recent.count, recent.p50, recent.max), (1, bounds, bounds));
            assert_eq!((bounds.middle(), recent.error()), (1_000, 500));
        }
        // It was not late when it was last seen.
        let recent = after(&[(0, &[500, 9_000]), (1_000, &[9_000])], false).recent();
        let bounds = LateBounds {
            least: 0,
            most: 500,
        };
        assert_eq!(recent.unwrap().p95, bounds);
    }

    #[test]
    fn a_figure_whose_error_is_as_large_is_told_by_its_bound() {
        let bounds = |least, most| LateBounds { least, most };
        let of = |p50, p95, max| RecentLateness {
            count: 3,
            p50,
            p95,
            max,
            span_ms: 10_000,
        };
        let told = |late: RecentLateness| {
            let all = [late.p50, late.p95, late.max].map(|one| late.words(one));
            (all, late.error_words())
        };
        let unsure = of(bounds(0, 300), bounds(0, 9_600), bounds(0, 9_800));
        assert_eq!(
            told(unsure),
            (
                ["under 300 ms", "under 9.6 s", "under 9.8 s"].map(String::from),
                None
            )
        );
        let sure = of(bounds(400, 600), bounds(900, 1_100), bounds(9_000, 9_200));
        let all = ["500 ms", "1.0 s", "9.1 s"].map(String::from);
        assert_eq!(told(sure), (all, Some("±100 ms".to_owned())));
        // An error that is larger than one of the figures is not said of that one.
        let both = of(bounds(0, 300), bounds(9_000, 9_400), bounds(9_000, 9_400));
        let all = ["under 300 ms", "9.2 s", "9.2 s"].map(String::from);
        assert_eq!(told(both), (all, Some("±200 ms".to_owned())));
        let apart = of(
            bounds(400, 600),
            bounds(9_000, 9_200),
            bounds(15_000, 25_000),
        );
        let all = ["under 600 ms", "9.1 s", "0:20"].map(String::from);
        assert_eq!(told(apart), (all, Some("±5.0 s".to_owned())));
        // Workers tell exactly.
        let exact = of(bounds(0, 0), bounds(31, 31), bounds(31, 31));
        let all = ["0 ms", "31 ms", "31 ms"].map(String::from);
        assert_eq!(told(exact), (all, None));
    }

    #[test]
    fn the_entry_behind_the_late_one_counts_once_although_it_heads_later() {
        let reads: &[(i64, &[i64])] = &[
            (0, &[100, 700, 9_000]),
            (600, &[700, 9_000]),
            (1_000, &[700, 9_000]),
            (1_200, &[9_000]),
        ];
        let lateness = after(reads, false);
        assert_eq!((lateness.most.count, lateness.least.count), (2, 2));
        assert_eq!(lateness.most.sum_ms, 500 + 500);
        assert_eq!(lateness.least.sum_ms, 300);
    }

    #[test]
    fn what_left_before_it_was_due_or_was_requeued_is_not_late() {
        assert_eq!(
            after(&[(0, &[500, 9_000]), (100, &[9_000])], true).recent(),
            None
        );
        let mut lateness = QueueLateness::default();
        lateness.saw(&queue(), &pulse(0, &[500], true));
        // The same entry with another due time.
        let mut later = pulse(1_000, &[500], true);
        #[expect(clippy::cast_precision_loss, reason = "times are far below 2^53")]
        let score = (T0 + 5_000) as f64;
        later.page.as_mut().unwrap().rows[0].1 = score;
        let member = b"due 500";
        later.first = Some(JudgedMember::new(&queue(), member, Some(score), 8));
        lateness.saw(&queue(), &later);
        assert_eq!(lateness.recent(), None);
        lateness.saw(&queue(), &pulse(6_000, &[], true));
        assert_eq!(lateness.recent().unwrap().max.most, 1_000);
    }

    #[test]
    fn what_was_changed_by_hand_is_not_looked_for() {
        let mut lateness = after(&[(0, &[500])], true);
        lateness.forget();
        lateness.saw(&queue(), &pulse(1_000, &[], true));
        assert_eq!(lateness.recent(), None);
        lateness.transferred(at(2_000), &[31]);
        let recent = lateness.recent().unwrap();
        assert_eq!((recent.p50.middle(), recent.error()), (31, 0));
    }

    #[test]
    fn the_strip_has_the_longest_lateness_of_each_share_of_the_last_minutes() {
        let mut lateness = QueueLateness::default();
        let end = 3_000 * SPAN_MS - T0.rem_euclid(SPAN_MS) - 1;
        for (before, late) in [
            (SPAN_MS + 5, 9),
            (299_000, 7),
            (20_000, 30),
            (15_000, 40),
            (0, 0),
        ] {
            let bounds = LateBounds {
                least: late,
                most: late + 2,
            };
            // However many leave, the first ones are not forgotten.
            lateness.add(at(end - before), &vec![bounds; 3_000]);
        }
        let strip = lateness.strip(at(end), 10);
        let mut expected = [None; 10];
        (expected[0], expected[9]) = (Some(9), Some(42));
        assert_eq!(strip, expected);
        assert_eq!(lateness.strip(at(end), 0), []);
    }

    #[test]
    fn an_hour_of_departures_takes_no_more_memory_than_five_minutes() {
        let mut lateness = QueueLateness::default();
        for second in 0..3_600 {
            let dues: Vec<i64> = (1..40).map(|n| second * 1_000 + n * 100).collect();
            lateness.saw(&queue(), &pulse(second * 1_000, &dues, true));
        }
        assert!(lateness.kept.len() <= MOST_KEPT, "{}", lateness.kept.len());
        assert!(lateness.awaited.len() <= MOST_AWAITED);
        let recent = lateness.recent().unwrap();
        assert!(recent.span_ms <= SPAN_MS);
        assert!(
            recent.p50.least == 0 && recent.max.most <= 1_000,
            "{recent:?}"
        );
        assert_eq!(lateness.most.count, lateness.least.count);
        assert_eq!(lateness.most.within[5], lateness.most.count);
    }
}
