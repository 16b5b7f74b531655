//! The form that offers messages: it is opened, an offer is made of it, the answer is told.

use super::{Msg, OfferForm, OfferReply, SeenFormat};
use crate::clock::EpochMillis;
use crate::queue::asks::{Confirmation, NameReason};
use crate::queue::{Form, Queue, text};
use crate::tui::dialog::{self, Button, Dialog, DialogLine, Question, TypedName};
use crate::tui::effect::Effect;
use crate::tui::form::Part;
use crate::tui::model::{Model, NO_CONNECTION, Overlay};
use crate::tui::moments;
use crate::tui::offer::check::{check_message, count, due, what_form};
use crate::tui::offer::{self, OfferRequest};
use crate::tui::schedule::pace;
use crate::tui::toast::{self, Tone};

/// The queue's entries were looked at, or an offer was answered.
pub(crate) fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Sampled(queue, seen) => sampled(model, &queue, seen),
        Msg::Agreed(offer) => agreed(model, *offer),
        Msg::Refused(queue) => {
            reopen(model, &queue);
            Vec::new()
        }
        Msg::Answered {
            generation,
            queue,
            due,
            outcome,
        } => {
            answered(model, generation, &queue, due, &outcome);
            Vec::new()
        }
    }
}

/// `o`: opens the form, with what was last filled in for this queue.
pub(crate) fn open(model: &mut Model) -> Vec<Effect> {
    let Some(queue) = model.selected().map(|row| row.queue.clone()) else {
        return Vec::new();
    };
    let draft = model.drafts.remove(&queue);
    let mut form = draft.unwrap_or_else(|| OfferForm::new(queue.clone()));
    form.failed = None;
    form.message = check_message(&form);
    model.overlay = Some(Overlay::Offer(Box::new(form)));
    vec![Effect::Offer(offer::Effect::Sample(queue))]
}

/// Closes the form; what was filled in stays for the next time.
pub(crate) fn put_away(model: &mut Model) {
    if let Some(Overlay::Offer(form)) = model.overlay.take_if(|o| matches!(o, Overlay::Offer(_))) {
        let mut form = *form;
        form.waiting = false;
        model.drafts.insert(form.queue.clone(), form);
    }
}

/// The form of a queue, open or put away.
fn of<'a>(model: &'a mut Model, queue: &Queue) -> Option<&'a mut OfferForm> {
    match &mut model.overlay {
        Some(Overlay::Offer(form)) if form.queue == *queue => Some(form),
        _ => model.drafts.get_mut(queue),
    }
}

/// The queue's entries were looked at: what waited for that goes.
fn sampled(model: &mut Model, queue: &Queue, seen: SeenFormat) -> Vec<Effect> {
    let Some(form) = of(model, queue) else {
        return Vec::new();
    };
    form.seen = seen;
    form.message = check_message(form);
    let waited = std::mem::take(&mut form.waiting);
    let failed = matches!(form.seen, SeenFormat::Failed(_));
    match (waited, failed) {
        (false, _) => Vec::new(),
        (true, false) => submit(model),
        // What it would be written in is a guess now: that is for the user to decide.
        (true, true) => {
            let words = "nothing is offered yet: the queue could not be looked at";
            toast::update::say(model, words.to_owned(), Tone::Warn);
            Vec::new()
        }
    }
}

/// Offers, or says what is wrong, and where.
pub(crate) fn submit(model: &mut Model) -> Vec<Effect> {
    let now = model.schedule.exact;
    let generation = model.schedule.next_generation();
    let live = model.is_live();
    let Some(Overlay::Offer(form)) = &mut model.overlay else {
        return Vec::new();
    };
    if !live {
        form.failed = Some(NO_CONNECTION.to_owned());
        return Vec::new();
    }
    if form.needs_seen() {
        form.waiting = true;
        return Vec::new();
    }
    match read(form, now, generation) {
        Ok(offer) => {
            form.failed = None;
            if let Some(name) = asked_by_name(model, &offer) {
                ask(model, offer, name);
                return Vec::new();
            }
            send(model, offer)
        }
        Err((part, why)) => {
            form.at = part;
            toast::update::say(model, why, Tone::Warn);
            Vec::new()
        }
    }
}

/// The queue's name, where that is asked for: the form is the question for a few.
fn asked_by_name(model: &Model, offer: &OfferRequest) -> Option<TypedName> {
    let profile = model
        .site
        .profile
        .as_ref()
        .filter(|profile| profile.protected);
    let why = match (
        Confirmation::about(offer.count, None, profile.is_some()),
        profile,
    ) {
        (Confirmation::Yes, _) => return None,
        (Confirmation::Name(NameReason::Protected), Some(profile)) => {
            TypedName::protected(&profile.name)
        }
        _ => format!("{} messages at once", text::thousands(offer.count)),
    };
    Some(TypedName::of(&offer.queue, why))
}

