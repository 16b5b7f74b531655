//! `SerializationCodec` (Java's own serialisation).

mod class;
mod stream;

use super::Codec;
use super::reader::{Reader, write_units};
use super::tree::TreeNode;
use super::typed::Scalar;
use super::verdict::{Certainty, CodecVerdict};
use stream::Stream;

/// The stream's magic number and version.
pub(super) const MAGIC: &[u8] = &[0xac, 0xed, 0x00, 0x05];

const NULL: u8 = 0x70;
const CLASS: u8 = 0x72;
const OBJECT: u8 = 0x73;
const STRING: u8 = 0x74;
const LONG_STRING: u8 = 0x7c;

/// After a class's version: serialisable, with one field.
const ONE_FIELD: &[u8] = &[0x02, 0x00, 0x01];
/// The field's name, the end of the class's annotations.
const NAMED_VALUE: &[u8] = b"\0\x05value\x78";
/// The superclass of all numbers, which has no fields and no further superclass.
const NUMBER: &[u8] = b"\x72\0\x10java.lang.Number\x86\xac\x95\x1d\x0b\x94\xe0\x8b\x02\0\0\x78\x70";

/// Before the milliseconds of a `java.util.Date`: an object of a class that writes itself, without
/// fields, and a block of eight bytes.
const DATE_BEFORE: &[u8] =
    b"\x73\x72\0\x0ejava.util.Date\x68\x6a\x81\x01\x4b\x59\x74\x19\x03\0\0\x78\x70\x77\x08";
const END_BLOCK: u8 = 0x78;

/// Reads one object.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<TreeNode> {
    reader.expect(MAGIC)?;
    let start = reader.mark();
    let usual = Stream::default().value(reader);
    if let Some(node) = usual.and_then(|node| reader.at_end(node)) {
        return Some(node);
    }
    reader.back(start);
    Stream::wary().value(reader)
}

/// The magic number is Java's alone.
pub(super) fn judge(_: &[u8], _: &TreeNode) -> CodecVerdict {
    CodecVerdict {
        codec: Codec::Serialization,
        sure: Certainty::Marked,
        why: "starts as Java's serialization does",
    }
}

/// A boxed scalar, as Java writes it: an object with one field, of a class whose version and
/// superclass are known.
pub(super) fn encode_scalar(scalar: Scalar) -> Vec<u8> {
    let (name, version, field) = match scalar {
        Scalar::Null => return [MAGIC, &[NULL]].concat(),
        Scalar::Date(_) => {
            return [MAGIC, DATE_BEFORE, &scalar.to_be_bytes(), &[END_BLOCK]].concat();
        }
        Scalar::Byte(_) => ("Byte", 0x9c4e_6084_ee50_f51c_u64, b'B'),
        Scalar::Short(_) => ("Short", 0x684d_3713_3460_da52, b'S'),
        Scalar::Int(_) => ("Integer", 0x12e2_a0a4_f781_8738, b'I'),
        Scalar::Long(_) => ("Long", 0x3b8b_e490_cc8f_23df, b'J'),
        Scalar::Float(_) => ("Float", 0xdaed_c9a2_db3c_f0ec, b'F'),
        Scalar::Double(_) => ("Double", 0x80b3_c24a_296b_fb04, b'D'),
        Scalar::Char(_) => ("Character", 0x348b_47d9_6b1a_2678, b'C'),
        Scalar::Bool(_) => ("Boolean", 0xcd20_7280_d59c_faee, b'Z'),
    };
    let class = format!("java.lang.{name}");
    let length = u8::try_from(class.len()).unwrap_or(u8::MAX);
    let is_number = !matches!(scalar, Scalar::Char(_) | Scalar::Bool(_));
    let parent = if is_number { NUMBER } else { &[NULL] };
    [
        MAGIC,
        &[OBJECT, CLASS, 0, length],
        class.as_bytes(),
        &version.to_be_bytes(),
        ONE_FIELD,
        &[field],
        NAMED_VALUE,
        parent,
        &scalar.to_be_bytes(),
    ]
    .concat()
}

/// A string, as Java writes it.
pub(super) fn encode(text: &str) -> Vec<u8> {
    let mut units = Vec::with_capacity(text.len());
    write_units(&mut units, text, &[0xc0, 0x80]);
    let mut out = MAGIC.to_vec();
    if let Ok(length) = u16::try_from(units.len()) {
        out.push(STRING);
        out.extend_from_slice(&length.to_be_bytes());
    } else {
        out.push(LONG_STRING);
        out.extend_from_slice(&(units.len() as u64).to_be_bytes());
    }
    out.extend_from_slice(&units);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::decode_as;
    use serde_json::{Value, json};

    fn decode(bytes: &[u8]) -> Option<Value> {
        decode_as(Codec::Serialization, bytes).map(|read| read.value)
    }

    #[test]
    fn strings_of_every_length_read_back() {
        for length in [0, 1, 300, 21_845, 21_846, 65_535, 65_536, 70_000] {
            for c in ["x", "é", "订", "🚀", "\0"] {
                let text = c.repeat(length);
                assert_eq!(decode(&encode(&text)), Some(json!(text)), "{length} {c:?}");
            }
        }
        assert_eq!(encode(&"x".repeat(65_536))[4], LONG_STRING);
    }

    #[test]
    fn a_wrong_length_is_not_javas() {
        assert_eq!(decode(b"\xac\xed\0\x05\x74\0\x05hell"), None);
        assert_eq!(decode(b"\xac\xed\0\x05\x74\0\x05hello!"), None);
        assert_eq!(decode(b"\xac\xed\0\x05\x70\x70"), None);
    }
}
