//! The classes that every Fury has numbers for, by how their values are written.

use super::Style;

/// How the values of a class are written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    /// A primitive, by the letter of its type in a class file.
    Primitive(u8),
    Text,
    Bytes,
    /// An array of primitives: its size in bytes, and these.
    Primitives(u8),
    Strings,
    Objects,
    /// An array of objects of one class, each after a mark.
    Boxes(u8),
    Class,
    Date,
    Timestamp,
    Time(&'static str),
    BigInteger,
    BigDecimal,
    Uuid,
    Locale,
    Bits,
    /// A text that means something else.
    Said,
    Pattern,
    /// A number or truth of a fixed size.
    Fixed(u8),
    /// Whether there is one, and a number of a fixed size.
    Maybe(u8),
    /// Only a value, which may be null.
    Wrapper,
    /// A set that is made of a map.
    KeySet,
    List,
    /// A comparator, then a list.
    Sorted,
    Map,
    SortedMap,
    EnumSet,
    EnumMap,
    EmptyList,
    EmptyMap,
    SingletonList,
    SingletonMap,
}

/// The last number before that of a class that Fory has and Fury has not.
const LAST_SAME: u64 = 0x8a;

/// The class that has this number in a payload, which is twice its own.
pub(super) fn known(number: u64, style: Style) -> Option<(Kind, &'static str)> {
    let number = match style {
        Style::Fory if number > LAST_SAME => number - 2,
        _ => number,
    };
    scalar(number)
        .or_else(|| time(number))
        .or_else(|| collection(number))
}

fn scalar(number: u64) -> Option<(Kind, &'static str)> {
    Some(match number {
        0x1c => (Kind::Primitive(b'Z'), ""),
        0x1e => (Kind::Primitive(b'B'), ""),
        0x20 => (Kind::Primitive(b'C'), ""),
        0x22 => (Kind::Primitive(b'S'), ""),
        0x24 => (Kind::Primitive(b'I'), ""),
        0x26 => (Kind::Primitive(b'F'), ""),
        0x28 => (Kind::Primitive(b'J'), ""),
        0x2a => (Kind::Primitive(b'D'), ""),
        0x2c => (Kind::Text, ""),
        0x2e => (Kind::Primitives(b'Z'), "boolean[]"),
        0x30 => (Kind::Bytes, ""),
        0x32 => (Kind::Primitives(b'C'), "char[]"),
        0x34 => (Kind::Primitives(b'S'), "short[]"),
        0x36 => (Kind::Primitives(b'I'), "int[]"),
        0x38 => (Kind::Primitives(b'F'), "float[]"),
        0x3a => (Kind::Primitives(b'J'), "long[]"),
        0x3c => (Kind::Primitives(b'D'), "double[]"),
        0x3e => (Kind::Strings, "java.lang.String[]"),
        0x40 => (Kind::Objects, "java.lang.Object[]"),
        0x48 => (Kind::Class, "java.lang.Class"),
        0x5c => (Kind::BigInteger, ""),
        0x5e => (Kind::BigDecimal, ""),
        0x64 => (Kind::Boxes(b'Z'), "java.lang.Boolean[]"),
        0x6c => (Kind::Boxes(b'I'), "java.lang.Integer[]"),
        0x70 => (Kind::Boxes(b'J'), "java.lang.Long[]"),
        0x82 => (
            Kind::Fixed(b'Z'),
            "java.util.concurrent.atomic.AtomicBoolean",
        ),
        0x84 => (
            Kind::Fixed(b'I'),
            "java.util.concurrent.atomic.AtomicInteger",
        ),
        0x86 => (Kind::Fixed(b'J'), "java.util.concurrent.atomic.AtomicLong"),
        0x88 => (Kind::Wrapper, "java.util.concurrent.atomic.AtomicReference"),
        0xa0 => (Kind::Said, "java.lang.StringBuilder"),
        0xa2 => (Kind::Said, "java.lang.StringBuffer"),
        0xa4 => (Kind::Said, "java.util.Currency"),
        0xa6 => (Kind::Said, "java.net.URI"),
        0xa8 => (Kind::Pattern, "java.util.regex.Pattern"),
        0xaa => (Kind::Uuid, ""),
        0x60 => (Kind::Wrapper, "java.util.Optional"),
        0x62 => (Kind::Maybe(b'I'), "java.util.OptionalInt"),
        0xc8 => (Kind::Maybe(b'J'), "java.util.OptionalLong"),
        0xca => (Kind::Maybe(b'D'), "java.util.OptionalDouble"),
        0xe0 => (Kind::Bits, "java.util.BitSet"),
        0xf6 => (Kind::Locale, "java.util.Locale"),
        _ => return None,
    })
}

fn time(number: u64) -> Option<(Kind, &'static str)> {
    Some(match number {
        0x54 => (Kind::Date, "java.util.Date"),
        0x56 => (Kind::Timestamp, "java.sql.Timestamp"),
        0xae => (Kind::Date, "java.sql.Date"),
        0xb0 => (Kind::Date, "java.sql.Time"),
        0x58 => (Kind::Time("LocalDateTime"), "java.time.LocalDateTime"),
        0x5a => (Kind::Time("Instant"), "java.time.Instant"),
        0xb2 => (Kind::Time("LocalDate"), "java.time.LocalDate"),
        0xb4 => (Kind::Time("LocalTime"), "java.time.LocalTime"),
        0xb6 => (Kind::Time("Duration"), "java.time.Duration"),
        0xb8 => (Kind::Time("ZoneOffset"), "java.time.ZoneOffset"),
        0xba => (Kind::Time("ZonedDateTime"), "java.time.ZonedDateTime"),
        0xbc => (Kind::Time("Year"), "java.time.Year"),
        0xbe => (Kind::Time("YearMonth"), "java.time.YearMonth"),
        0xc0 => (Kind::Time("MonthDay"), "java.time.MonthDay"),
        0xc2 => (Kind::Time("Period"), "java.time.Period"),
        0xc4 => (Kind::Time("OffsetTime"), "java.time.OffsetTime"),
        0xc6 => (Kind::Time("OffsetDateTime"), "java.time.OffsetDateTime"),
        _ => return None,
    })
}

