//! How many rows a pane shows, and whether it is shown.

use super::{Areas, areas};
use crate::tui::area::{Slot, table_rows};
use crate::tui::model::{Model, Pane};
use crate::tui::tabs;

/// How many rows of the tab in sight are.
#[must_use]
pub fn entry_rows(model: &Model) -> usize {
    entry_rows_in(model, &areas(model))
}

/// The same where it is known where everything lies.
#[must_use]
pub fn entry_rows_in(model: &Model, areas: &Areas) -> usize {
    usize::from(tabs::place::table(model, areas.entries).h)
}

/// How many queue rows are in sight.
#[must_use]
pub fn queue_rows(model: &Model) -> usize {
    queue_rows_in(&areas(model))
}

/// The same where it is known where everything lies.
#[must_use]
pub fn queue_rows_in(areas: &Areas) -> usize {
    usize::from(table_rows(areas.queues))
}

/// Whether a pane is on the screen, so that the focus can go there.
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

/// How many entry rows are in sight; at least one, so that arithmetic stays simple.
pub(crate) fn entries_a_page(model: &Model) -> usize {
    entry_rows(model).max(1)
}

/// How many queue rows are in sight; at least one.
pub(crate) fn queues_a_page(model: &Model) -> usize {
    queue_rows(model).max(1)
}
