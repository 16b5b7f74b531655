//! The inside of an entry: the codec that wrote the payload, and what it says.
//!
//! Pure. A file per codec; adding one is a file, its lines here (a variant of [`Codec`], what is
//! said of it, and its place among those that are tried) and its fixture rows.
//! Nothing here fails or panics: what no codec explains is shown as hex.
//!
//! A codec must explain every byte. Where several do, the order of trial decides: the codecs that
//! mark their payloads (Java's, JBoss's), JSON, then UTF-8 without controls, then Kryo and the
//! rest. What cannot be told apart, since the bytes are the same, is read as what is likelier; that
//! it could be another's is said, and the queue's other payloads settle it (see [`Habit`]):
//!
//! * a bare number, `true`, `false`, `null`: text, JSON and others → `text`;
//! * a bare JSON string: JSON with or without types, Ion → `json`;
//! * Kryo 3 and 4, strings and whole numbers → `kryo5`; of other numbers the likelier;
//! * text that happens to be a number or a short string in Kryo 5 (a tab and one character, a line
//!   feed and eight), CBOR, msgpack, Ion → `text`, always;
//! * a byte of zero: Kryo's null and a 0 in CBOR and msgpack → `kryo5`;
//! * an empty collection of Fury's and an `int` of Kryo's → `fury`;
//! * a two-character string in JBoss and a `float` in Kryo → `marshalling`;
//! * `08` and two bytes: a `short` in Kryo and a protobuf with one number → `kryo5`;
//! * a Kryo string that begins with U+0001, and one with the mark of `useReferences` → the latter.

mod again;
mod avro;
mod cbor;
mod decoded;
mod detect;
mod effort;
mod encode_error;
mod fst;
mod fury;
mod habit;
mod ion;
mod jackson;
mod java;
mod json;
mod keyed;
mod kryo;
mod kryo4;
mod kryo5;
mod likely;
mod line;
mod lz4;
mod marshalling;
mod msgpack;
mod opaque;
mod plain;
mod protobuf;
mod reader;
mod scalar;
mod serialization;
mod smile;
mod snappy;
mod snappyv2;
mod spelling;
mod surprise;
mod text;
mod time;
mod tree;
mod typed;
mod value;
mod verdict;
mod zstd;

use std::fmt;

use self::Read::{Packed, Values};
use reader::Reader;
use spelling::with_type;
use verdict::CodecVerdict;

pub use again::{PayloadContent, encode_as, encode_like, held, held_by_all};
pub use decoded::{DecodedPayload, PayloadReading, decode, decode_as, read, readable_as, whole};
pub use effort::Effort;
pub use encode_error::EncodeError;
pub use habit::Habit;
pub use line::{of_text as line, within as line_within};
pub use plain::{MARKS, SEPARATORS, plain};
pub use spelling::{encode, spelled};
pub use text::beginning;
pub use tree::{Cut, Name, Shape, TreeField, TreeNode};
pub use typed::class_named;
pub use value::written;
pub use verdict::Certainty;

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
    /// No codec that is known: shown as hex.
    Unknown,
}

/// All that is said of a codec.
#[derive(Clone, Copy)]
struct CodecFacts {
    name: &'static str,
    is_json: bool,
    is_jackson: bool,
    writer: Option<Writer>,
}

/// The function that makes a payload of what was typed.
type Writer = fn(&str) -> Result<Vec<u8>, EncodeError>;

/// A codec that is read and not written.
const fn named(name: &'static str) -> CodecFacts {
    CodecFacts {
        name,
        is_json: false,
        is_jackson: false,
        writer: None,
    }
}

impl CodecFacts {
    const fn jackson(self) -> Self {
        Self {
            is_jackson: true,
            ..self
        }
    }

    const fn json(self) -> Self {
        Self {
            is_json: true,
            ..self.jackson()
        }
    }

    const fn written(self, writer: Writer) -> Self {
        Self {
            writer: Some(writer),
            ..self
        }
    }
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

    const fn facts(self) -> CodecFacts {
        match self {
            Self::Text => named("text").written(|text| Ok(text.as_bytes().to_vec())),
            Self::Json => named("json").json().written(|text| Ok(json::encode(text))),
            Self::Json3 => named("json3").json().written(|text| Ok(json::encode(text))),
            Self::TypedJson => named("typed-json")
                .json()
                .written(|text| Ok(json::encode(text))),
            Self::Kryo5 => {
                named("kryo5").written(|text| with_type(text, kryo5::encode, kryo5::encode_scalar))
            }
            Self::Kryo => named("kryo"),
            Self::Marshalling => named("marshalling")
                .written(|text| with_type(text, marshalling::encode, marshalling::encode_scalar)),
            Self::Serialization => named("serialization").written(|text| {
                with_type(text, serialization::encode, serialization::encode_scalar)
            }),
            Self::Fst => named("fst"),
            Self::Fury => named("fury"),
            Self::Fory => named("fory"),
            Self::MsgPack => named("msgpack").jackson(),
            Self::Cbor => named("cbor").jackson(),
            Self::Cbor3 => named("cbor3").jackson(),
            Self::Smile => named("smile").jackson(),
            Self::Smile3 => named("smile3").jackson(),
            Self::Ion => named("ion"),
            Self::Protobuf => named("protobuf"),
            Self::Avro => named("avro"),
            Self::Lz4 => named("lz4"),
            Self::Snappy => named("snappy"),
            Self::SnappyV2 => named("snappyv2"),
            Self::Zstd => named("zstd"),
            Self::Unknown => named("unknown"),
        }
    }

