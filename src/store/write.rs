//! The only way to change Redis. A [`Writer`] is made by [`Store::writer`](super::Store::writer),
//! which a read-only session refuses.

use std::sync::Arc;
use std::time::Duration;

use redis::{Pipeline, Value};

use super::error::StoreError;
use super::lane::Lane;
use super::link::{Access, Store};
use super::read::Replication;
use super::script;
pub use super::script::{
    DueCursor, Head, MovedEntry, OfferResult, Portion, TimedResult, TransferResult,
};
use super::take::Taker;
use crate::clock::EpochMillis;
use crate::queue::{ConsumerTag, Due, Era, Push, Queue};

/// Entries that one call of [`Writer::offer`] takes.
pub const MOST_OFFERED: usize = script::MOST_OFFERED;

/// Entries that one call of [`Writer::transfer`] moves at most.
pub const MOST_MOVED: usize = 2_000;

/// The time for an answer beyond the one for which the server was asked to wait.
const ANSWER: Duration = Duration::from_secs(5);

/// The right to change Redis. All its copies share one connection of their own, beside the link.
#[derive(Clone)]
pub struct Writer {
    pub(in crate::store) lane: Arc<Lane>,
}

impl Store {
    /// The right to change Redis; `ReadOnly` in a read-only session.
    pub fn writer(&self) -> Result<Writer, StoreError> {
        match self.access() {
            Access::ReadWrite => Ok(Writer {
                lane: Arc::new(Lane::new(self.clone())),
            }),
            Access::ReadOnly => Err(StoreError::ReadOnly {
                server: self.endpoint().to_string(),
            }),
        }
    }

    /// The right to change a queue, wherever it is; `ReadOnly` in a read-only session.
    pub fn writer_of(&self, queue: &Queue) -> Result<Writer, StoreError> {
        self.along_with(queue).writer()
    }
}

impl Writer {
    /// The server that it changes.
    #[must_use]
    pub fn store(&self) -> &Store {
        self.lane.store()
    }

    /// Asks for the server's replication behind each script from now on, or no more. What it cost is
    /// the server's 2 to 3 µs.
    pub fn ask_for_replication(&self, is_asked: bool) {
        self.lane.ask_for_replication(is_asked);
    }

    /// Takes what was told of the replication behind the last script; none: it was not asked for, or
    /// the answer never came.
    #[must_use]
    pub fn take_replication(&self) -> Option<Replication> {
        self.lane.take_replication()
    }

    /// Leaves the server on all connections: the next requests connect anew, where the address may
    /// lead to another one (behind a proxy, the master of now).
    pub fn leave(&self) {
        self.store().leave();
    }

    /// Waits until so many replicas have all that was written by now, at most for `limit`; how many
    /// have it. (A server counts for WAIT from the last command of the connection, of whatever
    /// kind.)
    pub async fn wait_for_replicas(&self, n: usize, limit: Duration) -> Result<u64, StoreError> {
        const ATTEMPT: &str = "wait for its replicas";
        let ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        let mut pipeline = Pipeline::new();
        pipeline.cmd("TIME");
        pipeline.cmd("WAIT").arg(n).arg(ms);
        let sent = self.lane.send(ATTEMPT, &pipeline, limit + ANSWER);
        let answer = sent.await?.pop().unwrap_or_default();
        match self.store().accept(ATTEMPT, answer)? {
            Value::Int(n) => Ok(u64::try_from(n).unwrap_or(0)),
            other => Err(self.store().unexpected(ATTEMPT, &other)),
        }
    }

    /// An error when this queue is only looked at.
    pub fn may_change(&self, attempt: &'static str, queue: &Queue) -> Result<(), StoreError> {
        if queue.may_change() {
            return Ok(());
        }
        let layout = queue.layout.word();
        Err(self.impossible(attempt, format!("a {layout} queue is only looked at")))
    }

    /// Offers members (in a Redisson queue: whole frames), each with its due time, in one script:
    /// all of them or, on an error other than an unknown outcome, none. At most [`MOST_OFFERED`].
    pub async fn offer(
        &self,
        queue: &Queue,
        entries: Vec<(EpochMillis, Vec<u8>)>,
    ) -> Result<TimedResult<OfferResult>, StoreError> {
        self.may_change("offer entries", queue)?;
        if entries.len() > MOST_OFFERED {
            let why = format!("{} entries are too many for one script", entries.len());
            return Err(self.impossible("offer entries", why));
        }
        let scored = |(due, member)| Ok::<_, StoreError>((self.scored(queue, due)?, member));
        let entries: Vec<_> = entries.into_iter().map(scored).collect::<Result<_, _>>()?;
        let keys = queue.keys();
        let mut moves = self.store().moves();
        loop {
            let offered = match (&keys.order, &keys.channel) {
                (Some(order), Some(channel)) => {
                    script::offer(&self.lane, [&keys.timeouts, order], channel, &entries).await
                }
                _ => script::offer_zset_list(&self.lane, &keys.timeouts, &entries).await,
            };
            match offered {
                // Nothing was offered: another node has the queue by now, to which the next try goes.
                Err(error) if error.is_on_its_way() && moves.soon().await => {}
                offered => return offered,
            }
        }
    }

