//! The lookup of what is in doubt by its payload, in target or among what waits, and by its bytes in
//! the order list.

use std::collections::{HashMap, HashSet};

use super::{Doubt, OpenItem, SeenItems};
use crate::ops::bulk::list::{ListRead, ListReader};
use crate::ops::plan::ChangeError;
use crate::ops::plan::make::PlanContext;
use crate::ops::plan::repair::KEPT;
use crate::ops::plan::work::sha1;
use crate::ops::undo::inverse::Inverse;
use crate::ops::undo::target;
use crate::queue::EntryId;
use crate::store::change::ListPlace;
use crate::store::read;

/// Elements of target that are looked at for places, at most.
const PLACES: usize = 100_000;

/// The place of no item: that of an element which stands for what waits.
const OF_WHAT_WAITS: usize = usize::MAX;

/// Entries read at once where those of one score are looked for.
const ROWS: u32 = 1_000;

impl SeenItems {
    /// Looks for elements in target. Equal ones are interchangeable: each stands for one item,
    /// after those that an earlier undo has put there.
    pub(super) async fn look_in_target(
        &mut self,
        making: &PlanContext<'_>,
        open: &[OpenItem],
        standing: &[Vec<u8>],
    ) -> Result<(), ChangeError> {
        let hash = |inverse: &Inverse| match inverse {
            Inverse::PutElement(element, _) => Some(sha1(element)),
            Inverse::Repair(which, item) => (KEPT[*which].before)(item).map(sha1),
            Inverse::PutBack(_, chosen, _) if !self.waiting.contains_key(&chosen.member) => {
                let entry = making.queue.unwrap(&chosen.member).ok()?;
                Some(sha1(entry.payload))
            }
            _ => None,
        };
        let sought = open.iter().enumerate();
        let sought = sought.filter_map(|(place, one)| Some((place, hash(&one.inverse)?)));
        let sought: Vec<(usize, [u8; 20])> = sought.collect();
        let wanted: HashSet<[u8; 20]> = sought.iter().map(|(_, hash)| *hash).collect();
        let back = standing.iter().map(|element| sha1(element));
        let back: Vec<_> = back.filter(|hash| wanted.contains(hash)).collect();
        // One more of each, too: which of equal ones is still there cannot be seen.
        let more: Vec<[u8; 20]> = wanted.iter().copied().collect();
        let hashes = back.iter().chain(sought.iter().map(|(_, hash)| hash));
        let hashes: Vec<_> = hashes.chain(&more).copied().collect();
        let found = target::elements(making, &hashes).await?;
        let (found, extra) = found[back.len()..].split_at(sought.len());
        let equal = more.iter().zip(extra).filter(|(_, extra)| extra.is_some());
        let equal: HashSet<&[u8; 20]> = equal.map(|(hash, _)| hash).chain(&back).collect();
        let of_equal = sought.iter().filter(|(_, hash)| equal.contains(hash));
        self.equal = of_equal.map(|(place, _)| *place).collect();
        let found = sought.iter().zip(found);
        let found = found.filter(|(_, element)| element.is_some());
        self.in_target = found.map(|((place, _), _)| *place).collect();
        Ok(())
    }

    /// Looks whether elements of which equal ones are in target stand where an earlier undo was to put
    /// them: then it did.
    pub(super) async fn look_at_places(
        &mut self,
        making: &PlanContext<'_>,
        open: &[OpenItem],
    ) -> Result<(), ChangeError> {
        let place = |one: &OpenItem| match &one.inverse {
            Inverse::PutElement(element, Some(place)) if one.doubt == Doubt::Back => {
                let (neighbour, n) = match place {
                    ListPlace::BehindNth(neighbour, n) => (neighbour, *n),
                    _ => return None,
                };
                Some((
                    one.behind,
                    PutPlace {
                        element: sha1(element),
                        neighbour: sha1(neighbour),
                        n: usize::try_from(n).ok()?.checked_sub(1)?,
                    },
                ))
            }
            _ => None,
        };
        let mut places: Vec<_> = open.iter().filter_map(place).collect();
        if places.is_empty() {
            return Ok(());
        }
        // As they were put: those that left last come back first.
        places.sort_by_key(|(behind, _)| *behind);
        let places: Vec<PutPlace> = places.into_iter().map(|(_, place)| place).collect();
        if let Some(target) = target::hashes(making, PLACES).await? {
            self.stand_again = stand_again(&target, &places);
        }
        Ok(())
    }

