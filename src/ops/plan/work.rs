//! The work of a planned change on its entries: the lists that the scripts take, one kind of deed a
//! list, so that a million of them cost their bytes and little more.

use std::sync::Arc;

use sha1::{Digest as _, Sha1};

use super::deed::{Deed, chosen};
use crate::clock::EpochMillis;
use crate::queue::{EntryId, Form, Queue, State, frame};
use crate::store::change::{ChosenEntry, End, ListPlace, TakeBack};

use super::super::bulk::drift::Drift;
use super::super::journal::Item;

/// The whole job of a change.
#[derive(Debug)]
pub(in crate::ops) enum Job {
    /// Lists of entries, one after the other.
    Entries(Vec<Work>),
    /// A transfer of everything due up to a moment.
    Due {
        /// The moment, by the server's clock.
        bound: EpochMillis,
        /// Entries with a score below 0 that are refused beside those that are named.
        unnamed: u64,
        /// Bytes of the largest member that is known of.
        largest: u64,
    },
    /// A kick on the channel.
    Kick,
    /// The members that come to the head of the order list, in this order.
    Realign(Vec<Vec<u8>>),
    /// The return of an order list that is aside.
    RestoreOrder,
    /// The repair of the differences between timeouts and order list.
    Drift(Box<Drift>),
}

/// Entries to all of which the same is done, in the order in which it is done.
#[derive(Clone, Debug)]
pub(in crate::ops) enum Work {
    /// Entries that leave timeouts and order list.
    Delete(Vec<ChosenEntry>),
    /// Entries that leave timeouts and order list for quarantine.
    Quarantine(Vec<ChosenEntry>),
    /// Entries that leave quarantine for timeouts and that place of the order list, if any.
    Restore(Vec<(ChosenEntry, Option<ListPlace>)>),
    /// Entries that leave timeouts and order list, their payloads for target.
    Deliver(Vec<ChosenEntry>),
    /// Entries that get another score.
    Requeue(Vec<(ChosenEntry, f64)>),
    /// Entries that get other bytes.
    Edit(Vec<(ChosenEntry, Vec<u8>)>),
    /// Deleted entries that come into their places again.
    PutBack(Vec<(ChosenEntry, ListPlace)>),
    /// Elements that leave target for timeouts; what people call each by; and the end of the order
    /// list to which they come.
    TakeBack(Vec<TakeBack>, Vec<EntryId>, End),
    /// Elements that leave target: of equal ones those that a consumer takes first, or those that
    /// came last.
    Discard(Vec<Vec<u8>>, End),
    /// Elements that come back to target. Where the next consumer takes them: those that a consumer
    /// is to take last stand first. Where new ones come: those that came first.
    PutElements(Vec<Vec<u8>>, End),
    /// Elements that come back to target, each into its place there.
    PutAmong(Vec<(Vec<u8>, ListPlace)>),
    /// Members of the order list alone that come into timeouts too.
    WaitAgain(Vec<ChosenEntry>),
    /// Members of the order list alone whose payloads go to target.
    DeliverStrays(Vec<Vec<u8>>),
    /// Members of the order list alone that leave it.
    DropStrays(Vec<Vec<u8>>),
    /// Members that come into the order list (`true`) or leave it: a repair of drift taken back.
    OrderList(Vec<(Vec<u8>, bool)>),
    /// The deed of a repair that has a script of its own.
    Repair(Arc<dyn Deed>),
    /// New entries.
    Offer(Vec<(EpochMillis, Vec<u8>)>),
}

impl Work {
    /// The number of entries.
    pub(in crate::ops) fn len(&self) -> usize {
        match self {
            Self::Delete(all)
            | Self::Quarantine(all)
            | Self::Deliver(all)
            | Self::WaitAgain(all) => all.len(),
            Self::OrderList(all) => all.len(),
            Self::PutAmong(all) => all.len(),
            Self::Repair(deed) => deed.len(),
            Self::Requeue(all) => all.len(),
            Self::Edit(all) => all.len(),
            Self::PutBack(all) => all.len(),
            Self::Restore(all) => all.len(),
            Self::TakeBack(all, ..) => all.len(),
            Self::Discard(all, _)
            | Self::PutElements(all, _)
            | Self::DeliverStrays(all)
            | Self::DropStrays(all) => all.len(),
            Self::Offer(all) => all.len(),
        }
    }

