//! Objects of classes that extend one of the JDK's: what that one means, with the class's name and
//! the fields of its own.

use super::{Level, field, known, plain, take};
use crate::payload::reader::Reader;
use crate::payload::tree::{Name, Shape, TreeField, TreeNode};

/// The part of an object that is of the JDK's class that its own extends, beside fields of its own.
const VALUE: &str = "@value";

/// An object of a class that is none of those whose meaning is known.
pub(super) fn object(
    r: &mut Reader<'_>,
    class: &Name,
    mut levels: Vec<Level<'_>>,
) -> Option<TreeNode> {
    let base = levels
        .iter()
        .rposition(|level| level.class.starts_with("java"));
    let Some(base) = base.filter(|at| at + 1 < levels.len()) else {
        return plain(r, class, levels);
    };
    let own = levels.split_off(base + 1);
    let of = levels[base].class.clone();
    match known(r, &of, levels) {
        Ok(node) if matches!(node.shape, Shape::Cut(_)) => Some(node),
        Ok(node) => beside(r, class, node, own),
        Err(mut levels) => {
            levels.extend(own);
            plain(r, class, levels)
        }
    }
}

/// Properties whose defaults are others.
pub(super) fn defaults(
    r: &mut Reader<'_>,
    class: &Name,
    mut levels: Vec<Level<'_>>,
) -> Option<TreeNode> {
    let defaults = take(&mut levels, "defaults")?;
    let own = Level {
        class: class.clone(),
        fields: vec![TreeField {
            name: "defaults".into(),
            node: defaults,
        }],
        extra: Vec::new(),
    };
    match known(r, class, levels) {
        Ok(node) => beside(r, class, node, vec![own]),
        Err(levels) => plain(r, class, levels),
    }
}

/// Tells whether an object is that.
pub(super) fn has_defaults(class: &str, levels: &[Level<'_>]) -> bool {
    class == "java.util.Properties"
        && field(levels, "defaults").is_some_and(|node| node.shape != Shape::Null)
}

/// A value of the JDK's with what the class that extends its class holds besides.
fn beside(
    r: &mut Reader<'_>,
    class: &Name,
    node: TreeNode,
    own: Vec<Level<'_>>,
) -> Option<TreeNode> {
    let is_all = own
        .iter()
        .all(|level| level.fields.is_empty() && level.extra.is_empty());
    if is_all {
        return Some(node.of(class.clone()));
    }
    let mut object = plain(r, class, own)?;
    if let Shape::Object(fields) = &mut object.shape {
        let name = VALUE.into();
        fields.insert(0, TreeField { name, node });
    }
    Some(object)
}
