//! `MsgPackJacksonCodec`: `MessagePack`, with Java's types as Jackson puts them.
//!
//! A first byte says what comes and, of small things, how much of it. Nothing marks a payload as
//! `MessagePack`, so that only what says a good deal is believed.

use super::Codec;
use super::likely::{self, UnmarkedFormat};
use super::reader::Reader;
use super::tree::{Shape, TreeNode};
use super::verdict::CodecVerdict;
use super::{keyed, scalar, time};

/// The extension that is a point in time.
const TIMESTAMP: i8 = -1;

/// Reads any one value.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<TreeNode> {
    let first = reader.byte()?;
    match first {
        0x00..=0x7f => Some(TreeNode::number(first)),
        0x80..=0x8f => object(reader, usize::from(first & 0x0f)),
        0x90..=0x9f => list(reader, usize::from(first & 0x0f)),
        0xa0..=0xbf => text(reader, usize::from(first & 0x1f)),
        0xe0..=0xff => Some(TreeNode::number(first.cast_signed())),
        0xc0 => Some(TreeNode::new(Shape::Null)),
        0xc2 | 0xc3 => scalar::bool(first & 1),
        0xca => reader.array().map(f32::from_be_bytes).map(scalar::float),
        0xcb => reader.array().map(f64::from_be_bytes).map(scalar::double),
        0xcc => Some(TreeNode::number(u8::from_be_bytes(reader.array()?))),
        0xcd => Some(TreeNode::number(u16::from_be_bytes(reader.array()?))),
        0xce => Some(TreeNode::number(u32::from_be_bytes(reader.array()?))),
        0xcf => Some(TreeNode::number(u64::from_be_bytes(reader.array()?))),
        0xd0 => Some(TreeNode::number(i8::from_be_bytes(reader.array()?))),
        0xd1 => Some(TreeNode::number(i16::from_be_bytes(reader.array()?))),
        0xd2 => Some(TreeNode::number(i32::from_be_bytes(reader.array()?))),
        0xd3 => Some(TreeNode::number(i64::from_be_bytes(reader.array()?))),
        0xc1 => None,
        _ => sized(reader, first),
    }
}

/// Reads what has its length or count in the bytes after the first.
fn sized(reader: &mut Reader<'_>, first: u8) -> Option<TreeNode> {
    let length_bytes = match first {
        0xc4 | 0xc7 | 0xd9 => 1,
        0xc5 | 0xc8 | 0xda | 0xdc | 0xde => 2,
        0xc6 | 0xc9 | 0xdb | 0xdd | 0xdf => 4,
        _ => return extension(reader, 1 << (first - 0xd4)),
    };
    let length = keyed::big_endian(reader, length_bytes)?;
    let length = usize::try_from(length).ok()?;
    match first {
        0xc4..=0xc6 => keyed::bytes(reader, length),
        0xc7..=0xc9 => extension(reader, length),
        0xd9..=0xdb => text(reader, length),
        0xdc | 0xdd => list(reader, length),
        _ => object(reader, length),
    }
}

fn text(reader: &mut Reader<'_>, length: usize) -> Option<TreeNode> {
    reader.utf8(length).map(TreeNode::text)
}

fn list(reader: &mut Reader<'_>, count: usize) -> Option<TreeNode> {
    let nodes = reader.items(count, |reader| reader.node(read))?;
    Some(TreeNode::new(Shape::List(nodes)))
}

fn object(reader: &mut Reader<'_>, count: usize) -> Option<TreeNode> {
    let pairs = reader.pairs(count, |reader| reader.node(read))?;
    Some(keyed::object(pairs))
}

/// Bytes with a number that says what they are; points in time are read.
fn extension(reader: &mut Reader<'_>, length: usize) -> Option<TreeNode> {
    let kind = i8::from_be_bytes(reader.array()?);
    if kind == TIMESTAMP
        && let Some(node) = timestamp(reader, length)
    {
        return Some(node);
    }
    Some(keyed::bytes(reader, length)?.of(format!("ext {kind}")))
}

