//! Ion's numbers and points in time, as text.

use crate::payload::reader::Reader;
use crate::payload::scalar;
use crate::payload::tree::{Cut, TreeNode};

/// A whole number in base 10, 16 or 2, a decimal (`1.50`, `15d-1`), a `double` (`1.5e0`), an
/// infinity, a point in time.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<TreeNode> {
    let is_part = |b: &&u8| b.is_ascii_alphanumeric() || b"+-.:_".contains(b);
    let length = reader.rest().iter().take_while(is_part).count();
    if length > scalar::MAX_DIGITS {
        reader.stop(Cut::Long);
        return None;
    }
    let word = reader.utf8(length)?;
    match word {
        "+inf" => return Some(TreeNode::text("Infinity")),
        "-inf" => return Some(TreeNode::text("-Infinity")),
        _ if is_timestamp(word) => return Some(TreeNode::text(word).of("timestamp")),
        _ => {}
    }
    let number = word.replace('_', "");
    let (minus, digits) = match number.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", number.as_str()),
    };
    if let Some((base, digits)) = based(digits) {
        let whole = u128::from_str_radix(digits, base).ok()?;
        return Some(scalar::decimal(&format!("{minus}{whole}")));
    }
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
        && (digits.len() == 1
            || !digits.starts_with('0')
            || !digits.as_bytes()[1].is_ascii_digit());
    if !is_number {
        return None;
    }
    if digits.contains(['e', 'E']) {
        let double: f64 = number.parse().ok()?;
        return Some(scalar::double(double));
    }
    decimal(minus, digits)
}

/// A decimal as JSON has them: `e` for `d`, and no point without digits behind it.
fn decimal(minus: &str, digits: &str) -> Option<TreeNode> {
    let (digits, exponent) = match digits.split_once(['d', 'D']) {
        Some((digits, exponent)) => (digits, exponent),
        None => (digits, ""),
    };
    let digits = digits.strip_suffix('.').unwrap_or(digits);
    let exponent = match exponent {
        "" | "0" | "-0" | "+0" => String::new(),
        _ => format!("e{exponent}"),
    };
    let text = format!("{minus}{digits}{exponent}");
    text.parse::<f64>().ok()?;
    Some(scalar::decimal(&text))
}

fn based(digits: &str) -> Option<(u32, &str)> {
    let (prefix, digits) = digits.split_at_checked(2)?;
    let base = match prefix {
        "0x" | "0X" => 16,
        "0b" | "0B" => 2,
        _ => return None,
    };
    digits
        .starts_with(|c: char| c.is_ascii_hexdigit())
        .then_some((base, digits))
}

/// Four digits of a year, and a `T` or a month behind it.
fn is_timestamp(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.len() > 4 && bytes[..4].iter().all(u8::is_ascii_digit) && matches!(bytes[4], b'-' | b'T')
}
