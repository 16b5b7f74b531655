//! The line that is being typed: it gets every key. What it means when it changes, when it is
//! entered and when it is given up, each kind says itself.

pub mod history;

use super::{Prompt, PromptKind};
use crate::tui::effect::Effect;
use crate::tui::hitmap::Target;
use crate::tui::keys::{Action, Code, Key};
use crate::tui::model::Model;
use crate::tui::{entry, filter, jump, lives, palette};

/// Begins a line.
pub(crate) fn open(model: &mut Model, kind: PromptKind, text: &str) -> Vec<Effect> {
    model.prompt = Some(Prompt::new(kind, text));
    changed(model)
}

/// A key for the line.
pub(crate) fn key(model: &mut Model, key: Key) -> Vec<Effect> {
    model.table.touched = true;
    let Some(prompt) = &mut model.prompt else {
        return Vec::new();
    };
    match (key.code, key.ctrl) {
        (Code::Char('c'), true) => vec![Effect::asks(Action::QuitNow)],
        (Code::Char('z'), true) => vec![Effect::asks(Action::Suspend)],
        (Code::Char('l'), true) => vec![Effect::asks(Action::Redraw)],
        (Code::Enter, _) => entered(model),
        (Code::Tab, _) if prompt.kind == PromptKind::Command => {
            palette::update::complete(model);
            Vec::new()
        }
        (Code::Tab, _) if prompt.kind == PromptKind::Filter => to_queues(model),
        (Code::Esc, _) => given_up(model),
        (Code::Up, _) | (Code::Char('p'), true) => step(model, true),
        (Code::Down, _) | (Code::Char('n'), true) => step(model, false),
        _ if prompt.field.key(key) => edited(model),
        _ => Vec::new(),
    }
}

/// Pasted text goes into the line; its line ends do not press Enter.
pub(crate) fn pasted(model: &mut Model, text: &str) -> Vec<Effect> {
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

/// A filter that is the name of a queue: the line that finds queues takes its text.
fn to_queues(model: &mut Model) -> Vec<Effect> {
    let typed = model.prompt.as_ref().map(|prompt| prompt.field.text());
    let Some(typed) = typed.filter(|typed| filter::queries::names_a_queue(model, typed)) else {
        return Vec::new();
    };
    let mut effects = given_up(model);
    let line = format!("queue {}", typed.trim());
    effects.extend(open(model, PromptKind::Command, &line));
    effects
}

/// Up (to what is older) or down.
fn step(model: &mut Model, up: bool) -> Vec<Effect> {
    let of_commands = is_command(model);
    if of_commands && palette::update::step(model, up) {
        return Vec::new();
    }
    if history::step(model, up) {
        return changed(model);
    }
    Vec::new()
}

/// A click on a choice of the commands does it; one beside the line closes it. What it has found
/// already stays; a time that was not entered is not jumped to.
pub(crate) fn clicked(model: &mut Model, target: Option<Target>) -> Vec<Effect> {
    let Some(prompt) = &mut model.prompt else {
        return Vec::new();
    };
    match (target, prompt.kind) {
        (Some(Target::Choice(at)), _) => {
            prompt.chosen = Some(at);
            entered(model)
        }
        (Some(Target::Typed | Target::Palette), _) => Vec::new(),
        (_, PromptKind::Filter | PromptKind::Find | PromptKind::Lives) => entered(model),
        (_, PromptKind::Jump | PromptKind::Command) => given_up(model),
    }
}

/// Takes in that another text stands in the line.
pub(crate) fn changed(model: &mut Model) -> Vec<Effect> {
    let Some(prompt) = &mut model.prompt else {
        return Vec::new();
    };
    prompt.error = None;
    match prompt.kind {
        PromptKind::Command => palette::update::changed(model),
        PromptKind::Find => {
            let what = prompt.field.text();
            entry::update::find(model, &what);
        }
        PromptKind::Filter => return filter::update::typed(model),
        PromptKind::Lives => {
            let text = prompt.field.text();
            let fault = lives::update::typed(model, &text).err();
            if let Some(prompt) = &mut model.prompt {
                prompt.error = fault;
            }
        }
        PromptKind::Jump => jump::typed(model),
    }
    Vec::new()
}

/// Enter: the line does what it says and goes into the history; or it stays, and says why not.
pub(crate) fn entered(model: &mut Model) -> Vec<Effect> {
    let text = if is_command(model) {
        palette::update::entered(model)
    } else {
        model.prompt.as_ref().map(|prompt| prompt.field.text())
    };
    let Some(text) = text else {
        return Vec::new();
    };
    let Some(prompt) = model.prompt.take() else {
        return Vec::new();
    };
    match run(model, prompt.kind, &text) {
        Ok(effects) => {
            let kept = history::keep(model, prompt.kind, text);
            kept.into_iter().chain(effects).collect()
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

fn is_command(model: &Model) -> bool {
    let prompt = model.prompt.as_ref();
    prompt.is_some_and(|prompt| prompt.kind == PromptKind::Command)
}

/// Does what a line of that kind says, or tells why it cannot.
fn run(model: &mut Model, kind: PromptKind, text: &str) -> Result<Vec<Effect>, String> {
    match kind {
        PromptKind::Command => palette::update::run(model, text),
        PromptKind::Filter => filter::update::run(model, text),
        PromptKind::Jump => jump::run(model, text),
        PromptKind::Lives => lives::update::typed(model, text).map(|()| Vec::new()),
        PromptKind::Find => Ok(Vec::new()),
    }
}

/// Esc: the line goes, and what it had changed while it was typed goes back.
pub(crate) fn given_up(model: &mut Model) -> Vec<Effect> {
    let Some(prompt) = model.prompt.take() else {
        return Vec::new();
    };
    match prompt.kind {
        PromptKind::Filter => filter::update::given_up(model),
        PromptKind::Lives => {
            lives::update::given_up(model);
            Vec::new()
        }
        PromptKind::Find | PromptKind::Jump | PromptKind::Command => Vec::new(),
    }
}
