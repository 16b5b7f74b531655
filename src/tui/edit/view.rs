//! The form that gives an entry another payload.

use ratatui::buffer::Buffer;

use super::EditForm;
use crate::payload::Codec;
use crate::queue::text;
use crate::tui::draw::Ctx;
use crate::tui::form::place::plan;
use crate::tui::form::view::moment;
use crate::tui::form::{self, FieldRemark, Part};

pub(crate) fn render(ctx: &Ctx, form: &EditForm, buf: &mut Buffer) {
    let plan = plan(ctx.model.size, form);
    let name = text::printable_bytes(form.queue.name.as_bytes());
    form::view::frame(ctx, &plan, "Edit", &format!("{name}  {}", form.id), buf);
    for (part, _) in &plan.parts {
        form::view::label(ctx, &plan, (*part, name_of(*part)), *part == form.at, buf);
    }
    form::view::message(ctx, form, &plan, form.message.said.as_ref(), buf);
    let codec = match form.codec {
        Codec::Unknown => "hex",
        codec => codec.name(),
    };
    form::view::choice(ctx, form, &plan, (Part::Codec, codec), buf);
    form::view::say(ctx, &what_codec(form), plan.note(Part::Codec), buf);
    if !form
        .message
        .said
        .as_ref()
        .is_some_and(FieldRemark::is_wrong)
    {
        form::view::sum(ctx, &sum(ctx, form), plan.sum, buf);
    }
    let words = ("[ Save ]", "");
    form::view::button(ctx, form, words, plan.value(Part::Button), buf);
}

const fn name_of(part: Part) -> &'static str {
    match part {
        Part::Payload => "payload",
        Part::Codec => "codec",
        _ => "",
    }
}

fn what_codec(form: &EditForm) -> FieldRemark {
    let was = crate::payload::decode(&form.before).codec;
    match (form.codec, was) {
        (Codec::Unknown, Codec::Unknown) => {
            FieldRemark::Note("no known codec: its bytes, as they are".to_owned())
        }
        (Codec::Unknown, was) => FieldRemark::Note(format!("its bytes, as they are; it was {was}")),
        (codec, was) if codec == was => FieldRemark::Note("as it is now".to_owned()),
        (_, Codec::Unknown) => FieldRemark::Careful("no known codec has written it".to_owned()),
        (_, was) => FieldRemark::Careful(format!("it is {was} now")),
    }
}

/// Sums up what would happen.
fn sum(ctx: &Ctx, form: &EditForm) -> String {
    let bytes = text::counted(form.message.bytes, "byte", "bytes");
    let before = text::thousands(form.before.len() as u64);
    let due = match form.due.at() {
        Some(due) => format!("due {} as before", moment(ctx, due)),
        None => "at the score that it has".to_owned(),
    };
    format!("{bytes}, {before} before; {due}, in the same place")
}
