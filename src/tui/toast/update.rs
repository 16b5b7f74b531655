//! Short messages: how long they stay, and which comes next. They go with the next key.

use std::time::Duration;

use super::{Toast, Tone};
use crate::tui::model::Model;

/// The shortest message stays so long.
const SHORTEST: Duration = Duration::from_secs(2);

/// The longest one.
const LONGEST: Duration = Duration::from_secs(8);

/// To look there, and then for each character.
const LOOK: Duration = Duration::from_millis(500);

const CHARACTER: Duration = Duration::from_millis(30);

/// Bad news keeps its place so long when something else is to be said.
const UNREAD: Duration = Duration::from_secs(2);

/// The most messages that wait.
const WAITING: usize = 8;

/// Shows a short message. Bad news that is shown already is not wiped away by it: it comes after.
pub(crate) fn say(model: &mut Model, text: String, tone: Tone) {
    let now = model.instant;
    let new = Toast {
        until: now + stays(&text, tone),
        text,
        tone,
    };
    match &mut model.toast {
        Some(shown) if shown.tone == Tone::Error && shown.text != new.text && now < shown.until => {
            shown.until = shown.until.min(now + UNREAD);
            wait(model, new);
        }
        shown => *shown = Some(new),
    }
}

/// Shows a short message once those in sight and before it have been read.
pub(crate) fn say_after(model: &mut Model, text: String, tone: Tone) {
    if model.toast.is_none() {
        return say(model, text, tone);
    }
    let new = Toast {
        until: model.instant,
        text,
        tone,
    };
    wait(model, new);
}

fn wait(model: &mut Model, new: Toast) {
    model.later.retain(|waiting| waiting.text != new.text);
    model.later.push_back(new);
    if model.later.len() > WAITING {
        model.later.pop_front();
    }
}

/// Returns the time that it takes to notice a message and to read it.
fn stays(text: &str, tone: Tone) -> Duration {
    let letters = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    let reading = LOOK + CHARACTER.saturating_mul(letters);
    let twice = if tone == Tone::Error { 2 } else { 1 };
    (reading * twice).clamp(SHORTEST, LONGEST)
}

/// The message in sight has been read: the next one comes.
pub(crate) fn dismiss(model: &mut Model) {
    if let Some(shown) = &mut model.toast {
        shown.until = model.instant;
    }
    pass(model);
}

/// A key was pressed: whoever presses it has gone on. Bad news stays for as long as it has its place.
pub(crate) fn seen(model: &mut Model) {
    let now = model.instant;
    match &mut model.toast {
        Some(shown) if shown.tone == Tone::Error => shown.until = shown.until.min(now + UNREAD),
        Some(_) => dismiss(model),
        None => {}
    }
}

/// Time has passed: a message that has been there long enough goes, and the next one comes.
pub(crate) fn pass(model: &mut Model) {
    let now = model.instant;
    if model.toast.as_ref().is_none_or(|shown| now < shown.until) {
        return;
    }
    model.toast = model.later.pop_front().map(|next| Toast {
        until: now + stays(&next.text, next.tone),
        ..next
    });
}