/// Seconds since the epoch, with nanoseconds in 30 bits before 34 of them, or before all 64.
fn timestamp(reader: &mut Reader<'_>, length: usize) -> Option<TreeNode> {
    let mark = reader.mark();
    let (seconds, nanos) = match length {
        4 => (i64::from(u32::from_be_bytes(reader.array()?)), 0),
        8 => {
            let both = u64::from_be_bytes(reader.array()?);
            let seconds = i64::try_from(both & 0x3_ffff_ffff).ok()?;
            (seconds, u32::try_from(both >> 34).ok()?)
        }
        12 => {
            let nanos = u32::from_be_bytes(reader.array()?);
            (i64::from_be_bytes(reader.array()?), nanos)
        }
        _ => return None,
    };
    if nanos > 999_999_999 {
        reader.back(mark);
        return None;
    }
    Some(TreeNode::text(time::instant(seconds, nanos)).of("timestamp"))
}

/// Judges it as likely as what it says is unlikely to be said by accident.
pub(super) fn judge(payload: &[u8], tree: &TreeNode) -> CodecVerdict {
    likely::verdict(
        payload,
        tree,
        &UnmarkedFormat {
            codec: Codec::MsgPack,
            types: "MessagePack with Java types in it",
            bare: "MessagePack accounts for every byte",
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::{decode, decode_as};
    use serde_json::{Value, json};

    fn value(bytes: &[u8]) -> Option<Value> {
        decode_as(Codec::MsgPack, bytes).map(|read| read.value)
    }

    #[test]
    fn every_width_of_number_is_that_number() {
        let numbers: [(&[u8], Value); 12] = [
            (&[0x7f], json!(127)),
            (&[0xe0], json!(-32)),
            (&[0xcc, 0xff], json!(255)),
            (&[0xcd, 1, 0], json!(256)),
            (&[0xce, 0, 1, 0, 0], json!(65_536)),
            (
                &[0xcf, 255, 255, 255, 255, 255, 255, 255, 255],
                json!(u64::MAX),
            ),
            (&[0xd0, 0x80], json!(-128)),
            (&[0xd1, 0xfe, 0xd4], json!(-300)),
            (&[0xd2, 0xff, 0xfe, 0xee, 0x90], json!(-70_000)),
            (&[0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0], json!(i64::MIN)),
            (&[0xca, 0x3f, 0xc0, 0, 0], json!(1.5)),
            (
                &[0xcb, 0x40, 0x33, 0xfd, 0x70, 0xa3, 0xd7, 0x0a, 0x3d],
                json!(19.99),
            ),
        ];
        for (bytes, number) in numbers {
            let read = value(bytes).map(|v| v.to_string());
            assert_eq!(read, Some(number.to_string()), "{bytes:02x?}");
        }
    }

    #[test]
    fn counts_that_lie_about_what_follows_are_no_messagepack() {
        let bytes: [&[u8]; 6] = [
            b"\xdd\xff\xff\xff\xff\x01",
            b"\xdb\xff\xff\xff\xffx",
            b"\xdf\xff\xff\xff\xff\xa1a\x01",
            b"\x92\x01",
            b"\xc1",
            b"\xa2\xff\xff",
        ];
        for bytes in bytes {
            assert_eq!(value(bytes), None, "{bytes:02x?}");
        }
    }

    #[test]
    fn points_in_time_are_said_as_such_and_other_extensions_as_bytes() {
        let second = value(b"\xd6\xff\x65\x53\xf1\x00");
        assert_eq!(second, Some(json!("2023-11-14T22:13:20Z")));
        let other = value(b"\xd4\x05\x2a");
        assert_eq!(other, Some(json!({"bytes": "2a"})));
        let no_time = value(b"\xd7\xff\xff\xff\xff\xff\xff\xff\xff\xff");
        assert_eq!(no_time, Some(json!({"bytes": "ffffffffffffffff"})));
    }

    #[test]
    fn keys_that_are_no_texts_make_a_map() {
        assert_eq!(value(b"\x81\x01\xa1a"), Some(json!({"1": "a"})));
    }

    #[test]
    fn small_numbers_are_believed_only_when_told() {
        for bytes in [b"\x01", b"\xff", b"\xe5"] {
            assert_ne!(decode(bytes).codec, Codec::MsgPack);
            assert!(value(bytes).is_some());
        }
    }
}
