//! Numbers and strings, as Kryo's `Output` writes them.

use crate::payload::reader::Reader;
use crate::payload::scalar;
use crate::payload::tree::{Shape, TreeNode};

/// The most characters of a string without a length: Kryo 5, and Kryo 3 and 4.
const ASCII_MAX: usize = 32;
const OLD_ASCII_MAX: usize = 63;
/// The same of a class's name.
pub(super) const NAME_MAX: usize = 1024;

/// A string, or null; `is_old` as Kryo 3 and 4 write it.
#[expect(
    clippy::option_option,
    reason = "a null string is another thing than no string"
)]
pub(in crate::payload) fn string(r: &mut Reader<'_>, is_old: bool) -> Option<Option<String>> {
    if r.peek()? < 0x80 {
        return ascii(r, if is_old { OLD_ASCII_MAX } else { ASCII_MAX }).map(Some);
    }
    let (units, _) = flagged_by(r, 0x80)?;
    match units {
        0 => Some(None),
        1 => Some(Some(String::new())),
        units if units - 1 > r.rest().len() => None,
        units => {
            // What is looked for among other bytes may be tried at each of them.
            r.spend(units / 64)?;
            r.units(units - 1).map(Some)
        }
    }
}

/// Two or more characters, the last of them marked.
pub(super) fn ascii(r: &mut Reader<'_>, most: usize) -> Option<String> {
    let looked_at = &r.rest()[..most.min(r.rest().len())];
    let Some(last) = looked_at.iter().position(|byte| *byte >= 0x80) else {
        // It may be looked for at each of a million places.
        r.spend(looked_at.len() / 64)?;
        return None;
    };
    let length = last + 1;
    if length < 2 {
        return None;
    }
    r.take_text(length)?;
    let bytes = r.bytes(length)?;
    Some(bytes.iter().map(|byte| char::from(byte & 0x7f)).collect())
}

/// A number with a flag in its highest bit: six bits, of which one says that it goes on, then seven
/// a byte.
pub(super) fn flagged(r: &mut Reader<'_>) -> Option<(usize, bool)> {
    let flag = r.peek()? & 0x80;
    flagged_by(r, flag).map(|(number, _)| (number, flag != 0))
}

fn flagged_by(r: &mut Reader<'_>, flag: u8) -> Option<(usize, u8)> {
    let first = r.byte()?;
    if first & 0x80 != flag {
        return None;
    }
    let mut number = u64::from(first & 0x3f);
    let mut shift = 6;
    let mut more = first & 0x40 != 0;
    while more {
        if shift > 27 {
            return None;
        }
        let byte = r.byte()?;
        number |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        more = byte >= 0x80;
        if !more && byte == 0 {
            return None;
        }
    }
    Some((usize::try_from(number).ok()?, flag))
}

/// A varint of at most `max` bytes in its shortest form; a ninth byte has all its eight bits.
pub(in crate::payload) fn varint(r: &mut Reader<'_>, max: u32) -> Option<u64> {
    let mut number = 0;
    for i in 0..max {
        let byte = r.byte()?;
        let is_ninth = i == 8;
        let bits = if is_ninth { byte } else { byte & 0x7f };
        number |= u64::from(bits) << (7 * i);
        if is_ninth || byte < 0x80 {
            return (byte != 0 || i == 0).then_some(number);
        }
    }
    None
}

/// A zig-zag `int`.
pub(super) fn int(r: &mut Reader<'_>) -> Option<i32> {
    let zigzag = u32::try_from(varint(r, 5)?).ok()?;
    Some((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed())
}

/// A zig-zag `long`.
pub(in crate::payload) fn long(r: &mut Reader<'_>) -> Option<i64> {
    let zigzag = varint(r, 9)?;
    Some((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed())
}

/// An `int` that is not expected to be negative.
pub(super) fn positive_int(r: &mut Reader<'_>) -> Option<i32> {
    u32::try_from(varint(r, 5)?).ok().map(u32::cast_signed)
}

/// A `long` that is not expected to be negative.
pub(super) fn positive_long(r: &mut Reader<'_>) -> Option<i64> {
    varint(r, 9).map(u64::cast_signed)
}

/// A `float` or `double`. Of what is no number Kryo writes one form only.
pub(super) fn boxed(r: &mut Reader<'_>, kind: u8, is_old: bool) -> Option<TreeNode> {
    const NONE: [&[u8]; 4] = [
        &[0, 0, 0, 0, 0, 0, 0xf8, 0x7f],
        &[0x7f, 0xf8, 0, 0, 0, 0, 0, 0],
        &[0, 0, 0xc0, 0x7f],
        &[0x7f, 0xc0, 0, 0],
    ];
    let before = r.rest();
    let node = fixed(r, kind, is_old)?;
    let bytes = &before[..before.len() - r.rest().len()];
    let is_none = matches!(&node.shape, Shape::Text(said) if said == "NaN");
    (!is_none || NONE.contains(&bytes)).then_some(node)
}

/// A primitive of a fixed size, by the letter of its type in a class file.
pub(super) fn fixed(r: &mut Reader<'_>, kind: u8, is_old: bool) -> Option<TreeNode> {
    if is_old {
        return scalar::primitive(r, kind);
    }
    Some(match kind {
        b'C' => scalar::char(u16::from_le_bytes(r.array()?)),
        b'S' => TreeNode::number(i16::from_le_bytes(r.array()?)),
        b'I' => TreeNode::number(i32::from_le_bytes(r.array()?)),
        b'J' => TreeNode::number(i64::from_le_bytes(r.array()?)),
        b'F' => scalar::float(f32::from_le_bytes(r.array()?)),
        b'D' => scalar::double(f64::from_le_bytes(r.array()?)),
        b'B' => TreeNode::number(i8::from_le_bytes(r.array()?)),
        b'Z' => scalar::bool(r.byte()?)?,
        _ => return None,
    })
}
