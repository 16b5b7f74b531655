//! One line for tables: what a terminal may be sent without harm.

use std::io;

use serde_json::Value;

use crate::printable;

/// Characters of a line, at most.
const MAX_CHARS: usize = 4096;

/// The line of a value: of a string the string itself, of all else compact JSON.
pub(super) fn of_value(value: &Value) -> String {
    match value {
        Value::String(text) => of_text(text),
        other => {
            // Four bytes a character at most: enough for the whole line, without writing a
            // document of megabytes to show its first words.
            let mut head = FirstBytes(Vec::new());
            let _cut = serde_json::to_writer(&mut head, other);
            of_text(&String::from_utf8_lossy(&head.0))
        }
    }
}

/// The line of a text: what a terminal would act upon, or show in another order than it is
/// stored, is escaped.
#[must_use]
pub fn of_text(text: &str) -> String {
    within(text, MAX_CHARS)
}

/// The same, cut after `most` characters.
#[must_use]
pub fn within(text: &str, most: usize) -> String {
    let mut line = String::with_capacity(text.len().min(most));
    let mut width = 0;
    let mut chars = text.chars().peekable();
    let mut last = None;
    while let Some(c) = chars.next() {
        let before = line.len();
        if printable::hides(c, last, chars.peek().copied()) {
            printable::push_escaped(&mut line, c);
            width += line.len() - before;
        } else {
            line.push(c);
            width += 1;
        }
        last = Some(c);
        if width > most {
            line.truncate(before);
            line.push('…');
            break;
        }
    }
    line
}

/// The line of bytes that nothing explains: hex.
pub(super) fn of_bytes(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(MAX_CHARS / 2)];
    let mut line = hex::encode(shown);
    if shown.len() < bytes.len() {
        line.push('…');
    }
    line
}

/// The first bytes of what is written; the writer is told to stop after that.
struct FirstBytes(Vec<u8>);

impl io::Write for FirstBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() > MAX_CHARS * 4 {
            return Err(io::Error::other("the line is full"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_act_upon_is_escaped() {
        assert_eq!(of_text("a\tb\nc\u{0}d\u{1b}e"), r"a\tb\nc\x00d\x1be");
        assert_eq!(of_text("\u{7f}\u{9b}31m"), r"\x7f\u{9b}31m");
        assert_eq!(
            of_text("\u{202e}cod\u{2066}\u{2028}"),
            r"\u{202e}cod\u{2066}\u{2028}"
        );
    }

    #[test]
    fn emoji_that_are_joined_stay_joined() {
        assert_eq!(of_text("👩\u{200d}💻"), "👩\u{200d}💻");
    }

    #[test]
    fn a_long_text_is_cut_at_4096_characters() {
        assert_eq!(of_text(&"é".repeat(4096)).chars().count(), 4096);
        let cut = of_text(&"é".repeat(4097));
        assert_eq!((cut.chars().count(), cut.ends_with('…')), (4097, true));
        assert!(of_bytes(&[7; 9000]).ends_with("07…"));
        let escapes = of_text(&"\u{1b}".repeat(9000));
        assert!(escapes.len() < 4100 && escapes.ends_with("\\x1b…"));
    }

    #[test]
    fn a_long_document_is_cut_too() {
        let long = Value::from(vec!["word"; 1_000_000]);
        let line = of_value(&long);
        assert_eq!((line.chars().count(), &line[..8]), (4097, r#"["word","#));
    }
}
