//! The entries of a queue, chosen and streamed in bounded pages: a million of them cost neither
//! the server nor us more than a page at a time.

mod lists;
mod timeouts;

use std::collections::VecDeque;

use futures_util::{Stream, stream};

use self::lists::ListReader;
use self::timeouts::TimeoutsReader;
use crate::clock::EpochMillis;
use crate::payload;
use crate::queue::{Due, Entry, EntryId, Queue, State};
use crate::store::{Store, StoreError, read};

/// Which entries.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Selection {
    /// Where to read them.
    pub from: From,
    /// Only those with one of these ids (16 hex digits); all when empty.
    pub ids: Vec<String>,
    /// Only those due before this moment.
    pub due_before: Option<EpochMillis>,
    /// Only those due at this moment or after it.
    pub due_after: Option<EpochMillis>,
    /// Only those whose id or decoded text contains each of these words, in any case.
    pub grep: Option<String>,
    /// No more than so many.
    pub limit: Option<u64>,
}

/// Where entries are read.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum From {
    /// Timeouts, by due time; those that are late too.
    #[default]
    Waiting,
    /// Timeouts, those that were due when the reading began.
    Late,
    /// Target, from its head.
    Delivered,
    /// The order list, from its head.
    Order,
}

/// The entries that `selection` says, as they are read. What changes meanwhile may or may not be
/// seen; in timeouts nothing that stays is left out or told twice. After an error it ends.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the stream outlives its caller's selection"
)]
pub fn entries(
    store: &Store,
    queue: &Queue,
    selection: Selection,
) -> impl Stream<Item = Result<Entry, StoreError>> + Send + 'static {
    let reading = Reading {
        left: selection.limit.unwrap_or(u64::MAX),
        wanted: Wanted::new(queue, &selection),
        source: Source::new(store, queue, &selection),
        read: VecDeque::new(),
    };
    stream::unfold(Some(reading), |reading| async {
        let mut reading = reading?;
        match reading.next().await {
            Ok(entry) => entry.map(|entry| (Ok(entry), Some(reading))),
            Err(error) => Some((Err(error), None)),
        }
    })
}

/// Elements `first .. first + count` of target (at most 500) and its length, in one instant.
pub async fn peek(
    store: &Store,
    queue: &Queue,
    first: u64,
    count: u32,
) -> Result<(Vec<Vec<u8>>, u64), StoreError> {
    read::list_page(store, &queue.keys().target, first, count.min(PAGE_MOST)).await
}

/// No page has more entries.
const PAGE_MOST: u32 = 500;
/// Nor, as long as entries are about as large as those before them, more bytes.
const PAGE_BYTES: usize = 256 * 1024;

/// How many entries to ask for: few at first, since members may be large.
struct PageSize(u32);

impl PageSize {
    const fn new() -> Self {
        Self(50)
    }

    /// Takes note of how large a page was.
    fn had(&mut self, bytes: usize) {
        let next = if bytes > PAGE_BYTES {
            self.0 / 4
        } else if bytes * 2 < PAGE_BYTES {
            self.0 * 2
        } else {
            self.0
        };
        self.0 = next.clamp(1, PAGE_MOST);
    }
}

struct Reading {
    left: u64,
    wanted: Wanted,
    source: Source,
    read: VecDeque<Entry>,
}

impl Reading {
    async fn next(&mut self) -> Result<Option<Entry>, StoreError> {
        while self.left > 0 {
            while let Some(entry) = self.read.pop_front() {
                if self.wanted.has(&entry) {
                    self.left -= 1;
                    return Ok(Some(entry));
                }
            }
            match self.source.page().await? {
                Some(page) => self.read = page,
                None => break,
            }
        }
        Ok(None)
    }
}

enum Source {
    Timeouts(TimeoutsReader),
    List(ListReader),
    /// The layout has no such place.
    Nothing,
}

impl Source {
    fn new(store: &Store, queue: &Queue, selection: &Selection) -> Self {
        let keys = queue.keys();
        match selection.from {
            From::Waiting | From::Late => {
                Self::Timeouts(TimeoutsReader::new(store, queue, selection))
            }
            From::Delivered => Self::List(ListReader::new(store, queue, keys.target, false)),
            From::Order => keys.order.map_or(Self::Nothing, |order| {
                Self::List(ListReader::new(store, queue, order, true))
            }),
        }
    }

    /// The next entries; none at the end.
    async fn page(&mut self) -> Result<Option<VecDeque<Entry>>, StoreError> {
        match self {
            Self::Timeouts(reader) => reader.page().await,
            Self::List(reader) => reader.page().await,
            Self::Nothing => Ok(None),
        }
    }
}

/// What an entry must be to be told.
struct Wanted {
    queue: Queue,
    ids: Vec<String>,
    words: Vec<String>,
    due_before: Option<EpochMillis>,
    due_after: Option<EpochMillis>,
}

impl Wanted {
    fn new(queue: &Queue, selection: &Selection) -> Self {
        let grep = selection.grep.as_deref().unwrap_or("");
        Self {
            queue: queue.clone(),
            ids: selection.ids.iter().map(|id| id.to_lowercase()).collect(),
            words: grep.split_whitespace().map(str::to_lowercase).collect(),
            due_before: selection.due_before,
            due_after: selection.due_after,
        }
    }

    fn has(&self, entry: &Entry) -> bool {
        self.is_due(entry) && self.is_named(entry)
    }

    fn is_due(&self, entry: &Entry) -> bool {
        if self.due_before.is_none() && self.due_after.is_none() {
            return true;
        }
        let due = entry.score.and_then(|score| self.queue.due(score).at());
        due.is_some_and(|due| {
            self.due_before.is_none_or(|end| due < end)
                && self.due_after.is_none_or(|start| due >= start)
        })
    }

    fn is_named(&self, entry: &Entry) -> bool {
        if self.ids.is_empty() && self.words.is_empty() {
            return true;
        }
        let member = entry.member.as_slice();
        // Elements of target have no frame any more.
        let unwrapped = match entry.state {
            State::Delivered => None,
            _ => self.queue.unwrap(member).ok(),
        };
        let id = match unwrapped {
            Some(unwrapped) => unwrapped.id,
            None => EntryId::of_bytes(member),
        };
        let id = id.to_string();
        if !self.ids.is_empty() && !self.ids.contains(&id) {
            return false;
        }
        if self.words.is_empty() {
            return true;
        }
        let payload = unwrapped.map_or(member, |unwrapped| unwrapped.payload);
        let text = payload::decode(payload).whole().to_lowercase();
        let contains = |word: &String| text.contains(word) || id.contains(word);
        self.words.iter().all(contains)
    }
}

/// Where an entry with this score in timeouts stands: a score that is no time is never late.
fn state(queue: &Queue, score: f64, now: EpochMillis) -> State {
    match queue.due(score) {
        Due::At(due) if due <= now => State::Late,
        _ => State::Waiting,
    }
}
