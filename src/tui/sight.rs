//! Keeps cursors and windows within what there is, whatever comes, goes or takes rows away; knows
//! how many rows the tab in sight has, and puts it where it shall stand.

use crate::tui::lists::Stand;
use crate::tui::model::Model;
use crate::tui::tabs::{self, Tab};
use crate::tui::{findings, layout};

/// Puts both cursors within what is shown, and both windows within what there is.
pub(crate) fn keep(model: &mut Model) {
    let rows = layout::rows::rows(model);
    let height = rows.queues.max(1);
    let lowest = model.queues.len().saturating_sub(height);
    model.top = model.top.min(model.cursor).min(lowest);
    model.top = model.top.max((model.cursor + 1).saturating_sub(height));

    let height = rows.entries.max(1) as u64;
    let waiting = waiting_rows(model);
    let entries = &mut model.entries;
    entries.cursor = entries.cursor.min(waiting.saturating_sub(1));
    entries.top = entries.top.min(waiting.saturating_sub(height));
    entries.top = entries.top.min(entries.cursor);
    entries.top = entries.top.max((entries.cursor + 1).saturating_sub(height));
    if model.tab != Tab::Waiting {
        keep_tab(model);
    }
}

/// Puts the cursor of the tab in sight within what there is, and within what is in sight.
pub(crate) fn keep_tab(model: &mut Model) {
    let (count, height) = (count(model), layout::rows::entries_a_page(model) as u64);
    let mut stand = model.stand();
    stand.cursor = stand.cursor.min(count.saturating_sub(1));
    stand.top = stand.top.min(stand.cursor);
    if model.tab == Tab::Findings {
        stand.top = findings::tab::top(model, stand);
    } else {
        stand.top = stand.top.min(count.saturating_sub(height));
        stand.top = stand.top.max((stand.cursor + 1).saturating_sub(height));
    }
    put(model, stand);
}

/// The rows in sight are those of the window on what waits, or on what a filter leaves.
pub(crate) fn on_entries(model: &Model) -> bool {
    model.tab == Tab::Waiting || model.on_hits()
}

/// Lets the tab in sight stand there: its first row, and its cursor.
pub(crate) fn put(model: &mut Model, stand: Stand) {
    match model.tab {
        _ if on_entries(model) => {
            (model.entries.top, model.entries.cursor) = (stand.top, stand.cursor);
        }
        Tab::Waiting => {}
        Tab::Delivered => model.lists.delivered.stand = stand,
        Tab::Order => model.lists.order.stand = stand,
        Tab::Quarantine => model.lists.quarantine.stand = stand,
        Tab::Traffic => model.stands.traffic = stand,
        Tab::Findings => model.stands.findings = stand,
        Tab::Changes => model.stands.changes = stand,
        Tab::Nodes => model.stands.nodes = stand,
    }
}

/// The number of rows of the tab in sight, one that has left too.
pub(crate) fn count(model: &Model) -> u64 {
    tabs::queries::count(model) + model.departed_rows()
}

/// The number of rows of the list of entries, one that has left too.
pub(crate) fn waiting_rows(model: &Model) -> u64 {
    let departed = model.departed().filter(|d| d.tab == Tab::Waiting);
    model.listed() + u64::from(departed.is_some())
}
