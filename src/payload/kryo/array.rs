//! Arrays, as Kryo's `DefaultArraySerializers` write them.

use super::parts::{fixed, int, long, varint};
use super::{Kryo, KryoClass, id};
use crate::payload::java;
use crate::payload::reader::Reader;
use crate::payload::tree::{Shape, TreeNode};

/// The elements of an array: `class` is its name in a class file, `element` that of its elements.
pub(super) fn array(
    kryo: &mut Kryo,
    r: &mut Reader<'_>,
    class: &str,
    element: &str,
) -> Option<TreeNode> {
    let count = usize::try_from(varint(r, 5)?).ok()?;
    let Some(count) = count.checked_sub(1) else {
        return Some(TreeNode::new(Shape::Null));
    };
    let is_old = kryo.style.is_old;
    let shape = match element.as_bytes() {
        b"B" => {
            let bytes = r.bytes(count)?;
            r.take_text(count)?;
            Shape::Bytes(bytes.to_vec())
        }
        b"I" => Shape::List(r.items(count, |r| r.node(|r| int(r).map(TreeNode::number)))?),
        b"J" => Shape::List(r.items(count, |r| r.node(|r| long(r).map(TreeNode::number)))?),
        [kind] => Shape::List(r.items(count, |r| r.node(|r| fixed(r, *kind, is_old)))?),
        b"Ljava.lang.String;" => {
            let string = KryoClass::Known(id::STRING);
            let references = kryo.style.refers;
            Shape::List(r.items(count, |r| {
                if references {
                    kryo.nullable(r, &string)
                } else {
                    r.node(|r| kryo.scalar(r, id::STRING))
                }
            })?)
        }
        _ => match final_class(element) {
            Some(known) => Shape::List(r.items(count, |r| kryo.nullable(r, &known))?),
            None => Shape::List(r.items(count, |r| kryo.value(r))?),
        },
    };
    Some(TreeNode::new(shape).of(java::array_name(r, class)?))
}

/// The class of an array's elements, if it is final: then it does not stand before each of them.
fn final_class(element: &str) -> Option<KryoClass> {
    if element.starts_with('[') {
        let inner = &element[java::dimensions(element)..];
        let is_final =
            matches!(inner.as_bytes(), [_] | b"Ljava.lang.String;") || final_class(inner).is_some();
        return is_final.then(|| KryoClass::Named(element.into()));
    }
    if let Some(known) = boxed(element) {
        return Some(KryoClass::Known(known));
    }
    let class = element.strip_prefix('L')?.strip_suffix(';')?;
    let is_value = match class.strip_prefix("java.time.") {
        Some(name) => !matches!(name, "ZoneId" | "Clock") && !name.contains('.'),
        None => matches!(
            class,
            "java.util.UUID"
                | "java.util.Locale"
                | "java.util.Currency"
                | "java.util.Optional"
                | "java.util.regex.Pattern"
                | "java.net.URI"
                | "java.net.URL"
                | "java.lang.StringBuilder"
                | "java.lang.StringBuffer"
        ),
    };
    is_value.then(|| KryoClass::Named(class.into()))
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
