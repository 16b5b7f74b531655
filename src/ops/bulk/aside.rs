//! Set aside: the order list is renamed while what is due is delivered, and brought back after.

use super::{Size, Step};
use crate::queue::Queue;
use crate::store::StoreError;
use crate::store::bulk::SetAside;
use crate::store::bulk::Timed;
use crate::store::write::Writer;

/// With how many elements a script of it begins, and the most it takes.
pub const SIZE: Size = Size::new(500, 2_000);

/// Sets the order list aside.
pub async fn set_aside(writer: &Writer, queue: &Queue) -> Result<Timed<SetAside>, StoreError> {
    writer.set_aside(queue).await
}

/// Brings an order list back, batch after batch, without what does not wait any more. Anybody may
/// do it, also two at once.
#[derive(Debug)]
pub struct BringBack {
    queue: Queue,
}

impl BringBack {
    /// Of that queue.
    #[must_use]
    pub fn new(queue: &Queue) -> Self {
        Self {
            queue: queue.clone(),
        }
    }

    /// Brings up to `n` elements back; none: nothing is aside any more.
    pub async fn next(&mut self, writer: &Writer, n: usize) -> Result<Option<Step>, StoreError> {
        let _ = n;
        Err(writer.impossible("bring the order list back", self.queue.name.to_string()))
    }
}