    /// Checks that an entry can be offered for then.
    pub fn check_due(&self, queue: &Queue, due: EpochMillis) -> Result<(), StoreError> {
        self.scored(queue, due).map(drop)
    }

    fn scored(&self, queue: &Queue, due: EpochMillis) -> Result<String, StoreError> {
        score_text(queue, due).ok_or_else(|| {
            let why = format!("{} ms is no due time: it must be from 0 to 1e17", due.get());
            self.impossible("offer an entry", why)
        })
    }

    /// Moves what is due at `now` to target, at most this portion (1 to [`MOST_MOVED`] entries),
    /// from
    /// `cursor` on: where the transfer before ended.
    pub async fn transfer(
        &self,
        queue: &Queue,
        now: EpochMillis,
        portion: impl Into<Portion>,
        cursor: &DueCursor,
    ) -> Result<TimedResult<TransferResult>, StoreError> {
        self.may_change("transfer entries", queue)?;
        let keys = queue.keys();
        let portion = portion.into();
        match &keys.order {
            None => {
                let end = match queue.push() {
                    Push::Left => "left",
                    Push::Right => "right",
                };
                let bounds = [queue.score(now), queue.no_time()].map(|score| score.to_string());
                let bounds = [bounds[0].as_str(), bounds[1].as_str()];
                let keys = [keys.target.as_slice(), &keys.timeouts];
                script::transfer_zset_list(&self.lane, keys, bounds, portion, end).await
            }
            Some(order) => {
                let now = now.get().to_string();
                let keys = [keys.target.as_slice(), &keys.timeouts, order];
                script::transfer(&self.lane, keys, &now, portion, cursor).await
            }
        }
    }

    /// Transfers at most `n` entries that are due at `now` as a Redisson client of that era does:
    /// an entry that it cannot unpack ends it in the middle. The score of the head afterwards; none
    /// when nothing waits, or in a layout that is not Redisson's.
    pub async fn transfer_as_redisson(
        &self,
        queue: &Queue,
        era: Era,
        now: EpochMillis,
        n: usize,
    ) -> Result<Option<f64>, StoreError> {
        let keys = queue.keys();
        let Some(order) = &keys.order else {
            return Ok(None);
        };
        let format = match era {
            Era::Older => "dLc0",
            Era::Newer => "Bc0Lc0",
        };
        let (now, n) = (now.get().to_string(), n.to_string());
        let keys = [keys.target.as_slice(), &keys.timeouts, order];
        let sent = script::transfer_as_redisson(&self.lane, keys, [&now, &n, format]).await;
        sent.map(|timed| timed.done)
    }

    /// The right to take from the queue's target, on connections of its own, for the consumer with
    /// that tag.
    #[must_use]
    pub fn taker(&self, queue: &Queue, tag: ConsumerTag) -> Taker {
        Taker::new(self.store().clone(), queue, tag)
    }

    /// The error for what is not even tried.
    #[must_use]
    pub fn impossible(&self, attempt: &'static str, why: String) -> StoreError {
        StoreError::Impossible {
            server: self.store().endpoint().to_string(),
            attempt,
            why,
        }
    }
}

/// The score for a due time as text: never through a format that loses digits. None when it would
/// be no time.
fn score_text(queue: &Queue, due: EpochMillis) -> Option<String> {
    let score = queue.score(due);
    matches!(queue.due(score), Due::At(_)).then(|| score.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_the_decimal_text_that_redisson_sends() {
        let orders = Queue::redisson("orders");
        let text = |ms| score_text(&orders, EpochMillis::new(ms));
        assert_eq!(text(1_700_000_000_123).as_deref(), Some("1700000000123"));
        assert_eq!(text(0).as_deref(), Some("0"));
        assert_eq!(text(-1), None);
        assert_eq!(text(100_000_000_000_000_000), None);
    }

    #[test]
    fn a_score_in_seconds_keeps_its_milliseconds() {
        let queue: Queue = "zset-list:t,r".parse().unwrap();
        let text = score_text(&queue, EpochMillis::new(1_700_000_000_123));
        assert_eq!(text.as_deref(), Some("1700000000.123"));
    }
}
