//! The menu of what repairs a queue.

use ratatui::buffer::Buffer;

use super::Ctx;
use super::form;
use crate::queue::{Finding, text};
use crate::tui::areas::form::{Plan, plan};
use crate::tui::areas::wrap::wrapped;
use crate::tui::keys::{Action, Code, Key};
use crate::tui::model::form::{Filling as _, Part};
use crate::tui::model::repair::{Fit, Repair, fit};
use crate::tui::model::{QueueRow, RepairForm};
use crate::tui::widget::line::Line;

pub(super) fn render(ctx: &Ctx, menu: &RepairForm, buf: &mut Buffer) {
    let plan = plan(ctx.model.size, menu);
    let name = text::printable_bytes(menu.queue.name.as_bytes());
    let name = match &menu.instead_of {
        Some(well) => {
            let well = text::printable_bytes(well.name.as_bytes());
            format!("{name}: nothing is found wrong with {well}")
        }
        None => name,
    };
    form::frame(ctx, &plan, "Repair", &name, buf);
    let row = menu.row(ctx.model);
    for part in menu.parts() {
        if let (Part::Repair(repair), Some(row)) = (part, row) {
            one(ctx, menu, &plan, (*repair, row), buf);
        }
    }
    let within = menu.at == Part::Within;
    form::label(ctx, &plan, (Part::Within, "  within"), within, buf);
    form::typed(ctx, menu, &plan, (Part::Within, &menu.within), buf);
    form::say(ctx, &menu.what_within(), plan.note(Part::Within), buf);
    cure(ctx, menu, &plan, row, buf);
    more(ctx, menu, &plan, buf);
    let sum = match menu.chosen() {
        Some(repair) => does(repair).to_owned(),
        None if menu.at == Part::More => MORE.to_owned(),
        None => row.map_or_else(String::new, |row| wrong(ctx, row)),
    };
    form::sum(ctx, &sum, plan.sum, buf);
}

/// What the worst finding asks for, above all repairs: it may be none of them.
fn cure(ctx: &Ctx, menu: &RepairForm, plan: &Plan, row: Option<&QueueRow>, buf: &mut Buffer) {
    let (t, at) = (&ctx.theme, menu.at == Part::Cure);
    form::label(ctx, plan, (Part::Cure, "first"), at, buf);
    let worst = row.and_then(|row| row.findings.first());
    let (words, style) = match worst {
        Some(found) => (
            format!("{} {}: {}", t.glyphs.repair, found.id, cured(ctx, found)),
            t.warn,
        ),
        None => (menu.well(ctx.model), t.dim),
    };
    let area = plan.value(Part::Cure);
    let rows = wrapped(&words, usize::from(area.w));
    for (i, y) in (area.y..area.y + area.h).enumerate() {
        let mut line = Line::new(buf, area.x, y, area.w);
        let words = match rows.get(i..) {
            Some(rest) if y + 1 == area.y + area.h => rest.join(" "),
            Some([row, ..]) => row.clone(),
            _ => continue,
        };
        line.put_cut(buf, &words, t.glyphs.cut, style);
    }
}

/// What repairs it, without the keys that lead here. The command that does it by hand comes first:
/// one that is cut is none.
fn cured(ctx: &Ctx, found: &Finding) -> String {
    let by_hand = found.repair.by_hand(&ctx.model.redis_cli);
    let lines: Vec<String> = by_hand.map(|line| format!("$ {line} ")).collect();
    let lines = lines.concat();
    if lines.is_empty() {
        found.repair.without_keys()
    } else {
        format!("{lines}({})", found.repair.without_keys())
    }
}

/// What would do nothing here, in one row.
fn more(ctx: &Ctx, menu: &RepairForm, plan: &Plan, buf: &mut Buffer) {
    let t = &ctx.theme;
    form::label(ctx, plan, (Part::More, "more"), menu.at == Part::More, buf);
    let area = plan.value(Part::More);
    let mut line = Line::new(buf, area.x, area.y, area.w * area.h.min(1));
    let enter = Key::of(Code::Enter).label(ctx.model.look.ascii);
    let words = match menu.folded() {
        1 => format!("1 more does not apply now; {enter} here shows why"),
        n => format!("{n} more do not apply now; {enter} here shows why"),
    };
    line.put_cut(buf, &words, t.glyphs.cut, t.dim);
}

/// What is said of the row for what does not apply.
const MORE: &str = "What would do nothing here, or cannot be done now, with the reason why.";

