//! The commands in a box over the screen: the line, and what it could become.

use ratatui::buffer::Buffer;
use ratatui::widgets::{Clear, Widget};

use crate::queue::text;
use crate::tui::area::{Area, Slot};
use crate::tui::draw::{Ctx, rect};
use crate::tui::hints;
use crate::tui::hitmap::Target;
use crate::tui::keys::{Code, Key};
use crate::tui::model::Model;
use crate::tui::prompt::{self, Choice, Prompt, PromptKind};
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::TitlePart;

/// Below this many columns or rows there is only the line, at the bottom as any other.
const SMALLEST_SCREEN: (u16, u16) = (30, 9);

/// The box takes so many columns at most, and so many rows.
const MOST_CELLS: (u16, u16) = (96, 20);

/// Rows of the box that are no choices: its edges, the line and the rule.
const CHROME: u16 = 4;

/// Columns of a name at most; a longer one is cut.
const NAME: usize = 36;

/// Columns between a name and what it does.
const GAP: u16 = 2;

/// Returns the place of the box; none when there is no box, or no room for one. Its line and its
/// choices keep their places whatever is typed: only its lower edge moves.
pub(crate) fn slot(model: &Model) -> Option<Slot> {
    let (w, h) = model.size;
    let prompt = model.prompt.as_ref();
    let prompt = prompt.filter(|prompt| prompt.kind == PromptKind::Command)?;
    if w < SMALLEST_SCREEN.0 || h < SMALLEST_SCREEN.1 {
        return None;
    }
    // Beside a box on a narrow terminal only shreds would be seen.
    let bw = if w < 100 { w } else { MOST_CELLS.0 };
    // The header, a row of the screen below it, and the hints stay in sight.
    let rows = u16::try_from(prompt.choices.len().max(1)).unwrap_or(u16::MAX);
    let bh = rows.saturating_add(CHROME).min(MOST_CELLS.1).min(h - 4);
    let y = if h < 30 { 2 } else { h / 6 };
    Some(Slot::new(Area::new((w - bw) / 2, y, bw, bh), true))
}

pub(crate) fn render(ctx: &Ctx, prompt: &Prompt, buf: &mut Buffer) {
    let Some(slot) = ctx.commands else {
        return;
    };
    let (t, inner) = (&ctx.theme, slot.inner);
    Clear.render(rect(slot.outer).intersection(buf.area), buf);
    ctx.record(slot.outer, Target::Palette);
    // Below the line and a rule.
    let rows = Area::new(inner.x, inner.y + 2, inner.w, inner.h.saturating_sub(2));
    // The chosen one is always in sight.
    let top = (prompt.chosen.unwrap_or(0) + 1).saturating_sub(usize::from(rows.h));
    let shown = prompt
        .choices
        .len()
        .saturating_sub(top)
        .min(usize::from(rows.h));
    let count = if shown < prompt.choices.len() {
        let (from, to) = (top + 1, top + shown);
        format!("{from}{}{to} of {}", t.glyphs.to, prompt.choices.len())
    } else {
        String::new()
    };
    let count = TitlePart::new(50, count, t.dim);
    let right = count.pieces.iter().any(|(text, _)| !text.is_empty());
    let right = if right { vec![count] } else { Vec::new() };
    ctx.pane(
        slot,
        None,
        vec![TitlePart::new(100, "Commands", t.strong)],
        right,
        buf,
    );
    let mut line = Line::new(buf, inner.x + 1, inner.y, inner.w.saturating_sub(2));
    if let Some(error) = &prompt.error {
        prompt::view::trouble(ctx, error, prompt, &mut line, buf);
    }
    prompt::view::typed(ctx, prompt, line, buf);
    rule(ctx, slot.inner.row(1), buf);
    let name = prompt.choices.iter().map(name_width).max().unwrap_or(0);
    let visible = prompt.choices.iter().enumerate().skip(top);
    for ((i, choice), y) in visible.zip(rows.y..rows.y + rows.h) {
        let row = Area::new(rows.x, y, rows.w, 1);
        choice_row(ctx, choice, name.min(NAME), row, buf);
        ctx.record(row, Target::Choice(i));
        if prompt.chosen == Some(i) {
            ctx.select(row, true, buf);
        }
    }
    if prompt.choices.is_empty() {
        let mut line = Line::new(buf, rows.x, rows.y, rows.w);
        line.skip(2)
            .put(buf, "No command and no queue is called like this.", t.dim);
    }
}

fn name_width(choice: &Choice) -> usize {
    let wants = if choice.wants.is_empty() {
        0
    } else {
        choice.wants.len() + 1
    };
    text::width(&text::printable(&choice.line)) + wants
}

fn rule(ctx: &Ctx, area: Area, buf: &mut Buffer) {
    let mut line = Line::new(buf, area.x, area.y, area.w);
    while line.room() > 0 {
        line.put(buf, ctx.theme.glyphs.lines[0], ctx.theme.dim);
    }
}

/// A name, what it does or why it cannot, and at the right the keys that do the same.
fn choice_row(ctx: &Ctx, choice: &Choice, name: usize, row: Area, buf: &mut Buffer) {
    let t = &ctx.theme;
    let able = choice.disabled.is_none();
    let mut line = Line::new(buf, row.x, row.y, row.w);
    line.skip(2);
    line.end = line.end.saturating_sub(1);
    let help = line.x.saturating_add(u16::try_from(name).unwrap_or(0));
    let style = if able { t.text } else { t.dim };
    let mut names = Line {
        end: help.min(line.end),
        ..line
    };
    names.put_cut(buf, &choice.line, t.glyphs.cut, style);
    names.skip(1).put(buf, choice.wants, t.dim);
    line.x = help.saturating_add(GAP).min(line.end);
    if line.room() >= 40 {
        line.put_right(buf, &choice.keys, if able { t.accent } else { t.dim });
        line.end = line.end.saturating_sub(GAP).max(line.x);
    }
    match &choice.disabled {
        Some(why) => line.put_cut(buf, why, t.glyphs.cut, t.dim),
        None => line.put_cut(buf, &choice.help, t.glyphs.cut, t.text),
    }
}

/// Draws what the keys do while the box is open, in place of the hints.
pub(crate) fn hints(ctx: &Ctx, buf: &mut Buffer) {
    let t = &ctx.theme;
    let [enter, tab, arrows] = if ctx.model.look.ascii {
        ["Enter", "Tab", "Up Down"]
    } else {
        ["⏎", "⇥", "↑↓"]
    };
    let hints = [
        (enter, "run", Code::Enter),
        (tab, "complete", Code::Tab),
        (arrows, "choose, or earlier lines", Code::Down),
        ("Esc", "close", Code::Esc),
    ];
    let area = ctx.areas.hints;
    let mut line = Line::new(buf, area.x, area.y, area.w * u16::from(area.h > 0));
    line.skip(1);
    for (key, word, code) in hints {
        let x = line.x;
        line.put(buf, key, t.accent).skip(1).put(buf, word, t.dim);
        let drawn = Area::new(x, area.y, line.x - x, area.h);
        ctx.record(drawn, Target::Key(Key::of(code)));
        line.skip(hints::view::gap(ctx.model));
    }
}
