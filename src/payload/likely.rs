//! The likelihood that bytes without a mark were meant as what they can be read as: the more they
//! say, the less it can be by accident.

use super::Codec;
use super::tree::{Shape, TreeNode};
use super::verdict::{Certainty, CodecVerdict};
use super::{jackson, text};

/// A format whose payloads bear no mark, and what is said of them.
pub(super) struct UnmarkedFormat {
    pub(super) codec: Codec,
    /// The reason for a tree in which Jackson put Java's types.
    pub(super) types: &'static str,
    /// The reason for any other.
    pub(super) bare: &'static str,
}

/// The fewest bytes of a text that is all but certain: a length and so many characters.
const LONG_TEXT: usize = 4;

/// The verdict over a payload of a binary relative of JSON.
pub(super) fn verdict(payload: &[u8], tree: &TreeNode, format: &UnmarkedFormat) -> CodecVerdict {
    let is_typed = matches!(
        tree.shape,
        Shape::Object(_) | Shape::Map(_) | Shape::List(_)
    ) && jackson::has_types(tree);
    CodecVerdict {
        codec: format.codec,
        sure: if is_typed {
            Certainty::Exact
        } else {
            sure(payload, tree)
        },
        why: if is_typed { format.types } else { format.bare },
    }
}

fn sure(payload: &[u8], tree: &TreeNode) -> Certainty {
    match &tree.shape {
        Shape::Text(said) if !text::is_plausible(said) => Certainty::Plausible,
        Shape::Text(said) if said.len() >= LONG_TEXT => Certainty::Exact,
        Shape::Object(fields) if fields.iter().all(|f| text::is_plausible(&f.name)) => {
            if payload.len() > LONG_TEXT {
                Certainty::Exact
            } else {
                Certainty::Plausible
            }
        }
        Shape::Number(_) if payload.len() == 1 => Certainty::Unlikely,
        Shape::List(nodes) if nodes.iter().all(is_small) => Certainty::Unlikely,
        Shape::Object(_) | Shape::Map(_) => Certainty::Unlikely,
        _ => Certainty::Plausible,
    }
}

/// A number in a byte: any byte is one.
fn is_small(node: &TreeNode) -> bool {
    matches!(node.shape, Shape::Number(_)) && node.span.len() == 1
}
