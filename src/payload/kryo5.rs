//! `Kryo5Codec`. A class id, then the value: see [`kryo`](super::kryo).
//!
//! Integers are zig-zag varints in their shortest form, other numbers little-endian. A string of
//! 2 to 32 ASCII characters lies as it is with bit 7 set on its last byte; any other has the number
//! of its UTF-16 units + 1 in front. With references switched on (`useReferences`) an `01` comes
//! before a string. Kryo 3 and 4 write most of the same bytes and are called Kryo 5 too, save
//! where their big-endian doubles, their longer strings without a length or their collections show.

use super::Codec;
use super::kryo::{self, Style, id};
use super::reader::{Reader, write_units};
use super::tree::{Shape, TreeNode};
use super::typed::{DATE, Scalar};
use super::verdict::{Certainty, CodecVerdict};
use super::{surprise, text};

/// The most that a double may surprise which was meant, in bits.
const WORLD: u32 = 74;

/// Before a string, with references switched on: not seen before.
const NEW_REFERENCE: u8 = 0x01;

/// Kryo's settings in releases of Redisson, the most frequent first.
const STYLES: [Style; 4] = [
    style(false, false),
    style(false, true),
    style(true, false),
    style(true, true),
];

const fn style(refers: bool, by_fields: bool) -> Style {
    Style {
        is_old: false,
        refers,
        by_fields,
    }
}

/// Reads one object.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<TreeNode> {
    // A string with the mark of references is also one that begins with U+0001, less likely.
    if reader.rest().starts_with(&[id::STRING, NEW_REFERENCE]) {
        let [first, second, third, fourth] = STYLES;
        return kryo::read(reader, &[third, fourth, first, second]);
    }
    kryo::read(reader, &STYLES)
}

/// Tells whether it begins with a class that every Kryo has, as what is likely does.
pub(super) const fn begins(first: u8) -> bool {
    first < 12
}

/// Likely, save what is more likely to be another codec's or plain text.
pub(super) fn judge(payload: &[u8], tree: &TreeNode) -> CodecVerdict {
    let is_likely = match *payload {
        // The bytes could as well be Snappy's or FST's unless the characters make a text.
        [id::STRING, first, ..] if first < 0x80 && first != NEW_REFERENCE => {
            matches!(&tree.shape, Shape::Text(text) if text::is_plausible(text))
        }
        [id::FLOAT, a, b, c, d] => {
            let float = f32::from_le_bytes([a, b, c, d]);
            !float.is_normal() || (1e-20..1e20).contains(&float.abs())
        }
        [id::DOUBLE, ..] => is_of_this_world(tree),
        _ => true,
    };
    let is_named = payload.first() == Some(&id::NAMED);
    let sure = match payload.first() {
        // A class of the application's own, by its number: anything could stand there.
        Some(12..) => Certainty::Unlikely,
        _ if is_likely => Certainty::Exact,
        _ => Certainty::Unlikely,
    };
    CodecVerdict {
        codec: Codec::Kryo5,
        sure,
        why: if is_named {
            "Kryo 5's mark of a class, and its name"
        } else {
            "Kryo 5 accounts for every byte"
        },
    }
}

/// Tells whether a double is none that only bytes of something else make.
pub(super) fn is_of_this_world(double: &TreeNode) -> bool {
    surprise::of(double) <= WORLD
}

/// A scalar, as Kryo 5 writes it.
pub(super) fn encode_scalar(scalar: Scalar) -> Vec<u8> {
    let mut bytes = scalar.to_be_bytes();
    bytes.reverse();
    let (class, value) = match scalar {
        Scalar::Null => (id::NULL, bytes),
        Scalar::Byte(_) => (id::BYTE, bytes),
        Scalar::Short(_) => (id::SHORT, bytes),
        Scalar::Char(_) => (id::CHAR, bytes),
        Scalar::Float(_) => (id::FLOAT, bytes),
        Scalar::Double(_) => (id::DOUBLE, bytes),
        Scalar::Bool(_) => (id::BOOL, bytes),
        Scalar::Int(int) => {
            let zigzag = (int << 1) ^ (int >> 31);
            (id::INT, varint(zigzag.cast_unsigned().into()))
        }
        Scalar::Long(long) => {
            let zigzag = (long << 1) ^ (long >> 63);
            (id::LONG, varint(zigzag.cast_unsigned()))
        }
        Scalar::Date(ms) => (
            id::NAMED,
            // The first name of the payload, and no zigzag.
            [&[0], &marked(DATE)[..], &varint(ms.cast_unsigned())].concat(),
        ),
    };
    [vec![class], value].concat()
}

