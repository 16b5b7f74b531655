//! Scalars to be written with a type of Java's: as Jackson has it, `["java.lang.Long",42]`.
//!
//! Kryo, JBoss Marshalling and Java's serialization write a `long` otherwise than an `int` or the
//! text of its digits: whoever offers or edits one says which it is.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// No scalar with its class is longer: what is may be a document of megabytes.
const MAX_TYPED: usize = 1024;

/// A scalar of one of Java's types.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scalar {
    Byte(i8),
    Short(i16),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Bool(bool),
    /// One UTF-16 unit.
    Char(u16),
}

/// Java's names for them.
pub(super) const CLASSES: [&str; 8] = [
    "java.lang.Integer",
    "java.lang.Long",
    "java.lang.Double",
    "java.lang.Boolean",
    "java.lang.Float",
    "java.lang.Short",
    "java.lang.Byte",
    "java.lang.Character",
];

/// The class of a string, which has to be said only where the string itself looks like this.
pub(super) const STRING: &str = "java.lang.String";

/// The string that was typed, if its class was said.
pub(super) fn string(text: &str) -> Option<String> {
    let (class, said): (String, String) = pair(text)?;
    (class == STRING).then_some(said)
}

/// A class and a value, as they were typed.
fn pair<T: DeserializeOwned>(text: &str) -> Option<(String, T)> {
    if !text.trim_start().starts_with('[') {
        return None;
    }
    serde_json::from_str(text).ok()
}

/// The scalar that was typed, if it is one: its class and its value.
pub(super) fn parse(text: &str) -> Option<Scalar> {
    if text.len() > MAX_TYPED {
        return None;
    }
    let (class, value): &(String, Value) = &pair(text)?;
    let whole = || value.as_i64();
    Some(match class.as_str() {
        "java.lang.Byte" => Scalar::Byte(whole()?.try_into().ok()?),
        "java.lang.Short" => Scalar::Short(whole()?.try_into().ok()?),
        "java.lang.Integer" => Scalar::Int(whole()?.try_into().ok()?),
        "java.lang.Long" => Scalar::Long(whole()?),
        "java.lang.Float" => Scalar::Float(value.as_number()?.as_str().parse().ok()?),
        "java.lang.Double" => Scalar::Double(value.as_f64()?),
        "java.lang.Boolean" => Scalar::Bool(value.as_bool()?),
        "java.lang.Character" => {
            let mut units = value.as_str()?.encode_utf16();
            let unit = units.next()?;
            if units.next().is_some() {
                return None;
            }
            Scalar::Char(unit)
        }
        _ => return None,
    })
}

impl Scalar {
    /// Its bytes, the highest first.
    pub(super) fn to_be_bytes(self) -> Vec<u8> {
        match self {
            Self::Byte(byte) => byte.to_be_bytes().to_vec(),
            Self::Short(short) => short.to_be_bytes().to_vec(),
            Self::Int(int) => int.to_be_bytes().to_vec(),
            Self::Long(long) => long.to_be_bytes().to_vec(),
            Self::Float(float) => float.to_be_bytes().to_vec(),
            Self::Double(double) => double.to_be_bytes().to_vec(),
            Self::Bool(is) => vec![u8::from(is)],
            Self::Char(unit) => unit.to_be_bytes().to_vec(),
        }
    }
}
