//! The common ground of the forms over the screen: parts from top to bottom, of which one has the
//! keys, and what is said of what stands there.

pub mod place;
pub mod queries;
pub mod update;
pub mod view;

use crate::queue::Repair;
use crate::tui::field::Field;
use crate::tui::widget::wrap::{row_of, text_rows};

/// The answers that a form waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// The editor has ended: the text as it is now, or why it is the old one.
    Edited(Result<String, String>),
}

/// The parts that a form may have.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Part {
    /// A message, of several lines.
    Payload,
    /// Its codec.
    Codec,
    /// Its frame form.
    Form,
    /// When it is due.
    Due,
    /// Number of messages.
    Count,
    /// The reference that a new due time is reckoned from.
    How,
    /// The new due time.
    When,
    /// The span that the entries are spread over.
    Spread,
    /// The repair that the worst finding asks for, above the repairs of the menu.
    Cure,
    /// A repair of the menu.
    Repair(Repair),
    /// The span within which entries that fall due are realigned.
    Within,
    /// The repairs that do not apply, in one row.
    More,
    /// The button that does it.
    Button,
}

impl Part {
    /// One of a few is chosen here, by the arrows.
    #[must_use]
    pub const fn is_choice(self) -> bool {
        matches!(self, Self::Codec | Self::Form | Self::How)
    }

    /// Enter does it, or says why it cannot.
    #[must_use]
    pub const fn is_button(self) -> bool {
        matches!(
            self,
            Self::Button | Self::Repair(_) | Self::Cure | Self::Within | Self::More
        )
    }
}

/// A remark on a field.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum FieldRemark {
    /// The meaning of the field, or why it is so.
    Note(String),
    /// It works, but may not be what was meant.
    Careful(String),
    /// It cannot be done like this.
    Wrong(String),
}

impl FieldRemark {
    /// It cannot be done like this.
    #[must_use]
    pub const fn is_wrong(&self) -> bool {
        matches!(self, Self::Wrong(_))
    }

    /// The words.
    #[must_use]
    pub fn words(&self) -> &str {
        match self {
            Self::Note(words) | Self::Careful(words) | Self::Wrong(words) => words,
        }
    }
}

/// The form in which a message is written: its size, and a remark on it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Message {
    /// Bytes of the payload.
    pub bytes: u64,
    /// The remark on the message.
    pub said: Option<FieldRemark>,
}

/// A form that is filled in.
pub trait InputForm {
    /// Its parts, from top to bottom.
    fn parts(&self) -> &[Part];
    /// The part that has the keys.
    fn at(&self) -> Part;
    /// Gives them to another one.
    fn go(&mut self, to: Part);
    /// Columns of a part's name, with the mark before it.
    fn label(&self) -> u16 {
        11
    }
    /// Rows for what a finding asks for, above the menu of repairs.
    fn cure_rows(&self) -> u16 {
        2
    }
    /// Tells whether what was filled in is on its way: nothing is changed any more.
    fn is_sent(&self) -> bool {
        false
    }
    /// Says why it failed.
    fn failed(&self) -> Option<&str> {
        None
    }
    /// The message, when it has one: the text, its first row in sight, what a file of it ends with.
    fn message(&self) -> Option<(&Field, usize, &'static str)> {
        None
    }
    /// The same, to be typed into.
    fn message_mut(&mut self) -> Option<(&mut Field, &mut usize)> {
        None
    }
    /// The field of one line that has the keys, when it is one.
    fn line(&mut self) -> Option<&mut Field> {
        None
    }
    /// The next choice of the part that has the keys, or the one before.
    fn choose(&mut self, on: bool) {
        let _ = on;
    }
    /// Something was typed: what is said of it may be otherwise.
    fn typed(&mut self) {}

    /// The keys go `steps` parts on.
    fn step(&mut self, steps: usize) {
        let (parts, at) = (self.parts(), self.at());
        let at = parts.iter().position(|part| *part == at).unwrap_or(0);
        let to = parts[(at + steps) % parts.len()];
        self.go(to);
    }
}

/// The first row of the message that is in sight, such that its cursor is too: in so many rows of
/// so many columns.
#[must_use]
pub fn top(form: &dyn InputForm, (height, columns): (usize, usize)) -> usize {
    let Some((message, top, _)) = form.message() else {
        return 0;
    };
    let rows = text_rows(message.lines(), columns);
    let cursor = row_of(&rows, message.cursor());
    let lowest = (cursor + 1).saturating_sub(height.max(1));
    top.clamp(lowest, cursor)
}

/// The one behind `now` among `all`, or before it.
#[must_use]
pub fn next<T: Copy + PartialEq>(all: &[T], now: Option<T>, on: bool) -> Option<T> {
    let at = all.iter().position(|one| Some(*one) == now);
    let to = match (at, on) {
        (Some(at), true) => (at + 1) % all.len(),
        (Some(at), false) => (at + all.len() - 1) % all.len(),
        (None, true) => 0,
        (None, false) => all.len() - 1,
    };
    all.get(to).copied()
}
