//! A text that is being typed.

pub mod view;

use tui_textarea::{CursorMove, TextArea};

use crate::tui::keys::{Code, Key};

/// A text field of one line or of several. What a key does is what shells have taught: `^A ^E`
/// to the ends, `^W` the word before, `^U` and `^K` all before and behind the cursor.
#[derive(Clone, Debug)]
pub struct Field {
    area: TextArea<'static>,
    lines: Lines,
    /// The text that it holds was proposed, not typed: the first character takes its place.
    proposed: bool,
}

/// The same text with the cursor in the same place.
impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        (self.lines, self.lines(), self.cursor(), self.proposed)
            == (other.lines, other.lines(), other.cursor(), other.proposed)
    }
}

/// The number of lines of a field.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Lines {
    /// One: what is pasted loses its line ends.
    One,
    /// As many as are typed.
    Many,
}

/// Undo goes back over so many characters.
const HISTORY: usize = 1000;

impl Field {
    /// A field that holds `text`, the cursor behind it.
    #[must_use]
    pub fn new(lines: Lines, text: &str) -> Self {
        let mut area = TextArea::default();
        area.set_max_histories(HISTORY);
        let mut field = Self {
            area,
            lines,
            proposed: false,
        };
        field.paste(text);
        field
    }

    /// A field of one line that proposes `text`: who types something else need not delete it first.
    #[must_use]
    pub fn proposing(text: &str) -> Self {
        let mut field = Self::new(Lines::One, text);
        field.proposed = true;
        field
    }

    /// Returns the text that it holds; lines end with `\n`.
    #[must_use]
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// It holds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// The lines it holds.
    #[must_use]
    pub fn lines(&self) -> &[String] {
        self.area.lines()
    }

    /// Returns the position of the cursor: line, and characters before it in that line, both from
    /// 0.
    #[must_use]
    pub fn cursor(&self) -> (usize, usize) {
        let at = self.area.cursor();
        (at.0, at.1)
    }

    /// It holds what was proposed still.
    #[must_use]
    pub const fn is_proposed(&self) -> bool {
        self.proposed
    }

    /// Replaces all of it; the cursor stands behind the new text.
    pub fn set(&mut self, text: &str) {
        self.proposed = false;
        self.area.clear();
        self.paste(text);
    }

    /// Replaces all of it by a proposal.
    pub fn propose(&mut self, text: &str) {
        self.set(text);
        self.proposed = true;
    }

    /// Puts text in at the cursor.
    pub fn paste(&mut self, text: &str) {
        self.give_way();
        match self.lines {
            Lines::One => {
                let words: Vec<&str> = text.split(['\r', '\n']).filter(|l| !l.is_empty()).collect();
                self.area.insert_str(words.join(" "))
            }
            Lines::Many => self.area.insert_str(text),
        };
    }

    /// Takes a key; true when the text is another one then.
    pub fn key(&mut self, key: Key) -> bool {
        let types = matches!(key.code, Code::Char(_)) && !(key.ctrl || key.alt);
        let deletes = matches!(key.code, Code::Backspace | Code::Delete);
        if deletes && self.proposed {
            self.set("");
            return true;
        }
        if types {
            self.give_way();
        }
        self.proposed = false;
        let area = &mut self.area;
        match (key.code, key.ctrl || key.alt) {
            (Code::Char(c), false) => {
                area.insert_char(c);
                true
            }
            (Code::Enter, _) if self.lines == Lines::Many => {
                area.insert_newline();
                true
            }
            (Code::Backspace, false) => area.delete_char(),
            (Code::Delete, _) => area.delete_next_char(),
            (Code::Backspace, true) => area.delete_word(),
            (Code::Char('w'), true) if key.ctrl => area.delete_word(),
            (Code::Char('u'), true) if key.ctrl => area.delete_line_by_head(),
            (Code::Char('k'), true) if key.ctrl => area.delete_line_by_end(),
            (Code::Char('d'), true) if key.ctrl => area.delete_next_char(),
            (Code::Char('h'), true) if key.ctrl => area.delete_char(),
            (code, jump) => {
                if let Some(to) = motion(code, jump) {
                    area.move_cursor(to);
                }
                false
            }
        }
    }
}

impl Field {
    /// Clears what was proposed, to make room for what is typed.
    fn give_way(&mut self) {
        if std::mem::take(&mut self.proposed) {
            self.area.clear();
        }
    }
}

/// Returns the move of the cursor that a key asks for; with Ctrl or Alt (`jump`) by words.
const fn motion(code: Code, jump: bool) -> Option<CursorMove> {
    Some(match (code, jump) {
        (Code::Left, false) => CursorMove::Back,
        (Code::Right, false) => CursorMove::Forward,
        (Code::Left | Code::Char('b'), true) => CursorMove::WordBack,
        (Code::Right | Code::Char('f'), true) => CursorMove::WordForward,
        (Code::Up, _) => CursorMove::Up,
        (Code::Down, _) => CursorMove::Down,
        (Code::Home, false) | (Code::Char('a'), true) => CursorMove::Head,
        (Code::End, false) | (Code::Char('e'), true) => CursorMove::End,
        (Code::Home, true) => CursorMove::Top,
        (Code::End, true) => CursorMove::Bottom,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &[Key]) -> Field {
        let mut field = Field::new(Lines::One, "late order");
        for key in keys {
            field.key(*key);
        }
        field
    }

    #[test]
    fn keys_do_in_a_field_what_they_do_in_a_shell() {
        assert_eq!(typed(&[Key::char('s')]).text(), "late orders");
        assert_eq!(typed(&[Key::ctrl('w')]).text(), "late ");
        assert_eq!(typed(&[Key::ctrl('u')]).text(), "");
        assert_eq!(typed(&[Key::ctrl('a'), Key::ctrl('k')]).text(), "");
        assert_eq!(
            typed(&[Key::of(Code::Home), Key::char('x')]).text(),
            "xlate order"
        );
        assert_eq!(typed(&[Key::of(Code::Backspace)]).text(), "late orde");
    }

    #[test]
    fn what_is_proposed_makes_room_for_what_is_typed_unless_the_cursor_is_moved_in_it() {
        let proposed = |keys: &[Key]| {
            let mut field = Field::proposing("5m");
            for key in keys {
                field.key(*key);
            }
            field.text()
        };
        assert_eq!(proposed(&[]), "5m");
        assert_eq!(proposed(&[Key::char('9'), Key::char('s')]), "9s");
        assert_eq!(proposed(&[Key::of(Code::Backspace)]), "");
        assert_eq!(proposed(&[Key::of(Code::Home), Key::char('1')]), "15m");
        let mut pasted = Field::proposing("5m");
        pasted.paste("+1h");
        assert_eq!(pasted.text(), "+1h");
    }

    #[test]
    fn a_field_of_one_line_takes_a_paste_of_many_as_one() {
        let mut field = Field::new(Lines::One, "");
        field.paste("a\r\nb\n");
        assert_eq!(field.lines().len(), 1);
        field.key(Key::of(Code::Enter));
        assert_eq!(field.lines().len(), 1);
    }

    #[test]
    fn a_field_of_many_lines_keeps_them() {
        let mut field = Field::new(Lines::Many, "{\n  \"a\": 1\n}");
        field.key(Key::of(Code::Enter));
        assert_eq!(field.text(), "{\n  \"a\": 1\n}\n");
        assert_eq!(field.cursor(), (3, 0));
    }
}
