//! The line that is being typed: it gets every key. What it means when it changes, when it is
//! entered and when it is given up, each kind says itself.

use super::{act, filter, history, jump, opened, palette};
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
        (Code::Enter, _) => entered(model),
        (Code::Esc, _) => given_up(model),
        (Code::Up, _) | (Code::Char('p'), true) => step(model, true),
        (Code::Down, _) | (Code::Char('n'), true) => step(model, false),
        _ if prompt.field.key(key) => edited(model),
        _ => Vec::new(),
    }
}

/// Pasted text goes into the line; its line ends do not press Enter.
pub(super) fn pasted(model: &mut Model, text: &str) -> Vec<Effect> {
    let Some(prompt) = &mut model.prompt else {
        return Vec::new();
    };
    prompt.field.paste(text);
    edited(model)
}

/// The text is the user's own again, not one of the history.
fn edited(model: &mut Model) -> Vec<Effect> {
    if let Some(prompt) = &mut model.prompt {
        prompt.back = 0;
    }
    changed(model)
}

/// Up (to what is older) or down.
fn step(model: &mut Model, up: bool) -> Vec<Effect> {
    if history::step(model, up) {
        return changed(model);
    }
    Vec::new()
}

/// What stands in the line is another text.
fn changed(model: &mut Model) -> Vec<Effect> {
    let Some(prompt) = &mut model.prompt else {
        return Vec::new();
    };
    prompt.error = None;
    match prompt.kind {
        PromptKind::Command => palette::changed(model),
        PromptKind::Find => {
            let what = prompt.field.text();
            opened::find(model, &what);
        }
        PromptKind::Filter => return filter::typed(model),
        PromptKind::Jump => jump::typed(model),
    }
    Vec::new()
}

/// Enter: the line does what it says and goes into the history; or it stays, and says why not.
fn entered(model: &mut Model) -> Vec<Effect> {
    let Some(prompt) = model.prompt.take() else {
        return Vec::new();
    };
    let text = prompt.field.text();
    match run(model, prompt.kind, &text) {
        Ok(mut effects) => {
            effects.extend(history::keep(model, prompt.kind, text));
            effects
        }
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
pub(super) fn run(model: &mut Model, kind: PromptKind, text: &str) -> Result<Vec<Effect>, String> {
    match kind {
        PromptKind::Command => palette::run(model, text),
        PromptKind::Filter => filter::run(model, text),
        PromptKind::Jump => jump::run(model, text),
        PromptKind::Find => Ok(Vec::new()),
    }
}

/// Esc: the line goes, and what it had changed while it was typed goes back.
fn given_up(model: &mut Model) -> Vec<Effect> {
    let Some(prompt) = model.prompt.take() else {
        return Vec::new();
    };
    match prompt.kind {
        PromptKind::Filter => filter::given_up(model),
        PromptKind::Find | PromptKind::Jump | PromptKind::Command => Vec::new(),
    }
}
