//! `FuryCodec` and `ForyCodec` (Apache Fury, now Fory).
//!
//! Up to Fory 0.12 a payload begins with `02 ff`, later with `00 ff`; then the class, and the
//! value, the lowest byte first. The JDK's classes have numbers, others are named. Of these the
//! fields lie without names: their bytes are shown. Fury 0.8 and Fory 0.12 differ in some numbers,
//! in how they write maps and names: where the bytes are the same, they are called `fury`.

mod class;
mod name;
mod newer;
mod parts;
mod value;
mod xlang;

use std::collections::HashSet;

use super::Codec;
use super::reader::Reader;
use super::text;
use super::tree::{Name, Shape, TreeNode};
use super::verdict::{Certainty, CodecVerdict};
use name::Names;

/// Flags, and that a value which is not null follows.
const OLD: &[u8] = &[0x02, 0xff];
const NEW: &[u8] = &[0x00, 0xff];
/// All of a payload: null.
const OLD_NULL: &[u8] = &[0x03];
const NEW_NULL: &[u8] = &[0x00, 0xfd];

/// The version that wrote a payload that begins with [`OLD`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Style {
    /// Fury 0.8.
    Fury,
    /// Fory 0.12.
    Fory,
}

/// Names given so far.
struct Fury {
    style: Style,
    names: Names,
    /// Classes that are known to be enums.
    enums: HashSet<Name>,
}

/// Reads one object that `FuryCodec` wrote.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<TreeNode> {
    null(reader, OLD_NULL)
        .or_else(|| xlang::read_fury(reader))
        .or_else(|| old(reader, Style::Fury))
}

/// Reads one object that `ForyCodec` wrote.
pub(super) fn read_fory(reader: &mut Reader<'_>) -> Option<TreeNode> {
    let start = reader.mark();
    if let Some(node) = null(reader, OLD_NULL)
        .or_else(|| null(reader, NEW_NULL))
        .or_else(|| xlang::read_fory(reader))
    {
        return Some(node);
    }
    reader.back(start);
    if reader.expect(NEW).is_some() {
        return newer::read(reader);
    }
    old(reader, Style::Fory)
}

fn null(r: &mut Reader<'_>, null: &[u8]) -> Option<TreeNode> {
    if r.rest() != null {
        return None;
    }
    r.expect(null)?;
    Some(TreeNode::new(Shape::Null))
}

fn old(r: &mut Reader<'_>, style: Style) -> Option<TreeNode> {
    r.expect(OLD)?;
    let start = r.mark();
    if let Some(node) = styled(r, style) {
        return Some(node);
    }
    r.back(start);
    unknown(r)
}

fn styled(r: &mut Reader<'_>, style: Style) -> Option<TreeNode> {
    let mut fury = Fury {
        style,
        names: Names::default(),
        enums: HashSet::new(),
    };
    let class = fury.class(r)?;
    let node = fury.body(r, &class, true)?;
    padded(r, node)
}

/// Redisson writes out all of a buffer that had to grow: zeros follow.
fn padded(r: &mut Reader<'_>, node: TreeNode) -> Option<TreeNode> {
    if r.is_cut() {
        return Some(node);
    }
    let is_end = r.rest().iter().all(|byte| *byte == 0);
    r.bytes(r.rest().len())?;
    is_end.then_some(node)
}

/// An object of a class that is not known: its bytes.
fn unknown(r: &mut Reader<'_>) -> Option<TreeNode> {
    let fields = r.node(|r| {
        let length = r.rest().len();
        r.take_text(length)?;
        Some(TreeNode::new(Shape::Bytes(r.bytes(length)?.to_vec())))
    });
    Some(TreeNode::new(Shape::Nameless(vec![fields?])).of("an object"))
}

/// The two bytes are a mark, save that they can begin a small number in Kryo.
pub(super) fn judge(payload: &[u8], tree: &TreeNode) -> CodecVerdict {
    let sure = match &tree.shape {
        Shape::Null if payload == OLD_NULL => Certainty::Unlikely,
        Shape::Nameless(_) if tree.class.as_deref() == Some("an object") => Certainty::Plausible,
        Shape::Text(said) if tree.class.is_none() && !text::is_plausible(said) => {
            Certainty::Plausible
        }
        _ if xlang::is_marked(payload) => Certainty::Marked,
        _ => Certainty::Exact,
    };
    CodecVerdict {
        codec: Codec::Fury,
        sure,
        why: "starts as Fury does",
    }
}

/// Asked after Fury: what only Fory writes is its own.
pub(super) fn judge_fory(payload: &[u8], tree: &TreeNode) -> CodecVerdict {
    CodecVerdict {
        codec: Codec::Fory,
        why: "starts as Fory does",
        ..judge(payload, tree)
    }
}

/// A string: its length in bytes and how it is encoded, in one number.
fn string(r: &mut Reader<'_>) -> Option<String> {
    const LATIN_1: u64 = 0;
    const UTF_16: u64 = 1;
    const UTF_8: u64 = 2;
    let head = unsigned(r)?;
    let length = usize::try_from(head >> 2).ok()?;
    let bytes = r.bytes(length)?;
    r.take_text(length)?;
    Some(match head & 3 {
        LATIN_1 => bytes.iter().map(|byte| char::from(*byte)).collect(),
        UTF_16 if length % 2 == 0 => {
            let units = bytes.chunks_exact(2);
            let units: Vec<u16> = units
                .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
                .collect();
            String::from_utf16_lossy(&units)
        }
        UTF_8 => str::from_utf8(bytes).ok()?.to_owned(),
        _ => return None,
    })
}

/// An `int`, its sign in the lowest bit.
fn zigzag(r: &mut Reader<'_>) -> Option<i32> {
    let zigzag = u32::try_from(unsigned(r)?).ok()?;
    Some((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed())
}

/// A `long`: four bytes whose lowest bit is 0, or a byte and eight.
fn long(r: &mut Reader<'_>) -> Option<i64> {
    if r.peek()? & 1 == 0 {
        return r
            .array()
            .map(|bytes| i64::from(i32::from_le_bytes(bytes) >> 1));
    }
    r.byte()?;
    r.array().map(i64::from_le_bytes)
}

/// Seven bits a byte, the lowest first; a ninth byte has all its eight.
fn unsigned(r: &mut Reader<'_>) -> Option<u64> {
    let mut number = 0;
    for shift in (0..56).step_by(7) {
        let byte = r.byte()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    Some(number | u64::from(r.byte()?) << 56)
}
