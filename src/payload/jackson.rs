//! Java types as Jackson puts them into JSON and into its binary relatives: an object says its
//! `@class`, anything else that needs a type is `["its.Class", value]`.

use super::tree::{Name, Shape, TreeNode};
use super::{java, time};

/// Tells whether Jackson can have written this with its types switched on.
pub(super) fn has_types(tree: &TreeNode) -> bool {
    match &tree.shape {
        Shape::Object(fields) => fields
            .iter()
            .any(|f| &*f.name == "@class" && matches!(f.node.shape, Shape::Text(_))),
        Shape::Map(pairs) => pairs.iter().any(is_class_entry),
        Shape::List(_) => wrapped(tree).is_some(),
        _ => true,
    }
}

/// Tells whether a date in it is a number, or a `long` has its class, as Jackson 2 writes them with
/// types.
pub(super) fn is_version_2(tree: &TreeNode) -> bool {
    match wrapped(tree) {
        Some(("java.lang.Long", _)) => true,
        Some(("java.util.Date" | "java.util.Calendar", value)) => {
            matches!(value.shape, Shape::Number(_))
        }
        _ => tree.children().into_iter().any(is_version_2),
    }
}

/// Tells whether it is the `@class` of a map whose keys are no texts.
fn is_class_entry((key, value): &(TreeNode, TreeNode)) -> bool {
    matches!(&key.shape, Shape::Text(name) if name == "@class")
        && matches!(value.shape, Shape::Text(_))
}

/// Tells whether a class is that of an entry of a map, whose key is its field's name.
fn is_entry(class: &str) -> bool {
    let entry = class.strip_prefix("java.util.AbstractMap$Simple");
    matches!(entry, Some("Entry" | "ImmutableEntry"))
}

/// Tells whether a date in it is a text, as Jackson 3 writes it with types.
pub(super) fn is_version_3(tree: &TreeNode) -> bool {
    if let Some((class, value)) = wrapped(tree)
        && matches!(value.shape, Shape::Text(_))
    {
        return matches!(class, "java.util.Date" | "java.util.Calendar");
    }
    tree.children().into_iter().any(is_version_3)
}

/// The same tree with what its types mean: `["java.util.Date", 0]` is a date.
pub(super) fn typed(node: TreeNode) -> TreeNode {
    if wrapped(&node).is_some() {
        let span = node.span.clone();
        let mut typed = unwrap(node);
        typed.span = span;
        return typed;
    }
    let (span, id, class) = (node.span, node.id, node.class);
    let mut class = class;
    let shape = match node.shape {
        Shape::List(nodes) => Shape::List(nodes.into_iter().map(typed).collect()),
        Shape::Map(mut pairs) => {
            if let Some(at) = pairs.iter().position(is_class_entry)
                && let Shape::Text(name) = pairs.remove(at).1.shape
            {
                class = Some(Name::from(name));
            }
            let pairs = pairs.into_iter().map(|(k, v)| (typed(k), typed(v)));
            Shape::Map(pairs.collect())
        }
        Shape::Object(mut fields) => {
            let is_class = |f: &super::tree::TreeField| {
                &*f.name == "@class" && matches!(f.node.shape, Shape::Text(_))
            };
            if let Some(at) = fields.iter().position(is_class)
                && let Shape::Text(name) = fields.remove(at).node.shape
            {
                class = Some(Name::from(name));
            }
            for field in &mut fields {
                let node = std::mem::replace(&mut field.node, TreeNode::new(Shape::Null));
                field.node = typed(node);
            }
            match &class {
                Some(name) if java::is_map(name) || is_entry(name) => Shape::Map(
                    fields
                        .into_iter()
                        .map(|f| (TreeNode::text(&*f.name), f.node))
                        .collect(),
                ),
                _ => Shape::Object(fields),
            }
        }
        other => other,
    };
    TreeNode {
        shape,
        class,
        span,
        id,
    }
}

fn unwrap(node: TreeNode) -> TreeNode {
    let Shape::List(mut items) = node.shape else {
        return node;
    };
    let (Some(value), Some(class)) = (items.pop(), items.pop()) else {
        return TreeNode::new(Shape::List(items));
    };
    let Shape::Text(class) = class.shape else {
        return typed(value);
    };
    let value = match value.shape {
        // The elements of a wrapped list are values of their own, not a wrapper.
        Shape::List(nodes) => TreeNode {
            shape: Shape::List(nodes.into_iter().map(typed).collect()),
            ..TreeNode::new(Shape::Null)
        },
        _ => typed(value),
    };
    if value.class.as_ref().is_some_and(|own| **own != *class) {
        // It names its own: what stands around it is no wrapper of Jackson's.
        return TreeNode::new(Shape::List(vec![TreeNode::text(class), value]));
    }
    match &value.shape {
        Shape::Number(n) if is_date(&class) => match n.as_i64() {
            Some(ms) => time::date(ms).of(class),
            None => value.of(class),
        },
        _ => value.of(class),
    }
}

/// The class and the value of `["its.Class", value]`.
fn wrapped(node: &TreeNode) -> Option<(&str, &TreeNode)> {
    let Shape::List(items) = &node.shape else {
        return None;
    };
    let [class, value] = items.as_slice() else {
        return None;
    };
    match &class.shape {
        Shape::Text(name) if is_class_name(name) => Some((name, value)),
        _ => None,
    }
}

/// Tells whether a number of that class is a date, in epoch milliseconds.
pub(super) fn is_date(class: &str) -> bool {
    matches!(
        class,
        "java.util.Date"
            | "java.util.Calendar"
            | "java.util.GregorianCalendar"
            | "java.sql.Timestamp"
            | "java.sql.Date"
    )
}

/// Tells whether a class is one of Java's own, or an array: what has such a name in front is no
/// list of two texts.
pub(super) fn is_javas(class: &str) -> bool {
    class.starts_with("java.")
        || class.starts_with("javax.")
        || is_class_name(class) && class.starts_with('[')
}

/// A Java class in a package, an array of one (`[Lcom.acme.Order;`, `[I`), or one with type
/// arguments (`java.util.EnumMap<…>`).
pub(super) fn is_class_name(name: &str) -> bool {
    if let Some(element) = name.strip_prefix('[') {
        return element.starts_with(|c: char| "[LBCDFIJSZ".contains(c));
    }
    let raw = name.split_once('<').map_or(name, |(raw, _)| raw);
    raw.contains('.') && raw.split('.').all(is_identifier)
}

/// A class's name without its package, or a part of it.
pub(super) fn is_identifier(word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit()) && word.chars().all(part)
}
