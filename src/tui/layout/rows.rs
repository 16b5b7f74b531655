//! The room of the panes in the next picture: how many rows they have, and whether they are shown.
//! The last picture cannot tell it: a key may have brought another tab or screen since, or the
//! terminal another size.

use super::{Areas, areas};
use crate::tui::area::{self, Slot};
use crate::tui::entry::text::{EntryRoom, is_plain, plan};
use crate::tui::model::{Model, Pane, Screen};
use crate::tui::tabs;

/// Rows in sight.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Rows {
    /// Of the table of queues.
    pub queues: usize,
    /// Of the tab in sight.
    pub entries: usize,
}

/// The rows that are in sight.
#[must_use]
pub fn rows(model: &Model) -> Rows {
    let areas = areas(model);
    Rows {
        queues: usize::from(area::table(areas.queues).h),
        entries: usize::from(tabs::place::table(model, areas.entries).h),
    }
}

/// The number of rows in sight of the tab in sight.
#[must_use]
pub fn entry_rows(model: &Model) -> usize {
    rows(model).entries
}

/// The number of queue rows in sight.
#[must_use]
pub fn queue_rows(model: &Model) -> usize {
    rows(model).queues
}

/// Columns and rows of the tab in sight.
#[must_use]
pub fn tab_size(model: &Model) -> (u16, u16) {
    let inner = areas(model).entries.inner;
    (inner.w, inner.h)
}

/// The parts of the room that an opened entry has.
#[must_use]
pub fn opened(model: &Model) -> EntryRoom {
    let areas = areas(model);
    let inner = areas.detail.inner;
    let plain = matches!(&model.screen, Screen::Entry(view) if is_plain(&view.row));
    plan((inner.w, inner.h), areas.compact, plain)
}

/// True when a pane is on the screen, so that the focus can go there.
#[must_use]
pub fn shown(model: &Model, pane: Pane) -> bool {
    slot(&areas(model), pane).shown()
}

/// A pane's place.
#[must_use]
pub fn slot(areas: &Areas, pane: Pane) -> Slot {
    match pane {
        Pane::Queues => areas.queues,
        Pane::Timeline => areas.timeline,
        Pane::Entries => areas.entries,
        Pane::Traffic => areas.traffic,
    }
}

/// The number of entry rows in sight; at least one, so that arithmetic stays simple.
pub(crate) fn entries_a_page(model: &Model) -> usize {
    entry_rows(model).max(1)
}

/// The number of queue rows in sight; at least one.
pub(crate) fn queues_a_page(model: &Model) -> usize {
    queue_rows(model).max(1)
}
