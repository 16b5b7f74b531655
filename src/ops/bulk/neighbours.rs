//! The order in which deleted entries stand behind what has stayed.

use std::collections::HashMap;

use crate::store::change::{ChosenEntry, ListPlace};

/// Deleted entries (by number), grouped by the element that they stand behind.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// Entries before everything else, in their order.
    pub(super) heads: Vec<usize>,
    /// Entries behind an element that has stayed, in their order.
    pub(super) behind: HashMap<Vec<u8>, Vec<usize>>,
    /// Entries at the tail, in their order; also those whose place is not known.
    pub(super) tails: Vec<usize>,
}

/// Groups entries that are given in the order in which they left, each with where it stood at that
/// moment. So they go back from the last to the first, each right behind its neighbour, which may
/// be one that is back already.
pub(super) fn groups(entries: &[(ChosenEntry, Option<ListPlace>)]) -> Groups {
    let mut back: HashMap<&[u8], usize> = HashMap::with_capacity(entries.len());
    let mut next: Vec<Option<usize>> = vec![None; entries.len()];
    let mut first: HashMap<&[u8], usize> = HashMap::new();
    let mut head = None;
    let mut groups = Groups::default();
    for (i, (chosen, stood)) in entries.iter().enumerate().rev() {
        back.insert(&chosen.member, i);
        match stood {
            Some(ListPlace::Head) => next[i] = head.replace(i),
            Some(ListPlace::Behind(element) | ListPlace::BehindNth(element, _)) => {
                match back.get(element.as_slice()) {
                    Some(&neighbour) if neighbour != i => {
                        next[i] = next[neighbour].replace(i);
                    }
                    _ => next[i] = first.insert(element, i),
                }
            }
            Some(ListPlace::Tail) | None => groups.tails.push(i),
        }
    }
    let row =
        |from: Option<usize>| std::iter::successors(from, |&i| next[i]).collect::<Vec<usize>>();
    groups.heads = row(head);
    for (element, from) in first {
        groups.behind.insert(element.to_vec(), row(Some(from)));
    }
    // One that stood at the tail may have others behind it by now.
    groups.tails = (groups.tails.iter()).flat_map(|&i| row(Some(i))).collect();
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chosen(n: usize) -> ChosenEntry {
        ChosenEntry {
            member: vec![u8::try_from(n).unwrap()],
            score: 0.0,
        }
    }

    /// The list of numbers once the groups are back in it.
    fn back(kept: &[usize], groups: &Groups) -> Vec<usize> {
        let mut list = groups.heads.clone();
        for &n in kept {
            list.push(n);
            list.extend(groups.behind.get(&chosen(n).member).into_iter().flatten());
        }
        list.extend(&groups.tails);
        list
    }

    proptest! {
        #[test]
        fn what_left_one_after_the_other_stands_as_before(
            order in Just((0..30_usize).collect::<Vec<_>>()).prop_shuffle(),
            leaving in proptest::sample::subsequence((0..30_usize).collect::<Vec<_>>(), 0..30)
                .prop_shuffle(),
        ) {
            let mut list = order.clone();
            let mut left: Vec<(usize, ListPlace)> = Vec::new();
            for n in &leaving {
                let at = list.iter().position(|m| m == n).unwrap();
                let place = match at.checked_sub(1) {
                    None => ListPlace::Head,
                    Some(before) => ListPlace::Behind(chosen(list[before]).member),
                };
                list.remove(at);
                left.push((*n, place));
            }
            // `groups` counts in the order in which they left.
            let entries: Vec<_> = left.iter().map(|(n, p)| (chosen(*n), Some(p.clone()))).collect();
            let number = |i: &usize| left[*i].0;
            let mut found = groups(&entries);
            for group in found.behind.values_mut().chain([&mut found.heads, &mut found.tails]) {
                *group = group.iter().map(number).collect();
            }
            prop_assert_eq!(back(&list, &found), order);
        }

        #[test]
        fn what_a_sweep_took_stands_as_before(
            order in Just((0..30_usize).collect::<Vec<_>>()).prop_shuffle(),
            gone in proptest::collection::hash_set(0..30_usize, 0..30),
        ) {
            let (mut kept, mut entries, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
            for &n in &order {
                if gone.contains(&n) {
                    let behind = |&k: &usize| ListPlace::Behind(chosen(k).member);
                    let place = kept.last().map_or(ListPlace::Head, behind);
                    entries.push((chosen(n), Some(place)));
                    numbers.push(n);
                } else {
                    kept.push(n);
                }
            }
            let mut found = groups(&entries);
            for group in found.behind.values_mut().chain([&mut found.heads]) {
                *group = group.iter().map(|&i| numbers[i]).collect();
            }
            prop_assert_eq!(back(&kept, &found), order);
        }
    }
}
