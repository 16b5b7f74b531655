//! Numbers, strings and arrays of primitives, as FST writes them.

use crate::payload::reader::{Mark, Reader};
use crate::payload::tree::{Shape, TreeNode};
use crate::payload::{scalar, surprise};

/// Before two, four and eight bytes of a compact number.
const TWO: u8 = 0x80;
const FOUR: u8 = 0x81;
const EIGHT: u8 = 0x82;

pub(super) fn compact_int(r: &mut Reader<'_>) -> Option<i32> {
    match r.byte()? {
        TWO => r.array().map(|bytes| i16::from_le_bytes(bytes).into()),
        FOUR => r.array().map(i32::from_le_bytes),
        byte => Some(i32::from(byte.cast_signed())),
    }
}

pub(super) fn compact_long(r: &mut Reader<'_>) -> Option<i64> {
    match r.byte()? {
        TWO => r.array().map(|bytes| i16::from_le_bytes(bytes).into()),
        FOUR => r.array().map(|bytes| i32::from_le_bytes(bytes).into()),
        EIGHT => r.array().map(i64::from_le_bytes),
        byte => Some(i64::from(byte.cast_signed())),
    }
}

/// A number of two bytes; 255 comes before those that one byte cannot hold.
pub(super) fn compact_short(r: &mut Reader<'_>) -> Option<u16> {
    match r.byte()? {
        0xff => r.array().map(u16::from_le_bytes),
        byte => Some(u16::from(byte)),
    }
}

/// The `double` at a place, if it is one that people use; else nothing is read.
pub(super) fn usual_double<'a>(r: &mut Reader<'a>, place: Mark<'a>) -> Option<TreeNode> {
    /// The most that it surprises, in bits.
    const USUAL: u32 = 28;
    let after = r.mark();
    r.back(place);
    let bytes = r.array().filter(|bytes| *bytes != [0; 8]);
    let node = bytes.map(|bytes| scalar::double(f64::from_le_bytes(bytes)));
    let node = node.filter(|node| surprise::of(node) <= USUAL);
    if node.is_none() {
        r.back(after);
    }
    node
}

/// A string: the number of its UTF-16 units, and these.
pub(super) fn utf(r: &mut Reader<'_>) -> Option<String> {
    let count = usize::try_from(compact_int(r)?).ok()?;
    if count > r.rest().len() {
        return None;
    }
    r.spend(count / 64)?;
    let mut units = Vec::with_capacity(count);
    for _ in 0..count {
        units.push(compact_short(r)?);
    }
    r.take_text(count)?;
    Some(String::from_utf16_lossy(&units))
}

pub(super) fn primitives(r: &mut Reader<'_>, kind: u8, count: usize) -> Option<TreeNode> {
    if kind == b'B' {
        let bytes = r.bytes(count)?;
        r.take_text(count)?;
        return Some(TreeNode::new(Shape::Bytes(bytes.to_vec())));
    }
    let items = r.items(count, |r| r.node(|r| primitive(r, kind)));
    Some(TreeNode::new(Shape::List(items?)))
}

fn primitive(r: &mut Reader<'_>, kind: u8) -> Option<TreeNode> {
    Some(match kind {
        b'C' => scalar::char(compact_short(r)?),
        b'S' => TreeNode::number(compact_short(r)?.cast_signed()),
        b'I' => TreeNode::number(i32::from_le_bytes(r.array()?)),
        b'J' => TreeNode::number(i64::from_le_bytes(r.array()?)),
        b'F' => scalar::float(f32::from_le_bytes(r.array()?)),
        b'D' => scalar::double(f64::from_le_bytes(r.array()?)),
        b'Z' => scalar::bool(r.byte()?)?,
        _ => return None,
    })
}
