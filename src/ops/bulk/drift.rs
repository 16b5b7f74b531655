//! Drift: timeouts and order list do not hold the same members. Found exactly, mended safely.

use super::{Size, Step};
use crate::queue::Queue;
use crate::store::write::Writer;
use crate::store::{Store, StoreError};

/// With how many elements a script of it begins, and the most it takes.
pub const SIZE: Size = Size::new(500, 1_000);

/// One difference.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Difference {
    /// It waits but is not in the order list; with its score's text untouched in timeouts. Mended:
    /// at the tail of the order list.
    NotInOrder(Vec<u8>),
    /// It is in the order list but does not wait. Mended: out of the order list.
    OnlyInOrder(Vec<u8>),
    /// It stands in the order list so many times, instead of once. Mended: the first copy stays.
    TooOften(Vec<u8>, u64),
}

/// Looks for drift, then mends it.
#[derive(Debug)]
pub struct Drift {
    queue: Queue,
    found: Vec<Difference>,
}

impl Drift {
    /// Of that queue.
    #[must_use]
    pub fn new(queue: &Queue) -> Self {
        Self {
            queue: queue.clone(),
            found: Vec::new(),
        }
    }

    /// Reads a page of timeouts or of the order list; none: all was read, and
    /// [`found`](Self::found) is exact.
    pub async fn find(&mut self, store: &Store) -> Result<Option<Step>, StoreError> {
        let _ = store;
        Ok(None)
    }

    /// What was found: fates are told by index into it.
    #[must_use]
    pub fn found(&self) -> &[Difference] {
        &self.found
    }

    /// Timeouts is missing altogether while the order list is not: it may be the last copy, so that
    /// somebody has to be asked.
    #[must_use]
    pub fn last_copy(&self) -> bool {
        false
    }

    /// Mends up to `n` of what was found. `Gone`: it was no difference any more.
    pub async fn next(&mut self, writer: &Writer, n: usize) -> Result<Option<Step>, StoreError> {
        let _ = n;
        Err(writer.impossible("mend the order list", self.queue.name.to_string()))
    }
}
