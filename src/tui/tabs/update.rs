//! The tabs: which one is in sight, and where its rows stand.

use super::Tab;
use crate::tui::lists::Stand;
use crate::tui::model::{Model, Pane};
use crate::tui::schedule::RankFor;
use crate::tui::{departed, filter, journal, layout, lists, marks, sight};

/// Shows a tab, and gives it the keys.
pub(crate) fn show(model: &mut Model, tab: Tab) {
    model.focus = Pane::Entries;
    if model.tab == tab {
        return;
    }
    departed::update::forget(model);
    model.tab = tab;
    marks::update::tab_changed(model);
    filter::update::tab_changed(model);
    sight::keep(model);
    lists::update::start_over(model);
    if tab == Tab::Changes {
        model.changes.want_journal();
    }
}

/// Moves the cursor of the tab in sight to a row, or as near as there is one.
pub(crate) fn move_to(model: &mut Model, row: u64) {
    if sight::on_entries(model) {
        move_entry(model, row);
        return;
    }
    let row = departed::update::moved_to(model, row);
    let row = row.min(sight::count(model).saturating_sub(1));
    let top = model.stand().top;
    sight::put(model, Stand { top, cursor: row });
    if let Some(list) = model.tab.list() {
        // On the head it shows whatever comes next; anywhere else it follows its element.
        model.lists.of_mut(list).anchored = row > 0;
    }
    sight::keep_tab(model);
    lists::update::ask_missing(model);
}

/// Moves the cursor of the entries to a rank, or as near as there is one.
pub(crate) fn move_entry(model: &mut Model, rank: u64) {
    let rank = departed::update::moved_to(model, rank);
    let rank = rank.min(sight::waiting_rows(model).saturating_sub(1));
    model.entries.cursor = rank;
    // On the head it shows whatever comes next; anywhere else it follows its entry.
    model.entries.anchored = rank > 0;
    model.schedule.lost = None;
    model.schedule.sought = None;
    if matches!(model.schedule.rank_for, RankFor::Follow { .. }) {
        // The user has gone on: the answer would pull the cursor back.
        model.schedule.rank.forget();
    }
    sight::keep(model);
    filter::update::ask_missing_rows(model);
}

/// Moves the window itself; the cursor stays in it.
pub(crate) fn scroll_to(model: &mut Model, top: u64) {
    let height = layout::rows::entries_a_page(model) as u64;
    let top = top.min(sight::count(model).saturating_sub(height));
    let cursor = model.stand().cursor.clamp(top, top + height - 1);
    if sight::on_entries(model) {
        model.entries.top = top;
    } else {
        sight::put(model, Stand { top, cursor });
    }
    move_to(model, cursor);
}

/// Something was announced on the selected queue's channel: it stands on top, and the cursor stays
/// on the one it was on.
pub(crate) fn announced(model: &mut Model) {
    let stand = &mut model.stands.traffic;
    if stand.cursor > 0 {
        stand.cursor += 1;
        stand.top += 1;
    }
}

/// Says why nothing can be opened in the tab in sight; none when it can.
pub(crate) fn why_not_open(model: &Model) -> Option<&'static str> {
    match model.tab {
        Tab::Waiting | Tab::Delivered | Tab::Order | Tab::Quarantine => {
            let nothing = model.entry().is_none() && filter::queries::meant(model).is_none();
            nothing.then_some("no entry to open")
        }
        Tab::Traffic => (sight::count(model) == 0).then_some("nothing has been announced"),
        Tab::Findings => (sight::count(model) == 0).then_some("nothing is wrong"),
        Tab::Changes => journal::update::why_not_open(model),
        Tab::Nodes => Some("a node has no more to show: `:server` goes to another"),
    }
}
