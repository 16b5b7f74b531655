//! The entries of the selected queue, by due time.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::{Ctx, tabs, time};
use crate::payload::Codec;
use crate::queue::{Due, Known, text};
use crate::tui::areas::{self, Area};
use crate::tui::model::{EntryRow, HAND_OVER_MS, Pane};
use crate::tui::widget::columns::{self, Column, Placed};
use crate::tui::widget::hex;
use crate::tui::widget::line::{self, Line};
use crate::tui::widget::pane::Part;

/// The columns.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Col {
    DueIn,
    DueAt,
    Id,
    Size,
    Codec,
    Payload,
}

pub(super) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let slot = ctx.areas.entries;
    if !slot.shown() {
        return;
    }
    title(ctx, buf);
    let table = areas::table(slot);
    if ctx.model.waiting() == 0 {
        nothing(ctx, table, buf);
        return;
    }
    let room = table.w.saturating_sub(1);
    let placed = columns(ctx, room, in_sight(ctx, table.h));
    if slot.boxed && slot.inner.h > 0 {
        heads(ctx, &placed, slot.inner, buf);
        tabs::range(ctx, slot.inner, buf);
    }
    let entries = &ctx.model.entries;
    let left = ctx.model.waiting().saturating_sub(entries.top);
    for i in 0..table.h.min(u16::try_from(left).unwrap_or(u16::MAX)) {
        let rank = entries.top + u64::from(i);
        let loaded = rank
            .checked_sub(entries.first)
            .and_then(|i| usize::try_from(i).ok());
        let area = table.row(i);
        match loaded.and_then(|i| entries.rows.get(i)) {
            Some(row) => entry(ctx, row, &placed, area, buf),
            None => Line::new(buf, area.x, area.y, area.w).skip(3).put_cut(
                buf,
                ctx.data.glyphs.cut,
                "",
                ctx.data.dim,
            ),
        }
        if rank == entries.cursor {
            ctx.select(area, ctx.model.focus == Pane::Entries, buf);
        }
    }
}

/// The loaded ones of the rows in sight.
fn in_sight<'a>(ctx: &Ctx<'a>, rows: u16) -> &'a [EntryRow] {
    let e = &ctx.model.entries;
    let from = usize::try_from(e.top.saturating_sub(e.first)).unwrap_or(usize::MAX);
    let all = e.rows.get(from..).unwrap_or_default();
    &all[..all.len().min(usize::from(rows))]
}

fn columns(ctx: &Ctx, room: u16, rows: &[EntryRow]) -> Vec<Placed<Col>> {
    let zone = ctx.model.look.zone;
    let today = |row: &EntryRow| match row.due {
        Due::At(at) => time::same_day(zone, at, ctx.now),
        Due::OutOfRange(_) => false,
    };
    // The day is said only where it is another one.
    let due_at = if room >= 74 && ctx.wide() || !rows.iter().all(today) {
        time::LONG
    } else {
        time::SHORT
    };
    let c = |what, width, rank| Column {
        what,
        width,
        rank,
        grows: what == Col::Payload,
    };
    let mut all = vec![
        c(Col::DueIn, 10, 100),
        c(Col::DueAt, due_at + 2, 80),
        c(Col::Id, 18, 20),
        c(Col::Size, 8, 50),
        c(Col::Codec, 15, 30),
        c(Col::Payload, 16, 90),
    ];
    if room < 98 || !ctx.wide() || ctx.model.size.0 < 150 {
        all.retain(|c| !matches!(c.what, Col::Id | Col::Codec));
    }
    if room < 74 || !ctx.wide() {
        all.retain(|c| c.what != Col::Size);
    }
    columns::fit(&all, room)
}

fn title(ctx: &Ctx, buf: &mut Buffer) {
    let mut left = Vec::new();
    if ctx.model.waiting() > 0 {
        left.push(Part::new(20, "next first", ctx.theme.dim));
    }
    tabs::title(ctx, left, Vec::new(), buf);
}

fn heads(ctx: &Ctx, placed: &[Placed<Col>], area: Area, buf: &mut Buffer) {
    let style = ctx.theme.dim;
    for (col, x, w) in placed {
        let label = match col {
            Col::DueIn | Col::Size => {
                let label = if *col == Col::Size { "size" } else { "due in" };
                line::right(buf, area.x + x, area.y, *w, label, style);
                continue;
            }
            Col::DueAt => "due at",
            Col::Id => "id",
            Col::Codec => "codec",
            Col::Payload => "payload",
        };
        Line::new(buf, area.x + x + 2, area.y, *w - 2).put(buf, label, style);
    }
}

