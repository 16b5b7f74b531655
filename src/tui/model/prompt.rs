//! The line that is being typed at the bottom of the screen.

use super::field::{Field, Lines};
use crate::clock::EpochMillis;

/// A line that is being typed.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// What it is for.
    pub kind: PromptKind,
    /// What has been typed.
    pub field: Field,
    /// What is wrong with it as it stands.
    pub error: Option<String>,
    /// The moment that it means.
    pub moment: Option<EpochMillis>,
    /// What it could be completed to, best first.
    pub choices: Vec<Choice>,
    /// Index of the chosen one in `choices`.
    pub chosen: Option<usize>,
    /// How far back in the history it is: 0 is what was typed.
    pub back: usize,
}

/// What a prompt is for.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum PromptKind {
    /// `/`: the filter of the entries.
    Filter,
    /// `/` on an entry: a text to be found in it.
    Find,
    /// `@`: a time to jump to.
    Jump,
    /// `:`: a command.
    Command,
}

/// What a prompt could be completed to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Choice {
    /// The whole line then.
    pub line: String,
    /// What it does.
    pub help: String,
    /// The key that does the same; empty when there is none.
    pub keys: String,
    /// Why it cannot do anything now.
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
        }
    }
}
