//! Rules for the characters that may reach a terminal, or be pasted from one, as they are.

use std::borrow::Cow;
use std::fmt::Write as _;

/// `text` fit for one line of a terminal: control characters and those that turn the direction
/// of text or hide in it as `\n`, `\t`, `\x1b`, `\u{202e}`.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.is_ascii() && !text.bytes().any(|byte| byte.is_ascii_control()) {
        return Cow::Borrowed(text);
    }
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    push_printable(&mut out, text);
    Cow::Owned(out)
}

/// `text` fit for a terminal line by line: [`printable`] but for its line ends.
#[must_use]
pub fn printable_lines(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(printable).collect();
    lines.join("\n")
}

/// Bytes as [`printable`] text; what is no UTF-8 as `\xff`.
#[must_use]
pub fn printable_bytes(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        push_printable(&mut out, chunk.valid());
        for byte in chunk.invalid() {
            push_byte(&mut out, u32::from(*byte));
        }
    }
    out
}

fn push_printable(out: &mut String, text: &str) {
    let mut chars = text.chars().peekable();
    let mut before = None;
    while let Some(c) = chars.next() {
        if hides(c, before, chars.peek().copied()) {
            push_escaped(out, c);
        } else {
            out.push(c);
        }
        before = Some(c);
    }
}

/// Tells whether a character has to be escaped where it stands: it is [hidden](is_hidden), and does
/// not join what stands before and after it.
#[must_use]
pub fn hides(c: char, before: Option<char>, after: Option<char>) -> bool {
    // Most are asked for again and again.
    !matches!(c, ' '..='~') && is_hidden(c) && !(joins(c) && belongs(c, before, after))
}

/// Appends a character as `\n`, `\x1b`, `\u{202e}`.
pub fn push_escaped(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\0'..='\x7f' => push_byte(out, u32::from(c)),
        c => out.extend(c.escape_unicode()),
    }
}

fn push_byte(out: &mut String, byte: u32) {
    // Writing into a String cannot fail.
    let _ = write!(out, "\\x{byte:02x}");
}

/// Tells whether a character commands a terminal, turns the direction of text, or shows nothing at
/// all and so may hide a text in another one.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || joins(c)
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Joins characters, keeps them apart, or chooses how the one before it looks.
fn joins(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

/// Tells whether a character that [`joins`] does so where it stands: in a picture, or in a script
/// whose letters look different when they are joined. Anywhere else it only hides.
fn belongs(c: char, before: Option<char>, after: Option<char>) -> bool {
    let picture = |c: char| matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}');
    let letter = |c: char| matches!(c, '\u{600}'..='\u{dff}');
    match c {
        '\u{200c}' | '\u{200d}' => {
            let pictures =
                before.is_some_and(|c| picture(c) || c == '\u{fe0f}') && after.is_some_and(picture);
            pictures || before.is_some_and(letter) && after.is_some_and(letter)
        }
        _ => before.is_some_and(picture),
    }
}

/// Tells whether a character is what it looks like wherever it is pasted: it is not
/// [hidden](is_hidden), passes for no blank and does not run from the right to the left.
#[must_use]
pub fn is_plain_to_see(c: char) -> bool {
    let like_a_blank = c != ' ' && (c.is_whitespace() || c == '\u{2800}');
    let from_the_right = matches!(c,
        '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}'
        | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}');
    !(is_hidden(c) || like_a_blank || from_the_right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_commands_a_terminal_gets_through() {
        assert_eq!(printable("orders"), "orders");
        assert_eq!(
            printable("a\x1b[31m\nb\u{202e}\u{9b}"),
            "a\\x1b[31m\\nb\\u{202e}\\u{9b}"
        );
        assert_eq!(printable("or\u{ad}d\u{e0041}er"), "or\\u{ad}d\\u{e0041}er");
        assert_eq!(printable_bytes(b"a\xff\x00\xc3\xa9"), "a\\xff\\x00é");
    }

    #[test]
    fn what_joins_characters_prints_only_where_it_joins_some() {
        for fine in ["👩‍💻", "❤\u{fe0f}", "می\u{200c}خواهم", "क\u{94d}\u{200d}ष"]
        {
            assert_eq!(printable(fine), fine);
        }
        assert_eq!(printable("q\u{200d}"), "q\\u{200d}");
        assert_eq!(printable("订\u{fe00}单"), "订\\u{fe00}单");
    }

    #[test]
    fn nothing_is_pasted_that_is_not_what_it_looks_like() {
        assert!("orders:{订单} ~'é".chars().all(is_plain_to_see));
        let others = "\u{1b}\u{9b}\u{202e}\u{200d}\u{a0}\u{3000}\u{2800}אع\u{fe0f}";
        for c in others.chars() {
            assert!(!is_plain_to_see(c), "{c:?}");
        }
    }

    #[test]
    fn what_is_printable_stays_as_it_is() {
        let once = printable("a\u{1b}[31m\u{202e}").into_owned();
        assert_eq!(printable(&once), once);
    }
}
