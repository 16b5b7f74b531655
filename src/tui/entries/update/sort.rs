//! `s`: the order of the rows.

use crate::tui::effect::Effect;
use crate::tui::filter::{self, EntrySort};
use crate::tui::model::{Model, Pane};
use crate::tui::queues::{self, QueueSort};
use crate::tui::toast::{self, Tone};
use crate::tui::{cursor, entries, refresh};

/// The next order of the rows of the focused pane.
pub(crate) fn next(model: &mut Model) -> Vec<Effect> {
    if model.focus == Pane::Queues {
        let all = QueueSort::ALL;
        let at = all.iter().position(|sort| *sort == model.queue_sort);
        queues_by(model, all[at.map_or(0, |at| at + 1) % all.len()]);
        return Vec::new();
    }
    turn(model);
    Vec::new()
}

/// Orders the queues by that.
pub(crate) fn queues_by(model: &mut Model, by: QueueSort) {
    model.queue_sort = by;
    let at_top = model.cursor == 0;
    queues::update::order::sort_now(model);
    // Who looks at the top wants to see who leads now; from further down the cursor goes with its
    // queue.
    if at_top {
        cursor::update::select(model, 0);
    }
    // Where the pane has no title of its own, nothing else says it.
    let words = format!("queues by {}", by.label());
    toast::update::say(model, words, Tone::Good);
}

/// The last entries first, or the next ones again; the cursor is on the first row then.
fn turn(model: &mut Model) {
    if let Some(filtered) = &model.filtered {
        if filtered.is_cut() {
            let only = "only the first hits are held: the last ones are not known";
            toast::update::say(model, only.to_owned(), Tone::Warn);
            return;
        }
        model.entry_sort = turned(model.entry_sort);
        (model.entries.top, model.entries.cursor) = (0, 0);
        filter::update::found::show(model);
        return;
    }
    model.departed = None;
    model.entry_sort = turned(model.entry_sort);
    model.marks.range = None;
    model.schedule.rank.forget();
    model.entries = entries::Entries::default();
    cursor::update::keep_in_sight(model);
    model.schedule.lost = None;
    refresh::update::ask_missing_rows(model);
}

const fn turned(sort: EntrySort) -> EntrySort {
    match sort {
        EntrySort::Next => EntrySort::Last,
        EntrySort::Last => EntrySort::Next,
    }
}
