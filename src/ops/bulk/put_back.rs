//! Undo of a deletion of many: the order list goes round once, and each deleted entry stands behind
//! its old neighbour again.

use super::{Size, Step};
use crate::queue::Queue;
use crate::store::StoreError;
use crate::store::change::{Chosen, Place};
use crate::store::write::Writer;

/// With how many elements a script of it begins, and the most it takes.
pub const SIZE: Size = Size::new(500, 1_000);

/// Puts deleted entries back.
#[derive(Debug)]
pub struct PutBack {
    queue: Queue,
    entries: Vec<(Chosen, Option<Place>)>,
}

impl PutBack {
    /// Puts these back. In the order in which they left; none: it did not stand in the order list.
    #[must_use]
    pub fn new(queue: &Queue, entries: Vec<(Chosen, Option<Place>)>) -> Self {
        Self {
            queue: queue.clone(),
            entries,
        }
    }

    /// Puts no more back; what follows only brings the offer order back.
    pub fn stop(&mut self) {
        self.entries.clear();
    }

    /// Goes over the next `n` elements of the list. Fates: `Done`, or `Changed` for what waits
    /// already. Whether timeouts has a new head has to be published by the caller in the end.
    pub async fn next(&mut self, writer: &Writer, n: usize) -> Result<Option<Step>, StoreError> {
        let _ = n;
        Err(writer.impossible("put entries back", self.queue.name.to_string()))
    }
}
