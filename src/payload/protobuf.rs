//! `ProtobufCodec`: protobuf by its wire shape. Fields have numbers and no names, numbers do not
//! say whether they are signed, eight bytes not whether they are a `double`: they are shown as what
//! they look like. Fields that come several times are lists.
//!
//! Classes other than the declared one are written by protostuff as their fields too; of these, a
//! `String` is known again by its own four.

use std::collections::HashMap;

use super::Codec;
use super::keyed;
use super::reader::Reader;
use super::tree::{Name, Shape, TreeField, TreeNode};
use super::verdict::{Certainty, CodecVerdict};
use super::{scalar, surprise, text};

/// Numbers of fields that people give; higher ones are more likely to be noise.
const MAX_USUAL_FIELD: u64 = 100;
/// The highest number that a field may have.
const MAX_FIELD: u64 = (1 << 29) - 1;

/// Bytes of a text that are looked at to tell it from a message: each message in a message is.
const LOOKED_AT: usize = 4096;

/// The way in which a field's value is written.
enum Wire {
    Varint,
    Eight,
    Sized,
    Group,
    EndOfGroup,
    Four,
}

/// Reads any message.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<TreeNode> {
    let start = reader.mark();
    if let Some(node) = java_string(reader) {
        return Some(node);
    }
    reader.back(start);
    let end = reader.at() + reader.rest().len();
    message(reader, end, None)
}

/// The four fields of a `java.lang.String`: its bytes, whether they are UTF-16 (else Latin-1), its
/// hash, and whether that is zero.
fn java_string(reader: &mut Reader<'_>) -> Option<TreeNode> {
    reader.expect(b"\x0a")?;
    let length = usize::try_from(varint(reader)?).ok()?;
    let bytes = reader.bytes(length)?;
    reader.take_text(length)?;
    reader.expect(b"\x10")?;
    let coder = reader.byte()?;
    reader.expect(b"\x18")?;
    varint(reader)?;
    reader.expect(b"\x20")?;
    let is_whole = reader.byte()? <= 1 && reader.rest().is_empty();
    let text = match coder {
        0 => bytes.iter().map(|&byte| char::from(byte)).collect(),
        1 if length.is_multiple_of(2) => {
            let units = bytes
                .chunks_exact(2)
                .map(|u| u16::from_le_bytes([u[0], u[1]]));
            String::from_utf16_lossy(&units.collect::<Vec<_>>())
        }
        _ => return None,
    };
    is_whole.then(|| TreeNode::text(text))
}

/// The fields up to `end`, or up to the mark that ends the group of that number.
fn message(reader: &mut Reader<'_>, end: usize, group: Option<u64>) -> Option<TreeNode> {
    let mut fields = Fields::default();
    while !reader.is_cut() && reader.at() < end {
        let (number, wire) = tag(reader)?;
        if matches!(wire, Wire::EndOfGroup) {
            return (group == Some(number)).then(|| fields.into_node());
        }
        match reader.node(|reader| value(reader, &wire, end, number)) {
            Some(node) => fields.add(number, node),
            None if reader.is_cut() => break,
            None => return None,
        }
    }
    let is_whole = reader.is_cut() || reader.at() == end && group.is_none();
    is_whole.then(|| fields.into_node())
}

fn tag(reader: &mut Reader<'_>) -> Option<(u64, Wire)> {
    let tag = varint(reader)?;
    let wire = match tag & 7 {
        0 => Wire::Varint,
        1 => Wire::Eight,
        2 => Wire::Sized,
        3 => Wire::Group,
        4 => Wire::EndOfGroup,
        5 => Wire::Four,
        _ => return None,
    };
    let number = tag >> 3;
    (1..=MAX_FIELD).contains(&number).then_some((number, wire))
}

fn value(reader: &mut Reader<'_>, wire: &Wire, end: usize, number: u64) -> Option<TreeNode> {
    match wire {
        // Negative numbers take all ten bytes, so that the sign is known.
        Wire::Varint => varint(reader).map(|n| TreeNode::number(n.cast_signed())),
        Wire::Eight => reader.array().map(eight),
        Wire::Four => reader.array().map(four),
        Wire::Group => message(reader, end, Some(number)),
        Wire::Sized => {
            let length = usize::try_from(varint(reader)?).ok()?;
            let within = reader.at().checked_add(length)? <= end;
            within.then(|| sized(reader, length))?
        }
        Wire::EndOfGroup => None,
    }
}

/// A text if it looks like one, else a message if it can be one, else bytes.
fn sized(reader: &mut Reader<'_>, length: usize) -> Option<TreeNode> {
    let start = reader.mark();
    if let Some(said) = reader.utf8(length)
        && text::is_plausible(text::beginning(said, LOOKED_AT))
    {
        return Some(TreeNode::text(said));
    }
    reader.back(start);
    let end = reader.at() + length;
    if let Some(node) = message(reader, end, None) {
        return Some(node);
    }
    reader.back(start);
    keyed::bytes(reader, length)
}

/// A `double` if it is one that people use, else a whole number.
fn eight(bytes: [u8; 8]) -> TreeNode {
    let double = f64::from_le_bytes(bytes);
    let is_usual = double == 0.0 || (1e-9..1e18).contains(&double.abs());
    if is_usual || !double.is_finite() {
        return scalar::double(double);
    }
    TreeNode::number(i64::from_le_bytes(bytes))
}

