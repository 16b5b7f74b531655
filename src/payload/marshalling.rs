//! `MarshallingCodec` (JBoss Marshalling, protocol River).
//!
//! A string has the number of its UTF-16 units in front, in one, two or four bytes, of which the
//! shorter two write their own maximum + 1 as 0. Numbers are big-endian.

mod class;
mod describe;
mod parts;
mod river;

use super::Codec;
use super::reader::{Reader, write_units};
use super::tree::TreeNode;
use super::typed::Scalar;
use super::verdict::{Certainty, CodecVerdict};
use parts::{STRING_EMPTY, STRING_LARGE, STRING_MEDIUM, STRING_SMALL};
use river::River;

/// The protocol's version, first byte of every payload: the newest, and the oldest that is read.
const VERSION: u8 = 0x04;
const OLDEST: u8 = 0x02;

/// Most units of a small and of a medium string; written as 0.
const SMALL_MAX: usize = 0x100;
const MEDIUM_MAX: usize = 0x1_0000;

/// Around the milliseconds of a `java.util.Date`: an object of a class with a `writeObject` and its
/// own version, no fields, a block of eight bytes; the end of what it has written.
const DATE_BEFORE: &[u8] =
    b"\x04\x04\x38\x3e\x0ejava.util.Date\x68\x6a\x81\x01\x4b\x59\x74\x19\0\0\0\0\x16\x32\x08";
const DATE_AFTER: &[u8] = b"\x35";

/// Reads one object.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<TreeNode> {
    let version = reader.byte()?;
    if !(OLDEST..=VERSION).contains(&version) {
        return None;
    }
    River::new(version).value(reader)
}

/// The newest version and a type that River has are as good as a mark. Two bytes of an older one
/// are a small number in Kryo as well, and Redisson never wrote them.
pub(super) fn judge(payload: &[u8], _: &TreeNode) -> CodecVerdict {
    let sure = match payload.first() {
        Some(&VERSION) => Certainty::Marked,
        _ => Certainty::Unlikely,
    };
    CodecVerdict {
        codec: Codec::Marshalling,
        sure,
        why: "starts as JBoss River does",
    }
}

/// A boxed scalar, as JBoss Marshalling writes it.
pub(super) fn encode_scalar(scalar: Scalar) -> Vec<u8> {
    let class = match scalar {
        Scalar::Null => 0x01,
        Scalar::Date(_) => return [DATE_BEFORE, &scalar.to_be_bytes(), DATE_AFTER].concat(),
        Scalar::Bool(true) => return vec![VERSION, 0x50],
        Scalar::Bool(false) => return vec![VERSION, 0x51],
        Scalar::Byte(_) => 0x49,
        Scalar::Short(_) => 0x4a,
        Scalar::Int(_) => 0x4b,
        Scalar::Long(_) => 0x4c,
        Scalar::Char(_) => 0x4d,
        Scalar::Float(_) => 0x4e,
        Scalar::Double(_) => 0x4f,
    };
    [vec![VERSION, class], scalar.to_be_bytes()].concat()
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
        let long = [4, 0x4c, 0, 0, 0, 0, 0, 0, 0, 1];
        assert_eq!(decode(&long), Some(json!(1)));
        assert_eq!(decode(&long[..9]), None);
        assert_eq!(decode(&[&long[..], &[0]].concat()), None);
    }
}
