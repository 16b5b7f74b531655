//! The entries of the selected queue, by due time; those that a filter leaves.

mod cells;
mod filter;

pub(super) use self::cells::due_in;
pub(super) use self::cells::payload;
pub(super) use self::filter::{hint as filter_hint, total};

use ratatui::buffer::Buffer;

use super::{Ctx, tabs, time};
use crate::queue::{Due, Known, text};
use crate::tui::areas::columns::{self, Column, Placed};
use crate::tui::areas::{self, Area};
use crate::tui::model::marks::What;
use crate::tui::model::{EntryRow, Pane};
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
    if ctx.model.listed() == 0 {
        match &ctx.model.filtered {
            Some(filtered) => filter::nothing(ctx, filtered, table, buf),
            None => nothing(ctx, table, buf),
        }
        return;
    }
    let room = table.w.saturating_sub(1);
    let placed = columns(ctx, room, in_sight(ctx, table.h));
    if slot.boxed && slot.inner.h > 0 {
        heads(ctx, &placed, slot.inner, buf);
        tabs::range(ctx, slot.inner, buf);
    }
    let entries = &ctx.model.entries;
    let left = ctx.model.listed().saturating_sub(entries.top);
    let range = ctx.model.range();
    for i in 0..table.h.min(u16::try_from(left).unwrap_or(u16::MAX)) {
        let rank = entries.top + u64::from(i);
        let loaded = rank
            .checked_sub(entries.first)
            .and_then(|i| usize::try_from(i).ok());
        let area = table.row(i);
        match loaded.and_then(|i| entries.rows.get(i)) {
            Some(row) => {
                let gone = ctx.model.hit(rank).is_some_and(|hit| hit.gone);
                cells::entry(ctx, row, gone, &placed, area, buf);
                if !gone {
                    mark(ctx, row, range.as_ref(), area, buf);
                }
            }
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

/// The mark of a marked row, in the first free column behind the cursor's.
pub(super) fn mark(ctx: &Ctx, row: &EntryRow, range: Option<&What>, area: Area, buf: &mut Buffer) {
    if ctx.model.marks.has(row) || range.is_some_and(|range| range.holds(row)) {
        let free = |x: &u16| buf[(*x, area.y)].symbol() == " ";
        let x = (area.x + 1..area.right().min(area.x + 3)).find(free);
        let x = x.unwrap_or(area.x);
        Line::new(buf, x, area.y, 1).put(buf, ctx.theme.glyphs.mark, ctx.theme.accent);
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
    let (m, t) = (ctx.model, &ctx.theme);
    let mut left: Vec<Part> = filter::which(ctx).into_iter().collect();
    if m.listed() > 0 {
        left.push(if m.last_first() {
            Part::new(85, "last first", t.text)
        } else {
            Part::new(20, "next first", t.dim)
        });
    }
    left.extend(filter::state(ctx));
    tabs::title(ctx, left, Vec::new(), buf);
}

fn heads(ctx: &Ctx, placed: &[Placed<Col>], area: Area, buf: &mut Buffer) {
    let style = ctx.theme.dim;
    for (col, x, w) in placed {
        let label = match col {
            Col::DueIn | Col::Size => {
                let falls = format!("due in {}", ctx.theme.glyphs.falls);
                let label = match col {
                    Col::Size => "size",
                    // The usual order needs no word.
                    _ if ctx.model.last_first() => &falls,
                    _ => "due in",
                };
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