/// The worst that is wrong, if anything is.
fn wrong(ctx: &Ctx, row: &QueueRow) -> String {
    let worst = row.findings.first();
    let words = "No finding asks for a repair. What can be done by hand stands here.";
    let Some(found) = worst else {
        return words.to_owned();
    };
    let by_hand = found.repair.by_hand(&ctx.model.redis_cli).count();
    match ctx.key(Action::CopyPayload).filter(|_| by_hand > 0) {
        Some(key) => format!("{} {key} copies the command that mends it.", found.sentence),
        None => found.sentence.clone(),
    }
}

/// A repair, and whether it suits.
fn one(
    ctx: &Ctx,
    menu: &RepairForm,
    plan: &Plan,
    (repair, row): (Repair, &QueueRow),
    buf: &mut Buffer,
) {
    let t = &ctx.theme;
    let part = Part::Repair(repair);
    form::label(ctx, plan, (part, repair.name()), part == menu.at, buf);
    let (glyph, words, style) = match fit(ctx.model, row, repair) {
        Fit::Asked(words) => (t.glyphs.warn, words, t.warn),
        Fit::Can(words) => ("", words, t.text),
        Fit::Not(why) => ("", format!("not now: {why}"), t.dim),
    };
    let area = plan.value(part);
    let mut line = Line::new(buf, area.x, area.y, area.w * area.h.min(1));
    if !glyph.is_empty() {
        line.put(buf, glyph, style).skip(1);
    }
    line.put_cut(buf, &text::printable(&words), t.glyphs.cut, style);
}

/// What it does, and whether it can be taken back.
const fn does(repair: Repair) -> &'static str {
    match repair {
        Repair::Transfer => {
            "Moves all that is due to target, at a pace, as a client would have. Enter plans it; u \
             takes back what nobody has consumed by then."
        }
        Repair::Kick => {
            "Tells every transfer client to look at once: harmless. If the \
             head has not moved 2 s later, the findings say what to conclude."
        }
        Repair::Worker => {
            "Transfers what falls due as long as this screen is open, beside any other client, \
             whatever the form of the frames. Enter asks; what it has moved is not taken back."
        }
        Repair::Realign => {
            "Brings what falls due soon to the head of the order list, in due order, so that no \
             transfer has to look for it. Enter plans it; it cannot be undone."
        }
        Repair::RestoreOrder => {
            "Brings back the order list that an interrupted change has set aside, in its old \
             order. Enter plans it; it cannot be undone."
        }
        Repair::Requeue => {
            "What only the order list holds waits again, with the due time that you choose: its own \
             is lost. Enter asks when, and plans it; it cannot be undone."
        }
        Repair::DeliverStrays => {
            "What only the order list holds goes to target now: twice, if it was delivered before. \
             Enter plans it; it cannot be undone."
        }
        Repair::DropStrays => {
            "What only the order list holds leaves it, although it may never have been delivered. \
             The journal keeps it. Enter plans it; u brings it back into the order list."
        }
        Repair::Drift => {
            "What only timeouts holds is appended to the order list; what only the order list \
             holds stays: it may never have been delivered. Enter plans it; u takes it back."
        }
        Repair::Repack => {
            "Gives the frames of all that waits the form that its clients unpack: same payload, \
             due time and place. Enter plans it; u takes it back."
        }
        Repair::Quarantine => {
            "Sets all members that are no frames aside, in a sorted set beside the queue, so that \
             transfers go on without them. Enter plans it; u takes it back."
        }
        Repair::Restore => {
            "Lets all that is in quarantine wait again, each with its due time. Enter plans it; u \
             takes it back."
        }
        Repair::PutBack => {
            "Puts messages that `consume` had taken when it died back into target, first in line. \
             What a consumer that lives holds is left alone. Enter plans it; it cannot be undone."
        }
        Repair::Unwrap => {
            "Takes the frames off that elements of target still have, in their places, so that \
             consumers can read them. Enter plans it; u takes it back."
        }
        Repair::Persist => "The queue's keys expire no more. Enter plans it; u takes it back.",
        Repair::RenameTaken => {
            "What has taken the name of a key, and is of another type, gets another one, with all \
             that is in it. Enter plans it; u takes it back."
        }
        Repair::Unit => {
            "What is due in 1970, because seconds were written for milliseconds, comes to wait \
             until it was meant to be due. Enter plans it; u takes it back."
        }
        Repair::Score => {
            "What has a score that is no due time gets one: below 0, now; micro- or nanoseconds, when \
             it was meant; what overflowed, in 100 years. Enter plans it; u takes it back."
        }
    }
}
