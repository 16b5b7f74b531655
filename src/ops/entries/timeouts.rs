//! Timeouts (or quarantine) from front to back, by rank: what is deep inside costs no more than
//! what is in front.
//!
//! Ranks shift while we read, since entries are transferred at the front. So each page begins
//! with the last row of the page before; when another row is there, that one's rank now is asked
//! for, and when it is gone, the page begins with the first row of its score.

use super::pages::PageSize;
use super::state;
use crate::clock::EpochMillis;
use crate::queue::filter::Bounds;
use crate::queue::{Entry, Queue, State};
use crate::store::read::{self, Rows};
use crate::store::{Store, StoreError};

/// How often a page is asked for again because the front of timeouts moves, before the place is
/// looked for by score.
const CHASES: u32 = 3;
pub(super) struct TimeoutsReader {
    store: Store,
    queue: Queue,
    /// The sorted set.
    key: Vec<u8>,
    /// What its entries are; none: waiting or late, as their scores say.
    state: Option<State>,
    size: PageSize,
    /// Below this score nothing is wanted; none: from the first member on.
    lowest: Option<f64>,
    /// Above this score nothing is wanted.
    highest: f64,
    /// The rank to go on from; none before the first page.
    rank: Option<u64>,
    /// The member at that rank with its score, already told.
    landmark: Option<(Vec<u8>, f64)>,
    /// The last entry told; what is not behind it is not told again.
    told: Option<(f64, Vec<u8>)>,
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

    /// How many entries there are to be read now.
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
        self.ended = rows.is_empty();
        if let Some(last) = rows.last() {
            let count = u64::try_from(rows.len()).unwrap_or(0);
            self.rank = Some(first + count - 1);
            // When it is the landmark itself, nothing is behind it.
            self.ended = self.landmark.as_ref() == Some(last);
            self.landmark = Some(last.clone());
        }
        let mut page = Vec::with_capacity(rows.len());
        for (member, score) in rows {
            if score > self.highest {
                self.ended = true;
                break;
            }
            let behind = self.told.as_ref().is_none_or(|(told, last)| {
                score > *told || (score.total_cmp(told).is_eq() && member > *last)
            });
            if behind {
                self.told = Some((score, member.clone()));
                page.push(Entry {
                    state: self.state.unwrap_or_else(|| state(&self.queue, score, now)),
                    score: Some(score),
                    member,
                });
            }
        }
        Ok(Some(page))
    }

    /// Rows that begin with the landmark, if it is there still, and the rank of the first.
    async fn rows(&mut self, mut first: u64) -> Result<(u64, Vec<(Vec<u8>, f64)>), StoreError> {
        for _ in 0..CHASES {
            let landmark = self.landmark.clone();
            let member = landmark.as_ref().map(|(member, _)| member.as_slice());
            let page = self.ask(first, member).await?;
            let begins = page.rows.first();
            if landmark.is_none() || begins == landmark.as_ref() {
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
        let (first, page) = read::rows_from(&self.store, &self.key, score, count).await?;
        self.had(&page);
        Ok((first, page.rows))
    }

    async fn ask(&mut self, first: u64, landmark: Option<&[u8]>) -> Result<Rows, StoreError> {
        // One more, since the landmark was told before.
        let count = self.size.get() + 1;
        let page = read::rows(&self.store, &self.key, first, count, landmark).await?;
        self.had(&page);
        Ok(page)
    }

    fn had(&mut self, page: &Rows) {
        let bytes = page.rows.iter().map(|row| row.0.len()).sum();
        self.size.had(bytes, page.server_us);
    }
}
