//! One entry: what is known of it, then its payload as text or as bytes.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;

use super::{Ctx, entries, time};
use crate::payload::Codec;
use crate::queue::{Due, Form, text};
use crate::tui::areas::lines::{self, Body};
use crate::tui::model::{EntryRow, EntryView, Face};
use crate::tui::widget::hex::Hex;
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::Part;

/// The whole screen for one entry.
pub(super) fn render(ctx: &Ctx, view: &EntryView, buf: &mut Buffer) {
    let slot = ctx.areas.detail;
    if !slot.shown() {
        return;
    }
    if !ctx.areas.compact {
        let queue = ctx
            .model
            .selected()
            .map(|row| text::printable_bytes(row.queue.name.as_bytes()));
        title(ctx, &view.row, queue.as_deref(), Some(view.face), buf);
    }
    let plan = lines::plan(slot, ctx.areas.compact);
    let (x, y) = (slot.inner.x + slot.inner.w.min(1), slot.inner.y);
    facts(
        ctx,
        &view.row,
        Rect::new(x, y, plan.columns, plan.facts),
        buf,
    );
    let y = y + plan.facts;
    match lines::body(view, plan.text) {
        Body::Hex => bytes(
            ctx,
            &view.row,
            view.scroll,
            Rect::new(x, y, plan.columns, plan.rows),
            buf,
        ),
        Body::Text(lines) => {
            words(
                ctx,
                &lines,
                view.scroll,
                Rect::new(x, y, plan.text, plan.rows),
                buf,
            );
            let beside = Rect::new(x + plan.columns - plan.beside, y, plan.beside, plan.rows);
            bytes(ctx, &view.row, view.scroll, beside, buf);
        }
    }
}

/// The entry under the cursor, beside the table.
pub(super) fn render_beside(ctx: &Ctx, buf: &mut Buffer) {
    let slot = ctx.areas.detail;
    let Some(row) = ctx.model.entry().filter(|_| slot.shown()) else {
        if slot.shown() {
            ctx.pane(
                slot,
                None,
                vec![Part::new(1, "Entry", ctx.theme.strong)],
                vec![],
                buf,
            );
        }
        return;
    };
    title(ctx, row, None, None, buf);
    let plan = lines::plan(slot, false);
    let (x, y) = (slot.inner.x + 1, slot.inner.y);
    facts(ctx, row, Rect::new(x, y, plan.columns, plan.facts), buf);
    let below = Rect::new(x, y + plan.facts, plan.columns, plan.rows);
    match lines::decoded(row, plan.columns, glance(plan)) {
        Body::Hex => bytes(ctx, row, 0, below, buf),
        Body::Text(lines) => words(ctx, &lines, 0, below, buf),
    }
}

fn title(ctx: &Ctx, row: &EntryRow, queue: Option<&str>, face: Option<Face>, buf: &mut Buffer) {
    let t = &ctx.theme;
    let mut name = Part::new(
        100,
        "Entry ",
        if face.is_some() { t.accent } else { t.strong },
    );
    name.pieces.push((row.id.to_string(), name.pieces[0].1));
    let mut left = vec![name];
    left.extend(queue.map(|q| Part::new(50, format!("of {}", text::cut(q, 40)), t.dim)));
    if let Some(face) = face {
        let style = |f| if f == face { t.accent } else { t.dim };
        let word = |f, word: &str| {
            if f == face {
                format!("[{word}]")
            } else {
                word.to_owned()
            }
        };
        left.push(Part {
            pieces: vec![
                (word(Face::Text, "text"), style(Face::Text)),
                (" ".to_owned(), t.dim),
                (word(Face::Hex, "hex"), style(Face::Hex)),
            ],
            rank: 60,
        });
    }
    let (due, style) = entries::due_in(ctx, row.due);
    let words = match row.due {
        _ if !row.scored() => "no due time".to_owned(),
        Due::At(at) if at <= ctx.now => format!("late {}", ctx.ago(at)),
        _ => format!("due in {due}"),
    };
    let right = vec![Part::new(70, words, style)];
    ctx.pane(ctx.areas.detail, None, left, right, buf);
}

