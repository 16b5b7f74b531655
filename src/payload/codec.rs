//! The codecs there are, and what they are called.

use std::fmt;

/// The codecs that are recognised, by the names of Redisson's own.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Codec {
    /// `StringCodec`, `LongCodec`, `IntegerCodec`, `DoubleCodec`: plain UTF-8.
    Text,
    /// `JsonJacksonCodec`: JSON that carries Java types.
    Json,
    /// `JsonJackson3Codec`: as `json`, with dates as texts.
    Json3,
    /// `TypedJsonJacksonCodec` and any other JSON without Java types.
    TypedJson,
    /// `Kryo5Codec`.
    Kryo5,
    /// `KryoCodec`: Kryo 3 and 4.
    Kryo,
    /// `MarshallingCodec` (JBoss River).
    Marshalling,
    /// `SerializationCodec` (Java's own).
    Serialization,
    /// `FstCodec`.
    Fst,
    /// `FuryCodec`, and `ForyCodec` up to Fory 0.12.
    Fury,
    /// `ForyCodec` since Fory 0.13.
    Fory,
    /// `MsgPackJacksonCodec`.
    MsgPack,
    /// `CborJacksonCodec` and any other CBOR.
    Cbor,
    /// `CborJackson3Codec`: CBOR without Java types.
    Cbor3,
    /// `SmileJacksonCodec`.
    Smile,
    /// `SmileJackson3Codec`: Smile without Java types.
    Smile3,
    /// `IonJacksonCodec`.
    Ion,
    /// `ProtobufCodec`: protobuf by its wire shape, without names.
    Protobuf,
    /// `AvroJacksonCodec`: Avro without its schema.
    Avro,
    /// `LZ4Codec` and `LZ4CodecV2`, around another codec.
    Lz4,
    /// `SnappyCodec`, in chunks, around another codec.
    Snappy,
    /// `SnappyCodecV2`, around another codec.
    SnappyV2,
    /// `ZStdCodec`, around another codec.
    Zstd,
    /// None of them: shown as hex.
    Unknown,
}

impl Codec {
    /// All of them, in the order in which they are listed to people.
    pub const ALL: [Self; 24] = [
        Self::Text,
        Self::Json,
        Self::Json3,
        Self::TypedJson,
        Self::Kryo5,
        Self::Kryo,
        Self::Marshalling,
        Self::Serialization,
        Self::Fst,
        Self::Fury,
        Self::Fory,
        Self::MsgPack,
        Self::Cbor,
        Self::Cbor3,
        Self::Smile,
        Self::Smile3,
        Self::Ion,
        Self::Protobuf,
        Self::Avro,
        Self::Lz4,
        Self::Snappy,
        Self::SnappyV2,
        Self::Zstd,
        Self::Unknown,
    ];

    /// The word for it in screens, flags and JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Json3 => "json3",
            Self::TypedJson => "typed-json",
            Self::Kryo5 => "kryo5",
            Self::Kryo => "kryo",
            Self::Marshalling => "marshalling",
            Self::Serialization => "serialization",
            Self::Fst => "fst",
            Self::Fury => "fury",
            Self::Fory => "fory",
            Self::MsgPack => "msgpack",
            Self::Cbor => "cbor",
            Self::Cbor3 => "cbor3",
            Self::Smile => "smile",
            Self::Smile3 => "smile3",
            Self::Ion => "ion",
            Self::Protobuf => "protobuf",
            Self::Avro => "avro",
            Self::Lz4 => "lz4",
            Self::Snappy => "snappy",
            Self::SnappyV2 => "snappyv2",
            Self::Zstd => "zstd",
            Self::Unknown => "unknown",
        }
    }

    /// The codec that a word names; none for any other word.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|codec| codec.name() == name)
    }

    /// Payloads are JSON texts.
    #[must_use]
    pub const fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::Json3 | Self::TypedJson)
    }

    /// Payloads are Jackson's: their data may say types of Java.
    #[must_use]
    pub const fn is_jackson(self) -> bool {
        self.is_json()
            || matches!(
                self,
                Self::MsgPack | Self::Cbor | Self::Cbor3 | Self::Smile | Self::Smile3
            )
    }

    /// The names of all that payloads can be written with, in a row.
    #[must_use]
    pub fn writable_names() -> String {
        let writable = Self::ALL.into_iter().filter(|codec| codec.is_writable());
        writable.map(Self::name).collect::<Vec<_>>().join(", ")
    }

    /// Payloads can be written with it.
    #[must_use]
    pub const fn is_writable(self) -> bool {
        matches!(
            self,
            Self::Text
                | Self::Json
                | Self::Json3
                | Self::TypedJson
                | Self::Kryo5
                | Self::Marshalling
                | Self::Serialization
        )
    }
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
