//! CBOR's tags: what a value means.

use crate::payload::java::number;
use crate::payload::reader::Reader;
use crate::payload::tree::{Shape, TreeNode};
use crate::payload::{scalar, time};

const BIG_INTEGER: &str = "java.math.BigInteger";
/// Before a payload: a mark that this is CBOR.
const CBOR: u64 = 55_799;

/// A value with what its tag says it is; a tag that is not known, or does not go with the value,
/// is its class.
pub(super) fn tagged(r: &mut Reader<'_>, tag: u64, node: TreeNode) -> TreeNode {
    let meant = match (tag, &node.shape) {
        (0, Shape::Text(text)) => Some(TreeNode::text(text.as_str()).of("timestamp")),
        (1, Shape::Number(seconds)) => seconds
            .as_i64()
            .map(|seconds| TreeNode::text(time::instant(seconds, 0)).of("timestamp")),
        (2, Shape::Bytes(bytes)) => number::big_integer(r, 1, bytes),
        (3, Shape::Bytes(bytes)) => {
            let inverted = bytes.iter().map(|byte| !byte);
            let bytes: Vec<u8> = [0xff].into_iter().chain(inverted).collect();
            number::of_twos_complement(r, &bytes)
        }
        (4, Shape::List(parts)) => decimal(parts),
        (37, Shape::Bytes(bytes)) => uuid(bytes),
        (CBOR, _) => return node,
        _ => None,
    };
    match meant {
        Some(meant) => meant,
        None if node.class.is_none() => node.of(format!("tag {tag}")),
        None => node,
    }
}

/// A list. Jackson 2, which says the class, tags a negative `BigInteger` as CBOR does but writes
/// all of its magnitude, not one less.
pub(super) fn list(mut nodes: Vec<TreeNode>) -> TreeNode {
    if let [class, value] = nodes.as_mut_slice()
        && matches!(&class.shape, Shape::Text(name) if name == BIG_INTEGER)
        && value.class.as_deref() == Some(BIG_INTEGER)
        && let Shape::Number(number) = &value.shape
        && let Some(digits) = number.as_str().strip_prefix('-')
        && let Some(less) = number::one_less(digits)
    {
        value.shape = scalar::decimal(&format!("-{less}")).shape;
    }
    TreeNode::new(Shape::List(nodes))
}

/// A decimal fraction: the power of ten, and what is to be multiplied with it.
fn decimal(parts: &[TreeNode]) -> Option<TreeNode> {
    let [exponent, digits] = parts else {
        return None;
    };
    let (Shape::Number(exponent), Shape::Number(digits)) = (&exponent.shape, &digits.shape) else {
        return None;
    };
    let exponent = i32::try_from(exponent.as_i64()?).ok()?;
    number::big_decimal(digits.as_str(), -i64::from(exponent))
}

fn uuid(bytes: &[u8]) -> Option<TreeNode> {
    let (most, least) = bytes.split_first_chunk()?;
    let least = least.try_into().ok()?;
    Some(number::uuid(
        u64::from_be_bytes(*most),
        u64::from_be_bytes(least),
    ))
}
