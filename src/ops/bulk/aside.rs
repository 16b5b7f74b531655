//! Set aside: the order list is renamed while what is due is delivered, and brought back after.
//!
//! Meanwhile taking an entry out of the order list costs nothing, since it is not in it; what is
//! offered is appended to a new, short list. While it is aside `size()`, `contains()`, `remove()`
//! and `poll()` of other clients do not see what is in it.

use std::time::Duration;

use super::{BulkStep, Size};
use crate::queue::Queue;
use crate::store::StoreError;
use crate::store::bulk::{self, AllWait, SetAside, StrayFate, TimedResult};
use crate::store::write::{Portion, Writer};

/// Elements in the first script of [`OrderRestoration`], and in any of them at most.
pub const SIZE: Size = Size::new(500, 1_000);

/// The words for it while it goes on.
pub(super) const PHASE: &str = "bringing the order list back";

/// Elements of an order list from which on it is read whole, beside timeouts, before each element is
/// looked up.
const LONG: u64 = 5_000;

/// Readings of an order list that others take from meanwhile, after which it counts as one that
/// holds something else.
const READINGS: usize = 3;

/// True when all that stands in the order list waits: only then it may be set aside, since what does
/// not wait any more is dropped when it is brought back. `size`: elements in a script; `took` is told
/// the time of each, and may change it.
pub async fn all_wait(
    writer: &Writer,
    queue: &Queue,
    mut size: Size,
    mut took: impl FnMut(&mut Size, Option<Duration>),
) -> Result<bool, StoreError> {
    let store = writer.store();
    let long = bulk::facts(store, queue).await?.order >= LONG;
    if long && bulk::is_known_to_wait(store, queue).await {
        return Ok(true);
    }
    for _ in 0..READINGS {
        let (mut place, mut behind) = (0, Vec::new());
        loop {
            let from = (place, behind.as_slice());
            let page = writer.all_wait(queue, from, size.get()).await?;
            took(&mut size, page.took);
            match page.done {
                AllWait::Yes => return Ok(true),
                AllWait::No => return Ok(false),
                AllWait::SoFar(at, last) => (place, behind) = (at, last),
                AllWait::Lost => break,
            }
        }
    }
    Ok(false)
}

/// Sets the order list aside.
pub async fn set_aside(
    writer: &Writer,
    queue: &Queue,
) -> Result<TimedResult<SetAside>, StoreError> {
    writer.set_aside(queue).await
}

/// Brings an order list back, batch after batch, without what does not wait any more. Anybody may
/// do it, also two at once; an answer that never came is simply asked for again.
#[derive(Debug)]
pub struct OrderRestoration {
    queue: Queue,
    dropping: StrayFate,
    /// Bytes in a script at most, but for a single element; none: as many as is usual.
    bytes: Option<usize>,
    taken: u64,
}

impl OrderRestoration {
    /// Brings back the order list of that queue.
    #[must_use]
    pub fn new(queue: &Queue) -> Self {
        Self {
            queue: queue.clone(),
            dropping: StrayFate::Counted,
            bytes: None,
            taken: 0,
        }
    }

    /// The same, but tells what it drops.
    #[must_use]
    pub fn telling(queue: &Queue) -> Self {
        Self {
            dropping: StrayFate::Told,
            ..Self::new(queue)
        }
    }

    /// The same, for who knows that some of it waits still: where nothing does, timeouts was deleted
    /// or renamed, and all comes back.
    #[must_use]
    pub fn unless_lost(queue: &Queue) -> Self {
        Self {
            dropping: StrayFate::UnlessLost,
            ..Self::new(queue)
        }
    }

    /// Sets the bytes that a script brings back at most, but for a single element.
    pub const fn within(&mut self, bytes: usize) {
        self.bytes = Some(bytes);
    }

    /// Elements that were taken so far.
    #[must_use]
    pub const fn taken(&self) -> u64 {
        self.taken
    }

    /// Brings up to `n` elements back; none: nothing is aside any more.
    pub async fn next(
        &mut self,
        writer: &Writer,
        n: usize,
    ) -> Result<Option<BulkStep>, StoreError> {
        let portion = Portion::from(n);
        let bytes = self.bytes.unwrap_or(portion.bytes);
        let portion = Portion { bytes, ..portion };
        let back = writer
            .bring_back(&self.queue, portion, self.dropping)
            .await?;
        if back.done.taken == 0 {
            return Ok(None);
        }
        self.taken += back.done.taken;
        Ok(Some(BulkStep {
            took: back.took,
            wrote: true,
            phase: PHASE,
            at: self.taken,
            of: self.taken + back.done.left,
            dropped: back.done.dropped,
            ..BulkStep::default()
        }))
    }
}
