//! What is inside an entry: which codec wrote the payload, and what it says.
//!
//! Pure. A file per codec; adding one is a file, a variant of [`Codec`] and its fixture rows.
//! Nothing here fails or panics: what no codec explains is shown as hex.

use serde_json::Value;

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
    /// One line for tables: no control characters, hex when nothing explains it.
    pub text: String,
}
