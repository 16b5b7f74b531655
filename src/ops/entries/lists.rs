//! Target and order list from head to tail.
//!
//! Places shift while we read: transfers take out of the order list anywhere, consumers take from
//! one end of target, and new elements come at the other. So each page begins with the last
//! elements of the page before, and where other ones stand there, they are looked for: towards
//! the head, or towards the tail where new ones come in front.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use super::pages::PageSize;
use crate::ops::bulk;
use crate::ops::bulk::list::overlapping;
use crate::queue::{Entry, Push, Queue, State};
use crate::store::read::{self, Elements};
use crate::store::{Store, StoreError};

pub(super) struct EntriesReader {
    store: Store,
    list: Vec<u8>,
    told: SeenElements,
    size: PageSize,
    /// The place behind the last element read.
    next: u64,
    /// Number of elements before it that are read again.
    overlap: usize,
    /// Number of elements that may still be told: as many as there were at first, so that it ends
    /// also where more come all the time.
    left: u64,
    ended: bool,
}

/// The elements that were told already.
enum SeenElements {
    /// Of the order list, whose elements are members of timeouts: all.
    Members(Members),
    /// Of target, whose elements may be equal: the last ones; and where new ones come.
    Elements(Vec<Vec<u8>>, Push),
}

/// A set of members, by their hashes. In parts, since a set that grows is copied as a whole: a
/// million hashes at once would keep everybody waiting for tens of milliseconds.
struct Members {
    parts: Vec<HashSet<u64>>,
    hasher: RandomState,
}

/// Number of the parts.
const PARTS: u64 = 256;

impl Members {
    fn new() -> Self {
        Self {
            parts: (0..PARTS).map(|_| HashSet::new()).collect(),
            hasher: RandomState::new(),
        }
    }

    /// The hash of a member, and in which part it belongs.
    fn place(&self, member: &[u8]) -> (u64, usize) {
        let hash = self.hasher.hash_one(member);
        (hash, usize::try_from(hash % PARTS).unwrap_or(0))
    }

    fn has(&self, member: &[u8]) -> bool {
        let (hash, part) = self.place(member);
        self.parts[part].contains(&hash)
    }

    /// Adds a member, and tells whether it was not among them before.
    fn add(&mut self, member: &[u8]) -> bool {
        let (hash, part) = self.place(member);
        self.parts[part].insert(hash)
    }
}

impl EntriesReader {
    /// `ordered`: it is the order list.
    pub(super) fn new(store: &Store, queue: &Queue, list: Vec<u8>, ordered: bool) -> Self {
        Self {
            store: store.clone(),
            list,
            told: if ordered {
                SeenElements::Members(Members::new())
            } else {
                SeenElements::Elements(Vec::new(), queue.push())
            },
            size: PageSize::new(),
            next: 0,
            overlap: 0,
            left: 0,
            ended: false,
        }
    }

    /// Counts the entries that there are to be read now; to be asked first.
    pub(super) async fn count(&mut self) -> Result<u64, StoreError> {
        let page = read::list_page(&self.store, &self.list, 0, 0).await?;
        self.left = page.length;
        Ok(page.length)
    }

    /// The next entries, perhaps none of them new, without what timeouts says of them; none at the
    /// end.
    pub(super) async fn page(&mut self) -> Result<Option<Vec<Entry>>, StoreError> {
        if self.ended || self.left == 0 {
            return Ok(None);
        }
        let mut elements = self.elements().await?;
        self.told.tell(&mut elements, self.overlap);
        elements.truncate(usize::try_from(self.left).unwrap_or(usize::MAX));
        self.left -= u64::try_from(elements.len()).unwrap_or(0);
        let state = match self.told {
            SeenElements::Members(_) => State::Order,
            SeenElements::Elements(..) => State::Delivered,
        };
        let entry = |member| Entry {
            member,
            score: None,
            state,
        };
        Ok(Some(elements.into_iter().map(entry).collect()))
    }

