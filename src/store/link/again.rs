//! When a server is asked again that was busy with somebody's script, or had given a slot away.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::clock::instant;

/// The time during which it is asked again at once.
///
/// Where one script follows on another, the server is free for the moment between them only, and
/// serves who waits for it then. While a script runs it answers that it is busy about once a
/// millisecond, so that to ask again at once is to wait, and costs no more than that.
const AT_ONCE: Duration = Duration::from_secs(2);
/// The pause from then on, since it is one long script.
const PAUSE: Duration = Duration::from_millis(5);
/// Bytes of the largest request that is sent again without a pause.
const LARGE: usize = 256 << 10;

/// The pauses between two tries, and the time until the last one.
pub(crate) struct Retries {
    since: Option<Instant>,
    within: Duration,
    at_once: Duration,
}

impl Retries {
    /// Asks again for `within` at most, from the first refusal on.
    pub(in crate::store) const fn within(within: Duration) -> Self {
        Self {
            since: None,
            within,
            at_once: AT_ONCE,
        }
    }

    /// The same, each time after a pause: no answer is waited for that comes in a moment.
    pub(in crate::store) const fn with_pauses(self) -> Self {
        Self {
            at_once: Duration::ZERO,
            ..self
        }
    }

    /// The same with a request of so many bytes.
    pub(in crate::store) const fn sending(self, bytes: usize) -> Self {
        let at_once = if bytes > LARGE {
            Duration::ZERO
        } else {
            self.at_once
        };
        Self { at_once, ..self }
    }

    /// Waits, after a refusal, until the server is to be asked again; false when it is not.
    pub(crate) async fn soon(&mut self) -> bool {
        let now = instant();
        let since = *self.since.get_or_insert(now);
        let asked_for = now.saturating_duration_since(since);
        if asked_for >= self.within {
            return false;
        }
        if asked_for >= self.at_once {
            sleep(PAUSE).await;
        }
        true
    }
}
