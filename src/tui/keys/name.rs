//! A key by its name, as people write it: `ctrl-r`, `^R`, `F5`, `space`, `pgup`, `alt-x`, `G`.
//! What the help shows can be written as well.

use std::str::FromStr;

use super::{Code, Key};

/// The reason why a text names no key.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum BadKey {
    /// It does not.
    #[error(
        "{0:?} is no key. Write a character, space, enter, esc, tab, up, down, left, right, pgup, \
         pgdn, home, end, backspace, del, F1 to F12, or one of them with ctrl- or alt-"
    )]
    Unknown(String),
    /// Shift stands in the character.
    #[error(
        "{0:?} is written as the character that Shift makes, such as A; shift-tab is the only such key"
    )]
    Shift(String),
    /// Terminals send the same for both.
    #[error("terminals cannot tell {0:?} from {1}. Choose another key")]
    Same(String, &'static str),
}

const NAMED: &[(&str, Code)] = &[
    ("space", Code::Char(' ')),
    ("enter", Code::Enter),
    ("return", Code::Enter),
    ("⏎", Code::Enter),
    ("esc", Code::Esc),
    ("escape", Code::Esc),
    ("tab", Code::Tab),
    ("⇥", Code::Tab),
    ("shift-tab", Code::BackTab),
    ("s-tab", Code::BackTab),
    ("backtab", Code::BackTab),
    ("⇤", Code::BackTab),
    ("up", Code::Up),
    ("↑", Code::Up),
    ("down", Code::Down),
    ("↓", Code::Down),
    ("left", Code::Left),
    ("←", Code::Left),
    ("right", Code::Right),
    ("→", Code::Right),
    ("pgup", Code::PageUp),
    ("pageup", Code::PageUp),
    ("page-up", Code::PageUp),
    ("pgdn", Code::PageDown),
    ("pgdown", Code::PageDown),
    ("pagedown", Code::PageDown),
    ("page-down", Code::PageDown),
    ("home", Code::Home),
    ("end", Code::End),
    ("backspace", Code::Backspace),
    ("del", Code::Delete),
    ("delete", Code::Delete),
];

impl FromStr for Key {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        let (mut ctrl, mut alt, mut rest) = (false, false, text);
        loop {
            // `^` and `ctrl-` alone are no prefix.
            let after = |prefix: &str| {
                let (head, tail) = rest.split_at_checked(prefix.len())?;
                (head.eq_ignore_ascii_case(prefix) && !tail.is_empty()).then_some(tail)
            };
            if let Some(tail) = after("ctrl-")
                .or_else(|| after("c-"))
                .or_else(|| after("^"))
            {
                (ctrl, rest) = (true, tail);
            } else if let Some(tail) = after("alt-").or_else(|| after("m-")) {
                (alt, rest) = (true, tail);
            } else {
                break;
            }
        }
        let code = code(rest).ok_or_else(|| {
            if rest.to_ascii_lowercase().starts_with("shift-") {
                BadKey::Shift(text.to_owned())
            } else {
                BadKey::Unknown(text.to_owned())
            }
        })?;
        // A terminal's Ctrl knows no capitals.
        let code = match code {
            Code::Char(c) if ctrl => Code::Char(c.to_ascii_lowercase()),
            other => other,
        };
        let same = |what| Err(BadKey::Same(text.to_owned(), what));
        match code {
            Code::Char('i') if ctrl => same("tab"),
            Code::Char('m') if ctrl => same("enter"),
            Code::Char('[') if ctrl => same("esc"),
            _ => Ok(Self { code, ctrl, alt }),
        }
    }
}

fn code(name: &str) -> Option<Code> {
    let mut chars = name.chars();
    let lower = name.to_ascii_lowercase();
    let named = || NAMED.iter().find(|(known, _)| *known == lower);
    if let Some((_, code)) = named() {
        return Some(*code);
    }
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return (!c.is_control()).then_some(Code::Char(c));
    }
    let number = lower.strip_prefix('f')?.parse().ok()?;
    (1..=12).contains(&number).then_some(Code::F(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_named_as_people_write_them() {
        let alt = |key: Key| Key { alt: true, ..key };
        for (name, key) in [
            ("f", Key::char('f')),
            ("F", Key::char('F')),
            ("F5", Key::of(Code::F(5))),
            ("f12", Key::of(Code::F(12))),
            ("^", Key::char('^')),
            ("-", Key::char('-')),
            ("ctrl-r", Key::ctrl('r')),
            ("Ctrl-R", Key::ctrl('r')),
            ("^R", Key::ctrl('r')),
            ("C-r", Key::ctrl('r')),
            ("ctrl--", Key::ctrl('-')),
            ("ctrl-space", Key::ctrl(' ')),
            ("alt-x", alt(Key::char('x'))),
            ("alt-X", alt(Key::char('X'))),
            ("ctrl-alt-x", alt(Key::ctrl('x'))),
            ("alt-ctrl-x", alt(Key::ctrl('x'))),
            ("space", Key::char(' ')),
            (" ", Key::char(' ')),
            ("PgUp", Key::of(Code::PageUp)),
            ("page-down", Key::of(Code::PageDown)),
            ("shift-tab", Key::of(Code::BackTab)),
            ("alt-enter", alt(Key::of(Code::Enter))),
            ("ö", Key::char('ö')),
        ] {
            assert_eq!(name.parse(), Ok(key), "{name}");
        }
    }

    #[test]
    fn what_the_help_shows_can_be_written() {
        let codes = NAMED.iter().map(|(_, code)| *code);
        for code in codes
            .chain(['a', 'G', '^', '+'].map(Code::Char))
            .chain([Code::F(7)])
        {
            for (ctrl, alt) in [(false, false), (true, false), (false, true), (true, true)] {
                // No terminal sends Ctrl with a capital.
                let code = match code {
                    Code::Char(c) if ctrl => Code::Char(c.to_ascii_lowercase()),
                    code => code,
                };
                let key = Key { code, ctrl, alt };
                for ascii in [false, true] {
                    let label = key.label(ascii);
                    assert_eq!(label.parse(), Ok(key), "{label}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_key_is_told_with_what_would_be_right() {
        let why = |name: &str| name.parse::<Key>().unwrap_err().to_string();
        for name in [
            "", "ctrl-", "alt-", "F0", "F13", "fine", "pagup", "\n", "hyper-x",
        ] {
            assert!(
                why(name).starts_with(&format!("{name:?} is no key. Write ")),
                "{name}"
            );
        }
        assert!(why("shift-a").contains("the character that Shift makes"));
        assert_eq!(
            why("ctrl-i"),
            "terminals cannot tell \"ctrl-i\" from tab. Choose another key"
        );
        assert!(why("^M").contains("enter"));
        assert!(why("^[").contains("esc"));
    }
}
