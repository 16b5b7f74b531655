//! `SerializationCodec` (Java's own serialisation): strings and boxed scalars.
//!
//! A boxed scalar is an object of a well-known class: the class's description is compared byte by
//! byte, the value follows it. Other objects are not read.

use serde_json::Value;

use super::reader::{Reader, write_units};
use super::value;

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
pub(super) fn decode(bytes: &[u8]) -> Option<Value> {
    let mut reader = Reader::new(bytes);
    reader.expect(MAGIC)?;
    let value = match reader.byte()? {
        NULL => Value::Null,
        STRING => {
            let length = u64::from(u16::from_be_bytes(reader.array()?));
            string(&mut reader, length)?
        }
        LONG_STRING => {
            let length = u64::from_be_bytes(reader.array()?);
            string(&mut reader, length)?
        }
        OBJECT => scalar(&mut reader)?,
        _ => return None,
    };
    reader.at_end(value)
}

/// A string of exactly `length` bytes, which must be all that is left.
fn string(reader: &mut Reader<'_>, length: u64) -> Option<Value> {
    if usize::try_from(length) != Ok(reader.rest().len()) {
        return None;
    }
    reader.all_units().map(Value::from)
}

fn scalar(reader: &mut Reader<'_>) -> Option<Value> {
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
        b'B' => Value::from(i8::from_be_bytes(reader.array()?)),
        b'S' => Value::from(i16::from_be_bytes(reader.array()?)),
        b'I' => Value::from(i32::from_be_bytes(reader.array()?)),
        b'J' => Value::from(i64::from_be_bytes(reader.array()?)),
        b'F' => value::float(f32::from_be_bytes(reader.array()?)),
        b'D' => value::double(f64::from_be_bytes(reader.array()?)),
        b'C' => value::char(u16::from_be_bytes(reader.array()?)),
        _ => match reader.byte()? {
            0 => Value::Bool(false),
            1 => Value::Bool(true),
            _ => return None,
        },
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
    use serde_json::json;

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
