//! What is inside an entry: which codec wrote the payload, and what it says.
//!
//! Pure. A file per codec; adding one is a file, a variant of [`Codec`] and its fixture rows.
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
mod codec;
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
mod rows;
mod said;
mod scalar;
mod serialization;
mod smile;
mod snappy;
mod snappyv2;
mod surprise;
mod text;
mod time;
mod tree;
mod typed;
mod verdict;
mod zstd;

use std::borrow::Cow;

use serde_json::Value;

use detect::Recognition;
use effort::Purse;
use said::Notation;
use typed::{Scalar, Typed};
use verdict::Verdict;

pub use again::{Held, encode_as, encode_like, held, held_by_all};
pub use codec::Codec;
pub use effort::Effort;
pub use encode_error::EncodeError;
pub use habit::Habit;
pub use line::{of_text as line, within as line_within};
pub use plain::{MARKS, SEPARATORS, plain};
pub use said::written;
pub use tree::{Cut, Field, Name, Node, Shape};
pub use typed::class_named;
pub use verdict::Sure;

/// A payload, read: what a table shows of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// Which codec explains every byte of it.
    pub codec: Codec,
    /// The codec of what that codec has packed.
    pub inner: Option<Codec>,
    /// The type of a single value, if the codec says one: `java.util.Date`.
    pub class: Option<Name>,
    /// The value as JSON; null when nothing explains it.
    pub value: Value,
    /// One line for tables: of a string the string itself, of all else compact JSON, hex when
    /// nothing explains it. Without control characters, cut after 4,096 characters.
    pub text: String,
    /// How sure the codec is.
    pub sure: Sure,
    /// Why it is taken to be that one, and which others it could be: half a sentence.
    pub why: Cow<'static, str>,
    /// True when some of it was not read: it is too much, too deep, or cannot be told apart.
    pub is_cut: bool,
}

/// A payload, read: all that there is to be said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Which codec explains every byte of it.
    pub codec: Codec,
    /// The codec of what that codec has packed.
    pub inner: Option<Codec>,
    /// How sure the codec is.
    pub sure: Sure,
    /// Why it is taken to be that one, and which others it could be: half a sentence.
    pub why: Cow<'static, str>,
    /// Its content, with types: dates are dates.
    pub tree: Node,
    /// The unpacked bytes: those that the spans of the tree mean, if not the payload's own.
    pub unpacked: Option<Vec<u8>>,
}

/// Bytes of a payload of which the text takes much memory.
const LARGE: usize = 64 << 10;

/// Why the codec is unknown.
const NOTHING: &str = "no known codec accounts for every byte";

impl Decoded {
    fn new(found: Recognition) -> Self {
        let why = found.why();
        let Verdict { codec, sure, .. } = found.verdict;
        let (inner, is_cut) = (found.inner, found.is_cut);
        let tree = &found.tree;
        let class = tree.class.clone().filter(|_| tree.is_leaf());
        let value = value(found);
        let text = line::of_value(&value);
        Self {
            codec,
            inner,
            class,
            value,
            text,
            sure,
            why,
            is_cut,
        }
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
            inner: None,
            class: None,
            value: Value::Null,
            text: line::of_bytes(payload),
            sure: Sure::Unlikely,
            why: Cow::Borrowed(NOTHING),
            is_cut: false,
        }
    }
}

/// Tells what a payload says as JSON.
fn value(found: Recognition) -> Value {
    let told = if found.codec().is_json() {
        Notation::Json
    } else {
        Notation::Other
    };
    said::value(&typed(found.codec(), found.tree), told)
}

/// A tree with the types that Jackson puts into its data.
fn typed(codec: Codec, tree: Node) -> Node {
    if codec.is_jackson() {
        jackson::typed(tree)
    } else {
        tree
    }
}