    /// Looks for elements in the order list, and in what is aside of it. Equal ones are
    /// interchangeable: each stands for one item, after the one that stands for what waits, which a
    /// repair leaves where it is.
    pub(super) async fn look_in_order_list(
        &mut self,
        making: &PlanContext<'_>,
        open: &[OpenItem],
    ) -> Result<(), ChangeError> {
        let mut sought: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for (place, one) in open.iter().enumerate() {
            if let Inverse::OrderList(member, _) = &one.inverse {
                sought.entry(member).or_default().push(place);
            }
        }
        if sought.is_empty() {
            return Ok(());
        }
        for (member, places) in &mut sought {
            let comes = matches!(open[places[0]].inverse, Inverse::OrderList(_, true));
            if comes && self.waiting.contains_key(*member) {
                places.push(OF_WHAT_WAITS);
            }
        }
        let keys = making.queue.keys();
        // What is aside goes to the other one.
        for list in keys.aside.into_iter().chain(keys.order) {
            let mut list = ListReader::new(list);
            // What others append from then on is none of it.
            let mut until = u64::MAX;
            while list.length() < until {
                match list.next(making.store).await? {
                    ListRead::Page(page) => {
                        until = until.min(page.length);
                        let of_it = |element: &Vec<u8>| sought.get_mut(element.as_slice())?.pop();
                        self.listed.extend(page.elements.iter().filter_map(of_it));
                    }
                    ListRead::End => break,
                    ListRead::Lost => {
                        self.is_order_unknown = true;
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// Looks for what was perhaps transferred, which is known by its score, its id and the hash of
    /// its payload: it may wait still.
    pub(super) async fn look_for_the_transferred(
        &mut self,
        making: &PlanContext<'_>,
        open: &[OpenItem],
    ) -> Result<(), ChangeError> {
        let mut sought: HashMap<(EntryId, [u8; 20]), Vec<usize>> = HashMap::new();
        let mut scores = Vec::new();
        for (place, one) in open.iter().enumerate() {
            if let Inverse::TakeBack(transferred) = &one.inverse {
                let known = (transferred.id, transferred.hash);
                sought.entry(known).or_default().push(place);
                scores.push(transferred.score);
            }
        }
        scores.sort_by(f64::total_cmp);
        scores.dedup();
        let timeouts = making.queue.keys().timeouts;
        let mut next = 0;
        while let Some(lowest) = scores.get(next).copied() {
            let (_, page) = read::rows_from(making.store, &timeouts, lowest, ROWS).await?;
            let mut last = None;
            for (member, score) in &page.rows {
                last = Some(*score);
                if let Ok(entry) = making.queue.unwrap(member)
                    && let Some(places) = sought.remove(&(entry.id, sha1(entry.payload)))
                {
                    self.untransferred.extend(places);
                }
            }
            next = match last {
                Some(last) if page.rows.len() >= ROWS as usize => {
                    let seen = scores.partition_point(|score| *score < last);
                    seen.max(next + 1)
                }
                _ => return Ok(()),
            };
        }
        Ok(())
    }
}

/// The place of an element that a script was to put back into target, by hashes: behind the `n`-th
/// neighbour from where new ones come, counted from 0.
struct PutPlace {
    element: [u8; 20],
    neighbour: [u8; 20],
    n: usize,
}

impl PutPlace {
    /// Where its neighbour stands, `n` counting from 0.
    fn neighbour_at(&self, target: &[[u8; 20]], n: usize) -> Option<usize> {
        let from_newest = target.iter().enumerate().rev();
        let mut equal = from_newest.filter(|(_, hash)| **hash == self.neighbour);
        Some(equal.nth(n)?.0)
    }
}

/// True when all of them stand where they were to be put, one after the other, and false when none
/// does. None: both may be so, or neither. `target`: that first which a consumer takes next.
fn stand_again(target: &[[u8; 20]], places: &[PutPlace]) -> Option<bool> {
    match (
        were_put(target.to_vec(), places),
        can_be_put(target.to_vec(), places),
    ) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

/// True when each, from the last one on, can be taken out of its place. What left there was the newest
/// of equal ones, so that none stood behind it.
fn were_put(mut target: Vec<[u8; 20]>, places: &[PutPlace]) -> bool {
    let mut seen = false;
    for place in places.iter().rev() {
        // Where its neighbour was taken, it may be gone too.
        let itself = usize::from(place.neighbour == place.element);
        let Some(at) = place.neighbour_at(&target, place.n + itself) else {
            continue;
        };
        let behind = &target[at + 1..];
        if behind.first() != Some(&place.element) || behind[1..].contains(&place.element) {
            return false;
        }
        target.remove(at + 1);
        seen = true;
    }
    seen
}

/// True when each can be put to its place, with none behind it that is equal.
fn can_be_put(mut target: Vec<[u8; 20]>, places: &[PutPlace]) -> bool {
    let mut seen = false;
    for place in places {
        let behind = place.neighbour_at(&target, place.n).map_or(0, |at| at + 1);
        if behind > 0 && target[behind..].contains(&place.element) {
            return false;
        }
        target.insert(behind, place.element);
        seen |= behind > 0;
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(letter: u8) -> [u8; 20] {
        [letter; 20]
    }

    fn target(letters: &[u8]) -> Vec<[u8; 20]> {
        letters.iter().copied().map(hash).collect()
    }

    fn places(each: &[(u8, u8, usize)]) -> Vec<PutPlace> {
        let place = |(element, neighbour, n): &(u8, u8, usize)| PutPlace {
            element: hash(*element),
            neighbour: hash(*neighbour),
            n: n - 1,
        };
        each.iter().map(place).collect()
    }

    #[test]
    fn what_stands_where_it_was_to_be_put_was_put_there() {
        // `abcab`, of which one of each was kept.
        let put = places(&[(b'b', b'c', 1), (b'a', b'c', 1)]);
        for (letters, was_put) in [
            (&b"abc"[..], Some(false)),
            (b"abcab", Some(true)),
            // Consumers have gone on, and so have those that deliver.
            (b"bcabd", Some(true)),
            (b"bcd", Some(false)),
            // What came since is equal to what was to be put.
            (b"abca", None),
            (b"", None),
        ] {
            assert_eq!(stand_again(&target(letters), &put), was_put, "{letters:?}");
        }
        // Where the same came again and again, one more of all is as likely as one less.
        let put = places(&[(b'c', b'c', 1), (b'b', b'c', 2), (b'a', b'c', 2)]);
        assert_eq!(stand_again(&target(b"abc"), &put), Some(false));
        assert_eq!(stand_again(&target(b"abcabc"), &put), None);
    }
}
