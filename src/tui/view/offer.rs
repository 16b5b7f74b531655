//! The form that offers messages.

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use ratatui::widgets::{Clear, Widget};

use super::{Ctx, field, rect, time};
use crate::clock::EpochMillis;
use crate::queue::{Layout, text};
use crate::tui::areas::Area;
use crate::tui::areas::offer::{self, Plan};
use crate::tui::areas::wrap::{row_of, text_rows, wrapped};
use crate::tui::model::offer::{
    OfferForm, Part, Said, count, due, what_codec, what_count, what_form,
};
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::{self, Pane};

pub(super) fn render(ctx: &Ctx, form: &OfferForm, buf: &mut Buffer) {
    let plan = offer::plan(ctx.model.size, form);
    Clear.render(rect(plan.slot.outer).intersection(buf.area), buf);
    if plan.slot.boxed {
        frame(ctx, form, &plan, buf);
    }
    for (part, area) in &plan.parts {
        label(ctx, form, *part, *area, buf);
    }
    message(ctx, form, &plan, buf);
    if let Some(said) = &form.message.said {
        let mut area = plan.value(Part::Payload);
        (area.y, area.h) = (plan.said.y, plan.said.h);
        let empty = form.payload.is_empty();
        let quiet = Said::Note(said.words().to_owned());
        say(ctx, if empty { &quiet } else { said }, area, buf);
    }
    let [codec, frame] = [
        form.written_with().name(),
        form.wrapped_in().map_or("choose", |form| form.word()),
    ];
    choice(ctx, form, &plan, (Part::Codec, codec), buf);
    say(ctx, &what_codec(form), plan.note(Part::Codec), buf);
    choice(ctx, form, &plan, (Part::Form, frame), buf);
    say(ctx, &what_form(form), plan.note(Part::Form), buf);
    typed(ctx, form, &plan, Part::Due, buf);
    say(ctx, &what_due(ctx, form), plan.note(Part::Due), buf);
    typed(ctx, form, &plan, Part::Count, buf);
    if let Some(said) = what_count(form) {
        say(ctx, &said, plan.note(Part::Count), buf);
    }
    sum(ctx, form, plan.sum, buf);
    failed(ctx, form, plan.failed, buf);
    button(ctx, form, plan.value(Part::Button), buf);
}

