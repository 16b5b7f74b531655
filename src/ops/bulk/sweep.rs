//! Sweep: the order list goes round once, slice by slice, and the chosen ones drop out of it and of
//! timeouts.

use super::{Size, Step};
use crate::queue::Queue;
use crate::store::StoreError;
use crate::store::change::Chosen;
use crate::store::write::Writer;

/// With how many elements a script of it begins, and the most it takes.
pub const SIZE: Size = Size::new(500, 2_000);

/// A sweep.
#[derive(Debug)]
pub struct Sweep {
    queue: Queue,
    chosen: Vec<Chosen>,
}

impl Sweep {
    /// Deletes these, given in any order.
    #[must_use]
    pub fn new(queue: &Queue, chosen: Vec<Chosen>) -> Self {
        Self {
            queue: queue.clone(),
            chosen,
        }
    }

    /// Deletes no more; what follows only brings the offer order back.
    pub fn stop(&mut self) {
        self.chosen.clear();
    }

    /// Goes over the next `n` elements of the list.
    pub async fn next(&mut self, writer: &Writer, n: usize) -> Result<Option<Step>, StoreError> {
        let _ = n;
        Err(writer.impossible("sweep the order list", self.queue.name.to_string()))
    }
}
