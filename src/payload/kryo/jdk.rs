//! The JDK's classes, as Kryo's own serializers write them (`Kryo.java`, `DefaultSerializers`,
//! `TimeSerializers`, `ImmutableCollectionsSerializers`, `OptionalSerializers` of its project).

use super::parts::{fixed, int, long, positive_int, positive_long, string, varint};
use super::{Class, Kryo, id};
use crate::payload::java::{self, number};
use crate::payload::reader::Reader;
use crate::payload::tree::{Name, Node, Shape};
use crate::payload::{scalar, time};

/// The value of a class that Kryo knows; `Some(None)` of any other.
#[expect(
    clippy::option_option,
    reason = "another class is another thing than other bytes"
)]
pub(super) fn content(kryo: &mut Kryo, r: &mut Reader<'_>, class: &Name) -> Option<Option<Node>> {
    if let Some(element) = class.strip_prefix('[') {
        return array(kryo, r, class, element).map(Some);
    }
    if let Some(name) = class.strip_prefix("java.time.") {
        return when(r, name).map(|node| node.map(|node| node.of(class.clone())));
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
fn scalar_class(kryo: &mut Kryo, r: &mut Reader<'_>, class: &Name) -> Option<Option<Node>> {
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
                return Some(Some(Node::new(Shape::Null)));
            }
            match &**class {
                "java.util.OptionalInt" => fixed(r, b'I', kryo.style.is_old)?,
                "java.util.OptionalLong" => fixed(r, b'J', kryo.style.is_old)?,
                _ => fixed(r, b'D', kryo.style.is_old)?,
            }
        }
        "java.util.concurrent.atomic.AtomicInteger" if by_fields => Node::number(int(r)?),
        "java.util.concurrent.atomic.AtomicInteger" => fixed(r, b'I', kryo.style.is_old)?,
        "java.util.concurrent.atomic.AtomicLong" if by_fields => Node::number(long(r)?),
        "java.util.concurrent.atomic.AtomicLong" => fixed(r, b'J', kryo.style.is_old)?,
        "java.util.concurrent.atomic.AtomicBoolean" => scalar::bool(r.byte()?)?,
        "java.lang.Class" => match kryo.class(r)? {
            Class::Named(name) => Node::text(&*name).of(class.clone()),
            _ => return None,
        },
        _ => return said_class(kryo, r, class),
    }))
}

/// Classes whose values are texts.
#[expect(
    clippy::option_option,
    reason = "another class is another thing than other bytes"
)]
fn said_class(kryo: &Kryo, r: &mut Reader<'_>, class: &Name) -> Option<Option<Node>> {
    let by_fields = kryo.style.by_fields || kryo.style.is_old;
    Some(Some(match &**class {
        "java.util.GregorianCalendar" => calendar(r)?.of(class.clone()),
        "java.util.Locale" => {
            let parts = [text(r)?, text(r)?, text(r)?];
            let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            Node::text(parts.join("_")).of(class.clone())
        }
        "java.util.regex.Pattern" => {
            let flags_first = by_fields.then(|| varint(r, 5));
            let pattern = text(r)?;
            if flags_first.is_none() {
                varint(r, 5)?;
            }
            Node::text(pattern).of(class.clone())
        }
        "java.util.Currency"
        | "java.net.URI"
        | "java.net.URL"
        | "java.util.TimeZone"
        | "java.util.SimpleTimeZone"
        | "sun.util.calendar.ZoneInfo"
        | "java.nio.charset.Charset"
        | "java.lang.StringBuilder"
        | "java.lang.StringBuffer" => Node::text(text(r)?).of(class.clone()),
        _ => return Some(None),
    }))
}

/// Collections and maps, empty ones and those of one element.
#[expect(
    clippy::option_option,
    reason = "another class is another thing than other bytes"
)]
fn collection(kryo: &mut Kryo, r: &mut Reader<'_>, class: &str) -> Option<Option<Node>> {
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
        "TreeSet" | "PriorityQueue" | "ConcurrentSkipListSet" | "PriorityBlockingQueue" => {
            Shape::List(kryo.elements(r, true, comparator)?)
        }
        "TreeMap" | "ConcurrentSkipListMap" => Shape::Map(kryo.entries(r, comparator)?),
        "Vector" | "Stack" => Shape::List(kryo.elements(r, true, nothing)?),
        "BitSet" => return Some(None),
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
    Some(Some(Node::new(shape)))
}

