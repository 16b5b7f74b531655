//! Timeouts (or quarantine) from front to back, by rank: what is deep inside costs no more than
//! what is in front.
//!
//! Ranks shift while we read, since entries are transferred at the front. So each page begins
//! with the last row of the page before; when another row is there, that one's rank now is asked
//! for, and when it is gone, the page begins with the first row of its score.

use std::sync::Arc;

use super::pages::PageSize;
use super::state;
use crate::clock::EpochMillis;
use crate::ops::bulk;
use crate::queue::filter::Bounds;
use crate::queue::{Entry, Queue, State};
use crate::store::read::{self, Rows};
use crate::store::{Store, StoreError};

/// Number of times that a page is asked for again because the front of timeouts moves, before the
/// place is looked for by score.
const CHASES: u32 = 3;
/// Bytes of the largest member that is sent to the server to ask for its rank.
const LARGE: usize = 64 * 1024;

pub(super) struct TimeoutsReader {
    store: Store,
    queue: Queue,
    /// The sorted set.
    key: Vec<u8>,
    /// The state of its entries; none: waiting or late, as their scores say.
    state: Option<State>,
    size: PageSize,
    /// Below this score nothing is wanted; none: from the first member on.
    lowest: Option<f64>,
    /// Above this score nothing is wanted.
    highest: f64,
    /// The rank to go on from; none before the first page.
    rank: Option<u64>,
    /// The member at that rank with its score, already told.
    landmark: Option<(Arc<Vec<u8>>, f64)>,
    /// The last entry told; what is not behind it is not told again.
    told: Option<(f64, Arc<Vec<u8>>)>,
    /// Rows that were asked for last.
    asked: usize,
    ended: bool,
}

impl TimeoutsReader {
    pub(super) fn new(store: &Store, queue: &Queue, bounds: Bounds) -> Self {
        // A due time is its score rounded to the ms, so what rounds into the bounds may lie just
        // outside them. No score below 0 is a due time.
        let lowest = match bounds.from {
            Some(from) => Some(queue.score(from.plus(-1)).max(0.0)),
            None => bounds.before.map(|_| 0.0),
        };
        let highest = bounds.before.map(|before| queue.score(before.plus(1)));
        Self {
            store: store.clone(),
            queue: queue.clone(),
            key: queue.keys().timeouts,
            state: None,
            size: PageSize::new(),
            lowest,
            highest: highest.unwrap_or(f64::INFINITY),
            rank: None,
            landmark: None,
            told: None,
            asked: 0,
            ended: false,
        }
    }

    /// The same of quarantine.
    pub(super) fn of_quarantine(store: &Store, queue: &Queue, bounds: Bounds) -> Self {
        Self {
            key: queue.keys().quarantine,
            state: Some(State::Quarantined),
            ..Self::new(store, queue, bounds)
        }
    }

    /// Counts the entries that there are to be read now.
    pub(super) async fn count(&self) -> Result<u64, StoreError> {
        let lowest = self.lowest.unwrap_or(f64::NEG_INFINITY);
        read::count_between(&self.store, &self.key, lowest, self.highest).await
    }

    /// The next entries, perhaps none of them new; none at the end.
    pub(super) async fn page(
        &mut self,
        now: EpochMillis,
    ) -> Result<Option<Vec<Entry>>, StoreError> {
        if self.ended {
            return Ok(None);
        }
        let (first, rows) = match (self.rank, self.lowest) {
            (Some(rank), _) => self.rows(rank).await?,
            (None, Some(lowest)) => self.since_score(lowest).await?,
            (None, None) => self.rows(0).await?,
        };
        // A page that is not full is the last one.
        self.ended = rows.len() < self.asked;
        let mut landmark = None;
        if let Some(last) = rows.last() {
            let count = u64::try_from(rows.len()).unwrap_or(0);
            self.rank = Some(first + count - 1);
            // When it is the landmark itself, nothing is behind it.
            self.ended |= self.is_landmark(last);
            landmark = (!self.ended).then(|| (Arc::new(last.0.clone()), last.1));
        }
        self.landmark = landmark;
        let mut page: Vec<Entry> = Vec::with_capacity(rows.len());
        for (member, score) in rows {
            if score > self.highest {
                self.ended = true;
                break;
            }
            let told = match (page.last(), &self.told) {
                (Some(entry), _) => entry.score.map(|score| (score, &entry.member)),
                (None, told) => told.as_ref().map(|(score, member)| (*score, &**member)),
            };
            let behind = told.is_none_or(|(told, last)| {
                score > told || (score.total_cmp(&told).is_eq() && member > *last)
            });
            if behind {
                page.push(Entry {
                    state: self.state.unwrap_or_else(|| state(&self.queue, score, now)),
                    score: Some(score),
                    member,
                });
            }
        }
        if let (Some(last), false) = (page.last(), self.ended) {
            let landmark = self.landmark.as_ref().map(|(member, _)| member);
            let member = match landmark.filter(|member| ***member == last.member) {
                Some(member) => Arc::clone(member),
                None => Arc::new(last.member.clone()),
            };
            self.told = last.score.map(|score| (score, member));
        }
        Ok(Some(page))
    }

    fn is_landmark(&self, row: &(Vec<u8>, f64)) -> bool {
        let landmark = self.landmark.as_ref();
        landmark.is_some_and(|(member, score)| **member == row.0 && score.total_cmp(&row.1).is_eq())
    }

    /// Rows that begin with the landmark, if it is there still, and the rank of the first.
    async fn rows(&mut self, mut first: u64) -> Result<(u64, Vec<(Vec<u8>, f64)>), StoreError> {
        for _ in 0..CHASES {
            let landmark = self.landmark.clone();
            let member = landmark.as_ref().map(|(member, _)| member.as_slice());
            let sent = member.filter(|member| member.len() <= LARGE);
            let page = self.ask(first, sent).await?;
            let begins = page.rows.first();
            if landmark.is_none() || begins.is_some_and(|row| self.is_landmark(row)) {
                return Ok((first, page.rows));
            }
            match page.landmark {
                // With another score it tells nothing of where we were.
                Some(_) if begins.map(|row| row.0.as_slice()) == member => break,
                Some(rank) => first = rank,
                None => break,
            }
        }
        // It is gone, moved, or runs away from us: from the first entry with its score on.
        self.landmark = None;
        let score = self.told.as_ref().map_or(f64::NEG_INFINITY, |told| told.0);
        self.since_score(score).await
    }

    /// Rows from the first with that score or above on, and the rank of that one.
    async fn since_score(&mut self, score: f64) -> Result<(u64, Vec<(Vec<u8>, f64)>), StoreError> {
        let count = self.size.get() + 1;
        self.asked = usize::try_from(count).unwrap_or(usize::MAX);
        let (first, page) = read::rows_from(&self.store, &self.key, score, count).await?;
        self.had(&page);
        Ok((first, page.rows))
    }

    async fn ask(&mut self, first: u64, landmark: Option<&[u8]>) -> Result<Rows, StoreError> {
        // One more, since the landmark was told before.
        let count = self.size.get() + 1;
        self.asked = usize::try_from(count).unwrap_or(usize::MAX);
        let page = read::rows(&self.store, &self.key, first, count, landmark).await?;
        self.had(&page);
        Ok(page)
    }

    fn had(&mut self, page: &Rows) {
        let bytes = page.rows.iter().map(|row| row.0.len()).sum();
        let times = bulk::at_once(&self.store);
        self.size.had(bytes, page.server_us, times);
    }
}
