//! What lies under a cell.

use super::areas;
use crate::queue::Zoom;
use crate::tui::area::table;
use crate::tui::layout::rows::slot;
use crate::tui::model::{Model, Pane};
use crate::tui::queues::{QueueSort, columns};
use crate::tui::tabs::{self, Tab};
use crate::tui::{findings, timeline};

/// What lies under a cell.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Hit {
    /// A row of a pane, counted from its first row in sight.
    Row(Pane, usize),
    /// A tab of the pane of the entries, or what leads there.
    Tab(Tab),
    /// A bar of the timeline, counted from the left; [`bar_start`](crate::tui::timeline::track::bar_start) says when it starts.
    Bar(usize),
    /// A class of what is late, the longest ago first.
    Late(usize),
    /// A zoom in the timeline's title.
    Zoom(Zoom),
    /// The head of a column of the queues: the order that it asks for.
    Order(QueueSort),
    /// The head of the due times.
    Turn,
    /// A finding of the pane, counted from the worst.
    Finding(usize),
    /// A pane, but none of its rows.
    Pane(Pane),
    /// Nothing that answers.
    Nothing,
}

/// What lies under the cell at column `x`, row `y`.
#[must_use]
pub fn hit(model: &Model, x: u16, y: u16) -> Hit {
    if model.overlay.is_some() {
        return Hit::Nothing;
    }
    let areas = areas(model);
    if let Some(finding) = findings::panel::at(model, areas.findings, x, y) {
        return Hit::Finding(finding);
    }
    if let Some(tab) = tabs::place::tab_at(model, &areas, x, y) {
        return Hit::Tab(tab);
    }
    let panes = [Pane::Queues, Pane::Timeline, Pane::Entries, Pane::Traffic];
    let under = |pane: &Pane| slot(&areas, *pane).outer.holds(x, y);
    let Some(pane) = panes.into_iter().find(under) else {
        return Hit::Nothing;
    };
    let slot = slot(&areas, pane);
    let sorts = pane == Pane::Queues && model.queues.len() > 1;
    if let Some(order) = columns::sort_at(model, slot, x, y).filter(|_| sorts) {
        return Hit::Order(order);
    }
    if pane == Pane::Entries && tabs::place::is_due_head(model, slot, x, y) {
        return Hit::Turn;
    }
    let (rows, area) = match pane {
        Pane::Timeline => return timeline::track::hit(model, slot, x, y),
        Pane::Queues => (model.queues.len().saturating_sub(model.top), table(slot)),
        Pane::Entries => (
            tabs::place::rows_shown(model),
            tabs::place::table(model, slot),
        ),
        Pane::Traffic => (tabs::place::traffic(model).count(), slot.inner),
    };
    if area.holds(x, y) && usize::from(y - area.y) < rows {
        Hit::Row(pane, usize::from(y - area.y))
    } else {
        Hit::Pane(pane)
    }
}
