//! The grammar of Java's object stream ("Java Object Serialization Specification", 6.4): classes,
//! objects, arrays and strings are numbered as they appear, and referred to by their number.

use std::rc::Rc;

use super::class::{Class, Kind};
use crate::payload::java::{self, Extra, Level};
use crate::payload::reader::Reader;
use crate::payload::scalar;
use crate::payload::tree::{Cut, Name, Node, Shape};

const NULL: u8 = 0x70;
const REFERENCE: u8 = 0x71;
const CLASS_DESC: u8 = 0x72;
const OBJECT: u8 = 0x73;
const STRING: u8 = 0x74;
const ARRAY: u8 = 0x75;
const CLASS: u8 = 0x76;
const BLOCK_DATA: u8 = 0x77;
const END_BLOCK_DATA: u8 = 0x78;
const RESET: u8 = 0x79;
const BLOCK_DATA_LONG: u8 = 0x7a;
const LONG_STRING: u8 = 0x7c;
const PROXY_CLASS_DESC: u8 = 0x7d;
const ENUM: u8 = 0x7e;

/// The number of the first thing in a stream.
const FIRST_HANDLE: u32 = 0x7e_0000;
/// Superclasses that are followed.
const MAX_SUPERCLASSES: u32 = 64;

/// What was numbered.
#[derive(Clone)]
enum Handle {
    Class(Rc<Class>),
    /// A value that is copied when it is referred to.
    Leaf(Node),
    /// A value that is referred to by its id.
    Same(u32),
}

/// What was numbered so far.
pub(super) struct Stream {
    handles: Vec<Handle>,
}

impl Stream {
    pub(super) const fn new() -> Self {
        Self {
            handles: Vec::new(),
        }
    }

    /// One value of any kind.
    pub(super) fn value(&mut self, r: &mut Reader<'_>) -> Option<Node> {
        r.node(|r| {
            let mut tag = r.byte()?;
            while tag == RESET {
                self.handles.clear();
                tag = r.byte()?;
            }
            match tag {
                NULL => Some(Node::new(Shape::Null)),
                REFERENCE => self.reference(r),
                OBJECT => self.object(r),
                STRING | LONG_STRING => {
                    let text = Self::text(r, tag)?;
                    self.leaf(r, Node::text(text))
                }
                ARRAY => self.array(r),
                ENUM => {
                    let class = self.class(r)?;
                    let at = self.number();
                    let constant = self.string(r)?;
                    let node = Node::text(constant).of(class.name.clone());
                    self.handles[at] = Handle::Leaf(node.clone());
                    Some(node)
                }
                CLASS => {
                    let class = self.class(r)?;
                    self.leaf(r, Node::text(&*class.name).of("java.lang.Class"))
                }
                CLASS_DESC | PROXY_CLASS_DESC => {
                    let class = self.new_class(r, tag, 0)?;
                    Some(Node::text(&*class.name).of("java.io.ObjectStreamClass"))
                }
                _ => None,
            }
        })
    }

    /// Takes the next number, for what will be known later.
    fn number(&mut self) -> usize {
        let at = self.handles.len();
        self.handles.push(Handle::Same(id(at)));
        at
    }

    fn leaf(&mut self, r: &mut Reader<'_>, node: Node) -> Option<Node> {
        if let Shape::Text(text) = &node.shape {
            r.take_text(text.len())?;
        }
        self.handles.push(Handle::Leaf(node.clone()));
        Some(node)
    }

    fn reference(&mut self, r: &mut Reader<'_>) -> Option<Node> {
        match self.referred(r)? {
            Handle::Class(class) => Some(Node::text(&*class.name).of("java.io.ObjectStreamClass")),
            Handle::Leaf(node) => {
                let mut node = node.clone();
                if let Shape::Text(text) = &node.shape {
                    r.take_text(text.len())?;
                }
                node.span = 0..0;
                Some(node)
            }
            Handle::Same(id) => Some(Node::new(Shape::Same(*id))),
        }
    }

    fn referred(&self, r: &mut Reader<'_>) -> Option<&Handle> {
        let at = u32::from_be_bytes(r.array()?).checked_sub(FIRST_HANDLE)?;
        self.handles.get(usize::try_from(at).ok()?)
    }

    fn text(r: &mut Reader<'_>, tag: u8) -> Option<String> {
        let length = if tag == STRING {
            usize::from(u16::from_be_bytes(r.array()?))
        } else {
            usize::try_from(u64::from_be_bytes(r.array()?)).ok()?
        };
        r.modified_utf8(length)
    }

    /// A string that is no value of its own: an enum's constant, the type of a field.
    fn string(&mut self, r: &mut Reader<'_>) -> Option<String> {
        let tag = r.byte()?;
        if tag == REFERENCE {
            let Handle::Leaf(node) = self.referred(r)?.clone() else {
                return None;
            };
            let Shape::Text(text) = node.shape else {
                return None;
            };
            r.take_text(text.len())?;
            return Some(text);
        }
        if !matches!(tag, STRING | LONG_STRING) {
            return None;
        }
        let text = Self::text(r, tag)?;
        r.take_text(size_of::<Node>())?;
        self.leaf(r, Node::text(text.clone()))?;
        Some(text)
    }

    /// A class, described here or before.
    fn class(&mut self, r: &mut Reader<'_>) -> Option<Rc<Class>> {
        self.class_or_null(r, 0)?
    }

