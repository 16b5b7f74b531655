//! The tabs: which one is in sight, and where its rows stand.

use super::Tab;
use crate::queue::Announcement;
use crate::tui::effect::Effect;
use crate::tui::lists::{self, Stand};
use crate::tui::model::{Model, Pane, Screen};
use crate::tui::toast::{self, Tone};
use crate::tui::{cursor, departed, filter, findings, journal, jump, layout, marks};

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
    cursor::update::keep_in_sight(model);
    lists::update::start_over(model);
    if tab == Tab::Changes {
        journal::update::want(model);
    }
}

/// How many rows the tab in sight has.
pub(crate) fn count(model: &Model) -> u64 {
    super::place::count(model) + model.departed_rows()
}

/// Another queue is selected: its lists are not those of the one before.
pub(crate) fn selection_changed(model: &mut Model) {
    model.lists = lists::Lists::default();
    model.stands.traffic = Stand::default();
    lists::update::start_over(model);
}

/// Moves the cursor of the tab in sight to a row, or as near as there is one.
pub(crate) fn move_to(model: &mut Model, row: u64) {
    if on_entries(model) {
        cursor::update::move_entry(model, row);
        return;
    }
    let row = departed::update::moved_to(model, row);
    let row = row.min(count(model).saturating_sub(1));
    let top = model.stand().top;
    put(model, Stand { top, cursor: row });
    if let Some(list) = model.tab.list() {
        // On the head it shows whatever comes next; anywhere else it follows its element.
        model.lists.of_mut(list).anchored = row > 0;
    }
    keep_in_sight(model);
    lists::update::ask_missing(model);
}

/// Moves the window itself; the cursor stays in it.
pub(crate) fn scroll_to(model: &mut Model, top: u64) {
    let height = layout::rows::entries_a_page(model) as u64;
    let top = top.min(count(model).saturating_sub(height));
    let cursor = model.stand().cursor.clamp(top, top + height - 1);
    if on_entries(model) {
        model.entries.top = top;
    } else {
        put(model, Stand { top, cursor });
    }
    move_to(model, cursor);
}

/// The rows in sight are those of the window on what waits, or on what a filter leaves.
fn on_entries(model: &Model) -> bool {
    model.tab == Tab::Waiting || model.on_hits()
}

fn put(model: &mut Model, stand: Stand) {
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
    }
}

/// The cursor lies within what there is, and within what is in sight.
pub(crate) fn keep_in_sight(model: &mut Model) {
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

/// Something was announced on the selected queue's channel: it stands on top, and the cursor stays
/// on the one it was on.
pub(crate) fn announced(model: &mut Model) {
    let stand = &mut model.stands.traffic;
    if stand.cursor > 0 {
        stand.cursor += 1;
        stand.top += 1;
    }
}

/// Opens what is under the cursor of a tab of lines.
pub(crate) fn open(model: &mut Model) -> Vec<Effect> {
    let at = usize::try_from(model.stand().cursor).unwrap_or(usize::MAX);
    match model.tab {
        Tab::Traffic => {
            let due = super::place::traffic(model).nth(at).map(Announcement::due);
            match due {
                Some(Some(due)) if due.get() != 0 => {
                    show(model, Tab::Waiting);
                    return jump::to(model, due);
                }
                Some(_) => toast::update::say(model, "it tells no due time".to_owned(), Tone::Warn),
                None => {}
            }
        }
        Tab::Findings => {
            let queue = findings::listed(model).get(at).map(|found| found.row);
            if let Some(row) = queue {
                cursor::update::select(model, row as u64);
                model.screen = Screen::Queue;
                show(model, Tab::Waiting);
                cursor::update::keep_in_sight(model);
            }
        }
        Tab::Changes => return journal::update::open(model),
        Tab::Waiting | Tab::Delivered | Tab::Order | Tab::Quarantine => {}
    }
    Vec::new()
}

/// Why nothing can be opened in the tab in sight; none when it can.
pub(crate) fn why_not_open(model: &Model) -> Option<&'static str> {
    match model.tab {
        Tab::Waiting | Tab::Delivered | Tab::Order | Tab::Quarantine => {
            model.entry().is_none().then_some("no entry to open")
        }
        Tab::Traffic => (count(model) == 0).then_some("nothing has been announced"),
        Tab::Findings => (count(model) == 0).then_some("nothing is wrong"),
        Tab::Changes => journal::update::why_not_open(model),
    }
}
