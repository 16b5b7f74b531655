//! `repair --restore-order`: brings back an order list that somebody else has set aside, and tells
//! first what that drops.

use super::aside::OrderRestoration;
use super::{BulkStep, scores};
use crate::queue::Queue;
use crate::store::bulk::{facts, sample_list};
use crate::store::write::Writer;
use crate::store::{Store, StoreError, read};

/// An order list that is aside, as it was found.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct AsideOrder {
    /// Elements that are aside.
    pub aside: u64,
    /// Entries that wait: with none, all that is aside would be dropped, which may be the last
    /// copy, so that somebody has to be asked.
    pub waiting: u64,
    /// Elements that wait still and come back, as far as some of them tell.
    pub coming_back: u64,
    /// Bytes of an element on the average.
    pub bytes: u64,
}

/// Brings an order list back, telling what it drops.
#[derive(Debug)]
pub struct RestoreOrder {
    queue: Queue,
    back: OrderRestoration,
}

impl RestoreOrder {
    /// Looks for one; none when nothing is aside (or the layout has no order list).
    pub async fn find(store: &Store, queue: &Queue) -> Result<Option<AsideOrder>, StoreError> {
        let keys = queue.keys();
        let facts = facts(store, queue).await?;
        let Some(aside) = keys.aside.filter(|_| facts.aside > 0) else {
            return Ok(None);
        };
        let sample = sample_list(store, &aside, facts.aside).await?;
        let pages = sample.pages.into_iter();
        let some: Vec<_> = pages.flat_map(|(_, elements)| elements).collect();
        let has = scores(store, &keys.timeouts, &some).await?;
        let wait = has.iter().flatten().count() as u128;
        let coming_back = u128::from(facts.aside) * wait / (some.len() as u128).max(1);
        Ok(Some(AsideOrder {
            aside: facts.aside,
            waiting: facts.waiting,
            coming_back: u64::try_from(coming_back).unwrap_or(facts.aside),
            bytes: sample.mean,
        }))
    }

    /// Brings back the order list of that queue.
    #[must_use]
    pub fn new(queue: &Queue) -> Self {
        Self {
            queue: queue.clone(),
            back: OrderRestoration::telling(queue),
        }
    }

    /// Elements that were taken so far.
    #[must_use]
    pub const fn taken(&self) -> u64 {
        self.back.taken()
    }

    /// Reads what the next step of so many elements would drop, as it is now: to be journalled
    /// before. What leaves timeouts between the two was delivered or deleted by somebody who knows.
    pub async fn look(&mut self, store: &Store, n: usize) -> Result<Vec<Vec<u8>>, StoreError> {
        let keys = self.queue.keys();
        let length = facts(store, &self.queue).await?.aside;
        let Some(aside) = keys.aside else {
            return Ok(Vec::new());
        };
        let first = length.saturating_sub(n as u64);
        let count = u32::try_from(n).unwrap_or(u32::MAX);
        let page = read::list_page(store, &aside, first, count).await?.elements;
        let has = scores(store, &keys.timeouts, &page).await?;
        let each = page.into_iter().zip(has);
        Ok(each
            .filter_map(|(m, has)| has.is_none().then_some(m))
            .collect())
    }

    /// Brings up to `n` elements back ([`BulkStep::dropped`]: what was not); none: nothing is
    /// aside.
    pub async fn next(
        &mut self,
        writer: &Writer,
        n: usize,
    ) -> Result<Option<BulkStep>, StoreError> {
        self.back.next(writer, n).await
    }
}
