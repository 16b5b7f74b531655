//! Figures, spans and names as they are written for people, the same in both front ends.
//!
//! A figure is never cut: what does not fit becomes shorter by its unit. Control characters (and
//! those that turn the direction of text) never reach a terminal: names and payloads are data.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

pub use crate::printable::{
    is_hidden, is_plain_to_see, printable, printable_bytes, printable_lines,
};

/// Columns that [`countdown`] needs at most.
pub const COUNTDOWN_WIDTH: usize = 9;

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
/// From here on a countdown is told in years.
const YEARS_FROM: u64 = 1_000 * DAY;
const YEAR: u64 = 31_557_600 * SECOND;

/// The time left in `ms`, or since then when negative: `2.4 s`, `0:31`, `12:04`, `3h 05m`,
/// `2d 04h`, `12y`; late `-0:12`, `-3h 05m`. Rounded towards zero, so that it ticks like a clock.
#[must_use]
pub fn countdown(ms: i64) -> String {
    let left = ms.unsigned_abs();
    if ms < 0 {
        return format!("-{}", clock_span(left));
    }
    if left < 10 * SECOND {
        return format!("{}.{} s", left / SECOND, left % SECOND / 100);
    }
    clock_span(left)
}

/// A span of `ms`, coarsest unit first, without tenths: `0:31`, `12:04`, `3h 05m`, `2d 04h`.
fn clock_span(ms: u64) -> String {
    match ms {
        _ if ms < HOUR => format!("{}:{:02}", ms / MINUTE, ms % MINUTE / SECOND),
        _ if ms < DAY => format!("{}h {:02}m", ms / HOUR, ms % HOUR / MINUTE),
        _ if ms < YEARS_FROM => format!("{}d {:02}h", ms / DAY, ms % DAY / HOUR),
        _ if ms < 1_000 * YEAR => format!("{}y", ms / YEAR),
        _ => ">999y".to_owned(),
    }
}

/// Returns how long something has lasted, or ago it was: `< 1 s`, `6.2 s`, `4:08`, as
/// [`countdown`].
#[must_use]
pub fn age(ms: i64) -> String {
    match ms {
        -999..1000 => "< 1 s".to_owned(),
        ms => countdown(ms),
    }
}

/// The time that something is expected to take: `under a second`, `about 6.2 s`, `about 4:08`.
#[must_use]
pub fn about(ms: i64) -> String {
    if ms < 1_000 {
        return "under a second".to_owned();
    }
    format!("about {}", age(ms))
}

/// A measured span of `ms`, exact where it is short: `0 ms`, `312 ms`, `4.9 s`, `0:31`, `3h 05m`.
#[must_use]
pub fn span(ms: u64) -> String {
    match ms {
        _ if ms < SECOND => format!("{ms} ms"),
        _ if ms < 10 * SECOND => format!("{}.{} s", ms / SECOND, ms % SECOND / 100),
        _ => clock_span(ms),
    }
}

/// A rate, with a decimal where it is small: `0.4`, `12`, `1,204`.
#[must_use]
pub fn rate(per_s: f64) -> String {
    if per_s.abs() < 10.0 {
        return format!("{per_s:.1}");
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates; a rate for reading"
    )]
    let whole = per_s.abs().round() as u64;
    let sign = if per_s < 0.0 { "-" } else { "" };
    format!("{sign}{}", thousands(whole))
}

/// A number of bytes that are sent or written: `812 B`, `4.7 kB`, `14 kB`, `1.2 MB`.
#[must_use]
pub fn bytes(n: u64) -> String {
    let in_units = |unit: u64, name: &str| match n / unit {
        whole @ 0..10 => format!("{whole}.{} {name}", n % unit / (unit / 10)),
        whole => format!("{} {name}", thousands(whole)),
    };
    match n {
        0..1_000 => format!("{n} B"),
        1_000..1_000_000 => in_units(1_000, "kB"),
        _ => in_units(1_000_000, "MB"),
    }
}

/// A number of bytes of the server's memory, in units of 1,024 as its settings have them: `812 B`,
/// `14 KiB`, `1,200 MiB`.
#[must_use]
pub fn size(bytes: u64) -> String {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    match bytes {
        0..KIB => format!("{bytes} B"),
        KIB..MIB => format!("{} KiB", bytes / KIB),
        _ => format!("{} MiB", thousands(bytes / MIB)),
    }
}

/// A number with thousands separators: `1,000,000`.
#[must_use]
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Writes a number of something with its word: `1 entry`, `1,204 entries`.
#[must_use]
pub fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(n), if n == 1 { one } else { many })
}

/// A number in three significant digits, rounded down, in at most 5 columns: `999`, `1.00k`,
/// `12.3k`, `1.00M`, `18.4E`.
#[must_use]
pub fn compact(n: u64) -> String {
    let (mut unit, mut letter) = (1, None);
    for next in ['k', 'M', 'G', 'T', 'P', 'E'] {
        if n / unit < 1_000 {
            break;
        }
        unit *= 1_000;
        letter = Some(next);
    }
    let Some(letter) = letter else {
        return n.to_string();
    };
    let whole = n / unit;
    let thousandths = n % unit / (unit / 1_000);
    match whole {
        0..=9 => format!("{whole}.{:02}{letter}", thousandths / 10),
        10..=99 => format!("{whole}.{}{letter}", thousandths / 100),
        _ => format!("{whole}{letter}"),
    }
}

