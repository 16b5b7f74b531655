//! The entries of the selected queue, by due time; those that a filter leaves.

pub mod rows;

use ratatui::buffer::Buffer;

use self::rows::{EntryColumn, ShownRow};
use super::EntryRow;
use crate::queue::{Known, text};
use crate::tui::area::{self, Area};
use crate::tui::departed::DepartedFate;
use crate::tui::draw::{self, Ctx};
use crate::tui::filter::view::MatchMarks;
use crate::tui::hitmap::Target;
use crate::tui::model::Pane;
use crate::tui::tabs::Tab;
use crate::tui::widget::columns::PlacedColumn;
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::TitlePart;
use crate::tui::{filter, findings, past, sight, tabs};

pub(crate) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let slot = ctx.areas.entries;
    if !slot.shown() {
        return;
    }
    title(ctx, buf);
    let table = area::table(slot);
    if ctx.model.then.is_some() {
        return past::view::not_kept(ctx, table, buf);
    }
    let count = sight::waiting_rows(ctx.model);
    if count == 0 {
        match &ctx.model.filtered {
            Some(filtered) => filter::view::nothing(ctx, filtered, table, buf),
            None => nothing(ctx, table, buf),
        }
        return;
    }
    let room = table.w.saturating_sub(1);
    let seen = in_sight(ctx, table.h).iter().map(|row| row.due);
    // Hits have no index in their list, only a place among what was found.
    let placed = rows::columns(ctx, ctx.model.tab.list(), None, room, seen);
    if slot.boxed && slot.inner.h > 0 {
        rows::heads(ctx, &placed, slot.inner, buf);
        turns(ctx, &placed, slot.inner);
        tabs::view::range(ctx, slot.inner, buf);
    }
    let entries = &ctx.model.entries;
    let left = count.saturating_sub(entries.top);
    let found = MatchMarks::new(ctx);
    for i in 0..table.h.min(u16::try_from(left).unwrap_or(u16::MAX)) {
        let rank = entries.top + u64::from(i);
        let loaded = rank
            .checked_sub(entries.first)
            .and_then(|i| usize::try_from(i).ok());
        let area = table.row(i);
        match loaded.and_then(|i| entries.rows.get(i)) {
            Some(row) => {
                let shown = ShownRow {
                    row,
                    index: rank,
                    score: None,
                    gone: gone(ctx, rank),
                    suspect: findings::suspicion(ctx.model, row.id),
                };
                rows::draw(ctx, &shown, &found, &placed, area, buf);
                if shown.gone.is_none() {
                    let marked = ctx.model.marks.has(row, ctx.model.mark_place(rank));
                    let marked = marked || ctx.model.in_range(row, rank);
                    mark(ctx, marked, area, buf);
                }
            }
            None => rows::unread(ctx, area, buf),
        }
        ctx.record(area, Target::Row(rank));
        if rank == entries.cursor {
            ctx.select(area, ctx.model.focus == Pane::Entries, buf);
        }
    }
}

/// The heads of the due times turn the order of what waits.
fn turns(ctx: &Ctx, placed: &[PlacedColumn<EntryColumn>], heads: Area) {
    if ctx.model.tab != Tab::Waiting || ctx.model.listed() == 0 {
        return;
    }
    for (col, x, w) in placed {
        if matches!(col, EntryColumn::DueIn | EntryColumn::DueAt) {
            ctx.record(Area::new(heads.x + x, heads.y, *w, 1), Target::Turn);
        }
    }
}

/// Returns the word for what became of the row at a place, where it is no longer there.
fn gone(ctx: &Ctx, place: u64) -> Option<&'static str> {
    let hit = ctx.model.hit(place).filter(|hit| hit.gone);
    let fate = ctx.model.fate_at(place).map(DepartedFate::word);
    hit.map(|_| "gone").or(fate)
}

/// The mark of a row that is `marked`, in the first free column behind the cursor's.
pub(crate) fn mark(ctx: &Ctx, marked: bool, area: Area, buf: &mut Buffer) {
    if marked {
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

fn title(ctx: &Ctx, buf: &mut Buffer) {
    let mut left: Vec<TitlePart> = filter::view::which(ctx).into_iter().collect();
    left.extend(tabs::view::order(ctx));
    left.extend(filter::view::state(ctx));
    if ctx.areas.entries.boxed && ctx.model.on_hits() {
        // The names of the tabs leave no room for it beside them.
        tabs::view::title(ctx, Vec::new(), Vec::new(), buf);
        ctx.below(ctx.areas.entries, left, buf);
    } else {
        tabs::view::title(ctx, left, Vec::new(), buf);
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
    draw::words(ctx, &words, area, buf);
}
