//! What objects of the JDK mean: a list is its elements, a date a date, not their internals.
//!
//! For codecs that write an object as its fields and what its `writeObject` wrote besides, class by
//! class from the topmost down: Java serialization, JBoss Marshalling.

pub(super) mod extra;
pub(super) mod handles;
pub(super) mod number;
pub(super) mod time;

use std::collections::HashMap;

use super::time as iso;
use super::tree::{Field, Name, Node, Shape};
use extra::Extra;

/// What an object holds of one class of its hierarchy.
pub(super) struct Level<'a> {
    pub(super) class: Name,
    pub(super) fields: Vec<Field>,
    /// What `writeObject` or `writeExternal` wrote besides, in order.
    pub(super) extra: Vec<Extra<'a>>,
}

/// Whether a class may be called that: names of arrays have `[` and `;`, those of classes made while
/// the program runs `/`.
pub(super) fn is_class_name(name: &str) -> bool {
    let fits =
        |c: char| c.is_alphanumeric() || matches!(c, '.' | '$' | '_' | '[' | ';' | '-' | '/');
    !name.is_empty() && name.chars().all(fits)
}

/// An object of that class: what it means if it is one of the JDK's, else its fields.
pub(super) fn object(class: &Name, levels: Vec<Level<'_>>) -> Node {
    match known(class, levels) {
        Ok(node) => node,
        Err(levels) => plain(class, levels),
    }
}

/// What the object means, if that is known; else it is handed back.
fn known<'a>(class: &Name, mut levels: Vec<Level<'a>>) -> Result<Node, Vec<Level<'a>>> {
    if !class.starts_with("java") && !class.starts_with("sun.util.calendar") {
        return Err(levels);
    }
    if let Some(node) = special(class, &levels) {
        return Ok(node.of(class.clone()));
    }
    if class.starts_with("java.lang.")
        && let Some(value) = field(&levels, "value")
        && value.is_leaf()
    {
        return Ok(value.clone());
    }
    if let Some(inside) = wrapped(class)
        && let Some(node) = take(&mut levels, inside)
    {
        return Ok(match node.shape {
            Shape::List(_) | Shape::Map(_) => node.of(class.clone()),
            _ => node,
        });
    }
    collection(class, levels)
}

/// Scalars that consist of several fields or of bytes.
fn special(class: &str, levels: &[Level<'_>]) -> Option<Node> {
    match class {
        "java.util.Date" | "java.sql.Date" | "java.sql.Time" => date(levels),
        "java.sql.Timestamp" => {
            let Shape::Text(text) = date(levels)?.shape else {
                return None;
            };
            let nanos = u32::try_from(long(levels, "nanos")?).ok()?;
            let seconds = text.get(..19)?;
            Some(Node::text(format!("{seconds}{}Z", iso::fraction(nanos))))
        }
        "java.util.GregorianCalendar" => Some(iso::date(long(levels, "time")?)),
        "java.util.UUID" => Some(number::uuid(
            long(levels, "mostSigBits")?.cast_unsigned(),
            long(levels, "leastSigBits")?.cast_unsigned(),
        )),
        "java.math.BigInteger" => {
            let Shape::Bytes(magnitude) = &field(levels, "magnitude")?.shape else {
                return None;
            };
            number::big_integer(long(levels, "signum")?, magnitude)
        }
        "java.math.BigDecimal" => {
            let Shape::Number(unscaled) = &field(levels, "intVal")?.shape else {
                return None;
            };
            number::big_decimal(unscaled.as_str(), long(levels, "scale")?)
        }
        "java.util.Locale" => {
            let parts = ["language", "country", "variant"].map(|part| text(levels, part));
            let parts: Vec<_> = parts.into_iter().flatten().collect();
            let filled: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            Some(Node::text(filled.join("_")))
        }
        "java.net.URL" => Some(Node::text(url(levels)?)),
        "java.util.BitSet" | "java.util.concurrent.atomic.AtomicBoolean" => None,
        _ => {
            let field = one_text(class)?;
            text(levels, field).map(Node::text)
        }
    }
}

fn url(levels: &[Level<'_>]) -> Option<String> {
    let host = text(levels, "host").unwrap_or_default();
    let file = text(levels, "file").unwrap_or_default();
    let port = match long(levels, "port")? {
        -1 => String::new(),
        port => format!(":{port}"),
    };
    let slashes = if host.is_empty() { "" } else { "//" };
    let protocol = text(levels, "protocol")?;
    let anchor = text(levels, "ref").map(|anchor| format!("#{anchor}"));
    let anchor = anchor.unwrap_or_default();
    Some(format!("{protocol}:{slashes}{host}{port}{file}{anchor}"))
}

/// The field of a class that says it all.
fn one_text(class: &str) -> Option<&'static str> {
    Some(match class {
        "java.net.URI" => "string",
        "java.util.Currency" => "currencyCode",
        "java.util.regex.Pattern" => "pattern",
        "java.io.File" => "path",
        "sun.util.calendar.ZoneInfo" | "java.util.SimpleTimeZone" => "ID",
        _ => return None,
    })
}

/// The field of a class that only wraps what stands in it.
fn wrapped(class: &str) -> Option<&'static str> {
    let inner = class.strip_prefix("java.util.")?;
    Some(match inner {
        "Arrays$ArrayList" => "a",
        "EnumSet$SerializationProxy" => "elements",
        "Collections$SetFromMap" => "m",
        "Vector" | "Stack" => "elementData",
        "concurrent.atomic.AtomicInteger"
        | "concurrent.atomic.AtomicLong"
        | "concurrent.atomic.AtomicBoolean"
        | "concurrent.atomic.AtomicReference"
        | "Optional"
        | "OptionalInt"
        | "OptionalLong"
        | "OptionalDouble" => "value",
        _ => {
            let kind = inner.strip_prefix("Collections$")?;
            let is_wrapper = ["Unmodifiable", "Synchronized", "Checked"];
            if !is_wrapper.iter().any(|prefix| kind.starts_with(prefix)) {
                return None;
            }
            if kind.ends_with("Map") { "m" } else { "c" }
        }
    })
}

