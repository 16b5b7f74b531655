//! `FstCodec` (fast-serialization 2.x, its default stream).
//!
//! A tag, then the value. Numbers are compact: a byte, or a mark and two, four or eight bytes, the
//! lowest first. Objects of the JDK's classes are read; of other classes the fields lie without
//! names and types, the primitives first: those stay bytes, the objects after them are read.

mod chrono;
mod inherited;
mod jdk;
mod levels;
mod parts;

use std::collections::HashMap;

use super::Codec;
use super::java::handles::Handles;
use super::java::{self, array_name};
use super::opaque;
use super::reader::Reader;
use super::text;
use super::tree::{Name, Shape, TreeNode};
use super::verdict::{Certainty, CodecVerdict};
use parts::{compact_int, compact_long, compact_short, primitives, utf};

const OBJECT: u8 = 0x00;
const COMPATIBLE: u8 = 0xed;
const FALSE: u8 = 0xef;
const TRUE: u8 = 0xf0;
const LONG: u8 = 0xf6;
const INT: u8 = 0xf7;
const HANDLE: u8 = 0xf9;
const ENUM: u8 = 0xfa;
const ARRAY: u8 = 0xfb;
const STRING: u8 = 0xfc;
const TYPED: u8 = 0xfd;
const NULL: u8 = 0xff;

/// The number of the first class that is named in a payload.
const FIRST_NAMED: u16 = 1000;
/// The cost of an attempt to tell primitives from objects, in values.
const ATTEMPT: usize = 20;
/// Bytes of primitives that may hold an object.
const SEVERAL: usize = 16;
/// Bytes of primitives before the objects of an object's fields.
const MAX_PRIMITIVES: usize = 256;

/// Reads one object.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<TreeNode> {
    let mut fst = Fst::default();
    let here = reader.mark();
    if reader.peek()? == OBJECT {
        // Nothing follows it, which tells where its fields end.
        reader.byte()?;
        let class = fst.class(reader)?;
        fst.number(0);
        return fst.body(reader, &class, true);
    }
    reader.back(here);
    fst.tagged(reader)
}

/// FST's tags begin no text, and few other bytes.
pub(super) fn judge(payload: &[u8], tree: &TreeNode) -> CodecVerdict {
    let sure = match (payload, &tree.shape) {
        (_, Shape::Cut(_)) => Certainty::Unlikely,
        ([STRING, ..], Shape::Text(said)) if text::is_plausible(said) => Certainty::Exact,
        ([OBJECT, 1, ..] | [ENUM, 0 | 1, ..], _) => Certainty::Exact,
        ([ARRAY | OBJECT, ..] | [INT | LONG, _, ..] | [TRUE | FALSE | NULL], _) => {
            Certainty::Plausible
        }
        _ => Certainty::Unlikely,
    };
    CodecVerdict {
        codec: Codec::Fst,
        sure,
        why: "FST's tags account for every byte",
    }
}

/// Names and numbers given so far.
#[derive(Default)]
struct Fst {
    names: Vec<Name>,
    handles: Handles,
    /// Values are referred to by the place of their tag.
    places: HashMap<usize, usize>,
}

impl Fst {
    fn value(&mut self, r: &mut Reader<'_>) -> Option<TreeNode> {
        r.node(|r| self.tagged(r))
    }

    fn tagged(&mut self, r: &mut Reader<'_>) -> Option<TreeNode> {
        if r.peek()? == COMPATIBLE {
            r.byte()?;
        }
        let place = r.at();
        Some(match r.byte()? {
            NULL => TreeNode::new(Shape::Null),
            TRUE => TreeNode::new(Shape::Bool(true)),
            FALSE => TreeNode::new(Shape::Bool(false)),
            INT => TreeNode::number(compact_int(r)?),
            LONG => TreeNode::number(compact_long(r)?),
            STRING => {
                let at = self.number(place);
                let text = utf(r)?;
                self.handles.set(r, at, TreeNode::text(text))?
            }
            HANDLE => {
                let place = usize::try_from(compact_int(r)?).ok()?;
                let at = *self.places.get(&place)?;
                self.handles.refer(r, at)?
            }
            ENUM => {
                let class = self.class(r)?;
                let place = u64::try_from(compact_int(r)?).ok()?;
                let name = java::constant::name(&class, place);
                name.map_or_else(|| TreeNode::number(place), TreeNode::text)
                    .of(class)
            }
            ARRAY => {
                let at = self.number(place);
                let node = self.array(r)?;
                self.handles.set(r, at, node)?
            }
            OBJECT => {
                let class = self.class(r)?;
                let at = self.number(place);
                let node = self.body(r, &class, false)?;
                self.handles.set(r, at, node)?
            }
            // Of the class that the field says, which only its owner knows.
            TYPED => {
                let at = self.number(place);
                let here = r.mark();
                let mut node = self.fields(r, false)?;
                if node.shape == Shape::Nameless(Vec::new()) {
                    node = parts::usual_double(r, here).unwrap_or(node);
                }
                self.handles.set(r, at, node)?
            }
            _ => return None,
        })
    }

    /// Takes the next number for what lies at that place.
    fn number(&mut self, place: usize) -> usize {
        let at = self.handles.number();
        self.places.insert(place, at);
        at
    }

    /// A class: one that is always known, one that was named before, or a new name.
    fn class(&mut self, r: &mut Reader<'_>) -> Option<Name> {
        let number = compact_short(r)?;
        if number > 1 {
            if let Some(at) = number.checked_sub(FIRST_NAMED) {
                return self.names.get(usize::from(at)).cloned();
            }
            return jdk::name(number).map(Name::from);
        }
        let name = utf(r)?;
        if !is_class_name(&name) {
            return None;
        }
        r.take_text(4 * size_of::<Name>())?;
        let name = Name::from(name);
        self.names.push(name.clone());
        Some(name)
    }

