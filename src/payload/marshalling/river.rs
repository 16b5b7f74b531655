//! The grammar of JBoss Marshalling's River protocol, versions 2 to 4 (`Protocol.java`,
//! `RiverUnmarshaller.java` of its project).
//!
//! What is numbered so that it can be referred to is counted exactly as the library does, or every
//! reference after it would mean another value.

use std::rc::Rc;

use super::class::{MarshalledClass, element, known};
use super::parts::{
    STRING_EMPTY, STRING_LARGE, STRING_MEDIUM, STRING_SMALL, below, count, or_more, primitives,
    units,
};
use crate::payload::java::extra::{ExtraPiece, Utf, extra};
use crate::payload::java::handles::Handles;
use crate::payload::java::{self, Level};
use crate::payload::reader::Reader;
use crate::payload::scalar;
use crate::payload::tree::{Name, Shape, TreeField, TreeNode};

const NULL: u8 = 0x01;
const REPEAT_FAR: u8 = 0x02;
const NEW: u8 = 0x04;
const NEW_UNSHARED: u8 = 0x05;
const START_SMALL: u8 = 0x32;
const START_MEDIUM: u8 = 0x33;
const START_LARGE: u8 = 0x34;
const END_BLOCK: u8 = 0x35;
const REPEAT_NEAR: u8 = 0x39;
const REPEAT_NEARISH: u8 = 0x3a;
const ARRAY: std::ops::RangeInclusive<u8> = 0x41..=0x48;
const TRUE: u8 = 0x50;
const FALSE: u8 = 0x51;
const COLLECTION: std::ops::RangeInclusive<u8> = 0x52..=0x59;
const SINGLETON_LIST: u8 = 0x5c;
const SINGLETON_SET: u8 = 0x61;
const SINGLETON_MAP: u8 = 0x68;
const PAIR: u8 = 0x77;
const REVERSE_ORDER: u8 = 0x79;
const REVERSE_ORDER_OF: u8 = 0x7a;

/// Descriptions and numbers given so far.
pub(super) struct River {
    pub(super) version: u8,
    pub(super) handles: Handles,
    /// The classes; none where one is still being described.
    pub(super) classes: Vec<Option<Rc<MarshalledClass>>>,
}

impl River {
    pub(super) fn new(version: u8) -> Self {
        Self {
            version,
            handles: Handles::default(),
            classes: Vec::new(),
        }
    }

    /// One value of any kind.
    pub(super) fn value(&mut self, r: &mut Reader<'_>) -> Option<TreeNode> {
        r.node(|r| {
            let lead = r.byte()?;
            match lead {
                NULL => Some(TreeNode::new(Shape::Null)),
                REPEAT_FAR => {
                    let at = usize::try_from(u32::from_be_bytes(r.array()?)).ok()?;
                    self.handles.refer(r, at)
                }
                REPEAT_NEAR => {
                    let at = below(self.handles.len(), i16::from(r.byte()?) - 0x100)?;
                    self.handles.refer(r, at)
                }
                REPEAT_NEARISH => {
                    let at = below(self.handles.len(), i16::from_be_bytes(r.array()?))?;
                    self.handles.refer(r, at)
                }
                NEW | NEW_UNSHARED => self.object(r),
                STRING_EMPTY => Some(TreeNode::text("")),
                STRING_SMALL | STRING_MEDIUM | STRING_LARGE => {
                    let text = units(r, lead)?;
                    self.handles.add(r, TreeNode::text(text))
                }
                TRUE => Some(TreeNode::new(Shape::Bool(true))),
                FALSE => Some(TreeNode::new(Shape::Bool(false))),
                0x49..=0x4f => {
                    let kinds = [b'B', b'S', b'I', b'J', b'C', b'F', b'D'];
                    scalar::primitive(r, kinds[usize::from(lead - 0x49)])
                }
                lead if ARRAY.contains(&lead) => self.array(r, lead),
                lead if COLLECTION.contains(&lead) => self.collection(r, lead),
                lead => self.wrapped(r, lead),
            }
        })
    }

    /// A string that is no value of its own: the name of a class or a field.
    pub(super) fn string(&mut self, r: &mut Reader<'_>) -> Option<String> {
        let at = match r.byte()? {
            STRING_EMPTY => return Some(String::new()),
            lead @ (STRING_SMALL | STRING_MEDIUM | STRING_LARGE) => {
                let text = units(r, lead)?;
                r.take_text(size_of::<TreeNode>())?;
                self.handles.add(r, TreeNode::text(text.clone()))?;
                return Some(text);
            }
            REPEAT_FAR => usize::try_from(u32::from_be_bytes(r.array()?)).ok()?,
            REPEAT_NEAR => below(self.handles.len(), i16::from(r.byte()?) - 0x100)?,
            REPEAT_NEARISH => below(self.handles.len(), i16::from_be_bytes(r.array()?))?,
            _ => return None,
        };
        self.handles.text(r, at)
    }