/// Collections and maps, whose elements `writeObject` wrote.
fn collection<'a>(class: &Name, levels: Vec<Level<'a>>) -> Result<Node, Vec<Level<'a>>> {
    let kind = class.strip_prefix("java.util.").unwrap_or_default();
    let kind = kind.strip_prefix("concurrent.").unwrap_or(kind);
    if class.starts_with("java.time.") || class.starts_with("java.time.chrono.") {
        let block = levels.iter().flat_map(|level| &level.extra).find_map(block);
        let said = block.and_then(time::said);
        return said.ok_or(levels);
    }
    if let Some(rest) = kind.strip_prefix("Collections$") {
        return special_collection(class, rest, levels);
    }
    if &**class == "java.util.CollSer" {
        let tag = long(&levels, "tag").unwrap_or_default() & 0xff;
        let elements = elements(levels);
        // The kinds of `List.of`, `Set.of`, `Map.of`, and of a list that may hold nulls.
        return Ok(match tag {
            3 => pairs(elements).of("java.util.Map"),
            2 => Node::new(Shape::List(elements)).of("java.util.Set"),
            _ => Node::new(Shape::List(elements)).of("java.util.List"),
        });
    }
    let ends = |suffixes: &[&str]| suffixes.iter().any(|suffix| kind.ends_with(suffix));
    let is_map = ends(&["Map", "Hashtable", "Properties"]);
    if !is_map && !ends(&["List", "Set", "Deque", "Queue"]) {
        return Err(levels);
    }
    let mut elements = elements(levels);
    if kind.starts_with("Concurrent") || kind.starts_with("Linked") && kind.contains("Blocking") {
        // A null ends what is written without its number.
        while matches!(elements.last(), Some(node) if node.shape == Shape::Null) {
            elements.pop();
        }
    }
    if kind == "TreeSet" && !elements.is_empty() {
        // The comparator.
        elements.remove(0);
    }
    let node = if is_map {
        pairs(elements)
    } else {
        Node::new(Shape::List(elements))
    };
    Ok(node.of(class.clone()))
}

/// What `Collections.emptyList()`, `singleton()` and the like make.
fn special_collection<'a>(
    class: &Name,
    kind: &str,
    mut levels: Vec<Level<'a>>,
) -> Result<Node, Vec<Level<'a>>> {
    let shape = match kind {
        "EmptyList" | "EmptySet" => Shape::List(Vec::new()),
        "EmptyMap" => Shape::Map(Vec::new()),
        "SingletonList" | "SingletonSet" => match take(&mut levels, "element") {
            Some(element) => Shape::List(vec![element]),
            None => return Err(levels),
        },
        "SingletonMap" => match (take(&mut levels, "k"), take(&mut levels, "v")) {
            (Some(key), Some(value)) => Shape::Map(vec![(key, value)]),
            _ => return Err(levels),
        },
        "CopiesList" => match (long(&levels, "n"), take(&mut levels, "element")) {
            (Some(n), Some(element)) => Shape::Map(vec![(Node::number(n), element)]),
            _ => return Err(levels),
        },
        _ => return Err(levels),
    };
    Ok(Node::new(shape).of(class.clone()))
}