    /// The elements behind those that were told.
    async fn elements(&mut self) -> Result<Vec<Vec<u8>>, StoreError> {
        let overlap = self.overlap as u64;
        let mut first = self.next.saturating_sub(overlap);
        let mut more = u64::from(self.size.get());
        loop {
            let (page, last) = self.ask(first, more + overlap).await?;
            let count = u64::try_from(page.elements.len()).unwrap_or(0);
            let fresh = match self.told.behind(first, &page.elements) {
                Some(fresh) => fresh,
                // Step by step, without a gap: what was told may stand anywhere before it.
                None if self.told.shifts_back() => {
                    let before = first.min(page.length);
                    first = before.saturating_sub(u64::from(self.size.get()));
                    more = before - first;
                    continue;
                }
                // What was told is gone from the tail, and what follows it before that.
                None if last => page.elements.len(),
                None => {
                    first += count.saturating_sub(overlap).max(1);
                    more = u64::from(self.size.get());
                    continue;
                }
            };
            (self.next, self.ended) = (first + count, last);
            self.overlap = overlapping(&page.elements);
            return Ok(page.elements.into_iter().skip(fresh).collect());
        }
    }

    /// Elements from a place on, and whether they are the last ones.
    async fn ask(&mut self, first: u64, count: u64) -> Result<(Elements, bool), StoreError> {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let page = read::list_page(&self.store, &self.list, first, count).await?;
        let bytes = page.elements.iter().map(Vec::len).sum();
        let times = bulk::at_once(&self.store);
        self.size.had(bytes, page.server_us, times);
        let count = u64::try_from(page.elements.len()).unwrap_or(0);
        let last = first + count >= page.length;
        Ok((page, last))
    }
}

impl SeenElements {
    /// Finds where in a page that begins at place `first` something may stand that was not told;
    /// none when something of that may stand before it.
    fn behind(&self, first: u64, page: &[Vec<u8>]) -> Option<usize> {
        match self {
            // They are told in their order, so before one that was told there is nothing new.
            Self::Members(all) => {
                let told = page.first().is_some_and(|member| all.has(member));
                (told || first == 0).then_some(0)
            }
            Self::Elements(seen, push) => {
                let gone = (first == 0 && *push == Push::Right) || seen.is_empty();
                behind(seen, page).or(gone.then_some(0))
            }
        }
    }

    /// Tells whether what was told moves towards the head while we read.
    const fn shifts_back(&self) -> bool {
        !matches!(self, Self::Elements(_, Push::Left))
    }

    /// Takes note of elements, and leaves of them what was not told before: a member once, also
    /// where the order list has it twice.
    /// `overlap`: so many will be read again.
    fn tell(&mut self, elements: &mut Vec<Vec<u8>>, overlap: usize) {
        match self {
            Self::Members(all) => elements.retain(|member| all.add(member)),
            Self::Elements(seen, _) => {
                let last = &elements[elements.len().saturating_sub(overlap)..];
                seen.extend_from_slice(last);
                seen.drain(..seen.len().saturating_sub(overlap));
            }
        }
    }
}

/// Finds the place in `page` of what follows `seen`: behind a run of elements that stand in `seen`
/// in the same order. All of them, if they are there somewhere; else those that the page begins
/// with, some having left in front; else the longest run. None when none of them is there.
fn behind(seen: &[Vec<u8>], page: &[Vec<u8>]) -> Option<usize> {
    let run = |from: usize| {
        let mut seen = seen.iter();
        let stands = |element: &&Vec<u8>| seen.any(|known| known == *element);
        page[from..].iter().take_while(stands).count()
    };
    let whole = |from: &usize| run(*from) == seen.len();
    if let Some(from) = (0..page.len()).find(whole) {
        return Some(from + seen.len());
    }
    let longest = || (1..page.len()).rev().max_by_key(|from| run(*from));
    let from = if run(0) > 0 { 0 } else { longest()? };
    (run(from) > 0).then_some(from + run(from))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elements(text: &str) -> Vec<Vec<u8>> {
        text.bytes().map(|byte| vec![byte]).collect()
    }

    #[test]
    fn what_follows_is_found_wherever_the_places_shifted_to() {
        for (seen, page, follows) in [
            ("abcd", "abcdef", Some("ef")),
            ("abcd", "cdef", Some("ef")),
            ("abcd", "xyabcdef", Some("ef")),
            ("abcd", "acef", Some("ef")),
            ("abcd", "xxcdef", Some("ef")),
            ("abcd", "efgh", None),
            ("abcd", "", None),
            ("aaaa", "aaaaaa", Some("aa")),
            ("abab", "ababab", Some("ab")),
        ] {
            let page = elements(page);
            let at = behind(&elements(seen), &page);
            assert_eq!(at.map(|at| page[at..].to_vec()), follows.map(elements));
        }
    }
}
