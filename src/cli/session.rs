//! What every subcommand that talks to a server starts with.

use std::time::Duration;

use crate::clock::ServerClock;
use crate::config::Config;
use crate::queue::{Layout, Queue};
use crate::store::{Access, Store};

/// How long the first answer may take.
const PATIENCE: Duration = Duration::from_secs(2);

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
        let store = Store::open(config.endpoint.clone(), access);
        let clock = store.ready(PATIENCE).await?;
        Ok(Self { store, clock })
    }

    /// The server's clock as it is known now.
    pub(super) fn now(&self) -> crate::clock::EpochMillis {
        self.store.clock().unwrap_or(self.clock).now()
    }
}

/// The queue that was meant: one that `--queue` names with its layout, when only its name is
/// repeated.
pub(super) fn meant(asked: &Queue, config: &Config) -> Queue {
    let named = |q: &&Queue| q.name == asked.name && q.layout != Layout::Redisson;
    match asked.layout {
        Layout::Redisson => config.queues.iter().find(named).unwrap_or(asked).clone(),
        Layout::ZsetList(_) => asked.clone(),
    }
}
