//! The JDK's classes, as Kryo's own serializers write them (`Kryo.java`, `DefaultSerializers`,
//! `TimeSerializers`, `ImmutableCollectionsSerializers`, `OptionalSerializers` of its project).

use super::array::array;
use super::parts::{fixed, int, long, positive_int, positive_long, string, varint};
use super::{Kryo, KryoClass, id};
use crate::payload::java::{self, number};
use crate::payload::reader::Reader;
use crate::payload::tree::{Name, Shape, TreeNode};
use crate::payload::{scalar, time};

/// The value of a class that Kryo knows; `Some(None)` of any other.
#[expect(
    clippy::option_option,
    reason = "another class is another thing than other bytes"
)]
pub(super) fn content(
    kryo: &mut Kryo,
    r: &mut Reader<'_>,
    class: &Name,
) -> Option<Option<TreeNode>> {
    if let Some(element) = class.strip_prefix('[') {
        return array(kryo, r, class, element).map(Some);
    }
    if java::constant::name(class, 0).is_some() {
        return place(r, class).map(Some);
    }
    if let Some(name) = class.strip_prefix("java.time.") {
        return when(r, name).map(|node| node.map(|node| node.of(class.clone())));
    }
    if class.starts_with("sun.nio.cs.") {
        return Some(Some(TreeNode::text(text(r)?).of(class.clone())));
    }
    if !class.starts_with("java.") && !class.starts_with("sun.util.calendar.") {
        return Some(None);
    }
    if let Some(node) = collection(kryo, r, class)? {
        return Some(Some(node.of(class.clone())));
    }
    scalar_class(kryo, r, class)
}

#[expect(
    clippy::option_option,
    reason = "another class is another thing than other bytes"
)]
fn scalar_class(kryo: &mut Kryo, r: &mut Reader<'_>, class: &Name) -> Option<Option<TreeNode>> {
    let by_fields = kryo.style.by_fields || kryo.style.is_old;
    Some(Some(match &**class {
        "java.util.Date" | "java.sql.Timestamp" | "java.sql.Date" | "java.sql.Time" => {
            time::date(positive_long(r)?).of(class.clone())
        }
        "java.util.UUID" if by_fields => {
            let (least, most) = (long(r)?, long(r)?);
            number::uuid(most.cast_unsigned(), least.cast_unsigned())
        }
        "java.util.UUID" => {
            let (most, least) = (
                u64::from_le_bytes(r.array()?),
                u64::from_le_bytes(r.array()?),
            );
            number::uuid(most, least)
        }
        "java.math.BigInteger" => big_integer(r)?,
        "java.math.BigDecimal" => {
            let Shape::Number(unscaled) = big_integer(r)?.shape else {
                return None;
            };
            number::big_decimal(unscaled.as_str(), i64::from(int(r)?))?
        }
        "java.util.Optional" | "java.util.concurrent.atomic.AtomicReference" => kryo.value(r)?,
        "java.util.OptionalInt" | "java.util.OptionalLong" | "java.util.OptionalDouble" => {
            if r.byte()? == 0 {
                return Some(Some(TreeNode::new(Shape::Null)));
            }
            match &**class {
                "java.util.OptionalInt" => fixed(r, b'I', kryo.style.is_old)?,
                "java.util.OptionalLong" => fixed(r, b'J', kryo.style.is_old)?,
                _ => fixed(r, b'D', kryo.style.is_old)?,
            }
        }
        "java.util.concurrent.atomic.AtomicInteger" if by_fields => TreeNode::number(int(r)?),
        "java.util.concurrent.atomic.AtomicInteger" => fixed(r, b'I', kryo.style.is_old)?,
        "java.util.concurrent.atomic.AtomicLong" if by_fields => TreeNode::number(long(r)?),
        "java.util.concurrent.atomic.AtomicLong" => fixed(r, b'J', kryo.style.is_old)?,
        "java.util.concurrent.atomic.AtomicBoolean" if by_fields => match int(r)? {
            0 => TreeNode::new(Shape::Bool(false)),
            1 => TreeNode::new(Shape::Bool(true)),
            _ => return None,
        },
        "java.util.concurrent.atomic.AtomicBoolean" => scalar::bool(r.byte()?)?,
        "java.util.concurrent.atomic.AtomicIntegerArray" => array(kryo, r, "[I", "I")?,
        "java.util.concurrent.atomic.AtomicLongArray" => array(kryo, r, "[J", "J")?,
        "java.lang.Class" => class_name(kryo, r)?.of(class.clone()),
        _ => return said_class(kryo, r, class),
    }))
}

