//! Bytes that only the class which wrote them can tell apart, with what stands out in them.

use super::reader::Reader;
use super::surprise;
use super::tree::{Shape, TreeNode};

/// Shorter texts do not stand out among other bytes.
pub(super) const MIN_TEXT: usize = 3;

/// Reads what stands out; told whether it comes right after a text.
pub(super) type LandmarkReader = fn(&mut Reader<'_>, bool) -> Option<TreeNode>;

/// Reads what is left up to a place: what `said` reads stands out, the rest are bytes.
pub(super) fn pieces(
    r: &mut Reader<'_>,
    end: usize,
    said: LandmarkReader,
) -> Option<Vec<TreeNode>> {
    let mut pieces: Vec<TreeNode> = Vec::new();
    while r.at() < end && !r.is_cut() {
        let after = matches!(pieces.last(), Some(last) if matches!(last.shape, Shape::Text(_)));
        let piece = r.node(|r| {
            tried(r, |r| said(r, after))
                .or_else(|| bytes(r, end, |r| tried(r, |r| said(r, false)).is_some()))
        });
        pieces.push(piece?);
    }
    Some(pieces)
}

/// Printable characters, as many as there are.
pub(super) fn printable(r: &mut Reader<'_>, _: bool) -> Option<TreeNode> {
    let mut length = 0;
    while let Some(c) = first_char(r.rest().get(length..)?)
        && (!c.is_control() || c.is_whitespace())
    {
        length += c.len_utf8();
    }
    r.utf8(length).map(TreeNode::text)
}

fn first_char(bytes: &[u8]) -> Option<char> {
    let head = &bytes[..bytes.len().min(4)];
    head.utf8_chunks().next()?.valid().chars().next()
}

/// Bytes up to what stands out, or all up to a place.
pub(super) fn bytes(
    r: &mut Reader<'_>,
    end: usize,
    mut stands_out: impl FnMut(&mut Reader<'_>) -> bool,
) -> Option<TreeNode> {
    let start = r.mark();
    let mut length = 0;
    while r.at() < end {
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
    Some(TreeNode::new(Shape::Bytes(r.bytes(length)?.to_vec())))
}

/// Reads what stands out here, if it is a text that was meant as one.
fn tried(
    r: &mut Reader<'_>,
    said: impl FnOnce(&mut Reader<'_>) -> Option<TreeNode>,
) -> Option<TreeNode> {
    let here = r.mark();
    let node = said(r).filter(|node| match &node.shape {
        Shape::Text(text) => is_meant(text),
        _ => true,
    });
    if node.is_none() {
        r.back(here);
    }
    node
}

/// Tells whether it was meant as a text: long enough, and of characters that people write. Two of
/// those are enough that are no letters of a byte.
pub(super) fn is_meant(text: &str) -> bool {
    let is_long = text.chars().take(MIN_TEXT).count() == MIN_TEXT
        || text.chars().count() > 1 && !text.contains(|c: char| c < '\u{100}');
    is_long && text.chars().all(surprise::is_usual)
}
