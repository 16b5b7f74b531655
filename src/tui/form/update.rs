//! Forms: what keys, pastes and clicks do in all of them. What is typed never does anything else.

use super::{InputForm, Msg, Part};
use crate::tui::effect::Effect;
use crate::tui::hitmap::Target;
use crate::tui::keys::{Action, Code, Key, KeyPlace};
use crate::tui::model::{Model, Overlay};
use crate::tui::toast::{self, Tone};
use crate::tui::{change, dialog, offer};

/// The editor has ended.
pub(crate) fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Edited(result) => edited(model, result),
    }
    Vec::new()
}

/// A key for the form.
pub(crate) fn key(model: &mut Model, key: Key) -> Vec<Effect> {
    let action = model.keymap.resolve(KeyPlace::Form, key);
    let Some(form) = model.form_mut() else {
        return Vec::new();
    };
    let types = matches!(key.code, Code::Char(_)) && !key.ctrl && !key.alt;
    match action.filter(|_| !types) {
        Some(Action::Back) => close(model),
        Some(action @ (Action::QuitNow | Action::Suspend | Action::Redraw)) => {
            return vec![Effect::asks(action)];
        }
        // What is on its way stays as it is.
        _ if form.is_sent() => {}
        Some(Action::Submit) => return submit(model),
        Some(Action::Editor) if form.at() == Part::Payload => return edit(form),
        Some(Action::NextPane) => form.step(1),
        Some(Action::PreviousPane) => form.step(form.parts().len() - 1),
        _ => return fill_in(model, key),
    }
    Vec::new()
}

/// Closes it. What was filled into the one that offers stays for the next time.
pub(crate) fn close(model: &mut Model) {
    offer::update::put_away(model);
    model.overlay.take_if(|overlay| overlay.form().is_some());
}

/// Does what the form says.
fn submit(model: &mut Model) -> Vec<Effect> {
    match &model.overlay {
        Some(Overlay::Offer(_)) => offer::update::submit(model),
        _ => change::update::forms::submit(model),
    }
}

fn fill_in(model: &mut Model, key: Key) -> Vec<Effect> {
    let room = model.drawn.room.message;
    let proposes = matches!(model.overlay, Some(Overlay::Requeue(_)));
    let Some(form) = model.form_mut() else {
        return Vec::new();
    };
    let back = form.parts().len() - 1;
    match (form.at(), key.code) {
        (Part::Payload, _) => {
            let changed = form.message_mut().is_some_and(|(field, _)| field.key(key));
            typed(form, room, changed);
        }
        (part, Code::Enter) if part.is_button() => return submit(model),
        (Part::Button, Code::Char(' ')) => return submit(model),
        // What it proposes may be all right, and its question comes first.
        (_, Code::Enter) if proposes => return submit(model),
        (_, Code::Enter | Code::Down) => form.step(1),
        (_, Code::Up) => form.step(back),
        (part, Code::Right | Code::Char(' ')) if part.is_choice() => form.choose(true),
        (part, Code::Left) if part.is_choice() => form.choose(false),
        (Part::Cure | Part::Repair(_), Code::Char(_)) => {
            return change::update::forms::letter(model, key);
        }
        _ => {
            if let Some(field) = form.line() {
                field.key(key);
            }
        }
    }
    Vec::new()
}

/// The message is another one, or its cursor stands elsewhere: in sight, where it has so much room.
fn typed(form: &mut dyn InputForm, room: Option<(usize, usize)>, changed: bool) {
    if changed {
        form.typed();
    }
    let top = room.map(|room| super::top(form, room));
    if let (Some((_, shown)), Some(top)) = (form.message_mut(), top) {
        *shown = top;
    }
}

/// Pasted text goes into the field that has the keys.
pub(crate) fn pasted(model: &mut Model, text: &str) {
    let room = model.drawn.room.message;
    let Some(form) = model.form_mut().filter(|form| !form.is_sent()) else {
        return;
    };
    if form.at() == Part::Payload {
        if let Some((message, _)) = form.message_mut() {
            message.paste(text);
        }
        typed(form, room, true);
    } else if let Some(field) = form.line() {
        field.paste(text.trim());
    } else {
        dialog::update::typed::nowhere(model);
    }
}

/// A click gives the keys to a part; on a choice that has them it goes on, on a button it presses
/// it. Beside the form it closes it, as Esc does.
pub(crate) fn clicked(model: &mut Model, target: Option<Target>) -> Vec<Effect> {
    let part = match target {
        Some(Target::Part(part)) => part,
        Some(Target::Beside) => {
            close(model);
            return Vec::new();
        }
        _ => return Vec::new(),
    };
    let Some(form) = model.form_mut().filter(|form| !form.is_sent()) else {
        return Vec::new();
    };
    match part {
        Part::Button => return submit(model),
        part if part == form.at() && part.is_choice() => form.choose(true),
        // A click into a line that is typed only gives it the keys.
        part if part == form.at() && part.is_button() && form.line().is_none() => {
            return submit(model);
        }
        part => form.go(part),
    }
    Vec::new()
}

fn edit(form: &dyn InputForm) -> Vec<Effect> {
    let Some((message, _, extension)) = form.message() else {
        return Vec::new();
    };
    vec![Effect::Edit {
        text: message.text(),
        extension,
    }]
}

/// It gave back another text, or said why not.
fn edited(model: &mut Model, result: Result<String, String>) {
    let room = model.drawn.room.message;
    match (result, model.form_mut()) {
        (Ok(text), Some(form)) => {
            if let Some((message, _)) = form.message_mut() {
                message.set(&text);
            }
            typed(form, room, true);
        }
        (Err(why), _) => toast::update::say(model, why, Tone::Warn),
        (Ok(_), _) => {}
    }
}