/// Reads a payload whose codec is not known.
#[must_use]
pub fn decode(payload: &[u8]) -> Decoded {
    detect::recognise(payload, &mut Purse::Full)
        .map_or_else(|| Decoded::unknown(payload), Decoded::new)
}

/// Reads a payload as that codec's; none when it cannot be. As [`Codec::Unknown`], anything can.
#[must_use]
pub fn decode_as(codec: Codec, payload: &[u8]) -> Option<Decoded> {
    if codec == Codec::Unknown {
        return Some(Decoded::unknown(payload));
    }
    detect::read_as(codec, payload, &mut Purse::Full).map(Decoded::new)
}

/// Reads all that there is to be said of a payload; as that codec's, if one is given and it can be.
/// None when no codec explains it.
#[must_use]
pub fn read(payload: &[u8], codec: Option<Codec>) -> Option<Reading> {
    let told = codec.and_then(|codec| detect::read_as(codec, payload, &mut Purse::Full));
    let found = told.or_else(|| detect::recognise(payload, &mut Purse::Full))?;
    Some(reading(found))
}

/// The codecs that can read a payload, in the order of trial.
#[must_use]
pub fn readable_as(payload: &[u8]) -> Vec<Codec> {
    let read = detect::explanations(payload).into_iter();
    let is_guess = |found: &Recognition| {
        found.verdict.sure == Sure::Unlikely && matches!(found.tree.shape, Shape::Nameless(_))
    };
    read.filter(|(_, found)| !is_guess(found))
        .map(|(_, found)| found.verdict.codec)
        .collect()
}

fn reading(found: Recognition) -> Reading {
    let codec = found.codec();
    Reading {
        codec: found.verdict.codec,
        inner: found.inner,
        sure: found.verdict.sure,
        why: found.why(),
        tree: typed(codec, found.tree),
        unpacked: found.unpacked,
    }
}

/// The codec of a payload and [`all of it as text`](Decoded::whole), without what else there is to
/// be shown of it: for looking through a million of them. Of a document too large to be read whole
/// it is the document as it stands.
#[must_use]
pub fn whole(payload: &[u8]) -> (Codec, String) {
    told(payload, detect::recognise(payload, &mut Purse::Full))
}

fn told(payload: &[u8], found: Option<Recognition>) -> (Codec, String) {
    let Some(found) = found else {
        return (Codec::Unknown, line::of_bytes(payload));
    };
    let codec = found.verdict.codec;
    if found.is_cut
        && let Ok(text) = str::from_utf8(payload)
    {
        return (codec, text.to_owned());
    }
    // Such as few payloads are: most are looked through without being written twice.
    let is_large = found.tree.span.len() > LARGE;
    match value(found) {
        Value::String(text) => (codec, text),
        value if is_large => (codec, written(&value)),
        value => (codec, value.to_string()),
    }
}

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
    match codec {
        Codec::Text => Ok(text.as_bytes().to_vec()),
        _ if codec.is_json() => Ok(json::encode(text)),
        Codec::Kryo5 | Codec::Marshalling | Codec::Serialization => java(codec, text),
        _ => Err(EncodeError::NoCodec(codec)),
    }
}

fn java(codec: Codec, text: &str) -> Result<Vec<u8>, EncodeError> {
    let typed = typed::parse(text)?;
    let text = match &typed {
        Typed::Scalar(scalar) => return Ok(java_scalar(codec, *scalar)),
        Typed::String(said) => said,
        Typed::Plain => text,
    };
    Ok(match codec {
        Codec::Kryo5 => kryo5::encode(text),
        Codec::Marshalling => marshalling::encode(text),
        _ => serialization::encode(text),
    })
}

fn java_scalar(codec: Codec, scalar: Scalar) -> Vec<u8> {
    match codec {
        Codec::Kryo5 => kryo5::encode_scalar(scalar),
        Codec::Marshalling => marshalling::encode_scalar(scalar),
        _ => serialization::encode_scalar(scalar),
    }
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
