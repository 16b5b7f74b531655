//! Values, as Fury 0.8 to Fory 0.12 write them: the class's number or name, then the value.

use super::class::{self, FuryKind};
use super::name::NamedClass;
use super::parts::{
    constant, decimal, fixed, is_no_field, is_null, nanos, nullable, primitive, size, sized,
    strings, when,
};
use super::{Fury, Style, string, unsigned};
use crate::payload::java::{self, number, scalar as jdk};
use crate::payload::reader::Reader;
use crate::payload::tree::{Cut, Name, Shape, TreeNode};
use crate::payload::{opaque, time};

/// The class of a value.
#[derive(Clone)]
pub(super) enum FuryClass {
    Known(FuryKind, &'static str),
    /// One whose number is not known.
    Other,
    Named(NamedClass),
}

impl Fury {
    pub(super) fn class(&mut self, r: &mut Reader<'_>) -> Option<FuryClass> {
        let head = unsigned(r)?;
        if head & 1 == 1 {
            return self.names.class(r, head, self.style).map(FuryClass::Named);
        }
        Some(match class::known(head, self.style) {
            Some((kind, name)) => FuryClass::Known(kind, name),
            None => FuryClass::Other,
        })
    }

    /// A value of that class; `last` if nothing can follow it.
    pub(super) fn body(
        &mut self,
        r: &mut Reader<'_>,
        class: &FuryClass,
        last: bool,
    ) -> Option<TreeNode> {
        match class {
            FuryClass::Known(kind, "") => self.known(r, *kind),
            FuryClass::Known(kind, name) => self.known(r, *kind).map(|node| match node.shape {
                // What is wrapped is what it is.
                Shape::Number(_) | Shape::Bool(_) | Shape::Null => node,
                _ if node.class.is_some() && *kind == FuryKind::Wrapper => node,
                _ => node.of(*name),
            }),
            FuryClass::Named(class) => self.named(r, class, last),
            FuryClass::Other => None,
        }
    }

    fn named(&mut self, r: &mut Reader<'_>, class: &NamedClass, last: bool) -> Option<TreeNode> {
        if class.dimensions > 0 {
            return self.array(r, class);
        }
        let name = &class.name;
        if class.is_enum || self.enums.contains(name) {
            return constant(r, name);
        }
        let shape = match &**name {
            "java.util.AbstractMap$SimpleEntry" | "java.util.AbstractMap$SimpleImmutableEntry" => {
                Shape::Map(r.pairs(1, |r| self.field(r))?)
            }
            "java.util.Stack" => self.known(r, FuryKind::List)?.shape,
            "java.util.concurrent.CopyOnWriteArraySet" => self.field(r)?.shape,
            "java.util.GregorianCalendar" => {
                let _zone = string(r)?;
                let at = time::date(i64::from_le_bytes(r.array()?));
                let _settings: [u8; 11] = r.array()?;
                at.shape
            }
            "java.time.ZoneRegion" | "sun.util.calendar.ZoneInfo" => Shape::Text(string(r)?),
            "java.util.concurrent.atomic.AtomicIntegerArray" => self.numbers(r, b'I')?.shape,
            "java.util.concurrent.atomic.AtomicLongArray" => self.numbers(r, b'J')?.shape,
            name if name.starts_with("sun.nio.cs.") => Shape::Text(string(r)?),
            name => match name.strip_prefix("[[").map(str::as_bytes) {
                Some([kind]) => {
                    let count = usize::try_from(unsigned(r)? >> 1).ok()?;
                    Shape::List(r.items(count, |r| r.node(|r| self.numbers(r, *kind)))?)
                }
                _ => rest(r, last)?.shape,
            },
        };
        Some(TreeNode::new(shape).of(java::array_name(r, name)?))
    }

