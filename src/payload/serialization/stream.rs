//! The grammar of Java's object stream ("Java Object Serialization Specification", 6.4): classes,
//! objects, arrays and strings are numbered as they appear, and referred to by their number.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use super::class::{ClassKind, SerializedClass};
use crate::payload::java::extra::{Extra, ExtraPiece, Utf, extra};
use crate::payload::java::handles::Handles;
use crate::payload::java::{self, Level};
use crate::payload::reader::Reader;
use crate::payload::scalar;
use crate::payload::tree::{Cut, Name, Shape, TreeField, TreeNode};

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

/// Descriptions and numbers given so far.
#[derive(Default)]
pub(super) struct Stream {
    handles: Handles,
    classes: BTreeMap<usize, Rc<SerializedClass>>,
    /// The classes whose `writeObject` did not begin with their fields.
    odd: HashSet<Name>,
    /// True when any class may be such a one: what it wrote begins as it would then.
    is_wary: bool,
}

/// Bytes that are as much work to read once more as a value.
const AGAIN: usize = 64;

impl Stream {
    /// To be read once more, after it made no sense in the usual way.
    pub(super) fn wary() -> Self {
        Self {
            is_wary: true,
            ..Self::default()
        }
    }

    /// One value of any kind.
    pub(super) fn value(&mut self, r: &mut Reader<'_>) -> Option<TreeNode> {
        r.node(|r| {
            let mut tag = r.byte()?;
            while tag == RESET {
                self.handles.clear();
                tag = r.byte()?;
            }
            match tag {
                NULL => Some(TreeNode::new(Shape::Null)),
                REFERENCE => self.reference(r),
                OBJECT => self.object(r),
                STRING | LONG_STRING => {
                    let text = Self::text(r, tag)?;
                    self.handles.add(r, TreeNode::text(text))
                }
                ARRAY => self.array(r),
                ENUM => {
                    let class = self.class(r)?;
                    let at = self.handles.number();
                    let constant = self.string(r)?;
                    let node = TreeNode::text(constant).of(class.name.clone());
                    self.handles.set(r, at, node)
                }
                CLASS => {
                    let class = self.class(r)?;
                    let name = match class.name.strip_prefix('[') {
                        Some(_) => java::array_name(r, &class.name)?,
                        None => class.name.clone(),
                    };
                    let node = TreeNode::text(&*name).of("java.lang.Class");
                    self.handles.add(r, node)
                }
                CLASS_DESC | PROXY_CLASS_DESC => {
                    let class = self.new_class(r, tag)?;
                    Some(TreeNode::text(&*class.name).of("java.io.ObjectStreamClass"))
                }
                _ => None,
            }
        })
    }

