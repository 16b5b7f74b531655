//! The beginning of every subcommand that talks to a server.

use std::time::Duration;

use crate::clock::ServerClock;
use crate::config::Config;
use crate::queue::redis_cli::Programs;
use crate::queue::{LinkState, Queue};
use crate::store::{Access, Store, StoreError};

/// The longest that the first answer may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// The longest that a server may hang before a command that looks once gives up.
const HUNG: Duration = Duration::from_secs(5);

/// A link to the server that has answered.
pub(super) struct Session {
    /// The server.
    pub(super) store: Store,
    /// Its clock.
    pub(super) clock: ServerClock,
}

impl Session {
    /// Connects; a server that does not answer is an error at once, not a state.
    pub(super) async fn open(config: &Config) -> anyhow::Result<Self> {
        let access = if config.read_only {
            Access::ReadOnly
        } else {
            Access::ReadWrite
        };
        let store = Store::open(config.endpoint.clone(), access).patient(HUNG);
        let clock = store.ready(PATIENCE).await?;
        Ok(Self { store, clock })
    }

    /// The same at the node that owns a queue, wherever that goes; there is only one where there is no
    /// cluster.
    pub(super) async fn at(&self, queue: &Queue) -> anyhow::Result<Self> {
        self.of(self.store.along_with(queue)).await
    }

    /// The same by another of its links, once that has answered.
    pub(super) async fn of(&self, store: Store) -> anyhow::Result<Self> {
        let clock = store.ready(PATIENCE).await?;
        Ok(Self { store, clock })
    }

    /// The words with which a shell starts this program and redis-cli on the server.
    pub(super) fn programs(&self, config: &Config) -> Programs {
        let mut programs = config.programs();
        if !self.store.node_ids().is_empty() {
            programs.redis_cli.follow_slots();
        }
        programs
    }

    /// Waits until the server is away or has hung too long, and returns what there is to say: for
    /// what looks once, in steps that would wait for its return.
    pub(super) async fn gone(&self) -> StoreError {
        let mut link = self.store.link();
        loop {
            let hung = match &link.borrow_and_update().state {
                LinkState::Lost { .. } => Some(Duration::ZERO),
                LinkState::Hung { .. } => Some(HUNG),
                _ => None,
            };
            let changed = link.changed();
            match hung {
                None => {
                    // The link ends with the session only.
                    let _ = changed.await;
                }
                Some(patience) if tokio::time::timeout(patience, changed).await.is_err() => {
                    return self.store.ready(PATIENCE).await.err().unwrap_or_else(|| {
                        StoreError::TimedOut {
                            server: self.store.endpoint().to_string(),
                            attempt: "look for its queues",
                            after: HUNG,
                        }
                    });
                }
                Some(_) => {}
            }
        }
    }

    /// The server's clock as it is known now.
    pub(super) fn now(&self) -> crate::clock::EpochMillis {
        self.store.clock().unwrap_or(self.clock).now()
    }
}

/// The queue that was meant: one that `--queue` names with its layout, when only its name is
/// repeated.
pub(super) fn meant(asked: &Queue, config: &Config) -> Queue {
    let named = |q: &&Queue| q.name == asked.name && !q.is_found_by_name();
    let named = config.queues.iter().find(named);
    named
        .filter(|_| asked.is_found_by_name())
        .unwrap_or(asked)
        .clone()
}
