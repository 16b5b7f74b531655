//! The look that all forms share.

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use ratatui::widgets::{Clear, Widget};

use super::{FieldRemark, InputForm, Part};
use crate::clock::EpochMillis;
use crate::queue::text;
use crate::tui::area::Area;
use crate::tui::draw::{Ctx, rect};
use crate::tui::field::{self, Field};
use crate::tui::form::place::FormLayout;
use crate::tui::hitmap::Target;
use crate::tui::moments;
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::{self, PaneFrame};
use crate::tui::widget::wrap::{row_of, text_rows, wrapped};

/// A form's place is cleared, and has a frame with what it is called and what it is about.
pub(crate) fn frame(ctx: &Ctx, plan: &FormLayout, title: &str, about: &str, buf: &mut Buffer) {
    let t = &ctx.theme;
    Clear.render(rect(plan.slot.outer).intersection(buf.area), buf);
    ctx.record(plan.slot.outer, Target::Box);
    for (part, area) in &plan.parts {
        ctx.record(*area, Target::Part(*part));
    }
    if !plan.slot.boxed {
        return;
    }
    let room = usize::from(plan.slot.outer.w).saturating_sub(14 + text::width(title));
    let about = text::cut(about, room.max(4)).replace('…', t.glyphs.cut);
    let pane = PaneFrame {
        left: vec![
            pane::TitlePart::new(100, title.to_owned(), t.strong),
            pane::TitlePart::new(90, about, t.text),
        ],
        right: Vec::new(),
        boxed: true,
        style: t.accent,
        lines: t.glyphs.lines,
        corners: t.glyphs.corners,
    };
    pane.render(rect(plan.slot.outer), buf);
}

/// A part's name; the one that the keys act on is marked.
pub(crate) fn label(
    ctx: &Ctx,
    plan: &FormLayout,
    (part, name): (Part, &str),
    focused: bool,
    buf: &mut Buffer,
) {
    let t = &ctx.theme;
    let area = plan.part(part);
    if focused {
        for y in area.y..area.y + area.h {
            Line::new(buf, area.x, y, area.w).put(buf, t.glyphs.cursor, t.accent);
        }
    }
    // Too narrow for names: the values alone.
    if area.w >= 2 * plan.label {
        let style = if focused { t.strong } else { t.dim };
        let room = plan.label.saturating_sub(3);
        Line::new(buf, area.x + 2, area.y, room * area.h.min(1)).put(buf, name, style);
    }
}

/// The message, and what is said of it.
pub(crate) fn message(
    ctx: &Ctx,
    of: &dyn InputForm,
    plan: &FormLayout,
    said: Option<&FieldRemark>,
    buf: &mut Buffer,
) {
    let Some((text, ..)) = of.message() else {
        return;
    };
    typed_rows(ctx, of, text, plan, buf);
    if let Some(said) = said {
        let mut area = plan.value(Part::Payload);
        (area.y, area.h) = (plan.said.y, plan.said.h);
        let quiet = FieldRemark::Note(said.words().to_owned());
        say(ctx, if text.is_empty() { &quiet } else { said }, area, buf);
    }
}

fn typed_rows(ctx: &Ctx, of: &dyn InputForm, text: &Field, plan: &FormLayout, buf: &mut Buffer) {
    let t = &ctx.theme;
    let area = plan.value(Part::Payload);
    let size = super::place::message_size(plan);
    ctx.room(|room| room.message = Some(size));
    let (_, columns) = size;
    let lines = text.lines();
    let rows = text_rows(lines, columns);
    let cursor = text.cursor();
    let cursor_row = row_of(&rows, cursor);
    let top = super::top(of, size);
    for (y, (i, row)) in (area.y..area.y + area.h).zip(rows.iter().enumerate().skip(top)) {
        let (_, rest) = field::view::split(&lines[row.line], row.from);
        let (shown, _) = field::view::split(rest, row.to - row.from);
        let mut line = Line::new(buf, area.x, y, area.w);
        if i != cursor_row || of.at() != Part::Payload {
            line.put(buf, shown, t.text);
            continue;
        }
        let (before, rest) = field::view::split(shown, cursor.1 - row.from);
        let (under, behind) = field::view::split(rest, 1);
        line.put(buf, before, t.text);
        line.put(buf, if under.is_empty() { " " } else { under }, t.cursor());
        line.put(buf, behind, t.text);
    }
    // More than fits: how much, at the right end of the last row.
    let hidden = rows.len().saturating_sub(top + usize::from(area.h));
    if hidden > 0 && area.h > 1 {
        let more = format!(
            " {} more ",
            crate::queue::text::counted(hidden as u64, "row", "rows")
        );
        Line::new(buf, area.x, area.y + area.h - 1, area.w).put_right(buf, &more, t.dim);
    }
}

