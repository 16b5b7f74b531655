//! The reverse of what was done to one item: what was done to it can be read off what the journal
//! keeps of it.

use super::target;
use crate::ops::journal::{Item, ItemResult};
use crate::ops::plan::repair::KEPT;
use crate::queue::{EntryId, Outcome, Queue, State};
use crate::store::change::{ChosenEntry, End, ListPlace};

/// The number of an item of which nobody wrote down what became of it, nor where it stood: it has no
/// place among those that left one after the other.
pub(super) const UNTOLD: u64 = u64::MAX;

/// The reverse of what was done to an item.
pub(super) enum Inverse {
    /// Deletes what was offered, or put back.
    Delete(ChosenEntry),
    /// Delivers what was taken out of target, into timeouts.
    Deliver(ChosenEntry),
    /// Gives a requeued entry the score that it had.
    Requeue(ChosenEntry, f64),
    /// Gives an edited entry the bytes that it had.
    Edit(ChosenEntry, Vec<u8>),
    /// Puts a deleted entry back: the item it is, and where it stood.
    PutBack(u64, ChosenEntry, ListPlace),
    /// Takes an entry out of quarantine: the item it is, and where it stood.
    Restore(u64, ChosenEntry, ListPlace),
    /// The same for one that the order list did not hold.
    RestoreOutside(ChosenEntry),
    /// Sets aside what came out of quarantine.
    Quarantine(ChosenEntry),
    /// Takes back what a repair did: its place in [`KEPT`], and the item.
    Repair(usize, Item),
    /// Deletes what was put back into target, at that end of it.
    Discard(Vec<u8>, End),
    /// Puts a deleted element of target back: to its place there, or, where none was told, where a
    /// consumer takes it next.
    PutElement(Vec<u8>, Option<ListPlace>),
    /// Takes back what was transferred.
    TakeBack(target::SoughtElement),
    /// Takes a repair of drift back; true: it comes into the order list again. (What waits again
    /// has nowhere to go back to.)
    OrderList(Vec<u8>, bool),
    /// Nothing, for this reason.
    None(EntryId, &'static str),
}

const NO_DUE: &str =
    "it had no due time before: only the order list held it (delete it if it shall not wait)";

const ONLY_IN_ORDER: &str = "it had no due time before: only the order list held it";

pub(super) const UNSURE: &str =
    "it is not known well enough what was done to it: taking it back might double or lose it";

impl Inverse {
    /// The id that people call its entry by.
    pub(super) fn id(&self, queue: &Queue) -> EntryId {
        match self {
            Self::Delete(chosen)
            | Self::Deliver(chosen)
            | Self::Requeue(chosen, _)
            | Self::Edit(chosen, _)
            | Self::PutBack(_, chosen, _)
            | Self::Restore(_, chosen, _)
            | Self::RestoreOutside(chosen)
            | Self::Quarantine(chosen) => queue.id(&chosen.member),
            Self::Repair(which, item) => (KEPT[*which].back)(vec![item.clone()]).id(queue, 0),
            Self::Discard(element, _) | Self::PutElement(element, _) => EntryId::of_bytes(element),
            Self::TakeBack(sought) => sought.id,
            Self::OrderList(member, _) => queue.id(member),
            Self::None(id, _) => *id,
        }
    }

    /// The element that comes back to target.
    pub(super) fn element(self) -> Option<Vec<u8>> {
        match self {
            Self::PutElement(element, _) => Some(element),
            _ => None,
        }
    }
}

/// The inverse of an item. `happened` tells which one it was and where it stood.
pub(super) fn inverse(item: Item, happened: Option<ItemResult>) -> Inverse {
    match KEPT.iter().position(|kept| (kept.is_its)(&item)) {
        Some(which) => Inverse::Repair(which, item),
        None => entry(item, happened),
    }
}

/// The inverse of an item that is an entry of timeouts, quarantine, order list or target.
fn entry(item: Item, happened: Option<ItemResult>) -> Inverse {
    let Item {
        id,
        state,
        score,
        member,
        new_score,
        new_member,
        form,
        hash,
        to_quarantine,
    } = item;
    let chosen = |member, score| ChosenEntry { member, score };
    let delivered = state == State::Delivered;
    let done = happened.filter(|happened| happened.outcome == Outcome::Done);
    let index = done.as_ref().map_or(UNTOLD, |happened| happened.index);
    let stood = done.as_ref().and_then(|happened| happened.stood.clone());
    // Where places are told, it is of equal ones the newest.
    let end = if stood.is_some() {
        End::Tail
    } else {
        End::Head
    };
    match (member, score, new_member, new_score, hash) {
        (Some(member), Some(score), ..) if to_quarantine => match (done, stood) {
            (Some(_), None) => Inverse::RestoreOutside(chosen(member, score)),
            (_, stood) => {
                let place = stood.unwrap_or(ListPlace::Tail);
                Inverse::Restore(index, chosen(member, score), place)
            }
        },
        (Some(member), Some(score), ..) if state == State::Quarantined => {
            Inverse::Quarantine(chosen(member, score))
        }
        (None, _, Some(new), Some(score), Some(_)) if delivered => {
            Inverse::Deliver(chosen(new, score))
        }
        (Some(element), ..) if delivered => Inverse::PutElement(element, stood),
        (None, _, Some(element), None, _) if delivered => Inverse::Discard(element, end),
        (None, Some(score), None, None, Some(hash)) => Inverse::TakeBack(target::SoughtElement {
            id,
            form,
            score,
            hash,
        }),
        (None, None, Some(new), Some(score), _) if !delivered => {
            Inverse::Delete(chosen(new, score))
        }
        (Some(member), None, None, None, _) => Inverse::OrderList(member, state == State::Order),
        (Some(old), Some(score), Some(new), ..) => Inverse::Edit(chosen(new, score), old),
        (Some(member), Some(score), None, Some(new), _) => {
            Inverse::Requeue(chosen(member, new), score)
        }
        (Some(member), Some(score), None, None, _) => {
            let place = stood.unwrap_or(ListPlace::Tail);
            Inverse::PutBack(index, chosen(member, score), place)
        }
        // Only the order list held it, and it was requeued.
        (Some(_), None, None, Some(_), _) if state == State::Order => Inverse::None(id, NO_DUE),
        // The same, and it was delivered.
        (None, None, None, None, Some(_)) if state == State::Order => {
            Inverse::None(id, ONLY_IN_ORDER)
        }
        _ => Inverse::None(id, UNSURE),
    }
}
