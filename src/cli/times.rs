//! Moments for people: in this machine's zone, with the date when it is another day.

use chrono::{DateTime, Local, NaiveDate, TimeZone};

use crate::clock::{EpochMillis, local_now};
use crate::queue::{Due, text};

/// `14:02:11`, or `2026-11-21 14:02` when that is another day than `now`.
pub(super) fn local(moment: EpochMillis, now: EpochMillis) -> String {
    shown(moment, now, &Local)
}

/// `14:02:11.042`, or `2026-11-21 14:02:11.042` when that is another day than today. Given in µs
/// since the epoch.
pub(super) fn exact(us: i64) -> String {
    exact_beside(us, now_us())
}

/// The same beside another moment: the date is said when it is another day than that one's.
pub(super) fn exact_beside(us: i64, other_us: i64) -> String {
    exactly(us, other_us, &Local)
}

/// Tells whether [`exact`] says the date of that moment.
pub(super) fn is_dated(us: i64) -> bool {
    day(us, &Local) != day(now_us(), &Local)
}

fn now_us() -> i64 {
    local_now().get().saturating_mul(1_000)
}

/// [`local`], `-` for none and the score itself when it is no time.
pub(super) fn due(due: Option<Due>, now: EpochMillis) -> String {
    match due {
        Some(Due::At(moment)) => local(moment, now),
        Some(Due::OutOfRange(score)) => format!("score {score:e}"),
        None => "-".to_owned(),
    }
}

/// The countdown to `due`, `now` and `< 1 s` for what is less than a second away, `-` for none, `?`
/// when it is no time.
pub(super) fn left(due: Option<Due>, now: EpochMillis) -> String {
    match due {
        Some(Due::At(moment)) => match moment.since(now) {
            -999..=0 => "now".to_owned(),
            1..=999 => "< 1 s".to_owned(),
            ms => text::countdown(ms),
        },
        Some(Due::OutOfRange(_)) => "?".to_owned(),
        None => "-".to_owned(),
    }
}

fn exactly<Z: TimeZone>(us: i64, other_us: i64, zone: &Z) -> String
where
    Z::Offset: std::fmt::Display,
{
    match zone.timestamp_micros(us).earliest() {
        Some(moment) if day(us, zone) == day(other_us, zone) => {
            moment.format("%H:%M:%S%.3f").to_string()
        }
        Some(moment) => moment.format("%Y-%m-%d %H:%M:%S%.3f").to_string(),
        None => format!("{us} µs"),
    }
}

fn day<Z: TimeZone>(us: i64, zone: &Z) -> Option<NaiveDate> {
    let moment = zone.timestamp_micros(us).earliest();
    moment.map(|moment| moment.date_naive())
}

fn shown<Z: TimeZone>(moment: EpochMillis, now: EpochMillis, zone: &Z) -> String
where
    Z::Offset: std::fmt::Display,
{
    let at =
        |t: EpochMillis| -> Option<DateTime<Z>> { zone.timestamp_millis_opt(t.get()).earliest() };
    match (at(moment), at(now)) {
        (Some(moment), Some(now)) if moment.date_naive() == now.date_naive() => {
            moment.format("%H:%M:%S").to_string()
        }
        (Some(moment), _) => moment.format("%Y-%m-%d %H:%M").to_string(),
        (None, _) => format!("{} ms", moment.get()),
    }
}

#[cfg(test)]
mod tests {
    use chrono::FixedOffset;

    use super::*;

    #[test]
    fn another_day_is_said() {
        let zone = FixedOffset::east_opt(3_600).unwrap();
        let now = EpochMillis::new(1_700_000_000_000);
        assert_eq!(shown(now.plus(5_000), now, &zone), "23:13:25");
        assert_eq!(shown(now.plus(3_600_000), now, &zone), "2023-11-15 00:13");
        let far = EpochMillis::new(99_999_999_999_999_999);
        assert_eq!(shown(far, now, &zone), "99999999999999999 ms");
    }

    #[test]
    fn an_exact_moment_of_another_day_has_its_date() {
        let zone = FixedOffset::east_opt(3_600).unwrap();
        let now_us = 1_700_000_000_000_000;
        let in_ms = |ms: i64| exactly(now_us + ms * 1_000, now_us, &zone);
        assert_eq!(in_ms(42), "23:13:20.042");
        assert_eq!(in_ms(3_600_042), "2023-11-15 00:13:20.042");
        assert_eq!(exactly(i64::MAX, now_us, &zone), "9223372036854775807 µs");
    }

    #[test]
    fn what_is_no_time_or_less_than_a_second_away_is_shown_by_a_word() {
        let now = EpochMillis::new(0);
        assert_eq!(due(Some(Due::OutOfRange(1e17)), now), "score 1e17");
        assert_eq!(left(Some(Due::OutOfRange(1e17)), now), "?");
        assert_eq!(left(None, now), "-");
        let at = |ms| left(Some(Due::At(EpochMillis::new(ms))), now);
        assert_eq!(
            [-1_000, -999, 0, 1, 1_000].map(at),
            ["-0:01", "now", "now", "< 1 s", "1.0 s"]
        );
    }
}
