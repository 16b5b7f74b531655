//! What an object's class wrote besides its fields, in its `writeObject` or `writeExternal`.

use crate::payload::reader::Reader;
use crate::payload::tree::Node;

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
