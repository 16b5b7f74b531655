//! One line for tables: what a terminal may be sent without harm.

use std::fmt::Write as _;
use std::io;

use serde_json::Value;

use super::said;

/// Where a line is cut, in characters.
const MAX_CHARS: usize = 4096;

/// The line of a value: of a string the string itself, of all else compact JSON.
pub(super) fn of_value(value: &Value) -> String {
    match value {
        Value::String(text) => of_text(text),
        other => {
            // Four bytes a character at most: enough for the whole line, without writing a
            // document of megabytes to show its first words.
            let mut head = Head(Vec::new());
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
    for c in text.chars() {
        let before = line.len();
        if is_harmful(c) {
            escape(&mut line, c);
            width += line.len() - before;
        } else {
            line.push(c);
            width += 1;
        }
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
    let mut line = said::hex(shown);
    if shown.len() < bytes.len() {
        line.push('…');
    }
    line
}

/// Controls (C0, DEL, C1), those that turn the direction of text, separators of lines and
/// paragraphs, and those that show nothing and may hide a text in another one. The joiners stay:
/// emoji and scripts are built with them. The same as `queue::text` keeps from a terminal, which
/// this room does not know; a test holds the two together.
const fn is_harmful(c: char) -> bool {
    // Most are asked for again and again.
    !matches!(c, ' '..='~')
        && matches!(c,
            '\0'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}'
            | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}'
            | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

fn escape(line: &mut String, c: char) {
    match c {
        '\t' => line.push_str("\\t"),
        '\n' => line.push_str("\\n"),
        '\r' => line.push_str("\\r"),
        '\0'..='\x7f' => {
            let _infallible = write!(line, "\\x{:02x}", u32::from(c));
        }
        _ => line.extend(c.escape_unicode()),
    }
}

/// The first bytes of what is written; the writer is told to stop after that.
struct Head(Vec<u8>);

impl io::Write for Head {
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
