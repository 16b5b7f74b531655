//! Page after page of what is wanted: while some are looked through on other threads, the next one
//! is being read.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;
use std::time::Duration;

use tokio::task::{JoinHandle, spawn_blocking};

use super::lists::EntriesReader;
use super::sieve::Sieve;
use super::timeouts::TimeoutsReader;
use super::{EntryPlace, Selection, state};
use crate::clock::EpochMillis;
use crate::ops::bulk;
use crate::queue::filter::Bounds;
use crate::queue::{Entry, Queue};
use crate::store::{Store, StoreError, read};

/// The longest wait for a link that has not been live yet, or hangs.
const READY: Duration = Duration::from_secs(5);

/// Pages that are looked through at a time at most, one on each core.
const MOST_THREADS: usize = 4;

/// The first page has so many entries: each may have a MB.
const PAGE_FIRST: u32 = 4;
/// A page has at most so many times the entries of the one before.
const GROWS: u32 = 16;
/// No page has more entries.
const PAGE_MOST: u32 = 1_000;
/// Nor, as long as entries are about as large as those before them, more bytes.
const PAGE_BYTES: usize = 256 * 1024;
/// Nor does it keep the server for longer, as long as they cost about as much, in µs.
const PAGE_US: u64 = 500;

/// The number of entries to ask for: few at first, since members may be large.
pub(super) struct PageSize(u32);

impl PageSize {
    pub(super) const fn new() -> Self {
        Self(PAGE_FIRST)
    }

    pub(super) const fn get(&self) -> u32 {
        self.0
    }

    /// Takes note of how large a page was, and what it cost the server; a page may be so many times
    /// as large as is usual.
    pub(super) fn had(&mut self, bytes: usize, server_us: u64, times: u32) {
        let (most, longest) = (PAGE_BYTES * times as usize, PAGE_US * u64::from(times));
        let next = if bytes > most || server_us > longest {
            self.0 / 4
        } else if bytes * 2 < most && server_us * 2 < longest {
            let fits = (most / bytes.max(1)) as u64;
            let fits = fits.min(longest / server_us.max(1));
            self.0 * u32::try_from(fits).map_or(GROWS, |fits| fits.clamp(2, GROWS))
        } else {
            self.0
        };
        self.0 = next.clamp(1, PAGE_MOST * times);
    }
}

/// A page, looked through.
#[derive(Default)]
pub(in crate::ops) struct Page {
    /// The entries of it that are wanted.
    pub(in crate::ops) kept: Vec<Entry>,
    /// Number of entries that there were.
    pub(in crate::ops) looked: u64,
}

/// Reads and looks through page after page.
pub(in crate::ops) struct Pages {
    store: Store,
    queue: Queue,
    selection: Selection,
    open: Option<OpenPages>,
    /// The pages that are being looked through, in their order.
    under_way: VecDeque<JoinHandle<Page>>,
    /// The largest number of them.
    most: usize,
    /// No more pages come.
    ended: bool,
    failed: Option<StoreError>,
    /// Nobody wants to know any more.
    given_up: Arc<AtomicBool>,
}

/// The part of the pages that is known once the server's time is.
struct OpenPages {
    source: PageSource,
    sieve: Arc<Sieve>,
    of: u64,
    /// When the entries of the order list are looked up in timeouts.
    look_up: LookUp,
}

/// When entries are looked up in timeouts for their scores.
#[derive(Clone, Copy, Eq, PartialEq)]
enum LookUp {
    /// Their scores came with them, or they have none.
    Never,
    /// Before they are looked through, since that asks for their due times.
    All,
    /// Once they are wanted.
    Wanted,
}

enum PageSource {
    Timeouts(TimeoutsReader),
    /// These, one after the other; none where the layout has no such place.
    Lists(VecDeque<EntriesReader>),
}

