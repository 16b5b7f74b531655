//! Ion in binary: what other clients than Redisson write. The upper four bits of a first byte say
//! what comes, the lower four its length. Names are numbers in a table that comes first.

use super::annotated;
use crate::payload::java::number;
use crate::payload::reader::Reader;
use crate::payload::tree::{Name, Shape, TreeNode};
use crate::payload::{keyed, scalar, time};

/// The beginning of a payload.
pub(super) const MARK: [u8; 4] = [0xe0, 0x01, 0x00, 0xea];
/// The names that every table has.
const SYSTEM: [&str; 9] = [
    "$ion",
    "$ion_1_0",
    TABLE,
    "name",
    "version",
    "imports",
    "symbols",
    "max_id",
    "$ion_shared_symbol_table",
];
/// The annotation of a table of names.
const TABLE: &str = "$ion_symbol_table";
/// Lower bits: the length comes behind.
const LONG: u8 = 14;
/// Lower bits: a null of that type.
const NULL: u8 = 15;

/// Reads tables of names, and one value.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<TreeNode> {
    reader.expect(&MARK)?;
    let mut names: Vec<Name> = SYSTEM.into_iter().map(Name::from).collect();
    loop {
        let node = value(reader, &names)?;
        if node.class.as_deref() != Some(TABLE) || reader.is_cut() {
            return Some(node);
        }
        let symbols = node.children().into_iter().flat_map(TreeNode::children);
        for symbol in symbols {
            if let Shape::Text(name) = &symbol.shape {
                names.push(Name::from(name.as_str()));
            }
        }
    }
}

fn value(reader: &mut Reader<'_>, names: &[Name]) -> Option<TreeNode> {
    reader.node(|reader| {
        let first = reader.byte()?;
        let (kind, low) = (first >> 4, first & 0x0f);
        if low == NULL {
            return (kind <= 13).then(|| TreeNode::new(Shape::Null));
        }
        match kind {
            1 => return scalar::bool(low),
            // An ordered struct has its length behind it.
            13 if low == 1 => {}
            _ if low < LONG => return sized(reader, names, kind, usize::from(low)),
            _ => {}
        }
        let length = usize::try_from(unsigned(reader)?).ok()?;
        sized(reader, names, kind, length)
    })
}

fn sized(reader: &mut Reader<'_>, names: &[Name], kind: u8, length: usize) -> Option<TreeNode> {
    let end = reader.at().checked_add(length)?;
    if length > reader.rest().len() {
        return None;
    }
    let node = match kind {
        2 | 3 => {
            let magnitude = reader.bytes(length)?;
            integer(reader, magnitude, kind == 3)?
        }
        4 => match length {
            0 => scalar::double(0.0),
            4 => scalar::float(f32::from_be_bytes(reader.array()?)),
            8 => scalar::double(f64::from_be_bytes(reader.array()?)),
            _ => return None,
        },
        5 if length == 0 => scalar::decimal("0.0"),
        5 => {
            let exponent = i32::try_from(signed(reader)?).ok()?;
            decimal(reader, exponent, end)?
        }
        6 => timestamp(reader, end)?,
        7 => TreeNode::text(name(names, big_endian(reader.bytes(length)?)?)?.as_ref()),
        8 => TreeNode::text(reader.utf8(length)?),
        9 | 10 => keyed::bytes(reader, length)?,
        11 | 12 => list(reader, names, end)?,
        13 => object(reader, names, end)?,
        14 => {
            let count = usize::try_from(unsigned(reader)?).ok()?;
            let annotations = reader.at().checked_add(count)?;
            let class = name(names, unsigned(reader)?)?;
            while reader.at() < annotations {
                unsigned(reader)?;
            }
            annotated(&class, value(reader, names)?)
        }
        _ => return None,
    };
    (reader.at() == end || reader.is_cut()).then_some(node)
}

fn list(reader: &mut Reader<'_>, names: &[Name], end: usize) -> Option<TreeNode> {
    let mut nodes = Vec::new();
    while !reader.is_cut() && reader.at() < end {
        nodes.extend(reader.items(1, |reader| value(reader, names))?);
    }
    Some(TreeNode::new(Shape::List(nodes)))
}

fn object(reader: &mut Reader<'_>, names: &[Name], end: usize) -> Option<TreeNode> {
    let mut fields = Vec::new();
    while !reader.is_cut() && reader.at() < end {
        let field = reader.fields(1, |reader, _| {
            let name = name(names, unsigned(reader)?)?;
            Some((name, value(reader, names)?))
        });
        fields.extend(field?);
    }
    Some(TreeNode::new(Shape::Object(fields)))
}

fn name(names: &[Name], number: u64) -> Option<Name> {
    let index = usize::try_from(number.checked_sub(1)?).ok()?;
    names.get(index).cloned()
}

fn integer(reader: &mut Reader<'_>, magnitude: &[u8], is_negative: bool) -> Option<TreeNode> {
    let sign = if is_negative { -1 } else { 1 };
    number::big_integer(reader, sign, magnitude).map(untyped)
}

