//! The entries of a queue, chosen and streamed in bounded pages: a million of them cost neither
//! the server nor us more than a page at a time.

mod lists;
mod pages;
mod sieve;
mod timeouts;

use std::collections::VecDeque;

use futures_util::{Stream, stream};

pub(super) use self::pages::Pages;
use crate::clock::EpochMillis;
use crate::payload::Habit;
use crate::queue::{Due, Entry, Filter, Keys, Queue, State};
use crate::store::{Store, StoreError, read};

/// A selection of entries.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Selection {
    /// The place to read them from.
    pub from: EntryPlace,
    /// Only those with one of these ids (16 hex digits); all when empty.
    pub ids: Vec<String>,
    /// Only those due before this moment.
    pub due_before: Option<EpochMillis>,
    /// Only those due at this moment or after it.
    pub due_after: Option<EpochMillis>,
    /// Only those that it lets through.
    pub filter: Filter,
    /// The way in which its payloads are read, for a filter that looks into them.
    pub habit: Habit,
    /// No more than so many.
    pub limit: Option<u64>,
}

/// A place where entries are read.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum EntryPlace {
    /// Timeouts, by due time; those that are late too.
    #[default]
    Waiting,
    /// Timeouts, those that were due when the reading began.
    Late,
    /// Target, from its head.
    Delivered,
    /// The order list, from its head, behind what is set aside of it.
    Order,
    /// The same, but only what timeouts does not hold.
    OrderOnly,
    /// Quarantine, by due time.
    Quarantined,
}

/// The entries that `selection` says, as they are read. What comes and goes meanwhile may or may
/// not be seen; nothing that stays is left out or told twice. After an error it ends.
pub fn entries(
    store: &Store,
    queue: &Queue,
    selection: Selection,
) -> impl Stream<Item = Result<Entry, StoreError>> + Send + 'static {
    let reading = PageReader {
        left: selection.limit.unwrap_or(u64::MAX),
        pages: Pages::new(&store.along_with(queue), queue, selection),
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

/// Returns how the payloads of a queue are read, after the first of those in that place have voted.
pub async fn voted(
    store: &Store,
    queue: &Queue,
    from: EntryPlace,
    habit: Habit,
) -> Result<Habit, StoreError> {
    let store = &store.of(queue).await;
    let first = pages::first(store, queue, from).await?;
    let payload = |entry: &'_ Entry| {
        // Elements of target have no frame any more.
        if entry.state == State::Delivered {
            return Some(0..entry.member.len());
        }
        let payload = queue.unwrap(&entry.member).ok()?.payload;
        Some(entry.member.len() - payload.len()..entry.member.len())
    };
    let payloads = first
        .iter()
        .filter_map(|entry| Some(&entry.member[payload(entry)?]));
    Ok(habit.after(payloads))
}

/// Elements `first .. first + count` of target (at most 500) and its length, in one instant.
pub async fn peek(
    store: &Store,
    queue: &Queue,
    first: u64,
    count: u32,
) -> Result<(Vec<Vec<u8>>, u64), StoreError> {
    let store = &store.of(queue).await;
    let page = read::list_page(store, &queue.keys().target, first, count.min(PEEK_MOST)).await?;
    Ok((page.elements, page.length))
}

/// Counts the entries of each queue that are in quarantine; none where they cannot be counted.
pub async fn quarantined(store: &Store, queues: &[Queue]) -> Result<Vec<Option<u64>>, StoreError> {
    if queues.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Vec<Keys> = queues.iter().map(Queue::keys).collect();
    let ask = async |store: Store, keys: Vec<Keys>| read::quarantined(&store, &keys).await;
    let told = store.by_node_apart(&keys, |keys| keys.timeouts.clone(), ask);
    Ok(told
        .await
        .into_iter()
        .map(|told| told.ok().flatten())
        .collect())
}

/// Elements that are peeked at in one go, at most.
const PEEK_MOST: u32 = 500;

struct PageReader {
    left: u64,
    pages: Pages,
    read: VecDeque<Entry>,
}

impl PageReader {
    async fn next(&mut self) -> Result<Option<Entry>, StoreError> {
        while self.left > 0 {
            if let Some(entry) = self.read.pop_front() {
                self.left -= 1;
                return Ok(Some(entry));
            }
            match self.pages.next().await? {
                Some(page) => self.read = page.kept.into(),
                None => break,
            }
        }
        Ok(None)
    }
}

/// Returns the state of an entry with this score in timeouts: a score that is no time is never
/// late.
fn state(queue: &Queue, score: f64, now: EpochMillis) -> State {
    match queue.due(score) {
        Due::At(due) if due <= now => State::Late,
        _ => State::Waiting,
    }
}
