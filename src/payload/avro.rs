//! `AvroJacksonCodec`: Avro without its schema. Nothing in it says what a byte is: a text is a
//! length and so many characters, a number comes in seven bits a byte, and the rest is guessed.
//! Only payloads that are mostly text are believed to be Avro.

use super::Codec;
use super::reader::Reader;
use super::scalar;
use super::tree::{Shape, TreeNode};
use super::verdict::{Certainty, CodecVerdict};

/// The shortest text by which Avro is known.
const WORD: usize = 3;

/// Reads one value after the other.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<TreeNode> {
    let mut readable = Readable::default();
    let mut nodes = Vec::new();
    while !reader.is_cut() && !reader.rest().is_empty() {
        match reader.node(|reader| value(reader, &mut readable)) {
            Some(node) => nodes.push(node),
            None if reader.is_cut() => break,
            None => return None,
        }
    }
    Some(TreeNode::new(Shape::Nameless(nodes)))
}

/// A text if there can be one, else a `double` if it is one that people use, else a number.
fn value(reader: &mut Reader<'_>, readable: &mut Readable) -> Option<TreeNode> {
    let start = reader.mark();
    let number = long(reader)?;
    let after = reader.mark();
    if let Ok(length @ 1..) = usize::try_from(number)
        && readable.reaches(reader, length)
        && let Some(said) = reader.utf8(length)
    {
        return Some(TreeNode::text(said));
    }
    reader.back(start);
    if let Some(double) = reader.array().map(f64::from_le_bytes)
        && (1e-3..1e9).contains(&double.abs())
    {
        return Some(scalar::double(double));
    }
    reader.back(after);
    Some(TreeNode::number(number))
}

/// Up to where the bytes are text: found once for each such part, since every number in it may be
/// the length of a text.
#[derive(Default)]
struct Readable {
    /// The end of what is UTF-8.
    utf8: usize,
    /// The end of what has no controls either.
    clean: usize,
}

impl Readable {
    /// Tells whether the next `length` bytes are such a text.
    fn reaches(&mut self, reader: &Reader<'_>, length: usize) -> bool {
        let (at, rest) = (reader.at(), reader.rest());
        let starts = |at: usize| rest.get(at).is_none_or(|byte| byte & 0xc0 != 0x80);
        if length > rest.len() || !starts(0) || !starts(length) {
            return false;
        }
        if at >= self.utf8 {
            let text = rest.utf8_chunks().next();
            self.utf8 = at + text.map_or(0, |text| text.valid().len());
        }
        if at >= self.clean {
            let part = &rest[..self.utf8 - at];
            let is_control = |b: &u8| matches!(b, 0..b'\t' | 0x0b | 0x0c | 0x0e..b' ' | 0x7f);
            self.clean = at + part.iter().position(is_control).unwrap_or(part.len());
        }
        at + length <= self.clean
    }
}

/// A number of seven bits a byte, the lowest first; its own lowest bit is the sign.
fn long(reader: &mut Reader<'_>) -> Option<i64> {
    let mut number: u64 = 0;
    for shift in (0..64).step_by(7) {
        let byte = reader.byte()?;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed());
        }
    }
    None
}

/// Plausible if most of it is text, and in more pieces than one. A length that is a character
/// itself tells nothing: any text can be read so.
pub(super) fn judge(payload: &[u8], tree: &TreeNode) -> CodecVerdict {
    let has_length = |node: &TreeNode| {
        let start = usize::try_from(node.span.start).unwrap_or(usize::MAX);
        let first = payload.get(start);
        first.is_some_and(|byte| !(b' '..0x7f).contains(byte))
    };
    let words: Vec<usize> = tree
        .children()
        .into_iter()
        .filter(|node| has_length(node))
        .filter_map(|node| match &node.shape {
            Shape::Text(said) if said.len() >= WORD => Some(said.len() + 1),
            _ => None,
        })
        .collect();
    let is_text = words.len() > 1 && words.iter().sum::<usize>() * 3 >= payload.len() * 2;
    CodecVerdict {
        codec: Codec::Avro,
        sure: if is_text {
            Certainty::Plausible
        } else {
            Certainty::Unlikely
        },
        why: "texts and numbers as Avro writes them; there is no schema",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::{decode, decode_as};
    use serde_json::json;

    #[test]
    fn texts_and_numbers_are_told_apart_by_their_looks() {
        let order = b"\x54\x08Zo\xc3\xab\x3d\x0a\xd7\xa3\x70\xfd\x33\x40\x04\x06new\x06vip\0";
        let read = decode_as(Codec::Avro, order).unwrap();
        assert_eq!(
            read.value,
            json!({"@fields": [42, "Zoë", 19.99, 2, "new", "vip", 0]})
        );
    }

    #[test]
    fn it_is_believed_only_where_most_is_text() {
        assert_eq!(decode(b"\x01\x0ccancel\x0eorder 7\0").codec, Codec::Avro);
        assert_eq!(
            decode(b"\x81\x92\x13\x84\x15\xfe\x01").codec,
            Codec::Unknown
        );
    }
}
