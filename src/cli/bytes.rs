//! Bytes that people write as text, and text that stands for bytes.

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::args::Encoding;

/// The fewest hex digits that are taken for hex without being told.
const LEAST_HEX_DIGITS: usize = 8;

/// The reason why a text stands for no bytes.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub(super) enum BadBytes {
    /// Not hex.
    #[error("not hex: {0}")]
    Hex(&'static str),
    /// Not base64.
    #[error("not base64: {0}")]
    Base64(String),
    /// A backslash that stands for nothing.
    #[error(
        "not escaped text: \\{0} stands for nothing; there are \\xHH \\u{{H}} \\n \\r \\t \\a \\b \\0 \\\" \\' \\\\"
    )]
    Escape(String),
    /// Bytes that are no text, in a form that is.
    #[error("not UTF-8: use --as text for raw bytes")]
    Utf8,
}

/// The bytes that `line` stands for.
pub(super) fn read(line: &[u8], encoding: Encoding) -> Result<Vec<u8>, BadBytes> {
    if encoding == Encoding::Text {
        return Ok(line.to_vec());
    }
    let text = std::str::from_utf8(line).map_err(|_| BadBytes::Utf8)?;
    let text = text.strip_suffix('\r').unwrap_or(text);
    let typed = text;
    let text = match encoding {
        Encoding::Auto | Encoding::Escaped => unnumbered(typed),
        _ => typed,
    };
    match encoding {
        Encoding::Hex => hex(text),
        Encoding::Base64 => base64(text),
        Encoding::Escaped => escaped(unquoted(text)),
        Encoding::Auto if looks_like_hex(text) => hex(text),
        // Only redis-cli numbers strings.
        Encoding::Auto if text.len() < typed.len() => escaped_or_plain(unquoted(text)),
        // A document has escapes of its own.
        Encoding::Auto if is_document(text) => Ok(text.as_bytes().to_vec()),
        // Quotes without a backslash between them may be a JSON string's own.
        Encoding::Auto if text.contains('\\') => escaped_or_plain(unquoted(text)),
        Encoding::Auto => Ok(text.as_bytes().to_vec()),
        Encoding::Text => Ok(line.to_vec()),
    }
}

/// A JSON object or array.
fn is_document(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
        && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

fn looks_like_hex(text: &str) -> bool {
    text.len() >= LEAST_HEX_DIGITS
        && text.len().is_multiple_of(2)
        && text.bytes().all(|b| b.is_ascii_hexdigit())
}

fn hex(text: &str) -> Result<Vec<u8>, BadBytes> {
    let digits: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    let digits = digits.strip_prefix(b"0x").unwrap_or(&digits);
    if !digits.len().is_multiple_of(2) {
        return Err(BadBytes::Hex("an odd number of digits"));
    }
    hex::decode(digits).map_err(|_| BadBytes::Hex("something else than 0-9 and a-f"))
}

fn base64(text: &str) -> Result<Vec<u8>, BadBytes> {
    let lenient = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let engine = GeneralPurpose::new(&base64::alphabet::STANDARD, lenient);
    let standard = text.trim().replace('-', "+").replace('_', "/");
    engine
        .decode(standard)
        .map_err(|e| BadBytes::Base64(e.to_string()))
}

/// Without the numbers that redis-cli prints before the strings of a list: `1) "…"`, `1) 2) "…"`.
pub(super) fn unnumbered(text: &str) -> &str {
    let mut rest = text.trim_start_matches(' ');
    while let Some((number, after)) = rest.split_once(") ")
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        rest = after.trim_start_matches(' ');
    }
    if rest.starts_with('"') { rest } else { text }
}

/// Without the quotes that redis-cli prints around a string; those inside it has escaped.
fn unquoted(text: &str) -> &str {
    let inside = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    inside
        .filter(|t| !t.replace("\\\\", "").replace("\\\"", "").contains('"'))
        .unwrap_or(text)
}

/// Escaped text, or, when its backslashes are none of ours (as in a regular expression or a JSON
/// payload), the text as it is.
fn escaped_or_plain(text: &str) -> Result<Vec<u8>, BadBytes> {
    escaped(text).or_else(|_| Ok(text.as_bytes().to_vec()))
}

