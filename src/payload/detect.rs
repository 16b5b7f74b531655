//! Which codec wrote a payload: the one that explains every byte, by the order of trial and by
//! what the other payloads of the queue are.

use super::codec::Codec;
use super::reader::{Budget, Reader};
use super::rows::{ROWS, Read, Row, Sure, Verdict};
use super::tree::{Cut, Node, Shape};

/// Codecs around codecs that are unpacked.
const MAX_PACKED: u32 = 2;

/// A payload whose codec was found.
pub(super) struct Found {
    pub(super) verdict: Verdict,
    /// The codec of what was unpacked.
    pub(super) inner: Option<Codec>,
    /// What it says.
    pub(super) tree: Node,
    /// What was unpacked: the bytes that the spans of the tree mean.
    pub(super) unpacked: Option<Vec<u8>>,
    /// Whether something in it is over a bound.
    pub(super) is_cut: bool,
}

impl Found {
    /// The codec of the values: of what is packed, the packed one's.
    pub(super) fn codec(&self) -> Codec {
        self.inner.unwrap_or(self.verdict.codec)
    }
}

/// The codec that is most likely to have written a payload.
pub(super) fn recognise(payload: &[u8]) -> Option<Found> {
    best(payload, &mut Budget::full(), MAX_PACKED)
}

fn best(payload: &[u8], budget: &mut Budget, packed: u32) -> Option<Found> {
    let mut best: Option<Found> = None;
    let first = payload.first();
    for row in &ROWS {
        if !first.is_none_or(|byte| (row.begins)(*byte)) {
            continue;
        }
        let Some(found) = read(row, payload, budget, packed) else {
            continue;
        };
        let sure = found.verdict.sure;
        if sure >= Sure::Exact {
            return Some(found);
        }
        if sure > best.as_ref().map_or(Sure::Unlikely, |b| b.verdict.sure) {
            best = Some(found);
        }
    }
    best
}

/// Reads a payload as that codec's; none when it cannot be.
pub(super) fn read_as(codec: Codec, payload: &[u8]) -> Option<Found> {
    let row = ROWS.iter().find(|row| row.codecs.contains(&codec))?;
    let mut found = read(row, payload, &mut Budget::full(), MAX_PACKED)?;
    found.verdict.codec = codec;
    Some(found)
}

/// Every reading of a payload, in the order of trial, with the codecs of its family.
pub(super) fn explanations(payload: &[u8]) -> Vec<(&'static [Codec], Found)> {
    let mut budget = Budget::full();
    let read = |row: &Row| Some((row.codecs, read(row, payload, &mut budget, MAX_PACKED)?));
    ROWS.iter().filter_map(read).collect()
}

fn read(row: &Row, payload: &[u8], budget: &mut Budget, packed: u32) -> Option<Found> {
    if budget.work == 0 {
        return None;
    }
    // A codec that spends all it may leaves as much to those after it.
    let spare = budget.work / 2;
    let work = budget.work - spare;
    let mut reader = Reader::new(payload, Budget { work, ..*budget });
    let found = match row.read {
        Read::Values(values) => {
            let tree = reader.node(values);
            *budget = reader.budget();
            budget.work += spare;
            let tree = reader.at_end(tree?)?;
            // A codec that read nothing of it before it came to a bound explains nothing.
            if matches!(tree.shape, Shape::Cut(_)) {
                return None;
            }
            Found {
                verdict: (row.judge)(payload, &tree),
                inner: None,
                tree,
                unpacked: None,
                is_cut: reader.is_cut(),
            }
        }
        Read::Packed(_) if packed == 0 => return None,
        Read::Packed(unpack) => {
            let bytes = unpack(&mut reader);
            *budget = reader.budget();
            budget.work += spare;
            if let (None, Some(why)) = (&bytes, reader.why_cut()) {
                return Some(too_large(row, payload, why));
            }
            let bytes = reader.at_end(bytes?)?;
            let inside = best(&bytes, budget, packed - 1)?;
            Found {
                verdict: (row.judge)(payload, &inside.tree),
                inner: Some(inside.codec()),
                tree: inside.tree,
                unpacked: inside.unpacked.or(Some(bytes)),
                is_cut: inside.is_cut,
            }
        }
    };
    Some(found)
}

/// A payload that unpacks to more than is read.
fn too_large(row: &Row, payload: &[u8], why: Cut) -> Found {
    let tree = Node::new(Shape::Cut(why));
    Found {
        verdict: (row.judge)(payload, &tree),
        inner: None,
        tree,
        unpacked: None,
        is_cut: true,
    }
}
