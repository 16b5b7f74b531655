//! What is inside an entry: which codec wrote the payload, and what it says.
//!
//! Pure. A file per codec; adding one is a file, a variant of [`Codec`] and its fixture rows.
//! Nothing here fails or panics: what no codec explains is shown as hex.
//!
//! A codec must explain every byte. Where several do, the order of trial decides: the codecs that
//! mark their payloads (Java's, JBoss's), JSON, Kryo, then UTF-8 that can have been meant as text.
//! Kryo's payloads begin with a control character, which texts hardly ever do.
//! What cannot be told apart, since the bytes are the same:
//!
//! * a bare number, `true`, `false`, `null`: text, JSON and others → `text`;
//! * a bare JSON string: JSON with or without types, Ion → `json`;
//! * Kryo 3 and 4 → `kryo5`;
//! * Ion (which is text), a short string in CBOR, a small number in msgpack → `text`;
//! * a byte of zero: Kryo's null and CBOR's 0 → `kryo5`;
//! * a tab and one character: a text and a small `long` in Kryo → `kryo5`;
//! * a two-character string in JBoss and a `float` in Kryo → `marshalling`;
//! * `08` and two bytes: a `short` in Kryo and a protobuf with one number → `kryo5`;
//! * a Kryo string that begins with U+0001, and one with the mark of `useReferences` → the latter.

mod foreign;
mod json;
mod kryo5;
mod line;
mod marshalling;
mod plain;
mod reader;
mod serialization;
mod text;
mod value;

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

pub use plain::{SEPARATORS, plain};

/// The codecs that are recognised, by the names of Redisson's own.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Codec {
    /// `StringCodec`, `LongCodec`, `IntegerCodec`, `DoubleCodec`: plain UTF-8.
    Text,
    /// `JsonJacksonCodec`: JSON that carries Java types.
    Json,
    /// `TypedJsonJacksonCodec` and any other JSON without Java types.
    TypedJson,
    /// `Kryo5Codec`.
    Kryo5,
    /// `MarshallingCodec` (JBoss River).
    Marshalling,
    /// `SerializationCodec` (Java's own).
    Serialization,
    /// None of them: shown as hex.
    Unknown,
}

/// A payload, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// Which codec explains every byte of it.
    pub codec: Codec,
    /// The value as JSON; null when nothing explains it.
    pub value: Value,
    /// One line for tables: of a string the string itself, of all else compact JSON, hex when
    /// nothing explains it. Without control characters, cut after 4,096 characters.
    pub text: String,
}

/// Why a text cannot become a payload.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum EncodeError {
    /// There is no codec to write it with.
    #[error("a codec must be named to write a payload: `{0}` is none")]
    NoCodec(Codec),
}

impl Codec {
    /// All of them, in the order in which they are listed to people.
    pub const ALL: [Self; 7] = [
        Self::Text,
        Self::Json,
        Self::TypedJson,
        Self::Kryo5,
        Self::Marshalling,
        Self::Serialization,
        Self::Unknown,
    ];

    /// The word for it in screens, flags and JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::TypedJson => "typed-json",
            Self::Kryo5 => "kryo5",
            Self::Marshalling => "marshalling",
            Self::Serialization => "serialization",
            Self::Unknown => "unknown",
        }
    }

    /// The codec that a word names; none for any other word.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|codec| codec.name() == name)
    }
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Decoded {
    fn new(codec: Codec, value: Value) -> Self {
        let text = line::of_value(&value);
        Self { codec, value, text }
    }

    /// All of it as text, for finding words in it: [`text`](Self::text) is cut when it is long.
    #[must_use]
    pub fn whole(&self) -> Cow<'_, str> {
        match &self.value {
            Value::Null => Cow::Borrowed(&self.text),
            Value::String(text) => Cow::Borrowed(text),
            other => Cow::Owned(other.to_string()),
        }
    }

    fn unknown(payload: &[u8]) -> Self {
        Self {
            codec: Codec::Unknown,
            value: Value::Null,
            text: line::of_bytes(payload),
        }
    }
}

/// Reads a payload whose codec is not known.
#[must_use]
pub fn decode(payload: &[u8]) -> Decoded {
    recognise(payload).map_or_else(
        || Decoded::unknown(payload),
        |(codec, value)| Decoded::new(codec, value),
    )
}

/// The codec of a payload and [`all of it as text`](Decoded::whole), without what else there is to
/// be shown of it: for looking through a million of them.
#[must_use]
pub fn whole(payload: &[u8]) -> (Codec, String) {
    match recognise(payload) {
        Some((codec, Value::String(text))) => (codec, text),
        Some((codec, value)) => (codec, value.to_string()),
        None => (Codec::Unknown, line::of_bytes(payload)),
    }
}

/// The codec that explains every byte, and what it says.
fn recognise(payload: &[u8]) -> Option<(Codec, Value)> {
    let marked = || {
        let java = || serialization::decode(payload).map(|v| (Codec::Serialization, v));
        let jboss = || marshalling::decode(payload).map(|v| (Codec::Marshalling, v));
        java().or_else(jboss)
    };
    marked()
        .or_else(|| json::recognise(payload))
        .or_else(|| kryo5::recognise(payload).map(|v| (Codec::Kryo5, v)))
        .or_else(|| text::recognise(payload).map(|v| (Codec::Text, v)))
}

/// Reads a payload as that codec's; none when it cannot be. As [`Codec::Unknown`], anything can.
#[must_use]
pub fn decode_as(codec: Codec, payload: &[u8]) -> Option<Decoded> {
    let value = match codec {
        Codec::Text => text::decode(payload),
        Codec::Json | Codec::TypedJson => json::decode(payload),
        Codec::Kryo5 => kryo5::decode(payload),
        Codec::Marshalling => marshalling::decode(payload),
        Codec::Serialization => serialization::decode(payload),
        Codec::Unknown => return Some(Decoded::unknown(payload)),
    };
    value.map(|value| Decoded::new(codec, value))
}

/// The payload that says `text`, byte for byte as Redisson's codec writes that string.
///
/// The JSON codecs take JSON as it is typed: `42` is a number, `{"id":1}` an object, `"42"` a
/// string. What is no JSON becomes a JSON string, so that `hello` needs no quotes. Note that
/// `JsonJacksonCodec` reads an object only if it says its `@class`.
pub fn encode(codec: Codec, text: &str) -> Result<Vec<u8>, EncodeError> {
    match codec {
        Codec::Text => Ok(text.as_bytes().to_vec()),
        Codec::Json | Codec::TypedJson => Ok(json::encode(text)),
        Codec::Kryo5 => Ok(kryo5::encode(text)),
        Codec::Marshalling => Ok(marshalling::encode(text)),
        Codec::Serialization => Ok(serialization::encode(text)),
        Codec::Unknown => Err(EncodeError::NoCodec(codec)),
    }
}
