//! The constants of the JDK's enums, for codecs that write only their places.

/// The name of a constant of one of the JDK's enums, by its place.
pub(in crate::payload) fn name(class: &str, place: u64) -> Option<&'static str> {
    let all: &[&str] = match class {
        "java.time.DayOfWeek" => &[
            "MONDAY",
            "TUESDAY",
            "WEDNESDAY",
            "THURSDAY",
            "FRIDAY",
            "SATURDAY",
            "SUNDAY",
        ],
        "java.time.Month" => &[
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
        ],
        "java.util.concurrent.TimeUnit" => &[
            "NANOSECONDS",
            "MICROSECONDS",
            "MILLISECONDS",
            "SECONDS",
            "MINUTES",
            "HOURS",
            "DAYS",
        ],
        "java.time.temporal.ChronoUnit" => &[
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
        ],
        "java.math.RoundingMode" => &[
            "UP",
            "DOWN",
            "CEILING",
            "FLOOR",
            "HALF_UP",
            "HALF_DOWN",
            "HALF_EVEN",
            "UNNECESSARY",
        ],
        _ => return None,
    };
    all.get(usize::try_from(place).ok()?).copied()
}