    /// Reads what comes after an object's class; `last` if nothing can follow it.
    fn body(&mut self, r: &mut Reader<'_>, class: &Name, last: bool) -> Option<TreeNode> {
        let here = r.mark();
        let names = self.names.len();
        for content in [levels::content, jdk::content] {
            if let Some(node) = content(self, r, class)
                && (!last || r.rest().is_empty() || r.is_cut())
            {
                return Some(node);
            }
            r.back(here);
            self.names.truncate(names);
        }
        if let Some(node) = inherited::content(self, r, class, last) {
            return Some(node);
        }
        let fields = self.fields(r, last);
        if fields.is_none() && last && !r.is_cut() {
            r.back(here);
            let pieces = opaque::pieces(r, r.all().len(), said)?;
            return Some(TreeNode::new(Shape::Nameless(pieces)).of(class.clone()));
        }
        fields.map(|node| node.of(class.clone()))
    }

    /// The fields of an object: primitives, as bytes; then objects, up to the mark of the end.
    fn fields(&mut self, r: &mut Reader<'_>, last: bool) -> Option<TreeNode> {
        let here = r.mark();
        let names = self.names.len();
        for length in 0..=MAX_PRIMITIVES.min(r.rest().len()) {
            r.spend(ATTEMPT)?;
            let bytes = r.bytes(length)?;
            if let Some(objects) = self.objects(r)
                && (!last || r.rest().is_empty() || r.is_cut())
            {
                let mut fields = Vec::new();
                if length > SEVERAL {
                    // Objects among them that cannot be told from numbers.
                    let after = r.mark();
                    r.back(here);
                    fields = opaque::pieces(r, r.at() + length, said)?;
                    r.back(after);
                } else if length > 0 {
                    let mut node = TreeNode::new(Shape::Bytes(bytes.to_vec()));
                    node.span = r.span_at(here, length);
                    fields.push(node);
                }
                fields.extend(objects);
                return Some(TreeNode::new(Shape::Nameless(fields)));
            }
            if r.is_cut() {
                return None;
            }
            r.back(here);
            self.names.truncate(names);
        }
        None
    }

    /// Objects up to a zero that begins no object.
    fn objects(&mut self, r: &mut Reader<'_>) -> Option<Vec<TreeNode>> {
        let mut objects = Vec::new();
        loop {
            match r.peek() {
                None if r.is_cut() => return Some(objects),
                None => return None,
                Some(OBJECT) => {
                    let here = r.mark();
                    let names = self.names.len();
                    if let Some(node) = self.value(r) {
                        objects.push(node);
                    } else if r.is_cut() {
                        return Some(objects);
                    } else {
                        r.back(here);
                        self.names.truncate(names);
                        r.byte()?;
                        return Some(objects);
                    }
                }
                Some(_) => objects.push(self.value(r)?),
            }
        }
    }

    fn array(&mut self, r: &mut Reader<'_>) -> Option<TreeNode> {
        let class = self.class(r)?;
        let element = class.strip_prefix('[')?;
        let count = usize::try_from(compact_int(r)?).ok()?;
        let node = match element.as_bytes() {
            [b'[', ..] => {
                // An array of arrays says the class of each again, without a tag.
                let items = r.items(count, |r| r.node(|r| self.array(r)));
                TreeNode::new(Shape::List(items?))
            }
            [kind] if *kind != b'L' => primitives(r, *kind, count)?,
            _ => TreeNode::new(Shape::List(r.items(count, |r| self.value(r))?)),
        };
        Some(node.of(array_name(r, &class)?))
    }

    fn elements(&mut self, r: &mut Reader<'_>) -> Option<TreeNode> {
        let count = usize::try_from(compact_int(r)?).ok()?;
        Some(TreeNode::new(Shape::List(
            r.items(count, |r| self.value(r))?,
        )))
    }

    fn entries(&mut self, r: &mut Reader<'_>) -> Option<TreeNode> {
        let count = usize::try_from(compact_int(r)?).ok()?;
        Some(TreeNode::new(Shape::Map(
            r.pairs(count, |r| self.value(r))?,
        )))
    }
}

/// A text with its tag, or where an object of a class that is named begins.
fn said(r: &mut Reader<'_>, _: bool) -> Option<TreeNode> {
    if r.peek()? == STRING {
        r.byte()?;
        return utf(r).map(TreeNode::text);
    }
    r.expect(&[OBJECT, 1])?;
    let name = utf(r).filter(|name| is_class_name(name) && name.contains('.'))?;
    Some(TreeNode::new(Shape::Nameless(Vec::new())).of(name))
}

/// Tells whether a class can have that name, as FST writes it: only lambdas have a slash in theirs.
fn is_class_name(name: &str) -> bool {
    java::is_class_name(name)
        && !name.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | ';' | '/'))
        && (!name.contains('/') || name.contains("$$Lambda"))
}

/// Tells whether a class is a collection that is written as its number of elements and these.
fn is_collection(class: &str) -> bool {
    let kind = class.strip_prefix("java.util.").unwrap_or_default();
    ["List", "Set", "Deque", "Queue", "Vector", "Stack"]
        .iter()
        .any(|end| kind.ends_with(end))
        && !kind.starts_with("Collections$")
}

/// Tells whether a class is a map that is written as its number of entries and these.
fn is_map(class: &str) -> bool {
    java::is_map(class) && !class.starts_with("java.util.Collections$")
}