/// Asks whether that shall be offered. The form is put away meanwhile.
fn ask(model: &mut Model, offer: OfferRequest, name: TypedName) {
    put_away(model);
    let due = moments::short(model.look.zone, offer.due, model.schedule.exact);
    let messages = text::counted(offer.count, "message", "messages");
    let bytes = offer.count.saturating_mul(offer.payload.len() as u64);
    let lines = vec![
        DialogLine::Words(format!("Offer {messages} to {}?", name.wanted)),
        DialogLine::Blank,
        DialogLine::Fact("due", due),
        DialogLine::Fact("payloads", text::bytes(bytes)),
        DialogLine::Fact("server", text::printable(&model.site.endpoint).into_owned()),
        DialogLine::Blank,
        DialogLine::Words("Undo takes back what still waits.".to_owned()),
    ];
    let dialog = Dialog {
        title: "Offer?".to_owned(),
        lines,
        yes: "offer",
        no: "cancel",
        name: Some(name),
        focus: Button::No,
        opened_by: None,
        question: Question::Offer(Box::new(offer)),
        told: None,
    };
    dialog::update::open(model, dialog);
}

/// The form of that queue comes back as it was filled in.
fn reopen(model: &mut Model, queue: &Queue) {
    if let Some(form) = model.drafts.remove(queue) {
        model.overlay = Some(Overlay::Offer(Box::new(form)));
    }
}

fn agreed(model: &mut Model, offer: OfferRequest) -> Vec<Effect> {
    reopen(model, &offer.queue);
    send(model, offer)
}

/// Sends it off; the form waits for the answer.
fn send(model: &mut Model, offer: OfferRequest) -> Vec<Effect> {
    if let Some(form) = of(model, &offer.queue) {
        form.sending = Some(offer.generation);
    }
    vec![Effect::Offer(offer::Effect::Make(Box::new(offer)))]
}

/// Returns what would be offered, or the first part that is wrong, and why.
fn read(
    form: &OfferForm,
    now: EpochMillis,
    generation: u64,
) -> Result<OfferRequest, (Part, String)> {
    let said = form.message.said.as_ref().filter(|said| said.is_wrong());
    if let Some(said) = said {
        return Err((Part::Payload, said.words().to_owned()));
    }
    let wrong = |part| move |why: String| (part, why);
    let typed = form.payload.text();
    let payload = form
        .encoded(&typed)
        .map_err(|why| (Part::Codec, why.to_string()))?;
    let frame = if form.queue.has_frames() {
        form.wrapped_in()
            .ok_or_else(|| (Part::Form, what_form(form).words().to_owned()))?
    } else {
        Form::ByteId
    };
    Ok(OfferRequest {
        generation,
        queue: form.queue.clone(),
        payload,
        count: count(form).map_err(wrong(Part::Count))?,
        due: due(form, now).map_err(wrong(Part::Due))?,
        form: frame,
    })
}

/// The answer to an offer.
fn answered(
    model: &mut Model,
    generation: u64,
    queue: &Queue,
    due: EpochMillis,
    outcome: &OfferReply,
) {
    let Some(form) = of(model, queue).filter(|form| form.sending == Some(generation)) else {
        return;
    };
    form.sending = None;
    model.changes.want_journal();
    if let OfferReply::Done {
        journal_id, ids, ..
    } = outcome
        && !ids.is_empty()
    {
        let now = model.instant;
        model.changing.note_last(Some(journal_id), now);
    }
    told_of(model, queue, due, outcome);
    if model.selected().is_some_and(|row| row.queue == *queue) {
        pace::want_selected(model);
    }
}

/// Says how it went: in the form while it is open, else in a toast.
fn told_of(model: &mut Model, queue: &Queue, due: EpochMillis, outcome: &OfferReply) {
    let Some(form) = of(model, queue) else {
        return;
    };
    let trouble = trouble(outcome);
    form.failed.clone_from(&trouble);
    if trouble.is_none() {
        // The next one is another message.
        form.at = Part::Payload;
    }
    let open = matches!(&model.overlay, Some(Overlay::Offer(form)) if form.queue == *queue);
    match (trouble, open) {
        (Some(_), true) => {}
        (Some(why), false) => toast::update::say(model, why, Tone::Warn),
        (None, _) => {
            if open {
                put_away(model);
            }
            let words = told(model, due, outcome);
            let tone = match outcome {
                OfferReply::Done {
                    refused: 0,
                    unannounced: None,
                    ..
                } => Tone::Good,
                _ => Tone::Warn,
            };
            toast::update::say(model, words, tone);
        }
    }
}

/// Says what keeps the form open: something is not in, or nobody knows.
fn trouble(outcome: &OfferReply) -> Option<String> {
    match outcome {
        OfferReply::Failed(why) => Some(format!("nothing was offered: {why}")),
        OfferReply::Done {
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
        OfferReply::Done { .. } => None,
    }
}

fn told(model: &Model, due: EpochMillis, outcome: &OfferReply) -> String {
    let OfferReply::Done {
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
        let at = moments::short(model.look.zone, due, model.schedule.exact);
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
