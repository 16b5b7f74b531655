//! Kryo's object graphs: a class, then the value as the class's serializer writes it.
//!
//! Numbers, strings and the JDK's types have serializers of Kryo's own, and are read. The fields of
//! any other class lie in the order of their names, without names and types: see [`guess`].

mod array;
mod guess;
mod jdk;
mod parts;

use super::java::{self, handles::Handles};
use super::reader::{Mark, Reader};
use super::tree::{Cut, Name, Shape, TreeNode};
use super::{scalar, serialization};

pub(super) use parts::{long, string, varint};

/// The classes that every Kryo has registered, by their number in a payload.
pub(super) mod id {
    pub(in crate::payload) const NULL: u8 = 0x00;
    pub(in crate::payload) const NAMED: u8 = 0x01;
    pub(in crate::payload) const INT: u8 = 0x02;
    pub(in crate::payload) const STRING: u8 = 0x03;
    pub(in crate::payload) const FLOAT: u8 = 0x04;
    pub(in crate::payload) const BOOL: u8 = 0x05;
    pub(in crate::payload) const BYTE: u8 = 0x06;
    pub(in crate::payload) const CHAR: u8 = 0x07;
    pub(in crate::payload) const SHORT: u8 = 0x08;
    pub(in crate::payload) const LONG: u8 = 0x09;
    pub(in crate::payload) const DOUBLE: u8 = 0x0a;
    pub(in crate::payload) const VOID: u8 = 0x0b;
}

/// The guess at the fields of an object whose class is not known.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Unknown {
    /// All that is left.
    Rest,
    /// One number, as the constants of enums are written, where something follows.
    Small,
    /// Nothing: it is none that can be read.
    Nothing,
}

/// The Kryo that wrote a payload, with its settings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// Kryo 3 or 4: the highest byte first, collections without their number of elements + 1.
    pub(super) is_old: bool,
    /// With references switched on.
    pub(super) refers: bool,
    /// Redisson up to 3.20: some of the JDK's classes field by field.
    pub(super) by_fields: bool,
}

/// Names and numbers given so far.
pub(super) struct Kryo {
    style: Style,
    names: Vec<Name>,
    handles: Handles,
    unknown: Unknown,
}

/// The class of a value.
#[derive(Clone, Debug, PartialEq)]
enum KryoClass {
    Null,
    /// A class that every Kryo has.
    Known(u8),
    /// A class that the application has registered.
    Registered(u32),
    Named(Name),
}

/// Reads one payload in the first of the styles that explains all of it.
pub(super) fn read(r: &mut Reader<'_>, styles: &[Style]) -> Option<TreeNode> {
    let mark: Mark<'_> = r.mark();
    for style in styles {
        if let Some(node) = whole(r, *style, Unknown::Rest) {
            if r.why_cut() != Some(Cut::Unreadable) {
                return Some(node);
            }
            r.back(mark);
            let small = whole(r, *style, Unknown::Small);
            if small.is_some() && !r.is_cut() {
                return small;
            }
            r.stop(Cut::Unreadable);
            return Some(node);
        }
        r.back(mark);
    }
    None
}

fn whole(r: &mut Reader<'_>, style: Style, unknown: Unknown) -> Option<TreeNode> {
    let mut kryo = Kryo {
        style,
        names: Vec::new(),
        handles: Handles::default(),
        unknown,
    };
    let class = kryo.class(r)?;
    let node = kryo.content(r, &class, true)?;
    r.at_end(node)
}

impl Kryo {
    /// A value with its class.
    fn value(&mut self, r: &mut Reader<'_>) -> Option<TreeNode> {
        r.node(|r| {
            let class = self.class(r)?;
            self.content(r, &class, false)
        })
    }

    fn class(&mut self, r: &mut Reader<'_>) -> Option<KryoClass> {
        let number = u32::try_from(varint(r, 5)?).ok()?;
        if let Ok(byte) = u8::try_from(number) {
            match byte {
                id::NULL => return Some(KryoClass::Null),
                id::NAMED => return self.name(r).map(KryoClass::Named),
                id::INT..=id::VOID => return Some(KryoClass::Known(byte)),
                _ => {}
            }
        }
        Some(KryoClass::Registered(number - 2))
    }

    /// A name that was met before, or a new one.
    fn name(&mut self, r: &mut Reader<'_>) -> Option<Name> {
        let at = usize::try_from(varint(r, 5)?).ok()?;
        if let Some(name) = self.names.get(at) {
            return Some(name.clone());
        }
        if at != self.names.len() {
            return None;
        }
        let name = match r.peek()? {
            0x80.. => string(r, self.style.is_old)??,
            _ => parts::ascii(r, parts::NAME_MAX)?,
        };
        if !java::is_class_name(&name) {
            return None;
        }
        r.take_text(4 * size_of::<Name>())?;
        let name = Name::from(name);
        self.names.push(name.clone());
        Some(name)
    }