/// Whether a class is one of the JDK's maps.
pub(super) fn is_map(class: &str) -> bool {
    let raw = class.split_once('<').map_or(class, |(raw, _)| raw);
    raw.starts_with("java.util.") && raw.ends_with("Map")
        || matches!(raw, "java.util.Hashtable" | "java.util.Properties")
}

/// Nodes that stand in turn for keys and values.
fn pairs(nodes: Vec<Node>) -> Node {
    let mut pairs = Vec::new();
    let mut nodes = nodes.into_iter();
    while let (Some(key), Some(value)) = (nodes.next(), nodes.next()) {
        pairs.push((key, value));
    }
    Node::new(Shape::Map(pairs))
}

fn elements(levels: Vec<Level<'_>>) -> Vec<Node> {
    let extra = levels.into_iter().flat_map(|level| level.extra);
    extra
        .filter_map(|extra| match extra {
            Extra::Node(node) => Some(node),
            Extra::Block(_) => None,
        })
        .collect()
}

fn block<'a>(extra: &Extra<'a>) -> Option<&'a [u8]> {
    match extra {
        Extra::Block(bytes) => Some(bytes),
        Extra::Node(_) => None,
    }
}

/// The milliseconds that `java.util.Date` writes.
fn date(levels: &[Level<'_>]) -> Option<Node> {
    let level = levels
        .iter()
        .find(|level| &*level.class == "java.util.Date")?;
    let bytes = level.extra.iter().find_map(block)?;
    Some(iso::date(i64::from_be_bytes(bytes.try_into().ok()?)))
}

fn field<'a>(levels: &'a [Level<'_>], name: &str) -> Option<&'a Node> {
    let mut fields = levels.iter().rev().flat_map(|level| &level.fields);
    fields.find(|f| &*f.name == name).map(|f| &f.node)
}

fn take(levels: &mut [Level<'_>], name: &str) -> Option<Node> {
    let mut fields = levels.iter_mut().rev().flat_map(|level| &mut level.fields);
    let field = fields.find(|f| &*f.name == name)?;
    Some(std::mem::replace(&mut field.node, Node::new(Shape::Null)))
}

fn long(levels: &[Level<'_>], name: &str) -> Option<i64> {
    match &field(levels, name)?.shape {
        Shape::Number(number) => number.as_i64(),
        _ => None,
    }
}

fn text(levels: &[Level<'_>], name: &str) -> Option<String> {
    match &field(levels, name)?.shape {
        Shape::Text(text) => Some(text.clone()),
        _ => None,
    }
}

/// An object as its fields. One that hides a superclass's field of the same name leaves that one
/// under its full name.
fn plain(class: &Name, levels: Vec<Level<'_>>) -> Node {
    let mut fields: Vec<Field> = Vec::new();
    let mut places: HashMap<Name, (usize, Name)> = HashMap::new();
    let is_tall = levels.len() > 1;
    for level in levels {
        for field in level.fields {
            if is_tall {
                let here = (fields.len(), level.class.clone());
                if let Some((hidden, of)) = places.insert(field.name.clone(), here) {
                    fields[hidden].name = format!("{of}.{}", field.name).into();
                }
            }
            fields.push(field);
        }
        if !level.extra.is_empty() {
            fields.push(Field {
                name: "@written".into(),
                node: Node::new(Shape::List(
                    level.extra.into_iter().map(Extra::into_node).collect(),
                )),
            });
        }
    }
    Node::new(Shape::Object(fields)).of(class.clone())
}

impl Extra<'_> {
    fn into_node(self) -> Node {
        match self {
            Self::Block(bytes) => Node::new(Shape::Bytes(bytes.to_vec())),
            Self::Node(node) => node,
        }
    }
}

/// `[Lcom.acme.Order;` as `com.acme.Order[]`.
pub(super) fn array_name(class: &str) -> Name {
    let element = class.trim_start_matches('[');
    let brackets = "[]".repeat(class.len() - element.len());
    let element = match element {
        "B" => "byte",
        "C" => "char",
        "D" => "double",
        "F" => "float",
        "I" => "int",
        "J" => "long",
        "S" => "short",
        "Z" => "boolean",
        other => other
            .strip_prefix('L')
            .and_then(|name| name.strip_suffix(';'))
            .unwrap_or(other),
    };
    format!("{element}{brackets}").into()
}
