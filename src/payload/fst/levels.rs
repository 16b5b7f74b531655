//! Classes that write themselves, and those of few fields: as FST writes what Java's own
//! serialization would, class by class from the topmost down.
//!
//! Before a class's part stands whether it has a `writeObject`; in that, what it calls: the fields
//! by default, or fields with their names. Fields end with a zero.

use super::parts::{compact_int, compact_long, compact_short, utf};
use super::{Fst, chrono};
use crate::payload::java::{self, Level};
use crate::payload::reader::Reader;
use crate::payload::time;
use crate::payload::tree::{Name, Shape, TreeNode};

/// A class with a `writeObject`, and one without: then its fields follow.
const WRITES: u8 = 0x37;
pub(super) const PLAIN: u8 = 0x42;
/// It writes fields with their names.
const NAMED_FIELDS: u8 = 0x4d;
/// It calls `defaultWriteObject`.
pub(super) const BY_DEFAULT: &[u8] = b"\x37\x63";

/// The value of a class of `java.util` or beside it; none of any other, or of other bytes.
pub(super) fn content(fst: &mut Fst, r: &mut Reader<'_>, class: &Name) -> Option<TreeNode> {
    if r.rest().starts_with(&[WRITES, NAMED_FIELDS])
        || r.rest().starts_with(&[PLAIN, 0, WRITES, NAMED_FIELDS])
    {
        return named_fields(fst, r, class);
    }
    let kind = class.strip_prefix("java.util.").unwrap_or_default();
    match kind.strip_prefix("concurrent.").unwrap_or(kind) {
        "" => beside(fst, r, class),
        "CollSer" => immutable(fst, r),
        kind => collection(fst, r, kind)
            .or_else(|| wrapped(fst, r, kind))
            .map(|node| node.of(class.clone())),
    }
}

/// Collections and maps. Whatever writes its elements itself has called `defaultWriteObject`.
fn collection(fst: &mut Fst, r: &mut Reader<'_>, kind: &str) -> Option<TreeNode> {
    let here = r.mark();
    let shape = (|| {
        r.expect(BY_DEFAULT)?;
        Some(match kind {
            "LinkedHashSet" => {
                end(r)?;
                let (_capacity, _load_factor) = (compact_int(r)?, r.array::<4>()?);
                let elements = fst.elements(r)?.shape;
                r.expect(&[PLAIN])?;
                end(r)?;
                elements
            }
            "ConcurrentLinkedQueue" | "ConcurrentLinkedDeque" => {
                end(r)?;
                Shape::List(until_null(fst, r)?)
            }
            "ConcurrentSkipListMap" => {
                let _comparator = fst.value(r)?;
                end(r)?;
                pairs(until_null(fst, r)?)
            }
            "PriorityQueue" => {
                let count = usize::try_from(compact_int(r)?).ok()?;
                let _comparator = fst.value(r)?;
                end(r)?;
                let _capacity = compact_int(r)?;
                Shape::List(r.items(count, |r| fst.value(r))?)
            }
            "IdentityHashMap" => {
                let _size = compact_int(r)?;
                end(r)?;
                fst.entries(r)?.shape
            }
            "EnumMap" => {
                let _class = key_type(fst, r)?;
                end(r)?;
                fst.entries(r)?.shape
            }
            _ => return None,
        })
    })();
    if shape.is_none() && !r.is_cut() {
        r.back(here);
    }
    shape.map(TreeNode::new)
}

/// The class of an `EnumMap`'s keys, of which the field says that it is one.
fn key_type(fst: &mut Fst, r: &mut Reader<'_>) -> Option<Name> {
    r.expect(&[super::TYPED])?;
    end(r)?;
    fst.number(r.at());
    utf(r).map(Name::from)
}

/// Reads what `List.of`, `Set.of` and `Map.of` make.
fn immutable(fst: &mut Fst, r: &mut Reader<'_>) -> Option<TreeNode> {
    r.expect(BY_DEFAULT)?;
    let kind = compact_int(r)?;
    end(r)?;
    let count = usize::try_from(compact_int(r)?).ok()?;
    let elements = r.items(count, |r| fst.value(r))?;
    Some(match kind & 0xff {
        3 => TreeNode::new(pairs(elements)).of("java.util.Map"),
        2 => TreeNode::new(Shape::List(elements)).of("java.util.Set"),
        _ => TreeNode::new(Shape::List(elements)).of("java.util.List"),
    })
}

/// Classes of `java.util` that only wrap a value or two.
fn wrapped(fst: &mut Fst, r: &mut Reader<'_>, kind: &str) -> Option<TreeNode> {
    let node = match kind {
        "Arrays$ArrayList"
        | "CopyOnWriteArraySet"
        | "atomic.AtomicReference"
        | "atomic.AtomicIntegerArray"
        | "atomic.AtomicLongArray"
        | "Optional" => fst.value(r)?,
        "ConcurrentHashMap$KeySetView" | "ConcurrentSkipListSet" => {
            let Shape::Map(pairs) = fst.value(r)?.shape else {
                return None;
            };
            if kind.contains('$') {
                // The value of a key that is added.
                fst.value(r)?;
            }
            TreeNode::new(Shape::List(pairs.into_iter().map(|(key, _)| key).collect()))
        }
        "AbstractMap$SimpleEntry" | "AbstractMap$SimpleImmutableEntry" => {
            TreeNode::new(Shape::Map(r.pairs(1, |r| fst.value(r))?))
        }
        "atomic.AtomicInteger" => TreeNode::number(compact_int(r)?),
        "atomic.AtomicLong" => TreeNode::number(compact_long(r)?),
        "atomic.AtomicBoolean" => TreeNode::new(Shape::Bool(compact_int(r)? != 0)),
        "atomic.LongAdder$SerializationProxy" => {
            r.expect(&[PLAIN])?;
            TreeNode::number(compact_long(r)?)
        }
        "Currency" => {
            r.expect(&[PLAIN])?;
            fst.value(r)?
        }
        _ => return view(fst, r, kind.strip_prefix("Collections$")?),
    };
    end(r)?;
    Some(node)
}