    /// An array of primitives behind a mark, as a field has it.
    fn numbers(&mut self, r: &mut Reader<'_>, kind: u8) -> Option<TreeNode> {
        if is_no_field(r)? {
            return Some(TreeNode::new(Shape::Null));
        }
        self.known(r, FuryKind::Primitives(kind))
    }

    /// The value of a field that can be of any class.
    fn field(&mut self, r: &mut Reader<'_>) -> Option<TreeNode> {
        r.node(|r| {
            if is_no_field(r)? {
                return Some(TreeNode::new(Shape::Null));
            }
            let class = self.class(r)?;
            self.body(r, &class, false)
        })
    }

    /// An array of objects: of one class, or each with its own.
    fn array(&mut self, r: &mut Reader<'_>, class: &NamedClass) -> Option<TreeNode> {
        let head = unsigned(r)?;
        let count = usize::try_from(head >> 1).ok()?;
        let inner = NamedClass {
            dimensions: class.dimensions - 1,
            ..class.clone()
        };
        let element = match class::by_name(&inner.name) {
            Some((FuryKind::Text, _)) if inner.dimensions == 1 => {
                FuryClass::Known(FuryKind::Strings, "java.lang.String[]")
            }
            Some((kind, name)) if inner.dimensions == 0 => FuryClass::Known(kind, name),
            _ => FuryClass::Named(inner),
        };
        let items = r.items(count, |r| {
            if head & 1 == 0 {
                return self.value(r);
            }
            r.node(|r| nullable(r, |r| self.body(r, &element, false)))
        });
        let brackets = "[]".repeat(class.dimensions.min(8));
        Some(TreeNode::new(Shape::List(items?)).of(format!("{}{brackets}", class.name)))
    }

    /// A value that may be null, with its class.
    fn value(&mut self, r: &mut Reader<'_>) -> Option<TreeNode> {
        r.node(|r| {
            if is_null(r)? {
                return Some(TreeNode::new(Shape::Null));
            }
            let class = self.class(r)?;
            self.body(r, &class, false)
        })
    }

    fn known(&mut self, r: &mut Reader<'_>, kind: FuryKind) -> Option<TreeNode> {
        Some(match kind {
            FuryKind::Primitive(kind) => primitive(r, kind)?,
            FuryKind::Fixed(kind) => fixed(r, kind)?,
            FuryKind::Maybe(kind) => match r.byte()? {
                0 => TreeNode::new(Shape::Null),
                1 => fixed(r, kind)?,
                _ => return None,
            },
            FuryKind::Text | FuryKind::Said => TreeNode::text(string(r)?),
            FuryKind::Pattern => {
                let node = TreeNode::text(string(r)?);
                let _flags: [u8; 4] = r.array()?;
                node
            }
            FuryKind::Locale => {
                let parts = [string(r)?, string(r)?, string(r)?];
                TreeNode::text(jdk::locale([&parts[0], &parts[1], &parts[2], "", ""]))
            }
            FuryKind::Uuid => {
                let (most, least) = (r.array()?, r.array()?);
                number::uuid(u64::from_le_bytes(most), u64::from_le_bytes(least))
            }
            FuryKind::Bytes => TreeNode::new(Shape::Bytes(sized(r)?.to_vec())),
            FuryKind::Bits => {
                let bytes = sized(r)?;
                let (words, _) = bytes.as_chunks();
                let words: Vec<u64> = words.iter().copied().map(u64::from_le_bytes).collect();
                jdk::bits_of(r, &words)
                    .unwrap_or_else(|| TreeNode::new(Shape::Bytes(bytes.to_vec())))
            }
            FuryKind::BigInteger => {
                let bytes = sized(r)?;
                number::of_twos_complement(r, bytes)?
            }
            FuryKind::BigDecimal => decimal(r)?,
            FuryKind::Date => time::date(i64::from_le_bytes(r.array()?)),
            FuryKind::Timestamp => {
                let ms = i64::from_le_bytes(r.array()?);
                TreeNode::text(time::instant(ms.div_euclid(1000), nanos(r)?))
            }
            FuryKind::Time(name) => TreeNode::text(when(r, name)?),
            FuryKind::Class => match self.class_name(r)? {
                Some(name) => TreeNode::text(&*name),
                None => return None,
            },
            _ => self.several(r, kind)?,
        })
    }