/// Classes whose values are texts.
#[expect(
    clippy::option_option,
    reason = "another class is another thing than other bytes"
)]
fn said_class(kryo: &Kryo, r: &mut Reader<'_>, class: &Name) -> Option<Option<TreeNode>> {
    let by_fields = kryo.style.by_fields || kryo.style.is_old;
    Some(Some(match &**class {
        "java.util.GregorianCalendar" => calendar(r)?.of(class.clone()),
        "java.util.Locale" => {
            let [language, country, variant] = [text(r)?, text(r)?, text(r)?];
            let said = java::scalar::locale([&language, &country, &variant, "", ""]);
            TreeNode::text(said).of(class.clone())
        }
        "java.util.regex.Pattern" => {
            let flags_first = by_fields.then(|| varint(r, 5));
            let pattern = text(r)?;
            if flags_first.is_none() {
                varint(r, 5)?;
            }
            TreeNode::text(pattern).of(class.clone())
        }
        "java.util.Currency"
        | "java.net.URI"
        | "java.net.URL"
        | "java.io.File"
        | "java.util.TimeZone"
        | "java.util.SimpleTimeZone"
        | "sun.util.calendar.ZoneInfo"
        | "java.nio.charset.Charset"
        | "java.lang.StringBuilder"
        | "java.lang.StringBuffer" => TreeNode::text(text(r)?).of(class.clone()),
        _ => return Some(None),
    }))
}

/// Collections and maps, empty ones and those of one element.
#[expect(
    clippy::option_option,
    reason = "another class is another thing than other bytes"
)]
fn collection(kryo: &mut Kryo, r: &mut Reader<'_>, class: &str) -> Option<Option<TreeNode>> {
    let Some(kind) = class.strip_prefix("java.util.") else {
        return Some(None);
    };
    let kind = kind.strip_prefix("concurrent.").unwrap_or(kind);
    let nothing = |_: &mut Kryo, _: &mut Reader<'_>| Some(());
    let comparator = |kryo: &mut Kryo, r: &mut Reader<'_>| kryo.value(r).map(drop);
    let shape = match kind {
        "Collections$EmptyList" | "Collections$EmptySet" => Shape::List(Vec::new()),
        "Collections$EmptyMap" => Shape::Map(Vec::new()),
        "Collections$SingletonList" | "Collections$SingletonSet" => {
            Shape::List(vec![kryo.value(r)?])
        }
        "Collections$SingletonMap" => Shape::Map(r.pairs(1, |r| kryo.value(r))?),
        // Comparators without fields of their own.
        "Collections$ReverseComparator" => Shape::Object(Vec::new()),
        "AbstractMap$SimpleEntry" | "AbstractMap$SimpleImmutableEntry" | "KeyValueHolder" => {
            Shape::Map(r.pairs(1, |r| kryo.value(r))?)
        }
        "BitSet" => return bits(r).map(Some),
        "RegularEnumSet" | "JumboEnumSet" => return constants(kryo, r).map(Some),
        "EnumMap" => {
            let count = kryo.count(r)?;
            let mut is_key = false;
            Shape::Map(r.pairs(count, |r| {
                is_key = !is_key;
                if is_key {
                    constant(kryo, r)
                } else {
                    kryo.value(r)
                }
            })?)
        }
        "TreeSet" | "PriorityQueue" => Shape::List(kryo.elements(r, true, comparator)?),
        "TreeMap" | "ConcurrentSkipListMap" => Shape::Map(kryo.entries(r, comparator)?),
        "Vector" | "Stack" => Shape::List(kryo.elements(r, true, nothing)?),
        _ if kind.starts_with("ImmutableCollections$Map") => Shape::Map(kryo.entries(r, nothing)?),
        _ if kind.starts_with("ImmutableCollections$") => {
            Shape::List(kryo.elements(r, false, nothing)?)
        }
        _ if java::is_map(class) => Shape::Map(kryo.entries(r, nothing)?),
        _ if ["List", "Set", "Deque", "Queue"]
            .iter()
            .any(|end| kind.ends_with(end)) =>
        {
            Shape::List(kryo.elements(r, true, nothing)?)
        }
        _ => return Some(None),
    };
    Some(Some(TreeNode::new(shape)))
}

/// A constant of an enum with its class.
fn constant(kryo: &mut Kryo, r: &mut Reader<'_>) -> Option<TreeNode> {
    r.node(|r| {
        let KryoClass::Named(name) = kryo.class(r)? else {
            return None;
        };
        place(r, &name)
    })
}

/// A constant of an enum: only its place is written, and of the JDK's enums its name is known.
fn place(r: &mut Reader<'_>, class: &Name) -> Option<TreeNode> {
    let Some(place) = varint(r, 5)?.checked_sub(1) else {
        return Some(TreeNode::new(Shape::Null));
    };
    let name = java::constant::name(class, place);
    let node = name.map_or_else(|| TreeNode::number(place), TreeNode::text);
    Some(node.of(class.clone()))
}

/// An `EnumSet`: its constants.
fn constants(kryo: &mut Kryo, r: &mut Reader<'_>) -> Option<TreeNode> {
    let KryoClass::Named(name) = kryo.class(r)? else {
        return None;
    };
    let count = usize::try_from(varint(r, 5)?).ok()?;
    let items = r.items(count, |r| r.node(|r| place(r, &name)));
    Some(TreeNode::new(Shape::List(items?)))
}

