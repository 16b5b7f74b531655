//! Target and order list from head to tail.

use super::pages::PageSize;
use super::state;
use crate::clock::EpochMillis;
use crate::queue::{Entry, Queue, State};
use crate::store::{Store, StoreError, read};

pub(super) struct ListReader {
    store: Store,
    queue: Queue,
    list: Vec<u8>,
    /// Whether its elements are members of timeouts, as those of the order list should be.
    ordered: bool,
    size: PageSize,
    next: u64,
    /// How long the list was at first; what is appended meanwhile is not read.
    length: Option<u64>,
}

impl ListReader {
    pub(super) fn new(store: &Store, queue: &Queue, list: Vec<u8>, ordered: bool) -> Self {
        Self {
            store: store.clone(),
            queue: queue.clone(),
            list,
            ordered,
            size: PageSize::new(),
            next: 0,
            length: None,
        }
    }

    /// How many entries there are to be read now.
    pub(super) async fn count(&mut self) -> Result<u64, StoreError> {
        let page = read::list_page(&self.store, &self.list, 0, 1).await?;
        self.length = Some(page.length);
        Ok(page.length)
    }

    /// The next entries; none at the end.
    pub(super) async fn page(
        &mut self,
        now: EpochMillis,
    ) -> Result<Option<Vec<Entry>>, StoreError> {
        if self.length.is_some_and(|length| self.next >= length) {
            return Ok(None);
        }
        let page = read::list_page(&self.store, &self.list, self.next, self.size.get()).await?;
        let length = *self.length.get_or_insert(page.length);
        let left = usize::try_from(length.saturating_sub(self.next)).unwrap_or(usize::MAX);
        let elements: Vec<Vec<u8>> = page.elements.into_iter().take(left).collect();
        if elements.is_empty() {
            self.next = length;
            return Ok(None);
        }
        self.next += u64::try_from(elements.len()).unwrap_or(0);
        self.size
            .had(elements.iter().map(Vec::len).sum(), page.server_us);
        let scores = if self.ordered {
            let timeouts = self.queue.keys().timeouts;
            read::element_scores(&self.store, &timeouts, &elements).await?
        } else {
            vec![None; elements.len()]
        };
        let entry = |(member, score): (Vec<u8>, Option<f64>)| Entry {
            state: match score {
                Some(score) => state(&self.queue, score, now),
                None if self.ordered => State::Order,
                None => State::Delivered,
            },
            score,
            member,
        };
        Ok(Some(elements.into_iter().zip(scores).map(entry).collect()))
    }
}
