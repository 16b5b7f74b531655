//! Timeouts from front to back, by rank: what is deep inside costs no more than what is in front.
//!
//! Ranks shift while we read, since entries are transferred at the front. So each page begins
//! with the last row of the page before; when another row is there, that one's rank now is asked
//! for, and when it is gone, the place where it would be is looked for by its score.

use std::collections::VecDeque;
use std::time::Duration;

use super::{From, PageSize, Selection, state};
use crate::clock::EpochMillis;
use crate::queue::{Entry, Queue};
use crate::store::{Store, StoreError, read};

/// How often a page is asked for again because the front of timeouts moves, before the place is
/// looked for by score.
const CHASES: u32 = 3;
/// How long we wait for a link that has not been live yet, or hangs.
const READY: Duration = Duration::from_secs(5);

pub(super) struct TimeoutsReader {
    store: Store,
    queue: Queue,
    timeouts: Vec<u8>,
    size: PageSize,
    /// Below this score nothing is wanted; none: from the first member on.
    lowest: Option<f64>,
    /// Above this score nothing is wanted.
    highest: f64,
    late_only: bool,
    /// The rank to go on from; none before the first page.
    rank: Option<u64>,
    /// The member at that rank, already told.
    landmark: Option<Vec<u8>>,
    /// The last entry told; what is not behind it is not told again.
    told: Option<(f64, Vec<u8>)>,
    ended: bool,
}

impl TimeoutsReader {
    pub(super) fn new(store: &Store, queue: &Queue, selection: &Selection) -> Self {
        let late_only = selection.from == From::Late;
        let lowest = selection.due_after.map(|after| queue.score(after));
        let highest = selection.due_before.map(|before| queue.score(before));
        Self {
            store: store.clone(),
            queue: queue.clone(),
            timeouts: queue.keys().timeouts,
            size: PageSize::new(),
            lowest: if late_only {
                lowest.or(Some(0.0))
            } else {
                lowest
            },
            highest: highest.unwrap_or(f64::INFINITY),
            late_only,
            rank: None,
            landmark: None,
            told: None,
            ended: false,
        }
    }

    /// The next entries, perhaps none of them new; none at the end.
    pub(super) async fn page(&mut self) -> Result<Option<VecDeque<Entry>>, StoreError> {
        if self.ended {
            return Ok(None);
        }
        let now = self.store.ready(READY).await?.now();
        let first = match self.rank {
            Some(rank) => rank,
            None => self.start(now).await?,
        };
        let (first, rows) = self.rows(first).await?;
        self.ended = rows.is_empty();
        if let Some((member, _)) = rows.last() {
            let count = u64::try_from(rows.len()).unwrap_or(0);
            self.rank = Some(first + count - 1);
            // When it is the landmark itself, nothing is behind it.
            self.ended = self.landmark.as_ref() == Some(member);
            self.landmark = Some(member.clone());
        }
        self.size.had(rows.iter().map(|row| row.0.len()).sum());
        let mut page = VecDeque::with_capacity(rows.len());
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
                page.push_back(Entry {
                    state: state(&self.queue, score, now),
                    score: Some(score),
                    member,
                });
            }
        }
        Ok(Some(page))
    }

    /// Finds the rank to begin at and, for what is late, where to end.
    async fn start(&mut self, now: EpochMillis) -> Result<u64, StoreError> {
        if self.late_only {
            self.highest = self.highest.min(self.queue.score(now));
        }
        match self.lowest {
            Some(lowest) => read::rank_of_score(&self.store, &self.timeouts, lowest, false).await,
            None => Ok(0),
        }
    }

    /// Rows that begin with the landmark, if it is there still, and the rank of the first.
    async fn rows(&mut self, mut first: u64) -> Result<(u64, Vec<(Vec<u8>, f64)>), StoreError> {
        for _ in 0..CHASES {
            // One more, since the landmark was told before.
            let count = self.size.0 + 1;
            let landmark = self.landmark.as_deref();
            let page = read::rows(&self.store, &self.timeouts, first, count, landmark).await?;
            let begins = page.rows.first().map(|row| row.0.as_slice());
            if landmark.is_none() || begins == landmark {
                return Ok((first, page.rows));
            }
            match page.landmark {
                Some(rank) => first = rank,
                None => break,
            }
        }
        // It is gone, or runs away from us: from the first entry with its score on.
        self.landmark = None;
        let score = self.told.as_ref().map_or(f64::NEG_INFINITY, |told| told.0);
        let first = read::rank_of_score(&self.store, &self.timeouts, score, false).await?;
        let count = self.size.0 + 1;
        let page = read::rows(&self.store, &self.timeouts, first, count, None).await?;
        Ok((first, page.rows))
    }
}
