//! Target and order list of the selected queue, from head to tail.

use ratatui::buffer::Buffer;

use super::{Ctx, entries, tabs, time};
use crate::queue::{Due, Known, List, ListScore, text};
use crate::tui::areas::columns::{self, Column, Placed};
use crate::tui::areas::{self, Area};
use crate::tui::model::{ListElement, ListWindow, Pane};
use crate::tui::widget::line::{self, Line};
use crate::tui::widget::pane::Part;

/// The columns.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Col {
    Index,
    DueIn,
    DueAt,
    Id,
    Size,
    Codec,
    Payload,
}

/// What a row of the order list says that timeouts does not hold.
const DRIFT: &str = "not in timeouts";

pub(super) fn render(ctx: &Ctx, list: List, buf: &mut Buffer) {
    let slot = ctx.areas.entries;
    if !slot.shown() {
        return;
    }
    let window = ctx.model.lists.of(list);
    let mut left = Vec::new();
    if let Some(note) = areas::tabs::deep_note(ctx.model) {
        left.push(Part::new(85, note, ctx.theme.warn));
    } else if list == List::Order {
        left.push(Part::new(20, "as offered", ctx.theme.dim));
    } else {
        left.push(Part::new(20, "next to be taken first", ctx.theme.dim));
    }
    tabs::title(ctx, left, Vec::new(), buf);
    let table = areas::table(slot);
    let count = areas::tabs::count(ctx.model);
    if let Some(words) = why_empty(ctx, list, window, count) {
        super::words(ctx, &words, table, buf);
        return;
    }
    let placed = columns(ctx, list, count, table.w.saturating_sub(1));
    if slot.boxed && slot.inner.h > 0 {
        heads(ctx, &placed, slot.inner, buf);
        tabs::range(ctx, slot.inner, buf);
    }
    let left = count.saturating_sub(window.stand.top);
    for i in 0..table.h.min(u16::try_from(left).unwrap_or(u16::MAX)) {
        let index = window.stand.top + u64::from(i);
        let area = table.row(i);
        if let Some(element) = window.at(index) {
            row(ctx, index, element, &placed, area, buf);
            entries::mark(ctx, &element.row, None, area, buf);
        } else {
            let mut line = Line::new(buf, area.x, area.y, area.w);
            line.skip(3).put(buf, ctx.data.glyphs.cut, ctx.data.dim);
        }
        if index == window.stand.cursor {
            ctx.select(area, ctx.model.focus == Pane::Entries, buf);
        }
    }
}

/// Why there are no rows; none when there are.
fn why_empty(ctx: &Ctx, list: List, window: &ListWindow, count: u64) -> Option<String> {
    let row = ctx.model.selected()?;
    let pulse = row.pulse.as_ref()?;
    let keys = row.queue.keys();
    if list == List::Order && keys.order.is_none() {
        let layout = row.queue.layout.word();
        return Some(format!(
            "A {layout} queue has no order list: its timeouts are all there is."
        ));
    }
    if let Some(why) = window.trouble.as_ref().filter(|_| window.rows.is_empty()) {
        return Some(format!("The list cannot be read: {why}"));
    }
    let known = match list {
        List::Order => &pulse.order,
        List::Target => &pulse.target,
    };
    match (list, known) {
        (_, Known::Unknown(why)) => Some(format!("The list cannot be read: {why}")),
        (List::Target, _) if count == 0 => {
            Some("Nothing delivered is waiting to be consumed.".to_owned())
        }
        (List::Order, _) if count == 0 => Some("The order list is empty.".to_owned()),
        _ => None,
    }
}