/// Seven bits a byte; a ninth byte has all its eight.
fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7f && bytes.len() < 8 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
    bytes
}

/// A string, as Kryo 5 writes it.
pub(super) fn encode(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 6);
    out.push(id::STRING);
    if text.is_ascii() && (2..=32).contains(&text.len()) {
        out.extend(marked(text));
    } else {
        write_length(&mut out, text.encode_utf16().count() + 1);
        write_units(&mut out, text, &[0]);
    }
    out
}

/// ASCII, whose end is marked.
fn marked(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    if let Some(last) = bytes.last_mut() {
        *last |= 0x80;
    }
    bytes
}

fn write_length(out: &mut Vec<u8>, length: usize) {
    let low = |bits: usize, mask: u8| bits.to_le_bytes()[0] & mask;
    let mut rest = length >> 6;
    out.push(0x80 | if rest > 0 { 0x40 } else { 0 } | low(length, 0x3f));
    while rest > 0 {
        let more = if rest > 0x7f { 0x80 } else { 0 };
        out.push(more | low(rest, 0x7f));
        rest >>= 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::decode_as;
    use serde_json::{Value, json};

    fn decode(bytes: &[u8]) -> Option<Value> {
        decode_as(Codec::Kryo5, bytes).map(|read| read.value)
    }

    fn recognised(bytes: &[u8]) -> Codec {
        crate::payload::decode(bytes).codec
    }

    #[test]
    fn strings_of_every_length_read_back() {
        for length in [0, 1, 2, 31, 32, 33, 62, 63, 64, 8190, 8191, 8192, 70_000] {
            for c in ["x", "é", "订", "🚀", "\0"] {
                let text = c.repeat(length);
                assert_eq!(decode(&encode(&text)), Some(json!(text)), "{length} {c:?}");
            }
        }
    }

    #[test]
    fn a_string_with_references_switched_on_is_read() {
        assert_eq!(decode(b"\x03\x01hell\xef"), Some(json!("hello")));
        assert_eq!(decode(b"\x03\x01\x81"), Some(json!("")));
    }

    #[test]
    fn a_number_in_more_bytes_than_it_needs_is_not_kryos() {
        assert_eq!(decode(&[id::LONG, 0x82, 0x00]), None);
        assert_eq!(decode(&[id::INT, 0xff, 0xff, 0xff, 0xff, 0x7f]), None);
        assert_eq!(decode(&[id::LONG, 0x02, 0x00]), None);
    }

    #[test]
    fn a_made_up_length_asks_for_no_memory() {
        assert_eq!(
            decode(&[id::STRING, 0xff, 0xff, 0xff, 0xff, 0x1f, b'x']),
            None
        );
    }

    #[test]
    fn a_snappy_block_is_no_kryo_string() {
        // Three bytes, literal, "ok" in Kryo: also the Kryo string "\b\x03ok".
        let block = [0x03, 0x08, 0x03, 0x6f, 0xeb];
        assert_eq!(decode(&block), Some(json!("\u{8}\u{3}ok")));
        assert_ne!(recognised(&block), Codec::Kryo5);
    }

    #[test]
    fn a_double_that_only_makes_sense_backwards_is_older_than_kryo_5() {
        let three = 3.0_f64.to_be_bytes();
        assert_ne!(
            recognised(&[&[id::DOUBLE], &three[..]].concat()),
            Codec::Kryo5
        );
        assert_ne!(recognised(b"\n12345678"), Codec::Kryo5);
    }
}
