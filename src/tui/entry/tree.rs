//! The content of an opened entry, as a tree whose parts can be folded.

pub mod rows;

use std::ops::Range;

use serde_json::Value;

use crate::payload::{self, Codec, PayloadReading, Shape, TreeNode};

/// The tree of an opened entry, a line a value.
#[derive(Clone, Debug)]
pub struct Tree {
    reading: PayloadReading,
    /// All values, each before those that it holds.
    pub lines: Vec<TreeLine>,
    /// Indices in `lines` of those that no folded one holds.
    pub shown: Vec<usize>,
    /// The value under the cursor: its index in `shown`.
    pub cursor: usize,
}

/// A value and where it stands.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TreeLine {
    /// Number of values that hold it, one in the other.
    pub depth: usize,
    /// Its name there; empty for the outermost.
    pub name: String,
    /// The way to it from the value that holds it.
    pub step: TreeStep,
    /// Its text, in one line that is cut when it is long; of what holds others, their number.
    pub words: String,
    /// Its type, where the codec says one.
    pub class: String,
    /// The kind of value that it is drawn as.
    pub kind: ValueKind,
    /// Number of lines below it that belong to it.
    pub below: usize,
    /// True while those are not shown.
    pub folded: bool,
    /// Its bytes in the payload; empty where they are not to be told.
    pub bytes: Range<usize>,
}

/// The way to a value from the one that holds it.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum TreeStep {
    /// It is the outermost one.
    #[default]
    None,
    /// By its place: `[0]`.
    Place,
    /// By its name: `.name`, `["a name"]`.
    Name,
}

/// The kind of a value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ValueKind {
    /// It holds others.
    Branch,
    /// A text.
    Text,
    /// A number, a truth value.
    Number,
    /// Nothing, bytes, a reference, what was cut.
    Other,
}

impl Tree {
    /// The tree of a payload that was found to be of that codec; none when there is nothing to
    /// fold in it.
    #[must_use]
    pub fn of(payload: &[u8], codec: Codec) -> Option<Self> {
        Self::of_reading(payload::read(payload, Some(codec))?)
    }

    /// The tree of what was read; none when there is nothing to fold in it.
    #[must_use]
    pub fn of_reading(reading: PayloadReading) -> Option<Self> {
        let lines = rows::of(&reading.tree, reading.unpacked.is_some());
        if lines.len() < 2 {
            return None;
        }
        let shown = (0..lines.len()).collect();
        Some(Self {
            reading,
            lines,
            shown,
            cursor: 0,
        })
    }

    /// The line under the cursor: its index in `lines`.
    #[must_use]
    pub fn line(&self) -> usize {
        self.shown.get(self.cursor).copied().unwrap_or_default()
    }

    /// The lines that hold a line, the innermost first.
    pub fn holders(&self, line: usize) -> impl Iterator<Item = usize> {
        let depth = self.lines.get(line).map_or(0, |line| line.depth);
        let above = self.lines.iter().enumerate().take(line).rev();
        above
            .scan(depth, |depth, (at, line)| {
                let holds = line.depth < *depth;
                *depth = line.depth.min(*depth);
                Some(holds.then_some(at))
            })
            .flatten()
    }

    /// Folds a line, or shows again what it holds; the cursor stays on its value, or comes to the
    /// one that holds it.
    pub fn fold(&mut self, line: usize, folded: bool) {
        let under = self.line();
        let Some(branch) = self.lines.get_mut(line) else {
            return;
        };
        if branch.below == 0 || branch.folded == folded {
            return;
        }
        branch.folded = folded;
        self.shown.clear();
        let mut next = 0;
        for (at, line) in self.lines.iter().enumerate() {
            if at == next {
                self.shown.push(at);
                next += 1 + if line.folded { line.below } else { 0 };
            }
        }
        self.to(under);
    }

    /// Puts the cursor on a line, or on the folded one that holds it.
    pub fn to(&mut self, line: usize) {
        let after = self.shown.partition_point(|at| *at <= line);
        self.cursor = after.saturating_sub(1);
    }

    /// Returns the path to a line from the outermost value: `.items[0].id`.
    #[must_use]
    pub fn path(&self, line: usize) -> String {
        let mut steps: Vec<usize> = self.holders(line).collect();
        steps.reverse();
        steps.push(line);
        let steps = steps.into_iter().filter_map(|at| self.lines.get(at));
        let path: String = steps.map(TreeLine::said_step).collect();
        if path.is_empty() {
            ".".to_owned()
        } else {
            path
        }
    }

    /// All of a line's value: of a text the text itself, of all else JSON.
    #[must_use]
    pub fn value(&self, line: usize) -> String {
        let mut at = 0;
        nth(&self.reading.tree, &mut at, line).map_or_else(String::new, said)
    }
}

/// Returns the whole text of a value.
fn said(node: &TreeNode) -> String {
    plain(node.json())
}

/// Of a text the text itself, of all else JSON.
fn plain(value: Value) -> String {
    match value {
        Value::String(text) => text,
        value => payload::written(&value),
    }
}

