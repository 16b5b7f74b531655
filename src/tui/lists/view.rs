//! Target and order list of the selected queue, from head to tail, and what is in quarantine.

use ratatui::buffer::Buffer;

use super::ListWindow;
use crate::queue::{Known, List};
use crate::tui::departed::DepartedFate;
use crate::tui::draw::{self, Ctx};
use crate::tui::entries::view::rows::ShownRow;
use crate::tui::filter::view::MatchMarks;
use crate::tui::hitmap::Target;
use crate::tui::model::Pane;
use crate::tui::widget::pane::TitlePart;
use crate::tui::{area, entries, findings, past, sight, tabs};

pub(crate) fn render(ctx: &Ctx, list: List, buf: &mut Buffer) {
    let slot = ctx.areas.entries;
    if !slot.shown() {
        return;
    }
    let window = ctx.model.lists.of(list);
    let mut left = Vec::new();
    if let Some(note) = tabs::queries::deep_note(ctx.model) {
        left.push(TitlePart::new(85, note, ctx.theme.warn));
    } else {
        left.extend(tabs::view::order(ctx));
    }
    tabs::view::title(ctx, left, Vec::new(), buf);
    let table = area::table(slot);
    if ctx.model.then.is_some() {
        return past::view::not_kept(ctx, table, buf);
    }
    let count = sight::count(ctx.model);
    if let Some(words) = why_empty(ctx, list, window, count) {
        draw::words(ctx, &words, table, buf);
        return;
    }
    let room = table.w.saturating_sub(1);
    let in_sight = (window.stand.top..).take(usize::from(table.h));
    let seen = in_sight.filter_map(|i| Some(window.at(i)?.row.due));
    let placed = entries::view::rows::columns(ctx, Some(list), Some(count), room, seen);
    if slot.boxed && slot.inner.h > 0 {
        entries::view::rows::heads(ctx, &placed, slot.inner, buf);
        tabs::view::range(ctx, slot.inner, buf);
    }
    let left = count.saturating_sub(window.stand.top);
    let found = MatchMarks::new(ctx);
    for i in 0..table.h.min(u16::try_from(left).unwrap_or(u16::MAX)) {
        let index = window.stand.top + u64::from(i);
        let area = table.row(i);
        if let Some(element) = window.at(index) {
            let shown = ShownRow {
                row: &element.row,
                index,
                score: Some(&element.score),
                gone: ctx.model.fate_at(index).map(DepartedFate::word),
                suspect: findings::suspicion(ctx.model, element.row.id),
            };
            entries::view::rows::draw(ctx, &shown, &found, &placed, area, buf);
            let (marks, row) = (&ctx.model.marks, &element.row);
            let marked = marks.has(row, index) || ctx.model.in_range(row, index);
            entries::view::mark(ctx, marked, area, buf);
        } else {
            entries::view::rows::unread(ctx, area, buf);
        }
        ctx.record(area, Target::Row(index));
        if index == window.stand.cursor {
            ctx.select(area, ctx.model.focus == Pane::Entries, buf);
        }
    }
}

/// Says why there are no rows; none when there are.
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
        List::Quarantine => &Known::None,
    };
    match (list, known) {
        (_, Known::Unknown(why)) => Some(format!("The list cannot be read: {why}")),
        (List::Target, _) if count == 0 => {
            Some("Nothing delivered is waiting to be consumed.".to_owned())
        }
        (List::Order, _) if count == 0 => Some("The order list is empty.".to_owned()),
        (List::Quarantine, _) if count == 0 => Some("Nothing is in quarantine.".to_owned()),
        _ => None,
    }
}
