//! The parts that the binary relatives of JSON have in common.

use super::reader::Reader;
use super::tree::{Name, Shape, TreeField, TreeNode};

/// Pairs as JSON's object when all keys are texts, as a map otherwise.
pub(super) fn object(pairs: Vec<(TreeNode, TreeNode)>) -> TreeNode {
    let is_text = |(key, _): &(TreeNode, TreeNode)| matches!(key.shape, Shape::Text(_));
    if !pairs.iter().all(is_text) {
        return TreeNode::new(Shape::Map(pairs));
    }
    let fields = pairs.into_iter().filter_map(|(key, node)| match key.shape {
        Shape::Text(name) => Some(TreeField {
            name: Name::from(name),
            node,
        }),
        _ => None,
    });
    TreeNode::new(Shape::Object(fields.collect()))
}

/// The next `length` bytes, as bytes.
pub(super) fn bytes(reader: &mut Reader<'_>, length: usize) -> Option<TreeNode> {
    let bytes = reader.bytes(length)?;
    reader.take_text(length)?;
    Some(TreeNode::new(Shape::Bytes(bytes.to_vec())))
}

/// A number in the next `bytes` bytes, eight at most, the highest first.
pub(super) fn big_endian(reader: &mut Reader<'_>, bytes: usize) -> Option<u64> {
    let bytes = reader.bytes(bytes)?;
    let number = bytes
        .iter()
        .fold(0, |sum, &byte| sum << 8 | u64::from(byte));
    Some(number)
}
