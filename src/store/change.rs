//! Changes of chosen entries, each call one script: all or nothing towards each entry, and nothing
//! at all when a key is of another type or the server takes no writes.
//!
//! An entry is chosen by its exact member **and** the score it had when the change was planned:
//! what was transferred, requeued or deleted meanwhile is left alone and said.

use super::error::StoreError;
pub use super::script::{Head, Timed};
use super::write::Writer;
use crate::clock::EpochMillis;
use crate::queue::Queue;

/// How many entries one call takes at most: the arguments of a script stay below 4,000.
pub const MOST_CHANGED: usize = 950;

/// An entry of timeouts, as it was when the change was planned.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// Its exact bytes.
    pub member: Vec<u8>,
    /// Its score.
    pub score: f64,
}

/// What a script did to an entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fate {
    /// What was asked.
    Done,
    /// Nothing: it is not there (any more).
    Gone,
    /// Nothing: it is there, with this other score.
    Changed(f64),
    /// Nothing: it is no frame.
    NoFrame,
}

/// Where an entry stands in the order list.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Place {
    /// At the head.
    Head,
    /// Right behind this member.
    Behind(Vec<u8>),
    /// At the tail; also: not known.
    Tail,
}

/// What became of an entry that was to be deleted.
#[derive(Clone, Debug, PartialEq)]
pub struct Deleted {
    /// What was done.
    pub fate: Fate,
    /// Where it stood in the order list when it left: none when it was not there. Entries leave in
    /// the order given, so whoever puts them back goes through them backwards.
    pub stood: Option<Place>,
}

/// What an edit did.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// What was done to each entry, in the order given.
    pub fates: Vec<Fate>,
    /// Whether timeouts has another head now, and whether that was published.
    pub head: Head,
}

/// What a transfer that tells the members did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delivered {
    /// Not all that is due was looked at: there may be more.
    pub more: bool,
    /// What was moved, whole, in due order.
    pub moved: Vec<Chosen>,
    /// Due members that are no frames: they were left where they are.
    pub skipped: Vec<Vec<u8>>,
}

/// A delivered element that goes back to timeouts.
#[derive(Clone, Debug, PartialEq)]
pub struct TakeBack {
    /// The element in target, exactly.
    pub element: Vec<u8>,
    /// The member that it becomes.
    pub member: Vec<u8>,
    /// The score that it gets.
    pub score: f64,
}

impl Writer {
    /// Deletes entries that wait: out of timeouts and of the order list.
    pub async fn delete(
        &self,
        queue: &Queue,
        chosen: &[Chosen],
    ) -> Result<Timed<Vec<Deleted>>, StoreError> {
        let _ = (queue, chosen);
        Err(self.impossible("delete entries", String::new()))
    }

    /// Puts deleted entries back, each with its score and in its place of the order list (at the
    /// tail when the neighbour is no longer there). `Changed`: it waits again already.
    pub async fn put_entries_back(
        &self,
        queue: &Queue,
        entries: &[(Chosen, Place)],
    ) -> Result<Timed<Changed>, StoreError> {
        let _ = (queue, entries);
        Err(self.impossible("put entries back", String::new()))
    }

    /// Gives waiting entries another due time. When the head changes its due time is published.
    pub async fn requeue(
        &self,
        queue: &Queue,
        entries: &[(Chosen, f64)],
    ) -> Result<Timed<Changed>, StoreError> {
        let _ = (queue, entries);
        Err(self.impossible("requeue entries", String::new()))
    }

    /// Delivers chosen entries, due or not, in the order given: payload to target, out of timeouts
    /// and order list. `drain`: as for [`transfer_telling`](Self::transfer_telling).
    pub async fn deliver(
        &self,
        queue: &Queue,
        chosen: &[Chosen],
        drain: bool,
    ) -> Result<Timed<Vec<Fate>>, StoreError> {
        let _ = (queue, chosen, drain);
        Err(self.impossible("deliver entries", String::new()))
    }

    /// [`transfer`](Self::transfer) that tells what it moved, whole. `known`: how many due members
    /// are known to be no frames. `drain`: the order list is set aside by this very change, and
    /// what was offered since is moved there too once it is more than a few.
    pub async fn transfer_telling(
        &self,
        queue: &Queue,
        now: EpochMillis,
        n: usize,
        known: usize,
        drain: bool,
    ) -> Result<Timed<Delivered>, StoreError> {
        let _ = (queue, now, n, known, drain);
        Err(self.impossible("transfer what is due", String::new()))
    }

    /// Takes delivered elements out of target and puts them into timeouts, and at the tail of the
    /// order list. `Gone`: no such element; `Changed`: that member waits already (nothing done).
    pub async fn take_back(
        &self,
        queue: &Queue,
        elements: &[TakeBack],
    ) -> Result<Timed<Changed>, StoreError> {
        let _ = (queue, elements);
        Err(self.impossible("take elements back", String::new()))
    }

    /// Deletes delivered elements: each of them once. Never more than are there.
    pub async fn discard(
        &self,
        queue: &Queue,
        elements: &[Vec<u8>],
    ) -> Result<Timed<Vec<Fate>>, StoreError> {
        let _ = (queue, elements);
        Err(self.impossible("delete delivered elements", String::new()))
    }

    /// Puts deleted elements back at the end of target where the next consumer takes them.
    pub async fn put_elements_back(
        &self,
        queue: &Queue,
        elements: &[Vec<u8>],
    ) -> Result<Timed<Vec<Fate>>, StoreError> {
        let _ = (queue, elements);
        Err(self.impossible("put elements back", String::new()))
    }

    /// Gives waiting entries other bytes (pairs of old and new): same score, same place in the
    /// order list. `Changed` with the same score: the new member waits already (nothing done).
    pub async fn edit(
        &self,
        queue: &Queue,
        edits: &[(Chosen, Vec<u8>)],
    ) -> Result<Timed<Vec<Fate>>, StoreError> {
        let _ = (queue, edits);
        Err(self.impossible("edit entries", String::new()))
    }

    /// Publishes `0` on the queue's channel, so that every transfer client looks at once; tells
    /// how many were subscribed just before, which PUBLISH cannot tell (it counts us).
    pub async fn kick(&self, queue: &Queue) -> Result<u64, StoreError> {
        let _ = queue;
        Err(self.impossible("kick the transfer clients", String::new()))
    }
}