    /// Reads what wraps one value or stands for itself; classes.
    fn wrapped(&mut self, r: &mut Reader<'_>, lead: u8) -> Option<TreeNode> {
        match lead {
            0x7c..=0x82 => {
                let at = self.handles.number();
                let node = self.value(r)?;
                // It is the wrapper that is referred to; what it wraps is the same value.
                match node.shape {
                    Shape::List(_) | Shape::Map(_) => {
                        self.handles.set(r, at, node.of(known(lead)?))
                    }
                    _ => Some(node),
                }
            }
            SINGLETON_LIST | SINGLETON_SET | PAIR => {
                let at = self.handles.number();
                let count = if lead == PAIR { 2 } else { 1 };
                let items = r.items(count, |r| self.value(r))?;
                let node = TreeNode::new(Shape::List(items)).of(known(lead)?);
                self.handles.set(r, at, node)
            }
            SINGLETON_MAP => {
                let at = self.handles.number();
                let pairs = r.pairs(1, |r| self.value(r))?;
                let node = TreeNode::new(Shape::Map(pairs)).of(known(lead)?);
                self.handles.set(r, at, node)
            }
            0x5d | 0x62 => Some(TreeNode::new(Shape::List(Vec::new())).of(known(lead)?)),
            0x69 => Some(TreeNode::new(Shape::Map(Vec::new())).of(known(lead)?)),
            REVERSE_ORDER => Some(TreeNode::text("reverse order").of(known(lead)?)),
            REVERSE_ORDER_OF => {
                let at = self.handles.number();
                let of = self.value(r)?;
                let node = TreeNode::new(Shape::List(vec![of])).of(known(lead)?);
                self.handles.set(r, at, node)
            }
            lead => Some(TreeNode::text(known(lead)?).of("java.lang.Class")),
        }
    }

    fn array(&mut self, r: &mut Reader<'_>, lead: u8) -> Option<TreeNode> {
        let count = count(r, lead - ARRAY.start())?;
        let kind = r.byte()?;
        let class = self.class(r, kind)?;
        let kind = class.kind();
        if kind == b'L' {
            return self.objects(r, &class, count);
        }
        let node = primitives(r, kind, count)?;
        self.handles.add(r, node)
    }

    fn objects(
        &mut self,
        r: &mut Reader<'_>,
        class: &MarshalledClass,
        count: usize,
    ) -> Option<TreeNode> {
        let at = self.handles.number();
        let items = r.items(count, |r| self.value(r))?;
        let name = class.name();
        r.take_text(name.len())?;
        let node = TreeNode::new(Shape::List(items)).of(format!("{name}[]"));
        self.handles.set(r, at, node)
    }

    fn collection(&mut self, r: &mut Reader<'_>, lead: u8) -> Option<TreeNode> {
        let count = count(r, lead - COLLECTION.start())?;
        let id = r.byte()?;
        let at = self.handles.number();
        let class = known(id)?;
        let shape = match id {
            // A comparator comes first, or the enum.
            0x60 => {
                self.value(r)?;
                Shape::List(r.items(count, |r| self.value(r))?)
            }
            0x67 => {
                self.value(r)?;
                Shape::Map(r.pairs(count, |r| self.value(r))?)
            }
            0x6a => {
                let kind = r.byte()?;
                self.class(r, kind)?;
                Shape::List(r.items(count, |r| self.value(r))?)
            }
            0x6c => {
                let kind = r.byte()?;
                self.class(r, kind)?;
                Shape::Map(r.pairs(count, |r| self.value(r))?)
            }
            0x5a | 0x5b | 0x5e | 0x5f | 0x75 | 0x76 | 0x78 => {
                Shape::List(r.items(count, |r| self.value(r))?)
            }
            0x63..=0x66 => Shape::Map(r.pairs(count, |r| self.value(r))?),
            // The same element so many times.
            0x7b => {
                let field = |name: &str, node| TreeField {
                    name: name.into(),
                    node,
                };
                let level = Level {
                    class: class.into(),
                    fields: vec![
                        field("n", TreeNode::number(count)),
                        field("element", self.value(r)?),
                    ],
                    extra: Vec::new(),
                };
                java::object(r, &class.into(), vec![level])?.shape
            }
            _ => return None,
        };
        self.handles.set(r, at, TreeNode::new(shape).of(class))
    }

