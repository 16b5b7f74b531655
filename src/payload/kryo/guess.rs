//! Objects whose fields cannot be told apart: their bytes, with what stands out in them.
//!
//! Kryo writes the fields of an application's class without names or types. What begins with the
//! name of a class is read as that; texts of three or more characters stand out; all else stays as
//! bytes. Where the object ends cannot be told either: nothing behind it is read.

use super::{Class, Kryo, Unknown, parts};
use crate::payload::opaque;
use crate::payload::reader::Reader;
use crate::payload::tree::{Cut, Node, Shape};

/// Shorter texts do not stand out among other bytes.
const MIN_TEXT: usize = 3;

/// All that is left, as the values of an object; `last` if nothing can follow it.
pub(super) fn object(kryo: &mut Kryo, r: &mut Reader<'_>, last: bool) -> Option<Node> {
    if !last && kryo.unknown == Unknown::Small {
        return small(r);
    }
    let mut pieces = Vec::new();
    while !r.rest().is_empty() {
        let piece = r.node(|r| {
            let found = named(kryo, r).or_else(|| said(kryo, r));
            found.or_else(|| bytes(kryo, r))
        });
        pieces.push(piece?);
    }
    if !last && !r.is_cut() {
        r.stop(Cut::Unreadable);
    }
    Some(Node::new(Shape::Nameless(pieces)))
}

/// A number, as it lies.
fn small(r: &mut Reader<'_>) -> Option<Node> {
    let piece = r.node(|r| {
        let rest = r.rest();
        let start = r.at();
        parts::varint(r, 5)?;
        let bytes = rest.get(..r.at() - start)?;
        Some(Node::new(Shape::Bytes(bytes.to_vec())))
    });
    Some(Node::new(Shape::Nameless(vec![piece?])))
}

/// Bytes up to what stands out.
fn bytes(kryo: &mut Kryo, r: &mut Reader<'_>) -> Option<Node> {
    opaque::bytes(r, |r| named_at(kryo, r) || said(kryo, r).is_some())
}

/// Whether the name of a class comes that was not met before.
fn named_at(kryo: &mut Kryo, r: &mut Reader<'_>) -> bool {
    let known = kryo.names.len();
    let is_new = r.peek() == Some(super::id::NAMED)
        && matches!(kryo.class(r), Some(Class::Named(name)) if name.contains('.'))
        && kryo.names.len() > known;
    kryo.names.truncate(known);
    is_new
}

fn named(kryo: &mut Kryo, r: &mut Reader<'_>) -> Option<Node> {
    let here = r.mark();
    let found = named_at(kryo, r);
    r.back(here);
    if !found {
        return None;
    }
    let known = kryo.names.len();
    let class = kryo.class(r)?;
    let value = kryo.content(r, &class, true);
    if value.is_none() {
        kryo.names.truncate(known);
        r.back(here);
    }
    value
}

/// A text that stands out.
fn said(kryo: &Kryo, r: &mut Reader<'_>) -> Option<Node> {
    let here = r.mark();
    // A text begins with a printable character or its length.
    let begins = r
        .peek()
        .is_some_and(|byte| matches!(byte, b' '..=b'~' | 0x80..));
    if begins
        && let Some(Some(text)) = parts::string(r, kryo.style.is_old)
        && text.chars().count() >= MIN_TEXT
        && !text.contains(|c: char| c.is_control() && !c.is_whitespace())
    {
        return Some(Node::text(text));
    }
    r.back(here);
    None
}