    /// The word for it in screens, flags and JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// The codec that a word names; none for any other word.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|codec| codec.name() == name)
    }

    /// Payloads are JSON texts.
    #[must_use]
    pub const fn is_json(self) -> bool {
        self.facts().is_json
    }

    /// Payloads are Jackson's: their data may say types of Java.
    #[must_use]
    pub const fn is_jackson(self) -> bool {
        self.facts().is_jackson
    }

    /// Payloads can be written with it.
    #[must_use]
    pub const fn is_writable(self) -> bool {
        self.writer().is_some()
    }

    const fn writer(self) -> Option<Writer> {
        self.facts().writer
    }

    /// The names of all that there are.
    #[must_use]
    pub fn names() -> [&'static str; Self::ALL.len()] {
        Self::ALL.map(Self::name)
    }

    /// The names of all that payloads can be written with, in a row.
    #[must_use]
    pub fn writable_names() -> String {
        let writable = Self::ALL.into_iter().filter(|codec| codec.is_writable());
        writable.map(Self::name).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A family of codecs that one file reads.
struct Family {
    /// The codecs whose payloads it reads.
    codecs: &'static [Codec],
    /// The function that reads them.
    read: Read,
    /// Tells whether [`judge`](Self::judge) can find one likely that begins with that byte: if not,
    /// it is read only when the codec is known.
    begins: fn(u8) -> bool,
    /// The likelihood that a payload which was read to its end is theirs, given what it says;
    /// asked only when the codec is not known.
    judge: Judge,
}

type Judge = fn(payload: &[u8], tree: &TreeNode) -> CodecVerdict;

/// The way in which a payload is read.
enum Read {
    /// Values: everything that the codec may have written, whether likely or not. It need not
    /// look whether anything is left.
    Values(fn(&mut Reader<'_>) -> Option<TreeNode>),
    /// Bytes that another codec has written, which are unpacked.
    Packed(fn(&mut Reader<'_>) -> Option<Vec<u8>>),
}

const fn family(codecs: &'static [Codec], read: Read, judge: Judge) -> Family {
    Family {
        codecs,
        read,
        begins: |_| true,
        judge,
    }
}

impl Family {
    const fn beginning(self, begins: fn(u8) -> bool) -> Self {
        Self { begins, ..self }
    }
}

/// In order of trial: what bears a mark, JSON, text, what begins with a control character, and then
/// what only exact reading tells from noise. Texts without controls are never taken for anything
/// below them, save where the queue's other payloads are something else.
static FAMILIES: [Family; 19] = [
    family(
        &[Codec::Serialization],
        Values(serialization::read),
        serialization::judge,
    ),
    family(
        &[Codec::Smile, Codec::Smile3],
        Values(smile::read),
        smile::judge,
    ),
    family(&[Codec::Zstd], Packed(zstd::unpack), zstd::judge),
    family(
        &[Codec::Marshalling],
        Values(marshalling::read),
        marshalling::judge,
    ),
    family(
        &[Codec::Json, Codec::Json3, Codec::TypedJson],
        Values(json::read),
        json::judge,
    ),
    family(&[Codec::Ion], Values(ion::read), ion::judge),
    family(&[Codec::Text], Values(text::read), text::judge),
    family(&[Codec::Kryo5], Values(kryo5::read), kryo5::judge).beginning(kryo5::begins),
    family(&[Codec::Kryo], Values(kryo4::read), kryo4::judge).beginning(kryo4::begins),
    family(&[Codec::Fury], Values(fury::read), fury::judge),
    family(&[Codec::Fory], Values(fury::read_fory), fury::judge_fory),
    family(&[Codec::Fst], Values(fst::read), fst::judge),
    family(&[Codec::Lz4], Packed(lz4::unpack), lz4::judge),
    family(&[Codec::Snappy], Packed(snappy::unpack), snappy::judge),
    family(
        &[Codec::SnappyV2],
        Packed(snappyv2::unpack),
        snappyv2::judge,
    ),
    family(&[Codec::MsgPack], Values(msgpack::read), msgpack::judge),
    family(
        &[Codec::Cbor, Codec::Cbor3],
        Values(cbor::read),
        cbor::judge,
    ),
    family(&[Codec::Protobuf], Values(protobuf::read), protobuf::judge),
    family(&[Codec::Avro], Values(avro::read), avro::judge),
];
