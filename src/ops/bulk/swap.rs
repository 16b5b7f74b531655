//! The elements of the order list that have to change places, so that the chosen ones stand at its
//! head: a permutation, worked out from one reading.

use std::collections::HashMap;

use crate::store::bulk::Swap;

/// Bytes 1 to 8 of an element: by them a swap makes sure that it takes the right one.
pub(super) type ElementMark = [u8; 8];

/// The mark of an element; none of one that is too short, which no frame is.
pub(super) fn mark(element: &[u8]) -> Option<ElementMark> {
    element.get(1..9)?.try_into().ok()
}

/// A place at the head of the list that a chosen entry may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct FreePlace {
    /// Its place in the list.
    pub(super) place: u32,
    /// The mark of what stands there.
    pub(super) mark: ElementMark,
    /// The number of the chosen entry that this is, if it is one.
    pub(super) chosen: Option<usize>,
}

/// The place of a chosen entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChosenPlace {
    /// Its number.
    pub(super) chosen: usize,
    /// Its place in the list.
    pub(super) place: u32,
    /// Its mark.
    pub(super) mark: ElementMark,
}

/// A swap, and whom it brings to a place in which it shall stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlannedSwap {
    pub(super) swap: Swap,
    /// The number of the chosen entry that it is for.
    pub(super) chosen: usize,
    /// Another one that comes to its place by it too.
    pub(super) beside: Option<usize>,
}

/// The numbers of those of `wanted` that stand in their slots already.
pub(super) fn in_place(wanted: &[ChosenPlace], slots: &[FreePlace]) -> Vec<usize> {
    let each = wanted.iter().zip(slots);
    let stand = each.filter(|(entry, slot)| entry.place == slot.place);
    stand.map(|(entry, _)| entry.chosen).collect()
}

/// The swaps that bring each of `wanted` (in the order that they shall have) to the slots, one
/// after the other. Each counts with those before it done.
pub(super) fn plan(wanted: &[ChosenPlace], slots: &[FreePlace]) -> Vec<PlannedSwap> {
    let mut places: HashMap<usize, u32> = wanted.iter().map(|w| (w.chosen, w.place)).collect();
    let each = wanted.iter().zip(slots);
    let goals: HashMap<usize, u32> = each.map(|(w, slot)| (w.chosen, slot.place)).collect();
    // What stands at a place now, where that is something else than what was read.
    let mut moved: HashMap<u32, (ElementMark, Option<usize>)> = HashMap::new();
    let mut swaps = Vec::new();
    for (entry, slot) in wanted.iter().zip(slots) {
        let Some(&from) = places.get(&entry.chosen) else {
            continue;
        };
        if from == slot.place {
            continue;
        }
        let there = moved.remove(&slot.place);
        let (mark, other) = there.unwrap_or((slot.mark, slot.chosen));
        swaps.push(PlannedSwap {
            swap: Swap {
                places: [slot.place, from],
                marks: [mark, entry.mark],
            },
            chosen: entry.chosen,
            beside: other.filter(|other| goals.get(other) == Some(&from)),
        });
        moved.insert(from, (mark, other));
        moved.insert(slot.place, (entry.mark, Some(entry.chosen)));
        places.insert(entry.chosen, slot.place);
        if let Some(other) = other {
            places.insert(other, from);
        }
    }
    swaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mark_of(n: usize) -> ElementMark {
        (n as u64).to_le_bytes()
    }

    /// The list of marks after these swaps, each of which must find what it expects.
    fn swapped(mut list: Vec<ElementMark>, swaps: &[PlannedSwap]) -> Vec<ElementMark> {
        for PlannedSwap { swap, .. } in swaps {
            let [a, b] = swap.places.map(|place| place as usize);
            assert_eq!([list[a], list[b]], swap.marks);
            list.swap(a, b);
        }
        list
    }

    proptest! {
        /// Element `n` of the list is the entry `order[n]`; the first `chosen` entries are wanted,
        /// in the order of their numbers; those in `fixed` are no frames.
        #[test]
        fn the_chosen_come_to_the_head_in_their_order_and_nothing_is_lost(
            order in Just((0..40_usize).collect::<Vec<_>>()).prop_shuffle(),
            chosen in 0..30_usize,
            fixed in proptest::collection::hash_set(30..40_usize, 0..5),
        ) {
            let slots: Vec<FreePlace> = order.iter().enumerate()
                .filter(|(_, n)| !fixed.contains(n))
                .take(chosen)
                .map(|(place, &n)| FreePlace {
                    place: u32::try_from(place).unwrap(),
                    mark: mark_of(n),
                    chosen: (n < chosen).then_some(n),
                })
                .collect();
            let stands = |n: usize| order.iter().position(|&m| m == n).unwrap();
            let wanted: Vec<ChosenPlace> = (0..chosen)
                .map(|n| ChosenPlace {
                    chosen: n,
                    place: u32::try_from(stands(n)).unwrap(),
                    mark: mark_of(n),
                })
                .collect();
            let list: Vec<ElementMark> = order.iter().map(|&n| mark_of(n)).collect();
            let swaps = plan(&wanted, &slots);
            prop_assert!(swaps.len() <= chosen);
            let brought = swaps.iter().flat_map(|swap| [Some(swap.chosen), swap.beside]);
            let mut placed = in_place(&wanted, &slots);
            placed.extend(brought.flatten());
            placed.sort_unstable();
            prop_assert_eq!(placed, (0..chosen).collect::<Vec<_>>());
            let after = swapped(list.clone(), &swaps);
            for (n, slot) in slots.iter().enumerate() {
                prop_assert_eq!(after[slot.place as usize], mark_of(n));
            }
            for &n in &fixed {
                prop_assert_eq!(after[stands(n)], mark_of(n));
            }
            let sorted = |mut list: Vec<ElementMark>| { list.sort_unstable(); list };
            prop_assert_eq!(sorted(after), sorted(list));
        }
    }
}
