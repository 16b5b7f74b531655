//! `Kryo5Codec`: strings and scalars. A class id, then the value.
//!
//! Integers are zig-zag varints in their shortest form, other numbers little-endian. A string of
//! 2 to 32 ASCII characters lies as it is with bit 7 set on its last byte; any other has the number
//! of its UTF-16 units + 1 in front. With references switched on (`useReferences`) an `01` comes
//! before a string. Kryo 3 and 4 write most of the same bytes and are called Kryo 5 too, save
//! where their big-endian doubles show.
//!
//! Objects hold a class name and values without names or types: they are not read.

use super::codec::Codec;
use super::reader::{Budget, Reader, write_units};
use super::rows::{Sure, Verdict};
use super::tree::{Node, Shape};
use super::{scalar, text};

const NULL: u8 = 0x00;
const INT: u8 = 0x02;
const STRING: u8 = 0x03;
const FLOAT: u8 = 0x04;
const BOOL: u8 = 0x05;
const BYTE: u8 = 0x06;
const CHAR: u8 = 0x07;
const SHORT: u8 = 0x08;
const LONG: u8 = 0x09;
const DOUBLE: u8 = 0x0a;

/// Before a string, with references switched on: not seen before.
const NEW_REFERENCE: u8 = 0x01;

/// Reads every payload that the codec may have written for a string or scalar.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<Node> {
    Some(match reader.byte()? {
        NULL => Node::new(Shape::Null),
        INT => Node::number(int(reader)?),
        STRING => {
            let text = string(reader.rest())?;
            reader.take_text(text.len())?;
            let _rest = reader.bytes(reader.rest().len());
            Node::text(text)
        }
        FLOAT => scalar::float(f32::from_le_bytes(reader.array()?)),
        BOOL => scalar::bool(reader.byte()?)?,
        BYTE => Node::number(i8::from_le_bytes(reader.array()?)),
        CHAR => scalar::char(u16::from_le_bytes(reader.array()?)),
        SHORT => Node::number(i16::from_le_bytes(reader.array()?)),
        LONG => Node::number(long(reader)?),
        DOUBLE => scalar::double(f64::from_le_bytes(reader.array()?)),
        _ => return None,
    })
}

/// Likely, save what is more likely to be another codec's or plain text.
pub(super) fn judge(payload: &[u8], tree: &Node) -> Verdict {
    let is_likely = match *payload {
        // The bytes could as well be Snappy's or FST's unless the characters make a text.
        [STRING, first, ..] if first < 0x80 && first != NEW_REFERENCE => {
            matches!(&tree.shape, Shape::Text(text) if text::is_plausible(text))
        }
        [FLOAT, a, b, c, d] => {
            let float = f32::from_le_bytes([a, b, c, d]);
            !float.is_normal() || (1e-20..1e20).contains(&float.abs())
        }
        [DOUBLE, ref rest @ ..] => rest.try_into().is_ok_and(is_plausible_double),
        _ => true,
    };
    let sure = if is_likely {
        Sure::Exact
    } else {
        Sure::Unlikely
    };
    Verdict {
        codec: Codec::Kryo5,
        sure,
        why: "Kryo 5 accounts for every byte",
    }
}

/// A line feed and eight characters of text are a text. A double that is out of this world read
/// forwards, or one that only makes sense read backwards (Kryo 3 and 4), is not Kryo 5's.
fn is_plausible_double(bytes: [u8; 8]) -> bool {
    let usual = |double: f64| (1e-9..1e18).contains(&double.abs());
    let forwards = f64::from_le_bytes(bytes);
    if bytes.iter().all(|b| matches!(b, b' '..=b'~')) {
        return false;
    }
    if forwards == 0.0 || !forwards.is_finite() || usual(forwards) {
        return true;
    }
    let possible = (1e-100..1e100).contains(&forwards.abs()) || forwards.abs() >= f64::MAX;
    possible && !usual(f64::from_be_bytes(bytes))
}

fn string(bytes: &[u8]) -> Option<String> {
    if let [NEW_REFERENCE, rest @ ..] = bytes
        && let Some(text) = plain_string(rest)
    {
        return Some(text);
    }
    plain_string(bytes)
}

fn plain_string(bytes: &[u8]) -> Option<String> {
    if *bytes.first()? < 0x80 {
        return ascii(bytes);
    }
    let mut reader = Reader::new(bytes, Budget::full());
    let units = string_length(&mut reader)?.checked_sub(1)?;
    let text = reader.units(usize::try_from(units).ok()?)?;
    reader.at_end(text)
}

/// Two or more characters, the last of them marked. Kryo 5 writes up to 32, Kryo 4 up to 63.
fn ascii(bytes: &[u8]) -> Option<String> {
    let (&last, body) = bytes.split_last()?;
    let fits = (2..64).contains(&bytes.len()) && last >= 0x80 && body.is_ascii();
    let marked = char::from(last & 0x7f);
    fits.then(|| {
        body.iter()
            .map(|&b| char::from(b))
            .chain([marked])
            .collect()
    })
}

/// The count in front of a string: bit 7 says that there is one, bit 6 that it goes on.
fn string_length(reader: &mut Reader<'_>) -> Option<u32> {
    let first = reader.byte()?;
    let mut length = u32::from(first & 0x3f);
    if first & 0x40 == 0 {
        return Some(length);
    }
    for shift in [6, 13, 20, 27] {
        let byte = reader.byte()?;
        length |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(length);
        }
    }
    None
}

fn int(reader: &mut Reader<'_>) -> Option<i32> {
    let zigzag = u32::try_from(varint(reader, 5)?).ok()?;
    Some((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed())
}

fn long(reader: &mut Reader<'_>) -> Option<i64> {
    let zigzag = varint(reader, 9)?;
    Some((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed())
}

/// A varint of at most `max` bytes in its shortest form; a ninth byte has all its eight bits.
fn varint(reader: &mut Reader<'_>, max: u32) -> Option<u64> {
    let mut number = 0;
    for i in 0..max {
        let byte = reader.byte()?;
        let is_ninth = i == 8;
        let bits = if is_ninth { byte } else { byte & 0x7f };
        number |= u64::from(bits) << (7 * i);
        if is_ninth || byte < 0x80 {
            return (byte != 0 || i == 0).then_some(number);
        }
    }
    None
}

/// A string, as Kryo 5 writes it.
pub(super) fn encode(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 6);
    out.push(STRING);
    if text.is_ascii()
        && (2..=32).contains(&text.len())
        && let Some((last, body)) = text.as_bytes().split_last()
    {
        out.extend_from_slice(body);
        out.push(last | 0x80);
    } else {
        write_length(&mut out, text.encode_utf16().count() + 1);
        write_units(&mut out, text, &[0]);
    }
    out
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
        assert_eq!(decode(&[LONG, 0x82, 0x00]), None);
        assert_eq!(decode(&[INT, 0xff, 0xff, 0xff, 0xff, 0x7f]), None);
        assert_eq!(decode(&[LONG, 0x02, 0x00]), None);
    }

    #[test]
    fn a_made_up_length_asks_for_no_memory() {
        assert_eq!(decode(&[STRING, 0xff, 0xff, 0xff, 0xff, 0x1f, b'x']), None);
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
        assert_ne!(recognised(&[&[DOUBLE], &three[..]].concat()), Codec::Kryo5);
        assert_ne!(recognised(b"\n12345678"), Codec::Kryo5);
    }
}
