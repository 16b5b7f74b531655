//! The form that offers messages.

use ratatui::buffer::Buffer;

use super::OfferForm;
use crate::clock::EpochMillis;
use crate::queue::text;
use crate::tui::draw::Ctx;
use crate::tui::form::place::plan;
use crate::tui::form::view::{moment, now};
use crate::tui::form::{self, FieldRemark, Part};
use crate::tui::offer::check::{count, due, what_codec, what_count, what_form};

pub(crate) fn render(ctx: &Ctx, form: &OfferForm, buf: &mut Buffer) {
    let plan = plan(ctx.model.size, form);
    let name = text::printable_bytes(form.queue.name.as_bytes());
    form::view::frame(ctx, &plan, "Offer", &name, buf);
    for (part, _) in &plan.parts {
        form::view::label(ctx, &plan, (*part, name_of(*part)), *part == form.at, buf);
    }
    form::view::message(ctx, form, &plan, form.message.said.as_ref(), buf);
    let [codec, frame] = [
        form.written_with().name(),
        form.wrapped_in().map_or("choose", |form| form.word()),
    ];
    form::view::choice(ctx, form, &plan, (Part::Codec, codec), buf);
    form::view::say(ctx, &what_codec(form), plan.note(Part::Codec), buf);
    form::view::choice(ctx, form, &plan, (Part::Form, frame), buf);
    form::view::say(ctx, &what_form(form), plan.note(Part::Form), buf);
    form::view::typed(ctx, form, &plan, (Part::Due, &form.due), buf);
    form::view::say(ctx, &what_due(ctx, form), plan.note(Part::Due), buf);
    form::view::typed(ctx, form, &plan, (Part::Count, &form.count), buf);
    if let Some(said) = what_count(form) {
        form::view::say(ctx, &said, plan.note(Part::Count), buf);
    }
    if let Some(words) = sum(ctx, form) {
        form::view::sum(ctx, &words, plan.sum, buf);
    }
    form::view::failed(ctx, form, plan.failed, buf);
    let busy = if form.waiting {
        "looking at the queue"
    } else {
        "offering"
    };
    let words = ("[ Offer ]", busy);
    form::view::button(ctx, form, words, plan.value(Part::Button), buf);
}

const fn name_of(part: Part) -> &'static str {
    match part {
        Part::Payload => "message",
        Part::Codec => "codec",
        Part::Form => "format",
        Part::Due => "due",
        Part::Count => "count",
        _ => "",
    }
}

fn what_due(ctx: &Ctx, form: &OfferForm) -> FieldRemark {
    match due(form, now(ctx)) {
        Ok(due) if due.since(now(ctx)) < 0 => FieldRemark::Careful(moment(ctx, due)),
        Ok(due) => FieldRemark::Note(moment(ctx, due)),
        Err(why) => FieldRemark::Wrong(why),
    }
}

/// Says what would happen, in one line.
fn sum(ctx: &Ctx, form: &OfferForm) -> Option<String> {
    let wrong = form
        .message
        .said
        .as_ref()
        .is_some_and(FieldRemark::is_wrong);
    let framed = form.queue.has_frames();
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

/// Says whether it becomes the head, of which alone transfer clients are told.
fn place(ctx: &Ctx, form: &OfferForm, due: EpochMillis) -> &'static str {
    let row = ctx.model.queues.iter().find(|row| row.queue == form.queue);
    let pulse = row.and_then(|row| row.pulse.as_ref());
    match (form.queue.keys().channel, pulse) {
        (Some(_), Some(pulse)) => {
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
