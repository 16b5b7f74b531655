//! The ids of changes: ten letters and digits that sort by time and can be typed.

use crate::clock::EpochMillis;

/// Letters and digits in ASCII order, without those that are taken for others.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// 2026-01-01T00:00:00Z, where ids begin; seven digits of 1/32 s last for 34 years from there.
const BEGIN_MS: i64 = 1_767_225_600_000;
const TIME_DIGITS: u32 = 7;
const RANDOM_DIGITS: u32 = 3;
const LENGTH: usize = (TIME_DIGITS + RANDOM_DIGITS) as usize;

/// An id for a change that begins at `now`; `random` keeps those of one moment apart.
pub(super) fn new(now: EpochMillis, random: u32) -> String {
    let ms = u64::try_from(now.get() - BEGIN_MS).unwrap_or(0);
    let mut id = digits(ms.saturating_mul(32) / 1_000, TIME_DIGITS);
    id.push_str(&digits(u64::from(random), RANDOM_DIGITS));
    id
}

/// Tells whether a text can be an id or the beginning of one: what can is safe as the name of a
/// file.
pub(super) fn may_begin(text: &str) -> bool {
    let fits = (1..=LENGTH).contains(&text.len());
    fits && text.bytes().all(|byte| DIGITS.contains(&byte))
}

/// The last `count` digits of a number.
fn digits(number: u64, count: u32) -> String {
    let digit = |i: u32| DIGITS[(number >> (5 * i) & 31) as usize];
    (0..count).rev().map(|i| char::from(digit(i))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_time_and_can_be_typed() {
        let now = EpochMillis::new(1_795_293_680_000);
        let ids: Vec<String> = (0..9)
            .map(|i| new(now.plus(i64::from(i) * 40), u32::MAX - i))
            .collect();
        assert!(ids.is_sorted(), "{ids:?}");
        assert!(ids.iter().all(|id| id.len() == LENGTH && may_begin(id)));
    }

    #[test]
    fn what_would_leave_the_directory_is_no_id() {
        for text in ["", "..", "../x", "a/b", "A", "ilou", "00000000000"] {
            assert!(!may_begin(text), "{text}");
        }
    }
}
