//! The JDK's classes: those that every FST has a number for, and how they are written.

use super::levels::BY_DEFAULT;
use super::parts::{compact_int, compact_long, compact_short, utf};
use super::{Fst, is_collection, is_map};
use crate::payload::java::time::Coder;
use crate::payload::java::{self, number};
use crate::payload::reader::Reader;
use crate::payload::tree::{Name, Shape, TreeNode};
use crate::payload::{scalar, time};

/// The class that has this number.
pub(super) const fn name(number: u16) -> Option<&'static str> {
    Some(match number {
        0x03 => "java.lang.String",
        0x04 => "java.lang.Byte",
        0x05 => "java.lang.Short",
        0x06 => "java.lang.Integer",
        0x07 => "java.lang.Long",
        0x08 => "java.lang.Float",
        0x09 => "java.lang.Double",
        0x0a => "java.math.BigDecimal",
        0x0b => "java.math.BigInteger",
        0x0c => "java.lang.Character",
        0x0d => "java.lang.Boolean",
        0x0e => "java.util.TreeMap",
        0x0f => "java.util.HashMap",
        0x10 => "java.util.ArrayList",
        0x11 => "java.util.concurrent.ConcurrentHashMap",
        0x12 => "java.net.URL",
        0x13 => "java.util.Date",
        0x14 => "java.sql.Date",
        0x15 => "java.text.SimpleDateFormat",
        0x16 => "java.util.TreeSet",
        0x17 => "java.util.LinkedList",
        0x18 => "java.util.SimpleTimeZone",
        0x19 => "java.util.GregorianCalendar",
        0x1a => "java.util.Vector",
        0x1b => "java.util.Hashtable",
        0x1c => "java.util.BitSet",
        0x1d => "java.util.Locale",
        0x1e => "java.lang.StringBuffer",
        0x1f => "java.lang.StringBuilder",
        0x20 => "java.lang.Object",
        0x21 => "[Ljava.lang.Object;",
        0x22 => "[[Ljava.lang.Object;",
        0x23 => "[[[Ljava.lang.Object;",
        0x24 => "[B",
        0x25 => "[[B",
        0x26 => "[C",
        0x27 => "[[C",
        0x28 => "[S",
        0x29 => "[[S",
        0x2a => "[I",
        0x2b => "[[I",
        0x2c => "[F",
        0x2d => "[[F",
        0x2e => "[D",
        0x2f => "[[D",
        0x30 => "[J",
        0x31 => "[[J",
        _ => return None,
    })
}

/// The value of a class that is known; none of any other, or of other bytes.
pub(super) fn content(fst: &mut Fst, r: &mut Reader<'_>, class: &Name) -> Option<TreeNode> {
    let node = match &**class {
        "java.lang.Byte" => TreeNode::number(r.byte()?.cast_signed()),
        "java.lang.Short" => TreeNode::number(compact_short(r)?.cast_signed()),
        "java.lang.Float" => scalar::float(f32::from_le_bytes(r.array()?)),
        "java.lang.Double" => scalar::double(f64::from_le_bytes(r.array()?)),
        "java.lang.Character" => scalar::char(compact_short(r)?),
        "java.lang.StringBuffer" | "java.lang.StringBuilder" => TreeNode::text(utf(r)?),
        // A primitive's or not.
        "java.lang.Class" => {
            scalar::bool(r.byte()?)?;
            TreeNode::text(utf(r)?).of(class.clone())
        }
        "java.math.BigInteger" => {
            let length = usize::try_from(compact_int(r)?).ok()?;
            let bytes = r.bytes(length)?;
            number::of_twos_complement(r, bytes)?
        }
        "java.math.BigDecimal" => decimal(fst, r)?,
        "java.util.Date" | "java.sql.Date" => time::date(compact_long(r)?).of(class.clone()),
        "java.util.UUID" => {
            let (least, most) = (compact_long(r)?, compact_long(r)?);
            r.expect(&[0])?;
            number::uuid(most.cast_unsigned(), least.cast_unsigned())
        }
        "java.time.Ser" => java::time::value(r, &CODER)?,
        "java.util.RegularEnumSet" | "java.util.JumboEnumSet" => {
            let count = usize::try_from(compact_int(r)?).ok()?;
            fst.class(r)?;
            TreeNode::new(Shape::List(r.items(count, |r| fst.value(r))?)).of(class.clone())
        }
        name if name.starts_with("java.util.Collections$") => {
            special(fst, r, name)?.of(class.clone())
        }
        name if is_map(name) => entries(fst, r, name)?.of(class.clone()),
        name if is_collection(name) => elements(fst, r, name)?.of(class.clone()),
        _ => return None,
    };
    Some(node)
}

fn elements(fst: &mut Fst, r: &mut Reader<'_>, class: &str) -> Option<TreeNode> {
    if r.expect(BY_DEFAULT).is_none() {
        return fst.elements(r);
    }
    match class {
        // Its own capacity and load factor, then as a set.
        "java.util.TreeSet" => {
            r.expect(&[0])?;
            fst.value(r)?;
            fst.elements(r)
        }
        "java.util.concurrent.CopyOnWriteArrayList" | "java.util.ArrayDeque" => {
            r.expect(&[0])?;
            fst.elements(r)
        }
        _ => None,
    }
}

fn entries(fst: &mut Fst, r: &mut Reader<'_>, class: &str) -> Option<TreeNode> {
    if r.expect(BY_DEFAULT).is_none() {
        return fst.entries(r);
    }
    if class != "java.util.TreeMap" {
        return None;
    }
    // The comparator.
    fst.value(r)?;
    r.expect(&[0])?;
    fst.entries(r)
}

/// Collections of one element or none, and wrappers: their fields, and the mark of the end.
fn special(fst: &mut Fst, r: &mut Reader<'_>, class: &str) -> Option<TreeNode> {
    let kind = class.strip_prefix("java.util.Collections$")?;
    let node = match kind {
        "EmptyList" | "EmptySet" | "EmptyMap" => {
            r.expect(b"\x42")?;
            TreeNode::new(if kind == "EmptyMap" {
                Shape::Map(Vec::new())
            } else {
                Shape::List(Vec::new())
            })
        }
        "SingletonList" | "SingletonSet" => TreeNode::new(Shape::List(vec![fst.value(r)?])),
        "SingletonMap" => TreeNode::new(Shape::Map(r.pairs(1, |r| fst.value(r))?)),
        _ => return None,
    };
    r.expect(&[0])?;
    Some(node)
}

pub(super) fn decimal(fst: &mut Fst, r: &mut Reader<'_>) -> Option<TreeNode> {
    r.expect(b"\x42\0")?;
    r.expect(BY_DEFAULT)?;
    let scale = compact_int(r)?;
    let Shape::Number(unscaled) = fst.value(r)?.shape else {
        return None;
    };
    r.expect(&[0])?;
    number::big_decimal(unscaled.as_str(), scale.into())
}

/// The way in which FST writes the parts of `java.time`.
const CODER: Coder = Coder {
    int: compact_int,
    long: compact_long,
    utf,
};