/// A `BitSet`: its words.
fn bits(r: &mut Reader<'_>) -> Option<TreeNode> {
    let count = usize::try_from(varint(r, 5)?).ok()?;
    let bytes = r.bytes(count.checked_mul(8)?)?;
    let (words, _) = bytes.as_chunks();
    let words: Vec<u64> = words.iter().copied().map(u64::from_le_bytes).collect();
    r.take_text(bytes.len())?;
    Some(
        java::scalar::bits_of(r, &words)
            .unwrap_or_else(|| TreeNode::new(Shape::Bytes(bytes.to_vec()))),
    )
}

/// A `Class`: of one that can be a primitive too, whether it is.
fn class_name(kryo: &mut Kryo, r: &mut Reader<'_>) -> Option<TreeNode> {
    let (boxed, primitive) = match kryo.class(r)? {
        KryoClass::Named(name) => return Some(TreeNode::text(&*name)),
        KryoClass::Known(id::STRING) => return Some(TreeNode::text("java.lang.String")),
        KryoClass::Known(id::INT) => ("java.lang.Integer", "int"),
        KryoClass::Known(id::FLOAT) => ("java.lang.Float", "float"),
        KryoClass::Known(id::BOOL) => ("java.lang.Boolean", "boolean"),
        KryoClass::Known(id::BYTE) => ("java.lang.Byte", "byte"),
        KryoClass::Known(id::CHAR) => ("java.lang.Character", "char"),
        KryoClass::Known(id::SHORT) => ("java.lang.Short", "short"),
        KryoClass::Known(id::LONG) => ("java.lang.Long", "long"),
        KryoClass::Known(id::DOUBLE) => ("java.lang.Double", "double"),
        KryoClass::Known(_) => ("java.lang.Void", "void"),
        KryoClass::Null => return Some(TreeNode::new(Shape::Null)),
        KryoClass::Registered(_) => return None,
    };
    match r.byte()? {
        0 => Some(TreeNode::text(boxed)),
        1 => Some(TreeNode::text(primitive)),
        _ => None,
    }
}

fn text(r: &mut Reader<'_>) -> Option<String> {
    string(r, false)?
}

fn big_integer(r: &mut Reader<'_>) -> Option<TreeNode> {
    let length = usize::try_from(varint(r, 5)?).ok()?.checked_sub(1)?;
    let bytes = r.bytes(length)?;
    number::of_twos_complement(r, bytes)
}

/// A calendar: its zone, its time, how it counts, and the day of the Gregorian reform.
fn calendar(r: &mut Reader<'_>) -> Option<TreeNode> {
    let _zone = text(r)?;
    let ms = positive_long(r)?;
    let _lenient = scalar::bool(r.byte()?)?;
    let _first_day = varint(r, 5)?;
    let _minimal_days = varint(r, 5)?;
    let _reform = long(r)?;
    Some(time::date(ms))
}

/// `java.time`.
#[expect(
    clippy::option_option,
    reason = "another class is another thing than other bytes"
)]
fn when(r: &mut Reader<'_>, class: &str) -> Option<Option<TreeNode>> {
    Some(Some(TreeNode::text(match class {
        "Instant" => time::instant(positive_long(r)?, nanos(r)?),
        "Duration" => time::duration(i64::from_le_bytes(r.array()?), nanos(r)?),
        "LocalDate" => date(r)?,
        "LocalTime" => clock(r)?,
        "LocalDateTime" => date_time(r)?,
        "ZonedDateTime" => {
            let at = date_time(r)?;
            let zone = text(r)?;
            if zone.starts_with(['+', '-']) || zone == "Z" {
                at + &zone
            } else {
                format!("{at}[{zone}]")
            }
        }
        "OffsetDateTime" => date_time(r)? + &offset(r)?,
        "OffsetTime" => clock(r)? + &offset(r)?,
        "ZoneOffset" => offset(r)?,
        "ZoneRegion" => text(r)?,
        "Year" => positive_int(r)?.to_string(),
        "YearMonth" => {
            let year = positive_int(r)?;
            time::year_month(year.into(), r.byte()?)
        }
        "MonthDay" => format!("--{:02}-{:02}", r.byte()?, r.byte()?),
        "Period" => time::period([positive_int(r)?, positive_int(r)?, positive_int(r)?]),
        _ => return Some(None),
    })))
}

fn date(r: &mut Reader<'_>) -> Option<String> {
    Some(time::year_month_day(
        positive_int(r)?.into(),
        r.byte()?,
        r.byte()?,
    ))
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

fn nanos(r: &mut Reader<'_>) -> Option<u32> {
    let nanos = u32::try_from(varint(r, 5)?).ok()?;
    (nanos < 1_000_000_000).then_some(nanos)
}
