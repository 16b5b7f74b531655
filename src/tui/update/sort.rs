//! `s`: the order of the rows.

use super::{act, cursor, filter, load, order};
use crate::tui::effect::Effect;
use crate::tui::model::{Model, Pane, QueueSort, Tone};

/// The next order of the rows of the focused pane.
pub(super) fn next(model: &mut Model) -> Vec<Effect> {
    if model.focus == Pane::Queues {
        let all = QueueSort::ALL;
        let at = all.iter().position(|sort| *sort == model.queue_sort);
        model.queue_sort = all[at.map_or(0, |at| at + 1) % all.len()];
        order::sort_now(model);
        return Vec::new();
    }
    turn(model);
    Vec::new()
}

/// The last entries first, or the next ones again; the cursor is on the first row then.
fn turn(model: &mut Model) {
    if let Some(filtered) = &model.filtered {
        if filtered.is_cut() {
            let only = "only the first hits are held: the last ones are not known";
            act::say(model, only.to_owned(), Tone::Warn);
            return;
        }
        model.last_first = !model.last_first;
        (model.entries.top, model.entries.cursor) = (0, 0);
        filter::show(model);
        return;
    }
    model.last_first = !model.last_first;
    model.marks.range = None;
    model.schedule.rank.forget();
    model.entries = crate::tui::model::Entries::default();
    cursor::keep_in_sight(model);
    model.schedule.lost = None;
    load::ask_missing_rows(model);
}