/// Reads what `Collections` makes of others' collections: who may do what with them is no part of
/// what they hold.
fn view(fst: &mut Fst, r: &mut Reader<'_>, kind: &str) -> Option<TreeNode> {
    if kind.starts_with("Synchronized") {
        r.expect(BY_DEFAULT)?;
        let (held, _lock) = (fst.value(r)?, fst.value(r)?);
        end(r)?;
        if !kind.ends_with("Map") && !kind.ends_with("Collection") {
            r.expect(&[PLAIN])?;
            if kind.ends_with("List") {
                fst.value(r)?;
            }
            end(r)?;
        }
        return Some(held);
    }
    if !kind.starts_with("Unmodifiable") {
        return None;
    }
    let is_list = kind.ends_with("List");
    if is_list {
        r.expect(&[PLAIN])?;
    }
    let held = fst.value(r)?;
    end(r)?;
    if is_list {
        r.expect(&[PLAIN])?;
        fst.value(r)?;
        end(r)?;
    }
    Some(held)
}

/// Classes outside `java.util`.
fn beside(fst: &mut Fst, r: &mut Reader<'_>, class: &Name) -> Option<TreeNode> {
    let node = match &**class {
        "java.net.URI" => {
            r.expect(BY_DEFAULT)?;
            let node = fst.value(r)?;
            end(r)?;
            node
        }
        "java.net.URL" => TreeNode::text(url(fst, r)?),
        "java.io.File" => {
            r.expect(BY_DEFAULT)?;
            let node = fst.value(r)?;
            end(r)?;
            let _separator = compact_short(r)?;
            node
        }
        "java.sql.Timestamp" => timestamp(r)?,
        "java.sql.Date" | "java.sql.Time" => {
            let node = date(r)?;
            end(r)?;
            node
        }
        "java.time.chrono.Ser" => return chrono::value(fst, r),
        _ => return None,
    };
    Some(node.of(class.clone()))
}

fn url(fst: &mut Fst, r: &mut Reader<'_>) -> Option<String> {
    r.expect(BY_DEFAULT)?;
    let (_hash, port) = (compact_int(r)?, compact_int(r)?);
    let mut next = || match fst.value(r)?.shape {
        Shape::Text(text) => Some(text),
        Shape::Null => Some(String::new()),
        _ => None,
    };
    let [authority, file, host, protocol, anchor] = [next()?, next()?, next()?, next()?, next()?];
    end(r)?;
    let anchor = if anchor.is_empty() {
        anchor
    } else {
        format!("#{anchor}")
    };
    // With what stands before the host: who asks, and the password.
    if !authority.is_empty() {
        return Some(format!("{protocol}://{authority}{file}{anchor}"));
    }
    let port = if port < 0 {
        String::new()
    } else {
        format!(":{port}")
    };
    Some(java::scalar::address([
        &protocol, &host, &port, &file, &anchor,
    ]))
}

/// A date as it writes itself, before the fields of a class that extends it.
pub(super) fn date(r: &mut Reader<'_>) -> Option<TreeNode> {
    r.expect(BY_DEFAULT)?;
    end(r)?;
    let ms = compact_long(r)?;
    r.expect(&[PLAIN])?;
    Some(time::date(ms))
}

/// Seconds as a date writes itself, then the nanoseconds.
fn timestamp(r: &mut Reader<'_>) -> Option<TreeNode> {
    r.expect(BY_DEFAULT)?;
    end(r)?;
    let ms = compact_long(r)?;
    r.expect(&[PLAIN])?;
    let nanos = u32::try_from(compact_int(r)?).ok()?;
    end(r)?;
    Some(TreeNode::text(time::instant(ms.div_euclid(1000), nanos)))
}

/// Fields with their names, of each class that writes them so.
fn named_fields(fst: &mut Fst, r: &mut Reader<'_>, class: &Name) -> Option<TreeNode> {
    let _without_fields = r.expect(&[PLAIN, 0]);
    let mut all = Vec::new();
    while r.rest().starts_with(&[WRITES, NAMED_FIELDS]) {
        r.expect(&[WRITES, NAMED_FIELDS, 1])?;
        let count = usize::try_from(compact_int(r)?).ok()?;
        let fields = r.fields(count, |r, _| match fst.value(r)?.shape {
            Shape::Text(name) => Some((name.into(), fst.value(r)?)),
            _ => None,
        });
        all.extend(fields?);
    }
    let level = Level {
        class: class.clone(),
        fields: all,
        extra: Vec::new(),
    };
    java::object(r, class, vec![level])
}

fn until_null(fst: &mut Fst, r: &mut Reader<'_>) -> Option<Vec<TreeNode>> {
    let mut nodes = Vec::new();
    while !r.is_cut() {
        match fst.value(r)? {
            node if node.shape == Shape::Null => break,
            node => nodes.push(node),
        }
    }
    Some(nodes)
}

/// Nodes that stand in turn for keys and values.
fn pairs(nodes: Vec<TreeNode>) -> Shape {
    java::pairs(nodes).shape
}

/// The end of fields.
pub(super) fn end(r: &mut Reader<'_>) -> Option<()> {
    if r.is_cut() { Some(()) } else { r.expect(&[0]) }
}