/// The digits up to `end`: a sign and a magnitude.
fn decimal(reader: &mut Reader<'_>, exponent: i32, end: usize) -> Option<TreeNode> {
    let bytes = reader.bytes(end.checked_sub(reader.at())?)?;
    let mut magnitude = bytes.to_vec();
    let is_negative = magnitude.first().is_some_and(|first| *first >= 0x80);
    if let Some(first) = magnitude.first_mut() {
        *first &= 0x7f;
    }
    let Shape::Number(digits) = integer(reader, &magnitude, is_negative)?.shape else {
        return None;
    };
    number::big_decimal(digits.as_str(), -i64::from(exponent)).map(untyped)
}

/// A number of Ion's own: that it was read as one of Java's says nothing.
fn untyped(mut node: TreeNode) -> TreeNode {
    node.class = None;
    node
}

/// A point in time in UTC, as far as it is told: year, month, day, hour and minute, seconds.
fn timestamp(reader: &mut Reader<'_>, end: usize) -> Option<TreeNode> {
    signed(reader)?;
    let year = i64::try_from(unsigned(reader)?)
        .ok()
        .filter(|year| *year <= 9999)?;
    let mut parts = [1, 1, 0, 0, 0];
    let mut told = 0;
    while told < parts.len() && reader.at() < end {
        parts[told] = i64::try_from(unsigned(reader)?)
            .ok()
            .filter(|part| *part < 60)?;
        told += 1;
    }
    let nanos = fraction(reader, end)?;
    let small = |part: i64| u8::try_from(part).ok();
    let day = time::year_month_day(year, small(parts[0])?, small(parts[1])?);
    let second = parts[2] * 3600 + parts[3] * 60 + parts[4];
    let text = match told {
        0..=2 => day,
        _ => format!("{day}T{}Z", time::clock(second, nanos, told > 4)),
    };
    Some(TreeNode::text(text).of("timestamp"))
}

/// Nanoseconds of a fraction of a second: a power of ten, and what is multiplied with it.
fn fraction(reader: &mut Reader<'_>, end: usize) -> Option<u32> {
    if reader.at() >= end {
        return Some(0);
    }
    let exponent = u32::try_from(-signed(reader)?).ok()?;
    let digits = big_endian(reader.bytes(end.checked_sub(reader.at())?)?)?;
    let scale = 10_u64.checked_pow(exponent)?;
    let nanos = u128::from(digits) * 1_000_000_000 / u128::from(scale);
    u32::try_from(nanos)
        .ok()
        .filter(|nanos| *nanos < 1_000_000_000)
}

fn big_endian(bytes: &[u8]) -> Option<u64> {
    let number = bytes
        .iter()
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    (bytes.len() <= 8).then_some(number)
}

/// A number of seven bits a byte, the highest first; the last one has bit 7 set.
fn unsigned(reader: &mut Reader<'_>) -> Option<u64> {
    rest_of(reader, 0)
}

/// The same with a sign: bit 6 of the first byte.
fn signed(reader: &mut Reader<'_>) -> Option<i64> {
    let first = reader.byte()?;
    let start = u64::from(first & 0x3f);
    let size = if first & 0x80 == 0 {
        rest_of(reader, start)?
    } else {
        start
    };
    let size = i64::try_from(size).ok()?;
    Some(if first & 0x40 == 0 { size } else { -size })
}

fn rest_of(reader: &mut Reader<'_>, start: u64) -> Option<u64> {
    let mut number = start;
    loop {
        let byte = reader.byte()?;
        if number.leading_zeros() < 8 {
            return None;
        }
        number = number << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 != 0 {
            return Some(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::{Codec, decode, decode_as};

    fn value(body: &[u8]) -> String {
        let read = decode(&[&MARK[..], body].concat());
        assert_eq!(read.codec, Codec::Ion, "{read:?}");
        read.value.to_string()
    }

    #[test]
    fn scalars_are_read() {
        for (body, said) in [
            (b"\x0f".as_slice(), "null"),
            (b"\x11", "true"),
            (b"\x21\x2a", "42"),
            (b"\x32\x01\x2c", "-300"),
            (b"\x48\x40\x33\xfd\x70\xa3\xd7\x0a\x3d", "19.99"),
            (b"\x53\xc2\x07\xcf", "19.99"),
            (b"\x85hello", r#""hello""#),
            (b"\xa2\x01\xff", r#"{"bytes":"01ff"}"#),
            (
                b"\x68\x80\x0f\xe7\x8b\x8e\x96\x8d\x94",
                r#""2023-11-14T22:13:20Z""#,
            ),
        ] {
            assert_eq!(value(body), said, "{body:02x?}");
        }
    }

    #[test]
    fn names_come_from_the_table_before_the_value() {
        // $ion_symbol_table::{symbols:["id","com.acme.Order"]}, then 'com.acme.Order'::{id:42}.
        let table = b"\xee\x9a\x81\x83\xde\x96\x87\xbe\x93\x82id\x8e\x8ecom.acme.Order";
        let order = b"\xe6\x81\x8b\xd3\x8a\x21\x2a";
        let said = value(&[&table[..], order].concat());
        assert_eq!(said, r#"{"@class":"com.acme.Order","id":42}"#);
    }

    #[test]
    fn lengths_that_lie_are_no_ion() {
        for body in [
            b"\x85hell".as_slice(),
            b"\xbe\xff",
            b"\xd2\x8a\x21",
            b"\x71\x63",
            b"\xee\x01",
        ] {
            let bytes = [&MARK[..], body].concat();
            assert_eq!(decode_as(Codec::Ion, &bytes), None, "{body:02x?}");
        }
    }
}
