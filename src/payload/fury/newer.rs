//! Fory 1.x: the numbers of classes are others, and bytes.
//!
//! Of the JDK's classes those are read whose numbers are known; the fields of the application's own
//! lie behind their description, of which the name of the class is read.

use super::name::unpack;
use super::{long, padded, string, unknown, unsigned, zigzag};
use crate::payload::java::number;
use crate::payload::reader::Reader;
use crate::payload::scalar;
use crate::payload::tree::{Cut, Name, Shape, TreeNode};

const ARRAY_LIST: u8 = 0x5a;
const UUID: u8 = 0x97;
/// A class that is described, with the name of it.
const DESCRIBED: u8 = 0x1e;

/// Reads what follows the flags.
pub(super) fn read(r: &mut Reader<'_>) -> Option<TreeNode> {
    let start = r.mark();
    let class = r.byte()?;
    if let Some(node) = body(r, class, true)
        && let Some(node) = padded(r, node)
    {
        return Some(node);
    }
    r.back(start);
    unknown(r)
}

fn body(r: &mut Reader<'_>, class: u8, last: bool) -> Option<TreeNode> {
    Some(match class {
        0x01 => scalar::bool(r.byte()?)?,
        0x02 => TreeNode::number(r.byte()?.cast_signed()),
        0x03 => TreeNode::number(i16::from_le_bytes(r.array()?)),
        0x04 | 0x05 => TreeNode::number(zigzag(r)?),
        0x06..=0x08 => TreeNode::number(long(r)?),
        0x13 => scalar::float(f32::from_le_bytes(r.array()?)),
        0x14 => scalar::double(f64::from_le_bytes(r.array()?)),
        0x15 => TreeNode::text(string(r)?),
        0x29 => {
            let length = usize::try_from(unsigned(r)?).ok()?;
            let bytes = r.bytes(length)?;
            r.take_text(length)?;
            TreeNode::new(Shape::Bytes(bytes.to_vec()))
        }
        UUID => {
            let (high, low) = (r.array()?, r.array()?);
            number::uuid(u64::from_le_bytes(high), u64::from_le_bytes(low))
        }
        ARRAY_LIST => TreeNode::new(Shape::List(elements(r)?)).of("java.util.ArrayList"),
        DESCRIBED => described(r, last)?,
        _ => return None,
    })
}

/// The elements of a list: how many, what they have in common, and each of them.
fn elements(r: &mut Reader<'_>) -> Option<Vec<TreeNode>> {
    const HAS_NULL: u8 = 2;
    const SAME: u8 = 8;
    let count = usize::try_from(unsigned(r)?).ok()?;
    if count == 0 {
        return Some(Vec::new());
    }
    let flags = r.byte()?;
    let common = match flags & SAME {
        0 => None,
        _ => Some(r.byte()?),
    };
    r.items(count, |r| {
        r.node(|r| {
            if flags & HAS_NULL != 0 {
                match r.byte()? {
                    0xfd => return Some(TreeNode::new(Shape::Null)),
                    0xff => {}
                    _ => return None,
                }
            }
            let class = match common {
                Some(class) => class,
                None => r.byte()?,
            };
            body(r, class, false)
        })
    })
}

/// An object: the description of its class, whose first byte is its length; then its fields.
fn described(r: &mut Reader<'_>, last: bool) -> Option<TreeNode> {
    r.expect(&[0])?;
    let head: [u8; 8] = r.array()?;
    let length = usize::from(head[0]);
    let mut description = r.bytes(length)?.get(2..)?;
    let mut part = |special| {
        let (head, rest) = description.split_first()?;
        let (bytes, rest) = rest.split_at_checked(usize::from(head >> 2))?;
        description = rest;
        // The marks of Fury's encodings that a package or a name has.
        unpack(bytes, head & 3, special)
    };
    let (package, name) = (part(['.', '_'])?, part(['$', '_'])?);
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '.' | '$' | '_');
    let full = format!("{package}.{name}");
    if name.is_empty() || !full.chars().all(fits) {
        return None;
    }
    let length = r.rest().len();
    r.take_text(length + full.len())?;
    let fields = TreeNode::new(Shape::Bytes(r.bytes(length)?.to_vec()));
    if !last {
        r.stop(Cut::Unreadable);
    }
    Some(TreeNode::new(Shape::Nameless(vec![fields])).of(Name::from(full)))
}
