//! The lines that were typed before come back with `↑`.

use crate::tui::effect::Effect;
use crate::tui::model::Model;
use crate::tui::prompt::{self, PromptKind};

/// Puts an older line (`up`), or a newer one, into the prompt; beyond the newest stands what was
/// being typed. False when there is none.
pub(crate) fn step(model: &mut Model, up: bool) -> bool {
    let Some(prompt) = &mut model.prompt else {
        return false;
    };
    let to = if up {
        prompt.back + 1
    } else {
        let Some(to) = prompt.back.checked_sub(1) else {
            return false;
        };
        to
    };
    let line = match to {
        0 => Some(prompt.draft.as_str()),
        back => model.history.back(prompt.kind, back),
    };
    let Some(line) = line.map(ToOwned::to_owned) else {
        return false;
    };
    if prompt.back == 0 {
        prompt.draft = prompt.field.text();
    }
    prompt.back = to;
    prompt.field.set(&line);
    true
}

/// A line was entered: this session keeps it, and the next ones do.
pub(crate) fn keep(model: &mut Model, kind: PromptKind, line: String) -> Option<Effect> {
    if line.trim().is_empty() {
        return None;
    }
    model.history.push(kind, &line);
    Some(Effect::Prompt(prompt::Effect::Remember(kind, line)))
}
