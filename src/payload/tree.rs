//! The content of a payload as a tree: the same for every codec.
//!
//! Each node knows its type as the codec names it and the bytes that say it. A tree is a tree of
//! values, not of a format's own marks: a boxed number is a number, a date what it means.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Number;

/// A name that many nodes may share: a class, a field.
pub type Name = Arc<str>;

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeNode {
    /// Its content.
    pub shape: Shape,
    /// Its type, if the codec says one that the shape does not say already: `com.acme.Order`,
    /// `java.util.Date`. Dates, identifiers, enum constants are texts with a type.
    pub class: Option<Name>,
    /// The bytes that say it, from the first to after the last: of the payload, or of what was
    /// unpacked from it.
    pub span: Range<u32>,
    /// The number that [`Shape::Same`] calls it by; 0 for what nothing can refer to.
    pub id: u32,
}

/// The kinds of values.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A number, with all its digits.
    Number(Number),
    /// A text; with a class, what a value of that class means as text.
    Text(String),
    /// Bytes that are no text.
    Bytes(Vec<u8>),
    /// Values in order: a list, a set, an array.
    List(Vec<TreeNode>),
    /// Fields with their names.
    Object(Vec<TreeField>),
    /// The fields of an object whose codec does not keep their names, in the codec's order.
    Nameless(Vec<TreeNode>),
    /// Keys, which may be of any type, with their values.
    Map(Vec<(TreeNode, TreeNode)>),
    /// The value that bears this [`id`](TreeNode::id) and stands elsewhere in the tree.
    Same(u32),
    /// Not read any further, and why.
    Cut(Cut),
}

/// A field of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeField {
    /// Its name.
    pub name: Name,
    /// Its value.
    pub node: TreeNode,
}

/// A reason why something was not read to its end.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Cut {
    /// Nested deeper than is read.
    Deep,
    /// More values than are read.
    Many,
    /// Longer texts than are read.
    Long,
    /// Unpacks to more than is read.
    Unpacked,
    /// The rest is not known well enough to be read: only said of the rest of an object whose
    /// codec does not describe its fields.
    Unreadable,
}

impl TreeNode {
    /// A value without a type of its own. `Reader::node` fills in
    /// its span.
    #[must_use]
    pub const fn new(shape: Shape) -> Self {
        Self {
            shape,
            class: None,
            span: 0..0,
            id: 0,
        }
    }

    /// The same value, of that type.
    #[must_use]
    pub fn of(mut self, class: impl Into<Name>) -> Self {
        self.class = Some(class.into());
        self
    }

    /// The same value, to be referred to by that number.
    #[must_use]
    pub const fn called(mut self, id: u32) -> Self {
        self.id = id;
        self
    }

    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(Shape::Text(text.into()))
    }

    /// A whole number.
    pub fn number(number: impl Into<Number>) -> Self {
        Self::new(Shape::Number(number.into()))
    }

    /// Tells whether a copy of it may stand for a reference to it: it holds no other nodes.
    #[must_use]
    pub const fn is_leaf(&self) -> bool {
        !matches!(
            self.shape,
            Shape::List(_)
                | Shape::Object(_)
                | Shape::Nameless(_)
                | Shape::Map(_)
                | Shape::Cut(_)
                | Shape::Same(_)
        )
    }

    /// The nodes that it holds, in order; of a map keys and values in turn.
    #[must_use]
    pub fn children(&self) -> Vec<&Self> {
        match &self.shape {
            Shape::List(nodes) | Shape::Nameless(nodes) => nodes.iter().collect(),
            Shape::Object(fields) => fields.iter().map(|field| &field.node).collect(),
            Shape::Map(pairs) => pairs.iter().flat_map(|(key, value)| [key, value]).collect(),
            _ => Vec::new(),
        }
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Deep => "cut: nested too deep",
            Self::Many => "cut: too many values",
            Self::Long => "cut: too long",
            Self::Unpacked => "cut: unpacks to too much",
            Self::Unreadable => "cut: the rest cannot be told apart",
        })
    }
}
