//! The cursors: of the table of queues, of the entries (by rank, over the whole set), of what is
//! scrolled line by line.

use super::Scrolled;
use crate::tui::entry::update::tree;
use crate::tui::layout::rows::{entries_a_page, queues_a_page};
use crate::tui::model::{Model, Overlay, Pane, Screen};
use crate::tui::refresh::{self, RankFor};
use crate::tui::tabs::{self, Tab};
use crate::tui::{departed, entries, entry, filter, layout, marks, queues};

/// Moves what the focus is on by rows: negative is up.
pub(crate) fn by(model: &mut Model, rows: i64) {
    if scroll_lines(model, rows) {
        return;
    }
    match model.focus {
        Pane::Queues => select(model, add(model.cursor as u64, rows)),
        Pane::Entries => tabs::update::move_to(model, add(model.stand().cursor, rows)),
        Pane::Timeline | Pane::Traffic => {}
    }
}

/// Moves by what is in sight: `sign` is -1 or 1.
pub(crate) fn page(model: &mut Model, sign: i64) {
    if scroll_lines(
        model,
        sign * i64::from(model.size.1.saturating_sub(4).max(1)),
    ) {
        return;
    }
    match model.focus {
        Pane::Queues => by(model, sign * signed(queues_a_page(model))),
        Pane::Entries => {
            let rows = sign * signed(entries_a_page(model));
            let stand = model.stand();
            tabs::update::scroll_to(model, add(stand.top, rows));
            tabs::update::move_to(model, add(stand.cursor, rows));
        }
        Pane::Timeline | Pane::Traffic => {}
    }
}

/// To the first row.
pub(crate) fn first(model: &mut Model) {
    if !scroll_lines(model, i64::MIN) {
        match model.focus {
            Pane::Queues => select(model, 0),
            Pane::Entries => tabs::update::move_to(model, 0),
            Pane::Timeline | Pane::Traffic => {}
        }
    }
}

/// To the last row.
pub(crate) fn last(model: &mut Model) {
    if !scroll_lines(model, i64::MAX) {
        match model.focus {
            Pane::Queues => select(model, u64::MAX),
            Pane::Entries => tabs::update::move_to(model, u64::MAX),
            Pane::Timeline | Pane::Traffic => {}
        }
    }
}

/// Scrolls the help or an opened entry, when one of them is what the keys act on.
fn scroll_lines(model: &mut Model, rows: i64) -> bool {
    let most = entry::place::last_scroll(model);
    if model.overlay.is_none() && tree::opened(model).is_some() {
        let sight = entry::update::rows(model);
        if let Screen::Entry(view) = &mut model.screen {
            tree::by(view, rows, sight);
        }
        return true;
    }
    let scroll = match (&mut model.overlay, &mut model.screen) {
        (Some(Overlay::Help { scroll, .. }), _) => scroll,
        (Some(Overlay::Change(view)), _) => &mut view.scroll,
        (None, Screen::Entry(entry)) => &mut entry.scroll,
        _ => return false,
    };
    let to = add((*scroll).min(most) as u64, rows);
    *scroll = usize::try_from(to).unwrap_or(usize::MAX).min(most);
    true
}

/// Makes `top` the first row in sight; the cursor comes along.
pub(crate) fn scroll_to(model: &mut Model, what: Scrolled, top: u64) {
    let lines = usize::try_from(top).unwrap_or(usize::MAX);
    let sight = entry::update::rows(model);
    match (what, &mut model.overlay, &mut model.screen) {
        (Scrolled::Help, Some(Overlay::Help { scroll, .. }), _) => *scroll = lines,
        (Scrolled::Change, Some(Overlay::Change(view)), _) => view.scroll = lines,
        (Scrolled::Entry, None, Screen::Entry(entry)) => {
            entry.scroll = lines;
            tree::come_along(entry, sight);
        }
        (Scrolled::Pane(Pane::Queues), ..) => {
            let rows = queues_a_page(model);
            model.top = lines;
            let cursor = model.cursor.clamp(lines, lines + rows - 1);
            select(model, cursor as u64);
        }
        (Scrolled::Pane(Pane::Entries), ..) => tabs::update::scroll_to(model, top),
        _ => {}
    }
}

