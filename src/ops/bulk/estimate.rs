//! What a change will cost, and which way is the cheapest.

use crate::queue::Queue;
use crate::queue::plan::{Cost, Way};
use crate::store::{Store, StoreError};

/// What is to be done with the chosen entries.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// They are delivered: transfer and deliver.
    Deliver,
    /// They are deleted.
    Delete,
    /// They stay in the order list: requeue, edit, or a change of something else.
    Stay,
    /// They come to the head of the order list: `repair --realign`.
    Realign,
    /// They are put back beside their neighbours.
    PutBack,
}

/// What the estimate has to know of a change.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// What is to be done.
    pub kind: Kind,
    /// With how many entries.
    pub count: u64,
    /// How many bytes one of them has, on the average.
    pub bytes: u64,
    /// All of them are due.
    pub due: bool,
    /// How many transfer clients are subscribed.
    pub clients: u64,
    /// Their smallest and largest score.
    pub scores: (f64, f64),
}

/// A look at a queue's order list: some of its elements, with where they stand and their scores.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// How long the order list is.
    pub length: u64,
    /// It has an expiry, which forbids setting it aside.
    pub expires: bool,
}

impl Sample {
    /// Looks at 64 pages of 32 elements. Of a layout without order list: nothing.
    pub async fn take(store: &Store, queue: &Queue) -> Result<Self, StoreError> {
        let _ = (store, queue);
        Ok(Self::default())
    }

    /// How many entries that stay stand before one of the chosen, on the average: what the server
    /// walks past to take it out. `chosen` says which of the sampled ones (member, score) are.
    #[must_use]
    pub fn walk(&self, ask: &Ask, chosen: impl Fn(&[u8], f64) -> bool) -> f64 {
        let _ = (ask, chosen);
        0.0
    }
}

/// The way that a change should go, and what it costs, beginning with a walk of so many entries.
/// Of a `zset-list` queue always in order.
#[must_use]
pub fn choose(queue: &Queue, sample: &Sample, ask: &Ask, walk: f64) -> (Way, Cost) {
    let _ = (queue, sample, ask, walk);
    (Way::InOrder, Cost::default())
}
