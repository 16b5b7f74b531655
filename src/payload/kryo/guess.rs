//! Objects whose fields cannot be told apart: their bytes, with what stands out in them.
//!
//! Kryo writes the fields of an application's class without names or types. What begins with the
//! name of a class is read as that; texts of three or more characters stand out; all else stays as
//! bytes. Where the object ends cannot be told either: nothing behind it is read.

use super::{Kryo, KryoClass, Unknown, parts};
use crate::payload::opaque;
use crate::payload::reader::Reader;
use crate::payload::tree::{Cut, Shape, TreeNode};

/// The least length of a text that begins without one.
const BARE: usize = 4;
/// Bytes of what is no text after all that cost as much as a value: it may be read anew at each of
/// a million places.
const IN_VAIN: usize = 16;
/// Eight bytes are taken for a `double` that has no smaller part.
const PARTS: f64 = 10_000.0;

/// All that is left, as the values of an object; `last` if nothing can follow it.
pub(super) fn object(kryo: &mut Kryo, r: &mut Reader<'_>, last: bool) -> Option<TreeNode> {
    match kryo.unknown {
        Unknown::Nothing => return None,
        Unknown::Small if !last => return small(r),
        _ => {}
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
    Some(TreeNode::new(Shape::Nameless(pieces)))
}

/// A number, as it lies.
fn small(r: &mut Reader<'_>) -> Option<TreeNode> {
    let piece = r.node(|r| {
        let rest = r.rest();
        let start = r.at();
        parts::varint(r, 5)?;
        let bytes = rest.get(..r.at() - start)?;
        Some(TreeNode::new(Shape::Bytes(bytes.to_vec())))
    });
    Some(TreeNode::new(Shape::Nameless(vec![piece?])))
}

/// Bytes up to what stands out.
fn bytes(kryo: &mut Kryo, r: &mut Reader<'_>) -> Option<TreeNode> {
    opaque::bytes(r, r.all().len(), |r| {
        let here = r.mark();
        let is_named = named_at(kryo, r);
        r.back(here);
        is_named || said(kryo, r).is_some()
    })
}

/// Tells whether the name of a class comes that was not met before.
fn named_at(kryo: &mut Kryo, r: &mut Reader<'_>) -> bool {
    let known = kryo.names.len();
    let is_new = r.peek() == Some(super::id::NAMED)
        && matches!(kryo.class(r), Some(KryoClass::Named(name)) if name.contains('.'))
        && kryo.names.len() > known;
    kryo.names.truncate(known);
    is_new
}

/// An object whose class is named here; of its fields nothing if they cannot be read.
fn named(kryo: &mut Kryo, r: &mut Reader<'_>) -> Option<TreeNode> {
    let here = r.mark();
    let found = named_at(kryo, r);
    r.back(here);
    if !found {
        return None;
    }
    let class = kryo.class(r)?;
    let (known, after) = (kryo.names.len(), r.mark());
    // Others of the application's classes in it would take all that follows for theirs.
    let unknown = std::mem::replace(&mut kryo.unknown, Unknown::Nothing);
    let value = kryo.content(r, &class, true);
    kryo.unknown = unknown;
    if value.is_some() || r.is_cut() {
        return value;
    }
    kryo.names.truncate(known);
    r.back(after);
    let KryoClass::Named(name) = class else {
        return None;
    };
    Some(TreeNode::new(Shape::Nameless(Vec::new())).of(name))
}

/// A text that stands out.
fn said(kryo: &Kryo, r: &mut Reader<'_>) -> Option<TreeNode> {
    let (here, start) = (r.mark(), r.at());
    let is_bare = r.peek().is_some_and(|byte| matches!(byte, b' '..=b'~'));
    // A text begins with a printable character or its length.
    let begins = is_bare || r.peek().is_some_and(|byte| byte >= 0x80);
    if begins
        && !(is_bare && is_in_double(r, kryo.style.is_old))
        && let Some(Some(text)) = parts::string(r, kryo.style.is_old)
        && opaque::is_meant(&text)
        && !(is_bare && text.bytes().take(BARE).any(|byte| byte < b' '))
    {
        return Some(TreeNode::text(text));
    }
    // Over the bound the next step says so.
    let _spent = r.spend((r.at() - start) / IN_VAIN);
    r.back(here);
    None
}

/// Tells whether the next byte is one of a `double` that people use: its last bytes are letters
/// often.
fn is_in_double(r: &Reader<'_>, is_old: bool) -> bool {
    let (at, all) = (r.at(), r.all());
    let starts = at.saturating_sub(7)..=at;
    starts.into_iter().any(|start| {
        let bytes = all.get(start..start + 8).and_then(|b| b.try_into().ok());
        bytes.is_some_and(|bytes: [u8; 8]| {
            let double = if is_old {
                f64::from_be_bytes(bytes)
            } else {
                f64::from_le_bytes(bytes)
            };
            let is_usual = (1e-3..1e9).contains(&double.abs());
            let whole = (double * PARTS).round() / PARTS;
            is_usual && whole.to_bits() == double.to_bits()
        })
    })
}