/// A `float` if it is one that people use, else a whole number.
fn four(bytes: [u8; 4]) -> TreeNode {
    let float = f32::from_le_bytes(bytes);
    let is_usual = float == 0.0 || (1e-6..1e12).contains(&float.abs());
    if is_usual || !float.is_finite() {
        return scalar::float(float);
    }
    TreeNode::number(i32::from_le_bytes(bytes))
}

/// A number of seven bits a byte, the lowest first, in its shortest form.
fn varint(reader: &mut Reader<'_>) -> Option<u64> {
    let mut number: u64 = 0;
    for shift in (0..64).step_by(7) {
        let byte = reader.byte()?;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && bits > 1 {
            return None;
        }
        number |= bits << shift;
        if byte < 0x80 {
            return (byte != 0 || shift == 0).then_some(number);
        }
    }
    None
}

/// The fields of a message by their numbers, in the order in which they were first met.
#[derive(Default)]
struct Fields {
    values: Vec<(u64, Vec<TreeNode>)>,
    places: HashMap<u64, usize>,
}

impl Fields {
    fn add(&mut self, number: u64, node: TreeNode) {
        let next = self.values.len();
        let place = *self.places.entry(number).or_insert(next);
        match self.values.get_mut(place) {
            Some((_, nodes)) => nodes.push(node),
            None => self.values.push((number, vec![node])),
        }
    }

    fn into_node(self) -> TreeNode {
        let fields = self.values.into_iter().filter_map(|(number, mut nodes)| {
            let name = Name::from(number.to_string());
            let node = if nodes.len() == 1 {
                nodes.pop()?
            } else {
                let span = nodes.first()?.span.start..nodes.last()?.span.end;
                let mut list = TreeNode::new(Shape::List(nodes));
                list.span = span;
                list
            };
            Some(TreeField { name, node })
        });
        TreeNode::new(Shape::Object(fields.collect()))
    }
}

/// Never more than plausible; likely noise when its fields are not numbered as people do, or what
/// they hold is.
pub(super) fn judge(payload: &[u8], tree: &TreeNode) -> CodecVerdict {
    let is_said = surprise::of(tree) <= surprise::of_noise(payload.len());
    let is_usual = match &tree.shape {
        Shape::Object(fields) => {
            let numbers = fields.iter().map(|f| f.name.parse().unwrap_or(u64::MAX));
            numbers.clone().is_sorted() && numbers.max().is_some_and(|n| n <= MAX_USUAL_FIELD)
        }
        _ => true,
    };
    CodecVerdict {
        codec: Codec::Protobuf,
        sure: if is_usual && is_said {
            Certainty::Plausible
        } else {
            Certainty::Unlikely
        },
        why: "protobuf's wire format accounts for every byte",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::{decode, decode_as};
    use serde_json::json;

    #[test]
    fn fields_are_numbered_and_repeated_ones_are_lists() {
        let order =
            b"\x08\x2a\x12\x04Zo\xc3\xab\x19\x3d\x0a\xd7\xa3\x70\xfd\x33\x40\x22\x01a\x22\x01b";
        let read = decode(order);
        let value = json!({"1": 42, "2": "Zoë", "3": 19.99, "4": ["a", "b"]});
        assert_eq!((read.codec, read.value), (Codec::Protobuf, value));
    }

    #[test]
    fn what_is_neither_text_nor_message_is_bytes() {
        let read = decode_as(Codec::Protobuf, b"\x12\x03Zo\xc3").unwrap();
        assert_eq!(read.value, json!({"2": {"bytes": "5a6fc3"}}));
    }

    #[test]
    fn messages_in_messages_and_groups_are_read() {
        let read = decode_as(Codec::Protobuf, b"\x0a\x02\x08\x05\x13\x08\x07\x14").unwrap();
        assert_eq!(read.value, json!({"1": {"1": 5}, "2": {"1": 7}}));
        assert_eq!(decode_as(Codec::Protobuf, b"\x13\x08\x07"), None);
        assert_eq!(decode_as(Codec::Protobuf, b"\x13\x08\x07\x1c"), None);
    }

    #[test]
    fn a_java_string_is_that_string() {
        for (bytes, text) in [
            (b"\x0a\x02ok\x10\0\x18\0\x20\0".as_slice(), "ok"),
            (b"\x0a\x04\xa2\x8b\x55\x53\x10\x01\x18\0\x20\0", "订单"),
            (b"\x0a\0\x10\0\x18\0\x20\x01", ""),
        ] {
            let read = decode(bytes);
            assert_eq!((read.codec, read.value), (Codec::Protobuf, json!(text)));
        }
    }

    #[test]
    fn numbers_that_are_longer_than_they_need_are_no_protobuf() {
        for bytes in [
            b"\x08\x80\x00".as_slice(),
            b"\x00\x01",
            b"\x08",
            b"\x0f\x01",
        ] {
            assert_eq!(decode_as(Codec::Protobuf, bytes), None, "{bytes:02x?}");
        }
    }
}
