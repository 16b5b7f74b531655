//! A key, and what it is called.

/// A key, free of any terminal library.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Key {
    /// The key itself.
    pub code: Code,
    /// Held with Ctrl.
    pub ctrl: bool,
    /// Held with Alt.
    pub alt: bool,
}

impl Key {
    /// A key by itself.
    #[must_use]
    pub const fn of(code: Code) -> Self {
        Self {
            code,
            ctrl: false,
            alt: false,
        }
    }

    /// A character by itself.
    #[must_use]
    pub const fn char(c: char) -> Self {
        Self::of(Code::Char(c))
    }

    /// A character with Ctrl.
    #[must_use]
    pub const fn ctrl(c: char) -> Self {
        Self {
            code: Code::Char(c),
            ctrl: true,
            alt: false,
        }
    }

    /// Returns the name of the key: `PgUp`, `^R`, `Alt-x`, `⏎` (`Enter` in plain ASCII). Parsed, it
    /// is this key again.
    #[must_use]
    pub fn label(self, ascii: bool) -> String {
        let alt = if self.alt { "Alt-" } else { "" };
        let ctrl = if self.ctrl { "Ctrl-" } else { "" };
        let name = match self.code {
            Code::Char(' ') => "Space",
            Code::Char(c) if self.ctrl => return format!("{alt}^{}", c.to_ascii_uppercase()),
            Code::Char(c) => return format!("{alt}{c}"),
            Code::F(n) => return format!("{alt}{ctrl}F{n}"),
            Code::Enter => pick(ascii, "Enter", "⏎"),
            Code::Esc => "Esc",
            Code::Tab => pick(ascii, "Tab", "⇥"),
            Code::BackTab => pick(ascii, "S-Tab", "⇤"),
            Code::Up => pick(ascii, "Up", "↑"),
            Code::Down => pick(ascii, "Down", "↓"),
            Code::Left => pick(ascii, "Left", "←"),
            Code::Right => pick(ascii, "Right", "→"),
            Code::PageUp => "PgUp",
            Code::PageDown => "PgDn",
            Code::Home => "Home",
            Code::End => "End",
            Code::Backspace => "Backspace",
            Code::Delete => "Del",
        };
        format!("{alt}{ctrl}{name}")
    }
}

const fn pick(ascii: bool, plain: &'static str, glyph: &'static str) -> &'static str {
    if ascii { plain } else { glyph }
}

/// The code of a key, with Shift already applied to characters.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Code {
    /// A character.
    Char(char),
    /// A function key, 1 to 12.
    F(u8),
    /// Enter.
    Enter,
    /// Escape.
    Esc,
    /// Tab.
    Tab,
    /// Shift-Tab.
    BackTab,
    /// Up arrow.
    Up,
    /// Down arrow.
    Down,
    /// Left arrow.
    Left,
    /// Right arrow.
    Right,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Home.
    Home,
    /// End.
    End,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
}
