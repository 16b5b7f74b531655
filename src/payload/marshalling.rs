//! `MarshallingCodec` (JBoss Marshalling, protocol River 4): strings and boxed scalars.
//!
//! A string has the number of its UTF-16 units in front, in one, two or four bytes, of which the
//! shorter two write their own maximum + 1 as 0. Numbers are big-endian. Objects are not read.

use super::codec::Codec;
use super::reader::{Reader, write_units};
use super::rows::{Sure, Verdict};
use super::scalar;
use super::tree::{Node, Shape};

/// The protocol's version, first byte of every payload.
const VERSION: u8 = 0x04;

const NULL: u8 = 0x01;
const STRING_EMPTY: u8 = 0x3d;
const STRING_SMALL: u8 = 0x3e;
const STRING_MEDIUM: u8 = 0x3f;
const STRING_LARGE: u8 = 0x40;
const BYTE: u8 = 0x49;
const SHORT: u8 = 0x4a;
const INTEGER: u8 = 0x4b;
const LONG: u8 = 0x4c;
const CHARACTER: u8 = 0x4d;
const FLOAT: u8 = 0x4e;
const DOUBLE: u8 = 0x4f;
const TRUE: u8 = 0x50;
const FALSE: u8 = 0x51;

/// Most units of a small and of a medium string; written as 0.
const SMALL_MAX: usize = 0x100;
const MEDIUM_MAX: usize = 0x1_0000;

/// Reads a string or a boxed scalar.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<Node> {
    reader.expect(&[VERSION])?;
    Some(match reader.byte()? {
        NULL => Node::new(Shape::Null),
        STRING_EMPTY => Node::text(""),
        STRING_SMALL => {
            let count = usize::from(reader.byte()?);
            string(reader, count, SMALL_MAX)?
        }
        STRING_MEDIUM => {
            let count = usize::from(u16::from_be_bytes(reader.array()?));
            string(reader, count, MEDIUM_MAX)?
        }
        STRING_LARGE => {
            let count = usize::try_from(u32::from_be_bytes(reader.array()?)).ok()?;
            Node::text(reader.units(count)?)
        }
        BYTE => Node::number(i8::from_be_bytes(reader.array()?)),
        SHORT => Node::number(i16::from_be_bytes(reader.array()?)),
        INTEGER => Node::number(i32::from_be_bytes(reader.array()?)),
        LONG => Node::number(i64::from_be_bytes(reader.array()?)),
        CHARACTER => scalar::char(u16::from_be_bytes(reader.array()?)),
        FLOAT => scalar::float(f32::from_be_bytes(reader.array()?)),
        DOUBLE => scalar::double(f64::from_be_bytes(reader.array()?)),
        TRUE => Node::new(Shape::Bool(true)),
        FALSE => Node::new(Shape::Bool(false)),
        _ => return None,
    })
}

/// A version and a type that River has are as good as a mark.
pub(super) fn judge(_: &[u8], _: &Node) -> Verdict {
    Verdict {
        codec: Codec::Marshalling,
        sure: Sure::Marked,
        why: "starts as JBoss River does",
    }
}

fn string(reader: &mut Reader<'_>, count: usize, max: usize) -> Option<Node> {
    reader
        .units(if count == 0 { max } else { count })
        .map(Node::text)
}

/// A string, as JBoss Marshalling writes it. Redis holds no string of 4 Gi units.
pub(super) fn encode(text: &str) -> Vec<u8> {
    let mut out = vec![VERSION];
    let count = text.encode_utf16().count();
    let [.., c2, c1, c0] = count.to_be_bytes();
    match count {
        0 => out.push(STRING_EMPTY),
        1..=SMALL_MAX => out.extend_from_slice(&[STRING_SMALL, c0]),
        0x101..=MEDIUM_MAX => out.extend_from_slice(&[STRING_MEDIUM, c1, c0]),
        _ => {
            let c3 = u8::try_from(count >> 24).unwrap_or(u8::MAX);
            out.extend_from_slice(&[STRING_LARGE, c3, c2, c1, c0]);
        }
    }
    write_units(&mut out, text, &[0xc0, 0x80]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::decode_as;
    use serde_json::{Value, json};

    fn decode(bytes: &[u8]) -> Option<Value> {
        decode_as(Codec::Marshalling, bytes).map(|read| read.value)
    }

    #[test]
    fn strings_of_every_length_read_back_with_the_headers_of_the_real_library() {
        for (length, header) in [
            (0, &[4, 0x3d][..]),
            (1, &[4, 0x3e, 1]),
            (256, &[4, 0x3e, 0]),
            (257, &[4, 0x3f, 1, 1]),
            (65_535, &[4, 0x3f, 0xff, 0xff]),
            (65_536, &[4, 0x3f, 0, 0]),
            (65_537, &[4, 0x40, 0, 1, 0, 1]),
            (70_000, &[4, 0x40, 0, 1, 0x11, 0x70]),
        ] {
            for c in ["x", "é", "订", "\0"] {
                let text = c.repeat(length);
                let bytes = encode(&text);
                assert!(bytes.starts_with(header), "{length}");
                assert_eq!(decode(&bytes), Some(json!(text)), "{length} {c:?}");
            }
        }
    }

    #[test]
    fn a_byte_too_few_or_too_many_is_not_jbosss() {
        let long = [4, LONG, 0, 0, 0, 0, 0, 0, 0, 1];
        assert_eq!(decode(&long), Some(json!(1)));
        assert_eq!(decode(&long[..9]), None);
        assert_eq!(decode(&[&long[..], &[0]].concat()), None);
    }
}
