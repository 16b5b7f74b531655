//! Times and spans as people type them. What `now` is comes from the server, later.

use std::str::FromStr;
use std::time::Duration;

use chrono::{DateTime, Days, Local, LocalResult, NaiveDateTime, NaiveTime, TimeDelta, TimeZone};

use super::EpochMillis;

/// A span: `250ms`, `90s`, `5m`, `1h30m`, `7d`, `1.5s`.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Span(u64);

impl Span {
    /// Its length, in ms.
    #[must_use]
    pub const fn ms(self) -> u64 {
        self.0
    }

    /// Its length, in ms, to be added to a moment.
    #[must_use]
    pub fn signed_ms(self) -> i64 {
        i64::try_from(self.0).unwrap_or(i64::MAX)
    }

    /// Its length.
    #[must_use]
    pub const fn duration(self) -> Duration {
        Duration::from_millis(self.0)
    }
}

/// A moment: RFC 3339, `HH:MM[:SS]` (local zone), epoch ms, `+5m`, `-2h`, `now`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TypedMoment {
    /// This moment.
    At(EpochMillis),
    /// A moment so many ms from now; negative: before.
    FromNow(i64),
    /// When the clocks of this machine's zone show this.
    TimeOfDay(NaiveTime),
}

impl TypedMoment {
    /// The moment meant when something shall happen: a time of day is the next one.
    #[must_use]
    pub fn next(self, now: EpochMillis) -> EpochMillis {
        self.next_in(now, &Local)
    }

    /// Writes a moment that is looked for as it is typed: as a time of day where that is surely the
    /// nearest one, else with its day, or in epoch ms.
    #[must_use]
    pub fn typed(moment: EpochMillis, now: EpochMillis) -> String {
        /// Nearer moments are meant by their time of day, also a while later.
        const NEAR: u64 = 6 * 3_600_000;
        let near = moment.since(now).unsigned_abs() < NEAR;
        let ms = moment.get();
        let local = Local.timestamp_millis_opt(ms).earliest();
        let day = local.map(|local| local.format("%Y-%m-%dT%H:%M:%S%:z").to_string());
        let time = local.map(|local| local.format("%H:%M:%S").to_string());
        let texts = [time.filter(|_| near), day];
        let means = |text: &String| {
            let when = text.parse::<Self>();
            when.is_ok_and(|when| when.nearest(now) == moment)
        };
        let mut texts = texts.into_iter().flatten();
        texts.find(means).unwrap_or_else(|| ms.to_string())
    }

    /// The moment meant when looking for something: a time of day is the nearest one.
    #[must_use]
    pub fn nearest(self, now: EpochMillis) -> EpochMillis {
        self.nearest_in(now, &Local)
    }

    fn next_in<Z: TimeZone>(self, now: EpochMillis, zone: &Z) -> EpochMillis {
        let candidates = self.candidates(now, zone);
        let ahead = candidates.iter().find(|t| **t >= now);
        // One that is in the past was meant so: `-5m`, a date.
        ahead.or(candidates.last()).copied().unwrap_or(now)
    }

    fn nearest_in<Z: TimeZone>(self, now: EpochMillis, zone: &Z) -> EpochMillis {
        let far = |t: &EpochMillis| t.since(now).unsigned_abs();
        let candidates = self.candidates(now, zone);
        candidates.into_iter().min_by_key(far).unwrap_or(now)
    }

    /// The moments it can mean, in order: one, or that time of yesterday, today and tomorrow.
    fn candidates<Z: TimeZone>(self, now: EpochMillis, zone: &Z) -> Vec<EpochMillis> {
        let time = match self {
            Self::At(t) => return vec![t],
            Self::FromNow(ms) => return vec![now.plus(ms)],
            Self::TimeOfDay(time) => time,
        };
        let Some(today) = zone.timestamp_millis_opt(now.get()).earliest() else {
            return Vec::new();
        };
        let today = today.date_naive();
        let days = [
            today.checked_sub_days(Days::new(1)),
            Some(today),
            today.checked_add_days(Days::new(1)),
        ];
        days.into_iter()
            .flatten()
            .flat_map(|day| local_moments(zone, day.and_time(time)))
            .collect()
    }
}

/// When the clocks of `zone` show `wall`, in order: twice in the hour that autumn repeats; an hour
/// that is skipped in spring counts as the next.
fn local_moments<Z: TimeZone>(zone: &Z, wall: NaiveDateTime) -> Vec<EpochMillis> {
    let shown = |wall| zone.from_local_datetime(wall);
    let moments = match shown(&wall) {
        LocalResult::None => vec![shown(&(wall + TimeDelta::hours(1))).earliest()],
        LocalResult::Single(once) => vec![Some(once)],
        LocalResult::Ambiguous(first, second) => vec![Some(first), Some(second)],
    };
    let ms = |t: DateTime<Z>| EpochMillis::new(t.timestamp_millis());
    moments.into_iter().flatten().map(ms).collect()
}

