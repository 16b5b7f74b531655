//! The constants of the JDK's enums, for codecs that write only their places.

const DAYS: [&str; 7] = [
    "MONDAY",
    "TUESDAY",
    "WEDNESDAY",
    "THURSDAY",
    "FRIDAY",
    "SATURDAY",
    "SUNDAY",
];
const MONTHS: [&str; 12] = [
    "JANUARY",
    "FEBRUARY",
    "MARCH",
    "APRIL",
    "MAY",
    "JUNE",
    "JULY",
    "AUGUST",
    "SEPTEMBER",
    "OCTOBER",
    "NOVEMBER",
    "DECEMBER",
];
const TIME_UNITS: [&str; 7] = [
    "NANOSECONDS",
    "MICROSECONDS",
    "MILLISECONDS",
    "SECONDS",
    "MINUTES",
    "HOURS",
    "DAYS",
];
const CHRONO_UNITS: [&str; 16] = [
    "NANOS",
    "MICROS",
    "MILLIS",
    "SECONDS",
    "MINUTES",
    "HOURS",
    "HALF_DAYS",
    "DAYS",
    "WEEKS",
    "MONTHS",
    "YEARS",
    "DECADES",
    "CENTURIES",
    "MILLENNIA",
    "ERAS",
    "FOREVER",
];
const ROUNDING_MODES: [&str; 8] = [
    "UP",
    "DOWN",
    "CEILING",
    "FLOOR",
    "HALF_UP",
    "HALF_DOWN",
    "HALF_EVEN",
    "UNNECESSARY",
];

/// The name of a constant of one of the JDK's enums, by its place.
pub(in crate::payload) fn name(class: &str, place: u64) -> Option<&'static str> {
    let all: &[&str] = match class {
        "java.time.DayOfWeek" => &DAYS,
        "java.time.Month" => &MONTHS,
        "java.util.concurrent.TimeUnit" => &TIME_UNITS,
        "java.time.temporal.ChronoUnit" => &CHRONO_UNITS,
        "java.math.RoundingMode" => &ROUNDING_MODES,
        _ => return None,
    };
    all.get(usize::try_from(place).ok()?).copied()
}
