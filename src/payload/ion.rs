//! `IonJacksonCodec`: Ion, which Redisson writes as text. Java's types are annotations:
//! `'com.acme.Order'::{id:42}`.
//!
//! Much of what it writes is JSON as well, byte for byte, and is called so. It is known by its
//! annotations, by `{{…}}` around bytes, by `e0` behind a `double`, and by escapes that JSON has
//! not.

mod binary;
mod number;
mod text;

use super::Codec;
use super::reader::Reader;
use super::tree::{Shape, TreeNode};
use super::verdict::{Certainty, CodecVerdict};
use super::{jackson, java, time};

/// Bytes that are looked through for the end of a class's name.
const MAX_CLASS: usize = 256;

/// Reads one value.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<TreeNode> {
    if reader.rest().starts_with(&binary::MARK) {
        return binary::read(reader);
    }
    text::read(reader)
}

/// Likely when it bears what only Ion has.
pub(super) fn judge(payload: &[u8], tree: &TreeNode) -> CodecVerdict {
    if payload.starts_with(&binary::MARK) {
        return CodecVerdict {
            codec: Codec::Ion,
            sure: Certainty::Marked,
            why: "starts with binary Ion's mark",
        };
    }
    let has = |part: &[u8]| payload.windows(part.len()).any(|window| window == part);
    let (is_ion, why) = match (payload.first(), &tree.shape) {
        (Some(b'\''), _) if text::class(payload).is_some_and(jackson::is_class_name) => {
            (true, "Ion with Java types in it")
        }
        (_, Shape::Object(_)) if names_class(payload) => (true, "an object with its type in Ion"),
        (Some(b'{'), Shape::Bytes(_)) => (true, "bytes as Ion writes them"),
        (Some(b'"'), _) if has(b"\\x") || has(b"\\U") => (true, "a text with Ion's escapes"),
        (_, Shape::Number(_)) if payload.ends_with(b"e0") => {
            (true, "a number as Ion writes doubles")
        }
        _ => (false, "Ion accounts for every byte"),
    };
    CodecVerdict {
        codec: Codec::Ion,
        sure: if is_ion {
            Certainty::Exact
        } else {
            Certainty::Unlikely
        },
        why,
    }
}

/// Tells whether a payload begins with the class of an object, which may be in no package:
/// `Order::{id:42}`.
pub(super) fn names_class(payload: &[u8]) -> bool {
    let head = &payload[..payload.len().min(MAX_CLASS)];
    let Some(end) = head.windows(3).position(|part| part == b"::{") else {
        return false;
    };
    let name = head[..end].strip_prefix(b"'").unwrap_or(&head[..end]);
    let name = name.strip_suffix(b"'").unwrap_or(name);
    str::from_utf8(name).is_ok_and(jackson::is_identifier)
}

/// A value of that Java class: what it means.
fn annotated(class: &str, node: TreeNode) -> TreeNode {
    let is_calendar = matches!(
        class,
        "java.util.Date" | "java.util.Calendar" | "java.util.GregorianCalendar"
    );
    if let Shape::Number(number) = &node.shape
        && is_calendar
        && let Some(ms) = number.as_i64()
    {
        return time::date(ms).of(class);
    }
    if matches!(
        class,
        "java.lang.Long" | "java.lang.Short" | "java.lang.Byte" | "java.lang.Float"
    ) {
        return node;
    }
    match node.shape {
        Shape::Object(fields) if java::is_map(class) => {
            let pairs = fields.into_iter();
            let pairs = pairs.map(|f| (TreeNode::text(f.name.as_ref()), f.node));
            TreeNode::new(Shape::Map(pairs.collect())).of(class)
        }
        _ => node.of(class),
    }
}
