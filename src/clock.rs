//! Time: the server's clock, ours, and the distance between them.
//!
//! Due times are compared with the **server's** clock, never with ours (a laptop's clock may be
//! off by minutes). This file is the only reader of the system clock; `.clippy.toml` holds that.

pub mod when;

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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServerClock {
    server_us: i64,
    at: Instant,
    skew_ms: i64,
    /// The largest error at `at`, in µs: half of the round trip.
    error_us: i64,
}

/// The most that two clocks which are kept in time may drift apart in a second, in µs.
const DRIFT_US: i64 = 500;

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
            error_us: micros(answered.saturating_duration_since(sent)) / 2,
        }
    }

    /// Tells whether this later look is to be believed rather than the `older` one: it is as exact
    /// as that is by now, or it contradicts it (the server's clock was set). A slow answer tells
    /// little, and one on a busy machine would make entries due milliseconds early or late.
    #[must_use]
    pub fn supersedes(&self, older: &Self) -> bool {
        let age = self.at.saturating_duration_since(older.at);
        let older_error = older.error_us + micros(age).saturating_mul(DRIFT_US) / 1_000_000;
        let apart = self.server_us.abs_diff(older.micros_at(self.at));
        self.error_us <= older_error
            || i64::try_from(apart).unwrap_or(i64::MAX) > self.error_us + older_error
    }

    /// A clock that shows `server` at our moment `at`, with this machine `skew_ms` ahead of it.
    #[must_use]
    pub const fn set(server: EpochMillis, at: Instant, skew_ms: i64) -> Self {
        Self {
            server_us: server.get().saturating_mul(1000),
            at,
            skew_ms,
            error_us: 0,
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
        EpochMillis(self.micros_at(moment).div_euclid(1000))
    }

    fn micros_at(&self, moment: Instant) -> i64 {
        let passed = match moment.checked_duration_since(self.at) {
            Some(after) => micros(after),
            None => -micros(self.at.saturating_duration_since(moment)),
        };
        self.server_us.saturating_add(passed)
    }

    /// Returns the time from now until the server's clock shows `due`; zero when it is past.
    #[must_use]
    pub fn until(&self, due: EpochMillis) -> Duration {
        let left_us = due
            .get()
            .saturating_mul(1000)
            .saturating_sub(self.micros_at(instant()));
        Duration::from_micros(u64::try_from(left_us).unwrap_or(0))
    }

    /// This machine's wall clock less the server's, in ms: positive when ours is ahead.
    #[must_use]
    pub const fn skew_ms(&self) -> i64 {
        self.skew_ms
    }
}

fn micros(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
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

    /// A look at a server whose clock shows `server_us` at mid round trip.
    fn look(start: Instant, at_ms: u64, round_trip_ms: u64, server_us: i64) -> ServerClock {
        let half = Duration::from_millis(round_trip_ms) / 2;
        let at = start + Duration::from_millis(at_ms);
        ServerClock::observed(server_us, at.checked_sub(half).unwrap(), at + half)
    }

    #[test]
    fn a_slow_answer_does_not_replace_an_exact_one_until_that_is_old() {
        let t = instant() + Duration::from_secs(1);
        let exact = look(t, 0, 1, 1_700_000_000_000_000);
        let slow = look(t, 1_000, 10, 1_700_000_001_003_000);
        assert!(!slow.supersedes(&exact));
        let exact_too = look(t, 1_000, 1, 1_700_000_001_000_100);
        assert!(exact_too.supersedes(&exact));
        let slow_but_later = look(t, 20_000, 10, 1_700_000_020_003_000);
        assert!(slow_but_later.supersedes(&exact));
    }

    #[test]
    fn a_clock_that_was_set_is_believed_at_once() {
        let t = instant() + Duration::from_secs(1);
        let exact = look(t, 0, 1, 1_700_000_000_000_000);
        for step_us in [-60_000, 60_000] {
            let slow = look(t, 1_000, 10, 1_700_000_001_000_000 + step_us);
            assert!(slow.supersedes(&exact), "{step_us}");
        }
    }
}
