//! Page after page of what is wanted: while one is looked through on another thread, the next
//! one is being read.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::task::{JoinHandle, spawn_blocking};

use super::lists::ListReader;
use super::sieve::Sieve;
use super::timeouts::TimeoutsReader;
use super::{From, Selection};
use crate::clock::EpochMillis;
use crate::queue::filter::Bounds;
use crate::queue::{Entry, Queue};
use crate::store::{Store, StoreError};

/// How long we wait for a link that has not been live yet, or hangs.
const READY: Duration = Duration::from_secs(5);

/// No page has more entries.
const PAGE_MOST: u32 = 2_000;
/// Nor, as long as entries are about as large as those before them, more bytes.
const PAGE_BYTES: usize = 256 * 1024;
/// Nor does it keep the server for longer, as long as they cost about as much, in µs.
const PAGE_US: u64 = 1_000;

/// How many entries to ask for: few at first, since members may be large.
pub(super) struct PageSize(u32);

impl PageSize {
    pub(super) const fn new() -> Self {
        Self(50)
    }

    pub(super) const fn get(&self) -> u32 {
        self.0
    }

    /// Takes note of how large a page was, and what it cost the server.
    pub(super) fn had(&mut self, bytes: usize, server_us: u64) {
        let next = if bytes > PAGE_BYTES || server_us > PAGE_US {
            self.0 / 4
        } else if bytes * 2 < PAGE_BYTES && server_us * 2 < PAGE_US {
            self.0 * 2
        } else {
            self.0
        };
        self.0 = next.clamp(1, PAGE_MOST);
    }
}

/// A page, looked through.
#[derive(Default)]
pub(in crate::ops) struct Page {
    /// Those of its entries that are wanted.
    pub(in crate::ops) kept: Vec<Entry>,
    /// How many there were.
    pub(in crate::ops) looked: u64,
}

/// Reads and looks through page after page.
pub(in crate::ops) struct Pages {
    store: Store,
    queue: Queue,
    selection: Selection,
    open: Option<Open>,
    /// The page that is being looked through.
    under_way: Option<JoinHandle<Page>>,
    failed: Option<StoreError>,
    /// Nobody wants to know any more.
    given_up: Arc<AtomicBool>,
}

/// What is known once the server's time is.
struct Open {
    source: Source,
    sieve: Arc<Sieve>,
    of: u64,
    ended: bool,
}

enum Source {
    Timeouts(TimeoutsReader),
    List(ListReader),
    /// The layout has no such place.
    Nothing,
}

impl Drop for Pages {
    fn drop(&mut self) {
        self.given_up.store(true, Ordering::Relaxed);
    }
}

impl Pages {
    pub(in crate::ops) fn new(store: &Store, queue: &Queue, selection: Selection) -> Self {
        Self {
            store: store.clone(),
            queue: queue.clone(),
            selection,
            open: None,
            under_way: None,
            failed: None,
            given_up: Arc::default(),
        }
    }

    /// How many entries there were to be looked at when the reading began; 0 before the first
    /// page.
    pub(in crate::ops) fn of(&self) -> u64 {
        self.open.as_ref().map_or(0, |open| open.of)
    }

    /// The next page, perhaps with nothing wanted in it; none at the end.
    pub(in crate::ops) async fn next(&mut self) -> Result<Option<Page>, StoreError> {
        loop {
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            let read = self.read().await;
            let before = self.under_way.take();
            match read {
                Ok(page) => self.under_way = page.and_then(|page| self.look_through(page)),
                Err(error) => self.failed = Some(error),
            }
            match before {
                Some(page) => return Ok(Some(looked_through(page).await)),
                None if self.under_way.is_none() && self.failed.is_none() => return Ok(None),
                None => {}
            }
        }
    }

    /// Reads a page; none at the end.
    async fn read(&mut self) -> Result<Option<Vec<Entry>>, StoreError> {
        let now = self.store.ready(READY).await?.now();
        let open = if let Some(open) = &mut self.open {
            open
        } else {
            let open = Open::at(&self.store, &self.queue, &self.selection, now).await?;
            self.open.insert(open)
        };
        if open.ended {
            return Ok(None);
        }
        let page = match &mut open.source {
            Source::Timeouts(reader) => reader.page(now).await?,
            Source::List(reader) => reader.page(now).await?,
            Source::Nothing => None,
        };
        open.ended = page.is_none();
        Ok(page)
    }

    /// Looks through a page beside the runtime: payloads may be large and patterns costly, and
    /// whoever else runs in it shall not wait for that.
    fn look_through(&self, page: Vec<Entry>) -> Option<JoinHandle<Page>> {
        let sieve = Arc::clone(&self.open.as_ref()?.sieve);
        let given_up = Arc::clone(&self.given_up);
        Some(spawn_blocking(move || {
            let looked = u64::try_from(page.len()).unwrap_or(0);
            let wanted = |entry: &Entry| !given_up.load(Ordering::Relaxed) && sieve.keeps(entry);
            let kept = page.into_iter().filter(wanted).collect();
            Page { kept, looked }
        }))
    }
}

/// A page, once it is looked through. A panic in there is ours.
async fn looked_through(page: JoinHandle<Page>) -> Page {
    match page.await {
        Ok(page) => page,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        // The runtime ends, and so do we.
        Err(_) => Page::default(),
    }
}

impl Open {
    async fn at(
        store: &Store,
        queue: &Queue,
        selection: &Selection,
        now: EpochMillis,
    ) -> Result<Self, StoreError> {
        let late = (selection.from == From::Late).then(|| now.plus(1));
        let bounds = selection
            .filter
            .bounds(now)
            .and(Bounds {
                from: selection.due_after,
                before: selection.due_before,
            })
            .and(Bounds {
                from: None,
                before: late,
            });
        let keys = queue.keys();
        let list = |list, ordered| Source::List(ListReader::new(store, queue, list, ordered));
        let mut source = match selection.from {
            From::Waiting | From::Late => {
                Source::Timeouts(TimeoutsReader::new(store, queue, bounds))
            }
            From::Delivered => list(keys.target, false),
            From::Order => keys
                .order
                .map_or(Source::Nothing, |order| list(order, true)),
        };
        let of = match &mut source {
            Source::Timeouts(reader) => reader.count().await?,
            Source::List(reader) => reader.count().await?,
            Source::Nothing => 0,
        };
        Ok(Self {
            source,
            sieve: Arc::new(Sieve::new(queue, selection, bounds)),
            of,
            ended: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_grow_while_they_are_cheap_and_shrink_when_they_are_not() {
        let mut size = PageSize::new();
        for _ in 0..10 {
            size.had(1_000, 100);
        }
        assert_eq!(size.get(), PAGE_MOST);
        size.had(1_000, PAGE_US + 1);
        assert_eq!(size.get(), PAGE_MOST / 4);
        size.had(1_000, PAGE_US / 2);
        assert_eq!(size.get(), PAGE_MOST / 4, "about right");
        size.had(PAGE_BYTES + 1, 0);
        assert_eq!(size.get(), PAGE_MOST / 16);
        for _ in 0..10 {
            size.had(PAGE_BYTES * 9, 100_000);
        }
        assert_eq!(size.get(), 1);
    }
}
