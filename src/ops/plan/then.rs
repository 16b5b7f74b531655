//! The server when a change was planned: what it loses from then on, others have not moved.

use std::time::{Duration, Instant};

use crate::clock::instant;
use crate::queue::Address;
use crate::store::{Store, read};

/// The mark that it had then; none: it told nothing.
#[derive(Clone, Debug, Default)]
pub(in crate::ops) struct ServerThen(Option<Life>);

/// The mark of a server's process: another one, or a flush, has lost data.
#[derive(Clone, Debug)]
struct Life {
    run_id: String,
    /// Its address.
    place: Option<Address>,
    /// The time for which it has run, in whole seconds.
    up: Option<Duration>,
    /// When it said so.
    seen: Instant,
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

    /// Tells whether its process is another one now, which has begun since.
    pub(in crate::ops) async fn was_started_anew(&self, store: &Store) -> bool {
        let now = Life::of(store).await;
        let both = self.0.as_ref().zip(now.as_ref());
        both.is_some_and(|(then, now)| now.was_started_anew_since(then))
    }

    /// Finds how it has lost data since; `is_empty`: of the queue it has nothing left.
    pub(in crate::ops) async fn loss(&self, store: &Store, is_empty: bool) -> Option<String> {
        let then = self.0.as_ref()?;
        let now = Life::of(store).await?;
        if is_empty && now.was_started_anew_since(then) {
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
    /// Tells whether it is another process at the same place, which began only then: at another place
    /// another server has the queue by now, and behind a proxy one that ran before has taken over.
    fn was_started_anew_since(&self, then: &Self) -> bool {
        let since = self.seen.saturating_duration_since(then.seen);
        // It counts its own age by the seconds of the clock.
        let is_young = self
            .up
            .is_none_or(|up| up <= since + Duration::from_secs(1));
        self.run_id != then.run_id && self.place == then.place && is_young
    }

    /// Reads it; none: the server does not tell.
    async fn of(store: &Store) -> Option<Self> {
        let info = read::calls(store).await?;
        let calls = |name| info.part(name, "calls").unwrap_or(0);
        let up = info.text("uptime_in_seconds");
        Some(Self {
            run_id: info.text("run_id").unwrap_or_default().to_owned(),
            place: store.place(),
            up: up.and_then(|s| s.parse().ok()).map(Duration::from_secs),
            seen: instant(),
            flushed_all: calls("cmdstat_flushall"),
            flushed_db: calls("cmdstat_flushdb"),
        })
    }
}
