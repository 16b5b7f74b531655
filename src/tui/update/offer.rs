//! The form that offers messages: keys fill it in, an offer is made of it, the answer is told.

use super::{act, link, load, plan};
use crate::clock::EpochMillis;
use crate::payload::{self, Codec};
use crate::queue::{Form, Layout, Queue, text};
use crate::tui::areas::offer as places;
use crate::tui::effect::{Effect, ToOffer};
use crate::tui::keys::{Action, Code, Key, Place};
use crate::tui::model::offer::{
    OfferForm, Offered, Part, Seen, check_message, count, due, what_form,
};
use crate::tui::model::{Model, Overlay, Tone};
use crate::tui::view::time;

/// `o`: opens the form, with what was last filled in for this queue.
pub(super) fn open(model: &mut Model) -> Vec<Effect> {
    let Some(queue) = model.selected().map(|row| row.queue.clone()) else {
        return Vec::new();
    };
    let draft = model.drafts.remove(&queue);
    let mut form = draft.unwrap_or_else(|| OfferForm::new(queue.clone()));
    form.failed = None;
    form.message = check_message(&form);
    model.overlay = Some(Overlay::Offer(Box::new(form)));
    vec![Effect::SampleQueue(queue)]
}

/// Closes the form; what was filled in stays for the next time.
pub(super) fn put_away(model: &mut Model) {
    if let Some(Overlay::Offer(form)) = model.overlay.take_if(|o| matches!(o, Overlay::Offer(_))) {
        model.drafts.insert(form.queue.clone(), *form);
    }
}

/// The form of a queue, open or put away.
fn of<'a>(model: &'a mut Model, queue: &Queue) -> Option<&'a mut OfferForm> {
    match &mut model.overlay {
        Some(Overlay::Offer(form)) if form.queue == *queue => Some(form),
        _ => model.drafts.get_mut(queue),
    }
}

/// The queue's entries were looked at.
pub(super) fn sampled(model: &mut Model, queue: &Queue, seen: Seen) {
    if let Some(form) = of(model, queue) {
        form.seen = seen;
        form.message = check_message(form);
    }
}

/// A key for the form: what is typed never does anything else.
pub(super) fn key(model: &mut Model, key: Key) -> Vec<Effect> {
    let action = model.keymap.resolve(Place::Form, key);
    let Some(Overlay::Offer(form)) = &mut model.overlay else {
        return Vec::new();
    };
    let types = matches!(key.code, Code::Char(_)) && !key.ctrl && !key.alt;
    let action = action.filter(|_| !types);
    match action {
        Some(Action::Back) => put_away(model),
        Some(action @ (Action::QuitNow | Action::Suspend | Action::Redraw)) => {
            return act::act(model, action);
        }
        // What is on its way stays as it is.
        _ if form.sending.is_some() => {}
        Some(Action::Submit) => return submit(model),
        Some(Action::Editor) if form.at == Part::Payload => return edit(form),
        Some(Action::NextPane) => step(form, 1),
        Some(Action::PreviousPane) => step(form, form.parts().len() - 1),
        _ => return fill_in(model, key),
    }
    Vec::new()
}

/// The keys go `steps` parts on.
fn step(form: &mut OfferForm, steps: usize) {
    let parts = form.parts();
    let at = parts.iter().position(|part| *part == form.at).unwrap_or(0);
    form.at = parts[(at + steps) % parts.len()];
}

fn fill_in(model: &mut Model, key: Key) -> Vec<Effect> {
    let size = model.size;
    let Some(Overlay::Offer(form)) = &mut model.overlay else {
        return Vec::new();
    };
    let back = form.parts().len() - 1;
    match (form.at, key.code) {
        (Part::Payload, _) => {
            let changed = form.payload.key(key);
            typed(form, size, changed);
        }
        (Part::Button, Code::Enter | Code::Char(' ')) => return submit(model),
        (_, Code::Enter | Code::Down) => step(form, 1),
        (_, Code::Up) => step(form, back),
        (Part::Codec | Part::Form, Code::Right | Code::Char(' ')) => choose(form, true),
        (Part::Codec | Part::Form, Code::Left) => choose(form, false),
        _ => {
            if let Some(field) = form.line() {
                field.key(key);
            }
        }
    }
    Vec::new()
}