    fn reference(&self, r: &mut Reader<'_>) -> Option<TreeNode> {
        let at = referred(r)?;
        if let Some(class) = self.classes.get(&at) {
            r.take_text(class.name.len())?;
            return Some(TreeNode::text(&*class.name).of("java.io.ObjectStreamClass"));
        }
        self.handles.refer(r, at)
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
            let at = referred(r)?;
            return self.handles.text(r, at);
        }
        if !matches!(tag, STRING | LONG_STRING) {
            return None;
        }
        let text = Self::text(r, tag)?;
        r.take_text(size_of::<TreeNode>())?;
        self.handles.add(r, TreeNode::text(text.clone()))?;
        Some(text)
    }

    /// A class, described here or before.
    fn class(&mut self, r: &mut Reader<'_>) -> Option<Rc<SerializedClass>> {
        self.class_or_null(r)?
    }

    /// A class, or none where a superclass is missing.
    #[expect(
        clippy::option_option,
        reason = "no class is another thing than no bytes"
    )]
    fn class_or_null(&mut self, r: &mut Reader<'_>) -> Option<Option<Rc<SerializedClass>>> {
        match r.byte()? {
            NULL => Some(None),
            REFERENCE => {
                let class = self.classes.get(&referred(r)?)?;
                Some(Some(class.clone()))
            }
            tag @ (CLASS_DESC | PROXY_CLASS_DESC) => self.new_class(r, tag).map(Some),
            _ => None,
        }
    }

    fn new_class(&mut self, r: &mut Reader<'_>, tag: u8) -> Option<Rc<SerializedClass>> {
        let mut class = SerializedClass::default();
        let at = if tag == PROXY_CLASS_DESC {
            let at = self.handles.number();
            class.proxy(r)?;
            at
        } else {
            class.head(r)?;
            let at = self.handles.number();
            class.fields(r, |r| self.string(r))?;
            at
        };
        extra(r, Utf::Bytes, |r| self.piece(r))?;
        class.parent = r.nested(|r| self.class_or_null(r))?;
        class.height = class.parent.as_ref().map_or(0, |parent| parent.height + 1);
        if class.height > MAX_SUPERCLASSES {
            r.stop(Cut::Deep);
            return None;
        }
        let class = Rc::new(class);
        self.classes.insert(at, class.clone());
        Some(class)
    }

    fn object(&mut self, r: &mut Reader<'_>) -> Option<TreeNode> {
        let class = self.class(r)?;
        let at = self.handles.number();
        let mut levels = Vec::new();
        for class in class.hierarchy() {
            // It may have no bytes.
            r.spend(1)?;
            let level = self.level(r, class)?;
            levels.push(level);
            if r.is_cut() {
                break;
            }
        }
        self.handles.object(r, at, &class.name, levels)
    }

    /// Reads what an object holds of one class. Nothing in the stream tells whether `writeObject`
    /// wrote the fields first: it mostly does.
    fn level<'a>(&mut self, r: &mut Reader<'a>, class: &SerializedClass) -> Option<Level<'a>> {
        if class.kind != ClassKind::FieldsAndMore || class.fields.is_empty() {
            return self.usual(r, class);
        }
        let is_tag = r.peek().is_some_and(|tag| (NULL..=ENUM).contains(&tag));
        let is_odd = self.odd.contains(&class.name) || self.is_wary && is_tag;
        let (start, mark, handles) = (r.at(), r.mark(), self.handles.len());
        for odd in [is_odd, !is_odd] {
            let level = if odd {
                self.own(r, class)
            } else {
                self.usual(r, class)
            };
            if level.is_some() || r.is_cut() {
                if odd {
                    self.odd.insert(class.name.clone());
                }
                return level;
            }
            let work = 1 + (r.at() - start) / AGAIN;
            r.back(mark);
            r.spend(work)?;
            self.handles.forget(handles)?;
            self.classes.split_off(&handles);
        }
        None
    }

    /// Fields, and what was written after them.
    fn usual<'a>(&mut self, r: &mut Reader<'a>, class: &SerializedClass) -> Option<Level<'a>> {
        let mut level = Level {
            class: class.name.clone(),
            fields: Vec::new(),
            extra: Vec::new(),
        };
        match class.kind {
            ClassKind::Opaque => {
                level.extra = opaque(r)?;
                return Some(level);
            }
            ClassKind::External => {}
            ClassKind::Fields | ClassKind::FieldsAndMore => level.fields = self.fields(r, class)?,
        }
        if class.kind != ClassKind::Fields && !r.is_cut() {
            level.extra = extra(r, Utf::Bytes, |r| self.piece(r))?;
        }
        Some(level)
    }

    /// Reads what a class wrote that did not write its fields first: they come later, or never.
    fn own<'a>(&mut self, r: &mut Reader<'a>, class: &SerializedClass) -> Option<Level<'a>> {
        let mut fields = None;
        let extra = extra(r, Utf::Bytes, |r| {
            let mark = r.mark();
            let piece = self.piece(r);
            if piece.is_some() || fields.is_some() || r.is_cut() {
                return piece;
            }
            r.back(mark);
            fields = Some(self.fields(r, class)?);
            self.piece(r)
        })?;
        Some(Level {
            class: class.name.clone(),
            fields: fields.unwrap_or_default(),
            extra,
        })
    }

    fn fields(&mut self, r: &mut Reader<'_>, class: &SerializedClass) -> Option<Vec<TreeField>> {
        r.fields(class.fields.len(), |r, i| {
            let (kind, name) = &class.fields[i];
            Some((name.clone(), self.element(r, *kind)?))
        })
    }

    /// A field or an element of an array, of the type that a descriptor begins with.
    fn element(&mut self, r: &mut Reader<'_>, kind: u8) -> Option<TreeNode> {
        if matches!(kind, b'L' | b'[') {
            return self.value(r);
        }
        r.node(|r| scalar::primitive(r, kind))
    }

    /// Reads what comes next of what a class wrote besides its fields.
    fn piece(&mut self, r: &mut Reader<'_>) -> Option<ExtraPiece> {
        Some(match r.peek()? {
            END_BLOCK_DATA => {
                r.byte()?;
                ExtraPiece::End
            }
            BLOCK_DATA => ExtraPiece::Block(usize::from(r.array::<2>()?[1])),
            BLOCK_DATA_LONG => {
                r.byte()?;
                ExtraPiece::Block(usize::try_from(u32::from_be_bytes(r.array()?)).ok()?)
            }
            _ => ExtraPiece::Node(self.value(r)?),
        })
    }

    fn array(&mut self, r: &mut Reader<'_>) -> Option<TreeNode> {
        let class = self.class(r)?;
        let at = self.handles.number();
        let count = usize::try_from(u32::from_be_bytes(r.array()?)).ok()?;
        let kind = *class.name.as_bytes().get(1)?;
        let shape = if kind == b'B' {
            let bytes = r.bytes(count)?;
            r.take_text(count)?;
            Shape::Bytes(bytes.to_vec())
        } else {
            Shape::List(r.items(count, |r| self.element(r, kind))?)
        };
        let node = TreeNode::new(shape).of(java::array_name(r, &class.name)?);
        self.handles.set(r, at, node)
    }
}

/// All that is left: what `writeExternal` wrote in the first version of the protocol cannot be told
/// from what follows.
fn opaque<'a>(r: &mut Reader<'a>) -> Option<Vec<Extra<'a>>> {
    let rest = r.rest().len();
    r.take_text(rest)?;
    let block = Extra::Block(r.bytes(rest)?, Utf::Bytes);
    r.stop(Cut::Unreadable);
    Some(vec![
        block,
        Extra::Node(TreeNode::new(Shape::Cut(Cut::Unreadable))),
    ])
}

/// The place of what is referred to.
fn referred(r: &mut Reader<'_>) -> Option<usize> {
    let at = u32::from_be_bytes(r.array()?).checked_sub(FIRST_HANDLE)?;
    usize::try_from(at).ok()
}