/// The node of a line: they are numbered as they were added, without the keys of maps.
fn nth<'a>(node: &'a TreeNode, at: &mut usize, line: usize) -> Option<&'a TreeNode> {
    if *at == line {
        return Some(node);
    }
    *at += 1;
    held(node).into_iter().find_map(|node| nth(node, at, line))
}

/// The values that a node holds, without the keys of a map.
fn held(node: &TreeNode) -> Vec<&TreeNode> {
    match &node.shape {
        Shape::Map(pairs) => pairs.iter().map(|(_, value)| value).collect(),
        _ => node.children(),
    }
}

impl TreeLine {
    fn said_step(&self) -> String {
        let name = &self.name;
        let is_plain = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        match self.step {
            TreeStep::None => String::new(),
            TreeStep::Place => format!("[{name}]"),
            TreeStep::Name if !name.is_empty() && name.chars().all(is_plain) => format!(".{name}"),
            TreeStep::Name => format!("[{}]", Value::from(name.as_str())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDER: &[u8] =
        br#"{"@class":"com.acme.Order","id":42,"tags":["new","vip"],"a b":{"x":null}}"#;

    fn tree() -> Tree {
        Tree::of(ORDER, Codec::Json).unwrap()
    }

    fn names(tree: &Tree) -> Vec<&str> {
        let lines = tree.shown.iter().map(|at| tree.lines[*at].name.as_str());
        lines.collect()
    }

    #[test]
    fn every_value_is_a_line_with_its_type_and_its_bytes() {
        let tree = tree();
        assert_eq!(names(&tree), ["", "id", "tags", "0", "1", "a b", "x"]);
        assert_eq!(tree.lines[0].class, "com.acme.Order");
        assert_eq!(
            (&*tree.lines[1].words, tree.lines[1].kind),
            ("42", ValueKind::Number)
        );
        assert_eq!(&ORDER[tree.lines[1].bytes.clone()], b"42");
        assert_eq!(&ORDER[tree.lines[4].bytes.clone()], br#""vip""#);
        assert_eq!(tree.lines[2].words, "2 values");
    }

    #[test]
    fn what_is_folded_is_not_shown_and_the_cursor_stays() {
        let mut tree = tree();
        tree.to(6);
        tree.fold(2, true);
        assert_eq!(names(&tree), ["", "id", "tags", "a b", "x"]);
        assert_eq!(tree.line(), 6);
        tree.fold(5, true);
        assert_eq!((names(&tree).len(), tree.line()), (4, 5));
        tree.fold(0, true);
        assert_eq!((names(&tree), tree.line()), (vec![""], 0));
        tree.fold(0, false);
        assert_eq!(names(&tree), ["", "id", "tags", "a b"]);
    }

    #[test]
    fn a_value_has_a_path_and_can_be_said_whole() {
        let tree = tree();
        let said = |line| (tree.path(line), tree.value(line));
        let pair = |path: &str, value: &str| (path.to_owned(), value.to_owned());
        assert_eq!(said(1), pair(".id", "42"));
        assert_eq!(said(4), pair(".tags[1]", "vip"));
        assert_eq!(said(2), pair(".tags", r#"["new","vip"]"#));
        assert_eq!(said(6), pair(r#"["a b"].x"#, "null"));
        assert_eq!(tree.path(0), ".");
    }

    #[test]
    fn the_keys_of_a_map_are_names_and_no_lines() {
        // {1: "a", 2: [true]} in MessagePack.
        let tree = Tree::of(b"\x82\x01\xa1a\x02\x91\xc3", Codec::MsgPack).unwrap();
        assert_eq!(names(&tree), ["", "1", "2", "0"]);
        assert_eq!(
            (tree.path(3), tree.value(3)),
            (".2[0]".to_owned(), "true".to_owned())
        );
    }

    #[test]
    fn keys_that_print_alike_are_told_apart() {
        // {1: "int", "1": "str"} in MessagePack.
        let tree = Tree::of(b"\x82\x01\xa3int\xa11\xa3str", Codec::MsgPack).unwrap();
        assert_eq!(names(&tree), ["", "1", "\"1\""]);
    }

    #[test]
    fn what_was_cut_says_that_only_the_first_values_are_there() {
        let many = format!("{{\"a\":[{}1]}}", "[1],".repeat(30_000));
        let tree = Tree::of(many.as_bytes(), Codec::TypedJson).unwrap();
        assert!(
            tree.lines[1].words.starts_with("the first "),
            "{:?}",
            tree.lines[1]
        );
        assert!(tree.lines.last().is_some_and(|line| line.bytes.is_empty()));
    }

    #[test]
    fn what_was_packed_has_no_bytes_of_its_own_and_a_scalar_has_no_tree() {
        let packed = [&[0, 0, 0, 8][..], b"\x80{\"id\":1}"].concat();
        let tree = Tree::of(&packed, Codec::Lz4).unwrap();
        assert!(tree.lines.iter().all(|line| line.bytes.is_empty()));
        assert!(Tree::of(b"hello", Codec::Text).is_none());
    }
}
