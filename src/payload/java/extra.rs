//! What an object's class wrote besides its fields, in its `writeObject` or `writeExternal`.

use crate::payload::opaque::MIN_TEXT;
use crate::payload::reader::Reader;
use crate::payload::tree::{Node, Shape};

/// What a class wrote besides its fields.
pub(in crate::payload) enum Extra<'a> {
    /// Primitives, as they lie.
    Block(&'a [u8]),
    /// An object.
    Node(Node),
}

/// What comes next of what a class wrote besides its fields.
pub(in crate::payload) enum Piece {
    /// That many bytes of primitives, which lie next.
    Block(usize),
    /// An object, which has been read.
    Node(Node),
    /// The mark of the end, which has been read.
    End,
}

/// What a class wrote besides its fields, piece by piece as the codec marks them. What lies before
/// a bound is kept.
pub(in crate::payload) fn extra<'a>(
    r: &mut Reader<'a>,
    mut next: impl FnMut(&mut Reader<'a>) -> Option<Piece>,
) -> Option<Vec<Extra<'a>>> {
    let mut extra = Vec::new();
    loop {
        match next(r) {
            Some(Piece::Block(length)) => {
                // A made-up stream of empty blocks takes room without taking bytes.
                r.take_text(size_of::<Extra<'_>>().max(length))?;
                extra.push(Extra::Block(r.bytes(length)?));
            }
            Some(Piece::Node(node)) => extra.push(Extra::Node(node)),
            Some(Piece::End) => return Some(extra),
            None if r.is_cut() => return Some(extra),
            None => return None,
        }
    }
}

impl Extra<'_> {
    /// What it says: of primitives the texts that stand out among them, and the rest as bytes.
    pub(super) fn nodes(self, r: &mut Reader<'_>) -> Option<Vec<Node>> {
        let block = match self {
            Self::Node(node) => return Some(vec![node]),
            Self::Block(block) => block,
        };
        let mut nodes = Vec::new();
        let (mut at, mut from) = (0, 0);
        while at < block.len() {
            if let Some((text, length)) = text(&block[at..]) {
                if from < at {
                    nodes.push(Node::new(Shape::Bytes(block[from..at].to_vec())));
                }
                nodes.push(Node::text(text));
                at += length;
                from = at;
            } else {
                at += 1;
            }
        }
        if from < at {
            nodes.push(Node::new(Shape::Bytes(block[from..].to_vec())));
        }
        r.take_nodes(nodes.len())?;
        Some(nodes)
    }
}

/// A text as `writeUTF` writes it, behind its length, and how many bytes both take. None longer than
/// this begins with a byte that cannot stand in another one, so that no byte is looked at often.
const MAX_TEXT: usize = 0x8ff;

fn text(bytes: &[u8]) -> Option<(String, usize)> {
    let (length, rest) = bytes.split_first_chunk::<2>()?;
    let length = usize::from(u16::from_be_bytes(*length));
    if !(MIN_TEXT..=MAX_TEXT).contains(&length) {
        return None;
    }
    let said = rest.get(..length)?;
    let is_text = |text: &&str| !text.contains(|c: char| c.is_control() && !c.is_whitespace());
    let said = str::from_utf8(said).ok().filter(is_text)?;
    Some((said.to_owned(), 2 + length))
}
