//! Scalars, texts and times, as Fury writes them: the lowest byte first.

use super::{string, unsigned};
use crate::payload::java::{self, number};
use crate::payload::reader::Reader;
use crate::payload::tree::{Name, Shape, TreeNode};
use crate::payload::{scalar, time};

/// Before a value that may be null.
const NOT_NULL: u8 = 0xff;
const NULL: u8 = 0xfd;

pub(super) fn is_null(r: &mut Reader<'_>) -> Option<bool> {
    match r.byte()? {
        NULL => Some(true),
        NOT_NULL => Some(false),
        _ => None,
    }
}

/// The same before the value of a field, where Fury 0.8 has another mark.
pub(super) fn is_no_field(r: &mut Reader<'_>) -> Option<bool> {
    if r.peek()? == 0 {
        r.byte()?;
        return Some(false);
    }
    is_null(r)
}

pub(super) fn nullable(
    r: &mut Reader<'_>,
    read: impl FnOnce(&mut Reader<'_>) -> Option<TreeNode>,
) -> Option<TreeNode> {
    if is_null(r)? {
        return Some(TreeNode::new(Shape::Null));
    }
    read(r)
}

/// Bytes behind their number.
pub(super) fn sized<'a>(r: &mut Reader<'a>) -> Option<&'a [u8]> {
    let length = usize::try_from(unsigned(r)?).ok()?;
    let bytes = r.bytes(length)?;
    r.take_text(length)?;
    Some(bytes)
}

/// An array of strings: how many, whether there is a null among them, and each of them.
pub(super) fn strings(r: &mut Reader<'_>) -> Option<Vec<TreeNode>> {
    let count = usize::try_from(unsigned(r)?).ok()?;
    let has_null = match count {
        0 => false,
        _ => match r.byte()? {
            0 => false,
            2 => true,
            _ => return None,
        },
    };
    r.items(count, |r| {
        r.node(|r| {
            if has_null {
                return nullable(r, |r| string(r).map(TreeNode::text));
            }
            string(r).map(TreeNode::text)
        })
    })
}

/// A constant of an enum: its place, and of the JDK's enums its name.
pub(super) fn constant(r: &mut Reader<'_>, class: &Name) -> Option<TreeNode> {
    let place = unsigned(r)?;
    let name = java::constant::name(class, place);
    let node = name.map_or_else(|| TreeNode::number(place), TreeNode::text);
    Some(node.of(class.clone()))
}

/// A `BigDecimal`: its scale, its precision, its digits.
pub(super) fn decimal(r: &mut Reader<'_>) -> Option<TreeNode> {
    let mut scale = 0_u32;
    for shift in (0..=28).step_by(7) {
        let byte = r.byte()?;
        // All of a fifth byte counts, whatever its highest bit is.
        scale |= u32::from(if shift < 28 { byte & 0x7f } else { byte }) << shift;
        if byte < 0x80 {
            break;
        }
    }
    let scale = scale.cast_signed();
    let _precision = unsigned(r)?;
    let bytes = sized(r)?;
    let Shape::Number(unscaled) = number::of_twos_complement(r, bytes)?.shape else {
        return None;
    };
    number::big_decimal(unscaled.as_str(), scale.into())
}

/// A boxed scalar: whole numbers take as many bytes as they need.
pub(super) fn primitive(r: &mut Reader<'_>, kind: u8) -> Option<TreeNode> {
    match kind {
        b'I' => super::zigzag(r).map(TreeNode::number),
        b'J' => super::long(r).map(TreeNode::number),
        _ => fixed(r, kind),
    }
}

pub(super) fn fixed(r: &mut Reader<'_>, kind: u8) -> Option<TreeNode> {
    Some(match kind {
        b'Z' => scalar::bool(r.byte()?)?,
        b'B' => TreeNode::number(r.byte()?.cast_signed()),
        b'C' => scalar::char(u16::from_le_bytes(r.array()?)),
        b'S' => TreeNode::number(i16::from_le_bytes(r.array()?)),
        b'I' => TreeNode::number(i32::from_le_bytes(r.array()?)),
        b'F' => scalar::float(f32::from_le_bytes(r.array()?)),
        b'J' => TreeNode::number(i64::from_le_bytes(r.array()?)),
        _ => scalar::double(f64::from_le_bytes(r.array()?)),
    })
}

/// Bytes of a primitive in an array.
pub(super) const fn size(kind: u8) -> usize {
    match kind {
        b'Z' | b'B' => 1,
        b'C' | b'S' => 2,
        b'I' | b'F' => 4,
        _ => 8,
    }
}

/// `java.time`.
pub(super) fn when(r: &mut Reader<'_>, class: &str) -> Option<String> {
    Some(match class {
        "Instant" => time::instant(i64::from_le_bytes(r.array()?), nanos(r)?),
        "Duration" => time::duration(i64::from_le_bytes(r.array()?), nanos(r)?),
        "LocalDate" => date(r)?,
        "LocalTime" => clock(r)?,
        "LocalDateTime" => date_time(r)?,
        "ZonedDateTime" => {
            let (at, zone) = (date_time(r)?, string(r)?);
            if zone.starts_with(['+', '-']) || zone == "Z" {
                at + &zone
            } else {
                format!("{at}[{zone}]")
            }
        }
        "OffsetDateTime" => date_time(r)? + &offset(r)?,
        "OffsetTime" => clock(r)? + &offset(r)?,
        "ZoneOffset" => offset(r)?,
        "Year" => i32::from_le_bytes(r.array()?).to_string(),
        "YearMonth" => {
            let year = i32::from_le_bytes(r.array()?);
            time::year_month(year.into(), r.byte()?)
        }
        "MonthDay" => format!("--{:02}-{:02}", r.byte()?, r.byte()?),
        _ => {
            let mut part = || r.array().map(i32::from_le_bytes);
            time::period([part()?, part()?, part()?])
        }
    })
}

fn date(r: &mut Reader<'_>) -> Option<String> {
    let year = i32::from_le_bytes(r.array()?);
    Some(time::year_month_day(year.into(), r.byte()?, r.byte()?))
}

fn date_time(r: &mut Reader<'_>) -> Option<String> {
    Some(format!("{}T{}", date(r)?, clock(r)?))
}

fn clock(r: &mut Reader<'_>) -> Option<String> {
    java::time::clock_of(r, nanos)
}

fn offset(r: &mut Reader<'_>) -> Option<String> {
    java::time::offset_of(r, |r| r.array().map(i32::from_le_bytes))
}

pub(super) fn nanos(r: &mut Reader<'_>) -> Option<u32> {
    let nanos = u32::from_le_bytes(r.array()?);
    (nanos < 1_000_000_000).then_some(nanos)
}
