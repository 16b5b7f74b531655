//! A question before something that is not simply done. What it is about stays as it was when it
//! was asked, whatever is read meanwhile.

pub mod preview;
pub mod update;
pub mod view;

use std::time::Instant;

use self::preview::Preview;
use crate::queue::{Queue, text};
use crate::tui::effect::Effect;
use crate::tui::field::{Field, Lines};
use crate::tui::keys::Key;
use crate::tui::offer::OfferRequest;

/// A question over the screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Dialog {
    /// The title: what it is called, and of what it is.
    pub title: String,
    /// The consequences, the most important first.
    pub lines: Vec<DialogLine>,
    /// The effect of yes, in a word.
    pub yes: &'static str,
    /// The effect of no, in a word.
    pub no: &'static str,
    /// The name that has to be typed instead of `y`.
    pub name: Option<TypedName>,
    /// The button that Enter presses; where a name is typed, that is none before the name is
    /// right.
    pub focus: Button,
    /// The key that asked: it is no answer before the focus was moved.
    pub opened_by: Option<Key>,
    /// The subject of the question, which says what yes does.
    pub question: Question,
    /// The reply to a key that is no answer.
    pub told: Option<AnswerRemark>,
}

impl Dialog {
    /// Tells whether Enter presses a button.
    #[must_use]
    pub fn presses(&self, button: Button) -> bool {
        match &self.name {
            None => self.focus == button,
            Some(name) => button == Button::Yes && name.is_right(),
        }
    }

    /// Returns the reply that is shown now to a key that was no answer.
    #[must_use]
    pub fn told_at(&self, now: Instant) -> Option<&str> {
        let told = self.told.as_ref().filter(|told| now < told.until);
        told.map(|told| told.words.as_str())
    }
}

/// The keys at questions, as far as they may be meant otherwise.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnswerKeys {
    /// When a letter was typed last at a question that asks for none.
    pub(crate) typed: Option<Instant>,
    /// The keys typed behind the last answer, while there may be more of them.
    pub(crate) behind: Option<KeysBehind>,
}

/// The keys that are typed behind an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeysBehind {
    /// The key that was the answer.
    pub(crate) answer: Key,
    /// The last key of it, or the answer itself.
    pub(crate) last: Instant,
    /// It was said that it is ignored.
    pub(crate) told: bool,
}

/// The two answers.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Button {
    /// Nothing is done.
    #[default]
    No,
    /// It is done.
    Yes,
}

impl Button {
    /// The one beside it.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Yes => Self::No,
        }
    }
}

/// The reply to a key that is no answer, shown for a moment where the answers stand.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AnswerRemark {
    /// The reason why it is none.
    pub words: String,
    /// When it goes.
    pub until: Instant,
}

/// A line of a question.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum DialogLine {
    /// Words, as many rows as they need.
    Words(String),
    /// Words that warn.
    Warning(String),
    /// The words on how it is taken back, or that it is not: they stay however little room there is.
    Undo(UndoWords),
    /// A figure with its name.
    Fact(&'static str, String),
    /// A warning that the plan is out of date, with the key that looks again.
    Stale(String),
    /// The timeline as it is and as it will be.
    Preview(Box<Preview>),
    /// Nothing: the first to go where there is no room.
    Blank,
}

/// The words on how a change is taken back.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum UndoWords {
    /// The way to take it back.
    How(String),
    /// It cannot be.
    Never(String),
}

/// The subject of a question.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// Start a stand-in worker on the queue.
    StartWorker(Queue),
    /// Stop it.
    StopWorker(Queue),
    /// Run MONITOR for the messages of the queue.
    Monitor(Queue),
    /// Offer so many messages.
    Offer(Box<OfferRequest>),
    /// Leave what the workers work on: what does it.
    Leave(Vec<Effect>),
    /// Apply the plan with this generation.
    Change(u64),
}

/// A queue's name that has to be typed.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedName {
    /// The name, as it is shown.
    pub wanted: String,
    /// The reason why a `y` is not enough.
    pub why: String,
    /// The text that has been typed.
    pub field: Field,
    /// Something else was entered.
    pub wrong: bool,
}

impl TypedName {
    /// Asks for the name of a queue, for this reason.
    #[must_use]
    pub fn of(queue: &Queue, why: String) -> Self {
        Self {
            wanted: text::printable_bytes(queue.name.as_bytes()),
            why,
            field: Field::new(Lines::One, ""),
            wrong: false,
        }
    }

    /// The reason that a profile gives.
    #[must_use]
    pub fn protected(profile: &str) -> String {
        format!("profile {} is protected", text::printable(profile))
    }

    /// Tells whether what stands there cannot become the name any more, or was entered in its place.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        let typed = self.field.text();
        self.wrong || !self.wanted.trim().starts_with(typed.trim())
    }

    /// The name stands there.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.field.text().trim() == self.wanted.trim()
    }
}