fn columns(ctx: &Ctx, list: List, count: u64, room: u16) -> Vec<Placed<Col>> {
    let digits = text::width(&text::thousands(count));
    let index = u16::try_from(digits).unwrap_or(10).max(3) + 3;
    let roomy = ctx.wide() && ctx.model.size.0 >= 150 && room >= 98;
    let c = |what, width, rank| Column {
        what,
        width,
        rank,
        grows: what == Col::Payload,
    };
    let due_at = if room >= 74 && ctx.wide() {
        time::LONG
    } else {
        time::SHORT
    };
    let mut all = vec![
        c(Col::Index, index, 70),
        c(Col::DueIn, 11, 100),
        c(Col::DueAt, due_at + 2, 80),
        c(Col::Id, 18, 20),
        c(Col::Size, 8, 50),
        c(Col::Codec, 15, 30),
        c(Col::Payload, 16, 90),
    ];
    all.retain(|column| match column.what {
        Col::DueIn | Col::DueAt => list == List::Order,
        Col::Id => roomy && list == List::Order,
        Col::Codec => roomy,
        Col::Size => room >= 74 && ctx.wide(),
        Col::Index | Col::Payload => true,
    });
    columns::fit(&all, room)
}

fn heads(ctx: &Ctx, placed: &[Placed<Col>], area: Area, buf: &mut Buffer) {
    let style = ctx.theme.dim;
    for (col, x, w) in placed {
        let (x, y) = (area.x + x, area.y);
        match col {
            Col::Index => line::right(buf, x, y, *w, "#", style),
            Col::DueIn => line::right(buf, x, y, *w, "due in", style),
            Col::Size => line::right(buf, x, y, *w, "size", style),
            Col::DueAt | Col::Id | Col::Codec | Col::Payload => {
                let label = match col {
                    Col::DueAt => "due at",
                    Col::Id => "id",
                    Col::Codec => "codec",
                    _ => "payload",
                };
                Line::new(buf, x + 2, y, *w - 2).put(buf, label, style);
            }
        }
    }
}

fn row(
    ctx: &Ctx,
    index: u64,
    element: &ListElement,
    placed: &[Placed<Col>],
    area: Area,
    buf: &mut Buffer,
) {
    let d = &ctx.data;
    let row = &element.row;
    for (col, x, w) in placed {
        let (x, y) = (area.x + x, area.y);
        let mut cell = Line::new(buf, x + 2, y, w.saturating_sub(2));
        match col {
            Col::Index => line::right(buf, x, y, *w, &text::thousands(index + 1), d.dim),
            Col::DueIn => due_in(ctx, element, x, y, *w, buf),
            Col::DueAt => {
                if let (ListScore::Is(_), Due::At(at)) = (&element.score, row.due) {
                    let zone = ctx.model.look.zone;
                    let words = if *w < 2 + time::LONG {
                        time::short(zone, at, ctx.now)
                    } else {
                        time::long(zone, at, ctx.now)
                    };
                    cell.put(buf, &words, d.text);
                }
            }
            Col::Id => {
                cell.put(buf, &row.id.to_string(), d.dim);
            }
            Col::Size => {
                let size = u64::try_from(row.size).unwrap_or(0);
                line::right(buf, x, y, *w, &format!("{}B", text::compact(size)), d.dim);
            }
            Col::Codec => {
                let name = row.content.as_ref().map_or("none", |c| c.codec.name());
                cell.put(buf, name, d.dim);
            }
            Col::Payload => entries::payload(ctx, row, cell, buf),
        }
    }
}

/// When it falls due; drift says so across the next column, too.
fn due_in(ctx: &Ctx, element: &ListElement, x: u16, y: u16, w: u16, buf: &mut Buffer) {
    let d = &ctx.data;
    match &element.score {
        ListScore::Is(_) => {
            let (words, style) = entries::due_in(ctx, element.row.due);
            line::right(buf, x, y, ctx.span_cell(w, &words), &words, style);
        }
        ListScore::Drift => {
            let words = format!("{} {DRIFT}", d.glyphs.differs);
            let columns = u16::try_from(text::width(&words)).unwrap_or(w);
            Line::new(buf, x + 3, y, columns).put(buf, &words, d.late);
        }
        ListScore::Untold(_) => line::right(buf, x, y, w, "?", d.dim),
        ListScore::None => line::right(buf, x, y, w, d.glyphs.none, d.dim),
    }
}