    /// Reads what comes after a class: a mark of its own where references are on, then the value.
    /// `last` if nothing can follow it.
    fn content(&mut self, r: &mut Reader<'_>, class: &KryoClass, last: bool) -> Option<TreeNode> {
        if *class == KryoClass::Null {
            return Some(TreeNode::new(Shape::Null));
        }
        if !self.style.refers || !class.is_referred_to() {
            return self.plain(r, class, last);
        }
        match usize::try_from(varint(r, 5)?).ok()? {
            0 => Some(TreeNode::new(Shape::Null)),
            1 => {
                let at = self.handles.number();
                let node = self.plain(r, class, last)?;
                self.handles.set(r, at, node)
            }
            seen => self.handles.refer(r, seen - 2),
        }
    }

    /// A value of a class that is known beforehand, which may be missing.
    fn nullable(&mut self, r: &mut Reader<'_>, class: &KryoClass) -> Option<TreeNode> {
        r.node(|r| {
            let refers = self.style.refers && class.is_referred_to();
            if !refers && !class.says_null() {
                match r.byte()? {
                    0 => return Some(TreeNode::new(Shape::Null)),
                    1 => {}
                    _ => return None,
                }
            }
            self.content(r, class, false)
        })
    }

    fn plain(&mut self, r: &mut Reader<'_>, class: &KryoClass, last: bool) -> Option<TreeNode> {
        match class {
            KryoClass::Null => Some(TreeNode::new(Shape::Null)),
            KryoClass::Known(id) => self.scalar(r, *id),
            KryoClass::Registered(number) => {
                guess::object(self, r, last).map(|node| node.of(format!("class {number}")))
            }
            KryoClass::Named(name) => {
                if r.rest().starts_with(serialization::MAGIC) {
                    return serialization::read(r);
                }
                match jdk::content(self, r, name)? {
                    Some(node) => Some(node),
                    None => guess::object(self, r, last).map(|node| node.of(name.clone())),
                }
            }
        }
    }

    fn scalar(&self, r: &mut Reader<'_>, id: u8) -> Option<TreeNode> {
        let is_old = self.style.is_old;
        Some(match id {
            id::INT => TreeNode::number(parts::int(r)?),
            id::STRING => match string(r, is_old)? {
                Some(text) => TreeNode::text(text),
                None => TreeNode::new(Shape::Null),
            },
            id::BOOL => scalar::bool(r.byte()?)?,
            id::BYTE => TreeNode::number(i8::from_le_bytes(r.array()?)),
            id::LONG => TreeNode::number(long(r)?),
            id::VOID => TreeNode::new(Shape::Null),
            id::FLOAT => parts::boxed(r, b'F', is_old)?,
            id::CHAR => parts::fixed(r, b'C', is_old)?,
            id::SHORT => parts::fixed(r, b'S', is_old)?,
            _ => parts::boxed(r, b'D', is_old)?,
        })
    }

    /// The number of elements or entries: in Kryo 5 it is written + 1, since 0 means null.
    fn count(&self, r: &mut Reader<'_>) -> Option<usize> {
        let count = usize::try_from(varint(r, 5)?).ok()?;
        if self.style.is_old {
            Some(count)
        } else {
            count.checked_sub(1)
        }
    }

    /// The elements of a collection. In Kryo 5 they can all be of one class, which is then written
    /// once, with whether there is a null among them if there can be one. `header` reads what
    /// stands between the number and the elements.
    fn elements(
        &mut self,
        r: &mut Reader<'_>,
        can_be_null: bool,
        header: impl Fn(&mut Self, &mut Reader<'_>) -> Option<()>,
    ) -> Option<Vec<TreeNode>> {
        if self.style.is_old {
            let count = self.count(r)?;
            header(self, r)?;
            return r.items(count, |r| self.value(r));
        }
        let (count, is_uniform) = parts::flagged(r)?;
        let count = count.checked_sub(1)?;
        header(self, r)?;
        if !is_uniform {
            return r.items(count, |r| self.value(r));
        }
        let class = self.class(r)?;
        if class == KryoClass::Null {
            return r.items(count, |r| r.node(|_| Some(TreeNode::new(Shape::Null))));
        }
        if can_be_null && r.byte()? != 0 {
            return r.items(count, |r| self.nullable(r, &class));
        }
        r.items(count, |r| r.node(|r| self.content(r, &class, false)))
    }

    fn entries(
        &mut self,
        r: &mut Reader<'_>,
        header: impl Fn(&mut Self, &mut Reader<'_>) -> Option<()>,
    ) -> Option<Vec<(TreeNode, TreeNode)>> {
        let count = self.count(r)?;
        header(self, r)?;
        r.pairs(count, |r| self.value(r))
    }
}

impl KryoClass {
    /// Tells whether an object of it gets a number when references are on: boxed scalars do not.
    const fn is_referred_to(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Known(id) => matches!(*id, id::STRING),
            Self::Registered(_) | Self::Named(_) => true,
        }
    }

    /// Tells whether its serializer writes a null itself.
    fn says_null(&self) -> bool {
        match self {
            Self::Known(id) => *id == id::STRING,
            Self::Named(name) => name.starts_with('[') || java::constant::name(name, 0).is_some(),
            _ => false,
        }
    }
}
