//! Ion as text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{annotated, number};
use crate::payload::reader::Reader;
use crate::payload::tree::{Name, Shape, TreeNode};

/// One value, with white space and comments around it.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<TreeNode> {
    let node = value(reader)?;
    space(reader)?;
    Some(node)
}

/// The annotation that a text begins with.
pub(super) fn class(text: &[u8]) -> Option<&str> {
    let end = text.windows(3).position(|part| part == b"'::")?;
    str::from_utf8(text.get(1..end)?).ok()
}

fn value(reader: &mut Reader<'_>) -> Option<TreeNode> {
    space(reader)?;
    reader.node(|reader| {
        let mut class = None;
        while let Some(name) = annotation(reader) {
            reader.spend(1)?;
            class.get_or_insert(name);
        }
        let node = bare(reader)?;
        Some(match class {
            Some(class) => annotated(&class, node),
            None => node,
        })
    })
}

/// A symbol and two colons; if that is not what comes, nothing is read.
fn annotation(reader: &mut Reader<'_>) -> Option<String> {
    let start = reader.mark();
    let name = symbol(reader).filter(|_| {
        let _same = space(reader);
        reader.expect(b"::").is_some()
    });
    if name.is_none() {
        reader.back(start);
        return None;
    }
    space(reader)?;
    name
}

fn bare(reader: &mut Reader<'_>) -> Option<TreeNode> {
    match reader.peek()? {
        b'{' if reader.rest().starts_with(b"{{") => lob(reader),
        b'{' => object(reader),
        b'[' => list(reader, b']'),
        b'(' => list(reader, b')'),
        b'"' => quoted(reader, b"\"").map(TreeNode::text),
        b'\'' if reader.rest().starts_with(b"'''") => long_text(reader).map(TreeNode::text),
        b'\'' => quoted(reader, b"'").map(TreeNode::text),
        b'0'..=b'9' | b'-' | b'+' => number::read(reader),
        _ => Some(word(identifier(reader)?)),
    }
}

/// A word without quotes: null (of some type), a truth value, not a number, or a symbol.
fn word(word: &str) -> TreeNode {
    match word {
        "true" => TreeNode::new(Shape::Bool(true)),
        "false" => TreeNode::new(Shape::Bool(false)),
        "nan" => TreeNode::text("NaN"),
        "null" => TreeNode::new(Shape::Null),
        _ if word.starts_with("null.") => TreeNode::new(Shape::Null),
        _ => TreeNode::text(word),
    }
}

fn symbol(reader: &mut Reader<'_>) -> Option<String> {
    match reader.peek()? {
        b'\'' if !reader.rest().starts_with(b"'''") => quoted(reader, b"'"),
        _ => identifier(reader).map(str::to_owned),
    }
}

fn identifier<'a>(reader: &mut Reader<'a>) -> Option<&'a str> {
    let is_part = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.');
    let length = reader.rest().iter().take_while(is_part).count();
    let starts = reader.peek()?;
    let begins = starts.is_ascii_alphabetic() || matches!(starts, b'_' | b'$');
    let word = begins.then(|| reader.utf8(length))??;
    // A dot stands only between `null` and a type.
    (!word.contains('.') || word.starts_with("null.")).then_some(word)
}

fn list(reader: &mut Reader<'_>, close: u8) -> Option<TreeNode> {
    reader.byte()?;
    let mut nodes = Vec::new();
    while !ends(reader, close, close == b']' && !nodes.is_empty())? {
        nodes.extend(reader.items(1, value)?);
    }
    Some(TreeNode::new(Shape::List(nodes)))
}

fn object(reader: &mut Reader<'_>) -> Option<TreeNode> {
    reader.byte()?;
    let mut fields = Vec::new();
    while !ends(reader, b'}', !fields.is_empty())? {
        let field = reader.fields(1, |reader, _| {
            let name = match reader.peek()? {
                b'"' => quoted(reader, b"\"")?,
                b'\'' if reader.rest().starts_with(b"'''") => long_text(reader)?,
                _ => symbol(reader)?,
            };
            space(reader)?;
            reader.expect(b":")?;
            Some((Name::from(name), value(reader)?))
        });
        fields.extend(field?);
    }
    Some(TreeNode::new(Shape::Object(fields)))
}

