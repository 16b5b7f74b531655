//! `SerializationCodec` (Java's own serialisation): strings and boxed scalars.
//!
//! A boxed scalar is an object of a well-known class: the class's description is compared byte by
//! byte, the value follows it. Other objects are not read.

use super::codec::Codec;
use super::reader::{Reader, write_units};
use super::rows::{Sure, Verdict};
use super::scalar;
use super::tree::{Node, Shape};

/// The stream's magic number and version.
const MAGIC: &[u8] = &[0xac, 0xed, 0x00, 0x05];

const NULL: u8 = 0x70;
const CLASS: u8 = 0x72;
const OBJECT: u8 = 0x73;
const STRING: u8 = 0x74;
const LONG_STRING: u8 = 0x7c;

/// After the class's version: serialisable, with one field.
const ONE_FIELD: &[u8] = &[0x02, 0x00, 0x01];
/// The field's name, the end of the class's annotations.
const NAMED_VALUE: &[u8] = b"\0\x05value\x78";
/// The superclass of all numbers, which has no fields and no further superclass.
const NUMBER: &[u8] = b"\x72\0\x10java.lang.Number\x86\xac\x95\x1d\x0b\x94\xe0\x8b\x02\0\0\x78\x70";

/// A class whose objects are one scalar.
struct Boxed {
    name: &'static str,
    version: u64,
    /// The type of the field `value`, as in a class file.
    field: u8,
}

/// All of them; the last two are no `Number`s.
const BOXED: [Boxed; 8] = [
    boxed("java.lang.Byte", 0x9c4e_6084_ee50_f51c, b'B'),
    boxed("java.lang.Short", 0x684d_3713_3460_da52, b'S'),
    boxed("java.lang.Integer", 0x12e2_a0a4_f781_8738, b'I'),
    boxed("java.lang.Long", 0x3b8b_e490_cc8f_23df, b'J'),
    boxed("java.lang.Float", 0xdaed_c9a2_db3c_f0ec, b'F'),
    boxed("java.lang.Double", 0x80b3_c24a_296b_fb04, b'D'),
    boxed("java.lang.Character", 0x348b_47d9_6b1a_2678, b'C'),
    boxed("java.lang.Boolean", 0xcd20_7280_d59c_faee, b'Z'),
];

const fn boxed(name: &'static str, version: u64, field: u8) -> Boxed {
    Boxed {
        name,
        version,
        field,
    }
}

/// Reads a string or a boxed scalar.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<Node> {
    reader.expect(MAGIC)?;
    match reader.byte()? {
        NULL => Some(Node::new(Shape::Null)),
        STRING => {
            let length = usize::from(u16::from_be_bytes(reader.array()?));
            reader.modified_utf8(length).map(Node::text)
        }
        LONG_STRING => {
            let length = usize::try_from(u64::from_be_bytes(reader.array()?)).ok()?;
            reader.modified_utf8(length).map(Node::text)
        }
        OBJECT => boxed_scalar(reader),
        _ => None,
    }
}

/// The magic number is Java's alone.
pub(super) fn judge(_: &[u8], _: &Node) -> Verdict {
    Verdict {
        codec: Codec::Serialization,
        sure: Sure::Marked,
        why: "starts as Java's serialization does",
    }
}

fn boxed_scalar(reader: &mut Reader<'_>) -> Option<Node> {
    reader.expect(&[CLASS])?;
    let length = usize::from(u16::from_be_bytes(reader.array()?));
    let class = BOXED.iter().find(|class| {
        class.name.len() == length && reader.rest().starts_with(class.name.as_bytes())
    })?;
    reader.expect(class.name.as_bytes())?;
    reader.expect(&class.version.to_be_bytes())?;
    reader.expect(ONE_FIELD)?;
    reader.expect(&[class.field])?;
    reader.expect(NAMED_VALUE)?;
    if matches!(class.field, b'C' | b'Z') {
        reader.expect(&[NULL])?;
    } else {
        reader.expect(NUMBER)?;
    }
    Some(match class.field {
        b'B' => Node::number(i8::from_be_bytes(reader.array()?)),
        b'S' => Node::number(i16::from_be_bytes(reader.array()?)),
        b'I' => Node::number(i32::from_be_bytes(reader.array()?)),
        b'J' => Node::number(i64::from_be_bytes(reader.array()?)),
        b'F' => scalar::float(f32::from_be_bytes(reader.array()?)),
        b'D' => scalar::double(f64::from_be_bytes(reader.array()?)),
        b'C' => scalar::char(u16::from_be_bytes(reader.array()?)),
        _ => scalar::bool(reader.byte()?)?,
    })
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