    /// The same for some of the entries, in their order.
    pub(in crate::ops) fn some(&self, indices: &[usize]) -> Self {
        match self {
            Self::Delete(all) => Self::Delete(chosen(all, indices)),
            Self::Quarantine(all) => Self::Quarantine(chosen(all, indices)),
            Self::Restore(all) => Self::Restore(chosen(all, indices)),
            Self::Deliver(all) => Self::Deliver(chosen(all, indices)),
            Self::Requeue(all) => Self::Requeue(chosen(all, indices)),
            Self::Edit(all) => Self::Edit(chosen(all, indices)),
            Self::PutBack(all) => Self::PutBack(chosen(all, indices)),
            Self::TakeBack(all, called, end) => {
                Self::TakeBack(chosen(all, indices), chosen(called, indices), *end)
            }
            Self::Discard(all, end) => Self::Discard(chosen(all, indices), *end),
            Self::PutElements(all, end) => Self::PutElements(chosen(all, indices), *end),
            Self::PutAmong(all) => Self::PutAmong(chosen(all, indices)),
            Self::WaitAgain(all) => Self::WaitAgain(chosen(all, indices)),
            Self::DeliverStrays(all) => Self::DeliverStrays(chosen(all, indices)),
            Self::DropStrays(all) => Self::DropStrays(chosen(all, indices)),
            Self::OrderList(all) => Self::OrderList(chosen(all, indices)),
            Self::Repair(deed) => Self::Repair(deed.some(indices)),
            Self::Offer(all) => Self::Offer(chosen(all, indices)),
        }
    }

    /// Bytes of an entry that go to the server, about.
    pub(in crate::ops) fn bytes(&self, i: usize) -> usize {
        match self {
            Self::Delete(all)
            | Self::Quarantine(all)
            | Self::Deliver(all)
            | Self::WaitAgain(all) => all[i].member.len(),
            Self::OrderList(all) => all[i].0.len(),
            Self::Repair(deed) => deed.bytes(i),
            Self::Requeue(all) => all[i].0.member.len(),
            Self::Edit(all) => all[i].0.member.len() + all[i].1.len(),
            Self::PutBack(all) => all[i].0.member.len() + neighbour(Some(&all[i].1)),
            Self::PutAmong(all) => all[i].0.len() + neighbour(Some(&all[i].1)),
            Self::Restore(all) => all[i].0.member.len() + neighbour(all[i].1.as_ref()),
            Self::TakeBack(all, ..) => all[i].element.len() + all[i].member.len(),
            Self::Discard(all, _)
            | Self::PutElements(all, _)
            | Self::DeliverStrays(all)
            | Self::DropStrays(all) => all[i].len(),
            Self::Offer(all) => all[i].1.len(),
        }
    }

    /// The member that waits before (or, where none does, afterwards); none where only target is
    /// concerned.
    pub(in crate::ops) fn member(&self, i: usize) -> Option<&[u8]> {
        Some(match self {
            Self::Delete(all)
            | Self::Quarantine(all)
            | Self::Deliver(all)
            | Self::WaitAgain(all) => &all[i].member,
            Self::DeliverStrays(all) | Self::DropStrays(all) => &all[i],
            Self::OrderList(all) => &all[i].0,
            Self::Requeue(all) => &all[i].0.member,
            Self::Edit(all) => &all[i].0.member,
            Self::PutBack(all) => &all[i].0.member,
            Self::Restore(all) => &all[i].0.member,
            Self::TakeBack(all, ..) => &all[i].member,
            Self::Discard(..) | Self::PutElements(..) | Self::PutAmong(_) | Self::Repair(_) => {
                return None;
            }
            Self::Offer(all) => &all[i].1,
        })
    }

    /// The element that is looked for in the order list or in target; none where none is.
    pub(in crate::ops) fn looked_for(&self, i: usize) -> Option<&[u8]> {
        match self {
            Self::TakeBack(all, ..) => Some(&all[i].element),
            Self::Discard(all, _) => Some(&all[i]),
            Self::Repair(deed) => deed.looked_for(i),
            Self::PutBack(all) => behind(Some(&all[i].1)),
            Self::PutAmong(all) => behind(Some(&all[i].1)),
            Self::Restore(all) => behind(all[i].1.as_ref()),
            _ => self.member(i),
        }
    }