/// The first row in sight.
pub(crate) fn top(model: &Model, what: Scrolled) -> u64 {
    let lines = match (what, &model.overlay, &model.screen) {
        (Scrolled::Help, Some(Overlay::Help { scroll, .. }), _) => *scroll,
        (Scrolled::Change, Some(Overlay::Change(view)), _) => view.scroll,
        (Scrolled::Entry, _, Screen::Entry(entry)) => entry.scroll,
        (Scrolled::Pane(Pane::Queues), ..) => model.top,
        (Scrolled::Pane(Pane::Entries), ..) => return model.stand().top,
        _ => 0,
    };
    lines as u64
}

/// Selects the queue in a row of the table.
pub(crate) fn select(model: &mut Model, row: u64) {
    model.schedule.moved = Some(model.instant);
    let last = model.queues.len().saturating_sub(1);
    let row = usize::try_from(row).unwrap_or(usize::MAX).min(last);
    if row != model.cursor {
        model.cursor = row;
        selection_changed(model);
    }
    keep_in_sight(model);
}

/// Another queue is selected: its rows are not those of the one before.
pub(crate) fn selection_changed(model: &mut Model) {
    model.departed = None;
    filter::update::forget(model);
    marks::update::clear(model);
    model.entries = entries::Entries::default();
    model.schedule.lost = None;
    model.schedule.rank.forget();
    model.schedule.held_entries = marks::update::held_entries(model);
    model.rows_on_change = false;
    model.schedule.row_bytes = None;
    tabs::update::selection_changed(model);
    refresh::update::ask_selected(model);
}

/// Moves the cursor of the entries to a rank, or as near as there is one.
pub(crate) fn move_entry(model: &mut Model, rank: u64) {
    let rank = departed::update::moved_to(model, rank);
    let rank = rank.min(rows(model).saturating_sub(1));
    model.entries.cursor = rank;
    // On the head it shows whatever comes next; anywhere else it follows its entry.
    model.entries.anchored = rank > 0;
    model.schedule.lost = None;
    if matches!(model.schedule.rank_for, RankFor::Follow { .. }) {
        // The user has gone on: the answer would pull the cursor back.
        model.schedule.rank.forget();
    }
    keep_in_sight(model);
    refresh::update::ask_missing_rows(model);
}

/// How many rows the list of entries has, one that has left too.
fn rows(model: &Model) -> u64 {
    let departed = model.departed().filter(|d| d.tab == Tab::Waiting);
    model.listed() + u64::from(departed.is_some())
}

/// Both cursors lie within what is shown, and both windows within what there is.
pub(crate) fn keep_in_sight(model: &mut Model) {
    let areas = layout::areas(model);
    let rows = layout::rows::queue_rows_in(&areas).max(1);
    let lowest = model.queues.len().saturating_sub(rows);
    model.top = model.top.min(model.cursor).min(lowest);
    model.top = model.top.max((model.cursor + 1).saturating_sub(rows));

    let rows = layout::rows::entry_rows_in(model, &areas).max(1) as u64;
    let waiting = self::rows(model);
    let entries = &mut model.entries;
    entries.cursor = entries.cursor.min(waiting.saturating_sub(1));
    entries.top = entries.top.min(waiting.saturating_sub(rows));
    entries.top = entries.top.min(entries.cursor);
    entries.top = entries.top.max((entries.cursor + 1).saturating_sub(rows));
    if model.tab != Tab::Waiting {
        tabs::update::keep_in_sight(model);
    }
}

/// Turns the wheel over a pane: negative is up.
pub(crate) fn wheel(model: &mut Model, pane: Pane, rows: i64) {
    match pane {
        Pane::Queues => {
            let row = add(model.cursor as u64, rows.signum());
            select(model, row);
            queues::update::order::hold(model);
        }
        // Findings are of unequal height: one after the other.
        Pane::Entries if model.tab == Tab::Findings => {
            let at = add(model.stand().cursor, rows.signum());
            tabs::update::move_to(model, at);
        }
        Pane::Entries => {
            let top = add(model.stand().top, rows);
            tabs::update::scroll_to(model, top);
        }
        Pane::Timeline | Pane::Traffic => {}
    }
}

fn add(rank: u64, rows: i64) -> u64 {
    rank.saturating_add_signed(rows)
}

fn signed(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}