/// A constant of an enum, of which only its place is written.
fn constant(kryo: &mut Kryo, r: &mut Reader<'_>) -> Option<Node> {
    r.node(|r| {
        let Class::Named(name) = kryo.class(r)? else {
            return None;
        };
        Some(Node::number(varint(r, 5)?.checked_sub(1)?).of(name))
    })
}

/// An `EnumSet`: its constants, of which only their places in the enum are written.
fn constants(kryo: &mut Kryo, r: &mut Reader<'_>) -> Option<Node> {
    let Class::Named(name) = kryo.class(r)? else {
        return None;
    };
    let count = usize::try_from(varint(r, 5)?).ok()?;
    let items = r.items(count, |r| {
        r.node(|r| {
            let place = varint(r, 5)?.checked_sub(1)?;
            Some(Node::number(place).of(name.clone()))
        })
    });
    Some(Node::new(Shape::List(items?)))
}

fn array(kryo: &mut Kryo, r: &mut Reader<'_>, class: &str, element: &str) -> Option<Node> {
    let count = usize::try_from(varint(r, 5)?).ok()?;
    let Some(count) = count.checked_sub(1) else {
        return Some(Node::new(Shape::Null));
    };
    let is_old = kryo.style.is_old;
    let shape = match element.as_bytes() {
        b"B" => {
            let bytes = r.bytes(count)?;
            r.take_text(count)?;
            Shape::Bytes(bytes.to_vec())
        }
        b"I" => Shape::List(r.items(count, |r| r.node(|r| int(r).map(Node::number)))?),
        b"J" => Shape::List(r.items(count, |r| r.node(|r| long(r).map(Node::number)))?),
        [kind] => Shape::List(r.items(count, |r| r.node(|r| fixed(r, *kind, is_old)))?),
        b"Ljava.lang.String;" => {
            let string = Class::Known(id::STRING);
            let references = kryo.style.refers;
            Shape::List(r.items(count, |r| {
                if references {
                    kryo.nullable(r, &string)
                } else {
                    r.node(|r| kryo.scalar(r, id::STRING))
                }
            })?)
        }
        // Arrays of primitives and of boxed numbers are final classes.
        [b'[', _] => {
            let inner = Class::Named(element.into());
            Shape::List(r.items(count, |r| kryo.nullable(r, &inner))?)
        }
        _ => match boxed(element) {
            Some(known) => {
                let known = Class::Known(known);
                Shape::List(r.items(count, |r| kryo.nullable(r, &known))?)
            }
            None => Shape::List(r.items(count, |r| kryo.value(r))?),
        },
    };
    Some(Node::new(shape).of(java::array_name(class)))
}

/// The scalar that an element type is an object of.
fn boxed(element: &str) -> Option<u8> {
    Some(match element.strip_prefix("Ljava.lang.")? {
        "Integer;" => id::INT,
        "Float;" => id::FLOAT,
        "Boolean;" => id::BOOL,
        "Byte;" => id::BYTE,
        "Character;" => id::CHAR,
        "Short;" => id::SHORT,
        "Long;" => id::LONG,
        "Double;" => id::DOUBLE,
        _ => return None,
    })
}

fn text(r: &mut Reader<'_>) -> Option<String> {
    string(r, false)?
}

fn big_integer(r: &mut Reader<'_>) -> Option<Node> {
    let length = usize::try_from(varint(r, 5)?).ok()?.checked_sub(1)?;
    number::of_twos_complement(r.bytes(length)?)
}

/// A calendar: its zone, its time, how it counts, and the day of the Gregorian reform.
fn calendar(r: &mut Reader<'_>) -> Option<Node> {
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
fn when(r: &mut Reader<'_>, class: &str) -> Option<Option<Node>> {
    Some(Some(Node::text(match class {
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
            let day = time::year_month_day(positive_int(r)?.into(), r.byte()?, 1);
            day.trim_end_matches("-01").to_owned()
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
    match java::time::hour_minute_second(r)? {
        (seconds, true) => Some(time::clock(seconds, nanos(r)?, false)),
        (seconds, false) => Some(time::clock(seconds, 0, false)),
    }
}

/// Quarters of an hour, or 127 and seconds.
fn offset(r: &mut Reader<'_>) -> Option<String> {
    let quarters = i8::from_le_bytes(r.array()?);
    let seconds = match quarters {
        127 => i32::from_le_bytes(r.array()?),
        quarters => i32::from(quarters) * 900,
    };
    Some(time::offset(seconds))
}

fn nanos(r: &mut Reader<'_>) -> Option<u32> {
    let nanos = u32::try_from(varint(r, 5)?).ok()?;
    (nanos < 1_000_000_000).then_some(nanos)
}