    /// The element of target that leaves it or comes back to it; none where none does.
    pub(in crate::ops) fn element(&self, i: usize) -> Option<&[u8]> {
        match self {
            Self::TakeBack(all, ..) => Some(&all[i].element),
            Self::Discard(all, _) | Self::PutElements(all, _) => Some(&all[i]),
            Self::PutAmong(all) => Some(&all[i].0),
            _ => None,
        }
    }

    /// The score that an entry has before, in timeouts or in quarantine; none where it is in
    /// neither.
    pub(in crate::ops) fn score(&self, i: usize) -> Option<f64> {
        match self {
            Self::Delete(all) | Self::Quarantine(all) | Self::Deliver(all) => Some(all[i].score),
            Self::Restore(all) => Some(all[i].0.score),
            Self::Requeue(all) => Some(all[i].0.score),
            Self::Edit(all) => Some(all[i].0.score),
            _ => None,
        }
    }

    /// The score that an entry waits with afterwards, when it has another one before or none.
    pub(in crate::ops) fn new_score(&self, queue: &Queue, i: usize) -> Option<f64> {
        match self {
            Self::Requeue(all) => Some(all[i].1),
            Self::PutBack(all) => Some(all[i].0.score),
            Self::WaitAgain(all) => Some(all[i].score),
            Self::TakeBack(all, ..) => Some(all[i].score),
            Self::Offer(all) => Some(queue.score(all[i].0)),
            _ => None,
        }
    }

    /// The id that people call an entry by.
    pub(in crate::ops) fn id(&self, queue: &Queue, i: usize) -> EntryId {
        match self {
            Self::TakeBack(_, called, _) => called[i],
            Self::Discard(all, _) | Self::PutElements(all, _) => EntryId::of_bytes(&all[i]),
            Self::PutAmong(all) => EntryId::of_bytes(&all[i].0),
            Self::Repair(deed) => deed.id(queue, i),
            _ => self
                .member(i)
                .map_or(EntryId([0; 8]), |member| queue.id(member)),
        }
    }

    /// True of work on keys, not entries.
    pub(in crate::ops) fn is_of_keys(&self) -> bool {
        matches!(self, Self::Repair(deed) if deed.is_of_keys())
    }

    /// Elements by which target is longer (or shorter) when all is done.
    pub(in crate::ops) fn to_target(&self) -> i64 {
        let n = i64::try_from(self.len()).unwrap_or(i64::MAX);
        match self {
            Self::Deliver(_)
            | Self::DeliverStrays(_)
            | Self::PutElements(..)
            | Self::PutAmong(_) => n,
            Self::Repair(deed) => deed.to_target(),
            Self::TakeBack(..) | Self::Discard(..) => -n,
            _ => 0,
        }
    }

