//! JSON as a tree: RFC 8259, strictly, save that a broken surrogate pair becomes U+FFFD.

use std::str::FromStr;

use serde_json::Number;

use crate::payload::reader::Reader;
use crate::payload::scalar;
use crate::payload::tree::{Cut, Shape, TreeNode};

/// One value, with white space before it.
pub(super) fn value(reader: &mut Reader<'_>) -> Option<TreeNode> {
    space(reader);
    reader.node(|reader| match reader.peek()? {
        b'{' => object(reader),
        b'[' => array(reader),
        b'"' => string(reader).map(TreeNode::text),
        b't' => reader
            .expect(b"true")
            .map(|()| TreeNode::new(Shape::Bool(true))),
        b'f' => reader
            .expect(b"false")
            .map(|()| TreeNode::new(Shape::Bool(false))),
        b'n' => reader.expect(b"null").map(|()| TreeNode::new(Shape::Null)),
        _ => number(reader),
    })
}

pub(super) fn space(reader: &mut Reader<'_>) {
    while matches!(reader.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        let _space = reader.byte();
    }
}

fn array(reader: &mut Reader<'_>) -> Option<TreeNode> {
    let mut more = opens(reader, b']')?;
    let mut nodes = Vec::new();
    while more {
        match value(reader) {
            Some(node) => nodes.push(node),
            None if reader.is_cut() => break,
            None => return None,
        }
        if reader.is_cut() {
            break;
        }
        more = goes_on(reader, b']')?;
    }
    Some(TreeNode::new(Shape::List(nodes)))
}

fn object(reader: &mut Reader<'_>) -> Option<TreeNode> {
    let mut more = opens(reader, b'}')?;
    let mut fields = Vec::new();
    while more {
        let field = reader.fields(1, |reader, _| {
            space(reader);
            let name = string(reader)?;
            space(reader);
            reader.expect(b":")?;
            Some((name.into(), value(reader)?))
        });
        fields.extend(field?);
        if reader.is_cut() {
            break;
        }
        more = goes_on(reader, b'}')?;
    }
    Some(TreeNode::new(Shape::Object(fields)))
}

/// Steps over an opening bracket; whether something stands before the closing one.
fn opens(reader: &mut Reader<'_>, close: u8) -> Option<bool> {
    reader.byte()?;
    space(reader);
    if reader.peek()? == close {
        reader.byte()?;
        return Some(false);
    }
    Some(true)
}

/// Steps over a comma, or over the closing bracket: whether it was a comma.
fn goes_on(reader: &mut Reader<'_>, close: u8) -> Option<bool> {
    space(reader);
    match reader.byte()? {
        b',' => Some(true),
        byte if byte == close => Some(false),
        _ => None,
    }
}

fn number(reader: &mut Reader<'_>) -> Option<TreeNode> {
    let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
    let length = reader
        .rest()
        .iter()
        .take_while(|byte| is_part(byte))
        .count();
    if length > scalar::MAX_DIGITS {
        reader.stop(Cut::Long);
        return None;
    }
    let number = Number::from_str(reader.utf8(length)?).ok()?;
    Some(TreeNode::new(Shape::Number(number)))
}

fn string(reader: &mut Reader<'_>) -> Option<String> {
    reader.expect(b"\"")?;
    let mut text = String::new();
    loop {
        let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
        let length = reader.rest().iter().position(is_special)?;
        text.push_str(reader.utf8(length)?);
        match reader.byte()? {
            b'"' => return Some(text),
            b'\\' => text.push(escaped(reader)?),
            _ => return None,
        }
    }
}

fn escaped(reader: &mut Reader<'_>) -> Option<char> {
    Some(match reader.byte()? {
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => unicode(reader)?,
        byte @ (b'"' | b'\\' | b'/') => char::from(byte),
        _ => return None,
    })
}

/// The character of an escaped unit, or of two that are a pair.
fn unicode(reader: &mut Reader<'_>) -> Option<char> {
    let first = unit(reader)?;
    let mark = reader.mark();
    if (0xd800..0xdc00).contains(&first) && reader.expect(b"\\u").is_some() {
        let second = unit(reader)?;
        if let Some(Ok(pair)) = char::decode_utf16([first, second]).next() {
            return Some(pair);
        }
        reader.back(mark);
    }
    Some(char::from_u32(u32::from(first)).unwrap_or(char::REPLACEMENT_CHARACTER))
}

fn unit(reader: &mut Reader<'_>) -> Option<u16> {
    let digits = reader.array::<4>()?;
    let digits = str::from_utf8(&digits).ok()?;
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_hex.then(|| u16::from_str_radix(digits, 16).ok())?
}
