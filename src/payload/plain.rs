//! Payloads whose words can be looked for in their bytes as they lie, before they are decoded:
//! of a million entries nearly all are none that is looked for, and bytes are looked through a
//! hundred times as fast as documents are read.

/// The payload itself as text, if [`whole`](super::whole) can say of it only what stands in it,
/// piece by piece: each run of characters in `whole` without one of [`SEPARATORS`] stands in this
/// text too, save for the case of letters. None if that cannot be told from its bytes; it must be
/// decoded then.
///
/// Such a payload is UTF-8 without backslashes and controls that begins with no byte that a binary
/// codec begins with. It can be but two things. A text, which is said as it stands: there is
/// nothing in it that could make it hex. Or JSON, of which strings are said as they stand, since
/// nothing in them is escaped or is to be; between them spaces go, numbers get an exponent's sign,
/// and a value loses its wrapper, but all of these lie between separators. What is said besides are
/// the [`MARKS`]. A date with its class is said in other words than it is written.
#[must_use]
pub fn plain(payload: &[u8]) -> Option<&str> {
    let foreign = |&byte: &u8| matches!(byte, 0..0x20 | b'\\' | 0x7f);
    let space = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r');
    // A byte below a space is Kryo's or JBoss's; Java's own first byte begins no UTF-8.
    if payload.first().is_none_or(foreign) || may_be_ion(payload) {
        return None;
    }
    // Without leaving early, which the compiler makes into a few instructions for many bytes.
    let strange = |all: bool, byte: &u8| all | (foreign(byte) & !space(byte));
    if payload.iter().fold(false, strange) {
        return None;
    }
    let text = str::from_utf8(payload).ok()?;
    // The controls of two bytes (C1), which can make a text binary.
    let controls = !text.is_ascii() && text.contains(|c| matches!(c, '\u{80}'..='\u{9f}'));
    (!controls && !has_dates(text)).then_some(text)
}

/// Tells whether a class stands in it whose numbers Jackson means as dates.
fn has_dates(text: &str) -> bool {
    let class = |(at, _)| &text[at + 1..];
    text.match_indices("\"java.").map(class).any(|class| {
        let dates = [
            "java.util.Date",
            "java.util.Calendar",
            "java.util.Gregorian",
            "java.sql.",
        ];
        dates.iter().any(|date| class.starts_with(date))
    })
}

/// Tells whether it begins or ends as only Ion does, which says dates and numbers in other words.
fn may_be_ion(payload: &[u8]) -> bool {
    let is_json = matches!(payload.first(), Some(b'{' | b'[' | b'"'));
    payload.starts_with(b"'")
        || payload.starts_with(b"{{")
        || payload.ends_with(b"e0")
        || !is_json && super::ion::names_class(payload)
}

/// The characters that may stand in what a [`plain`] payload says although what is on both sides
/// of them does not stand so in the payload.
pub const SEPARATORS: [char; 9] = ['{', '}', '[', ']', ',', ':', '"', '+', '@'];

/// The words that what a [`plain`] payload says may hold although they do not stand in it.
pub const MARKS: [&str; 2] = ["class", "entries"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_json_without_escapes_are_plain() {
        for payload in [
            "cancel order 7",
            "42",
            r#"{"@class":"com.acme.Order", "id" : 1E5}"#,
            "[\n\t1,\r\n2]",
            "l'été, 订单 🚀",
        ] {
            assert_eq!(plain(payload.as_bytes()), Some(payload));
        }
    }

    #[test]
    fn what_is_decoded_into_other_characters_is_not() {
        let payloads: [&[u8]; 11] = [
            b"",
            b"\x03hell\xef",
            b"\t2",
            b"\n12345678",
            b"\xac\xed\0\x05\x74\0\x05hello",
            b"{\"a\":\"\\u0041\"}",
            b"a\x01b",
            b"a\x7f",
            b"'java.util.Date'::0",
            b"3e0",
            "a\u{85}b".as_bytes(),
        ];
        for payload in payloads {
            assert_eq!(plain(payload), None, "{payload:02x?}");
        }
    }
}
