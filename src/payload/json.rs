//! `JsonJacksonCodec` (JSON that carries Java types) and `TypedJsonJacksonCodec` (JSON that does
//! not).
//!
//! `JsonJacksonCodec` writes an object with an `@class` and an array as `["its.Class", value]`. An
//! object or array of any other shape is not its work, and is called `typed-json`. A bare string
//! is the same from both and is called `json`, the older and more frequent of the two. Bare
//! numbers and words are left to `text`. `JsonJackson3Codec` differs where there is a date.

mod syntax;

use std::fmt::Write as _;

use serde::de::IgnoredAny;

use super::Codec;
use super::jackson;
use super::reader::Reader;
use super::tree::{Shape, TreeNode};
use super::verdict::{Certainty, CodecVerdict};

/// Reads any JSON, with white space around it.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<TreeNode> {
    let node = syntax::value(reader)?;
    syntax::space(reader);
    Some(node)
}

/// A JSON string, object or array is what it looks like; which of the codecs wrote it can be told
/// from the types in it.
pub(super) fn judge(payload: &[u8], tree: &TreeNode) -> CodecVerdict {
    let trimmed = payload.trim_ascii();
    let is_whole = matches!(
        (trimmed.first(), trimmed.last()),
        (Some(b'{'), Some(b'}')) | (Some(b'['), Some(b']')) | (Some(b'"'), Some(b'"'))
    );
    let (codec, why) = if matches!(tree.shape, Shape::Text(_)) {
        (Codec::Json, "a JSON string")
    } else if !jackson::has_types(tree) {
        (Codec::TypedJson, "JSON without Java types")
    } else if jackson::is_version_3(tree) {
        (
            Codec::Json3,
            "JSON with Java types and dates as Jackson 3 writes them",
        )
    } else {
        (Codec::Json, "JSON that carries Java types")
    };
    let sure = if is_whole {
        Certainty::Exact
    } else {
        Certainty::Unlikely
    };
    CodecVerdict { codec, sure, why }
}

/// JSON as it was typed, if it is JSON; else a JSON string of it, as Jackson writes it.
pub(super) fn encode(text: &str) -> Vec<u8> {
    let typed = text.trim();
    // Without a tree of it: it may be megabytes.
    if serde_json::from_str::<IgnoredAny>(typed).is_ok() {
        return typed.as_bytes().to_vec();
    }
    string(text).into_bytes()
}

/// A JSON string as Jackson writes it to a stream: upper-case escapes, surrogates escaped.
pub(super) fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\0'..='\u{1f}' | '\u{10000}'.. => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _infallible = write!(out, "\\u{unit:04X}");
                }
            }
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codec(json: &str) -> Option<Codec> {
        let codec = crate::payload::decode(json.as_bytes()).codec;
        (codec != Codec::Text).then_some(codec)
    }

    #[test]
    fn json_with_java_types_is_json() {
        for typed in [
            r#"{"@class":"com.acme.Order","id":42}"#,
            r#"["java.lang.Long",1]"#,
            r#"["java.util.ArrayList",["a",1]]"#,
            r#"["[Ljava.lang.String;",["a"]]"#,
            r#"["java.util.EnumMap<com.acme.State,java.lang.String>",{}]"#,
            r#"["com.acme.Outer$Inner",1]"#,
            r#""hello""#,
        ] {
            assert_eq!(codec(typed), Some(Codec::Json), "{typed}");
        }
    }

    #[test]
    fn json_that_jackson_with_types_cannot_have_written_is_typed_json() {
        for bare in [
            r#"{"id":42}"#,
            "{}",
            "[]",
            r#"["a","bb"]"#,
            r#"["a",1,2]"#,
            r#"["not a class.",1]"#,
            r#"{"@class":7}"#,
        ] {
            assert_eq!(codec(bare), Some(Codec::TypedJson), "{bare}");
        }
    }

    #[test]
    fn bare_numbers_and_words_are_left_to_text() {
        for scalar in ["1", "true", "null", "hello", "", "{", "[1", r#"{"a":}"#] {
            assert_eq!(codec(scalar), None, "{scalar}");
        }
    }

    #[test]
    fn json_that_nests_too_deep_is_cut_and_no_crash() {
        let deep = [vec![b'['; 500_000], vec![b']'; 500_000]].concat();
        let read = crate::payload::decode(&deep);
        assert_eq!(read.codec, Codec::TypedJson);
        assert!(read.text.contains("cut: nested too deep"), "{}", read.text);
    }

    #[test]
    fn text_that_is_no_json_becomes_a_json_string() {
        assert_eq!(encode("hello"), br#""hello""#);
        assert_eq!(encode("a\tb\u{0}\u{1b}"), br#""a\tb\u0000\u001B""#);
        assert_eq!(encode("🚀"), br#""\uD83D\uDE80""#);
        assert_eq!(encode("{broken"), br#""{broken""#);
    }

    #[test]
    fn text_that_is_json_is_taken_as_it_is() {
        for json in [
            r#"{"@class":"a.B", "id": 1.50}"#,
            "42",
            r#""quoted""#,
            "null",
        ] {
            assert_eq!(encode(json), json.as_bytes());
        }
        assert_eq!(encode(" [1]\n"), b"[1]");
    }
}
