//! Bytes that only the class which wrote them can tell apart, with what stands out in them.

use super::reader::Reader;
use super::tree::Node;
use super::tree::Shape;

/// Shorter texts do not stand out among other bytes.
pub(super) const MIN_TEXT: usize = 3;

/// All that is left: what `said` reads stands out, the rest are bytes.
pub(super) fn pieces(
    r: &mut Reader<'_>,
    said: fn(&mut Reader<'_>) -> Option<Node>,
) -> Option<Vec<Node>> {
    let mut pieces = Vec::new();
    while !r.rest().is_empty() {
        pieces.push(r.node(|r| tried(r, said).or_else(|| bytes(r, |r| tried(r, said).is_some())))?);
    }
    Some(pieces)
}

/// Printable characters, as many as there are.
pub(super) fn printable(r: &mut Reader<'_>) -> Option<Node> {
    let chunk = r.rest().utf8_chunks().next()?;
    let text = chunk.valid();
    let end = text.find(|c: char| c.is_control() && !c.is_whitespace());
    let length = end.unwrap_or(text.len());
    r.utf8(length).map(Node::text)
}

/// Bytes up to what stands out, or all that are left.
pub(super) fn bytes(
    r: &mut Reader<'_>,
    mut stands_out: impl FnMut(&mut Reader<'_>) -> bool,
) -> Option<Node> {
    let start = r.mark();
    let mut length = 0;
    while !r.rest().is_empty() {
        r.spend(1)?;
        r.byte()?;
        length += 1;
        let here = r.mark();
        let found = stands_out(r);
        r.back(here);
        if found {
            break;
        }
    }
    r.back(start);
    r.take_text(length)?;
    Some(Node::new(Shape::Bytes(r.bytes(length)?.to_vec())))
}

/// What stands out here, if it is a text that was meant as one.
fn tried(r: &mut Reader<'_>, said: fn(&mut Reader<'_>) -> Option<Node>) -> Option<Node> {
    let here = r.mark();
    let node = said(r).filter(|node| match &node.shape {
        Shape::Text(text) => {
            text.chars().count() >= MIN_TEXT
                && !text.contains(|c: char| c.is_control() && !c.is_whitespace())
        }
        _ => true,
    });
    if node.is_none() {
        r.back(here);
    }
    node
}
