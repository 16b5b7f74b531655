//! The form that gives entries another due time.

use ratatui::buffer::Buffer;

use super::{DueReference, RequeueForm};
use crate::clock::EpochMillis;
use crate::queue::change::{Base, NewDue};
use crate::queue::text;
use crate::tui::change::plan::MarkedEntries;
use crate::tui::draw::Ctx;
use crate::tui::form::place::plan;
use crate::tui::form::view::{moment, now};
use crate::tui::form::{self, FieldRemark, Part};

pub(crate) fn render(ctx: &Ctx, form: &RequeueForm, buf: &mut Buffer) {
    let plan = plan(ctx.model.size, form);
    form::view::frame(ctx, &plan, "Requeue", &about(form), buf);
    for (part, _) in &plan.parts {
        form::view::label(
            ctx,
            &plan,
            (*part, name_of(form, *part)),
            *part == form.at,
            buf,
        );
    }
    form::view::choice(ctx, form, &plan, (Part::How, form.how.word()), buf);
    let how = FieldRemark::Note(form.how.words().to_owned());
    form::view::say(ctx, &how, plan.note(Part::How), buf);
    form::view::typed(ctx, form, &plan, (Part::When, &form.when), buf);
    form::view::say(ctx, &what_when(ctx, form), plan.note(Part::When), buf);
    form::view::typed(ctx, form, &plan, (Part::Spread, &form.spread), buf);
    form::view::say(ctx, &form.what_spread(), plan.note(Part::Spread), buf);
    if let Ok(new) = form.new_due(now(ctx)) {
        form::view::sum(ctx, &sum(ctx, form, new), plan.sum, buf);
    }
    let words = ("[ Requeue ]", "");
    form::view::button(ctx, form, words, plan.value(Part::Button), buf);
}

const fn name_of(form: &RequeueForm, part: Part) -> &'static str {
    match (part, form.how) {
        (Part::How, _) => "due",
        (Part::When, DueReference::In) => "in",
        (Part::When, DueReference::At) => "at",
        (Part::When, DueReference::By) => "by",
        (Part::Spread, _) => "spread",
        _ => "",
    }
}

/// `3 entries of orders`.
fn about(form: &RequeueForm) -> String {
    let name = text::printable_bytes(form.queue.name.as_bytes());
    let (count, exact) = form.count;
    let many = text::counted(count, "entry", "entries");
    let (which, rest) = match form.marked {
        MarkedEntries::Lost => ("", " that only the order list holds"),
        _ if form.timeless => (" delivered", ""),
        _ if form.is_late() => (" late", ""),
        _ => ("", ""),
    };
    let about = if exact { "" } else { "about " };
    match many.split_once(' ') {
        Some((count, word)) => format!("{about}{count}{which} {word} of {name}{rest}"),
        None => name,
    }
}

/// Returns the meaning of the new time.
fn what_when(ctx: &Ctx, form: &RequeueForm) -> FieldRemark {
    let now = now(ctx);
    match form.base(now) {
        Err(why) => FieldRemark::Wrong(why),
        Ok(base) => match first(form, base, now) {
            Some(due) if due.since(now) < 0 => {
                FieldRemark::Careful(format!("{}: late at once", moment(ctx, due)))
            }
            Some(due) => FieldRemark::Note(moment(ctx, due)),
            None => FieldRemark::Note(shift(base)),
        },
    }
}

/// The first new due time, when that is known.
fn first(form: &RequeueForm, base: Base, now: EpochMillis) -> Option<EpochMillis> {
    match base {
        Base::In(ms) => Some(now.plus(i64::try_from(ms).unwrap_or(i64::MAX))),
        Base::At(at) => Some(at),
        Base::By(ms) => Some(form.due.filter(|_| form.is_one())?.plus(ms)),
    }
}

fn shift(base: Base) -> String {
    match base {
        Base::By(ms) => {
            let when = if ms < 0 { "earlier" } else { "later" };
            format!("each {} {when} than now", text::span(ms.unsigned_abs()))
        }
        Base::In(_) | Base::At(_) => String::new(),
    }
}

/// Sums up what would happen.
fn sum(ctx: &Ctx, form: &RequeueForm, new: NewDue) -> String {
    let now = now(ctx);
    let before = match form.due.filter(|_| form.is_one()) {
        Some(due) => format!("now due {}; ", moment(ctx, due)),
        None => String::new(),
    };
    let spread = i64::try_from(new.spread_ms).unwrap_or(i64::MAX);
    let spreads = spread > 0 && !form.is_one();
    let then = match first(form, new.base, now) {
        Some(due) if spreads => {
            let last = due.plus(spread);
            format!("first due {}, last {}", moment(ctx, due), moment(ctx, last))
        }
        Some(due) if form.is_one() => format!("then {}", moment(ctx, due)),
        Some(due) if form.timeless && form.count.1 => {
            let wait = text::counted(form.count.0, "entry waits", "entries wait");
            format!("{wait} again, due {}", moment(ctx, due))
        }
        Some(due) => format!("all due {}", moment(ctx, due)),
        None => shift(new.base),
    };
    format!("{before}{then}")
}
