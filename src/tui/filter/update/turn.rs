//! `s` on entries: which of them stand first.

use super::found;
use crate::tui::entries::{self, Entries};
use crate::tui::filter::EntrySort;
use crate::tui::model::Model;
use crate::tui::sight;
use crate::tui::toast::{self, Tone};

/// The last entries first, or the next ones again; the cursor is on the first row then.
pub(crate) fn turn(model: &mut Model) {
    if let Some(filtered) = &model.filtered {
        if filtered.is_cut() {
            let only = "only the first hits are held: the last ones are not known";
            toast::update::say(model, only.to_owned(), Tone::Warn);
            return;
        }
        model.entry_sort = turned(model.entry_sort);
        (model.entries.top, model.entries.cursor) = (0, 0);
        found::show(model);
        return;
    }
    model.departed = None;
    model.entry_sort = turned(model.entry_sort);
    model.marks.range = None;
    model.schedule.rank.forget();
    model.entries = Entries::default();
    sight::keep(model);
    model.schedule.lost = None;
    entries::update::ask_missing(model);
}

const fn turned(sort: EntrySort) -> EntrySort {
    match sort {
        EntrySort::Next => EntrySort::Last,
        EntrySort::Last => EntrySort::Next,
    }
}
