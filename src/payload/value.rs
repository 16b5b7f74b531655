//! A tree as JSON: what `value` is in all that the program prints.
//!
//! An object is an object with its type as `@class`, as Jackson has it; fields without names are
//! `@fields`. Lists, maps, dates and the like are what they mean, without their types. Bytes are
//! `{"bytes": hex}`. A value that stands elsewhere in the tree is said again, unless it holds
//! itself: then it is `{"@same": id}`. What was cut is a text that says so.
//!
//! A map is an object while its keys, which may be of any type, differ as texts; else it is
//! `{"@entries": [[key, value], …]}`, and so is an object with a field twice. A key of the data
//! that could be taken for one of these marks has one more `@` in front: `@@class`, `@bytes`.

use std::collections::{HashMap, HashSet};
use std::io;

use serde_json::{Map, Value};

use super::jackson;
use super::tree::{Cut, Name, Shape, TreeField, TreeNode};

/// Values that are said: those of a tree, and some of them again.
const MAX_VALUES: usize = 24_000;
/// Bytes of text that are said besides what a payload is long itself.
const MORE_TEXT: usize = 3 << 19;
/// Bytes of a key that is no text.
const MAX_KEY: usize = 64 << 10;
/// Nesting that is said. References can make it deeper than the tree.
const MAX_DEPTH: u32 = 110;

/// The mark of a map whose keys are not all different texts.
pub(super) const ENTRIES: &str = "@entries";
/// The marks that a key of the data could be taken for, without their `@`.
const MARKS: [&str; 6] = ["class", "fields", "same", "entries", "written", "value"];
/// The name for bytes, where nothing stands beside it.
const BYTES: &str = "bytes";

/// The notation that a tree was read from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Notation {
    /// JSON as text: it has no bytes, and what looks like a value with its class may be a list.
    Json,
    /// Anything else.
    Other,
}

/// All of a tree, within bounds.
pub(super) fn value(tree: &TreeNode, notation: Notation) -> Value {
    value_within(tree, notation, MAX_VALUES)
}

/// The same of a tree that nobody needs any more: what is one text, and may be large, is not copied.
pub(super) fn value_of(mut tree: TreeNode, notation: Notation) -> Value {
    let is_plain = notation == Notation::Other || tree.class.is_none();
    let most = room(&tree);
    match &mut tree.shape {
        Shape::Text(text) if is_plain && text.len() <= most => Value::String(std::mem::take(text)),
        _ => value(&tree, notation),
    }
}

/// Bytes of text that are told of a tree: so many more than it is read from.
fn room(tree: &TreeNode) -> usize {
    let size = usize::try_from(tree.span.end).unwrap_or(usize::MAX);
    size.saturating_add(MORE_TEXT)
}

/// All of a tree, of at most so many values.
fn value_within(tree: &TreeNode, notation: Notation, values: usize) -> Value {
    let mut teller = JsonTeller {
        named: None,
        tree,
        notation,
        inside: Vec::new(),
        values,
        text: room(tree),
        depth: 0,
    };
    teller.say(tree)
}

impl TreeNode {
    /// All of it as JSON, within bounds.
    #[must_use]
    pub fn json(&self) -> Value {
        value(self, Notation::Other)
    }

    /// The same, of at most twice as many values as it holds: values that stand in it again and
    /// again do not make it longer.
    #[must_use]
    pub fn json_once(&self) -> Value {
        value_within(self, Notation::Other, 2 * count(self))
    }
}

/// The count of values in one, with itself.
fn count(node: &TreeNode) -> usize {
    1 + node.children().into_iter().map(count).sum::<usize>()
}

struct JsonTeller<'a> {
    tree: &'a TreeNode,
    notation: Notation,
    /// The nodes that can be referred to; found when the first reference is met.
    named: Option<HashMap<u32, &'a TreeNode>>,
    /// The ids of the nodes that are being said.
    inside: Vec<u32>,
    values: usize,
    text: usize,
    depth: u32,
}

impl<'a> JsonTeller<'a> {
    fn say(&mut self, node: &'a TreeNode) -> Value {
        if self.values == 0 {
            return cut(Cut::Many);
        }
        if self.depth >= MAX_DEPTH {
            return cut(Cut::Deep);
        }
        self.values -= 1;
        self.depth += 1;
        self.inside.push(node.id);
        let value = self.shape(node);
        self.inside.pop();
        self.depth -= 1;
        match &node.class {
            Some(class) if self.notation == Notation::Json && may_be_list(node, class) => {
                Value::Array(vec![Value::from(class.as_ref()), value])
            }
            _ => value,
        }
    }

    fn shape(&mut self, node: &'a TreeNode) -> Value {
        match &node.shape {
            Shape::Null => Value::Null,
            Shape::Bool(is) => Value::Bool(*is),
            Shape::Number(number) => Value::Number(number.clone()),
            Shape::Text(text) if !self.has_room(text.len()) => cut(Cut::Long),
            Shape::Text(text) => Value::from(text.as_str()),
            Shape::Bytes(bytes) if !self.has_room(bytes.len() * 2) => cut(Cut::Long),
            Shape::Bytes(bytes) => one("bytes", Value::from(hex::encode(bytes))),
            Shape::List(nodes) => self.list(nodes),
            Shape::Object(fields) => self.fields(node.class.as_ref(), fields),
            Shape::Nameless(nodes) => {
                let mut said = self.object(node.class.as_ref());
                said.insert("@fields".into(), self.list(nodes));
                Value::Object(said)
            }
            Shape::Map(pairs) => self.map(pairs),
            Shape::Same(id) => self.again(*id),
            Shape::Cut(why) => cut(*why),
        }
    }

