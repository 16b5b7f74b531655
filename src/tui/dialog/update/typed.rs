//! The keys typed behind the answer to a question: they were meant for it, such as the rest of a
//! name of which the first letter was an answer already. None of them is a command.

use std::time::Duration;

use crate::tui::dialog::KeysBehind;
use crate::tui::keys::{Code, Key};
use crate::tui::model::{Model, Overlay};
use crate::tui::toast::{self, Tone};

/// A key that follows an answer, or another key behind it, within this belongs to it: who reads
/// what came of the answer before the next key takes longer.
const BEHIND: Duration = Duration::from_millis(250);

/// Tells whether a question stands.
pub(crate) const fn is_asked(model: &Model) -> bool {
    matches!(model.overlay, Some(Overlay::Dialog(_)))
}

/// A key has answered a question: what is typed on belongs to it.
pub(crate) fn answered(model: &mut Model, key: Key) {
    if is_typed(key) {
        model.answer_keys.behind = Some(KeysBehind {
            answer: key,
            last: model.instant,
            told: false,
        });
    }
}

/// Tells whether a key was typed behind an answer. It does nothing then, which is said once.
pub(crate) fn is_behind(model: &mut Model, key: Key) -> bool {
    let field = model.prompt.is_some() || model.form_mut().is_some();
    let now = model.instant;
    let Some(behind) = &mut model.answer_keys.behind else {
        return false;
    };
    if field || !is_typed(key) || now.saturating_duration_since(behind.last) >= BEHIND {
        model.answer_keys.behind = None;
        return false;
    }
    behind.last = now;
    if !std::mem::replace(&mut behind.told, true) {
        let answer = behind.answer.label(model.look.ascii);
        let words = format!("{answer} was the answer: what is typed behind it is ignored");
        // What the answer has led to is told first.
        toast::update::say_after(model, words, Tone::Warn);
    }
    true
}

/// Tells whether a key is one of those that words are made of, or the Enter at their end. Arrows,
/// Esc and the blank, which pauses a change, are commands at once.
const fn is_typed(key: Key) -> bool {
    let typed = match key.code {
        Code::Char(c) => c != ' ',
        code => matches!(code, Code::Enter | Code::Backspace),
    };
    typed && !key.ctrl && !key.alt
}

/// Nothing that is typed there takes text.
pub(crate) fn nowhere(model: &mut Model) {
    let words = "pasted text is ignored: nothing is typed here";
    toast::update::say(model, words.to_owned(), Tone::Warn);
}
