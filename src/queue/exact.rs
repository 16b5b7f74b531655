//! The result of a look at all members of a queue: each one judged, both sides compared. Bounded:
//! counts, and the first few of each kind.

use super::entry::{Due, EntryId};
use super::frame::{Era, Unpack};
use super::frames::{DeliveredElement, JudgedMember, PayloadBegin};
use super::known::Known;
use super::layout::Queue;
use super::snapshot::Pulse;
use crate::clock::EpochMillis;

/// Members of a kind that are named.
const MEMBERS_NAMED: usize = 5;
/// From here on a score is no time, nor below the same negative: see [`Due::OutOfRange`].
const UNREADABLE: f64 = 1e17;

/// The result.
#[derive(Clone, Debug, PartialEq)]
pub struct Exact {
    /// The server's time when it began.
    pub from: EpochMillis,
    /// The server's time when it had ended.
    pub at: EpochMillis,
    /// Members of timeouts that were looked at.
    pub waiting: u64,
    /// Elements of the order list that were looked at.
    pub order: u64,
    /// Elements of target that were looked at.
    pub target: u64,
    /// The differences between timeouts and the order list; none: the layout has no order list.
    pub drift: Option<ListDifferences>,
    /// Entries that wait with a frame, by its era: the older, the newer.
    pub of_era: [Group; 2],
    /// Entries that wait with a frame which clients of an era cannot unpack: of the older, of the
    /// newer.
    pub unreadable: [Group; 2],
    /// Members that wait without a frame where there should be one.
    pub foreign: Group,
    /// Entries with a score below 0.
    pub negative: Group,
    /// Entries whose score makes sense only as seconds in a queue that counts milliseconds.
    pub in_seconds: Group,
    /// Entries whose score makes sense only as microseconds in a queue that counts milliseconds.
    pub finer: Group,
    /// Entries with a score of 1e17 or more.
    pub beyond: Group,
    /// The next due ones, each with the number of elements before it in the order list.
    pub places: Vec<(EntryId, u64)>,
    /// Elements of target that still have a frame: how many, and where the first of them stands.
    pub framed: (u64, Option<u64>),
}

/// Some of the entries that wait.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// Number of these entries.
    pub count: u64,
    /// The first few of them by score.
    pub first: Vec<JudgedMember>,
    /// The highest of their scores.
    pub last: f64,
}

/// The differences between timeouts and the order list.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ListDifferences {
    /// Entries that wait but are not in the order list.
    pub lacking: FirstMembers,
    /// Members of the order list that do not wait.
    pub strays: FirstMembers,
    /// Members that stand in the order list more than once.
    pub twice: FirstMembers,
    /// At least so many; there was no room to look at all that differs twice.
    pub at_least: bool,
    /// By so many elements timeouts is longer than the order list because of that.
    pub balance: i64,
    /// A part of the order list was set aside.
    pub aside: bool,
}

/// A number of members, and the first few that were met.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct FirstMembers {
    /// Their number.
    pub count: u64,
    /// Some of them: their ids, and how their payloads begin.
    pub named: Vec<(EntryId, PayloadBegin)>,
}

impl FirstMembers {
    /// One more member of `queue`.
    pub fn add(&mut self, queue: &Queue, member: &[u8]) {
        self.count += 1;
        if self.named.len() < MEMBERS_NAMED {
            let payload = queue.unwrap(member).map_or(member, |seen| seen.payload);
            self.named
                .push((queue.id(member), PayloadBegin::of(payload)));
        }
    }
}

impl ListDifferences {
    /// Both hold the same members, once each.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        self.lacking.count == 0 && self.strays.count == 0 && self.twice.count == 0
    }
}

impl Group {
    fn add(&mut self, score: f64, judge: impl FnOnce() -> JudgedMember) {
        self.last = if self.count == 0 {
            score
        } else {
            self.last.max(score)
        };
        self.count += 1;
        let before = |one: &JudgedMember| one.score.is_some_and(|its| its <= score);
        let place = self.first.partition_point(before);
        if place < MEMBERS_NAMED {
            self.first.truncate(MEMBERS_NAMED - 1);
            self.first.insert(place, judge());
        }
    }

    /// Some of them wait still, as far as a pulse after it tells: transferred is what scores
    /// lowest.
    #[must_use]
    pub fn stands(&self, pulse: &Pulse) -> bool {
        let head = pulse.first.as_ref().and_then(|one| one.score);
        self.count > 0 && pulse.waiting != Known::Is(0) && head.is_none_or(|head| head <= self.last)
    }

    /// The first of those named that waits still, as far as a pulse after it tells.
    #[must_use]
    pub fn first_left(&self, pulse: &Pulse) -> Option<&JudgedMember> {
        let head = pulse.first.as_ref().and_then(|one| one.score);
        let left =
            |one: &&JudgedMember| head.is_none_or(|head| one.score.is_none_or(|its| its >= head));
        self.first.iter().find(left)
    }
}

