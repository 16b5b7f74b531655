//! `repair --restore-order`: brings back an order list that somebody else has set aside, and tells
//! first what that drops.

use super::Step;
use crate::queue::Queue;
use crate::store::write::Writer;
use crate::store::{Store, StoreError};

/// An order list that is aside, as it was found.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Found {
    /// How many elements are aside.
    pub aside: u64,
    /// How many entries wait: with none, all that is aside would be dropped, which may be the last
    /// copy, so that somebody has to be asked.
    pub waiting: u64,
}

/// Brings an order list back, telling what it drops.
#[derive(Debug)]
pub struct RestoreOrder {
    queue: Queue,
}

impl RestoreOrder {
    /// Looks for one; none when nothing is aside (or the layout has no order list).
    pub async fn find(store: &Store, queue: &Queue) -> Result<Option<Found>, StoreError> {
        let _ = (store, queue);
        Ok(None)
    }

    /// Of that queue.
    #[must_use]
    pub fn new(queue: &Queue) -> Self {
        Self {
            queue: queue.clone(),
        }
    }

    /// What the next step of so many elements would drop, as it is now: to be journalled before.
    pub async fn look(&mut self, store: &Store, n: usize) -> Result<Vec<Vec<u8>>, StoreError> {
        let _ = (store, n);
        Ok(Vec::new())
    }

    /// Brings up to `n` elements back ([`Step::dropped`]: what was not); none: nothing is aside.
    pub async fn next(&mut self, writer: &Writer, n: usize) -> Result<Option<Step>, StoreError> {
        let _ = n;
        Err(writer.impossible("bring the order list back", self.queue.name.to_string()))
    }
}
