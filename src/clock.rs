//! Time: the server's clock, ours, and the distance between them.
//!
//! Due times are compared with the **server's** clock, never with ours (a laptop's clock may be
//! off by minutes). This file is the only reader of the system clock; `.clippy.toml` holds that.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::Serialize;

/// A moment, in milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct EpochMillis(i64);

impl EpochMillis {
    /// The moment `ms` milliseconds after the epoch.
    #[must_use]
    pub const fn new(ms: i64) -> Self {
        Self(ms)
    }

    /// Milliseconds since the epoch.
    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }

    /// This moment moved by `ms` (negative: earlier), saturating.
    #[must_use]
    pub const fn plus(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Milliseconds from `earlier` to this moment; negative when `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// The monotonic clock of this machine.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "the one reader of the monotonic clock"
)]
pub fn instant() -> Instant {
    Instant::now()
}

/// This machine's own idea of the time of day.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "the one reader of the wall clock"
)]
pub fn local_now() -> EpochMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    EpochMillis(since.map_or(0, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX)))
}

/// The server's clock, carried forward between two looks at it by our monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct ServerClock {
    server_us: i64,
    at: Instant,
    skew_ms: i64,
}

impl ServerClock {
    /// From an answer to `TIME` (`server_us`: microseconds since the epoch) that was asked at
    /// `sent` and arrived at `answered`: the server is taken to have looked at mid round trip.
    #[must_use]
    pub fn observed(server_us: i64, sent: Instant, answered: Instant) -> Self {
        let at = sent + answered.saturating_duration_since(sent) / 2;
        let late_ms = i64::try_from(instant().saturating_duration_since(at).as_millis());
        let local_then = local_now().plus(-late_ms.unwrap_or(0));
        Self {
            server_us,
            at,
            skew_ms: local_then.since(EpochMillis(server_us.div_euclid(1000))),
        }
    }

    /// A clock that shows `server` at our moment `at`, with this machine `skew_ms` ahead of it.
    #[must_use]
    pub const fn set(server: EpochMillis, at: Instant, skew_ms: i64) -> Self {
        Self {
            server_us: server.get().saturating_mul(1000),
            at,
            skew_ms,
        }
    }

    /// The server's time now.
    #[must_use]
    pub fn now(&self) -> EpochMillis {
        self.at(instant())
    }

    /// The server's time at `moment` of our monotonic clock.
    #[must_use]
    pub fn at(&self, moment: Instant) -> EpochMillis {
        let us = |d: Duration| i64::try_from(d.as_micros()).unwrap_or(i64::MAX);
        let passed = match moment.checked_duration_since(self.at) {
            Some(after) => us(after),
            None => -us(self.at.saturating_duration_since(moment)),
        };
        EpochMillis(self.server_us.saturating_add(passed).div_euclid(1000))
    }

    /// How long from now until the server's clock shows `due`; zero when it is past.
    #[must_use]
    pub fn until(&self, due: EpochMillis) -> Duration {
        let due_us = due.get().saturating_mul(1000);
        let passed = instant().saturating_duration_since(self.at).as_micros();
        let now_us = self
            .server_us
            .saturating_add(i64::try_from(passed).unwrap_or(i64::MAX));
        Duration::from_micros(u64::try_from(due_us.saturating_sub(now_us)).unwrap_or(0))
    }

    /// This machine's wall clock less the server's, in ms: positive when ours is ahead.
    #[must_use]
    pub const fn skew_ms(&self) -> i64 {
        self.skew_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_clock_goes_on_with_our_monotonic_clock() {
        let t = instant();
        let clock = ServerClock::observed(1_700_000_000_000_000, t, t + Duration::from_millis(2));
        let later = clock.at(t + Duration::from_millis(501));
        assert_eq!(later, EpochMillis::new(1_700_000_000_500));
    }

    #[test]
    fn a_moment_before_the_look_is_an_earlier_server_time() {
        let t = instant() + Duration::from_secs(5);
        let clock = ServerClock::observed(1_700_000_000_000_000, t, t);
        assert_eq!(
            clock.at(t.checked_sub(Duration::from_millis(3)).unwrap()),
            EpochMillis::new(1_699_999_999_997)
        );
    }
}