/// The reason why a text is no time or span.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum BadTime {
    /// Not a span.
    #[error("a span is written 250ms, 90s, 5m, 1h30m or 7d")]
    Span,
    /// Less than nothing.
    #[error("a span cannot be negative")]
    Negative,
    /// A number without its unit.
    #[error("a span needs a unit: {0}ms, {0}s, {0}m, {0}h or {0}d")]
    NoUnit(String),
    /// Longer than anybody can mean.
    #[error("the span is longer than 1,000,000 days")]
    TooLong,
    /// Not a time.
    #[error(
        "a time is written 14:10, 14:10:30, +5m, -2h, now, 2026-11-20T14:10:00Z or in epoch ms"
    )]
    Time,
    /// Epoch seconds.
    #[error("epoch times are in milliseconds; did you mean {0}000?")]
    Seconds(String),
}

const LONGEST_MS: f64 = 1e6 * 86_400_000.0;

impl FromStr for Span {
    type Err = BadTime;

    fn from_str(text: &str) -> Result<Self, BadTime> {
        let mut rest = text.trim();
        if rest == "0" {
            return Ok(Self(0));
        }
        if rest.is_empty() {
            return Err(BadTime::Span);
        }
        if rest.starts_with('-') {
            return Err(BadTime::Negative);
        }
        let mut total = 0.0;
        while !rest.is_empty() {
            let end = rest
                .find(|c: char| !c.is_ascii_digit() && c != '.')
                .ok_or_else(|| BadTime::NoUnit(text.to_owned()))?;
            let (digits, tail) = rest.split_at(end);
            let count: f64 = digits.parse().map_err(|_| BadTime::Span)?;
            let end = tail
                .find(|c: char| !c.is_ascii_alphabetic())
                .unwrap_or(tail.len());
            let (unit, tail) = tail.split_at(end);
            total += count * unit_ms(unit).ok_or(BadTime::Span)?;
            rest = tail;
        }
        if total > LONGEST_MS {
            return Err(BadTime::TooLong);
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked: 0 ≤ total ≤ LONGEST_MS"
        )]
        Ok(Self(total.round() as u64))
    }
}

fn unit_ms(unit: &str) -> Option<f64> {
    Some(match unit {
        "ms" => 1.0,
        "s" => 1_000.0,
        "m" | "min" => 60_000.0,
        "h" => 3_600_000.0,
        "d" => 86_400_000.0,
        _ => return None,
    })
}

impl FromStr for TypedMoment {
    type Err = BadTime;

    fn from_str(text: &str) -> Result<Self, BadTime> {
        let text = text.trim();
        if text == "now" {
            return Ok(Self::FromNow(0));
        }
        if let Some(span) = text.strip_prefix('+') {
            return Ok(Self::FromNow(span.parse::<Span>()?.signed_ms()));
        }
        if let Some(span) = text.strip_prefix('-') {
            return Ok(Self::FromNow(-span.parse::<Span>()?.signed_ms()));
        }
        if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
            if matches!(text.len(), 9 | 10) {
                return Err(BadTime::Seconds(text.to_owned()));
            }
            let ms = text.parse().map_err(|_| BadTime::Time)?;
            return Ok(Self::At(EpochMillis::new(ms)));
        }
        let of_day = NaiveTime::parse_from_str(text, "%H:%M:%S");
        if let Ok(time) = of_day.or_else(|_| NaiveTime::parse_from_str(text, "%H:%M")) {
            return Ok(Self::TimeOfDay(time));
        }
        DateTime::parse_from_rfc3339(text)
            .map(|t| Self::At(EpochMillis::new(t.timestamp_millis())))
            .map_err(|_| BadTime::Time)
    }
}

#[cfg(test)]
mod tests {
    use chrono::{FixedOffset, NaiveDate};

    use super::*;

    fn span(text: &str) -> Result<u64, BadTime> {
        text.parse().map(Span::ms)
    }

    #[test]
    fn spans_are_numbers_with_units() {
        let cases = [
            ("250ms", 250),
            ("90s", 90_000),
            ("5m", 300_000),
            ("1h30m", 5_400_000),
            ("7d", 604_800_000),
            ("1.5s", 1_500),
            ("0", 0),
        ];
        for (text, ms) in cases {
            assert_eq!(span(text), Ok(ms), "{text}");
        }
    }

    #[test]
    fn what_is_no_span_says_how_one_is_written() {
        assert_eq!(span("5"), Err(BadTime::NoUnit("5".into())));
        assert_eq!(span("1h5"), Err(BadTime::NoUnit("1h5".into())));
        for text in ["", "m", "5x", "1.2.3s", "5 m", "NaNs"] {
            assert_eq!(span(text), Err(BadTime::Span), "{text}");
        }
        assert_eq!(span("99999999999d"), Err(BadTime::TooLong));
        assert_eq!(span("-5s"), Err(BadTime::Negative));
    }

