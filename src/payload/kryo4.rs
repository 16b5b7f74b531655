//! `KryoCodec`: Kryo 3 and 4. See [`kryo`](super::kryo) and [`kryo5`](super::kryo5), which most of
//! their payloads are taken for, since the bytes are the same.

use super::Codec;
use super::kryo::{self, Style, id};
use super::kryo5;
use super::reader::Reader;
use super::text;
use super::tree::{Shape, TreeNode};
use super::verdict::{Certainty, CodecVerdict};

const STYLES: [Style; 2] = [style(false), style(true)];

const fn style(refers: bool) -> Style {
    Style {
        is_old: true,
        refers,
        by_fields: true,
    }
}

/// Reads one object as Kryo 3 and 4 write it.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<TreeNode> {
    kryo::read(reader, &STYLES)
}

/// Tells whether the bytes differ from Kryo 5's.
pub(super) const fn begins(first: u8) -> bool {
    matches!(first, id::STRING | id::DOUBLE | id::NAMED)
}

/// Asked after Kryo 5: what only these write is likely theirs.
pub(super) fn judge(payload: &[u8], tree: &TreeNode) -> CodecVerdict {
    let is_likely = match (payload, &tree.shape) {
        ([id::STRING, ..], Shape::Text(said)) => text::is_plausible(said),
        ([id::DOUBLE, ..], _) => kryo5::is_of_this_world(tree),
        (&[id::NAMED, ..], _) => true,
        _ => false,
    };
    CodecVerdict {
        codec: Codec::Kryo,
        sure: if is_likely {
            Certainty::Exact
        } else {
            Certainty::Unlikely
        },
        why: "Kryo 3 or 4 accounts for every byte, Kryo 5 does not",
    }
}
