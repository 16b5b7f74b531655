//! A connection of its own beside the link: for scripts, which shall not wait behind a large
//! read, and for commands that block.
//!
//! It is opened by the first request and again by the first one after it broke. Nothing is ever
//! sent twice here: whether a request without an answer was carried out is for its caller to say.

use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{Pipeline, Value};
use tokio::sync::Mutex;

use super::error::{StoreError, plain};
use super::link::Store;

/// A connection of its own, opened when it is needed.
pub(super) struct Lane {
    store: Store,
    wire: Mutex<Option<MultiplexedConnection>>,
}

impl Lane {
    pub(super) fn new(store: Store) -> Self {
        Self {
            store,
            wire: Mutex::new(None),
        }
    }

    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    /// Sends `pipeline` and returns the raw replies, one for each command, errors in their places.
    /// `attempt` completes "when asked to …".
    pub(super) async fn send(
        &self,
        attempt: &'static str,
        pipeline: &Pipeline,
        limit: Duration,
    ) -> Result<Vec<Value>, StoreError> {
        let mut wire = self.wire().await?;
        let answer = wire.send_packed_commands(pipeline, 0, pipeline.len());
        let server = || self.store.endpoint().to_string();
        let error = match tokio::time::timeout(limit, answer).await {
            Ok(Ok(values)) => return Ok(values),
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

    /// The lock is held while connecting: two requests at once shall not open two.
    async fn wire(&self) -> Result<MultiplexedConnection, StoreError> {
        let mut slot = self.wire.lock().await;
        if let Some(wire) = &*slot {
            return Ok(wire.clone());
        }
        let wire = self.store.dedicated().await?;
        *slot = Some(wire.clone());
        Ok(wire)
    }
}
