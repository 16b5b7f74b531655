//! The line that is being typed.

pub mod history;
pub mod run;
pub mod update;
pub mod view;

use crate::clock::EpochMillis;
use crate::tui::field::{Field, Lines};

/// Requests to keep lines.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Keep a line that was entered for the next sessions.
    Remember(PromptKind, String),
}

/// A line that is being typed.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// The purpose of the line.
    pub kind: PromptKind,
    /// The text that has been typed.
    pub field: Field,
    /// The fault of the line as it stands.
    pub error: Option<String>,
    /// The moment that it means.
    pub moment: Option<EpochMillis>,
    /// The possible completions of the line, best first.
    pub choices: Vec<Choice>,
    /// Index of the chosen one in `choices`; none: Enter does what the line itself says.
    pub chosen: Option<usize>,
    /// Number of lines that it is back in the history: 0 is what was typed.
    pub back: usize,
    /// The text that was typed, while a line of the history stands in its place.
    pub draft: String,
}

/// The purpose of a prompt.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum PromptKind {
    /// `/`: the filter of the entries.
    Filter,
    /// `/` on an entry: a text to be found in it.
    Find,
    /// `/` over the lives of messages: their filter.
    Lives,
    /// `@`: a time to jump to.
    Jump,
    /// `:`: a command.
    Command,
}

impl PromptKind {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Filter,
        Self::Find,
        Self::Lives,
        Self::Jump,
        Self::Command,
    ];

    /// Returns its name in the history.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Filter => "filter",
            Self::Find => "find",
            Self::Lives => "lives",
            Self::Jump => "jump",
            Self::Command => "command",
        }
    }
}

/// A possible completion of a prompt.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Choice {
    /// The whole line then.
    pub line: String,
    /// The part that has to be typed behind the line, such as `NAME`; empty when it is complete.
    pub wants: &'static str,
    /// Description of what it does.
    pub help: String,
    /// The key that does the same; empty when there is none.
    pub keys: String,
    /// The reason why it cannot do anything now.
    pub disabled: Option<String>,
}

impl Prompt {
    /// A prompt that begins with `text`.
    #[must_use]
    pub fn new(kind: PromptKind, text: &str) -> Self {
        Self {
            kind,
            field: Field::new(Lines::One, text),
            error: None,
            moment: None,
            choices: Vec::new(),
            chosen: None,
            back: 0,
            draft: String::new(),
        }
    }
}