fn entry(ctx: &Ctx, row: &EntryRow, placed: &[Placed<Col>], area: Area, buf: &mut Buffer) {
    let d = &ctx.data;
    for (col, x, w) in placed {
        let (x, y) = (area.x + x, area.y);
        let mut cell = Line::new(buf, x + 2, y, w.saturating_sub(2));
        match col {
            Col::DueIn => {
                let (words, style) = due_in(ctx, row.due);
                line::right(buf, x, y, ctx.span_cell(*w, &words), &words, style);
            }
            Col::DueAt => {
                let words = match row.due {
                    Due::At(at) if *w < 2 + time::LONG => {
                        time::short(ctx.model.look.zone, at, ctx.now)
                    }
                    Due::At(at) => time::long(ctx.model.look.zone, at, ctx.now),
                    Due::OutOfRange(score) => format!("{score:.2e}"),
                };
                cell.put(buf, &words, d.text);
            }
            Col::Id => {
                cell.put(buf, &row.id.to_string(), d.dim);
            }
            Col::Size => {
                let size = format!("{}B", text::compact(u64::try_from(row.size).unwrap_or(0)));
                line::right(buf, x, y, *w, &size, d.dim);
            }
            Col::Codec => {
                let name = row.content.as_ref().map_or("none", |c| c.codec.name());
                cell.put(buf, name, d.dim);
            }
            Col::Payload => payload(ctx, row, cell, buf),
        }
    }
}

/// The countdown; red with a minus when it is late.
pub(super) fn due_in(ctx: &Ctx, due: Due) -> (String, Style) {
    match due {
        Due::At(at) if at <= ctx.now => {
            let style = if ctx.now.since(at) < HAND_OVER_MS {
                ctx.data.warn
            } else {
                ctx.data.late
            };
            (ctx.countdown(at), style)
        }
        Due::At(at) => (ctx.countdown(at), ctx.data.text),
        Due::OutOfRange(score) if score.is_nan() => (ctx.data.glyphs.none.to_owned(), ctx.data.dim),
        Due::OutOfRange(_) => ("score !".to_owned(), ctx.data.warn),
    }
}

pub(super) fn payload(ctx: &Ctx, row: &EntryRow, mut cell: Line, buf: &mut Buffer) {
    let d = &ctx.data;
    let Ok(decoded) = &row.content else {
        cell.put(buf, &format!("{} no frame: ", d.glyphs.lost), d.warn);
        let shown = row.member.len().min(cell.room() / 3 + 1);
        let digits = hex::digits(&row.member[..shown]);
        cell.put_cut(buf, digits.trim_end(), d.glyphs.cut, d.dim);
        return;
    };
    // What nothing explains is shown as hex, and steps back.
    let known = decoded.codec != Codec::Unknown;
    let style = if known { d.text } else { d.dim };
    cell.put_cut(buf, head(&decoded.text, cell.room()), d.glyphs.cut, style);
}

/// As much of the beginning of `text` as `columns` can show, and a little more: the rest of a
/// payload of megabytes need not be measured.
fn head(text: &str, columns: usize) -> &str {
    text.char_indices()
        .nth(columns * 4 + 8)
        .map_or(text, |(at, _)| &text[..at])
}

/// An empty queue says who would take an entry if there were one.
fn nothing(ctx: &Ctx, area: Area, buf: &mut Buffer) {
    let Some(row) = ctx.model.selected() else {
        return;
    };
    let Some(pulse) = &row.pulse else { return };
    let words = match (&pulse.waiting, &pulse.transfer_clients) {
        (Known::Unknown(why), _) => format!("The entries cannot be read: {why}"),
        (_, Known::Is(0)) => "Nothing waits, and nobody listens.".to_owned(),
        (_, Known::Is(1)) => "Nothing waits. 1 client listens.".to_owned(),
        (_, Known::Is(n)) => format!("Nothing waits. {} clients listen.", text::thousands(*n)),
        _ => "Nothing waits.".to_owned(),
    };
    super::words(ctx, &words, area, buf);
}
