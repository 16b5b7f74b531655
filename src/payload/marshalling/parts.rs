//! Counts, strings and arrays of primitives, as River writes them.

use crate::payload::reader::Reader;
use crate::payload::scalar;
use crate::payload::tree::{Shape, TreeNode};

pub(super) const STRING_EMPTY: u8 = 0x3d;
pub(super) const STRING_SMALL: u8 = 0x3e;
pub(super) const STRING_MEDIUM: u8 = 0x3f;
pub(super) const STRING_LARGE: u8 = 0x40;

/// A string without its first byte.
pub(super) fn units(r: &mut Reader<'_>, lead: u8) -> Option<String> {
    let count = count(r, lead - STRING_EMPTY)?;
    r.units(count)
}

/// A count: none, or a number of one, two or four bytes, of which the shorter two have their
/// maximum + 1 as 0. The four forms come twice, for what is shared and what is not.
pub(super) fn count(r: &mut Reader<'_>, form: u8) -> Option<usize> {
    Some(match form % 4 {
        0 => 0,
        1 => or_more(usize::from(r.byte()?), 0x100),
        2 => or_more(usize::from(u16::from_be_bytes(r.array()?)), 0x1_0000),
        _ => usize::try_from(u32::from_be_bytes(r.array()?)).ok()?,
    })
}

pub(super) const fn or_more(count: usize, most: usize) -> usize {
    if count == 0 { most } else { count }
}

pub(super) fn primitives(r: &mut Reader<'_>, kind: u8, count: usize) -> Option<TreeNode> {
    let (shape, class) = match kind {
        b'B' => {
            let bytes = r.bytes(count)?;
            r.take_text(count)?;
            (Shape::Bytes(bytes.to_vec()), "byte[]")
        }
        b'Z' => {
            // Eight of them in a byte, the first in its lowest bit.
            let bytes = r.bytes(count.div_ceil(8))?;
            let mut bits = (0..count).map(|i| bytes[i / 8] >> (i % 8) & 1 == 1);
            let items = r.items(count, |r| {
                r.node(|_| Some(TreeNode::new(Shape::Bool(bits.next()?))))
            });
            (Shape::List(items?), "boolean[]")
        }
        kind => {
            let items = r.items(count, |r| r.node(|r| scalar::primitive(r, kind)))?;
            let class = match kind {
                b'C' => "char[]",
                b'D' => "double[]",
                b'F' => "float[]",
                b'I' => "int[]",
                b'J' => "long[]",
                _ => "short[]",
            };
            (Shape::List(items), class)
        }
    };
    Some(TreeNode::new(shape).of(class))
}

/// The place that lies so many before the next one.
pub(super) fn below(next: usize, offset: i16) -> Option<usize> {
    next.checked_add_signed(isize::from(offset))
}