    /// The words for what is being done.
    pub(in crate::ops) fn phase(&self) -> &'static str {
        match self {
            Self::Delete(_) | Self::Discard(..) | Self::DropStrays(_) => "deleting",
            Self::Quarantine(_) => "quarantining",
            Self::Restore(_) => "restoring",
            Self::Deliver(_) | Self::DeliverStrays(_) => "transferring",
            Self::Requeue(_) | Self::TakeBack(..) | Self::WaitAgain(_) => "requeueing",
            Self::Edit(_) => "editing",
            Self::PutBack(_) | Self::PutElements(..) | Self::PutAmong(_) | Self::OrderList(_) => {
                "putting back"
            }
            Self::Offer(_) => "offering",
            Self::Repair(deed) => deed.phase(),
        }
    }

    /// True of work that may be done twice with the same result as once: each looks for exact bytes
    /// that only one entry can have. Equal elements of a list can be many.
    pub(in crate::ops) const fn may_be_repeated(&self) -> bool {
        !matches!(
            self,
            Self::Discard(..)
                | Self::PutElements(..)
                | Self::PutAmong(_)
                | Self::DeliverStrays(_)
                | Self::OrderList(_)
        )
    }

    /// The state of an entry before.
    fn state(&self, queue: &Queue, now: EpochMillis, i: usize) -> State {
        match self {
            Self::TakeBack(..) | Self::Discard(..) | Self::PutElements(..) | Self::PutAmong(_) => {
                State::Delivered
            }
            Self::Restore(_) => State::Quarantined,
            Self::OrderList(all) if all[i].1 => State::Waiting,
            Self::WaitAgain(_)
            | Self::OrderList(_)
            | Self::DeliverStrays(_)
            | Self::DropStrays(_) => State::Order,
            _ => match self.score(i).and_then(|score| queue.due(score).at()) {
                Some(due) if due <= now => State::Late,
                _ => State::Waiting,
            },
        }
    }

    /// The entry as the journal keeps it. What was done can be read off it: see
    /// [`Work::of_item`](super::super::undo).
    pub(in crate::ops) fn item(&self, queue: &Queue, now: EpochMillis, i: usize) -> Item {
        if let Self::Repair(deed) = self {
            return deed.item(queue, i);
        }
        let mut item = Item {
            id: self.id(queue, i),
            state: self.state(queue, now, i),
            score: self.score(i),
            member: None,
            new_score: self.new_score(queue, i),
            new_member: None,
            form: None,
            hash: None,
            to_quarantine: matches!(self, Self::Quarantine(_)),
        };
        match self {
            Self::Delete(_)
            | Self::Quarantine(_)
            | Self::Requeue(_)
            | Self::WaitAgain(_)
            | Self::DropStrays(_)
            | Self::OrderList(_) => {
                item.member = self.member(i).map(<[u8]>::to_vec);
            }
            Self::Restore(all) => {
                item.member = Some(all[i].0.member.clone());
                item.new_score = item.score;
            }
            Self::Deliver(all) => {
                (item.form, item.hash) = form_and_hash(queue, &all[i].member);
            }
            Self::DeliverStrays(all) => {
                (item.form, item.hash) = form_and_hash(queue, &all[i]);
            }
            Self::Edit(all) => {
                item.member = Some(all[i].0.member.clone());
                item.new_member = Some(all[i].1.clone());
            }
            Self::PutBack(_) | Self::Offer(_) => {
                item.new_member = self.member(i).map(<[u8]>::to_vec);
            }
            Self::TakeBack(all, ..) => {
                item.hash = Some(sha1(&all[i].element));
                item.new_member = Some(all[i].member.clone());
            }
            Self::Discard(all, _) => item.member = Some(all[i].clone()),
            Self::PutElements(all, _) => item.new_member = Some(all[i].clone()),
            Self::PutAmong(all) => item.new_member = Some(all[i].0.clone()),
            Self::Repair(_) => {}
        }
        item
    }
}

/// True when any of these has a place of its own in the order list: else they come to its tail, or
/// not into it.
pub(in crate::ops) fn has_places(entries: &[(ChosenEntry, Option<ListPlace>)]) -> bool {
    let mut places = entries.iter().filter_map(|(_, place)| place.as_ref());
    places.any(|place| *place != ListPlace::Tail)
}

/// The element that an entry is to stand behind.
fn behind(place: Option<&ListPlace>) -> Option<&[u8]> {
    match place {
        Some(ListPlace::Behind(neighbour) | ListPlace::BehindNth(neighbour, _)) => Some(neighbour),
        _ => None,
    }
}

/// Bytes of that element.
fn neighbour(place: Option<&ListPlace>) -> usize {
    behind(place).map_or(0, <[u8]>::len)
}

/// The form and the hash that a transferred entry is kept as: by these its element in target is
/// found again, and its member made again. A member that is no frame is none that leaves timeouts.
pub(in crate::ops) fn form_and_hash(
    queue: &Queue,
    member: &[u8],
) -> (Option<Form>, Option<[u8; 20]>) {
    match queue.unwrap(member) {
        Ok(unwrapped) => (unwrapped.form, Some(sha1(unwrapped.payload))),
        Err(_) => (None, None),
    }
}

/// The member that a transferred entry was: its frame around the payload that target holds.
pub(in crate::ops) fn member_of(form: Option<Form>, id: EntryId, payload: &[u8]) -> Vec<u8> {
    match form {
        Some(form) => frame::encode(form, id.0, payload),
        None => payload.to_vec(),
    }
}

/// SHA-1, by which elements of target are found again.
pub(in crate::ops) fn sha1(bytes: &[u8]) -> [u8; 20] {
    Sha1::digest(bytes).into()
}
