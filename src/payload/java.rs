//! The meaning of objects of the JDK: a list is its elements, a date a date, not their internals.
//!
//! For codecs that write an object as its fields and what its `writeObject` wrote besides, class by
//! class from the topmost down: Java serialization, JBoss Marshalling.

pub(super) mod chrono;
pub(super) mod constant;
pub(super) mod extra;
pub(super) mod handles;
mod inherited;
mod net;
pub(super) mod number;
pub(super) mod scalar;
pub(super) mod time;

use std::collections::HashMap;

use super::reader::Reader;
use super::tree::{Name, Shape, TreeField, TreeNode};
use extra::Extra;

/// Copies of one element that are said one by one, and how long it may be.
const MAX_COPIES: usize = 100;

/// The part of an object that one class of its hierarchy holds.
pub(super) struct Level<'a> {
    pub(super) class: Name,
    pub(super) fields: Vec<TreeField>,
    /// The parts that `writeObject` or `writeExternal` wrote besides, in order.
    pub(super) extra: Vec<Extra<'a>>,
}

/// Tells whether a class may be called that: names of arrays have `[` and `;`, those of classes
/// made while the program runs `/`.
pub(super) fn is_class_name(name: &str) -> bool {
    let fits =
        |c: char| c.is_alphanumeric() || matches!(c, '.' | '$' | '_' | '[' | ';' | '-' | '/');
    !name.is_empty() && name.chars().all(fits)
}