    #[test]
    fn times_are_absolute_relative_or_of_the_day() {
        let at = |ms| Ok(TypedMoment::At(EpochMillis::new(ms)));
        assert_eq!("1700000000123".parse(), at(1_700_000_000_123));
        assert_eq!("2023-11-14T22:13:20Z".parse(), at(1_700_000_000_000));
        assert_eq!("2023-11-14T23:13:20.5+01:00".parse(), at(1_700_000_000_500));
        assert_eq!("+5m".parse(), Ok(TypedMoment::FromNow(300_000)));
        assert_eq!("-2h".parse(), Ok(TypedMoment::FromNow(-7_200_000)));
        assert_eq!("now".parse(), Ok(TypedMoment::FromNow(0)));
        assert!(matches!("14:10".parse(), Ok(TypedMoment::TimeOfDay(_))));
        assert!(matches!("14:10:30".parse(), Ok(TypedMoment::TimeOfDay(_))));
        for text in ["", "25:00", "yesterday", "2023-11-14"] {
            assert_eq!(text.parse::<TypedMoment>(), Err(BadTime::Time), "{text}");
        }
        assert_eq!(
            "1700000000".parse::<TypedMoment>(),
            Err(BadTime::Seconds("1700000000".into()))
        );
    }

    #[test]
    fn a_time_of_day_is_the_next_one_to_act_at_and_the_nearest_one_to_look_for() {
        let zone = FixedOffset::east_opt(3_600).unwrap();
        // 2023-11-14 23:13:20 in the zone.
        let now = EpochMillis::new(1_700_000_000_000);
        let minute = 60_000;
        let cases = [
            ("23:20", 7, 7),
            ("23:10", 24 * 60 - 3, -3),
            ("00:10", 57, 57),
            ("12:00", 13 * 60 - 13, -11 * 60 - 13),
        ];
        for (text, next, nearest) in cases {
            let when: TypedMoment = text.parse().unwrap();
            let seconds = -20_000;
            let next = now.plus(next * minute + seconds);
            let nearest = now.plus(nearest * minute + seconds);
            assert_eq!(when.next_in(now, &zone), next, "{text}");
            assert_eq!(when.nearest_in(now, &zone), nearest, "{text}");
        }
    }

    /// Clocks are put back from 3:00 to 2:00 on 2023-10-29, at 01:00 UTC.
    #[derive(Clone)]
    struct Autumn;

    impl Autumn {
        fn put_back() -> NaiveDateTime {
            let day = NaiveDate::from_ymd_opt(2023, 10, 29).unwrap();
            day.and_hms_opt(1, 0, 0).unwrap()
        }
    }

    impl TimeZone for Autumn {
        type Offset = FixedOffset;

        fn from_offset(_: &FixedOffset) -> Self {
            Self
        }

        fn offset_from_local_date(&self, local: &NaiveDate) -> LocalResult<FixedOffset> {
            self.offset_from_local_datetime(&local.and_time(NaiveTime::MIN))
        }

        fn offset_from_local_datetime(&self, local: &NaiveDateTime) -> LocalResult<FixedOffset> {
            let [summer, winter] = [7_200, 3_600].map(|s| FixedOffset::east_opt(s).unwrap());
            let before = *local - summer < Self::put_back();
            let after = *local - winter >= Self::put_back();
            match (before, after) {
                (true, true) => LocalResult::Ambiguous(summer, winter),
                (true, false) => LocalResult::Single(summer),
                (false, true) => LocalResult::Single(winter),
                (false, false) => LocalResult::None,
            }
        }

        fn offset_from_utc_date(&self, utc: &NaiveDate) -> FixedOffset {
            self.offset_from_utc_datetime(&utc.and_time(NaiveTime::MIN))
        }

        fn offset_from_utc_datetime(&self, utc: &NaiveDateTime) -> FixedOffset {
            let hours = if *utc < Self::put_back() { 2 } else { 1 };
            FixedOffset::east_opt(hours * 3_600).unwrap()
        }
    }

    #[test]
    fn a_time_in_the_hour_that_autumn_repeats_comes_twice() {
        let put_back = EpochMillis::new(Autumn::put_back().and_utc().timestamp_millis());
        let half_past: TypedMoment = "02:30".parse().unwrap();
        let minutes = |m: i64| put_back.plus(m * 60_000);
        // By the minute from the change: before both, between them, after both.
        for (now, next, nearest) in [
            (-50, -30, -30),
            (-20, 30, -30),
            (10, 30, 30),
            (40, 24 * 60 + 30, 30),
        ] {
            let now = minutes(now);
            assert_eq!(half_past.next_in(now, &Autumn), minutes(next));
            assert_eq!(half_past.nearest_in(now, &Autumn), minutes(nearest));
        }
    }

    #[test]
    fn a_moment_in_the_past_stays_in_the_past() {
        let now = EpochMillis::new(1_700_000_000_000);
        assert_eq!(TypedMoment::FromNow(-5).next(now), now.plus(-5));
        assert_eq!(
            TypedMoment::At(EpochMillis::new(7)).next(now),
            EpochMillis::new(7)
        );
    }
}
