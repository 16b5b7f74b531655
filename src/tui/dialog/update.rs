//! A question is answered: by a key of its own, or by Enter on the button that has the focus,
//! which is first the one that does nothing; never by the key that asked it. Where a name has to
//! be typed, by that name.

pub mod typed;

use std::time::Duration;

use super::{AnswerRemark, Button, Dialog, Question};
use crate::tui::effect::Effect;
use crate::tui::hitmap::Target;
use crate::tui::keys::{Action, Code, Key, KeyPlace};
use crate::tui::model::{Model, Overlay};
use crate::tui::msg::Msg;
use crate::tui::{change, lives, offer, worker};

/// Letters that follow each other so fast are a word: no letter of it is an answer.
const WORD: Duration = Duration::from_secs(1);

/// Time for which it is said why a key is no answer.
const TOLD: Duration = Duration::from_secs(3);

/// Asks. What else lies over the screen gives way.
pub(crate) fn open(model: &mut Model, dialog: Dialog) {
    model.toast = None;
    model.answer_keys.typed = None;
    model.overlay = Some(Overlay::Dialog(Box::new(Dialog {
        opened_by: dialog.opened_by.or(model.schedule.pressed),
        ..dialog
    })));
}

/// A key while a question stands.
pub(crate) fn key(model: &mut Model, key: Key) -> Vec<Effect> {
    let action = model.keymap.resolve(KeyPlace::Dialog, key);
    let Some(Overlay::Dialog(dialog)) = &mut model.overlay else {
        return Vec::new();
    };
    let leaves = matches!(
        action,
        Some(Action::QuitNow | Action::Suspend | Action::Redraw)
    );
    if let Some(action) = action.filter(|_| leaves) {
        return vec![Effect::asks(action)];
    }
    if action == Some(Action::Refresh) {
        return looks_again(model, key);
    }
    let types = matches!(key.code, Code::Char(_)) && !key.ctrl && !key.alt;
    let answers = matches!(
        action,
        Some(Action::Confirm | Action::Back | Action::Quit | Action::Refuse)
    );
    let now = model.instant;
    let amid = |typed| now.saturating_duration_since(typed) < WORD;
    let amid = model.answer_keys.typed.is_some_and(amid);
    match (&mut dialog.name, action) {
        // Whoever types a name takes this for the question that asks for one.
        (None, _) if types && dialog.opened_by != Some(key) && (amid || !answers) => {
            model.answer_keys.typed = Some(now);
            if answers {
                too_soon(model, key)
            } else {
                no_key(model, key)
            }
        }
        (Some(_), Some(Action::Back)) => refused(model),
        (Some(name), _) if key.code == Code::Enter => {
            name.wrong = !name.is_right();
            if name.wrong {
                Vec::new()
            } else {
                agreed(model)
            }
        }
        (Some(name), action) if types || action.is_none() => {
            name.wrong &= !name.field.key(key);
            Vec::new()
        }
        (None, _) if dialog.opened_by == Some(key) => has_asked(model, key),
        (None, _) if key.code == Code::Enter && amid => too_soon(model, key),
        (None, _) if key.code == Code::Enter => match dialog.focus {
            Button::No => refused(model),
            Button::Yes => agreed(model),
        },
        (None, _) if moves(action, key) => {
            dialog.focus = dialog.focus.other();
            // From now on it is meant for the button.
            dialog.opened_by = None;
            Vec::new()
        }
        (None, Some(Action::Confirm)) => agreed(model),
        (None, Some(Action::Back | Action::Quit | Action::Refuse)) => refused(model),
        _ => no_key(model, key),
    }
}

/// The question is asked anew, about what is there now.
fn looks_again(model: &mut Model, key: Key) -> Vec<Effect> {
    match change::queries::asks_again(model) {
        Some(generation) => {
            model.overlay = None;
            vec![Effect::tell(Msg::Change(change::Msg::LookAgain(
                generation,
            )))]
        }
        None => no_key(model, key),
    }
}

/// A key gives the focus to the other button.
const fn moves(action: Option<Action>, key: Key) -> bool {
    let arrow = matches!(key.code, Code::Left | Code::Right) && !key.ctrl && !key.alt;
    arrow || matches!(action, Some(Action::NextPane | Action::PreviousPane))
}

/// Any other key does nothing: where the answers stand it is said which do.
fn no_key(model: &mut Model, key: Key) -> Vec<Effect> {
    let label = key.label(model.look.ascii);
    no_answer(model, &label);
    Vec::new()
}

