//! The classes that every Fury has numbers for, by how their values are written.

use super::Style;

/// The way in which the values of a class are written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum FuryKind {
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
    /// A flag whether there is one, and a number of a fixed size.
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
pub(super) fn known(number: u64, style: Style) -> Option<(FuryKind, &'static str)> {
    let number = match style {
        Style::Fory if number > LAST_SAME => number - 2,
        _ => number,
    };
    scalar(number)
        .or_else(|| time(number))
        .or_else(|| collection(number))
}

fn scalar(number: u64) -> Option<(FuryKind, &'static str)> {
    Some(match number {
        0x1c => (FuryKind::Primitive(b'Z'), ""),
        0x1e => (FuryKind::Primitive(b'B'), ""),
        0x20 => (FuryKind::Primitive(b'C'), ""),
        0x22 => (FuryKind::Primitive(b'S'), ""),
        0x24 => (FuryKind::Primitive(b'I'), ""),
        0x26 => (FuryKind::Primitive(b'F'), ""),
        0x28 => (FuryKind::Primitive(b'J'), ""),
        0x2a => (FuryKind::Primitive(b'D'), ""),
        0x2c => (FuryKind::Text, ""),
        0x2e => (FuryKind::Primitives(b'Z'), "boolean[]"),
        0x30 => (FuryKind::Bytes, ""),
        0x32 => (FuryKind::Primitives(b'C'), "char[]"),
        0x34 => (FuryKind::Primitives(b'S'), "short[]"),
        0x36 => (FuryKind::Primitives(b'I'), "int[]"),
        0x38 => (FuryKind::Primitives(b'F'), "float[]"),
        0x3a => (FuryKind::Primitives(b'J'), "long[]"),
        0x3c => (FuryKind::Primitives(b'D'), "double[]"),
        0x3e => (FuryKind::Strings, "java.lang.String[]"),
        0x40 => (FuryKind::Objects, "java.lang.Object[]"),
        0x48 => (FuryKind::Class, "java.lang.Class"),
        0x5c => (FuryKind::BigInteger, ""),
        0x5e => (FuryKind::BigDecimal, ""),
        0x64 => (FuryKind::Boxes(b'Z'), "java.lang.Boolean[]"),
        0x6c => (FuryKind::Boxes(b'I'), "java.lang.Integer[]"),
        0x70 => (FuryKind::Boxes(b'J'), "java.lang.Long[]"),
        0x82 => (
            FuryKind::Fixed(b'Z'),
            "java.util.concurrent.atomic.AtomicBoolean",
        ),
        0x84 => (
            FuryKind::Fixed(b'I'),
            "java.util.concurrent.atomic.AtomicInteger",
        ),
        0x86 => (
            FuryKind::Fixed(b'J'),
            "java.util.concurrent.atomic.AtomicLong",
        ),
        0x88 => (
            FuryKind::Wrapper,
            "java.util.concurrent.atomic.AtomicReference",
        ),
        0xa0 => (FuryKind::Said, "java.lang.StringBuilder"),
        0xa2 => (FuryKind::Said, "java.lang.StringBuffer"),
        0xa4 => (FuryKind::Said, "java.util.Currency"),
        0xa6 => (FuryKind::Said, "java.net.URI"),
        0xa8 => (FuryKind::Pattern, "java.util.regex.Pattern"),
        0xaa => (FuryKind::Uuid, ""),
        0x60 => (FuryKind::Wrapper, "java.util.Optional"),
        0x62 => (FuryKind::Maybe(b'I'), "java.util.OptionalInt"),
        0xc8 => (FuryKind::Maybe(b'J'), "java.util.OptionalLong"),
        0xca => (FuryKind::Maybe(b'D'), "java.util.OptionalDouble"),
        0xe0 => (FuryKind::Bits, "java.util.BitSet"),
        0xf6 => (FuryKind::Locale, "java.util.Locale"),
        _ => return None,
    })
}

