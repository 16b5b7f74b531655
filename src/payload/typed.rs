//! Values to be written with a type of Java's: as Jackson has it, `["java.lang.Long",42]`.
//!
//! Kryo, JBoss Marshalling and Java's serialization write a `long` otherwise than an `int` or the
//! text of its digits: whoever offers or edits one says which it is.

use std::str::FromStr;

use chrono::DateTime;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use super::encode_error::EncodeError;

/// No scalar with its class is longer: what is may be a document of megabytes.
const MAX_TYPED: usize = 1024;

/// A value of one of Java's types.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scalar {
    Null,
    Byte(i8),
    Short(i16),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Bool(bool),
    /// One UTF-16 unit.
    Char(u16),
    /// `java.util.Date`: epoch milliseconds.
    Date(i64),
}

/// The value that a text is written as.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum WrittenValue {
    /// The text itself.
    Plain,
    /// The string whose class was said.
    String(String),
    Scalar(Scalar),
}

/// The classes whose values can be written.
pub(super) const CLASSES: [&str; 10] = [
    STRING,
    "java.lang.Integer",
    "java.lang.Long",
    "java.lang.Double",
    "java.lang.Boolean",
    "java.lang.Float",
    "java.lang.Short",
    "java.lang.Byte",
    "java.lang.Character",
    DATE,
];

/// The class of a string, which has to be said only where the string itself looks like this.
pub(super) const STRING: &str = "java.lang.String";
pub(super) const DATE: &str = "java.util.Date";

/// Reads what was typed. A value of a class of Java's that nobody here can write is refused: it
/// would arrive as a string.
pub(super) fn parse(text: &str) -> Result<WrittenValue, EncodeError> {
    // Without the value, which may be megabytes: it matters only if the class is one of these.
    let Some((class, _)) = pair::<IgnoredAny>(text) else {
        return Ok(WrittenValue::Plain);
    };
    if !CLASSES.contains(&class.as_str()) {
        return if class.starts_with("java.") {
            Err(EncodeError::NoClass(class))
        } else {
            Ok(WrittenValue::Plain)
        };
    }
    if class == STRING
        && let Some((_, said)) = pair::<String>(text)
    {
        return Ok(WrittenValue::String(said));
    }
    let no_scalar = |said: &str| EncodeError::NotOfClass(said.to_owned(), class.clone());
    if text.len() > MAX_TYPED {
        return Err(no_scalar("what is so long"));
    }
    match pair(text) {
        Some((_, Value::Null)) => Ok(WrittenValue::Scalar(Scalar::Null)),
        Some((_, value)) => match scalar(&class, &value) {
            Some(scalar) => Ok(WrittenValue::Scalar(scalar)),
            None => Err(no_scalar(&value.to_string())),
        },
        None => Ok(WrittenValue::Plain),
    }
}

/// The class that was said.
pub(super) fn class(text: &str) -> Option<&'static str> {
    let (class, _) = pair::<IgnoredAny>(text)?;
    CLASSES.into_iter().find(|known| *known == class)
}

/// The class that a word names: in full, or without its package.
#[must_use]
pub fn class_named(word: &str) -> Option<&'static str> {
    let is_meant = |class: &&str| {
        let short = class.rsplit('.').next().unwrap_or(class);
        *class == word || short.eq_ignore_ascii_case(word)
    };
    CLASSES.into_iter().find(is_meant)
}

/// A class and a value, as they were typed.
fn pair<T: DeserializeOwned>(text: &str) -> Option<(String, T)> {
    if !text.trim_start().starts_with('[') {
        return None;
    }
    serde_json::from_str(text).ok()
}

/// A value of a class, if it is one.
pub(super) fn scalar(class: &str, value: &Value) -> Option<Scalar> {
    let whole = || value.as_i64();
    Some(match class {
        "java.lang.Byte" => Scalar::Byte(whole()?.try_into().ok()?),
        "java.lang.Short" => Scalar::Short(whole()?.try_into().ok()?),
        "java.lang.Integer" => Scalar::Int(whole()?.try_into().ok()?),
        "java.lang.Long" => Scalar::Long(whole()?),
        "java.lang.Float" => Scalar::Float(floating(value)?),
        "java.lang.Double" => Scalar::Double(floating(value)?),
        "java.lang.Boolean" => Scalar::Bool(value.as_bool()?),
        "java.lang.Character" => {
            let mut units = value.as_str()?.encode_utf16();
            let unit = units.next()?;
            if units.next().is_some() {
                return None;
            }
            Scalar::Char(unit)
        }
        DATE => Scalar::Date(match value.as_str() {
            Some(text) => DateTime::parse_from_rfc3339(text).ok()?.timestamp_millis(),
            None => whole()?,
        }),
        _ => return None,
    })
}

/// Reads a number; what JSON has none for is written as Java prints it.
fn floating<F: FromStr>(value: &Value) -> Option<F> {
    match value {
        Value::Number(number) => number.as_str().parse().ok(),
        Value::String(word) if matches!(&**word, "NaN" | "Infinity" | "-Infinity") => {
            word.parse().ok()
        }
        _ => None,
    }
}

impl Scalar {
    /// Its bytes, the highest first.
    pub(super) fn to_be_bytes(self) -> Vec<u8> {
        match self {
            Self::Null => Vec::new(),
            Self::Byte(byte) => byte.to_be_bytes().to_vec(),
            Self::Short(short) => short.to_be_bytes().to_vec(),
            Self::Int(int) => int.to_be_bytes().to_vec(),
            Self::Long(long) | Self::Date(long) => long.to_be_bytes().to_vec(),
            Self::Float(float) => float.to_be_bytes().to_vec(),
            Self::Double(double) => double.to_be_bytes().to_vec(),
            Self::Bool(is) => vec![u8::from(is)],
            Self::Char(unit) => unit.to_be_bytes().to_vec(),
        }
    }
}