/// Something that is chosen among a few.
pub(crate) fn choice(
    ctx: &Ctx,
    of: &dyn InputForm,
    plan: &FormLayout,
    (part, value): (Part, &str),
    buf: &mut Buffer,
) {
    let t = &ctx.theme;
    let area = plan.value(part);
    let mut line = Line::new(buf, area.x, area.y, area.w * area.h);
    let focused = part == of.at();
    let [less, more] = t.glyphs.choose;
    let arrows = if focused { t.accent } else { t.dim };
    let style = if focused { t.strong } else { t.text };
    line.put(buf, less, arrows).skip(1);
    line.put(buf, value, style).skip(1);
    line.put(buf, more, arrows);
}

/// A field of one line.
pub(crate) fn typed(
    ctx: &Ctx,
    of: &dyn InputForm,
    plan: &FormLayout,
    (part, value): (Part, &Field),
    buf: &mut Buffer,
) {
    let area = plan.value(part);
    let note = plan.note(part);
    let room = area.w.saturating_sub(note.w).saturating_sub(2);
    let mut line = Line::new(buf, area.x, area.y, room * area.h);
    field::view::one_line(ctx, value, part == of.at(), ctx.theme.text, &mut line, buf);
}

/// A sentence beside (or below) what it is about.
pub(crate) fn say(ctx: &Ctx, said: &FieldRemark, area: Area, buf: &mut Buffer) {
    let t = &ctx.theme;
    let (glyph, style) = match said {
        FieldRemark::Note(_) => ("", t.dim),
        FieldRemark::Careful(_) => (t.glyphs.warn, t.warn),
        FieldRemark::Wrong(_) => (t.glyphs.lost, t.late),
    };
    let mut line = Line::new(buf, area.x, area.y, area.w * area.h.min(1));
    if !glyph.is_empty() {
        line.put(buf, glyph, style).skip(1);
    }
    line.put_cut(buf, said.words(), t.glyphs.cut, style);
}

/// The server's time in whole seconds: goes on while the picture stands still.
pub(crate) fn now(ctx: &Ctx) -> EpochMillis {
    match ctx.model.frozen {
        Some(_) => {
            let exact = ctx.model.schedule.exact.get();
            EpochMillis::new(exact.div_euclid(1000) * 1000)
        }
        None => ctx.model.now,
    }
}

/// `14:02:31, in 5 s`.
pub(crate) fn moment(ctx: &Ctx, due: EpochMillis) -> String {
    let now = now(ctx);
    let at = moments::short(ctx.model.look.zone, due, now);
    let ms = due.since(now);
    // A typed span is whole as a rule: `5 s` is what was typed, `5.0 s` is a figure that ticks.
    let span = match ms.unsigned_abs() {
        whole if whole < 10_000 && whole % 1000 == 0 => format!("{} s", whole / 1000),
        span => text::span(span),
    };
    match ms {
        0 => format!("{at}, at once"),
        ms if ms < 0 => format!("{at}, {span} ago"),
        _ => format!("{at}, in {span}"),
    }
}

/// Draws what would happen, in as many rows as there are.
pub(crate) fn sum(ctx: &Ctx, words: &str, area: Area, buf: &mut Buffer) {
    let t = &ctx.theme;
    let x = area.x + 2.min(area.w);
    let room = area.w.saturating_sub(3);
    let rows = wrapped(words, usize::from(room));
    for (i, y) in (area.y..area.y + area.h).enumerate() {
        let mut line = Line::new(buf, x, y, room);
        let last = i + 1 == usize::from(area.h);
        match rows.get(i..) {
            Some(rest) if last => line.put_cut(buf, &rest.join(" "), t.glyphs.cut, t.text),
            Some([row, ..]) => {
                line.put(buf, row, t.text);
            }
            _ => {}
        }
    }
}

/// Draws why it failed.
pub(crate) fn failed(ctx: &Ctx, of: &dyn InputForm, area: Area, buf: &mut Buffer) {
    let Some(why) = of.failed() else {
        return;
    };
    let t = &ctx.theme;
    let room = area.w.saturating_sub(3);
    let words = format!("{} {why}", t.glyphs.lost);
    let rows = wrapped(&words, usize::from(room));
    for (y, words) in (area.y..area.y + area.h).zip(&rows) {
        let last = y + 1 == area.y + area.h && rows.len() > usize::from(area.h);
        let mut line = Line::new(buf, area.x + 2.min(area.w), y, room);
        line.put(buf, words, t.late);
        if last {
            line.put(buf, t.glyphs.cut, t.late);
        }
    }
}

/// The button: what it says, and what while it is at it.
pub(crate) fn button(
    ctx: &Ctx,
    of: &dyn InputForm,
    (ready, busy): (&str, &str),
    area: Area,
    buf: &mut Buffer,
) {
    let t = &ctx.theme;
    let (words, style): (&str, Style) = match (of.is_sent(), of.at()) {
        (true, _) => (busy, t.dim),
        (false, Part::Button) => (ready, t.select),
        (false, _) => (ready, t.accent),
    };
    Line::new(buf, area.x, area.y, area.w * area.h).put(buf, words, style);
}
