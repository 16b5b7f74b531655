//! `JsonJacksonCodec` (JSON that carries Java types) and `TypedJsonJacksonCodec` (JSON that does
//! not).
//!
//! `JsonJacksonCodec` writes an object with an `@class` and an array as `["its.Class", value]`. An
//! object or array of any other shape is not its work, and is called `typed-json`. A bare string
//! is the same from both and is called `json`, the older and more frequent of the two. Bare
//! numbers and words are left to `text`. JSON nested deeper than 128 levels is not read as JSON.

use std::fmt::Write as _;

use serde_json::Value;

use super::Codec;

/// Reads any JSON.
pub(super) fn decode(bytes: &[u8]) -> Option<Value> {
    serde_json::from_slice(bytes).ok()
}

/// Reads a JSON string, object or array, and says which of the two codecs wrote it.
pub(super) fn recognise(bytes: &[u8]) -> Option<(Codec, Value)> {
    let trimmed = bytes.trim_ascii();
    if !matches!(
        (trimmed.first(), trimmed.last()),
        (Some(b'{'), Some(b'}')) | (Some(b'['), Some(b']')) | (Some(b'"'), Some(b'"'))
    ) {
        return None;
    }
    let value = decode(trimmed)?;
    let codec = if has_types(&value) {
        Codec::Json
    } else {
        Codec::TypedJson
    };
    Some((codec, value))
}

/// Whether `JsonJacksonCodec` can have written this.
fn has_types(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.get("@class").is_some_and(Value::is_string),
        Value::Array(items) => {
            matches!(items.as_slice(), [Value::String(class), _] if is_class_name(class))
        }
        _ => true,
    }
}

/// A Java class in a package, an array of one (`[Lcom.acme.Order;`, `[I`), or one with type
/// arguments (`java.util.EnumMap<…>`).
fn is_class_name(name: &str) -> bool {
    if let Some(element) = name.strip_prefix('[') {
        return element.starts_with(|c: char| "[LBCDFIJSZ".contains(c));
    }
    let raw = name.split_once('<').map_or(name, |(raw, _)| raw);
    raw.contains('.') && raw.split('.').all(is_identifier)
}

fn is_identifier(word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit()) && word.chars().all(part)
}

/// JSON as it was typed, if it is JSON; else a JSON string of it, as Jackson writes it.
pub(super) fn encode(text: &str) -> Vec<u8> {
    let typed = text.trim();
    if serde_json::from_str::<Value>(typed).is_ok() {
        return typed.as_bytes().to_vec();
    }
    string(text).into_bytes()
}

/// A JSON string as Jackson writes it to a stream: upper-case escapes, surrogates escaped.
fn string(text: &str) -> String {
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
        recognise(json.as_bytes()).map(|(codec, _)| codec)
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
    fn json_that_nests_too_deep_is_no_json_and_no_crash() {
        let deep = [vec![b'['; 500_000], vec![b']'; 500_000]].concat();
        assert_eq!(recognise(&deep), None);
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
