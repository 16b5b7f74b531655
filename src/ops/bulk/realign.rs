//! Swap: chosen entries change places with what stands at the head of the order list, so that
//! taking them out of it costs no walk. Nothing ever leaves the list.

use super::{Size, Step};
use crate::clock::EpochMillis;
use crate::queue::Queue;
use crate::store::write::Writer;
use crate::store::{Store, StoreError};

/// With how many swaps a script of it begins, and the most it takes.
pub const SIZE: Size = Size::new(100, 500);

/// Brings chosen entries to the head of the order list.
#[derive(Debug)]
pub struct Realign {
    queue: Queue,
    chosen: Vec<Vec<u8>>,
}

/// The members with scores from 0 to that of `until`, in due order: what `repair --realign`
/// chooses. None: all of them.
pub async fn due_until(
    store: &Store,
    queue: &Queue,
    until: Option<EpochMillis>,
) -> Result<Vec<Vec<u8>>, StoreError> {
    let _ = (store, queue, until);
    Ok(Vec::new())
}

impl Realign {
    /// Brings these to the head, in this order.
    #[must_use]
    pub fn new(queue: &Queue, chosen: Vec<Vec<u8>>) -> Self {
        Self {
            queue: queue.clone(),
            chosen,
        }
    }

    /// Reads a page of the list, or lets up to `n` pairs change places. In the end each entry has a
    /// fate: `Done` stands where it shall, `Gone` is no longer in the list, `NoFrame` was left
    /// where it is.
    pub async fn next(&mut self, writer: &Writer, n: usize) -> Result<Option<Step>, StoreError> {
        let _ = (n, &self.chosen);
        Err(writer.impossible("realign the order list", self.queue.name.to_string()))
    }
}
