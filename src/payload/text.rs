//! `StringCodec`, `LongCodec`, `IntegerCodec`, `DoubleCodec`: `toString()` in UTF-8.
//!
//! Bytes that are a bare JSON number, `true`, `false` or `null` were written by these or by a JSON
//! codec; nobody can tell, and they are called text. Their value is that number or word.
//!
//! Much that is binary is UTF-8 by accident: [`judge`] is for bytes whose codec is unknown, and
//! asks that the text could have been meant as one. Texts of other codecs that look like text
//! cannot be told from it: Ion, a short CBOR string, a small msgpack number.

use super::Codec;
use super::reader::Reader;
use super::scalar;
use super::tree::{Shape, TreeNode};
use super::verdict::{Certainty, CodecVerdict};

/// Longer digits than these are an id, not a number.
const MAX_SCALAR: usize = 64;

/// Reads any UTF-8.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<TreeNode> {
    reader.utf8(reader.rest().len()).map(value)
}

/// UTF-8 that was meant to be text. With control characters in it, it yields to a codec that is
/// sure of itself.
pub(super) fn judge(payload: &[u8], _: &TreeNode) -> CodecVerdict {
    let (sure, why) = match str::from_utf8(payload) {
        Ok(text) if !text.contains(is_binary) => (Certainty::Exact, "plain UTF-8 text"),
        Ok(text) if is_plausible(text) => (Certainty::Plausible, "UTF-8 text with few controls"),
        _ => (Certainty::Unlikely, "UTF-8 by accident"),
    };
    CodecVerdict {
        codec: Codec::Text,
        sure,
        why,
    }
}

/// The beginning of a text, of so many bytes at most, up to the end of a character.
#[must_use]
pub fn beginning(text: &str, bytes: usize) -> &str {
    let mut ends = (0..=bytes.min(text.len())).rev();
    let end = ends.find(|&at| text.is_char_boundary(at));
    &text[..end.unwrap_or(0)]
}

/// Tells whether a text was meant as one: no control characters but white space, or a few of them
/// (terminal colours, a separator) that neither begin it nor belong to another codec.
pub(super) fn is_plausible(text: &str) -> bool {
    let binary = text.chars().filter(|&c| is_binary(c)).count();
    if binary == 0 {
        return true;
    }
    // A colour of a terminal is no codec's beginning.
    let begins_well = !text.starts_with(char::is_control) || text.starts_with("\u{1b}[");
    begins_well && binary * 4 <= text.chars().count()
}

/// A control character that is not white space.
fn is_binary(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r')
}

fn value(text: &str) -> TreeNode {
    let may_be_scalar =
        text.len() <= MAX_SCALAR && text.starts_with(|c: char| matches!(c, '-' | '0'..='9'));
    match text {
        "true" => TreeNode::new(Shape::Bool(true)),
        "false" => TreeNode::new(Shape::Bool(false)),
        "null" => TreeNode::new(Shape::Null),
        _ if may_be_scalar => scalar::decimal(text),
        _ => TreeNode::text(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::decode_as;
    use serde_json::{Value, json};

    fn decode(bytes: &[u8]) -> Option<Value> {
        decode_as(Codec::Text, bytes).map(|read| read.value)
    }

    #[test]
    fn the_beginning_of_a_text_ends_with_a_character() {
        for (bytes, expected) in [(0, ""), (1, "a"), (2, "a"), (3, "aé"), (9, "aéb")] {
            assert_eq!(beginning("aéb", bytes), expected);
        }
    }

    #[test]
    fn a_bare_number_or_word_is_that_value() {
        assert_eq!(decode(b"-300"), Some(json!(-300)));
        assert_eq!(decode(b"true"), Some(json!(true)));
        assert_eq!(decode(b"null"), Some(json!(null)));
        let exact = decode(b"9223372036854775807").map(|v| v.to_string());
        assert_eq!(exact.as_deref(), Some("9223372036854775807"));
    }

    #[test]
    fn what_is_nearly_a_number_is_a_string() {
        for text in ["007", "1 ", " 1", "-", "1.", "nullable", "0x10"] {
            assert_eq!(decode(text.as_bytes()), Some(json!(text)));
        }
    }

    #[test]
    fn a_few_controls_inside_a_text_leave_it_a_text() {
        assert!(is_plausible("a\tb\nc\u{0}d\u{1b}e"));
        assert!(is_plausible("\tindented"));
        assert!(is_plausible("\u{feff}with a byte order mark"));
        assert!(is_plausible("\u{1b}[31mred\u{1b}[0m, \u{1b}]0;title\u{7}"));
        assert!(!is_plausible("\u{8}\u{3}ok"));
        assert!(!is_plausible("a\u{1}\u{2}"));
    }
}
