//! The menu of what repairs a queue.

use ratatui::buffer::Buffer;

use super::Ctx;
use super::form;
use crate::queue::text;
use crate::tui::areas::form::plan;
use crate::tui::model::RepairForm;
use crate::tui::model::form::{Part, Said};

pub(super) fn render(ctx: &Ctx, form: &RepairForm, buf: &mut Buffer) {
    let plan = plan(ctx.model.size, form);
    let name = text::printable_bytes(form.queue.name.as_bytes());
    form::frame(ctx, &plan, "Repair", &name, buf);
    for (part, area) in &plan.parts {
        let focused = *part == form.at;
        form::label(ctx, name_of(*part), focused, *area, buf);
        if let Some(words) = short(*part) {
            let said = Said::Note(words.to_owned());
            form::say(ctx, &said, plan.value(*part), buf);
        }
    }
    form::typed(ctx, form, &plan, (Part::Within, &form.within), buf);
    form::say(ctx, &form.what_within(), plan.note(Part::Within), buf);
    form::sum(ctx, long(form.at), plan.sum, buf);
}

const fn name_of(part: Part) -> &'static str {
    match part {
        Part::Kick => "kick",
        Part::Realign => "realign",
        Part::Within => " within",
        Part::Restore => "restore",
        Part::Drift => "drift",
        _ => "",
    }
}

/// What it is for.
const fn short(part: Part) -> Option<&'static str> {
    Some(match part {
        Part::Kick => "entries are late although clients listen",
        Part::Realign => "a burst is about to fall due, or transfers are slow",
        Part::Restore => "the order list is set aside: a change was interrupted",
        Part::Drift => "timeouts and order list do not hold the same entries",
        _ => return None,
    })
}

/// What it does.
const fn long(part: Part) -> &'static str {
    match part {
        Part::Realign | Part::Within => {
            "Brings what falls due soon to the head of the order list, in due order, so that no \
             transfer has to look for it. Enter plans it; it cannot be undone."
        }
        Part::Restore => {
            "Brings back what was set aside, in its old order. Enter plans it; it cannot be undone."
        }
        Part::Drift => {
            "What only timeouts holds is appended to the order list; what only the order list \
             holds is kept in the journal and removed. Enter plans it."
        }
        _ => "Tells every transfer client to look at once: harmless. Enter does it.",
    }
}