    fn object(&mut self, r: &mut Reader<'_>) -> Option<TreeNode> {
        let kind = r.byte()?;
        let class = self.class(r, kind)?;
        match &*class {
            MarshalledClass::Fields(_) => self.by_fields(r, &class),
            MarshalledClass::External(name) => {
                let at = self.handles.number();
                let level = Level {
                    class: name.clone(),
                    fields: Vec::new(),
                    extra: extra(r, Utf::Units, |r| self.piece(r))?,
                };
                self.handles.object(r, at, name, vec![level])
            }
            MarshalledClass::Enum(name) => {
                let length = u32::from_be_bytes(r.array()?);
                let constant = r.units(usize::try_from(length).ok()?)?;
                self.handles
                    .add(r, TreeNode::text(constant).of(name.clone()))
            }
            MarshalledClass::Proxy(name) => {
                let at = self.handles.number();
                let handler = r.fields(1, |r, _| Some(("h".into(), self.value(r)?)))?;
                let node = TreeNode::new(Shape::Object(handler)).of(name.clone());
                self.handles.set(r, at, node)
            }
            MarshalledClass::Array(name) => {
                let count = usize::try_from(u32::from_be_bytes(r.array()?)).ok()?;
                let element = name.strip_suffix("[]").unwrap_or(name);
                self.objects(r, &MarshalledClass::Plain(element.into()), count)
            }
            MarshalledClass::Known(id) => self.known_object(r, *id),
            MarshalledClass::Plain(_) => None,
        }
    }

    /// An object of a class that has a number: as version 1 wrote them, and classes.
    fn known_object(&mut self, r: &mut Reader<'_>, id: u8) -> Option<TreeNode> {
        match id {
            0x14 => {
                let length = usize::try_from(u32::from_be_bytes(r.array()?)).ok()?;
                let text = r.units(length)?;
                self.handles.add(r, TreeNode::text(text))
            }
            0x15 => {
                let kind = r.byte()?;
                let name = self.class(r, kind)?.name();
                r.take_text(name.len())?;
                Some(TreeNode::text(&*name).of("java.lang.Class"))
            }
            // A list of its own elements, which it writes itself.
            0x73 => {
                let at = self.handles.number();
                let class = Name::from(known(id)?);
                let level = Level {
                    class: class.clone(),
                    fields: Vec::new(),
                    extra: extra(r, Utf::Units, |r| self.piece(r))?,
                };
                self.handles.object(r, at, &class, vec![level])
            }
            // A set around such a list.
            0x74 => {
                let at = self.handles.number();
                let node = self.value(r)?;
                match node.shape {
                    Shape::List(_) => self.handles.set(r, at, node.of(known(id)?)),
                    _ => Some(node),
                }
            }
            0x29..=0x30 => {
                let kinds = [b'Z', b'B', b'S', b'I', b'J', b'C', b'F', b'D'];
                scalar::primitive(r, kinds[usize::from(id - 0x29)])
            }
            _ => {
                let kind = element(id)?;
                let count = usize::try_from(u32::from_be_bytes(r.array()?)).ok()?;
                let node = primitives(r, kind, count)?;
                self.handles.add(r, node)
            }
        }
    }

    fn by_fields(&mut self, r: &mut Reader<'_>, class: &MarshalledClass) -> Option<TreeNode> {
        let at = self.handles.number();
        let mut levels = Vec::new();
        for fields in class.hierarchy() {
            // It may have no bytes.
            r.spend(1)?;
            let mut level = Level {
                class: fields.name.clone()?,
                fields: r.fields(fields.own.len(), |r, i| {
                    let (kind, name) = &fields.own[i];
                    Some((name.clone(), self.field(r, *kind)?))
                })?,
                extra: Vec::new(),
            };
            if fields.writes && !r.is_cut() {
                level.extra = extra(r, Utf::Units, |r| self.piece(r))?;
            }
            levels.push(level);
            if r.is_cut() {
                break;
            }
        }
        self.handles.object(r, at, &class.name(), levels)
    }

    fn field(&mut self, r: &mut Reader<'_>, kind: u8) -> Option<TreeNode> {
        if kind == b'L' {
            return self.value(r);
        }
        r.node(|r| scalar::primitive(r, kind))
    }

    /// Reads what comes next of what a class wrote besides its fields.
    fn piece(&mut self, r: &mut Reader<'_>) -> Option<ExtraPiece> {
        Some(match r.peek()? {
            END_BLOCK => {
                r.byte()?;
                ExtraPiece::End
            }
            START_SMALL => ExtraPiece::Block(or_more(usize::from(r.array::<2>()?[1]), 0x100)),
            START_MEDIUM => {
                r.byte()?;
                let length = usize::from(u16::from_be_bytes(r.array()?));
                ExtraPiece::Block(or_more(length, 0x1_0000))
            }
            START_LARGE => {
                r.byte()?;
                ExtraPiece::Block(usize::try_from(u32::from_be_bytes(r.array()?)).ok()?)
            }
            _ => ExtraPiece::Node(self.value(r)?),
        })
    }
}
