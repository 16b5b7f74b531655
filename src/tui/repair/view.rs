//! The menu of what repairs a queue.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::RepairForm;
use crate::queue::finding::Step;
use crate::queue::{Finding, Repair, Severity, text};
use crate::tui::draw::Ctx;
use crate::tui::form::place::{FormLayout, plan};
use crate::tui::form::{self, InputForm as _, Part};
use crate::tui::keys::{Action, Code, Key};
use crate::tui::queues::QueueRow;
use crate::tui::repair::fit::{Fit, fit};
use crate::tui::widget::line::Line;
use crate::tui::widget::wrap::wrapped;

pub(crate) fn render(ctx: &Ctx, menu: &RepairForm, buf: &mut Buffer) {
    let plan = plan(ctx.model.size, menu);
    let name = text::printable_bytes(menu.queue.name.as_bytes());
    form::view::frame(ctx, &plan, "Repair", &name, buf);
    let row = menu.row(ctx.model);
    for part in menu.parts() {
        if let (Part::Repair(repair), Some(row)) = (part, row) {
            one(ctx, menu, &plan, (*repair, row), buf);
        }
    }
    let within = menu.at == Part::Within;
    form::view::label(ctx, &plan, (Part::Within, "  within"), within, buf);
    form::view::typed(ctx, menu, &plan, (Part::Within, &menu.within), buf);
    form::view::say(ctx, &menu.what_within(), plan.note(Part::Within), buf);
    cure(ctx, menu, &plan, row, buf);
    more(ctx, menu, &plan, buf);
    let sum = match menu.chosen() {
        Some(repair) => does(ctx, repair),
        None if menu.at == Part::More => MORE.to_owned(),
        None => row.map_or_else(String::new, |row| wrong(ctx, menu.finding(row))),
    };
    form::view::sum(ctx, &sum, plan.sum, buf);
}

/// Draws the repair that its finding asks for, above all others: it may be none of them.
fn cure(ctx: &Ctx, menu: &RepairForm, plan: &FormLayout, row: Option<&QueueRow>, buf: &mut Buffer) {
    let (t, at) = (&ctx.theme, menu.at == Part::Cure);
    let finding = row.and_then(|row| menu.finding(row));
    let outside = finding.is_some_and(|found| found.repair.step == Step::Outside);
    let label = match finding {
        Some(_) if outside => "not from here",
        Some(_) => "recommended",
        None => "findings",
    };
    form::view::label(ctx, plan, (Part::Cure, label), at, buf);
    let (words, style) = match finding {
        Some(found) => (
            format!("{} {}", t.glyphs.leads_to, cured(ctx, found)),
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

/// Says what repairs it, without the keys that lead here. The command that does it by hand comes
/// first: one that is cut is none.
fn cured(ctx: &Ctx, found: &Finding) -> String {
    let sentence = found.repair.sentence.to_string();
    found.repair.to_do(&ctx.model.site.redis_cli, sentence)
}

/// Draws how many repairs would do nothing, as far as was seen, in one row.
fn more(ctx: &Ctx, menu: &RepairForm, plan: &FormLayout, buf: &mut Buffer) {
    let t = &ctx.theme;
    form::view::label(ctx, plan, (Part::More, "more"), menu.at == Part::More, buf);
    let area = plan.value(Part::More);
    let mut line = Line::new(buf, area.x, area.y, area.w * area.h.min(1));
    let enter = Key::of(Code::Enter).label(ctx.model.look.ascii);
    let words = match menu.folded() {
        1 => format!("{enter} shows 1 repair that finds nothing to do, and why"),
        n => format!("{enter} shows {n} repairs that find nothing to do, and why"),
    };
    line.put_cut(buf, &words, t.glyphs.cut, t.dim);
}

/// The words about the row for what does not apply.
const MORE: &str =
    "What would do nothing, as far as was seen, or cannot be done now, with the reason why.";

/// Says what is wrong, if anything is.
fn wrong(ctx: &Ctx, finding: Option<&Finding>) -> String {
    let words = "No finding asks for a repair. What can be done by hand stands here.";
    let Some(found) = finding else {
        return words.to_owned();
    };
    let by_hand = found.repair.by_hand(&ctx.model.site.redis_cli).count();
    match ctx.key(Action::CopyPayload).filter(|_| by_hand > 0) {
        Some(key) => format!(
            "{} {key} copies the command that repairs it.",
            found.sentence()
        ),
        None => found.sentence(),
    }
}

/// A repair, and whether it suits.
fn one(
    ctx: &Ctx,
    menu: &RepairForm,
    plan: &FormLayout,
    (repair, row): (Repair, &QueueRow),
    buf: &mut Buffer,
) {
    let t = &ctx.theme;
    let part = Part::Repair(repair);
    form::view::label(ctx, plan, (part, repair.label()), part == menu.at, buf);
    let (glyph, words, style) = match fit(ctx.model, row, repair) {
        Fit::Asked(severity, words) => {
            let (sign, style) = sign(ctx, severity);
            (sign, words, style)
        }
        Fit::Can(words) => ("", words, t.text),
        Fit::Unlikely(words) => ("", words, t.dim),
        Fit::Not(why) => ("", format!("not now: {why}"), t.dim),
    };
    let area = plan.value(part);
    let mut line = Line::new(buf, area.x, area.y, area.w * area.h.min(1));
    if !glyph.is_empty() {
        line.put(buf, glyph, style).skip(1);
    }
    line.put_cut(buf, &text::printable(&words), t.glyphs.cut, style);
}

/// The sign of a finding, as everywhere on the screen.
const fn sign(ctx: &Ctx, severity: Severity) -> (&'static str, Style) {
    let t = &ctx.theme;
    match severity {
        Severity::Critical => (t.glyphs.lost, t.late),
        Severity::Warning => (t.glyphs.warn, t.warn),
        Severity::Note => (t.glyphs.dot, t.text),
    }
}

/// Says what it does, and whether it can be taken back.
fn does(ctx: &Ctx, repair: Repair) -> String {
    let does = repair.does();
    let asks = match repair {
        // It is done at once.
        Repair::Kick => return does.to_owned(),
        Repair::Worker => {
            return format!("{does} Enter asks; what it has moved is not taken back.");
        }
        Repair::Requeue => "asks when, and plans it",
        _ => "plans it",
    };
    let what = repair.what(None, None);
    let is_newest = what.is_none_or(|what| what.change().is_undone_as_newest());
    let key = ctx.key(Action::Undo).filter(|_| is_newest);
    let back = match (repair.undo(), key) {
        (None, _) => "it cannot be undone".to_owned(),
        (Some(back), Some(key)) => format!("{key} {back}"),
        (Some(back), None) => format!("undo {back}"),
    };
    format!("{does} Enter {asks}; {back}.")
}
