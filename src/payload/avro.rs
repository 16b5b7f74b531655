//! `AvroJacksonCodec`: Avro without its schema. Nothing in it says what a byte is: a text is a
//! length and so many characters, a number comes in seven bits a byte, and the rest is guessed. Only
//! payloads that are mostly text are believed to be Avro.

use super::codec::Codec;
use super::reader::Reader;
use super::rows::{Sure, Verdict};
use super::scalar;
use super::text;
use super::tree::{Node, Shape};

/// The shortest text by which Avro is known.
const WORD: usize = 3;

/// Reads one value after the other.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<Node> {
    let mut nodes = Vec::new();
    while !reader.is_cut() && !reader.rest().is_empty() {
        match reader.node(value) {
            Some(node) => nodes.push(node),
            None if reader.is_cut() => break,
            None => return None,
        }
    }
    Some(Node::new(Shape::Nameless(nodes)))
}

/// A text if there can be one, else a `double` if it is one that people use, else a number.
fn value(reader: &mut Reader<'_>) -> Option<Node> {
    let start = reader.mark();
    let number = long(reader)?;
    let after = reader.mark();
    if let Ok(length @ 1..) = usize::try_from(number)
        && let Some(said) = reader.utf8(length)
        && text::is_plausible(said)
    {
        return Some(Node::text(said));
    }
    reader.back(start);
    if let Some(double) = reader.array().map(f64::from_le_bytes)
        && (1e-3..1e9).contains(&double.abs())
    {
        return Some(scalar::double(double));
    }
    reader.back(after);
    Some(Node::number(number))
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

/// Plausible if most of it is text.
pub(super) fn judge(payload: &[u8], tree: &Node) -> Verdict {
    let words = tree.children().into_iter().map(|node| match &node.shape {
        Shape::Text(said) if said.len() >= WORD => said.len() + 1,
        _ => 0,
    });
    let is_text = words.sum::<usize>() * 3 >= payload.len() * 2 && payload.len() > WORD;
    Verdict {
        codec: Codec::Avro,
        sure: if is_text {
            Sure::Plausible
        } else {
            Sure::Unlikely
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
        assert_eq!(decode(b"\x02\x1ccancel order 7\0").codec, Codec::Avro);
        assert_eq!(
            decode(b"\x81\x92\x13\x84\x15\xfe\x01").codec,
            Codec::Unknown
        );
    }
}
