//! Java's dates and times as the texts that Java itself prints, ISO 8601.

use super::tree::TreeNode;

const DAY_MS: i64 = 86_400_000;

/// `java.util.Date`: epoch milliseconds, as an instant in UTC with its milliseconds.
pub(super) fn date(ms: i64) -> TreeNode {
    let (day, of_day) = (ms.div_euclid(DAY_MS), ms.rem_euclid(DAY_MS));
    let seconds = of_day / 1000;
    TreeNode::text(format!(
        "{}T{}.{:03}Z",
        day_text(day),
        clock(seconds, 0, true),
        of_day % 1000
    ))
}

/// `java.time.Instant`: seconds since the epoch, nanoseconds of the second.
pub(super) fn instant(seconds: i64, nanos: u32) -> String {
    let (day, of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    format!("{}T{}Z", day_text(day), clock(of_day, nanos, true))
}

/// A day of the calendar.
pub(super) fn year_month_day(year: i64, month: u8, day: u8) -> String {
    format!("{}-{day:02}", year_month(year, month))
}

/// A month of the calendar.
pub(super) fn year_month(year: i64, month: u8) -> String {
    let year = match year {
        0..=9999 => format!("{year:04}"),
        10_000.. => format!("+{year}"),
        _ => format!("-{:04}", year.unsigned_abs()),
    };
    format!("{year}-{month:02}")
}

/// `java.time.LocalTime`: seconds of the day and nanoseconds.
pub(super) fn clock(second: i64, nanos: u32, always_seconds: bool) -> String {
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let mut text = format!("{hour:02}:{minute:02}");
    if always_seconds || second > 0 || nanos > 0 {
        text = format!("{text}:{second:02}");
    }
    text + &fraction(nanos)
}

/// Nanoseconds behind a dot, in three, six or nine digits.
pub(super) fn fraction(nanos: u32) -> String {
    match nanos {
        0 => String::new(),
        _ if nanos.is_multiple_of(1_000_000) => format!(".{:03}", nanos / 1_000_000),
        _ if nanos.is_multiple_of(1000) => format!(".{:06}", nanos / 1000),
        _ => format!(".{nanos:09}"),
    }
}

/// `java.time.Duration`, as Java prints it: hours, minutes and seconds.
pub(super) fn duration(seconds: i64, nanos: u32) -> String {
    if seconds == 0 && nanos == 0 {
        return "PT0S".to_owned();
    }
    // Nanoseconds count forwards, whichever way the seconds do.
    let total = i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
    let minus = if total < 0 { "-" } else { "" };
    let (whole, part) = (total.abs() / 1_000_000_000, total.abs() % 1_000_000_000);
    let mut text = "PT".to_owned();
    for (unit, count) in [("H", whole / 3600), ("M", whole / 60 % 60)] {
        if count > 0 {
            text = format!("{text}{minus}{count}{unit}");
        }
    }
    if whole % 60 > 0 || part > 0 {
        let part = fraction_shortest(part);
        text = format!("{text}{minus}{}{part}S", whole % 60);
    }
    text
}

fn fraction_shortest(nanos: i128) -> String {
    if nanos == 0 {
        return String::new();
    }
    format!(".{nanos:09}").trim_end_matches('0').to_owned()
}

/// `java.time.Period`: years, months, days.
pub(super) fn period(parts: [i32; 3]) -> String {
    let units = parts.into_iter().zip(["Y", "M", "D"]);
    let mut text = String::new();
    for (count, unit) in units.filter(|(count, _)| *count != 0) {
        text = format!("{text}{count}{unit}");
    }
    if text.is_empty() {
        "P0D".to_owned()
    } else {
        format!("P{text}")
    }
}

/// `java.time.ZoneOffset`: seconds east of Greenwich.
pub(super) fn offset(seconds: i32) -> String {
    if seconds == 0 {
        return "Z".to_owned();
    }
    let sign = if seconds < 0 { '-' } else { '+' };
    let seconds = seconds.unsigned_abs();
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let rest = if rest == 0 {
        String::new()
    } else {
        format!(":{rest:02}")
    };
    format!("{sign}{hours:02}:{minutes:02}{rest}")
}

/// The day that is so many days after 1970-01-01, in the proleptic Gregorian calendar.
pub(super) fn day_text(days: i64) -> String {
    // Years that begin in March end with the leap day; 400 of them have 146,097 days.
    let shifted = days.saturating_add(719_468);
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + i64::from(month <= 2);
    let small = |number: i64| u8::try_from(number).unwrap_or_default();
    year_month_day(year, small(month), small(day))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::tree::Shape;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (days, text) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (19_675, "2023-11-14"),
            (11_016, "2000-02-29"),
            (-719_529, "-0001-12-31"),
            (2_932_897, "+10000-01-01"),
        ] {
            assert_eq!(day_text(days), text);
        }
    }

    #[test]
    fn dates_of_any_range_are_said() {
        let Shape::Text(text) = date(1_700_000_000_123).shape else {
            panic!("no text")
        };
        assert_eq!(text, "2023-11-14T22:13:20.123Z");
        for extreme in [i64::MIN, i64::MAX] {
            assert!(matches!(date(extreme).shape, Shape::Text(_)));
            assert!(instant(extreme, 1).ends_with('Z'));
        }
    }

    #[test]
    fn a_time_has_as_many_digits_as_it_needs() {
        assert_eq!(clock(0, 0, false), "00:00");
        assert_eq!(clock(45_296, 789_000_000, false), "12:34:56.789");
        assert_eq!(clock(3600, 1000, false), "01:00:00.000001");
    }
}
