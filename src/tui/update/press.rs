//! A key is pressed: who gets it.

use crate::tui::effect::Effect;
use crate::tui::keys::{Action, Key, KeyPlace};
use crate::tui::model::{Model, Overlay};
use crate::tui::toast::{self, Tone};
use crate::tui::{change, dialog, focus, form, prompt, reason};

/// A key goes to the line that is typed, else to what lies over the screen, else to the screen.
pub(crate) fn pressed(model: &mut Model, key: Key) -> Vec<Effect> {
    if dialog::update::typed::is_behind(model, key) {
        return Vec::new();
    }
    let asked = dialog::update::typed::is_asked(model);
    model.schedule.pressed = Some(key);
    toast::update::seen(model);
    let effects = match (&model.prompt, &model.overlay) {
        _ if model.planned_now().is_some() => change::update::key_meanwhile(model, key),
        (Some(_), _) => prompt::update::key(model, key),
        (None, Some(Overlay::Dialog(_))) => dialog::update::key(model, key),
        (None, Some(overlay)) if overlay.form().is_some() => form::update::key(model, key),
        (None, _) => act_or_answer(model, key),
    };
    if asked && !dialog::update::typed::is_asked(model) {
        dialog::update::typed::answered(model, key);
    }
    effects
}

/// Does what a key means there; one that means nothing is answered all the same.
fn act_or_answer(model: &mut Model, key: Key) -> Vec<Effect> {
    if let Some(action) = resolve(model, key) {
        return super::act::act(model, action);
    }
    let words = reason::unbound(model, key);
    toast::update::say(model, words, Tone::Warn);
    Vec::new()
}

/// Pasted text goes where text is typed, and nowhere else.
pub(crate) fn pasted(model: &mut Model, text: &str) -> Vec<Effect> {
    match (&model.prompt, &model.overlay) {
        _ if model.planned_now().is_some() => change::update::hold(model),
        (None, Some(Overlay::Dialog(_))) => dialog::update::pasted(model, text),
        (None, Some(overlay)) if overlay.form().is_some() => form::update::pasted(model, text),
        (None, _) => dialog::update::typed::nowhere(model),
        (Some(_), _) => return prompt::update::pasted(model, text),
    }
    Vec::new()
}

/// Returns the action that a key means: to the panel of a change under way while that has the keys,
/// else to what they go to otherwise.
fn resolve(model: &Model, key: Key) -> Option<Action> {
    let panel = change::progress::queries::has_keys(model);
    let panel = panel.then(|| model.keymap.resolve(KeyPlace::Bulk, key));
    let below = || model.keymap.resolve(focus::place(model), key);
    panel.flatten().or_else(below)
}