    fn list(&mut self, nodes: &'a [TreeNode]) -> Value {
        let mut said = Vec::new();
        for node in nodes {
            // The next one is said to be cut: there may be many more.
            let ended = self.values == 0;
            said.push(self.say(node));
            if ended {
                break;
            }
        }
        Value::Array(said)
    }

    fn fields(&mut self, class: Option<&Name>, fields: &'a [TreeField]) -> Value {
        let mut said = Vec::new();
        for field in fields {
            // A long name may be that of each of thousands of objects.
            if !self.has_room(field.name.len()) {
                said.push((Value::from("…"), cut(Cut::Long)));
                break;
            }
            let name = Value::from(&*field.name);
            let value = self.say(&field.node);
            said.push((name, value));
        }
        // What a class of Java's is besides its fields has names that no field can have.
        let is_ours = |name: &str| class.is_some() && matches!(name, "@written" | "@value");
        let object = self.object(class);
        self.keyed(object, said, is_ours)
    }

    fn map(&mut self, pairs: &'a [(TreeNode, TreeNode)]) -> Value {
        let mut said = Vec::new();
        for (key, value) in pairs {
            let ended = self.values == 0;
            let key = self.say(key);
            said.push((key, self.say(value)));
            if ended {
                break;
            }
        }
        self.keyed(Map::new(), said, |_| false)
    }

    /// Keys and their values as an object; where two of the keys are the same text, as pairs.
    fn keyed(
        &mut self,
        mut object: Map<String, Value>,
        pairs: Vec<(Value, Value)>,
        is_ours: impl Fn(&str) -> bool,
    ) -> Value {
        let only = matches!(&*pairs, [(_, Value::String(_))]) && object.is_empty();
        let mut name = |key: &Value| match key {
            Value::String(text) if is_ours(text) || !self.is_mark(text, only) => text.clone(),
            Value::String(text) => format!("@{text}"),
            other => self.as_key(other),
        };
        let names: Vec<String> = pairs.iter().map(|(key, _)| name(key)).collect();
        let differ = names.iter().collect::<HashSet<_>>().len() == names.len();
        if differ {
            let values = pairs.into_iter().map(|(_, value)| value);
            object.extend(names.into_iter().zip(values));
        } else {
            let pair = |(key, value)| Value::Array(vec![key, value]);
            object.insert(ENTRIES.into(), pairs.into_iter().map(pair).collect());
        }
        Value::Object(object)
    }

    /// Tells whether a key of the data could be taken for a mark of ours; `only` if it holds a text
    /// and nothing stands beside it.
    fn is_mark(&self, key: &str, only: bool) -> bool {
        let word = key.trim_start_matches('@');
        MARKS.contains(&word) && word.len() < key.len()
            || word == BYTES && only && self.notation == Notation::Other
    }

    /// A key that is no text, as JSON. In a key that stands in a key that stands in a key all
    /// quotes are doubled again and again: what is long is cut.
    fn as_key(&mut self, key: &Value) -> String {
        let key = key.to_string();
        if key.len() > MAX_KEY || !self.has_room(key.len()) {
            return format!("… {}", Cut::Long);
        }
        key
    }

    fn object(&mut self, class: Option<&Name>) -> Map<String, Value> {
        let mut said = Map::new();
        if let Some(class) = class
            && self.has_room(class.len())
        {
            said.insert("@class".into(), Value::from(class.as_ref()));
        }
        said
    }

    fn again(&mut self, id: u32) -> Value {
        let tree = self.tree;
        let named = self.named.get_or_insert_with(|| {
            let mut named = HashMap::new();
            collect(tree, &mut named);
            named
        });
        match named.get(&id).copied() {
            Some(node) if !self.inside.contains(&id) => self.say(node),
            _ => one("@same", Value::from(id)),
        }
    }

    fn has_room(&mut self, bytes: usize) -> bool {
        let left = self.text.checked_sub(bytes);
        self.text = left.unwrap_or_default();
        left.is_some()
    }
}

/// Tells whether a value with a class may as well be a list of two texts: the class is none of
/// Java's own, and the value no object, which names its class itself.
fn may_be_list(node: &TreeNode, class: &str) -> bool {
    !jackson::is_javas(class)
        && !matches!(
            node.shape,
            Shape::Object(_) | Shape::Nameless(_) | Shape::Map(_)
        )
}

fn collect<'a>(node: &'a TreeNode, named: &mut HashMap<u32, &'a TreeNode>) {
    if node.id != 0 {
        named.insert(node.id, node);
    }
    for child in node.children() {
        collect(child, named);
    }
}

fn cut(why: Cut) -> Value {
    Value::from(format!("… {why}"))
}

fn one(name: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(name.to_owned(), value)]))
}

/// A value as compact JSON. What may be megabytes is not held twice, as a text that grows is.
#[must_use]
pub fn written(value: &Value) -> String {
    let mut room = ByteRoom(0);
    let _infallible = serde_json::to_writer(&mut room, value);
    let mut text = Vec::with_capacity(room.0);
    let _infallible = serde_json::to_writer(&mut text, value);
    String::from_utf8(text).unwrap_or_default()
}

/// Counts the bytes that are written.
struct ByteRoom(usize);

impl io::Write for ByteRoom {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