impl PageSource {
    /// Counts the entries that there are to be read now; to be asked first.
    async fn count(&mut self) -> Result<u64, StoreError> {
        match self {
            Self::Timeouts(reader) => reader.count().await,
            Self::Lists(readers) => {
                let mut all = 0;
                for reader in readers {
                    all += reader.count().await?;
                }
                Ok(all)
            }
        }
    }

    /// The next page; none at the end.
    async fn page(&mut self, now: EpochMillis) -> Result<Option<Vec<Entry>>, StoreError> {
        let readers = match self {
            Self::Timeouts(reader) => return reader.page(now).await,
            Self::Lists(readers) => readers,
        };
        while let Some(reader) = readers.front_mut() {
            let page = reader.page().await?;
            if page.is_some() {
                return Ok(page);
            }
            readers.pop_front();
        }
        Ok(None)
    }
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
            under_way: VecDeque::new(),
            most: available_parallelism().map_or(1, |cores| cores.get().min(MOST_THREADS)),
            ended: false,
            failed: None,
            given_up: Arc::default(),
        }
    }

    /// Returns the number of entries that there were to be looked at when the reading began; 0
    /// before the first page.
    pub(in crate::ops) fn of(&self) -> u64 {
        self.open.as_ref().map_or(0, |open| open.of)
    }

    /// The next page, perhaps with nothing wanted in it; none at the end.
    pub(in crate::ops) async fn next(&mut self) -> Result<Option<Page>, StoreError> {
        loop {
            let first = self.under_way.front();
            let finished = first.is_some_and(JoinHandle::is_finished);
            if finished || self.ended || self.under_way.len() >= self.most {
                let Some(page) = self.under_way.pop_front() else {
                    return self.failed.take().map_or(Ok(None), Err);
                };
                let mut page = looked_through(page).await;
                self.look_up(LookUp::Wanted, &mut page.kept).await?;
                return Ok(Some(page));
            }
            match self.read().await {
                Ok(Some(page)) => self.look_through(page),
                Ok(None) => self.ended = true,
                Err(error) => (self.ended, self.failed) = (true, Some(error)),
            }
        }
    }

    /// Reads a page; none at the end.
    async fn read(&mut self) -> Result<Option<Vec<Entry>>, StoreError> {
        let now = self.store.ready(READY).await?.now();
        let open = if let Some(open) = &mut self.open {
            open
        } else {
            let open = OpenPages::at(&self.store, &self.queue, &self.selection, now).await?;
            self.open.insert(open)
        };
        let mut page = open.source.page(now).await?;
        if let Some(page) = &mut page {
            self.look_up(LookUp::All, page).await?;
        }
        Ok(page)
    }

    /// Asks timeouts for the scores of these entries, if that is to be done at this point.
    async fn look_up(&self, point: LookUp, entries: &mut [Entry]) -> Result<(), StoreError> {
        if self.open.as_ref().is_none_or(|open| open.look_up != point) {
            return Ok(());
        }
        let now = self.store.ready(READY).await?.now();
        let timeouts = self.queue.keys().timeouts;
        let mut rest = entries;
        while !rest.is_empty() {
            let lengths = rest.iter().map(|entry| entry.member.len());
            let n = bulk::looked_up_at_once(&self.store, lengths);
            let (some, more) = rest.split_at_mut(n);
            rest = more;
            let members: Vec<Vec<u8>> = some.iter().map(|entry| entry.member.clone()).collect();
            let scores = read::element_scores(&self.store, &timeouts, &members).await?;
            for (entry, score) in some.iter_mut().zip(scores) {
                entry.score = score;
                entry.state = score.map_or(entry.state, |score| state(&self.queue, score, now));
            }
        }
        Ok(())
    }

    /// Looks through a page beside the runtime: payloads may be large and patterns costly, and
    /// whoever else runs in it shall not wait for that.
    fn look_through(&mut self, page: Vec<Entry>) {
        let Some(sieve) = self.open.as_ref().map(|open| Arc::clone(&open.sieve)) else {
            return;
        };
        let given_up = Arc::clone(&self.given_up);
        self.under_way.push_back(spawn_blocking(move || {
            let looked = u64::try_from(page.len()).unwrap_or(0);
            let wanted = |entry: &Entry| !given_up.load(Ordering::Relaxed) && sieve.keeps(entry);
            let kept = page.into_iter().filter(wanted).collect();
            Page { kept, looked }
        }));
    }
}