/// The message is another one, or its cursor stands elsewhere.
fn typed(form: &mut OfferForm, size: (u16, u16), changed: bool) {
    if changed {
        form.failed = None;
        form.message = check_message(form);
    }
    form.top = places::top(size, form);
}

/// The next codec, or form, or the one before.
fn choose(form: &mut OfferForm, on: bool) {
    if form.at == Part::Codec {
        let codecs: Vec<Codec> = Codec::ALL
            .into_iter()
            .filter(|codec| *codec != Codec::Unknown)
            .collect();
        form.codec = next(&codecs, Some(form.written_with()), on);
        form.message = check_message(form);
    } else {
        form.form = next(forms(form), form.wrapped_in(), on);
    }
}

/// The forms of the server that the queue lies on: with its lengths, when those are known.
fn forms(form: &OfferForm) -> &'static [Form] {
    match form.seen {
        Seen::Known {
            form: Some(Form::ByteIdShort | Form::DoubleIdShort),
            ..
        } => &[Form::ByteIdShort, Form::DoubleIdShort],
        _ => &[Form::ByteId, Form::DoubleId],
    }
}

fn next<T: Copy + PartialEq>(all: &[T], now: Option<T>, on: bool) -> Option<T> {
    let at = all.iter().position(|one| Some(*one) == now);
    let to = match (at, on) {
        (Some(at), true) => (at + 1) % all.len(),
        (Some(at), false) => (at + all.len() - 1) % all.len(),
        (None, true) => 0,
        (None, false) => all.len() - 1,
    };
    all.get(to).copied()
}

/// Pasted text goes into the field that has the keys.
pub(super) fn pasted(model: &mut Model, text: &str) {
    let size = model.size;
    if let Some(Overlay::Offer(form)) = &mut model.overlay
        && form.sending.is_none()
    {
        if form.at == Part::Payload {
            form.payload.paste(text);
            typed(form, size, true);
        } else if let Some(field) = form.line() {
            field.paste(text.trim());
        }
    }
}

/// A click gives the keys to a part; on a choice that has them it goes on, on the button it
/// offers. Beside the form it puts it away, as Esc does.
pub(super) fn clicked(model: &mut Model, x: u16, y: u16) -> Vec<Effect> {
    let size = model.size;
    let Some(Overlay::Offer(form)) = &mut model.overlay else {
        return Vec::new();
    };
    let plan = places::plan(size, form);
    if !plan.slot.outer.holds(x, y) {
        put_away(model);
        return Vec::new();
    }
    if form.sending.is_some() {
        return Vec::new();
    }
    let part = plan.part_at(x, y);
    match part {
        Some(Part::Button) => return submit(model),
        Some(part @ (Part::Codec | Part::Form)) if part == form.at => choose(form, true),
        Some(part) => form.at = part,
        None => {}
    }
    Vec::new()
}

fn edit(form: &OfferForm) -> Vec<Effect> {
    let extension = match form.written_with() {
        Codec::Json | Codec::TypedJson => "json",
        _ => "txt",
    };
    vec![Effect::Edit {
        text: form.payload.text(),
        extension,
    }]
}

/// The editor has ended.
pub(super) fn edited(model: &mut Model, result: Result<String, String>) {
    let size = model.size;
    match (result, &mut model.overlay) {
        (Ok(text), Some(Overlay::Offer(form))) => {
            form.payload.set(&text);
            typed(form, size, true);
        }
        (Err(why), _) => act::say(model, why, Tone::Warn),
        (Ok(_), _) => {}
    }
}

/// Offers, or says what is wrong, and where.
fn submit(model: &mut Model) -> Vec<Effect> {
    let now = model.schedule.exact;
    let generation = load::generation(model);
    let live = link::live(model);
    let Some(Overlay::Offer(form)) = &mut model.overlay else {
        return Vec::new();
    };
    if !live {
        form.failed = Some("the server is away".to_owned());
        return Vec::new();
    }
    match read(form, now, generation) {
        Ok(offer) => {
            form.failed = None;
            form.sending = Some(generation);
            vec![Effect::Offer(Box::new(offer))]
        }
        Err((part, why)) => {
            form.at = part;
            act::say(model, why, Tone::Warn);
            Vec::new()
        }
    }
}

