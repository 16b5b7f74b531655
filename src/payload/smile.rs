//! `SmileJacksonCodec` and `SmileJackson3Codec`: Smile, with Java's types as Jackson puts them, or
//! without any.
//!
//! A payload begins with `:)`, a line feed, and a byte that says the version and whether names and
//! texts are numbered in order to be referred to later.

mod number;

use super::Codec;
use super::reader::Reader;
use super::tree::{Name, Shape, TreeField, TreeNode};
use super::verdict::{Certainty, CodecVerdict};
use super::{jackson, keyed, scalar};

/// The beginning of every payload.
const MARK: &[u8] = b":)\n";
/// The flag that names are numbered.
const SHARED_NAMES: u8 = 0x01;
/// The flag that short texts are numbered.
const SHARED_TEXTS: u8 = 0x02;
/// Ends a text of unknown length.
const END_OF_TEXT: u8 = 0xfc;
const END_OF_LIST: u8 = 0xf9;
const END_OF_OBJECT: u8 = 0xfb;
/// May stand behind the last value.
const END: u8 = 0xff;

/// Bytes of the longest name or text that is numbered.
const MAX_LENGTH: usize = 64;
/// Names that are numbered before it begins anew.
const MAX_SEEN: usize = 1024;

/// Names or texts by their numbers.
#[derive(Default)]
struct SharedNames(Vec<Name>);

impl SharedNames {
    fn add(&mut self, name: Name) {
        if self.0.len() == MAX_SEEN {
            self.0.clear();
        }
        self.0.push(name);
    }

    fn get(&self, index: usize) -> Option<Name> {
        self.0.get(index).cloned()
    }
}

/// Strings numbered so far.
struct SharedStrings {
    names: Option<SharedNames>,
    texts: Option<SharedNames>,
}

/// Reads a payload: mark, flags, one value.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<TreeNode> {
    reader.expect(MARK)?;
    let flags = reader.byte()?;
    if flags >> 4 != 0 {
        return None;
    }
    let mut state = SharedStrings {
        names: (flags & SHARED_NAMES != 0).then(SharedNames::default),
        texts: (flags & SHARED_TEXTS != 0).then(SharedNames::default),
    };
    let node = state.value(reader)?;
    if reader.peek() == Some(END) {
        reader.byte()?;
    }
    Some(node)
}

impl SharedStrings {
    fn value(&mut self, reader: &mut Reader<'_>) -> Option<TreeNode> {
        let first = reader.byte()?;
        let low = usize::from(first & 0x1f);
        match first {
            0x01..=0x1f => self.text_again(reader, low - 1),
            0x20 => Some(TreeNode::text("")),
            0x21 => Some(TreeNode::new(Shape::Null)),
            0x22 | 0x23 => scalar::bool(first & 1),
            0x24 | 0x25 => Some(TreeNode::number(number::signed(reader)?)),
            0x26 => number::big_integer(reader),
            0x28 => number::float(reader),
            0x29 => number::double(reader),
            0x2a => number::big_decimal(reader),
            0x40..=0x7f => self.text(reader, usize::from(first - 0x40) + 1),
            0x80..=0xbf => self.text(reader, usize::from(first - 0x80) + 2),
            0xc0..=0xdf => Some(TreeNode::number(number::unzigzag(u64::from(first & 0x1f)))),
            0xe0 | 0xe4 => endless(reader).map(TreeNode::text),
            0xe8 => number::bytes(reader),
            0xec..=0xef => {
                let index = usize::from(first & 3) << 8 | usize::from(reader.byte()?);
                self.text_again(reader, index)
            }
            0xf8 => self.list(reader),
            0xfa => self.object(reader),
            0xfd => {
                let length = usize::try_from(number::unsigned(reader)?).ok()?;
                keyed::bytes(reader, length)
            }
            _ => None,
        }
    }

    /// A short text, which is numbered.
    fn text(&mut self, reader: &mut Reader<'_>, length: usize) -> Option<TreeNode> {
        let text = reader.utf8(length)?;
        if let Some(seen) = &mut self.texts
            && length <= MAX_LENGTH
        {
            seen.add(Name::from(text));
        }
        Some(TreeNode::text(text))
    }

    fn text_again(&self, reader: &mut Reader<'_>, index: usize) -> Option<TreeNode> {
        let text = self.texts.as_ref()?.get(index)?;
        reader.take_text(text.len())?;
        Some(TreeNode::text(text.as_ref()))
    }

    fn list(&mut self, reader: &mut Reader<'_>) -> Option<TreeNode> {
        let mut nodes = Vec::new();
        while !reader.is_cut() && reader.peek()? != END_OF_LIST {
            nodes.extend(reader.items(1, |reader| reader.node(|reader| self.value(reader)))?);
        }
        let _end = reader.byte();
        Some(TreeNode::new(Shape::List(nodes)))
    }