/// The bytes of a text with escapes: those of redis-cli, and those of our own lines.
pub(super) fn escaped(text: &str) -> Result<Vec<u8>, BadBytes> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let after = &rest[at + 1..];
        let name = after.chars().next().unwrap_or(' ');
        if let Some((c, length)) = character(after) {
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            rest = &after[length..];
            continue;
        }
        let (byte, length) = match name {
            'x' => {
                let digits = after.get(1..3).and_then(|d| hex(d).ok());
                let byte = digits.and_then(|d| d.first().copied());
                (byte, 3)
            }
            'n' => (Some(b'\n'), 1),
            'r' => (Some(b'\r'), 1),
            't' => (Some(b'\t'), 1),
            'a' => (Some(7), 1),
            'b' => (Some(8), 1),
            '0' => (Some(0), 1),
            '"' | '\'' | '\\' => (u8::try_from(name).ok(), 1),
            _ => (None, 1),
        };
        let Some(byte) = byte else {
            return Err(BadBytes::Escape(after.chars().take(3).collect()));
        };
        bytes.push(byte);
        rest = &after[length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

/// The character of `u{…}`, as Rust writes it and we do, and how long that is.
fn character(after: &str) -> Option<(char, usize)> {
    let (digits, _) = after.strip_prefix("u{")?.split_once('}')?;
    let code = u32::from_str_radix(digits, 16).ok()?;
    Some((char::from_u32(code)?, digits.len() + "u{}".len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auto(line: &str) -> Vec<u8> {
        read(line.as_bytes(), Encoding::Auto).unwrap()
    }

    #[test]
    fn eight_hex_digits_are_hex_and_six_are_text() {
        assert_eq!(auto("deadBEEF"), [0xde, 0xad, 0xbe, 0xef]);
        assert_eq!(auto("deadbe"), b"deadbe");
        assert_eq!(auto("deadbeef0"), b"deadbeef0");
        assert_eq!(auto("hello"), b"hello");
    }

    #[test]
    fn escapes_are_those_that_redis_cli_prints() {
        assert_eq!(auto(r"\x08\x00a\n"), [8, 0, b'a', b'\n']);
        assert_eq!(auto(r#""\b\xff\"q""#), [8, 0xff, b'"', b'q']);
        let bytes = read(br#""a\\\"b""#, Encoding::Escaped);
        assert_eq!(bytes, Ok(br#"a\"b"#.to_vec()));
    }

    #[test]
    fn a_line_that_we_have_shown_stands_for_the_text_again() {
        let text = "a\tb\u{0}\u{1b}[31m\u{7f}\u{9b}\u{202e}é订🎉\u{feff}";
        let shown = crate::payload::line(text);
        assert!(!shown.contains(char::is_control));
        let read = read(shown.as_bytes(), Encoding::Escaped);
        assert_eq!(read, Ok(text.as_bytes().to_vec()));
        for none in [r"\u{}", r"\u{d800}", r"\u{110000}", r"\u{7", r"\u0041"] {
            assert!(escaped(none).is_err(), "{none}");
        }
    }

    #[test]
    fn a_line_of_redis_clis_lists_is_its_string() {
        assert_eq!(auto(r#"1) "\x08\xff""#), [8, 0xff]);
        assert_eq!(auto(r#" 2) 10) "\x08\"""#), [8, b'"']);
        let escaped = read(br#"3) "17""#, Encoding::Escaped);
        assert_eq!(escaped, Ok(b"17".to_vec()));
        assert_eq!(auto(r#"1) "hello""#), b"hello");
        assert_eq!(auto("1) buy milk"), b"1) buy milk");
    }

    #[test]
    fn what_is_json_keeps_its_quotes_and_escapes() {
        assert_eq!(auto(r#""ok""#), br#""ok""#);
        for document in [r#"{"re":"\d"}"#, r#"{"a":"he said \"hi\"\n"}"#, r#"["\\"]"#] {
            assert_eq!(auto(document), document.as_bytes());
        }
    }

    #[test]
    fn base64_may_lack_its_padding_and_use_the_url_alphabet() {
        for line in ["+/8=", "+/8", "-_8=", " -_8 "] {
            assert_eq!(
                read(line.as_bytes(), Encoding::Base64),
                Ok(vec![0xfb, 0xff])
            );
        }
        assert!(read(b"!", Encoding::Base64).is_err());
    }

    #[test]
    fn what_is_not_what_it_should_be_says_so() {
        let bad = |line: &[u8], encoding| read(line, encoding).unwrap_err();
        assert!(matches!(bad(b"abc", Encoding::Hex), BadBytes::Hex(_)));
        assert!(matches!(bad(b"zz", Encoding::Hex), BadBytes::Hex(_)));
        assert!(matches!(
            bad(b"\\q", Encoding::Escaped),
            BadBytes::Escape(_)
        ));
        assert!(matches!(
            bad(b"\\x4", Encoding::Escaped),
            BadBytes::Escape(_)
        ));
        assert!(matches!(bad(b"\\", Encoding::Escaped), BadBytes::Escape(_)));
        assert_eq!(bad(b"\xff", Encoding::Auto), BadBytes::Utf8);
        assert_eq!(read(b"\xff", Encoding::Text), Ok(vec![0xff]));
        assert_eq!(read(b"0xAB cd", Encoding::Hex), Ok(vec![0xab, 0xcd]));
    }

    proptest::proptest! {
        #[test]
        fn no_line_makes_it_panic(line: Vec<u8>) {
            for encoding in [Encoding::Auto, Encoding::Hex, Encoding::Base64, Encoding::Escaped] {
                let _ = read(&line, encoding);
            }
        }

        #[test]
        fn hex_comes_back_as_the_bytes_that_it_was_made_of(bytes: Vec<u8>) {
            proptest::prop_assert_eq!(hex(&hex::encode(&bytes)), Ok(bytes));
        }
    }
}
