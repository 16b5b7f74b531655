//! Payloads as people type them, and what they would have to type for one.

use serde_json::Value;

use super::encode_error::EncodeError;
use super::typed::{self, Scalar, WrittenValue};
use super::{Codec, decode_as};

/// The payload that says `text`, byte for byte as Redisson's codec writes that string.
///
/// The JSON codecs take JSON as it is typed: `42` is a number, `{"id":1}` an object, `"42"` a
/// string. What is no JSON becomes a JSON string, so that `hello` needs no quotes. Note that
/// `JsonJacksonCodec` reads an object only if it says its `@class`.
///
/// In the other codecs that keep Java's types a text is a string, save one like
/// `["java.lang.Long",42]`: a value of that class. A null is `["java.lang.String",null]`, a date
/// `["java.util.Date",1700000000123]` or `["java.util.Date","2023-11-14T22:13:20.123Z"]`, and a
/// string that looks like one of these is `["java.lang.String","…"]`.
pub fn encode(codec: Codec, text: &str) -> Result<Vec<u8>, EncodeError> {
    let writer = codec.writer().ok_or(EncodeError::NoCodec(codec))?;
    writer(text)
}

/// The payload of a codec that keeps Java's types: of a text, or of a value that is typed as one.
pub(super) fn with_type(
    text: &str,
    of_text: fn(&str) -> Vec<u8>,
    of_scalar: fn(Scalar) -> Vec<u8>,
) -> Result<Vec<u8>, EncodeError> {
    Ok(match &typed::parse(text)? {
        WrittenValue::Scalar(scalar) => of_scalar(*scalar),
        WrittenValue::String(said) => of_text(said),
        WrittenValue::Plain => of_text(text),
    })
}

/// The text that [`encode`] makes this payload of, byte for byte; none if there is none.
#[must_use]
pub fn spelled(codec: Codec, payload: &[u8]) -> Option<String> {
    let writes = |text: &str| encode(codec, text).as_deref() == Ok(payload);
    if !codec.is_writable() {
        return None;
    }
    // First of all: a megabyte that is no JSON would be quoted to see that it is not.
    let said = decode_as(codec, payload)?;
    if let Ok(plain) = str::from_utf8(payload)
        && writes(plain)
    {
        return Some(plain.to_owned());
    }
    let value = &said.value;
    // What holds others is written by no text but its own.
    if value.is_array() || value.is_object() {
        return None;
    }
    let text = said.whole();
    if writes(&text) {
        return Some(text.into_owned());
    }
    let mut typed = typed::CLASSES
        .iter()
        .map(|&class| format!("[{},{value}]", Value::from(class)));
    typed.find(|text| writes(text))
}