/// The key that asked is no answer, also where it would press a button: which it may do once the
/// focus was moved.
fn has_asked(model: &mut Model, key: Key) -> Vec<Effect> {
    if let Some(Overlay::Dialog(dialog)) = &model.overlay {
        let (label, words) = (key.label(model.look.ascii), answers(model, dialog));
        tell(model, format!("{label} has asked this: {words}"));
    }
    Vec::new()
}

/// An answer amid letters that are none may be a letter of a word too: it is to be given once more.
fn too_soon(model: &mut Model, key: Key) -> Vec<Effect> {
    let label = key.label(model.look.ascii);
    let words = format!("{label} came amid other keys: wait a second, then press it again");
    tell(model, words);
    Vec::new()
}

fn no_answer(model: &mut Model, what: &str) {
    if let Some(Overlay::Dialog(dialog)) = &model.overlay {
        let words = answers(model, dialog);
        tell(model, format!("{what} is no answer: {words}"));
    }
}

/// Says something where the answers stand.
fn tell(model: &mut Model, words: String) {
    let until = model.instant + TOLD;
    if let Some(Overlay::Dialog(dialog)) = &mut model.overlay {
        dialog.told = Some(AnswerRemark { words, until });
    }
}

/// Pasted text is the name, when one is asked for; else no answer.
pub(crate) fn pasted(model: &mut Model, text: &str) {
    let Some(Overlay::Dialog(dialog)) = &mut model.overlay else {
        return;
    };
    match &mut dialog.name {
        Some(name) => {
            name.field.paste(text);
            name.wrong = false;
        }
        None => no_answer(model, "pasted text"),
    }
}

/// The keys that answer: `press y to delete, Esc to cancel`.
pub(crate) fn answers(model: &Model, dialog: &Dialog) -> String {
    let key = |action| {
        model
            .keymap
            .label(action, model.look.ascii)
            .unwrap_or_default()
    };
    let (yes, no) = (dialog.yes, dialog.no);
    let no = format!("{} to {no}", key(Action::Back));
    match dialog.name {
        Some(_) => format!("the name, then Enter to {yes}; {no}"),
        None => format!("press {} to {yes}, {no}", key(Action::Confirm)),
    }
}

/// A click on one of the buttons, or beside the question: that is no. Yes by the mouse needs the
/// name as well.
pub(crate) fn clicked(model: &mut Model, target: Option<Target>) -> Vec<Effect> {
    let button = match target {
        Some(Target::Beside) => Some(Button::No),
        Some(Target::Button(button)) => Some(button),
        _ => None,
    };
    let Some(Overlay::Dialog(dialog)) = &mut model.overlay else {
        return Vec::new();
    };
    match button {
        Some(Button::No) => refused(model),
        Some(Button::Yes) => {
            let wrong = dialog.name.as_ref().is_some_and(|name| !name.is_right());
            if let Some(name) = &mut dialog.name {
                name.wrong = wrong;
            }
            if wrong { Vec::new() } else { agreed(model) }
        }
        None => Vec::new(),
    }
}

fn refused(model: &mut Model) -> Vec<Effect> {
    let Some(Overlay::Dialog(dialog)) = model.overlay.take() else {
        return Vec::new();
    };
    match dialog.question {
        Question::Change(generation) => {
            vec![Effect::tell(Msg::Change(change::Msg::Refused(generation)))]
        }
        Question::Offer(offer) => {
            vec![Effect::tell(Msg::Offer(offer::Msg::Refused(offer.queue)))]
        }
        Question::Monitor(_) => {
            vec![Effect::tell(Msg::Lives(lives::Msg::Refused))]
        }
        Question::StartWorker(_) | Question::StopWorker(_) | Question::Leave(_) => Vec::new(),
    }
}

fn agreed(model: &mut Model) -> Vec<Effect> {
    if let Some(why) = change::queries::why_no_yes(model) {
        tell(model, why.to_owned());
        return Vec::new();
    }
    let Some(Overlay::Dialog(dialog)) = model.overlay.take() else {
        return Vec::new();
    };
    let agreed = match dialog.question {
        Question::StartWorker(queue) => Msg::Worker(worker::Msg::StartAgreed(queue)),
        Question::Monitor(queue) => Msg::Lives(lives::Msg::Agreed(queue)),
        Question::StopWorker(queue) => Msg::Worker(worker::Msg::StopAgreed(queue)),
        Question::Change(generation) => Msg::Change(change::Msg::Agreed(generation)),
        Question::Offer(offer) => Msg::Offer(offer::Msg::Agreed(offer)),
        Question::Leave(effects) => return effects,
    };
    vec![Effect::tell(agreed)]
}