fn time(number: u64) -> Option<(FuryKind, &'static str)> {
    Some(match number {
        0x54 => (FuryKind::Date, "java.util.Date"),
        0x56 => (FuryKind::Timestamp, "java.sql.Timestamp"),
        0xae => (FuryKind::Date, "java.sql.Date"),
        0xb0 => (FuryKind::Date, "java.sql.Time"),
        0x58 => (FuryKind::Time("LocalDateTime"), "java.time.LocalDateTime"),
        0x5a => (FuryKind::Time("Instant"), "java.time.Instant"),
        0xb2 => (FuryKind::Time("LocalDate"), "java.time.LocalDate"),
        0xb4 => (FuryKind::Time("LocalTime"), "java.time.LocalTime"),
        0xb6 => (FuryKind::Time("Duration"), "java.time.Duration"),
        0xb8 => (FuryKind::Time("ZoneOffset"), "java.time.ZoneOffset"),
        0xba => (FuryKind::Time("ZonedDateTime"), "java.time.ZonedDateTime"),
        0xbc => (FuryKind::Time("Year"), "java.time.Year"),
        0xbe => (FuryKind::Time("YearMonth"), "java.time.YearMonth"),
        0xc0 => (FuryKind::Time("MonthDay"), "java.time.MonthDay"),
        0xc2 => (FuryKind::Time("Period"), "java.time.Period"),
        0xc4 => (FuryKind::Time("OffsetTime"), "java.time.OffsetTime"),
        0xc6 => (FuryKind::Time("OffsetDateTime"), "java.time.OffsetDateTime"),
        _ => return None,
    })
}

fn collection(number: u64) -> Option<(FuryKind, &'static str)> {
    Some(match number {
        0x42 => (FuryKind::List, "java.util.ArrayList"),
        0x44 => (FuryKind::Map, "java.util.HashMap"),
        0x46 => (FuryKind::List, "java.util.HashSet"),
        0x4c => (FuryKind::List, "java.util.LinkedList"),
        0x4e => (FuryKind::Sorted, "java.util.TreeSet"),
        0x50 => (FuryKind::Map, "java.util.LinkedHashMap"),
        0x52 => (FuryKind::SortedMap, "java.util.TreeMap"),
        0x7c => (FuryKind::Map, "java.util.concurrent.ConcurrentHashMap"),
        0x8a => (FuryKind::EnumSet, "java.util.EnumSet"),
        0xcc => (FuryKind::Wrapper, "java.util.Arrays$ArrayList"),
        0xce => (FuryKind::List, "java.util.LinkedHashSet"),
        0xd0 => (FuryKind::EmptyList, "java.util.Collections$EmptyList"),
        0xd4 => (FuryKind::EmptyList, "java.util.Collections$EmptySet"),
        0xd6 => (
            FuryKind::SingletonList,
            "java.util.Collections$SingletonList",
        ),
        0xd8 => (
            FuryKind::SingletonList,
            "java.util.Collections$SingletonSet",
        ),
        0xda => (
            FuryKind::Sorted,
            "java.util.concurrent.ConcurrentSkipListSet",
        ),
        0xdc => (FuryKind::List, "java.util.Vector"),
        0xde => (FuryKind::List, "java.util.ArrayDeque"),
        0xe2 => (FuryKind::Sorted, "java.util.PriorityQueue"),
        0xe4 => (FuryKind::List, "java.util.concurrent.CopyOnWriteArrayList"),
        0xe8 => (
            FuryKind::KeySet,
            "java.util.concurrent.ConcurrentHashMap$KeySetView",
        ),
        0xea => (FuryKind::EmptyMap, "java.util.Collections$EmptyMap"),
        0xee => (FuryKind::SingletonMap, "java.util.Collections$SingletonMap"),
        0xf0 => (
            FuryKind::SortedMap,
            "java.util.concurrent.ConcurrentSkipListMap",
        ),
        0xf2 => (FuryKind::EnumMap, "java.util.EnumMap"),
        0xf8..=0x112 => (FuryKind::Wrapper, view(number)),
        0x114 | 0x116 | 0x118 => (FuryKind::List, "java.util.List"),
        0x11a | 0x11c => (FuryKind::List, "java.util.Set"),
        0x11e | 0x120 => (FuryKind::Map, "java.util.Map"),
        _ => return None,
    })
}

/// The class that `Collections` wraps another's collection in.
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

/// The way in which the values of a class are written that has a number and is final, by its name.
pub(super) fn by_name(name: &str) -> Option<(FuryKind, &'static str)> {
    Some(match name {
        "java.lang.String" => (FuryKind::Text, ""),
        "java.util.UUID" => (FuryKind::Uuid, ""),
        "java.util.Locale" => (FuryKind::Locale, "java.util.Locale"),
        "java.util.Currency" => (FuryKind::Said, "java.util.Currency"),
        "java.net.URI" => (FuryKind::Said, "java.net.URI"),
        "java.time.LocalDate" => (FuryKind::Time("LocalDate"), "java.time.LocalDate"),
        "java.time.LocalTime" => (FuryKind::Time("LocalTime"), "java.time.LocalTime"),
        "java.time.LocalDateTime" => (FuryKind::Time("LocalDateTime"), "java.time.LocalDateTime"),
        "java.time.Instant" => (FuryKind::Time("Instant"), "java.time.Instant"),
        "java.time.Duration" => (FuryKind::Time("Duration"), "java.time.Duration"),
        _ => return None,
    })
}
