//! The server when a change was planned: what it loses from then on, others have not moved.

use crate::store::{Store, read};

/// The mark that it had then; none: it told nothing.
#[derive(Clone, Debug, Default)]
pub(in crate::ops) struct ServerThen(Option<Life>);

/// The mark of a server's process: another one, or a flush, has lost data.
#[derive(Clone, Debug)]
struct Life {
    run_id: String,
    /// Calls of FLUSHALL.
    flushed_all: u64,
    /// Calls of FLUSHDB, in whichever database.
    flushed_db: u64,
}

impl ServerThen {
    /// Looks at it now.
    pub(in crate::ops) async fn look(store: &Store) -> Self {
        Self(Life::of(store).await)
    }

    /// True when it told something.
    pub(in crate::ops) const fn is_known(&self) -> bool {
        self.0.is_some()
    }

    /// Finds how it has lost data since; `is_empty`: of the queue it has nothing left.
    pub(in crate::ops) async fn loss(&self, store: &Store, is_empty: bool) -> Option<String> {
        let then = self.0.as_ref()?;
        let now = Life::of(store).await?;
        if is_empty && now.run_id != then.run_id {
            let why = "the server was started anew after this change was planned, and has lost it";
            return Some(why.to_owned());
        }
        if now.run_id != then.run_id {
            // Another process has counted for itself.
            return None;
        }
        let flushed = if now.flushed_all > then.flushed_all {
            "FLUSHALL"
        } else if is_empty && now.flushed_db > then.flushed_db {
            // Of whichever database: where something is left, it may have been another one.
            "FLUSHDB"
        } else {
            return None;
        };
        Some(format!(
            "{flushed} was called on this server after this change was planned"
        ))
    }
}

impl Life {
    /// Reads it; none: the server does not tell.
    async fn of(store: &Store) -> Option<Self> {
        let info = read::calls(store).await?;
        let calls = |name| info.part(name, "calls").unwrap_or(0);
        Some(Self {
            run_id: info.text("run_id").unwrap_or_default().to_owned(),
            flushed_all: calls("cmdstat_flushall"),
            flushed_db: calls("cmdstat_flushdb"),
        })
    }
}
