//! Numbers and characters as nodes.

use std::fmt::Debug;
use std::str::FromStr;

use serde_json::Number;

use super::reader::Reader;
use super::tree::{Shape, TreeNode};

/// A `double`, in the shortest form that reads back the same. JSON has no `NaN` and no infinity:
/// they are texts, as Java prints them.
pub(super) fn double(value: f64) -> TreeNode {
    floating(value, value)
}

/// A `float`, in the shortest form that reads back as the same `float`.
pub(super) fn float(value: f32) -> TreeNode {
    floating(f64::from(value), value)
}

fn floating(wide: f64, shortest: impl Debug) -> TreeNode {
    if wide.is_nan() {
        return TreeNode::text("NaN");
    }
    if wide.is_infinite() {
        return TreeNode::text(if wide > 0.0 { "Infinity" } else { "-Infinity" });
    }
    decimal(&format!("{shortest:?}"))
}

/// Digits of a number that are read: what is longer is held three times over while it is.
pub(super) const MAX_DIGITS: usize = 64 << 10;

/// A number that is written in decimal digits; a text when it is none in JSON.
pub(super) fn decimal(digits: &str) -> TreeNode {
    Number::from_str(digits).map_or_else(
        |_| TreeNode::text(digits),
        |n| TreeNode::new(Shape::Number(n)),
    )
}

/// A `char`: a text of one UTF-16 unit.
pub(super) fn char(unit: u16) -> TreeNode {
    TreeNode::text(String::from_utf16_lossy(&[unit]))
}

/// A `boolean` in a byte; none for any other byte.
pub(super) fn bool(byte: u8) -> Option<TreeNode> {
    match byte {
        0 => Some(TreeNode::new(Shape::Bool(false))),
        1 => Some(TreeNode::new(Shape::Bool(true))),
        _ => None,
    }
}

/// A primitive of Java, by the letter of its type in a class file, the highest byte first.
pub(super) fn primitive(reader: &mut Reader<'_>, kind: u8) -> Option<TreeNode> {
    Some(match kind {
        b'B' => TreeNode::number(i8::from_be_bytes(reader.array()?)),
        b'C' => char(u16::from_be_bytes(reader.array()?)),
        b'D' => double(f64::from_be_bytes(reader.array()?)),
        b'F' => float(f32::from_be_bytes(reader.array()?)),
        b'I' => TreeNode::number(i32::from_be_bytes(reader.array()?)),
        b'J' => TreeNode::number(i64::from_be_bytes(reader.array()?)),
        b'S' => TreeNode::number(i16::from_be_bytes(reader.array()?)),
        b'Z' => bool(reader.byte()?)?,
        _ => return None,
    })
}
