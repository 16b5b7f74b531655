//! `CborJacksonCodec` and `CborJackson3Codec`: CBOR (RFC 8949), with Java's types as Jackson puts
//! them, or without any.
//!
//! The upper three bits of a first byte say what comes, the lower five how much of it. Jackson
//! writes objects and lists up to an end mark. A short text in CBOR is also plain text, since the
//! first byte is a letter: it is left to `text`.

use super::Codec;
use super::likely::{self, UnmarkedFormat};
use super::reader::Reader;
use super::tree::{Shape, TreeNode};
use super::verdict::CodecVerdict;
use super::{jackson, keyed, scalar};

mod tag;

/// Ends what has no length.
const BREAK: u8 = 0xff;
/// Of the lower bits: no length, up to the end mark.
const ENDLESS: u8 = 31;

/// Reads any one value.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<TreeNode> {
    let first = reader.byte()?;
    let (major, low) = (first >> 5, first & 0x1f);
    if low == ENDLESS {
        return endless(reader, major);
    }
    if major == 7 {
        return simple(reader, low);
    }
    let count = argument(reader, low)?;
    let length = usize::try_from(count);
    match major {
        0 => Some(TreeNode::number(count)),
        1 => Some(negative(count)),
        2 => keyed::bytes(reader, length.ok()?),
        3 => reader.utf8(length.ok()?).map(TreeNode::text),
        4 => {
            let nodes = reader.items(length.ok()?, value)?;
            Some(tag::list(nodes))
        }
        5 => reader.pairs(length.ok()?, value).map(keyed::object),
        _ => {
            let node = value(reader)?;
            Some(tag::tagged(reader, count, node))
        }
    }
}

fn value(reader: &mut Reader<'_>) -> Option<TreeNode> {
    reader.node(read)
}

/// A number or length: in the first byte, or in the one, two, four or eight after it.
fn argument(reader: &mut Reader<'_>, low: u8) -> Option<u64> {
    match low {
        0..=23 => Some(u64::from(low)),
        24..=27 => keyed::big_endian(reader, 1 << (low - 24)),
        _ => None,
    }
}

/// −1 − `count`.
fn negative(count: u64) -> TreeNode {
    match i64::try_from(count) {
        Ok(count) => TreeNode::number(-1 - count),
        Err(_) => scalar::decimal(&format!("-{}", u128::from(count) + 1)),
    }
}

fn simple(reader: &mut Reader<'_>, low: u8) -> Option<TreeNode> {
    match low {
        20 | 21 => scalar::bool(low - 20),
        22 | 23 => Some(TreeNode::new(Shape::Null)),
        25 => {
            let half = u16::from_be_bytes(reader.array()?);
            Some(scalar::double(of_half(half)))
        }
        26 => reader.array().map(f32::from_be_bytes).map(scalar::float),
        27 => reader.array().map(f64::from_be_bytes).map(scalar::double),
        _ => None,
    }
}

/// A number of 16 bits: 5 of exponent, 10 of fraction.
fn of_half(half: u16) -> f64 {
    let (exponent, fraction) = (half >> 10 & 0x1f, f64::from(half & 0x3ff));
    let size = match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2_f64.powi(i32::from(exponent) - 15),
    };
    if half >> 15 == 1 { -size } else { size }
}

/// Reads what ends at its mark: pieces of bytes or text, a list, an object.
fn endless(reader: &mut Reader<'_>, major: u8) -> Option<TreeNode> {
    match major {
        2 => {
            let bytes = pieces(reader, 2)?;
            Some(TreeNode::new(Shape::Bytes(bytes)))
        }
        3 => String::from_utf8(pieces(reader, 3)?)
            .ok()
            .map(TreeNode::text),
        4 => {
            let mut nodes = Vec::new();
            until_break(reader, |reader| {
                nodes.push(value(reader)?);
                Some(())
            })?;
            Some(tag::list(nodes))
        }
        5 => {
            let mut pairs = Vec::new();
            until_break(reader, |reader| {
                pairs.extend(reader.pairs(1, value)?);
                Some(())
            })?;
            Some(keyed::object(pairs))
        }
        _ => None,
    }
}

/// Runs `each` up to the end mark, or to where something is over a bound.
fn until_break(
    reader: &mut Reader<'_>,
    mut each: impl FnMut(&mut Reader<'_>) -> Option<()>,
) -> Option<()> {
    while !reader.is_cut() {
        if reader.peek()? == BREAK {
            reader.byte()?;
            break;
        }
        if each(reader).is_none() && !reader.is_cut() {
            return None;
        }
    }
    Some(())
}

/// Bytes or text in pieces that have lengths.
fn pieces(reader: &mut Reader<'_>, major: u8) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    until_break(reader, |reader| {
        let first = reader.byte()?;
        if first >> 5 != major {
            return None;
        }
        let length = usize::try_from(argument(reader, first & 0x1f)?).ok()?;
        let piece = reader.bytes(length)?;
        reader.take_text(length)?;
        all.extend_from_slice(piece);
        Some(())
    })?;
    Some(all)
}