    #[expect(
        clippy::option_option,
        reason = "an unknown class is another thing than other bytes"
    )]
    fn class_name(&mut self, r: &mut Reader<'_>) -> Option<Option<Name>> {
        let head = unsigned(r)?;
        if head & 1 == 1 {
            let class = self.names.class(r, head, self.style)?;
            return Some(Some(class.name));
        }
        let name = class::known(head, self.style).map(|(_, name)| name);
        let name = name.filter(|name| !name.is_empty());
        Some(class::name(head).or(name).map(Name::from))
    }

    /// Arrays, collections and maps.
    fn several(&mut self, r: &mut Reader<'_>, kind: FuryKind) -> Option<TreeNode> {
        Some(TreeNode::new(match kind {
            FuryKind::Primitives(kind) => {
                let bytes = usize::try_from(unsigned(r)?).ok()?;
                let items = r.items(bytes / size(kind), |r| r.node(|r| fixed(r, kind)));
                Shape::List(items?)
            }
            FuryKind::Boxes(kind) => {
                let count = usize::try_from(unsigned(r)? >> 1).ok()?;
                Shape::List(r.items(count, |r| r.node(|r| nullable(r, |r| primitive(r, kind))))?)
            }
            FuryKind::Objects => {
                let count = usize::try_from(unsigned(r)? >> 1).ok()?;
                Shape::List(r.items(count, |r| self.value(r))?)
            }
            FuryKind::Strings => Shape::List(strings(r)?),
            FuryKind::List => {
                let count = usize::try_from(unsigned(r)?).ok()?;
                Shape::List(self.elements(r, count)?)
            }
            FuryKind::Sorted => {
                let count = usize::try_from(unsigned(r)?).ok()?;
                let _comparator = self.value(r)?;
                Shape::List(self.elements(r, count)?)
            }
            FuryKind::Map => Shape::Map(self.entries(r, false)?),
            FuryKind::SortedMap => Shape::Map(self.entries(r, true)?),
            FuryKind::EmptyList => Shape::List(Vec::new()),
            FuryKind::EmptyMap => Shape::Map(Vec::new()),
            FuryKind::SingletonList => Shape::List(vec![self.value(r)?]),
            FuryKind::SingletonMap => Shape::Map(r.pairs(1, |r| self.value(r))?),
            FuryKind::Wrapper => return self.value(r),
            FuryKind::KeySet => {
                let Shape::Map(pairs) = self.value(r)?.shape else {
                    return None;
                };
                let _added = self.value(r)?;
                Shape::List(pairs.into_iter().map(|(key, _)| key).collect())
            }
            FuryKind::EnumSet => {
                let class = self.class_name(r)??;
                let count = usize::try_from(unsigned(r)?).ok()?;
                Shape::List(r.items(count, |r| r.node(|r| constant(r, &class)))?)
            }
            FuryKind::EnumMap => {
                let count = usize::try_from(unsigned(r)?).ok()?;
                let class = self.class_name(r)??;
                self.enums.insert(class);
                Shape::Map(self.some_entries(r, count)?)
            }
            _ => return None,
        }))
    }

    /// The elements of a collection: what they have in common, and each of them.
    fn elements(&mut self, r: &mut Reader<'_>, count: usize) -> Option<Vec<TreeNode>> {
        const HAS_NULL: u8 = 2;
        const MIXED: u8 = 8;
        if count == 0 {
            return Some(Vec::new());
        }
        let flags = r.byte()?;
        let common = match flags & MIXED {
            0 => Some(self.class(r)?),
            _ => None,
        };
        r.items(count, |r| {
            r.node(|r| {
                if flags & HAS_NULL != 0 && is_null(r)? {
                    return Some(TreeNode::new(Shape::Null));
                }
                if let Some(class) = &common {
                    return self.body(r, class, false);
                }
                let class = self.class(r)?;
                self.body(r, &class, false)
            })
        })
    }

    fn entries(
        &mut self,
        r: &mut Reader<'_>,
        is_sorted: bool,
    ) -> Option<Vec<(TreeNode, TreeNode)>> {
        let count = usize::try_from(unsigned(r)?).ok()?;
        if is_sorted {
            let _comparator = self.value(r)?;
        }
        self.some_entries(r, count)
    }

    fn some_entries(
        &mut self,
        r: &mut Reader<'_>,
        count: usize,
    ) -> Option<Vec<(TreeNode, TreeNode)>> {
        if self.style == Style::Fury {
            return r.pairs(count, |r| self.value(r));
        }
        let mut pairs = Vec::new();
        while pairs.len() < count && !r.is_cut() {
            self.chunk(r, count - pairs.len(), &mut pairs)?;
        }
        Some(pairs)
    }

    /// Entries whose keys are of one class and whose values are, as Fory writes them; or one of
    /// which either is null.
    fn chunk(
        &mut self,
        r: &mut Reader<'_>,
        most: usize,
        pairs: &mut Vec<(TreeNode, TreeNode)>,
    ) -> Option<()> {
        const NULL_KEY: u8 = 0x02;
        const NULL_VALUE: u8 = 0x10;
        let flags = r.byte()?;
        let (no_key, no_value) = (flags & NULL_KEY != 0, flags & NULL_VALUE != 0);
        if no_key || no_value {
            let mut side = |is_null: bool| {
                if is_null {
                    Some(TreeNode::new(Shape::Null))
                } else if flags & 0x09 != 0 {
                    self.value(r)
                } else {
                    let class = self.class(r)?;
                    r.node(|r| self.body(r, &class, false))
                }
            };
            let key = side(no_key)?;
            pairs.push((key, side(no_value)?));
            return Some(());
        }
        let count = usize::from(r.byte()?);
        if count == 0 || count > most {
            return None;
        }
        let (key, value) = (self.class(r)?, self.class(r)?);
        let mut is_key = false;
        let chunk = r.pairs(count, |r| {
            is_key = !is_key;
            let class = if is_key { &key } else { &value };
            r.node(|r| self.body(r, class, false))
        });
        pairs.extend(chunk?);
        Some(())
    }
}