    /// A class, or none where a superclass is missing; `below` counts the classes below it.
    #[expect(
        clippy::option_option,
        reason = "no class is another thing than no bytes"
    )]
    fn class_or_null(&mut self, r: &mut Reader<'_>, below: u32) -> Option<Option<Rc<Class>>> {
        match r.byte()? {
            NULL => Some(None),
            REFERENCE => match self.referred(r)? {
                Handle::Class(class) => Some(Some(class.clone())),
                _ => None,
            },
            tag @ (CLASS_DESC | PROXY_CLASS_DESC) => self.new_class(r, tag, below).map(Some),
            _ => None,
        }
    }

    fn new_class(&mut self, r: &mut Reader<'_>, tag: u8, below: u32) -> Option<Rc<Class>> {
        if below > MAX_SUPERCLASSES {
            r.stop(Cut::Deep);
            return None;
        }
        let mut class = Class::default();
        let at = if tag == PROXY_CLASS_DESC {
            let at = self.number();
            class.proxy(r)?;
            at
        } else {
            class.head(r)?;
            let at = self.number();
            class.fields(r, |r| self.string(r))?;
            at
        };
        self.extra(r)?;
        class.parent = self.class_or_null(r, below + 1)?;
        class.height = class.parent.as_ref().map_or(0, |parent| parent.height + 1);
        if class.height > MAX_SUPERCLASSES {
            r.stop(Cut::Deep);
            return None;
        }
        let class = Rc::new(class);
        self.handles[at] = Handle::Class(class.clone());
        Some(class)
    }

    fn object(&mut self, r: &mut Reader<'_>) -> Option<Node> {
        let class = self.class(r)?;
        let at = self.number();
        let mut levels = Vec::new();
        for class in class.hierarchy() {
            let level = self.level(r, class)?;
            levels.push(level);
            if r.is_cut() {
                break;
            }
        }
        let node = java::object(&class.name, levels);
        Some(self.numbered(at, node))
    }

    /// Puts a value where its number was taken.
    fn numbered(&mut self, at: usize, node: Node) -> Node {
        let node = node.called(id(at));
        if node.is_leaf() && !matches!(node.shape, Shape::Bytes(_)) {
            self.handles[at] = Handle::Leaf(node.clone());
        }
        node
    }

    fn level<'a>(&mut self, r: &mut Reader<'a>, class: &Class) -> Option<Level<'a>> {
        let mut level = Level {
            class: class.name.clone(),
            fields: Vec::new(),
            extra: Vec::new(),
        };
        match class.kind {
            // What it wrote cannot be told from what follows.
            Kind::Opaque => {
                r.stop(Cut::Unreadable);
                return None;
            }
            Kind::External => {}
            Kind::Fields | Kind::FieldsAndMore => {
                level.fields = r.fields(class.fields.len(), |r, i| {
                    let (kind, name) = &class.fields[i];
                    Some((name.clone(), self.element(r, *kind)?))
                })?;
            }
        }
        if class.kind != Kind::Fields && !r.is_cut() {
            level.extra = self.extra(r)?;
        }
        Some(level)
    }

    /// A field or an element of an array, of the type that a descriptor begins with.
    fn element(&mut self, r: &mut Reader<'_>, kind: u8) -> Option<Node> {
        if matches!(kind, b'L' | b'[') {
            return self.value(r);
        }
        r.node(|r| scalar::primitive(r, kind))
    }

    /// What a class wrote besides its fields, up to the mark that ends it.
    fn extra<'a>(&mut self, r: &mut Reader<'a>) -> Option<Vec<Extra<'a>>> {
        let mut extra = Vec::new();
        loop {
            let length = match r.peek() {
                Some(END_BLOCK_DATA) => {
                    r.byte()?;
                    return Some(extra);
                }
                Some(BLOCK_DATA) => usize::from(r.array::<2>()?[1]),
                Some(BLOCK_DATA_LONG) => {
                    r.byte()?;
                    usize::try_from(u32::from_be_bytes(r.array()?)).ok()?
                }
                None if r.is_cut() => return Some(extra),
                _ => {
                    match self.value(r) {
                        Some(node) => extra.push(Extra::Node(node)),
                        None if r.is_cut() => return Some(extra),
                        None => return None,
                    }
                    continue;
                }
            };
            // A made-up stream of empty blocks takes room without taking bytes.
            r.take_text(size_of::<Extra<'_>>().max(length))?;
            extra.push(Extra::Block(r.bytes(length)?));
        }
    }

    fn array(&mut self, r: &mut Reader<'_>) -> Option<Node> {
        let class = self.class(r)?;
        let at = self.number();
        let count = usize::try_from(u32::from_be_bytes(r.array()?)).ok()?;
        let kind = *class.name.as_bytes().get(1)?;
        let shape = if kind == b'B' {
            let bytes = r.bytes(count)?;
            r.take_text(count)?;
            Shape::Bytes(bytes.to_vec())
        } else {
            Shape::List(r.items(count, |r| self.element(r, kind))?)
        };
        Some(self.numbered(at, Node::new(shape).of(readable(&class.name))))
    }
}

/// What nodes call the thing with that number.
fn id(at: usize) -> u32 {
    u32::try_from(at + 1).unwrap_or(u32::MAX)
}

/// `[Lcom.acme.Order;` as `com.acme.Order[]`.
fn readable(class: &str) -> Name {
    let element = class.trim_start_matches('[');
    let brackets = "[]".repeat(class.len() - element.len());
    let element = match element {
        "B" => "byte",
        "C" => "char",
        "D" => "double",
        "F" => "float",
        "I" => "int",
        "J" => "long",
        "S" => "short",
        "Z" => "boolean",
        other => other
            .strip_prefix('L')
            .and_then(|name| name.strip_suffix(';'))
            .unwrap_or(other),
    };
    format!("{element}{brackets}").into()
}
