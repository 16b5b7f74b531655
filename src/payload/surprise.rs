//! The surprise of a value, in bits: the fewer, the likelier that it was meant.
//!
//! Bytes that several codecs explain say several things, of which one is a price and the other
//! noise. What anybody would write costs less than the bytes it lies in; noise costs as much, and
//! more where it is out of this world. Rough on purpose: only differences of many bits count.

use super::Codec;
use super::tree::{Shape, TreeNode};

/// The cost of a byte that nothing explains, and a payload of such bytes before its first.
const BYTE: u32 = 8;
const NOISE: u32 = 8;
/// Characters of a text that are weighed: the others are like them.
const WEIGHED: usize = 200;
/// The cost of a type, and of values in another.
const CLASS: u32 = 6;
const SEVERAL: u32 = 6;
const NONE: u32 = 2;
/// Epoch milliseconds from 2001 to 2065, and what one of them costs.
const TIMES: std::ops::Range<u64> = 1_000_000_000_000..3_000_000_000_000;
const TIME: u32 = 38;
/// The ends of Java's numbers, and what one of them costs.
const ENDS: [&str; 8] = [
    "32767",
    "32768",
    "2147483647",
    "2147483648",
    "9223372036854775807",
    "9223372036854775808",
    "1.7976931348623157e+308",
    "5e-324",
];
const END: u32 = 12;

/// The surprise in bytes that nothing explains.
pub(super) fn of_noise(length: usize) -> u32 {
    u32::try_from(length).map_or(u32::MAX, |length| {
        length.saturating_mul(BYTE).saturating_add(NOISE)
    })
}

/// The rarity of a codec before anything is known of a queue.
pub(super) const fn of_codec(codec: Codec) -> u32 {
    match codec {
        Codec::MsgPack | Codec::Cbor | Codec::Cbor3 | Codec::Fst => 2,
        Codec::Kryo | Codec::Protobuf => 8,
        Codec::Avro => 10,
        _ => 0,
    }
}

/// The surprise in a value and all that it holds.
pub(super) fn of(tree: &TreeNode) -> u32 {
    let value = match &tree.shape {
        Shape::Null | Shape::Bool(_) => 2,
        Shape::Number(number) => of_number(number.as_str()),
        Shape::Text(said) => of_text(said),
        Shape::Bytes(bytes) => of_noise(bytes.len()),
        Shape::Same(_) => 8,
        Shape::Cut(_) => 16,
        Shape::List(nodes) if nodes.is_empty() => NONE,
        Shape::Map(pairs) if pairs.is_empty() => NONE,
        Shape::List(nodes) | Shape::Nameless(nodes) => SEVERAL + sum(nodes.iter().map(of)),
        Shape::Map(pairs) => SEVERAL + sum(pairs.iter().map(|(key, value)| of(key) + of(value))),
        Shape::Object(fields) => {
            SEVERAL + sum(fields.iter().map(|f| of_text(&f.name) / 2 + of(&f.node)))
        }
    };
    value.saturating_add(if tree.class.is_some() { CLASS } else { 0 })
}

fn sum(bits: impl Iterator<Item = u32>) -> u32 {
    bits.fold(0, u32::saturating_add)
}

/// A number as it is written: of a whole one its size, of another its digits and how far the first
/// of them is from the point.
pub(super) fn of_number(digits: &str) -> u32 {
    let digits = digits.strip_prefix('-').unwrap_or(digits);
    if ENDS.contains(&digits) {
        return END;
    }
    match digits.parse::<u64>() {
        Ok(whole) if TIMES.contains(&whole) => TIME,
        Ok(whole) => of_whole(whole).min(of_digits(digits)),
        Err(_) => of_digits(digits),
    }
}

/// The bits that it has, and those that tell how many.
const fn of_whole(whole: u64) -> u32 {
    let bits = u64::BITS - whole.leading_zeros();
    bits + 2 * (u32::BITS - bits.leading_zeros())
}

