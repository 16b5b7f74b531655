//! The lines of a tree: a megabyte of values makes no more of them than there is room for.

use std::collections::HashSet;

use serde_json::Value;

use super::{TreeLine, TreeStep, ValueKind, held, plain};
use crate::payload::{self, Shape, TreeNode};
use crate::queue::text;

/// Bytes of text that the lines of a tree may have together, before they are cut short.
const ROOM: usize = 1 << 20;

/// Characters at which a line is cut: these while there is room, `LEAST_CHARACTERS_OF_A_LINE` after
/// that.
const MOST_CHARACTERS_OF_A_LINE: usize = 4096;

const LEAST_CHARACTERS_OF_A_LINE: usize = 40;

/// The lines of a tree; those of what was packed have no bytes of their own.
pub(crate) fn of(tree: &TreeNode, is_packed: bool) -> Vec<TreeLine> {
    let mut rows = Rows {
        lines: Vec::new(),
        room: ROOM,
        is_packed,
    };
    rows.add(tree, 0, Label::default());
    rows.lines
}

#[derive(Default)]
struct Label {
    name: String,
    step: TreeStep,
}

/// The lines of a tree while they are made.
struct Rows {
    lines: Vec<TreeLine>,
    /// Bytes of text that there is room for.
    room: usize,
    is_packed: bool,
}

impl Rows {
    /// Adds a node and all that it holds.
    fn add(&mut self, node: &TreeNode, depth: usize, label: Label) {
        let at = self.lines.len();
        let place = |byte: u32| usize::try_from(byte).unwrap_or(usize::MAX);
        let bytes = place(node.span.start)..place(node.span.end);
        let (words, kind) = self.words(node);
        let class = self.line(node.class.as_deref().unwrap_or_default());
        self.lines.push(TreeLine {
            depth,
            name: label.name,
            step: label.step,
            words,
            class,
            kind,
            below: 0,
            folded: false,
            bytes: match node.shape {
                _ if self.is_packed => 0..0,
                // All the rest: what was not read has no parts.
                Shape::Cut(_) => bytes.start..bytes.start,
                _ => bytes,
            },
        });
        let labels = self.labels(node);
        for (child, label) in held(node).into_iter().zip(labels) {
            self.add(child, depth + 1, label);
        }
        self.lines[at].below = self.lines.len() - at - 1;
    }

    /// A text in one line: all of it while there is room, for a class of a kilobyte may be that of
    /// each of thousands of values.
    fn line(&mut self, text: &str) -> String {
        let line = payload::line_within(
            text,
            self.room
                .clamp(LEAST_CHARACTERS_OF_A_LINE, MOST_CHARACTERS_OF_A_LINE),
        );
        self.room = self.room.saturating_sub(line.len());
        line
    }

    /// Returns the labels of the values that a node holds, in their order.
    fn labels(&mut self, node: &TreeNode) -> Vec<Label> {
        match &node.shape {
            Shape::List(nodes) | Shape::Nameless(nodes) => (0..nodes.len()).map(indexed).collect(),
            Shape::Object(fields) => fields.iter().map(|f| self.named(&f.name)).collect(),
            Shape::Map(pairs) => {
                let keys: Vec<Value> = pairs.iter().map(|(key, _)| key.json_once()).collect();
                keys_of(&keys).iter().map(|key| self.named(key)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn named(&mut self, name: &str) -> Label {
        Label {
            name: self.line(name),
            step: TreeStep::Name,
        }
    }

    /// A node in a line, and what kind it is.
    fn words(&mut self, node: &TreeNode) -> (String, ValueKind) {
        let count = |n: usize, one: &str, many: &str| text::counted(n as u64, one, many);
        match &node.shape {
            Shape::Null => ("null".to_owned(), ValueKind::Other),
            Shape::Bool(is) => (is.to_string(), ValueKind::Number),
            Shape::Number(number) => (self.line(number.as_str()), ValueKind::Number),
            Shape::Text(text) => (self.line(text), ValueKind::Text),
            Shape::Bytes(bytes) => (count(bytes.len(), "byte", "bytes"), ValueKind::Other),
            Shape::List(nodes) => {
                let cut = matches!(nodes.last(), Some(node) if matches!(node.shape, Shape::Cut(_)));
                let values = count(nodes.len() - usize::from(cut), "value", "values");
                (format!("{}{values}", first(node)), ValueKind::Branch)
            }
            Shape::Object(fields) => (count(fields.len(), "field", "fields"), ValueKind::Branch),
            Shape::Nameless(nodes) => (
                format!("{} without names", count(nodes.len(), "field", "fields")),
                ValueKind::Branch,
            ),
            Shape::Map(pairs) => {
                let entries = count(pairs.len(), "entry", "entries");
                (format!("{}{entries}", first(node)), ValueKind::Branch)
            }
            Shape::Same(id) => (format!("the same as #{id}"), ValueKind::Other),
            Shape::Cut(why) => (why.to_string(), ValueKind::Other),
        }
    }
}

/// Returns the words before the number of values, where reading ended in the last of them.
fn first(node: &TreeNode) -> &'static str {
    let mut node = node;
    while let Some(last) = held(node).last() {
        node = last;
    }
    if matches!(node.shape, Shape::Cut(_)) {
        "the first "
    } else {
        ""
    }
}

/// The keys of a map as texts; where two would be the same, those that are texts are in quotes.
fn keys_of(keys: &[Value]) -> Vec<String> {
    let said: Vec<String> = keys.iter().cloned().map(plain).collect();
    let differ = said.iter().collect::<HashSet<_>>().len() == said.len();
    if differ {
        return said;
    }
    keys.iter().map(payload::written).collect()
}

fn indexed(i: usize) -> Label {
    Label {
        name: format!("{i}"),
        step: TreeStep::Place,
    }
}