fn facts(ctx: &Ctx, row: &EntryRow, area: Rect, buf: &mut Buffer) {
    let d = &ctx.data;
    let (due, epoch) = match row.due {
        Due::At(at) => (
            [time::full(ctx.model.look.zone, at), time::utc(at)],
            at.get().to_string(),
        ),
        Due::OutOfRange(_) if !row.scored() => (
            ["none: timeouts does not hold it".to_owned(), String::new()],
            String::new(),
        ),
        Due::OutOfRange(_) => (
            ["the score is no moment".to_owned(), String::new()],
            String::new(),
        ),
    };
    let frame = match (row.form, &row.content) {
        (Some(form), _) => format!("{form}, {}", era(form)),
        (None, Err(why)) => format!("{} none: {why}", d.glyphs.lost),
        (None, Ok(_)) => format!("{} (the payload stands alone)", d.glyphs.none),
    };
    let [local, utc] = due;
    let score = match row.due {
        _ if !row.scored() => String::new(),
        Due::At(at) if at.get().to_string() == row.score.to_string() => String::new(),
        _ => format!("   score {}", row.score),
    };
    let (name, why) = codec(row);
    let all: [(&str, String, Style); 7] = [
        ("id", row.id.to_string(), d.strong),
        ("due", local, d.text),
        ("", utc, d.dim),
        ("", format!("{epoch} ms{score}"), d.dim),
        (
            "frame",
            frame,
            if row.content.is_err() { d.warn } else { d.text },
        ),
        ("size", size(row), d.text),
        ("codec", format!("{name}: {why}"), d.text),
    ];
    for (y, (label, words, style)) in (area.top()..area.bottom()).zip(all) {
        let mut line = Line::new(buf, area.x, y, area.width);
        line.put(buf, &format!("{label:7}"), d.dim);
        line.put_cut(buf, &words, d.glyphs.cut, style);
    }
}

fn size(row: &EntryRow) -> String {
    let count = |n: usize| text::thousands(u64::try_from(n).unwrap_or(0));
    if row.size == row.member.len() {
        return format!("{} bytes", count(row.size));
    }
    let (payload, member) = (count(row.size), count(row.member.len()));
    format!("{payload} bytes, {member} with the frame")
}

/// As many bytes of text as a pane without scrolling can show.
fn glance(plan: lines::Plan) -> usize {
    usize::from(plan.columns) * usize::from(plan.rows) * 4
}

/// Which clients write a frame form.
fn era(form: Form) -> &'static str {
    match form {
        Form::ByteId => "Redisson 3.21.1+",
        Form::DoubleId => "Redisson up to 3.21.0",
        Form::ByteIdShort => "Redisson 3.21.1+, 32-bit or Windows server",
        Form::DoubleIdShort => "Redisson up to 3.21.0, 32-bit or Windows server",
    }
}

/// The codec's name, and why it is taken to be that one.
fn codec(row: &EntryRow) -> (&'static str, &'static str) {
    let Ok(decoded) = &row.content else {
        return ("none", "without a frame there is no payload to read");
    };
    let why = match decoded.codec {
        Codec::Text => "plain UTF-8 text",
        Codec::Json => "JSON that carries Java types",
        Codec::TypedJson => "JSON without Java types",
        Codec::Kryo5 => "Kryo 5 accounts for every byte",
        Codec::Marshalling => "starts as JBoss River does",
        Codec::Serialization => "starts as Java's serialization does",
        Codec::Unknown => "no known codec accounts for every byte",
    };
    (decoded.codec.name(), why)
}

fn bytes(ctx: &Ctx, row: &EntryRow, scroll: usize, area: Rect, buf: &mut Buffer) {
    let bytes = lines::payload(row);
    let each = lines::bytes_a_line(area.width);
    let last = bytes
        .len()
        .div_ceil(each)
        .saturating_sub(usize::from(area.height));
    let hex = Hex {
        bytes,
        each,
        scroll: scroll.min(last),
        text: ctx.data.text,
        dim: ctx.data.dim,
    };
    hex.render(area, buf);
}

fn words(ctx: &Ctx, lines: &[String], scroll: usize, area: Rect, buf: &mut Buffer) {
    let first = scroll.min(lines.len().saturating_sub(usize::from(area.height)));
    for (y, line) in (area.top()..area.bottom()).zip(lines.iter().skip(first)) {
        Line::new(buf, area.x, y, area.width).put(buf, line, ctx.data.text);
    }
}
