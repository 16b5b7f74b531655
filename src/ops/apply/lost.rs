//! The data of the queue is gone amid a change: the server was flushed, or started anew without it.
//! That is no work of others, and is not told as such.

use super::run::Run;
use crate::ops::journal::ServerId;
use crate::queue::look::LookAsk;
use crate::queue::{Known, text};
use crate::store::read::{self, KeyType};

/// The reason for the unknown outcome of an entry.
pub(super) const LOST: &str = "the data of the queue is gone";

impl Run {
    /// Finds the reason why nothing of the queue is there any more, when others cannot have moved
    /// it all; asked when all entries of a script were gone.
    pub(super) async fn lost(&self) -> Option<String> {
        let store = self.writer.store();
        let keys = self.queue.keys();
        let all = [
            Some(keys.timeouts),
            Some(keys.target),
            keys.order,
            keys.aside,
        ];
        let all: Vec<Vec<u8>> = all.into_iter().flatten().collect();
        let kinds = read::kinds(store, &all).await.ok()?;
        if kinds.iter().any(|kind| *kind != KeyType::Missing) {
            return None;
        }
        let why = if self.is_restarted() {
            "the server was started anew amid this change, and has lost it"
        } else if self.was_flushed().await {
            "FLUSHALL or FLUSHDB was called on this server"
        } else {
            return None;
        };
        let name = text::printable_bytes(self.queue.name.as_bytes());
        Some(format!(
            "the data of {name} is gone: neither timeouts nor order list nor target are there any \
             more; {why}"
        ))
    }

    /// True when the server is not the process any more that it was when the change began.
    fn is_restarted(&self) -> bool {
        let now = ServerId::of(self.writer.store()).run_id;
        let then = &self.server.run_id;
        !now.is_empty() && !then.is_empty() && now != *then
    }

    /// Says what has happened to the queue.
    pub(super) fn restarted(&self) -> Option<String> {
        self.is_restarted().then(|| {
            "The server was started anew amid this change: what it had not saved by then is as it \
             was before."
                .to_owned()
        })
    }

    async fn was_flushed(&self) -> bool {
        let looked = read::look(self.writer.store(), LookAsk::Whole).await;
        let Ok(Known::Is(info)) = looked.map(|look| look.info) else {
            return false;
        };
        let calls = ["cmdstat_flushall", "cmdstat_flushdb"];
        calls.iter().any(|name| info.part(name, "calls").is_some())
    }
}
