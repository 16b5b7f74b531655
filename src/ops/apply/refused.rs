//! Writes that a server refuses just now: how long that has gone on.

use std::time::{Duration, Instant};

use crate::store::StoreError;

/// A write that is refused later than this after the one before is a trouble of its own.
const TRIED_AGAIN: Duration = Duration::from_secs(15);

/// Refused writes, one after the other, with none in between that has changed anything: a master that
/// lacks replicas refuses each, and says after each that it is the master.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RefusedWrites {
    first: Option<Instant>,
    last: Option<Instant>,
}

impl RefusedWrites {
    /// The time of the first one. Where the last was tried again long ago, this is the first.
    pub(super) fn since(&mut self, now: Instant) -> Instant {
        let went_on = |last: Instant| now.saturating_duration_since(last) < TRIED_AGAIN;
        let goes_on = self.last.is_some_and(went_on);
        let first = self.first.filter(|_| goes_on).unwrap_or(now);
        self.first = Some(first);
        first
    }

    /// Notes that it is tried again.
    pub(super) fn tried_again(&mut self, now: Instant) {
        self.last = Some(now);
    }
}

/// The words for what is waited for.
pub(super) fn waits_for(error: &StoreError) -> &'static str {
    match error.code() {
        Some("NOREPLICAS") => "the server takes no writes just now: it has too few replicas",
        _ => "the server takes no writes just now",
    }
}