/// A number as [`thousands`] when that fits into `columns`, else as [`compact`].
#[must_use]
pub fn number(n: u64, columns: usize) -> String {
    let whole = thousands(n);
    if whole.len() <= columns {
        whole
    } else {
        compact(n)
    }
}

/// Counts the columns that `text` takes in a terminal.
#[must_use]
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// `text` in at most `columns`, the last one an `…` when something is missing. For payloads and
/// names only; a figure is never cut.
#[must_use]
pub fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    let (mut used, mut keep) = (0, 0);
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used < columns {
            // Up to and including a character that leaves room for the ellipsis.
            keep = at + c.len_utf8();
        }
        if used > columns {
            return match columns {
                0 => Cow::Borrowed(""),
                _ => Cow::Owned(format!("{}…", &text[..keep])),
            };
        }
    }
    Cow::Borrowed(text)
}

/// The beginning and the end of `text` that stand with an ellipsis between them in so many columns;
/// none when all of it fits, or when there is no room for two ends. For names in a column: what
/// they share is at the front as often as it is at the back.
#[must_use]
pub fn ends(text: &str, columns: usize) -> Option<(&str, &str)> {
    if columns < 10 || width(text) <= columns {
        return None;
    }
    let (behind, before) = (columns / 3, columns - columns / 3 - 1);
    let (mut used, mut head) = (0, 0);
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > before {
            break;
        }
        head = at + c.len_utf8();
    }
    let (mut used, mut tail) = (0, text.len());
    for (at, c) in text.char_indices().rev() {
        let columns = c.width().unwrap_or(0);
        used += columns;
        if used > behind || at < head {
            break;
        }
        // A mark without columns belongs to the character before it.
        if columns > 0 {
            tail = at;
        }
    }
    Some((&text[..head], &text[tail..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_expected_to_take_no_second_is_told_in_words() {
        let told = [-5, 999, 1_000, 248_000].map(about);
        let expected = [
            "under a second",
            "under a second",
            "about 1.0 s",
            "about 4:08",
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn a_long_name_keeps_both_ends() {
        let ends_of = |name, columns| ends(name, columns).map(|(a, b)| format!("{a}…{b}"));
        assert_eq!(ends_of("shop:eu:payments", 16), None);
        assert_eq!(
            ends_of("market:eu:payment-retries", 16).as_deref(),
            Some("market:eu:…tries")
        );
        // Two columns each: one stays free rather than half a character shown.
        assert_eq!(
            ends_of("订单超时取消队列", 12).as_deref(),
            Some("订单超…队列")
        );
        assert_eq!(
            ends_of("abce\u{301}defghijke\u{301}", 10).as_deref(),
            Some("abce\u{301}de…jke\u{301}")
        );
        assert_eq!(ends_of("a-long-name", 9), None);
    }

    #[test]
    fn bytes_are_said_in_the_unit_that_people_would_say() {
        let said = [0, 999, 4_780, 14_000, 1_250_000, 1_250_000_000].map(bytes);
        assert_eq!(
            said,
            ["0 B", "999 B", "4.7 kB", "14 kB", "1.2 MB", "1,250 MB"]
        );
    }

    #[test]
    fn a_countdown_gets_coarser_with_the_distance() {
        let cases: [(i64, &str); 17] = [
            (0, "0.0 s"),
            (2_450, "2.4 s"),
            (9_999, "9.9 s"),
            (10_000, "0:10"),
            (31_000, "0:31"),
            (724_000, "12:04"),
            (3_599_999, "59:59"),
            (11_100_000, "3h 05m"),
            (187_200_000, "2d 04h"),
            (999 * 86_400_000, "999d 00h"),
            (1_000 * 86_400_000, "2y"),
            (i64::MAX, ">999y"),
            (-1, "-0:00"),
            (-12_700, "-0:12"),
            (-11_100_000, "-3h 05m"),
            (-187_200_000, "-2d 04h"),
            (i64::MIN, "->999y"),
        ];
        for (ms, shown) in cases {
            assert_eq!(countdown(ms), shown, "{ms} ms");
            assert!(shown.len() <= COUNTDOWN_WIDTH);
        }
    }

    #[test]
    fn a_measured_span_is_exact_where_it_is_short() {
        assert_eq!(span(0), "0 ms");
        assert_eq!(span(312), "312 ms");
        assert_eq!(span(4_999), "4.9 s");
        assert_eq!(span(31_000), "0:31");
    }

    #[test]
    fn a_number_is_shortened_by_its_unit_and_never_cut() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_000), "1,000");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(compact(999), "999");
        assert_eq!(compact(1_000), "1.00k");
        assert_eq!(compact(12_399), "12.3k");
        assert_eq!(compact(999_999), "999k");
        assert_eq!(compact(1_000_000), "1.00M");
        assert_eq!(compact(u64::MAX), "18.4E");
        assert_eq!(number(1_000_000, 9), "1,000,000");
        assert_eq!(number(1_000_000, 8), "1.00M");
    }

    #[test]
    fn a_cut_text_fits_and_says_that_it_is_cut() {
        assert_eq!(cut("hello", 5), "hello");
        assert_eq!(cut("hello!", 5), "hell…");
        assert_eq!(cut("日本語", 6), "日本語");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("日本語", 4), "日…");
        assert_eq!(cut("ab", 1), "…");
        assert_eq!(cut("ab", 0), "");
        assert_eq!(cut("", 0), "");
    }

    proptest::proptest! {
        #[test]
        fn a_cut_text_is_never_wider_than_asked(text in "\\PC*", columns in 0_usize..40) {
            proptest::prop_assert!(width(&cut(&text, columns)) <= columns);
        }
    }
}
