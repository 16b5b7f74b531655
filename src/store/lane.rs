//! A connection of its own beside the link: for scripts, which shall not wait behind a large
//! read, and for commands that block.
//!
//! It is opened by the first request and again by the first one after it broke. Nothing is sent twice
//! here unless its caller says that it may be: whether a request without an answer was carried out is
//! for that to say.

use std::sync::{Mutex as Lock, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use redis::{Pipeline, Value};
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::error::{StoreError, plain, words};
use super::link::wire::Wire;
use super::link::{Retries, Store, busy};
use super::read::Replication;
use crate::clock::instant;

/// The time for which a server that is busy with somebody's script is asked again, before the
/// caller sees whether there is another order meanwhile.
pub(super) const BUSY: Duration = Duration::from_secs(1);
/// A connection that was not used for so long may be none any more.
const REST: Duration = Duration::from_secs(1);
/// The longest time that one may take to show that it is.
const ANSWER: Duration = Duration::from_secs(2);

/// A connection of its own, opened when it is needed.
pub(super) struct Lane {
    store: Store,
    wire: Mutex<Option<OpenWire>>,
    told: Lock<ToldReplication>,
}

/// The server's words about its replication behind each script, where that is asked for.
#[derive(Default)]
struct ToldReplication {
    is_asked: bool,
    last: Option<Replication>,
}

/// A connection and when it was last asked for.
struct OpenWire {
    wire: Wire,
    used: Instant,
    /// See [`Dialer::turn`](super::link::dial::Dialer::turn).
    turn: u64,
}

impl Lane {
    pub(super) fn new(store: Store) -> Self {
        Self {
            store,
            wire: Mutex::new(None),
            told: Lock::default(),
        }
    }

    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    /// Asks for the server's replication behind each script from now on, or no more.
    pub(super) fn ask_for_replication(&self, is_asked: bool) {
        self.told().is_asked = is_asked;
    }

    /// Adds the question for the replication to a script's pipeline, where that is asked for. True:
    /// its answer is one more, for [`tell_replication`](Self::tell_replication).
    pub(super) fn add_replication(&self, pipeline: &mut Pipeline) -> bool {
        let mut told = self.told();
        told.last = None;
        if told.is_asked {
            pipeline.cmd("INFO").arg("replication");
        }
        told.is_asked
    }

    /// Takes note of the answer. One that cannot be read loses a figure, and nothing else.
    pub(super) fn tell_replication(&self, answer: Option<&Value>) {
        self.told().last = answer.and_then(Replication::read);
    }

    /// Takes what was told of the replication behind the last script.
    pub(super) fn take_replication(&self) -> Option<Replication> {
        self.told().last.take()
    }

    fn told(&self) -> MutexGuard<'_, ToldReplication> {
        // Nothing panics while it holds the lock.
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends `pipeline` and returns the raw replies, one for each command, errors in their places.
    /// `attempt` completes "when asked to …".
    pub(super) async fn send(
        &self,
        attempt: &'static str,
        pipeline: &Pipeline,
        limit: Duration,
    ) -> Result<Vec<Value>, StoreError> {
        let (mut wire, turn) = self.wire().await?;
        let answer = wire.send_packed_commands(pipeline, 0, pipeline.len());
        let server = || self.store.endpoint().to_string();
        let error = match timeout(limit, answer).await {
            Ok(Ok(values)) => {
                self.store.hear(&values);
                if values.iter().any(is_of_replica) {
                    self.store.dialer().heard_refusal(turn);
                }
                return Ok(values);
            }
            Ok(Err(error)) => StoreError::Broken {
                server: server(),
                attempt,
                why: plain(&error),
            },
            Err(_) => StoreError::TimedOut {
                server: server(),
                attempt,
                after: limit,
            },
        };
        // Whatever comes late on it belongs to nobody.
        *self.wire.lock().await = None;
        Err(error)
    }

    /// The same with what may be done twice: it is sent again for a while when a server that is
    /// busy with a script refuses a part of it.
    pub(super) async fn repeat(
        &self,
        attempt: &'static str,
        pipeline: &Pipeline,
        limit: Duration,
    ) -> Result<Vec<Value>, StoreError> {
        let mut again = Retries::within(BUSY);
        loop {
            let answers = self.send(attempt, pipeline, limit).await?;
            if !busy(&answers) || !again.soon().await {
                return Ok(answers);
            }
        }
    }

    /// The connection, and the turn that it is of. The lock is held while connecting: two requests
    /// at once shall not open two. Servers and what stands before them close connections that rest,
    /// so one that has rested is asked for the time first: a change sent on a closed one would count
    /// as perhaps carried out.
    async fn wire(&self) -> Result<(Wire, u64), StoreError> {
        let mut slot = self.wire.lock().await;
        if let Some(open) = &mut *slot {
            let rested = instant().saturating_duration_since(open.used);
            let is_left = open.turn != self.store.dialer().turn();
            if !is_left && (rested < REST || lives(&mut open.wire).await) {
                open.used = instant();
                return Ok((open.wire.clone(), open.turn));
            }
        }
        *slot = None;
        let turn = self.store.dialer().turn();
        let wire = self.store.dedicated().await.map_err(not_sent)?;
        let used = instant();
        *slot = Some(OpenWire {
            wire: wire.clone(),
            used,
            turn,
        });
        Ok((wire, turn))
    }
}

/// True of the answer of a replica to a write.
fn is_of_replica(value: &Value) -> bool {
    matches!(value, Value::ServerError(error) if words(error).starts_with("READONLY"))
}

async fn lives(wire: &mut Wire) -> bool {
    let time = redis::cmd("TIME");
    let answer = timeout(ANSWER, wire.send_packed_command(&time));
    matches!(answer.await, Ok(Ok(_)))
}

/// No answer while connecting leaves nothing unknown: the request itself was not sent.
fn not_sent(error: StoreError) -> StoreError {
    match error {
        StoreError::TimedOut { server, after, .. } => StoreError::NotConnected {
            server,
            why: format!("it did not answer within {after:?}"),
        },
        error => error,
    }
}