/// What would be offered, or the first part that is wrong, and why.
fn read(form: &OfferForm, now: EpochMillis, generation: u64) -> Result<ToOffer, (Part, String)> {
    let said = form.message.said.as_ref().filter(|said| said.is_wrong());
    if let Some(said) = said {
        return Err((Part::Payload, said.words().to_owned()));
    }
    let wrong = |part| move |why: String| (part, why);
    let typed = form.payload.text();
    let payload = payload::encode(form.written_with(), &typed)
        .map_err(|why| (Part::Codec, why.to_string()))?;
    let frame = match form.queue.layout {
        Layout::ZsetList(_) => Form::ByteId,
        Layout::Redisson => form
            .wrapped_in()
            .ok_or_else(|| (Part::Form, what_form(form).words().to_owned()))?,
    };
    Ok(ToOffer {
        generation,
        queue: form.queue.clone(),
        payload,
        count: count(form).map_err(wrong(Part::Count))?,
        due: due(form, now).map_err(wrong(Part::Due))?,
        form: frame,
    })
}

/// The answer to an offer.
pub(super) fn answered(
    model: &mut Model,
    generation: u64,
    queue: &Queue,
    due: EpochMillis,
    outcome: &Offered,
) {
    let Some(form) = of(model, queue).filter(|form| form.sending == Some(generation)) else {
        return;
    };
    form.sending = None;
    if let Offered::Done { ids, .. } = outcome
        && !ids.is_empty()
    {
        let messages = text::counted(ids.len() as u64, "message", "messages");
        let at = time::short(model.look.zone, due, model.schedule.exact);
        model.changed(queue, format!("offered {messages}, due {at}"));
    }
    told_of(model, queue, due, outcome);
    if model.selected().is_some_and(|row| row.queue == *queue) {
        plan::want_selected(model);
    }
}

/// Says how it went: in the form while it is open, else in a toast.
fn told_of(model: &mut Model, queue: &Queue, due: EpochMillis, outcome: &Offered) {
    let Some(form) = of(model, queue) else {
        return;
    };
    let trouble = trouble(outcome);
    form.failed.clone_from(&trouble);
    let open = matches!(&model.overlay, Some(Overlay::Offer(form)) if form.queue == *queue);
    match (trouble, open) {
        (Some(_), true) => {}
        (Some(why), false) => act::say(model, why, Tone::Warn),
        (None, _) => {
            if open {
                put_away(model);
            }
            let words = told(model, due, outcome);
            let tone = match outcome {
                Offered::Done {
                    refused: 0,
                    unannounced: None,
                    ..
                } => Tone::Good,
                _ => Tone::Warn,
            };
            act::say(model, words, tone);
        }
    }
}

/// What keeps the form open: something is not in, or nobody knows.
fn trouble(outcome: &Offered) -> Option<String> {
    match outcome {
        Offered::Failed(why) => Some(format!("nothing was offered: {why}")),
        Offered::Done {
            ids,
            stopped: Some((why, unknown, left)),
            ..
        } => {
            let mut words = Vec::new();
            if !ids.is_empty() {
                words.push(format!("{} in", text::thousands(ids.len() as u64)));
            }
            if *unknown > 0 {
                let many = text::thousands(*unknown);
                words.push(format!("{many} in or not: the answer never came"));
            }
            if *left > 0 {
                words.push(format!("{} not offered", text::thousands(*left)));
            }
            Some(format!("{}: {why}", words.join(", ")))
        }
        Offered::Done { .. } => None,
    }
}

fn told(model: &Model, due: EpochMillis, outcome: &Offered) -> String {
    let Offered::Done {
        ids,
        refused,
        head,
        unannounced,
        ..
    } = outcome
    else {
        return String::new();
    };
    let mut words = Vec::new();
    if let Some(id) = ids.first() {
        let at = time::short(model.look.zone, due, model.schedule.exact);
        let count = text::thousands(ids.len() as u64);
        let id = id.to_string();
        words.push(format!("offered {count}, due {at}, {}…", &id[..6]));
    }
    if *refused > 0 {
        let many = text::thousands(*refused);
        words.push(format!("{many} refused: an equal message waits already"));
    }
    match unannounced {
        Some(why) => words.push(format!("the new head, not announced: {why}")),
        None if *head => words.push("the new head".to_owned()),
        None => {}
    }
    words.join("; ")
}
