//! The data that an object's class wrote besides its fields, in its `writeObject` or
//! `writeExternal`.

use crate::payload::opaque::MIN_TEXT;
use crate::payload::reader::{Budget, Reader};
use crate::payload::tree::{Shape, TreeNode};

/// Data that a class wrote besides its fields.
pub(in crate::payload) enum Extra<'a> {
    /// Primitives, as they lie, and how the texts among them begin.
    Block(&'a [u8], Utf),
    /// An object.
    Node(TreeNode),
}

/// The beginning that `writeUTF` gives a text.
#[derive(Clone, Copy)]
pub(in crate::payload) enum Utf {
    /// Java's: the number of the text's bytes, in two bytes.
    Bytes,
    /// JBoss Marshalling's: the number of the text's UTF-16 units, in four bytes.
    Units,
}

/// The next piece of the data that a class wrote besides its fields.
pub(in crate::payload) enum ExtraPiece {
    /// The number of bytes of primitives, which lie next.
    Block(usize),
    /// An object, which has been read.
    Node(TreeNode),
    /// The mark of the end, which has been read.
    End,
}

/// Reads what a class wrote besides its fields, piece by piece as the codec marks them. What lies
/// before a bound is kept.
pub(in crate::payload) fn extra<'a>(
    r: &mut Reader<'a>,
    utf: Utf,
    mut next: impl FnMut(&mut Reader<'a>) -> Option<ExtraPiece>,
) -> Option<Vec<Extra<'a>>> {
    let mut extra = Vec::new();
    loop {
        match next(r) {
            Some(ExtraPiece::Block(length)) => {
                // A made-up stream of empty blocks takes room without taking bytes.
                r.take_text(size_of::<Extra<'_>>().max(length))?;
                extra.push(Extra::Block(r.bytes(length)?, utf));
            }
            Some(ExtraPiece::Node(node)) => extra.push(Extra::Node(node)),
            Some(ExtraPiece::End) => return Some(extra),
            None if r.is_cut() => return Some(extra),
            None => return None,
        }
    }
}

impl Extra<'_> {
    /// Reads what it says: of primitives the texts that stand out among them, and the rest as
    /// bytes.
    pub(super) fn nodes(self, r: &mut Reader<'_>) -> Option<Vec<TreeNode>> {
        let (block, utf) = match self {
            Self::Node(node) => {
                r.take_nodes(1)?;
                return Some(vec![node]);
            }
            Self::Block(block, utf) => (block, utf),
        };
        let mut nodes = Vec::new();
        let (mut at, mut from) = (0, 0);
        while at < block.len() {
            if let Some((text, length)) = text(&block[at..], utf) {
                r.take_nodes(1 + usize::from(from < at))?;
                if from < at {
                    nodes.push(TreeNode::new(Shape::Bytes(block[from..at].to_vec())));
                }
                nodes.push(TreeNode::text(text));
                at += length;
                from = at;
            } else {
                at += 1;
            }
        }
        if from < at {
            r.take_nodes(1)?;
            nodes.push(TreeNode::new(Shape::Bytes(block[from..].to_vec())));
        }
        Some(nodes)
    }
}

/// The longest text that is looked for: a shorter one's length begins with a control character,
/// which stands in no text, so that no byte is looked at often.
const MAX_TEXT: usize = 0x8ff;

/// A text as `writeUTF` writes it, behind its length, and how many bytes both take.
fn text(bytes: &[u8], utf: Utf) -> Option<(String, usize)> {
    let (count, before) = match utf {
        Utf::Bytes => (u16::from_be_bytes(*bytes.first_chunk()?).into(), 2),
        Utf::Units => (u32::from_be_bytes(*bytes.first_chunk()?), 4),
    };
    let count = usize::try_from(count).ok()?;
    if !(MIN_TEXT..=MAX_TEXT).contains(&count) {
        return None;
    }
    let rest = &bytes[before..];
    let length = match utf {
        Utf::Bytes => count,
        Utf::Units => length_of(rest, count)?,
    };
    let said = rest.get(..length)?;
    let is_control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    if said.iter().any(is_control) {
        return None;
    }
    let text = Reader::new(said, Budget::full()).modified_utf8(length)?;
    let is_strange = |c: char| c.is_control() && !c.is_whitespace() || c == '\u{fffd}';
    (!text.contains(is_strange)).then_some((text, before + length))
}

/// Bytes that so many UTF-16 units take, up to a control character.
fn length_of(bytes: &[u8], units: usize) -> Option<usize> {
    let mut length = 0;
    for _ in 0..units {
        length += match bytes.get(length)? {
            byte if byte.is_ascii_control() && !byte.is_ascii_whitespace() => return None,
            0x00..0xc0 => 1,
            0xc0..0xe0 => 2,
            _ => 3,
        };
    }
    Some(length)
}
