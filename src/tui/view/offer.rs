//! The form that offers messages.

use ratatui::buffer::Buffer;

use super::Ctx;
use super::form::{self, moment, now};
use crate::clock::EpochMillis;
use crate::queue::{Layout, text};
use crate::tui::areas::form::plan;
use crate::tui::model::offer::{
    OfferForm, Part, Said, count, due, what_codec, what_count, what_form,
};

pub(super) fn render(ctx: &Ctx, form: &OfferForm, buf: &mut Buffer) {
    let plan = plan(ctx.model.size, form);
    let name = text::printable_bytes(form.queue.name.as_bytes());
    form::frame(ctx, &plan, "Offer", &name, buf);
    for (part, _) in &plan.parts {
        form::label(ctx, &plan, (*part, name_of(*part)), *part == form.at, buf);
    }
    form::message(ctx, form, &plan, form.message.said.as_ref(), buf);
    let [codec, frame] = [
        form.written_with().name(),
        form.wrapped_in().map_or("choose", |form| form.word()),
    ];
    form::choice(ctx, form, &plan, (Part::Codec, codec), buf);
    form::say(ctx, &what_codec(form), plan.note(Part::Codec), buf);
    form::choice(ctx, form, &plan, (Part::Form, frame), buf);
    form::say(ctx, &what_form(form), plan.note(Part::Form), buf);
    form::typed(ctx, form, &plan, (Part::Due, &form.due), buf);
    form::say(ctx, &what_due(ctx, form), plan.note(Part::Due), buf);
    form::typed(ctx, form, &plan, (Part::Count, &form.count), buf);
    if let Some(said) = what_count(form) {
        form::say(ctx, &said, plan.note(Part::Count), buf);
    }
    if let Some(words) = sum(ctx, form) {
        form::sum(ctx, &words, plan.sum, buf);
    }
    form::failed(ctx, form, plan.failed, buf);
    let busy = if form.waiting {
        "looking at the queue"
    } else {
        "offering"
    };
    let words = ("[ Offer ]", busy);
    form::button(ctx, form, words, plan.value(Part::Button), buf);
}

const fn name_of(part: Part) -> &'static str {
    match part {
        Part::Payload => "message",
        Part::Codec => "codec",
        Part::Form => "form",
        Part::Due => "due",
        Part::Count => "count",
        _ => "",
    }
}

fn what_due(ctx: &Ctx, form: &OfferForm) -> Said {
    match due(form, now(ctx)) {
        Ok(due) if due.since(now(ctx)) < 0 => Said::Careful(moment(ctx, due)),
        Ok(due) => Said::Note(moment(ctx, due)),
        Err(why) => Said::Wrong(why),
    }
}

/// What would happen, in one line.
fn sum(ctx: &Ctx, form: &OfferForm) -> Option<String> {
    let wrong = form.message.said.as_ref().is_some_and(Said::is_wrong);
    let framed = form.queue.layout == Layout::Redisson;
    match (count(form), due(form, now(ctx))) {
        (Ok(count), Ok(due)) if !wrong && (!framed || form.wrapped_in().is_some()) => {
            let messages = text::counted(count, "message", "messages");
            let bytes = text::counted(form.message.bytes, "byte", "bytes");
            let each = if count > 1 { " each" } else { "" };
            let at = moment(ctx, due);
            Some(format!(
                "{messages}, {bytes}{each}, due {at}{}",
                place(ctx, form, due)
            ))
        }
        _ => None,
    }
}

/// Whether it becomes the head, of which alone transfer clients are told.
fn place(ctx: &Ctx, form: &OfferForm, due: EpochMillis) -> &'static str {
    let row = ctx.model.queues.iter().find(|row| row.queue == form.queue);
    let pulse = row.and_then(|row| row.pulse.as_ref());
    match (&form.queue.layout, pulse) {
        (Layout::Redisson, Some(pulse)) => {
            let head = pulse.head.and_then(crate::queue::Due::at);
            if head.is_none_or(|head| due < head) {
                "; the new head, announced"
            } else {
                "; behind the head"
            }
        }
        _ => "",
    }
}