/// Tells whether a container ends here: at its bracket, which may have a comma before it, or where
/// something was over a bound. Steps over what parts its values.
fn ends(reader: &mut Reader<'_>, close: u8, parted: bool) -> Option<bool> {
    if reader.is_cut() {
        return Some(true);
    }
    space(reader)?;
    let is_close = |reader: &mut Reader<'_>| reader.expect(&[close]).is_some();
    if is_close(reader) {
        return Some(true);
    }
    if parted {
        reader.expect(b",")?;
        space(reader)?;
        return Some(is_close(reader));
    }
    Some(false)
}

/// Bytes in base64, or as text, between double braces.
fn lob(reader: &mut Reader<'_>) -> Option<TreeNode> {
    reader.expect(b"{{")?;
    space(reader)?;
    let bytes = match reader.peek()? {
        b'"' => quoted(reader, b"\"")?.into_bytes(),
        b'\'' => long_text(reader)?.into_bytes(),
        _ => {
            let length = reader.rest().iter().position(|&b| b == b'}')?;
            let digits = reader
                .utf8(length)?
                .replace(|c: char| c.is_ascii_whitespace(), "");
            STANDARD.decode(digits).ok()?
        }
    };
    space(reader)?;
    reader.expect(b"}}")?;
    Some(TreeNode::new(Shape::Bytes(bytes)))
}

/// Texts in three quotes each, one after the other: one text.
fn long_text(reader: &mut Reader<'_>) -> Option<String> {
    let mut text = String::new();
    while reader.rest().starts_with(b"'''") {
        text.push_str(&quoted(reader, b"'''")?);
        space(reader)?;
    }
    Some(text)
}

fn quoted(reader: &mut Reader<'_>, quote: &[u8]) -> Option<String> {
    reader.expect(quote)?;
    let mut text = String::new();
    loop {
        let is_special = |b: &u8| *b == b'\\' || quote.first() == Some(b);
        let length = reader.rest().iter().position(is_special)?;
        text.push_str(reader.utf8(length)?);
        if reader.expect(quote).is_some() {
            return Some(text);
        }
        match reader.byte()? {
            b'\\' => text.extend(escaped(reader)?),
            byte => text.push(char::from(byte)),
        }
    }
}

/// The character of an escape; none of one that joins two lines.
#[expect(
    clippy::option_option,
    reason = "no character is another thing than no escape"
)]
fn escaped(reader: &mut Reader<'_>) -> Option<Option<char>> {
    Some(Some(match reader.byte()? {
        b'0' => '\0',
        b'a' => '\u{7}',
        b'b' => '\u{8}',
        b't' => '\t',
        b'n' => '\n',
        b'v' => '\u{b}',
        b'f' => '\u{c}',
        b'r' => '\r',
        b'x' => char::from_u32(hex::<2>(reader)?)?,
        b'U' => char::from_u32(hex::<8>(reader)?)?,
        b'u' => unit(reader)?,
        b'\n' => return Some(None),
        byte @ (b'"' | b'\'' | b'\\' | b'/' | b'?') => char::from(byte),
        _ => return None,
    }))
}

/// The character of an escaped unit, or of two that are a pair.
fn unit(reader: &mut Reader<'_>) -> Option<char> {
    let first = hex::<4>(reader)?;
    if !(0xd800..0xdc00).contains(&first) {
        return Some(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    let mark = reader.mark();
    let second = reader.expect(b"\\u").and_then(|()| hex::<4>(reader));
    if let Some(second @ 0xdc00..0xe000) = second {
        return char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00));
    }
    reader.back(mark);
    Some(char::REPLACEMENT_CHARACTER)
}

fn hex<const N: usize>(reader: &mut Reader<'_>) -> Option<u32> {
    let digits = reader.array::<N>()?;
    let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
    let digits = str::from_utf8(&digits).ok()?;
    is_hex.then(|| u32::from_str_radix(digits, 16).ok())?
}

/// Steps over white space and comments; none if a comment is not ended.
fn space(reader: &mut Reader<'_>) -> Option<()> {
    loop {
        let rest = reader.rest();
        let blank = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let length = match &rest[blank..] {
            [b'/', b'/', comment @ ..] => {
                let line = comment.iter().position(|&b| b == b'\n');
                line.unwrap_or(comment.len()) + 2
            }
            [b'/', b'*', comment @ ..] => comment.windows(2).position(|w| w == b"*/")? + 4,
            _ => 0,
        };
        if blank + length == 0 {
            return Some(());
        }
        reader.bytes(blank + length)?;
    }
}
