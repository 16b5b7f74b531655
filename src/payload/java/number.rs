//! Java's large numbers and identifiers.

use crate::payload::reader::Reader;
use crate::payload::scalar;
use crate::payload::tree::TreeNode;

/// Digits of a large number that are worked out: that takes time in their square.
const MAX_MAGNITUDE: usize = 512;
/// The square of its bytes that takes as long as reading one value.
const SQUARE: usize = 2048;

/// `java.util.UUID`.
pub(in crate::payload) fn uuid(most: u64, least: u64) -> TreeNode {
    let digits = format!("{most:016x}{least:016x}");
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
    TreeNode::text(parts.join("-")).of("java.util.UUID")
}

/// `java.math.BigInteger`: its sign and the bytes of its magnitude, the highest first. None for
/// more than some 1,200 digits.
pub(in crate::payload) fn big_integer(
    r: &mut Reader<'_>,
    sign: i64,
    magnitude: &[u8],
) -> Option<TreeNode> {
    if magnitude.len() > MAX_MAGNITUDE {
        return None;
    }
    r.spend(magnitude.len() * magnitude.len() / SQUARE)?;
    let digits = decimal(magnitude);
    let minus = if sign < 0 { "-" } else { "" };
    Some(scalar::decimal(&format!("{minus}{digits}")).of("java.math.BigInteger"))
}

/// The same in two's complement, as `BigInteger.toByteArray()` has it.
pub(in crate::payload) fn of_twos_complement(r: &mut Reader<'_>, bytes: &[u8]) -> Option<TreeNode> {
    if bytes.first().is_none_or(|first| *first < 0x80) {
        return big_integer(r, 1, bytes);
    }
    let mut magnitude: Vec<u8> = bytes.iter().map(|byte| !byte).collect();
    for byte in magnitude.iter_mut().rev() {
        let (sum, carried) = byte.overflowing_add(1);
        *byte = sum;
        if !carried {
            break;
        }
    }
    if magnitude.iter().all(|byte| *byte == 0) {
        magnitude.insert(0, 1);
    }
    big_integer(r, -1, &magnitude)
}

/// `java.math.BigDecimal`: its digits and how many of them stand behind the point, with all its
/// zeros. Written with an exponent where Java does.
pub(in crate::payload) fn big_decimal(unscaled: &str, scale: i64) -> Option<TreeNode> {
    let (minus, digits) = match unscaled.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", unscaled),
    };
    let length = i64::try_from(digits.len()).ok()?;
    let exponent = length - 1 - scale;
    let text = if scale == 0 {
        digits.to_owned()
    } else if scale > 0 && exponent >= -6 {
        let zeros = usize::try_from(scale - length + 1).unwrap_or_default();
        let padded = format!("{}{digits}", "0".repeat(zeros));
        let (whole, part) = padded.split_at(padded.len() - usize::try_from(scale).ok()?);
        format!("{whole}.{part}")
    } else {
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        format!("{first}{point}{rest}e{exponent:+}")
    };
    Some(scalar::decimal(&format!("{minus}{text}")).of("java.math.BigDecimal"))
}

/// The digits of a number that is one less; none of 0.
pub(in crate::payload) fn one_less(digits: &str) -> Option<String> {
    let kept = digits.trim_end_matches('0');
    let zeros = digits.len() - kept.len();
    let (head, last) = kept.split_at_checked(kept.len().checked_sub(1)?)?;
    let last = last.parse::<u8>().ok()? - 1;
    let less = format!("{head}{last}{}", "9".repeat(zeros));
    let trimmed = less.trim_start_matches('0');
    Some(if trimmed.is_empty() { "0" } else { trimmed }.to_owned())
}

/// One more than a part of nine digits.
const NINE_DIGITS: u64 = 1_000_000_000;

/// The decimal digits of a number of many bytes.
fn decimal(magnitude: &[u8]) -> String {
    // Parts of nine digits, the lowest first.
    let mut parts: Vec<u32> = Vec::new();
    // Four bytes at a time, of which the first may be fewer.
    let (first, rest) = magnitude.split_at(magnitude.len() % 4);
    for word in std::iter::once(first).chain(rest.chunks(4)) {
        let word = word
            .iter()
            .fold(0, |word, byte| word << 8 | u64::from(*byte));
        let mut carry = word;
        for part in &mut parts {
            let value = (u64::from(*part) << 32) + carry;
            *part = u32::try_from(value % NINE_DIGITS).unwrap_or_default();
            carry = value / NINE_DIGITS;
        }
        while carry > 0 {
            parts.push(u32::try_from(carry % NINE_DIGITS).unwrap_or_default());
            carry /= NINE_DIGITS;
        }
    }
    let mut parts = parts.iter().rev();
    let first = parts.next().map_or_else(|| "0".to_owned(), u32::to_string);
    let rest: Vec<String> = parts.map(|part| format!("{part:09}")).collect();
    first + &rest.concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::reader::Budget;

    fn said(node: Option<TreeNode>) -> String {
        node.map(|node| node.json().to_string()).unwrap_or_default()
    }

    fn reader() -> Reader<'static> {
        Reader::new(&[], Budget::full())
    }

    #[test]
    fn large_numbers_keep_all_their_digits() {
        let unsigned = |sign, bytes: &[u8]| said(big_integer(&mut reader(), sign, bytes));
        assert_eq!(
            unsigned(1, &[1, 0, 0, 0, 0, 0, 0, 0, 0]),
            "18446744073709551616"
        );
        assert_eq!(unsigned(1, &[0xff; 4]), "4294967295");
        assert_eq!(unsigned(1, &[0xff; 5]), "1099511627775");
        assert_eq!(unsigned(1, &[0xff; 8]), "18446744073709551615");
        assert_eq!(unsigned(1, &[0, 0x3b, 0x9a, 0xca, 0]), "1000000000");
        assert_eq!(unsigned(0, &[]), "0");
        let signed = |bytes: &[u8]| said(of_twos_complement(&mut reader(), bytes));
        assert_eq!(signed(&[0x80]), "-128");
        assert_eq!(signed(&[0xff]), "-1");
        assert_eq!(signed(&[0xff, 0x00]), "-256");
        assert_eq!(signed(&[0x00, 0xff]), "255");
        assert_eq!(big_integer(&mut reader(), 1, &[1; 600]), None);
    }

    #[test]
    fn thousands_of_large_numbers_are_more_than_is_read() {
        let mut reader = reader();
        let read = (0..2000).take_while(|_| big_integer(&mut reader, 1, &[1; 512]).is_some());
        assert!((500..2000).contains(&read.count()));
    }

    #[test]
    fn one_less_borrows_from_the_digits_before() {
        for (digits, less) in [("1", "0"), ("10", "9"), ("257", "256"), ("2000", "1999")] {
            assert_eq!(one_less(digits).as_deref(), Some(less));
        }
    }

    #[test]
    fn a_decimal_keeps_its_scale() {
        for (unscaled, scale, text) in [
            ("1999", 2, "19.99"),
            ("1500", 3, "1.500"),
            ("-5", 3, "-0.005"),
            ("0", 2, "0.00"),
            ("12", -3, "1.2e+4"),
            ("1", 9, "1e-9"),
            ("7", 0, "7"),
        ] {
            assert_eq!(said(big_decimal(unscaled, scale)), text);
        }
        assert!(said(big_decimal("1", i64::from(i32::MAX))).starts_with("1e-"));
        assert!(said(big_decimal("1", i64::from(i32::MIN))).starts_with("1e+"));
    }
}
