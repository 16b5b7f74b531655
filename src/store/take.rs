//! Taking from a target, one element at a time, as a consumer does.
//!
//! An element leaves Redis with the answer that brings it: one that is on its way when the
//! connection breaks is lost, with this as with every BLPOP.

use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{Cmd, Pipeline, Value};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::error::{StoreError, plain};
use super::link::{LIMIT, Store};
use super::write::Writer;
use crate::clock::instant;
use crate::queue::Queue;

/// The longest that one BLPOP waits: so long may a server be gone without our noticing.
const SLICE: Duration = Duration::from_secs(5);
/// The same while somebody may ask us to stop: what is under way then must end, or an element
/// that is just on its way would be lost.
const SHORT_SLICE: Duration = Duration::from_secs(1);
/// How much later than its own wait an answer may come.
const GRACE: Duration = Duration::from_secs(2);
/// BLPOP counts whole seconds before Redis 6.0. Of the last one we ask at this pace.
const PACE: Duration = Duration::from_millis(10);

impl Writer {
    /// Puts an element back where the next consumer takes it: one that was taken, but could be
    /// handed to nobody.
    pub async fn put_back(&self, queue: &Queue, element: &[u8]) -> Result<(), StoreError> {
        const ATTEMPT: &str = "put an element back";
        let push = if queue.comes_at_head() {
            "RPUSH"
        } else {
            "LPUSH"
        };
        let mut pipeline = Pipeline::new();
        pipeline.cmd(push).arg(queue.keys().target).arg(element);
        for answer in self.store().query(ATTEMPT, &pipeline, LIMIT).await? {
            self.store().accept(ATTEMPT, answer)?;
        }
        Ok(())
    }
}

/// The right to take from one target. It reconnects by itself, at the next [`take`](Self::take).
pub struct Taker {
    store: Store,
    target: Vec<u8>,
    pop: &'static str,
    blocking_pop: &'static str,
    wire: Option<MultiplexedConnection>,
    stop: Option<watch::Receiver<bool>>,
}

impl Taker {
    pub(super) fn new(store: Store, queue: &Queue) -> Self {
        let (pop, blocking_pop) = if queue.comes_at_head() {
            ("RPOP", "BRPOP")
        } else {
            ("LPOP", "BLPOP")
        };
        Self {
            store,
            target: queue.keys().target,
            pop,
            blocking_pop,
            wire: None,
            stop: None,
        }
    }

    /// Takes no more from the moment on when `stop` says so: a [`take`](Self::take) that is under
    /// way then ends within a second, and nothing is lost.
    #[must_use]
    pub fn until(mut self, stop: watch::Receiver<bool>) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Whether it takes no more.
    #[must_use]
    pub fn has_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| *stop.borrow())
    }

    /// Takes the next element; none when there is none within that time, or when it has stopped.
    pub async fn take(&mut self, within: Duration) -> Result<Option<Vec<u8>>, StoreError> {
        let started = instant();
        let slice = self.stop.as_ref().map_or(SLICE, |_| SHORT_SLICE);
        while !self.has_stopped() {
            let left = within.saturating_sub(instant().saturating_duration_since(started));
            let whole = left.min(slice).as_secs();
            let taken = if whole == 0 {
                let mut pop = redis::cmd(self.pop);
                pop.arg(&self.target);
                self.ask(&pop, Duration::ZERO).await?
            } else {
                let mut pop = redis::cmd(self.blocking_pop);
                pop.arg(&self.target).arg(whole);
                self.ask(&pop, Duration::from_secs(whole)).await?
            };
            match taken {
                None if left.is_zero() => return Ok(None),
                None if whole == 0 => sleep(left.min(PACE)).await,
                None => {}
                taken => return Ok(taken),
            }
        }
        Ok(None)
    }

    async fn ask(&mut self, pop: &Cmd, wait: Duration) -> Result<Option<Vec<u8>>, StoreError> {
        const ATTEMPT: &str = "take from the target";
        let server = self.store.endpoint().to_string();
        // Taken out, and put back only with the answer: a call that is given up leaves an
        // answer on its way, which must not be taken for that of the next one.
        let mut wire = match self.wire.take() {
            Some(wire) => wire,
            None => self.store.dedicated().await?,
        };
        let after = wait + GRACE;
        let answer = match timeout(after, wire.send_packed_command(pop)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(e)) if e.code().is_some() => {
                self.wire = Some(wire);
                let words = plain(&e);
                return Err(StoreError::Refused {
                    server,
                    attempt: ATTEMPT,
                    code: e.code().unwrap_or_default().to_owned(),
                    words,
                });
            }
            Ok(Err(e)) => {
                return Err(StoreError::Broken {
                    server,
                    attempt: ATTEMPT,
                    why: plain(&e),
                });
            }
            Err(_) => {
                return Err(StoreError::TimedOut {
                    server,
                    attempt: ATTEMPT,
                    after,
                });
            }
        };
        self.wire = Some(wire);
        match self.store.accept(ATTEMPT, answer)? {
            Value::Nil => Ok(None),
            Value::BulkString(element) => Ok(Some(element)),
            Value::Array(mut pair) if pair.len() == 2 => match pair.pop() {
                Some(Value::BulkString(element)) => Ok(Some(element)),
                other => Err(self.store.unexpected(ATTEMPT, &other.unwrap_or_default())),
            },
            other => Err(self.store.unexpected(ATTEMPT, &other)),
        }
    }
}
