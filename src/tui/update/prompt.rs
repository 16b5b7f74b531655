//! The line that is being typed: it gets every key, and says what it means when it changes, when
//! it is done and when it is given up.

use super::{act, filter, jump};
use crate::tui::effect::Effect;
use crate::tui::keys::{Action, Code, Key};
use crate::tui::model::{Model, Prompt, PromptKind};

/// Begins a line.
pub(super) fn open(model: &mut Model, kind: PromptKind, text: &str) -> Vec<Effect> {
    model.prompt = Some(Prompt::new(kind, text));
    changed(model)
}

/// A key for the line.
pub(super) fn key(model: &mut Model, key: Key) -> Vec<Effect> {
    model.schedule.touched = true;
    let Some(prompt) = &mut model.prompt else {
        return Vec::new();
    };
    match (key.code, key.ctrl) {
        (Code::Char('c'), true) => act::act(model, Action::QuitNow),
        (Code::Char('z'), true) => act::act(model, Action::Suspend),
        (Code::Char('l'), true) => act::act(model, Action::Redraw),
        (Code::Enter, _) => done(model),
        (Code::Esc, _) => given_up(model),
        _ if prompt.field.key(key) => changed(model),
        _ => Vec::new(),
    }
}

/// Pasted text goes into the line.
pub(super) fn pasted(model: &mut Model, text: &str) -> Vec<Effect> {
    let Some(prompt) = &mut model.prompt else {
        return Vec::new();
    };
    prompt.field.paste(text);
    changed(model)
}

/// What stands in the line is another text.
fn changed(model: &mut Model) -> Vec<Effect> {
    match model.prompt.as_ref().map(|prompt| prompt.kind) {
        Some(PromptKind::Filter) => filter::typed(model),
        Some(PromptKind::Jump) => {
            jump::typed(model);
            Vec::new()
        }
        Some(PromptKind::Find | PromptKind::Command) | None => Vec::new(),
    }
}

/// Enter: the line does what it says; or it stays, and says why not.
fn done(model: &mut Model) -> Vec<Effect> {
    let Some(prompt) = model.prompt.take() else {
        return Vec::new();
    };
    match run(model, prompt.kind, &prompt.field.text()) {
        Ok(effects) => effects,
        Err(why) => {
            model.prompt = Some(Prompt {
                error: Some(why),
                ..prompt
            });
            Vec::new()
        }
    }
}

/// Does what a line of that kind says, or tells why it cannot.
fn run(model: &mut Model, kind: PromptKind, text: &str) -> Result<Vec<Effect>, String> {
    match kind {
        PromptKind::Filter => filter::run(model, text),
        PromptKind::Jump => jump::run(model, text),
        PromptKind::Find | PromptKind::Command => Ok(Vec::new()),
    }
}

/// Esc: the line goes, and what it had changed while it was typed goes back.
fn given_up(model: &mut Model) -> Vec<Effect> {
    match model.prompt.take().map(|prompt| prompt.kind) {
        Some(PromptKind::Filter) => filter::given_up(model),
        Some(PromptKind::Find | PromptKind::Jump | PromptKind::Command) | None => Vec::new(),
    }
}
