//! A payload, read once its codec is found: a line for tables, or all that there is.

use std::borrow::Cow;

use serde_json::Value;

use super::detect::{self, Recognition};
use super::effort::Purse;
use super::tree::{Name, Shape, TreeNode};
use super::value::{self, Notation, written};
use super::verdict::{Certainty, CodecVerdict};
use super::{Codec, jackson, line};

/// A payload, read: what a table shows of it.
#[derive(Clone, Debug, PartialEq)]
pub struct DecodedPayload {
    /// The codec that explains every byte of it.
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
    /// The certainty that it is that codec.
    pub sure: Certainty,
    /// The reason why it is taken to be that one, and the others that it could be: half a sentence.
    pub why: Cow<'static, str>,
    /// True when some of it was not read: it is too much, too deep, or cannot be told apart.
    pub is_cut: bool,
}

/// A payload, read: all that there is to be said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct PayloadReading {
    /// The codec that explains every byte of it.
    pub codec: Codec,
    /// The codec of what that codec has packed.
    pub inner: Option<Codec>,
    /// The certainty that it is that codec.
    pub sure: Certainty,
    /// The reason why it is taken to be that one, and the others that it could be: half a sentence.
    pub why: Cow<'static, str>,
    /// Its content, with types: dates are dates.
    pub tree: TreeNode,
    /// The unpacked bytes: those that the spans of the tree mean, if not the payload's own.
    pub unpacked: Option<Vec<u8>>,
}

/// Bytes of a payload of which the text takes much memory.
const LARGE: usize = 64 << 10;

/// The reason for an unknown codec.
const NOTHING: &str = "no known codec accounts for every byte";

impl DecodedPayload {
    pub(super) fn new(found: Recognition) -> Self {
        let why = found.why();
        let CodecVerdict { codec, sure, .. } = found.verdict;
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

    pub(super) fn unknown(payload: &[u8]) -> Self {
        Self {
            codec: Codec::Unknown,
            inner: None,
            class: None,
            value: Value::Null,
            text: line::of_bytes(payload),
            sure: Certainty::Unlikely,
            why: Cow::Borrowed(NOTHING),
            is_cut: false,
        }
    }
}

/// The content of a payload as JSON.
fn value(found: Recognition) -> Value {
    let notation = if found.codec().is_json() {
        Notation::Json
    } else {
        Notation::Other
    };
    value::value_of(typed(found.codec(), found.tree), notation)
}

/// A tree with the types that Jackson puts into its data.
fn typed(codec: Codec, tree: TreeNode) -> TreeNode {
    if codec.is_jackson() {
        jackson::typed(tree)
    } else {
        tree
    }
}

/// Reads a payload whose codec is not known.
#[must_use]
pub fn decode(payload: &[u8]) -> DecodedPayload {
    detect::recognise(payload, &mut Purse::Full)
        .map_or_else(|| DecodedPayload::unknown(payload), DecodedPayload::new)
}

/// Reads a payload as that codec's; none when it cannot be. As [`Codec::Unknown`], anything can.
#[must_use]
pub fn decode_as(codec: Codec, payload: &[u8]) -> Option<DecodedPayload> {
    if codec == Codec::Unknown {
        return Some(DecodedPayload::unknown(payload));
    }
    detect::read_as(codec, payload, &mut Purse::Full).map(DecodedPayload::new)
}

/// Reads all that there is to be said of a payload; as that codec's, if one is given and it can be.
/// None when no codec explains it.
#[must_use]
pub fn read(payload: &[u8], codec: Option<Codec>) -> Option<PayloadReading> {
    let told = codec.and_then(|codec| detect::read_as(codec, payload, &mut Purse::Full));
    let found = told.or_else(|| detect::recognise(payload, &mut Purse::Full))?;
    Some(reading(found))
}

/// The codecs that can read a payload, in the order of trial.
#[must_use]
pub fn readable_as(payload: &[u8]) -> Vec<Codec> {
    let read = detect::explanations(payload).into_iter();
    let is_guess = |found: &Recognition| {
        found.verdict.sure == Certainty::Unlikely && matches!(found.tree.shape, Shape::Nameless(_))
    };
    read.filter(|(_, found)| !is_guess(found))
        .map(|(_, found)| found.verdict.codec)
        .collect()
}

/// All that there is to be said of a payload that was recognised so.
pub(super) fn reading(found: Recognition) -> PayloadReading {
    let codec = found.codec();
    PayloadReading {
        codec: found.verdict.codec,
        inner: found.inner,
        sure: found.verdict.sure,
        why: found.why(),
        tree: typed(codec, found.tree),
        unpacked: found.unpacked,
    }
}

/// The codec of a payload and [`all of it as text`](DecodedPayload::whole), without what else there is to
/// be shown of it: for looking through a million of them. Of a document too large to be read whole
/// it is the document as it stands.
#[must_use]
pub fn whole(payload: &[u8]) -> (Codec, String) {
    codec_and_text(payload, detect::recognise(payload, &mut Purse::Full))
}

/// The codec and the whole text of a payload that was recognised so, or not at all.
pub(super) fn codec_and_text(payload: &[u8], found: Option<Recognition>) -> (Codec, String) {
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