/// Zeros behind an object that may be what a buffer has left over.
const LEFT_OVER: usize = 32;

/// Reads what is left of an object whose class is not known; nothing behind it is read.
fn rest(r: &mut Reader<'_>, last: bool) -> Option<TreeNode> {
    let zeros = r.rest().iter().rev().take_while(|byte| **byte == 0).count();
    let padding = if zeros > LEFT_OVER { zeros } else { 0 };
    let pieces = opaque::pieces(r, r.all().len() - padding, said)?;
    r.bytes(r.rest().len())?;
    if !last && !r.is_cut() {
        r.stop(Cut::Unreadable);
    }
    Some(TreeNode::new(Shape::Nameless(pieces)))
}

/// A text among other bytes. Before the first character that is no ASCII there is a mark that there
/// is a text, or another text.
fn said(r: &mut Reader<'_>, after_text: bool) -> Option<TreeNode> {
    let here = r.mark();
    let before = r.at().checked_sub(1).and_then(|at| r.all().get(at));
    let is_marked = after_text || matches!(before, Some(0 | 0xff));
    let length = usize::try_from(unsigned(r)? >> 2).ok()?;
    if length > r.rest().len() {
        return None;
    }
    r.spend(length / 64)?;
    r.back(here);
    let text = string(r)?;
    (text.is_ascii() || is_marked).then(|| TreeNode::text(text))
}
