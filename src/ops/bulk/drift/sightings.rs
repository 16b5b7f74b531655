//! The record of what a comparison has seen of each member, in few bytes: 16 of a member that does
//! not differ, whatever its size, and all of one that does.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};

use super::Difference;
use crate::ops::bulk::list::ElementsPage;

/// A member in 16 bytes: no two of a queue have the same, as far as chance goes.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) struct MemberMark([u64; 2]);

/// The members and elements seen so far.
#[derive(Debug)]
pub(super) struct Sightings {
    marks: [RandomState; 2],
    /// Bytes of what differs that are kept at most.
    most: usize,
    kept: usize,
    /// Differences beyond those that were kept.
    pub(super) beyond: u64,
    /// The members of timeouts, with the places of the lists in which each was seen.
    seen: HashMap<MemberMark, Sighting>,
    /// Elements of the order list that were not in timeouts when that was read.
    strangers: HashSet<Vec<u8>>,
    /// The places in the order list of the copies of what stands twice.
    copies: HashMap<Vec<u8>, Vec<u64>>,
    /// Copies of each suspect in the lists, by the second reading.
    times: HashMap<MemberMark, u64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sighting {
    /// True when it is in the list that is aside.
    aside: bool,
    /// Copies in the order list.
    times: u8,
    /// The place of the first of them.
    first: u32,
}

impl Sightings {
    pub(super) fn new(most: usize) -> Self {
        Self {
            marks: [RandomState::new(), RandomState::new()],
            most,
            kept: 0,
            beyond: 0,
            seen: HashMap::new(),
            strangers: HashSet::new(),
            copies: HashMap::new(),
            times: HashMap::new(),
        }
    }

    /// Bytes of what differs that are kept at most.
    pub(super) const fn most(&self) -> usize {
        self.most
    }

    /// Makes room for so many members.
    pub(super) fn expect(&mut self, count: u64) {
        self.seen.reserve(usize::try_from(count).unwrap_or(0));
    }

    /// Members that wait.
    pub(super) fn waiting(&self) -> u64 {
        self.seen.len() as u64
    }

    /// Takes note of a member that waits; true when it was not seen before.
    pub(super) fn waits(&mut self, member: &[u8]) -> bool {
        let before = self.seen.len();
        self.seen.entry(self.mark(member)).or_default();
        self.seen.len() > before
    }

    /// Takes note of what is aside. What does not wait any more was transferred, and is dropped
    /// when the rest of them comes back.
    pub(super) fn aside(&mut self, page: &ElementsPage) {
        for element in &page.elements {
            let mark = self.mark(element);
            if let Some(seen) = self.seen.get_mut(&mark) {
                seen.aside = true;
            }
        }
    }

    /// Takes note of elements of the order list.
    pub(super) fn stand(&mut self, page: &ElementsPage) {
        for (place, element) in (page.first..).zip(&page.elements) {
            let mark = self.mark(element);
            let Some(seen) = self.seen.get_mut(&mark) else {
                if !self.strangers.contains(element) && self.keeps(element) {
                    self.strangers.insert(element.clone());
                }
                continue;
            };
            seen.times = seen.times.saturating_add(1);
            let first = u64::from(seen.first);
            if seen.times == 1 {
                seen.first = u32::try_from(place).unwrap_or(u32::MAX);
            } else if self.copies.contains_key(element) || self.keeps(element) {
                let copies = self.copies.entry(element.clone());
                copies.or_insert_with(|| vec![first]).push(place);
            }
        }
    }

    /// True when there is room for one more that differs.
    pub(super) fn keeps(&mut self, member: &[u8]) -> bool {
        let fits = self.kept.saturating_add(member.len()) <= self.most;
        if fits {
            self.kept += member.len();
        } else {
            self.beyond += 1;
        }
        fits
    }

    /// The differences after one reading: what stands in no list, by its mark, and what else
    /// differs.
    pub(super) fn differ(&mut self) -> (HashSet<MemberMark>, Vec<Difference>) {
        let lacks = self.seen.iter().filter(|(_, s)| s.times == 0 && !s.aside);
        let lacks = lacks.map(|(mark, _)| *mark).collect();
        self.seen = HashMap::new();
        let often = self.copies.iter();
        let often = often.map(|(m, places)| Difference::TooOften(m.clone(), places.len() as u64));
        let strange = std::mem::take(&mut self.strangers).into_iter();
        let strange = strange.map(Difference::OnlyInOrder);
        (lacks, often.chain(strange).collect())
    }

    /// Begins to count these for the second time.
    pub(super) fn suspect(&mut self, suspects: &[Difference]) {
        self.copies.clear();
        let times = suspects.iter().map(|one| (self.mark(one.member()), 0));
        self.times = times.collect();
    }

    /// Takes note of elements of a list at the second reading.
    pub(super) fn see_again(&mut self, page: &ElementsPage) {
        for (place, element) in (page.first..).zip(&page.elements) {
            let mark = self.mark(element);
            if let Some(times) = self.times.get_mut(&mark) {
                *times += 1;
                self.copies.entry(element.clone()).or_default().push(place);
            }
        }
    }

    /// The difference as the second reading says it too; none when that contradicts it.
    pub(super) fn still(&self, difference: Difference) -> Option<Difference> {
        let times = self.times(difference.member());
        Some(match difference {
            Difference::NotInOrder(_) if times == 0 => difference,
            Difference::OnlyInOrder(_) if times > 0 => difference,
            Difference::TooOften(member, _) if times > 1 => Difference::TooOften(member, times),
            _ => return None,
        })
    }

    /// Elements by which it makes timeouts longer than the order list.
    pub(super) fn weight(&self, difference: &Difference) -> i64 {
        let long = |times: u64| i64::try_from(times).unwrap_or(i64::MAX);
        match difference {
            Difference::NotInOrder(_) => 1,
            Difference::OnlyInOrder(member) => -long(self.times(member)),
            Difference::TooOften(_, times) => 1 - long(*times),
        }
    }

    /// The places of the copies of what stands twice.
    pub(super) fn into_copies(self) -> HashMap<Vec<u8>, Vec<u64>> {
        self.copies
    }

    pub(super) fn mark(&self, member: &[u8]) -> MemberMark {
        MemberMark(self.marks.each_ref().map(|marks| marks.hash_one(member)))
    }

    fn times(&self, member: &[u8]) -> u64 {
        self.times.get(&self.mark(member)).copied().unwrap_or(0)
    }
}