impl Exact {
    /// Nothing has been looked at yet.
    #[must_use]
    pub fn new(queue: &Queue, from: EpochMillis) -> Self {
        Self {
            from,
            at: from,
            waiting: 0,
            order: 0,
            target: 0,
            drift: queue.keys().order.map(|_| ListDifferences::default()),
            of_era: Default::default(),
            unreadable: Default::default(),
            foreign: Group::default(),
            negative: Group::default(),
            in_seconds: Group::default(),
            finer: Group::default(),
            beyond: Group::default(),
            places: Vec::new(),
            framed: (0, None),
        }
    }

    /// This member waits; judged on a server whose `unsigned long` has `long` bytes.
    pub fn waits(&mut self, queue: &Queue, member: &[u8], score: f64, long: usize) {
        self.waiting += 1;
        let judge = || JudgedMember::new(queue, member, Some(score), long);
        match queue.due(score) {
            _ if score < 0.0 => self.negative.add(score, judge),
            _ if score >= UNREADABLE => self.beyond.add(score, judge),
            Due::At(due) if queue.meant_in_seconds(due, self.from).is_some() => {
                self.in_seconds.add(score, judge);
            }
            Due::At(_) if queue.meant_finer(score, self.from).is_some() => {
                self.finer.add(score, judge);
            }
            _ => {}
        }
        if !queue.has_frames() {
            return;
        }
        let form = queue.unwrap(member).ok().and_then(|seen| seen.form);
        let Some(form) = form else {
            self.foreign.add(score, judge);
            return;
        };
        for (i, era) in Era::BOTH.into_iter().enumerate() {
            if form.era() == era {
                self.of_era[i].add(score, judge);
            }
            if era.unpack(member, long) != Unpack::Right {
                self.unreadable[i].add(score, judge);
            }
        }
    }

    /// This element of target stands behind so many others.
    pub fn delivered(&mut self, queue: &Queue, place: u64, element: &[u8]) {
        self.target += 1;
        if DeliveredElement::new(queue, element).framed.is_some() {
            self.framed.0 += 1;
            self.framed.1.get_or_insert(place);
        }
    }

    /// Entries that clients of that era cannot unpack.
    #[must_use]
    pub const fn unreadable(&self, era: Era) -> &Group {
        match era {
            Era::Older => &self.unreadable[0],
            Era::Newer => &self.unreadable[1],
        }
    }

    /// Returns the number of members that were looked at in the largest of timeouts, order list and
    /// target.
    #[must_use]
    pub fn looked(&self) -> u64 {
        self.waiting.max(self.order).max(self.target)
    }

    /// Something in it would be a finding.
    #[must_use]
    pub fn is_odd(&self) -> bool {
        let drifts = self.drift.as_ref().is_some_and(|drift| !drift.is_none());
        let mixed = self.of_era.iter().all(|group| group.count > 0);
        let scores = [&self.negative, &self.in_seconds, &self.finer, &self.beyond];
        let scores = scores.iter().any(|group| group.count > 0);
        drifts || mixed || scores || self.foreign.count > 0 || self.framed.0 > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::frame::{self, Form};

    const NOW: EpochMillis = EpochMillis::new(1_700_000_000_000);

    fn member(form: Form, id: u8) -> Vec<u8> {
        frame::encode(form, [id, 1, 2, 3, 4, 5, 6, 0x43], b"hello")
    }

    #[test]
    fn every_member_is_counted_by_its_form_and_the_first_few_are_named() {
        let queue = Queue::redisson("q");
        let mut exact = Exact::new(&queue, NOW);
        for id in (0..20).rev() {
            let member = member(Form::ByteId, id);
            exact.waits(&queue, &member, 1.7e12 + f64::from(id), 8);
        }
        exact.waits(&queue, &member(Form::DoubleId, 30), 1.7e12 + 7.5, 8);
        exact.waits(&queue, b"{}", 1.7e12 + 3.5, 8);
        let counts = exact.of_era.each_ref().map(|group| group.count);
        assert_eq!((counts, exact.foreign.count), ([1, 20], 1));
        assert_eq!(exact.unreadable(Era::Newer).count, 1);
        assert_eq!(exact.unreadable(Era::Older).count, 20);
        let first = exact.of_era[1].first.iter().map(|one| one.score);
        let first: Vec<f64> = first.flatten().map(|score| score - 1.7e12).collect();
        assert_eq!(first, [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert!((exact.of_era[1].last - 1.7e12 - 19.0).abs() < 0.1);
        assert!(exact.is_odd());
    }

    #[test]
    fn scores_that_are_no_due_times_are_told_apart() {
        let queue = Queue::redisson("q");
        let mut exact = Exact::new(&queue, NOW);
        let scores = [-5.0, f64::NEG_INFINITY, 1e17, 1.7e9, 1.7e12, 1.7e15];
        for (id, score) in (0..).zip(scores) {
            exact.waits(&queue, &member(Form::ByteId, id), score, 8);
        }
        let counts = [
            &exact.negative,
            &exact.beyond,
            &exact.in_seconds,
            &exact.finer,
        ];
        assert_eq!(counts.map(|group| group.count), [2, 1, 1, 1]);
    }
}