/// A throwable that names itself as its cause has none.
fn without_itself(levels: &mut [Level<'_>], id: u32) {
    let throwable = levels
        .iter_mut()
        .find(|level| &*level.class == "java.lang.Throwable");
    let fields = throwable.into_iter().flat_map(|level| &mut level.fields);
    for field in fields.filter(|field| &*field.name == "cause") {
        if field.node.shape == Shape::Same(id) {
            field.node.shape = Shape::Null;
        }
    }
}

/// An object of that class: what it means if it is one of the JDK's, else its fields.
pub(super) fn object(r: &mut Reader<'_>, class: &Name, levels: Vec<Level<'_>>) -> Option<TreeNode> {
    if inherited::has_defaults(class, &levels) {
        return inherited::defaults(r, class, levels);
    }
    match known(r, class, levels) {
        Ok(node) => {
            // What is said in fewer bytes than values: the set bits, the copies.
            if matches!(
                &**class,
                "java.util.BitSet" | "java.util.Collections$CopiesList"
            ) && let Shape::List(nodes) = &node.shape
            {
                r.take_nodes(nodes.len())?;
            }
            Some(node)
        }
        Err(levels) => inherited::object(r, class, levels),
    }
}

/// Reads what the object means, if that is known; else it is handed back.
fn known<'a>(
    r: &mut Reader<'_>,
    class: &Name,
    mut levels: Vec<Level<'a>>,
) -> Result<TreeNode, Vec<Level<'a>>> {
    if !class.starts_with("java") && !class.starts_with("sun.util.") {
        return Err(levels);
    }
    // A collection whose size was not read any more is none without elements.
    let of_all = levels.iter().flat_map(|level| &level.fields);
    if let Some(cut) = { of_all }.find(|field| matches!(field.node.shape, Shape::Cut(_))) {
        return Ok(cut.node.clone());
    }
    if let Some(node) = scalar::value(r, class, &levels) {
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

/// The field of a class that only wraps what stands in it.
fn wrapped(class: &str) -> Option<&'static str> {
    let inner = class.strip_prefix("java.util.")?;
    Some(match inner {
        "Arrays$ArrayList" => "a",
        "EnumSet$SerializationProxy" => "elements",
        "concurrent.CopyOnWriteArraySet" => "al",
        "concurrent.PriorityBlockingQueue" | "Collections$AsLIFOQueue" => "q",
        "concurrent.atomic.AtomicIntegerArray"
        | "concurrent.atomic.AtomicLongArray"
        | "concurrent.atomic.AtomicReferenceArray" => "array",
        "concurrent.atomic.AtomicInteger"
        | "concurrent.atomic.AtomicLong"
        | "concurrent.atomic.AtomicReference"
        | "concurrent.atomic.LongAdder$SerializationProxy"
        | "concurrent.atomic.DoubleAdder$SerializationProxy"
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
fn collection<'a>(class: &Name, mut levels: Vec<Level<'a>>) -> Result<TreeNode, Vec<Level<'a>>> {
    let kind = class.strip_prefix("java.util.").unwrap_or_default();
    let kind = kind.strip_prefix("concurrent.").unwrap_or(kind);
    if &**class == "java.time.chrono.Ser" {
        let said = levels.first().and_then(|level| chrono::said(&level.extra));
        return said.ok_or(levels);
    }
    if class.starts_with("java.time.") {
        let block = levels.iter().flat_map(|level| &level.extra).find_map(block);
        let said = block.and_then(time::said);
        return said.ok_or(levels);
    }
    if let Some(node) = by_fields(kind, &mut levels) {
        return Ok(node.of(class.clone()));
    }
    if &**class == "java.util.CollSer" {
        let tag = long(&levels, "tag").unwrap_or_default() & 0xff;
        let elements = elements(levels);
        // The kinds of `List.of`, `Set.of`, `Map.of`, and of a list that may hold nulls.
        return Ok(match tag {
            3 => pairs(elements).of("java.util.Map"),
            2 => TreeNode::new(Shape::List(elements)).of("java.util.Set"),
            _ => TreeNode::new(Shape::List(elements)).of("java.util.List"),
        });
    }
    let ends = |suffixes: &[&str]| suffixes.iter().any(|suffix| kind.ends_with(suffix));
    let is_map = ends(&["Map", "Hashtable", "Properties"]);
    if !is_map && !ends(&["List", "Set", "Deque", "Queue"]) {
        return Err(levels);
    }
    // A view of another collection holds that one, and what of it is seen.
    let mut extra = levels.iter().flat_map(|level| &level.extra);
    if kind.contains('$') && !extra.any(|extra| matches!(extra, Extra::Node(_))) {
        return Err(levels);
    }
    let mut elements = elements(levels);
    let linked = [
        "LinkedBlockingQueue",
        "LinkedBlockingDeque",
        "LinkedTransferQueue",
    ];
    if kind.starts_with("Concurrent") || linked.contains(&kind) {
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
        TreeNode::new(Shape::List(elements))
    };
    Ok(node.of(class.clone()))
}

/// Collections and maps whose elements stand in their fields; `kind` is their class without its
/// package.
fn by_fields(kind: &str, levels: &mut [Level<'_>]) -> Option<TreeNode> {
    Some(TreeNode::new(match kind {
        "Collections$EmptyList" | "Collections$EmptySet" => Shape::List(Vec::new()),
        "Collections$EmptyMap" => Shape::Map(Vec::new()),
        "Collections$SingletonList" | "Collections$SingletonSet" => {
            Shape::List(vec![take(levels, "element")?])
        }
        "Collections$SingletonMap" => Shape::Map(vec![(take(levels, "k")?, take(levels, "v")?)]),
        "Collections$CopiesList" => Shape::List(copies(levels)?),
        "Collections$SetFromMap" | "ConcurrentSkipListSet" => Shape::List(keys(levels, "m")?),
        "ConcurrentHashMap$KeySetView" => Shape::List(keys(levels, "map")?),
        "AbstractMap$SimpleEntry" | "AbstractMap$SimpleImmutableEntry" => {
            Shape::Map(vec![(take(levels, "key")?, take(levels, "value")?)])
        }
        "Vector" | "Stack" => {
            let count = usize::try_from(long(levels, "elementCount")?).ok()?;
            let mut elements = list(levels, "elementData")?;
            elements.truncate(count);
            Shape::List(elements)
        }
        "ArrayBlockingQueue" => {
            let count = usize::try_from(long(levels, "count")?).ok()?;
            let first = usize::try_from(long(levels, "takeIndex")?).ok()?;
            let mut ring = list(levels, "items")?;
            let length = ring.len();
            ring.rotate_left(first.min(length));
            ring.truncate(count);
            Shape::List(ring)
        }
        _ => return None,
    }))
}

/// Copies of an element, if it is short and they are few.
fn copies(levels: &[Level<'_>]) -> Option<Vec<TreeNode>> {
    let count = usize::try_from(long(levels, "n")?).ok()?;
    let element = field(levels, "element")?;
    let is_short = match &element.shape {
        Shape::Text(text) => text.len() <= MAX_COPIES,
        Shape::Bytes(_) => false,
        _ => element.is_leaf(),
    };
    (is_short && count <= MAX_COPIES).then(|| vec![element.clone(); count])
}

/// The elements of a list in a field.
fn list(levels: &mut [Level<'_>], name: &str) -> Option<Vec<TreeNode>> {
    if !matches!(field(levels, name)?.shape, Shape::List(_)) {
        return None;
    }
    match take(levels, name)?.shape {
        Shape::List(nodes) => Some(nodes),
        _ => None,
    }
}

/// The keys of a map in a field.
fn keys(levels: &mut [Level<'_>], name: &str) -> Option<Vec<TreeNode>> {
    if !matches!(field(levels, name)?.shape, Shape::Map(_)) {
        return None;
    }
    match take(levels, name)?.shape {
        Shape::Map(pairs) => Some(pairs.into_iter().map(|(key, _)| key).collect()),
        _ => None,
    }
}

/// Tells whether a class is one of the JDK's maps.
pub(super) fn is_map(class: &str) -> bool {
    let raw = class.split_once('<').map_or(class, |(raw, _)| raw);
    raw.starts_with("java.util.") && raw.ends_with("Map")
        || matches!(raw, "java.util.Hashtable" | "java.util.Properties")
}

/// Nodes that stand in turn for keys and values.
pub(super) fn pairs(nodes: Vec<TreeNode>) -> TreeNode {
    let mut pairs = Vec::new();
    let mut nodes = nodes.into_iter();
    while let (Some(key), Some(value)) = (nodes.next(), nodes.next()) {
        pairs.push((key, value));
    }
    TreeNode::new(Shape::Map(pairs))
}

fn elements(levels: Vec<Level<'_>>) -> Vec<TreeNode> {
    let extra = levels.into_iter().flat_map(|level| level.extra);
    extra
        .filter_map(|extra| match extra {
            Extra::Node(node) => Some(node),
            Extra::Block(..) => None,
        })
        .collect()
}

fn block<'a>(extra: &Extra<'a>) -> Option<&'a [u8]> {
    match extra {
        Extra::Block(bytes, _) => Some(bytes),
        Extra::Node(_) => None,
    }
}

fn field<'a>(levels: &'a [Level<'_>], name: &str) -> Option<&'a TreeNode> {
    let mut fields = levels.iter().rev().flat_map(|level| &level.fields);
    fields.find(|f| &*f.name == name).map(|f| &f.node)
}

fn take(levels: &mut [Level<'_>], name: &str) -> Option<TreeNode> {
    let mut fields = levels.iter_mut().rev().flat_map(|level| &mut level.fields);
    let field = fields.find(|f| &*f.name == name)?;
    Some(std::mem::replace(
        &mut field.node,
        TreeNode::new(Shape::Null),
    ))
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
fn plain(r: &mut Reader<'_>, class: &Name, levels: Vec<Level<'_>>) -> Option<TreeNode> {
    let mut fields: Vec<TreeField> = Vec::new();
    let mut places: HashMap<Name, (usize, Name)> = HashMap::new();
    let is_tall = levels.len() > 1;
    for level in levels {
        for field in level.fields {
            if is_tall {
                let here = (fields.len(), level.class.clone());
                if let Some((hidden, of)) = places.insert(field.name.clone(), here) {
                    r.take_text(of.len() + field.name.len())?;
                    fields[hidden].name = format!("{of}.{}", field.name).into();
                }
            }
            fields.push(field);
        }
        let mut written = Vec::new();
        for extra in level.extra {
            written.extend(extra.nodes(r)?);
        }
        if !written.is_empty() {
            fields.push(TreeField {
                name: "@written".into(),
                node: TreeNode::new(Shape::List(written)),
            });
        }
    }
    Some(TreeNode::new(Shape::Object(fields)).of(class.clone()))
}

/// The dimensions of the array of which this is the class.
pub(super) fn dimensions(class: &str) -> usize {
    class.bytes().take_while(|byte| *byte == b'[').count()
}

/// `[Lcom.acme.Order;` as `com.acme.Order[]`: a text of its own for each array.
pub(super) fn array_name(r: &mut Reader<'_>, class: &str) -> Option<Name> {
    let element = &class[dimensions(class)..];
    r.take_text(2 * class.len() - element.len())?;
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
    Some(format!("{element}{brackets}").into())
}