/// Judges it as likely as what it says is unlikely to be said by accident; without Java's types in
/// what would have some, it is Jackson 3's.
pub(super) fn judge(payload: &[u8], tree: &TreeNode) -> CodecVerdict {
    let is_bare = !jackson::has_types(tree);
    likely::verdict(
        payload,
        tree,
        &UnmarkedFormat {
            codec: if is_bare { Codec::Cbor3 } else { Codec::Cbor },
            types: "CBOR with Java types in it",
            bare: "CBOR accounts for every byte",
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::{decode, decode_as};
    use serde_json::{Value, json};

    fn value(bytes: &[u8]) -> Option<String> {
        decode_as(Codec::Cbor, bytes).map(|read| read.value.to_string())
    }

    #[test]
    fn the_examples_of_the_rfc_are_read() {
        let examples: [(&[u8], &str); 20] = [
            (b"\x17", "23"),
            (b"\x18\x64", "100"),
            (
                b"\x1b\xff\xff\xff\xff\xff\xff\xff\xff",
                "18446744073709551615",
            ),
            (
                b"\x3b\xff\xff\xff\xff\xff\xff\xff\xff",
                "-18446744073709551616",
            ),
            (b"\x39\x03\xe7", "-1000"),
            (b"\xf9\x3c\x00", "1.0"),
            (b"\xf9\x7b\xff", "65504.0"),
            (b"\xf9\x00\x01", "5.960464477539063e-8"),
            (b"\xf9\x7c\x00", r#""Infinity""#),
            (b"\xfa\x47\xc3\x50\x00", "100000.0"),
            (b"\xfb\x3f\xf1\x99\x99\x99\x99\x99\x9a", "1.1"),
            (b"\xf7", "null"),
            (b"\x44\x01\x02\x03\x04", r#"{"bytes":"01020304"}"#),
            (
                b"\x5f\x42\x01\x02\x43\x03\x04\x05\xff",
                r#"{"bytes":"0102030405"}"#,
            ),
            (b"\x7f\x65strea\x64ming\xff", r#""streaming""#),
            (b"\x83\x01\x82\x02\x03\x9f\x04\x05\xff", "[1,[2,3],[4,5]]"),
            (
                b"\xbf\x61a\x01\x61b\x9f\x02\x03\xff\xff",
                r#"{"a":1,"b":[2,3]}"#,
            ),
            (b"\xa2\x01\x02\x03\x04", r#"{"1":2,"3":4}"#),
            (b"\xc2\x49\x01\0\0\0\0\0\0\0\0", "18446744073709551616"),
            (b"\xc4\x82\x21\x19\x6a\xb3", "273.15"),
        ];
        for (bytes, said) in examples {
            assert_eq!(value(bytes).as_deref(), Some(said), "{bytes:02x?}");
        }
    }

    #[test]
    fn counts_that_lie_and_ends_that_are_missing_are_no_cbor() {
        let bytes: [&[u8]; 8] = [
            b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff\x01",
            b"\x7b\xff\xff\xff\xff\xff\xff\xff\xffx",
            b"\x9f\x01",
            b"\xbf\x61a\xff",
            b"\x7f\x41a\xff",
            b"\xff",
            b"\x1c",
            b"\xc1",
        ];
        for bytes in bytes {
            assert_eq!(value(bytes), None, "{bytes:02x?}");
        }
    }

    #[test]
    fn a_short_text_stays_text_and_one_with_controls_is_cbor() {
        assert_eq!(decode(b"\x65hello").codec, Codec::Text);
        let read = decode(b"\x78\x1c{\"orderId\":42,\"state\":\"NEW\"}");
        assert_eq!(
            (read.codec, read.value),
            (Codec::Cbor, json!("{\"orderId\":42,\"state\":\"NEW\"}"))
        );
    }

    #[test]
    fn an_object_without_a_class_is_jackson_3s() {
        let read = decode(b"\xbf\x62id\x18\x2a\xff");
        assert_eq!((read.codec, read.value), (Codec::Cbor3, json!({"id": 42})));
        let typed = decode(b"\xbf\x66@class\x65a.b.C\x62id\x18\x2a\xff");
        let value: Value = json!({"@class": "a.b.C", "id": 42});
        assert_eq!((typed.codec, typed.value), (Codec::Cbor, value));
    }
}