/// Ten bits for three digits; the more the farther out of this world.
fn of_digits(number: &str) -> u32 {
    let (digits, power) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let said = whole.trim_start_matches('0').len() + part.len();
    let trailing = if part.trim_end_matches('0').is_empty() {
        part.len() + whole.len() - whole.trim_end_matches('0').len()
    } else if whole == "0" {
        part.len() - part.trim_start_matches('0').len()
    } else {
        0
    };
    let count = u32::try_from(said.saturating_sub(trailing)).unwrap_or(u32::MAX);
    let size = match whole {
        "0" => -i64::try_from(part.len() - part.trim_start_matches('0').len()).unwrap_or(0),
        _ => i64::try_from(whole.len()).unwrap_or(i64::MAX),
    };
    let power = power
        .parse::<i64>()
        .unwrap_or(i64::MAX)
        .saturating_add(size);
    let beyond = match power {
        -6..=16 => 0,
        ..-6 => power.unsigned_abs() - 6,
        _ => power.unsigned_abs() - 16,
    };
    let beyond = match beyond {
        0 => 0,
        beyond => 3 + u32::try_from(beyond / 4).unwrap_or(u32::MAX).min(30),
    };
    4 + count.saturating_mul(10) / 3 + beyond
}

/// A text by its characters: letters cost less than signs, and what is no character most.
fn of_text(text: &str) -> u32 {
    if text.len() <= WEIGHED && text.is_ascii() {
        let first = text.as_bytes().first().is_some_and(u8::is_ascii_control);
        let bits = text.bytes().map(|byte| OF_ASCII[usize::from(byte & 0x7f)]);
        return bits.map(u32::from).sum::<u32>() + if first { NOISE + 4 } else { 4 };
    }
    let weighed = sum(text.chars().take(WEIGHED).map(of_char));
    let first = text.chars().next().is_some_and(char::is_control);
    let size = match text.char_indices().nth(WEIGHED) {
        Some((end, _)) => {
            let times = text.len() / end.max(1) + 1;
            weighed.saturating_mul(u32::try_from(times).unwrap_or(u32::MAX))
        }
        None => weighed,
    };
    size.saturating_add(if first { NOISE + 4 } else { 4 })
}

/// Tells whether people write that character.
pub(super) fn is_usual(c: char) -> bool {
    of_char(c) <= 12
}

/// The cost of the characters of ASCII: most are asked for again and again.
const OF_ASCII: [u8; 128] = {
    let mut bits = [0; 128];
    let mut byte: u8 = 0;
    while byte < 128 {
        bits[byte as usize] = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b' ' => 5,
            b'!'..=b'~' => 6,
            b'\t' | b'\n' | b'\r' => 8,
            _ => 16,
        };
        byte += 1;
    }
    bits
};

fn of_char(c: char) -> u32 {
    match c {
        '\0'..='\x7f' => OF_ASCII[c as usize].into(),
        '\u{e000}'..='\u{f8ff}' | '\u{fff0}'..='\u{ffff}' | '\u{f0000}'.. => 20,
        '\u{a0}'..='\u{24f}' | '\u{370}'..='\u{6ff}' => 9,
        // Kana, the usual of the Han characters, Hangul, emoji.
        '\u{2000}'..='\u{206f}'
        | '\u{3000}'..='\u{30ff}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{ff00}'..='\u{ffef}'
        | '\u{1f300}'..='\u{1faff}' => 12,
        _ if c.is_alphabetic() => 14,
        _ => 16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_double(double: f64) -> u32 {
        of(&crate::payload::scalar::double(double))
    }

    #[test]
    fn what_people_write_surprises_less_than_its_bytes_backwards() {
        for usual in [
            1e20_f64,
            275.2,
            19.99,
            0.001,
            1_700_000_000_123.0,
            1e10,
            3.5e38,
        ] {
            let backwards = f64::from_bits(usual.to_bits().swap_bytes());
            assert!(of_double(usual) + 12 < of_double(backwards), "{usual}");
        }
    }

    #[test]
    fn more_digits_surprise_more_and_zeros_behind_them_do_not() {
        let numbers = ["5", "42", "4711", "471100000.0", "4711.25", "4.71125e40"];
        let bits = numbers.map(of_number);
        assert!(bits.is_sorted(), "{bits:?}");
        assert!(of_number("1700000000123") < of_noise(6));
    }

    #[test]
    fn a_letter_costs_less_than_a_sign_and_noise_most() {
        let bits = [
            "hello",
            "h\u{e9}llo",
            "h\u{4e2d}llo",
            "h\u{1}llo",
            "h\u{fffd}llo",
        ]
        .map(of_text);
        assert!(bits.is_sorted(), "{bits:?}");
        let (short, long) = ("ab ".repeat(1000), "ab ".repeat(2000));
        assert!(of_text(&long) > of_text(&short) && of_text(&short) > 14_000);
    }
}
