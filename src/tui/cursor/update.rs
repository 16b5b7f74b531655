//! The cursors: of the table of queues, of the entries (by rank, over the whole set), of what is
//! scrolled line by line.

use super::ScrollArea;
use crate::tui::entry::update::tree;
use crate::tui::layout::rows::{entries_a_page, queues_a_page};
use crate::tui::model::{Model, Overlay, Pane, Screen};
use crate::tui::tabs::{self, Tab};
use crate::tui::{entry, lives, queues};

/// Moves what the focus is on by rows: negative is up.
pub(crate) fn by(model: &mut Model, rows: i64) {
    if scroll_lines(model, rows) {
        return;
    }
    match model.focus {
        Pane::Queues => queues::update::select(model, add(model.cursor as u64, rows)),
        Pane::Entries => tabs::update::move_to(model, add(model.stand().cursor, rows)),
        Pane::Timeline | Pane::Traffic => {}
    }
}

/// Moves by what is in sight: `sign` is -1 or 1. False where a page of the help is at its end already:
/// the next page is meant.
pub(crate) fn page(model: &mut Model, sign: i64) -> bool {
    if let Some(Overlay::Help { scroll, .. }) = &model.overlay {
        let end = if sign < 0 { 0 } else { last_line(model) };
        if *scroll == end {
            return false;
        }
    }
    page_within(model, sign);
    true
}

fn page_within(model: &mut Model, sign: i64) {
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
            Pane::Queues => queues::update::select(model, 0),
            Pane::Entries => tabs::update::move_to(model, 0),
            Pane::Timeline | Pane::Traffic => {}
        }
    }
}

/// To the last row.
pub(crate) fn last(model: &mut Model) {
    if !scroll_lines(model, i64::MAX) {
        match model.focus {
            Pane::Queues => queues::update::select(model, u64::MAX),
            Pane::Entries => tabs::update::move_to(model, u64::MAX),
            Pane::Timeline | Pane::Traffic => {}
        }
    }
}

/// Scrolls the help or an opened entry, when one of them is what the keys act on.
fn scroll_lines(model: &mut Model, rows: i64) -> bool {
    if matches!(model.overlay, Some(Overlay::Lives(_))) {
        lives::update::by(model, rows);
        return true;
    }
    let most = last_line(model);
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

/// The last line that what is scrolled by lines can be scrolled to; of what lies over the screen
/// as the picture shows it.
fn last_line(model: &Model) -> usize {
    match model.overlay {
        None => entry::update::last(model),
        Some(_) => model.drawn.room.last_line.unwrap_or(usize::MAX),
    }
}

/// Makes `top` the first row in sight; the cursor comes along.
pub(crate) fn scroll_to(model: &mut Model, what: ScrollArea, top: u64) {
    let lines = usize::try_from(top).unwrap_or(usize::MAX);
    if what == ScrollArea::Lives {
        lives::update::scroll_to(model, lines);
        return;
    }
    let sight = entry::update::rows(model);
    match (what, &mut model.overlay, &mut model.screen) {
        (ScrollArea::Help, Some(Overlay::Help { scroll, .. }), _) => *scroll = lines,
        (ScrollArea::Change, Some(Overlay::Change(view)), _) => view.scroll = lines,
        (ScrollArea::Entry, None, Screen::Entry(entry)) => {
            entry.scroll = lines;
            tree::come_along(entry, sight);
        }
        (ScrollArea::Pane(Pane::Queues), ..) => {
            let rows = queues_a_page(model);
            model.top = lines;
            let cursor = model.cursor.clamp(lines, lines + rows - 1);
            queues::update::select(model, cursor as u64);
        }
        (ScrollArea::Pane(Pane::Entries), ..) => tabs::update::scroll_to(model, top),
        _ => {}
    }
}

/// The first row in sight.
pub(crate) fn top(model: &Model, what: ScrollArea) -> u64 {
    let lines = match (what, &model.overlay, &model.screen) {
        (ScrollArea::Help, Some(Overlay::Help { scroll, .. }), _) => *scroll,
        (ScrollArea::Lives, Some(Overlay::Lives(view)), _) => lives::update::top(model, view),
        (ScrollArea::Change, Some(Overlay::Change(view)), _) => view.scroll,
        (ScrollArea::Entry, _, Screen::Entry(entry)) => entry.scroll,
        (ScrollArea::Pane(Pane::Queues), ..) => model.top,
        (ScrollArea::Pane(Pane::Entries), ..) => return model.stand().top,
        _ => 0,
    };
    lines as u64
}

/// Turns the wheel over a pane: negative is up.
pub(crate) fn wheel(model: &mut Model, pane: Pane, rows: i64) {
    match pane {
        Pane::Queues => {
            let row = add(model.cursor as u64, rows.signum());
            queues::update::select(model, row);
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
