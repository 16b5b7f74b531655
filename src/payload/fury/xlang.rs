//! Values for readers in any language: `XLANG` mode.
//!
//! Fury 0.8 writes the place of what other languages cannot read and numbers of two bytes for
//! types; Fory 0.12 and 1.x write a byte for a type.

use super::{string, unsigned, zigzag};
use crate::payload::reader::Reader;
use crate::payload::tree::{Shape, TreeNode};
use crate::payload::{scalar, time};

/// A mark, flags, and that Java wrote it.
const MARK: &[u8] = &[0xd4, 0x62, 0x06, 0x01];
/// Before a value that is not null.
const VALUE: u8 = 0xff;
/// Flags of Fory 1.x, and that a value follows.
const NEWER: &[u8] = &[0x01, 0xff];

/// The version that wrote a payload.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Version {
    Fury,
    Fory,
    Newer,
}

/// Tells whether it begins with the mark.
pub(super) fn is_marked(payload: &[u8]) -> bool {
    payload.starts_with(MARK)
}

/// Reads what Fury 0.8 wrote.
pub(super) fn read_fury(r: &mut Reader<'_>) -> Option<TreeNode> {
    if !is_marked(r.rest()) || r.rest().get(MARK.len()) == Some(&VALUE) {
        return None;
    }
    r.expect(MARK)?;
    // Where what only Java can read begins, and how many of it there are.
    let (_place, count): ([u8; 4], [u8; 4]) = (r.array()?, r.array()?);
    r.expect(&[VALUE])?;
    if u32::from_le_bytes(count) > 0 {
        return super::unknown(r);
    }
    typed(r, Version::Fury)
}

/// Reads what Fory wrote.
pub(super) fn read_fory(r: &mut Reader<'_>) -> Option<TreeNode> {
    if r.expect(NEWER).is_some() {
        return typed(r, Version::Newer);
    }
    if !is_marked(r.rest()) || r.rest().get(MARK.len()) != Some(&VALUE) {
        return None;
    }
    r.expect(MARK)?;
    r.expect(&[VALUE])?;
    typed(r, Version::Fory)
}

fn typed(r: &mut Reader<'_>, version: Version) -> Option<TreeNode> {
    let kind = match version {
        Version::Fury => u16::from_le_bytes(r.array()?),
        Version::Fory | Version::Newer => u16::try_from(unsigned(r)?).ok()?,
    };
    match version {
        Version::Fury => older(r, kind),
        Version::Fory | Version::Newer => newer(r, kind, version),
    }
}

/// A value with a mark before it that says whether it is null.
fn value(r: &mut Reader<'_>, version: Version) -> Option<TreeNode> {
    r.node(|r| match r.byte()? {
        0xfd => Some(TreeNode::new(Shape::Null)),
        VALUE => typed(r, version),
        _ => None,
    })
}

fn older(r: &mut Reader<'_>, kind: u16) -> Option<TreeNode> {
    Some(match kind {
        1 => scalar::bool(r.byte()?)?,
        3 => TreeNode::number(r.byte()?.cast_signed()),
        5 => TreeNode::number(i16::from_le_bytes(r.array()?)),
        7 => TreeNode::number(i32::from_le_bytes(r.array()?)),
        9 => TreeNode::number(i64::from_le_bytes(r.array()?)),
        11 => scalar::float(f32::from_le_bytes(r.array()?)),
        12 => scalar::double(f64::from_le_bytes(r.array()?)),
        13 => {
            let length = usize::try_from(unsigned(r)?).ok()?;
            TreeNode::text(r.utf8(length)?)
        }
        14 => bytes(r)?,
        25 => {
            let count = usize::try_from(unsigned(r)?).ok()?;
            TreeNode::new(Shape::List(r.items(count, |r| value(r, Version::Fury))?))
        }
        30 => {
            let count = usize::try_from(unsigned(r)?).ok()?;
            TreeNode::new(Shape::Map(r.pairs(count, |r| value(r, Version::Fury))?))
        }
        _ => return None,
    })
}

/// The numbers of types differ by what Fory 1.x has besides.
fn newer(r: &mut Reader<'_>, kind: u16, version: Version) -> Option<TreeNode> {
    let is_newer = version == Version::Newer;
    Some(match (kind, is_newer) {
        (1, _) => scalar::bool(r.byte()?)?,
        (2, _) => TreeNode::number(r.byte()?.cast_signed()),
        (3, _) => TreeNode::number(i16::from_le_bytes(r.array()?)),
        (4 | 5, _) => TreeNode::number(zigzag(r)?),
        (6 | 7, _) => {
            let zigzag = unsigned(r)?;
            TreeNode::number((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed())
        }
        (10, false) | (19, true) => scalar::float(f32::from_le_bytes(r.array()?)),
        (11, false) | (20, true) => scalar::double(f64::from_le_bytes(r.array()?)),
        (12, false) | (21, true) => TreeNode::text(string(r)?),
        (21 | 22, false) | (22 | 23, true) => TreeNode::new(Shape::List(list(r, version)?)),
        (23, false) | (24, true) => TreeNode::new(Shape::Map(map(r, version)?)),
        (25, false) | (38, true) => time::date(i64::from_le_bytes(r.array()?)).of("java.util.Date"),
        (28, false) | (41, true) => bytes(r)?,
        _ => return None,
    })
}

fn bytes(r: &mut Reader<'_>) -> Option<TreeNode> {
    let length = usize::try_from(unsigned(r)?).ok()?;
    let bytes = r.bytes(length)?;
    r.take_text(length)?;
    Some(TreeNode::new(Shape::Bytes(bytes.to_vec())))
}

fn list(r: &mut Reader<'_>, version: Version) -> Option<Vec<TreeNode>> {
    const HAS_NULL: u8 = 2;
    let count = usize::try_from(unsigned(r)?).ok()?;
    if count == 0 {
        return Some(Vec::new());
    }
    let flags = r.byte()?;
    let is_same = (flags & 8 != 0) == (version == Version::Newer);
    let common = if is_same {
        Some(u16::try_from(unsigned(r)?).ok()?)
    } else {
        None
    };
    r.items(count, |r| {
        r.node(|r| {
            if flags & HAS_NULL != 0 {
                match r.byte()? {
                    0xfd => return Some(TreeNode::new(Shape::Null)),
                    VALUE => {}
                    _ => return None,
                }
            }
            match common {
                Some(kind) => newer(r, kind, version),
                None => typed(r, version),
            }
        })
    })
}

/// Entries, in runs whose keys are of one type and whose values are.
fn map(r: &mut Reader<'_>, version: Version) -> Option<Vec<(TreeNode, TreeNode)>> {
    let count = usize::try_from(unsigned(r)?).ok()?;
    let mut pairs = Vec::new();
    while pairs.len() < count && !r.is_cut() {
        r.expect(&[0])?;
        let run = usize::from(r.byte()?);
        if run == 0 || run > count - pairs.len() {
            return None;
        }
        let mut kind = || u16::try_from(unsigned(r)?).ok();
        let (key, of_value) = (kind()?, kind()?);
        let mut is_key = false;
        let entries = r.pairs(run, |r| {
            is_key = !is_key;
            let kind = if is_key { key } else { of_value };
            r.node(|r| newer(r, kind, version))
        });
        pairs.extend(entries?);
    }
    Some(pairs)
}