/// Entries that vote on how all payloads of a queue are read.
const TELL: usize = 64;

/// The first entries, as many as tell how all are read, or fewer that are large.
pub(super) async fn first(
    store: &Store,
    queue: &Queue,
    from: EntryPlace,
) -> Result<Vec<Entry>, StoreError> {
    let now = store.ready(READY).await?.now();
    let selection = Selection {
        from,
        ..Selection::default()
    };
    let mut open = OpenPages::at(store, queue, &selection, now).await?;
    let (mut first, mut bytes) = (Vec::new(), 0);
    while first.len() < TELL && bytes < PAGE_BYTES {
        let Some(page) = open.source.page(now).await? else {
            break;
        };
        bytes += page.iter().map(|entry| entry.member.len()).sum::<usize>();
        first.extend(page);
    }
    Ok(first)
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

impl OpenPages {
    async fn at(
        store: &Store,
        queue: &Queue,
        selection: &Selection,
        now: EpochMillis,
    ) -> Result<Self, StoreError> {
        let late = (selection.from == EntryPlace::Late).then(|| now.plus(1));
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
        let list = |list, ordered| EntriesReader::new(store, queue, list, ordered);
        let mut source = match selection.from {
            EntryPlace::Waiting | EntryPlace::Late => {
                PageSource::Timeouts(TimeoutsReader::new(store, queue, bounds))
            }
            EntryPlace::Quarantined => {
                PageSource::Timeouts(TimeoutsReader::of_quarantine(store, queue, bounds))
            }
            EntryPlace::Delivered => PageSource::Lists([list(keys.target, false)].into()),
            // What was set aside stood before what was offered since.
            EntryPlace::Order | EntryPlace::OrderOnly => {
                let both = [keys.aside, keys.order].into_iter().flatten();
                PageSource::Lists(both.map(|key| list(key, true)).collect())
            }
        };
        let of = source.count().await?;
        let look_up = match selection.from {
            EntryPlace::Order if bounds == Bounds::default() => LookUp::Wanted,
            EntryPlace::Order | EntryPlace::OrderOnly => LookUp::All,
            _ => LookUp::Never,
        };
        Ok(Self {
            source,
            sieve: Arc::new(Sieve::new(queue, selection, bounds)),
            of,
            look_up,
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
            size.had(1_000, 100, 1);
        }
        assert_eq!(size.get(), PAGE_MOST);
        size.had(1_000, PAGE_US + 1, 1);
        assert_eq!(size.get(), PAGE_MOST / 4);
        size.had(1_000, PAGE_US / 2, 1);
        assert_eq!(size.get(), PAGE_MOST / 4, "about right");
        size.had(PAGE_BYTES + 1, 0, 1);
        assert_eq!(size.get(), PAGE_MOST / 16);
        for _ in 0..10 {
            size.had(PAGE_BYTES * 9, 100_000, 1);
        }
        assert_eq!(size.get(), 1);
    }

    #[test]
    fn a_page_for_which_a_script_was_waited_is_larger_but_never_without_a_bound() {
        let large = PAGE_BYTES / 2;
        let (mut size, mut bytes) = (PageSize::new(), 0);
        for _ in 0..10 {
            bytes = size.get() as usize * large;
            size.had(bytes, 0, 16);
        }
        assert!(
            bytes > PAGE_BYTES * 4 && bytes <= PAGE_BYTES * 16,
            "{bytes}"
        );
        // Nobody else keeps the server any more.
        for _ in 0..4 {
            bytes = size.get() as usize * large;
            size.had(bytes, 0, 1);
        }
        assert!(bytes <= 2 * PAGE_BYTES, "{bytes}");
    }
}