fn collection(number: u64) -> Option<(Kind, &'static str)> {
    Some(match number {
        0x42 => (Kind::List, "java.util.ArrayList"),
        0x44 => (Kind::Map, "java.util.HashMap"),
        0x46 => (Kind::List, "java.util.HashSet"),
        0x4c => (Kind::List, "java.util.LinkedList"),
        0x4e => (Kind::Sorted, "java.util.TreeSet"),
        0x50 => (Kind::Map, "java.util.LinkedHashMap"),
        0x52 => (Kind::SortedMap, "java.util.TreeMap"),
        0x7c => (Kind::Map, "java.util.concurrent.ConcurrentHashMap"),
        0x8a => (Kind::EnumSet, "java.util.EnumSet"),
        0xcc => (Kind::Wrapper, "java.util.Arrays$ArrayList"),
        0xce => (Kind::List, "java.util.LinkedHashSet"),
        0xd0 => (Kind::EmptyList, "java.util.Collections$EmptyList"),
        0xd4 => (Kind::EmptyList, "java.util.Collections$EmptySet"),
        0xd6 => (Kind::SingletonList, "java.util.Collections$SingletonList"),
        0xd8 => (Kind::SingletonList, "java.util.Collections$SingletonSet"),
        0xda => (Kind::Sorted, "java.util.concurrent.ConcurrentSkipListSet"),
        0xdc => (Kind::List, "java.util.Vector"),
        0xde => (Kind::List, "java.util.ArrayDeque"),
        0xe2 => (Kind::Sorted, "java.util.PriorityQueue"),
        0xe4 => (Kind::List, "java.util.concurrent.CopyOnWriteArrayList"),
        0xe8 => (
            Kind::KeySet,
            "java.util.concurrent.ConcurrentHashMap$KeySetView",
        ),
        0xea => (Kind::EmptyMap, "java.util.Collections$EmptyMap"),
        0xee => (Kind::SingletonMap, "java.util.Collections$SingletonMap"),
        0xf0 => (
            Kind::SortedMap,
            "java.util.concurrent.ConcurrentSkipListMap",
        ),
        0xf2 => (Kind::EnumMap, "java.util.EnumMap"),
        0xf8..=0x112 => (Kind::Wrapper, view(number)),
        0x114 | 0x116 | 0x118 => (Kind::List, "java.util.List"),
        0x11a | 0x11c => (Kind::List, "java.util.Set"),
        0x11e | 0x120 => (Kind::Map, "java.util.Map"),
        _ => return None,
    })
}

/// What `Collections` makes of others' collections.
const fn view(number: u64) -> &'static str {
    match number {
        0xf8 => "java.util.Collections$SynchronizedCollection",
        0xfa | 0xfc => "java.util.Collections$SynchronizedList",
        0xfe | 0x100 => "java.util.Collections$SynchronizedSet",
        0x102 | 0x104 => "java.util.Collections$SynchronizedMap",
        0x106 => "java.util.Collections$UnmodifiableCollection",
        0x108 | 0x10a => "java.util.Collections$UnmodifiableList",
        0x10c | 0x10e => "java.util.Collections$UnmodifiableSet",
        _ => "java.util.Collections$UnmodifiableMap",
    }
}

/// The name of a class that is a value: what `Class` objects are of.
pub(super) const fn name(number: u64) -> Option<&'static str> {
    Some(match number {
        0x04 => "void",
        0x06 | 0x0a => "boolean",
        0x0c => "byte",
        0x0e => "char",
        0x10 => "short",
        0x12 => "int",
        0x14 => "float",
        0x16 => "long",
        0x18 => "double",
        0x1c => "java.lang.Boolean",
        0x24 => "java.lang.Integer",
        0x28 => "java.lang.Long",
        0x2a => "java.lang.Double",
        0x2c => "java.lang.String",
        0x4a => "java.lang.Object",
        _ => return None,
    })
}

/// How the values of a class are written that has a number and is final, by its name.
pub(super) fn by_name(name: &str) -> Option<(Kind, &'static str)> {
    Some(match name {
        "java.lang.String" => (Kind::Text, ""),
        "java.util.UUID" => (Kind::Uuid, ""),
        "java.util.Locale" => (Kind::Locale, "java.util.Locale"),
        "java.util.Currency" => (Kind::Said, "java.util.Currency"),
        "java.net.URI" => (Kind::Said, "java.net.URI"),
        "java.time.LocalDate" => (Kind::Time("LocalDate"), "java.time.LocalDate"),
        "java.time.LocalTime" => (Kind::Time("LocalTime"), "java.time.LocalTime"),
        "java.time.LocalDateTime" => (Kind::Time("LocalDateTime"), "java.time.LocalDateTime"),
        "java.time.Instant" => (Kind::Time("Instant"), "java.time.Instant"),
        "java.time.Duration" => (Kind::Time("Duration"), "java.time.Duration"),
        _ => return None,
    })
}
