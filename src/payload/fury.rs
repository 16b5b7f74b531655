//! `FuryCodec` and `ForyCodec` (Apache Fury, now Fory): scalars, texts, dates, lists of them.
//!
//! Up to Fory 0.12 a payload begins with `02 ff`, later with `00 ff`; then the number of a class,
//! doubled in the older ones, and the value, the lowest byte first. What else there is differs from
//! version to version and with how the classes were registered: its bytes are shown.

use super::codec::Codec;
use super::java::number;
use super::reader::Reader;
use super::rows::{Sure, Verdict};
use super::tree::{Node, Shape};
use super::{scalar, text, time};

/// Flags, and that a value which is not null follows.
const OLD: &[u8] = &[0x02, 0xff];
const NEW: &[u8] = &[0x00, 0xff];
const NOT_NULL: u8 = 0xff;
const NULL: u8 = 0xfd;

/// The classes that are read, by what they mean.
#[derive(Clone, Copy)]
enum Class {
    Bool,
    Byte,
    Char,
    Short,
    Int,
    Float,
    Long,
    Double,
    Text,
    Bytes,
    Date,
    Uuid,
    List(&'static str),
}

/// Reads one object.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<Node> {
    let is_old = reader.rest().starts_with(OLD);
    reader.expect(if is_old { OLD } else { NEW })?;
    let start = reader.mark();
    let known = class(reader, is_old).and_then(|class| body(reader, class, is_old));
    if let Some(node) = known
        && (reader.rest().is_empty() || reader.is_cut())
    {
        return Some(node);
    }
    // Of another class, whose name is packed too tightly to stand out.
    reader.back(start);
    let length = reader.rest().len();
    reader.take_text(length)?;
    let bytes = reader.bytes(length)?.to_vec();
    Some(Node::new(Shape::Nameless(vec![Node::new(Shape::Bytes(bytes))])).of("an object"))
}

/// The two bytes are a mark, save that they can begin a small number in Kryo.
pub(super) fn judge(payload: &[u8], tree: &Node) -> Verdict {
    let is_old = payload.starts_with(OLD);
    let sure = match &tree.shape {
        Shape::Nameless(_) => Sure::Plausible,
        Shape::Text(said) if tree.class.is_none() && !text::is_plausible(said) => Sure::Plausible,
        _ => Sure::Exact,
    };
    Verdict {
        codec: if is_old { Codec::Fury } else { Codec::Fory },
        sure,
        why: "starts as Fury does",
    }
}

fn class(r: &mut Reader<'_>, is_old: bool) -> Option<Class> {
    let number = unsigned(r)?;
    Some(if is_old {
        match number {
            0x1c => Class::Bool,
            0x1e => Class::Byte,
            0x20 => Class::Char,
            0x22 => Class::Short,
            0x24 => Class::Int,
            0x26 => Class::Float,
            0x28 => Class::Long,
            0x2a => Class::Double,
            0x2c => Class::Text,
            0x30 => Class::Bytes,
            0x42 => Class::List("java.util.ArrayList"),
            0x46 => Class::List("java.util.HashSet"),
            0x54 => Class::Date,
            // Fury 0.8 and Fory 0.12.
            0xaa | 0xac => Class::Uuid,
            _ => return None,
        }
    } else {
        match number {
            0x01 => Class::Bool,
            0x06 => Class::Long,
            0x15 => Class::Text,
            0x97 => Class::Uuid,
            _ => return None,
        }
    })
}

fn body(r: &mut Reader<'_>, class: Class, is_old: bool) -> Option<Node> {
    Some(match class {
        Class::Bool => scalar::bool(r.byte()?)?,
        Class::Byte => Node::number(r.byte()?.cast_signed()),
        Class::Char => scalar::char(u16::from_le_bytes(r.array()?)),
        Class::Short => Node::number(i16::from_le_bytes(r.array()?)),
        Class::Int => {
            let zigzag = u32::try_from(unsigned(r)?).ok()?;
            Node::number((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed())
        }
        Class::Float => scalar::float(f32::from_le_bytes(r.array()?)),
        Class::Long => Node::number(long(r)?),
        Class::Double => scalar::double(f64::from_le_bytes(r.array()?)),
        Class::Text => Node::text(string(r)?),
        Class::Bytes => {
            let length = usize::try_from(unsigned(r)?).ok()?;
            let bytes = r.bytes(length)?;
            r.take_text(length)?;
            Node::new(Shape::Bytes(bytes.to_vec()))
        }
        Class::Date => time::date(i64::from_le_bytes(r.array()?)).of("java.util.Date"),
        Class::Uuid => {
            let (most, least) = (
                u64::from_le_bytes(r.array()?),
                u64::from_le_bytes(r.array()?),
            );
            number::uuid(most, least)
        }
        Class::List(name) => Node::new(Shape::List(elements(r, is_old)?)).of(name),
    })
}

/// The elements of a collection: how many, what they have in common, and each of them.
fn elements(r: &mut Reader<'_>, is_old: bool) -> Option<Vec<Node>> {
    const HAS_NULL: u8 = 2;
    const MIXED: u8 = 8;
    let count = usize::try_from(unsigned(r)?).ok()?;
    if count == 0 {
        return Some(Vec::new());
    }
    let flags = r.byte()?;
    let common = match flags & MIXED {
        0 => Some(class(r, is_old)?),
        _ => None,
    };
    r.items(count, |r| {
        r.node(|r| {
            if flags & HAS_NULL != 0 {
                match r.byte()? {
                    NULL => return Some(Node::new(Shape::Null)),
                    NOT_NULL => {}
                    _ => return None,
                }
            }
            let class = match common {
                Some(class) => class,
                None => class(r, is_old)?,
            };
            body(r, class, is_old)
        })
    })
}

/// A string: its length in bytes and how it is encoded, in one number.
fn string(r: &mut Reader<'_>) -> Option<String> {
    const LATIN_1: u64 = 0;
    const UTF_16: u64 = 1;
    const UTF_8: u64 = 2;
    let head = unsigned(r)?;
    let length = usize::try_from(head >> 2).ok()?;
    let bytes = r.bytes(length)?;
    r.take_text(length)?;
    Some(match head & 3 {
        LATIN_1 => bytes.iter().map(|byte| char::from(*byte)).collect(),
        UTF_16 if length % 2 == 0 => {
            let units = bytes.chunks_exact(2);
            let units: Vec<u16> = units
                .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
                .collect();
            String::from_utf16_lossy(&units)
        }
        UTF_8 => str::from_utf8(bytes).ok()?.to_owned(),
        _ => return None,
    })
}

/// A `long`: four bytes whose lowest bit is 0, or a byte and eight.
fn long(r: &mut Reader<'_>) -> Option<i64> {
    if r.peek()? & 1 == 0 {
        return r
            .array()
            .map(|bytes| i64::from(i32::from_le_bytes(bytes) >> 1));
    }
    r.byte()?;
    r.array().map(i64::from_le_bytes)
}

/// Seven bits a byte, the lowest first.
fn unsigned(r: &mut Reader<'_>) -> Option<u64> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let byte = r.byte()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}