fn frame(ctx: &Ctx, form: &OfferForm, plan: &Plan, buf: &mut Buffer) {
    let t = &ctx.theme;
    let name = text::printable_bytes(form.queue.name.as_bytes());
    let room = usize::from(plan.slot.outer.w).saturating_sub(20);
    let name = text::cut(&name, room.max(4)).replace('…', t.glyphs.cut);
    let pane = Pane {
        left: vec![
            pane::Part::new(100, "Offer", t.strong),
            pane::Part::new(90, name, t.text),
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
fn label(ctx: &Ctx, form: &OfferForm, part: Part, area: Area, buf: &mut Buffer) {
    let t = &ctx.theme;
    let focused = part == form.at;
    if focused {
        for y in area.y..area.y + area.h {
            Line::new(buf, area.x, y, area.w).put(buf, t.glyphs.cursor, t.accent);
        }
    }
    let name = match part {
        Part::Payload => "message",
        Part::Codec => "codec",
        Part::Form => "form",
        Part::Due => "due",
        Part::Count => "count",
        Part::Button => "",
    };
    // Too narrow for names: the values alone.
    if area.w >= 2 * offer::LABEL {
        let style = if focused { t.strong } else { t.dim };
        Line::new(buf, area.x + 2, area.y, (offer::LABEL - 3) * area.h.min(1))
            .put(buf, name, style);
    }
}

fn message(ctx: &Ctx, form: &OfferForm, plan: &Plan, buf: &mut Buffer) {
    let t = &ctx.theme;
    let area = plan.value(Part::Payload);
    let (_, columns) = offer::message_size(plan);
    let lines = form.payload.lines();
    let rows = text_rows(lines, columns);
    let cursor = form.payload.cursor();
    let cursor_row = row_of(&rows, cursor);
    let top = offer::top(ctx.model.size, form);
    for (y, (i, row)) in (area.y..area.y + area.h).zip(rows.iter().enumerate().skip(top)) {
        let (_, rest) = field::split(&lines[row.line], row.from);
        let (shown, _) = field::split(rest, row.to - row.from);
        let mut line = Line::new(buf, area.x, y, area.w);
        if i != cursor_row || form.at != Part::Payload {
            line.put(buf, shown, t.text);
            continue;
        }
        let (before, rest) = field::split(shown, cursor.1 - row.from);
        let (under, behind) = field::split(rest, 1);
        line.put(buf, before, t.text);
        line.put(buf, if under.is_empty() { " " } else { under }, t.cursor());
        line.put(buf, behind, t.text);
    }
    // More than fits: how much, at the right end of the last row.
    let hidden = rows.len().saturating_sub(top + usize::from(area.h));
    if hidden > 0 && area.h > 1 {
        let more = format!(" {} more ", text::counted(hidden as u64, "row", "rows"));
        Line::new(buf, area.x, area.y + area.h - 1, area.w).put_right(buf, &more, t.dim);
    }
}

/// Something that is chosen among a few.
fn choice(ctx: &Ctx, form: &OfferForm, plan: &Plan, (part, value): (Part, &str), buf: &mut Buffer) {
    let t = &ctx.theme;
    let area = plan.value(part);
    let mut line = Line::new(buf, area.x, area.y, area.w * area.h);
    let focused = part == form.at;
    let [less, more] = t.glyphs.choose;
    let arrows = if focused { t.accent } else { t.dim };
    let style = if focused { t.strong } else { t.text };
    line.put(buf, less, arrows).skip(1);
    line.put(buf, value, style).skip(1);
    line.put(buf, more, arrows);
}

/// A field of one line.
fn typed(ctx: &Ctx, form: &OfferForm, plan: &Plan, part: Part, buf: &mut Buffer) {
    let area = plan.value(part);
    let note = plan.note(part);
    let room = area.w.saturating_sub(note.w).saturating_sub(2);
    let mut line = Line::new(buf, area.x, area.y, room * area.h);
    let typed = match part {
        Part::Due => &form.due,
        _ => &form.count,
    };
    field::one_line(ctx, typed, part == form.at, ctx.theme.text, &mut line, buf);
}

/// A sentence beside (or below) what it is about.
fn say(ctx: &Ctx, said: &Said, area: Area, buf: &mut Buffer) {
    let t = &ctx.theme;
    let (glyph, style) = match said {
        Said::Note(_) => ("", t.dim),
        Said::Careful(_) => (t.glyphs.warn, t.warn),
        Said::Wrong(_) => (t.glyphs.lost, t.late),
    };
    let mut line = Line::new(buf, area.x, area.y, area.w * area.h.min(1));
    if !glyph.is_empty() {
        line.put(buf, glyph, style).skip(1);
    }
    line.put_cut(buf, said.words(), t.glyphs.cut, style);
}

/// The server's time in whole seconds: goes on while the picture stands still.
fn now(ctx: &Ctx) -> EpochMillis {
    match ctx.model.frozen {
        Some(_) => {
            let exact = ctx.model.schedule.exact.get();
            EpochMillis::new(exact.div_euclid(1000) * 1000)
        }
        None => ctx.model.now,
    }
}

/// `14:02:31, in 5 s`.
fn moment(ctx: &Ctx, due: EpochMillis) -> String {
    let now = now(ctx);
    let at = time::short(ctx.model.look.zone, due, now);
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

fn what_due(ctx: &Ctx, form: &OfferForm) -> Said {
    match due(form, now(ctx)) {
        Ok(due) if due.since(now(ctx)) < 0 => Said::Careful(moment(ctx, due)),
        Ok(due) => Said::Note(moment(ctx, due)),
        Err(why) => Said::Wrong(why),
    }
}

/// What would happen, in one line.
fn sum(ctx: &Ctx, form: &OfferForm, area: Area, buf: &mut Buffer) {
    let t = &ctx.theme;
    let wrong = form.message.said.as_ref().is_some_and(Said::is_wrong);
    let framed = form.queue.layout == Layout::Redisson;
    let words = match (count(form), due(form, now(ctx))) {
        (Ok(count), Ok(due)) if !wrong && (!framed || form.wrapped_in().is_some()) => {
            let messages = text::counted(count, "message", "messages");
            let bytes = text::counted(form.message.bytes, "byte", "bytes");
            let each = if count > 1 { " each" } else { "" };
            let at = moment(ctx, due);
            format!(
                "{messages}, {bytes}{each}, due {at}{}",
                place(ctx, form, due)
            )
        }
        _ => return,
    };
    let x = area.x + 2.min(area.w);
    let mut line = Line::new(buf, x, area.y, area.w.saturating_sub(3) * area.h);
    line.put_cut(buf, &words, t.glyphs.cut, t.text);
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

fn failed(ctx: &Ctx, form: &OfferForm, area: Area, buf: &mut Buffer) {
    let Some(why) = &form.failed else {
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

fn button(ctx: &Ctx, form: &OfferForm, area: Area, buf: &mut Buffer) {
    let t = &ctx.theme;
    let (words, style): (&str, Style) = match (form.sending, form.at) {
        (Some(_), _) => ("offering", t.dim),
        (None, Part::Button) => ("[ Offer ]", t.select),
        (None, _) => ("[ Offer ]", t.accent),
    };
    Line::new(buf, area.x, area.y, area.w * area.h).put(buf, words, style);
}
