//! Moments, written for people in the zone of the session.

use chrono::{
    DateTime, Datelike as _, FixedOffset, Local, Offset as _, TimeZone as _, Timelike as _, Utc,
};

use crate::clock::EpochMillis;
use crate::tui::look::Zone;

/// Columns of [`short`].
pub(crate) const SHORT: u16 = 8;

/// Columns of [`long`].
pub(crate) const LONG: u16 = 12;

fn at(zone: Zone, moment: EpochMillis) -> Option<DateTime<FixedOffset>> {
    let utc = DateTime::<Utc>::from_timestamp_millis(moment.get())?;
    let offset = match zone {
        Zone::Local => Local.offset_from_utc_datetime(&utc.naive_utc()).fix(),
        Zone::Offset(seconds) => FixedOffset::east_opt(seconds)?,
    };
    Some(utc.with_timezone(&offset))
}

fn written(zone: Zone, moment: EpochMillis, pattern: &str) -> String {
    at(zone, moment).map_or_else(|| "?".to_owned(), |t| t.format(pattern).to_string())
}

/// `14:02:09`.
pub(crate) fn clock(zone: Zone, moment: EpochMillis) -> String {
    written(zone, moment, "%H:%M:%S")
}

/// `14:02`.
pub(crate) fn minute(zone: Zone, moment: EpochMillis) -> String {
    written(zone, moment, "%H:%M")
}

/// `year 12735`: beyond 9999 nothing else of a moment can be meant, or read.
fn far(zone: Zone, moment: EpochMillis) -> Option<String> {
    let year = at(zone, moment)?.year();
    (year > 9_999).then(|| format!("year {year}"))
}

/// `4 Nov` in the year of `now`, else `4 Nov 2027`.
pub(crate) fn day(zone: Zone, moment: EpochMillis, now: EpochMillis) -> String {
    if let Some(year) = far(zone, moment) {
        return year;
    }
    let year = |m| at(zone, m).map(|t| t.year());
    let same = year(moment) == year(now);
    written(zone, moment, if same { "%-d %b" } else { "%-d %b %Y" })
}

/// `Nov 2026`.
pub(crate) fn month(zone: Zone, moment: EpochMillis) -> String {
    far(zone, moment).unwrap_or_else(|| written(zone, moment, "%b %Y"))
}

/// The local clock shows midnight.
pub(crate) fn is_midnight(zone: Zone, moment: EpochMillis) -> bool {
    at(zone, moment).is_some_and(|t| t.num_seconds_from_midnight() == 0)
}

/// `2026-11-20 14:02:09.113 +01:00`.
pub(crate) fn full(zone: Zone, moment: EpochMillis) -> String {
    written(zone, moment, "%Y-%m-%d %H:%M:%S%.3f %:z")
}

/// Seconds east of Greenwich at that moment.
pub(crate) fn offset_s(zone: Zone, moment: EpochMillis) -> i64 {
    at(zone, moment).map_or(0, |t| i64::from(t.offset().local_minus_utc()))
}

/// The same day in that zone.
pub(crate) fn same_day(zone: Zone, a: EpochMillis, b: EpochMillis) -> bool {
    let day = |m| at(zone, m).map(|t| t.date_naive());
    day(a) == day(b)
}

/// `14:02:09` on the day of `now`, else as [`long`].
pub(crate) fn short(zone: Zone, moment: EpochMillis, now: EpochMillis) -> String {
    if same_day(zone, moment, now) {
        clock(zone, moment)
    } else {
        long(zone, moment, now)
    }
}

/// `14:02:09.113` on the day of `now`, `Fri 23:55:07` on the days beside it, `24 Nov 14:02` in its
/// year, else `2033-05-18`.
pub(crate) fn long(zone: Zone, moment: EpochMillis, now: EpochMillis) -> String {
    if let Some(year) = far(zone, moment) {
        return year;
    }
    let (Some(t), Some(n)) = (at(zone, moment), at(zone, now)) else {
        return "?".to_owned();
    };
    let pattern = if t.date_naive() == n.date_naive() {
        "%H:%M:%S%.3f"
    } else if t
        .date_naive()
        .signed_duration_since(n.date_naive())
        .num_days()
        .abs()
        == 1
    {
        "%a %H:%M:%S"
    } else if t.year() == n.year() {
        "%d %b %H:%M"
    } else {
        "%Y-%m-%d"
    };
    t.format(pattern).to_string()
}

/// A span as whole seconds: `7 s`.
pub(crate) fn seconds(ms: u64) -> String {
    format!("{} s", ms / 1000)
}

/// An interval: `1 s`, `0.2 s`, `2.5 s`.
pub(crate) fn interval(ms: u64) -> String {
    match (ms / 1000, ms % 1000 / 100) {
        (whole, 0) => format!("{whole} s"),
        (whole, tenths) => format!("{whole}.{tenths} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_day_says_which() {
        let zone = Zone::Offset(3600);
        let now = EpochMillis::new(1_700_000_000_000);
        assert_eq!(long(zone, now.plus(113), now), "23:13:20.113");
        assert_eq!(short(zone, now.plus(113), now), "23:13:20");
        assert_eq!(long(zone, now.plus(3_600_000), now), "Wed 00:13:20");
        assert_eq!(long(zone, now.plus(-86_400_000), now), "Mon 23:13:20");
        assert_eq!(long(zone, now.plus(90_000_000), now), "16 Nov 00:13");
        assert_eq!(long(zone, now.plus(86_400_000 * 365), now), "2024-11-13");
        assert_eq!(long(zone, EpochMillis::new(i64::MAX), now), "?");
        let far = EpochMillis::new(340_000_000_000_000);
        for words in [long(zone, far, now), day(zone, far, now), month(zone, far)] {
            assert_eq!(words, "year 12744");
        }
    }
}