    fn object(&mut self, reader: &mut Reader<'_>) -> Option<TreeNode> {
        let mut fields: Vec<TreeField> = Vec::new();
        while !reader.is_cut() && reader.peek()? != END_OF_OBJECT {
            let field = reader.fields(1, |reader, _| {
                let name = self.name(reader)?;
                let node = reader.node(|reader| self.value(reader))?;
                Some((name, node))
            });
            fields.extend(field?);
        }
        let _end = reader.byte();
        Some(TreeNode::new(Shape::Object(fields)))
    }

    fn name(&mut self, reader: &mut Reader<'_>) -> Option<Name> {
        let first = reader.byte()?;
        let length = match first {
            0x20 => return Some(Name::from("")),
            0x30..=0x33 => {
                let index = usize::from(first & 3) << 8 | usize::from(reader.byte()?);
                return self.names.as_ref()?.get(index);
            }
            0x34 => return endless(reader).map(Name::from),
            0x40..=0x7f => return self.names.as_ref()?.get(usize::from(first - 0x40)),
            0x80..=0xbf => usize::from(first - 0x80) + 1,
            0xc0..=0xf7 => usize::from(first - 0xc0) + 2,
            _ => return None,
        };
        let name = Name::from(reader.utf8(length)?);
        if let Some(seen) = &mut self.names {
            seen.add(name.clone());
        }
        Some(name)
    }
}

/// A text up to its end mark.
fn endless(reader: &mut Reader<'_>) -> Option<String> {
    let length = reader.rest().iter().position(|&b| b == END_OF_TEXT)?;
    let text = reader.utf8(length)?.to_owned();
    reader.byte()?;
    Some(text)
}

/// The mark settles it; without Java's types in what would have some, it is Jackson 3's.
pub(super) fn judge(_: &[u8], tree: &TreeNode) -> CodecVerdict {
    CodecVerdict {
        codec: if jackson::has_types(tree) {
            Codec::Smile
        } else {
            Codec::Smile3
        },
        sure: Certainty::Marked,
        why: "starts with Smile's mark",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::{decode, decode_as};
    use serde_json::json;

    fn value(body: &[u8]) -> String {
        let read = decode(&[b":)\n\x03", body].concat());
        assert!(
            matches!(read.codec, Codec::Smile | Codec::Smile3),
            "{read:?}"
        );
        read.value.to_string()
    }

    #[test]
    fn names_and_texts_that_are_referred_to_are_said_again() {
        let body = b"\xf8\xfa\x81id\x41ok\xfb\xfa\x40\x01\xfb\xf9";
        assert_eq!(value(body), r#"[{"id":"ok"},{"id":"ok"}]"#);
    }

    #[test]
    fn numbers_of_seven_bits_a_byte_are_put_together() {
        assert_eq!(value(b"\xc0"), "0");
        assert_eq!(value(b"\xdf"), "-16");
        assert_eq!(value(b"\x24\x01\x94"), "42");
        assert_eq!(value(b"\x28\x03\x7c\x00\x00\x00"), "1.0");
        assert_eq!(value(b"\x26\x82\x00\x40\x00"), "256");
        // 19.99: two digits behind the point, and 1999 in two bytes.
        assert_eq!(value(b"\x2a\x84\x82\x03\x73\x03"), "19.99");
    }

    #[test]
    fn a_reference_to_nothing_is_no_smile() {
        for body in [
            b":)\n\x01\x01".as_slice(),
            b":)\n\x03\x05",
            b":)\n\x01\xfa\x45\xc0\xfb",
        ] {
            assert_eq!(decode_as(Codec::Smile, body), None, "{body:02x?}");
        }
    }

    #[test]
    fn what_is_not_ended_is_no_smile() {
        for body in [
            b":)\n\x01\xf8".as_slice(),
            b":)\n\x01\xfa\x80a",
            b":)\n\x01\xe0abc",
        ] {
            assert_eq!(decode_as(Codec::Smile, body), None, "{body:02x?}");
        }
        let ended = decode(b":)\n\x01\xf8\xf9\xff");
        assert_eq!((ended.codec, ended.value), (Codec::Smile3, json!([])));
    }

    #[test]
    fn many_names_begin_to_be_numbered_anew() {
        let mut body = b"\xfa".to_vec();
        for i in 0..1025 {
            body.extend(format!("\u{83}{i:04}").chars().map(|c| c as u8));
            body.push(0xc0);
        }
        body.extend(b"\x40\xc2\xfb");
        assert!(value(&body).ends_with(r#"["1023",0],["1024",0],["1024",1]]}"#));
    }
}
