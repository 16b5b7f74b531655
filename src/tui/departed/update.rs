//! The row under the cursor is held by what it is: when it leaves its list it stays for a moment,
//! and a key right after the cursor came to another row by itself does nothing.

use std::time::{Duration, Instant};

use super::{ChangeSubject, DepartedFate, DepartedRow, ItemUnderCursor, STAYS};
use crate::queue::{Change, EntryResult, Known, Outcome};
use crate::tui::change::plan::MarkedEntries;
use crate::tui::change::queries;
use crate::tui::entries::EntryRow;
use crate::tui::keys::Action;
use crate::tui::model::{Model, Pane, Screen};
use crate::tui::tabs::Tab;
use crate::tui::{findings, sight};

/// The time after the cursor came to another row by itself during which no key changes anything:
/// whoever pressed it has not seen that row.
const UNSEEN: Duration = Duration::from_secs(1);

const WHY: &str = "what is under the cursor has changed just now: look, and press again";

fn under(model: &Model) -> Option<ItemUnderCursor> {
    let queue = model.selected()?.queue.clone();
    let what = match (&model.screen, model.focus) {
        (Screen::Entry(view), _) => Some(view.row.member.clone()),
        (_, Pane::Entries) if model.tab.has_entries() => Some(model.entry()?.member.clone()),
        (_, Pane::Entries) if model.tab == Tab::Findings => {
            let held = findings::update::held(model)?;
            return Some(ItemUnderCursor {
                queue: held.queue,
                what: Some(held.id.as_bytes().to_vec()),
            });
        }
        _ => None,
    };
    Some(ItemUnderCursor { queue, what })
}

/// Something happened: whether the cursor is on something else by itself. `input`: the user did it.
pub(crate) fn keep_watch(model: &mut Model, input: bool) {
    let now = model.instant;
    let under = under(model);
    let another = |before: &ItemUnderCursor| under.as_ref().is_some_and(|under| under != before);
    if model.watched_cursor.under.as_ref().is_some_and(another) {
        // Whoever has moved it to another row means that one.
        model.watched_cursor.shifted = (!input).then_some(now);
    }
    if input || under.is_some() {
        model.watched_cursor.under = under;
    }
}

/// Says why an action has to be asked for again.
pub(crate) fn why_again(model: &Model, action: Action) -> Option<&'static str> {
    let unseen = |at| model.instant.saturating_duration_since(at) < UNSEEN;
    let acts = queries::is_change(action) || matches!(action, Action::Mark | Action::MarkRange);
    let on_row = model.overlay.is_none() && model.focus != Pane::Timeline;
    // What is marked does not depend on where the cursor is.
    let on_marks = queries::is_change(action) && !model.marks.is_empty();
    let guarded = acts && on_row && !on_marks && action != Action::Undo;
    (guarded && model.watched_cursor.shifted.is_some_and(unseen)).then_some(WHY)
}

/// The entry under the cursor, where it is held.
pub(crate) fn is_held(model: &Model) -> bool {
    model.focus == Pane::Entries && !matches!(model.screen, Screen::Entry(_))
}

/// Returns what became of a row that is no longer in its list.
pub(crate) fn fate(model: &Model, row: &EntryRow, tab: Tab) -> DepartedFate {
    let now = model.instant;
    let acted = model.changing.acted.as_ref();
    let due = row.due.at().is_some_and(|due| due <= model.schedule.exact);
    // Where nobody transfers, somebody has taken it out.
    let pulse = model.selected().and_then(|row| row.pulse.as_ref());
    let nobody = pulse.is_some_and(|pulse| pulse.transfer_clients == Known::Is(0));
    match acted.filter(|acted| acted.on(row, now)) {
        Some(acted) => DepartedFate::Ours(acted.change),
        None if tab == Tab::Delivered => DepartedFate::Taken,
        None if tab == Tab::Waiting && due && !nobody => DepartedFate::Transferred,
        None if tab == Tab::Order && !due => DepartedFate::Moved,
        None => DepartedFate::Gone,
    }
}

/// Keeps a row that has left, at a place among those that are there.
pub(crate) fn keep(model: &mut Model, row: EntryRow, tab: Tab, place: u64) {
    model.departed = Some(DepartedRow {
        fate: fate(model, &row, tab),
        row,
        tab,
        place,
        until: model.instant + STAYS,
    });
}

/// It has been there long enough.
pub(crate) fn ticked(model: &mut Model) {
    let now = model.instant;
    if model.departed.as_ref().is_some_and(|d| now >= d.until) {
        forget(model);
    }
}

/// When a row goes, or a key may act again.
pub(crate) fn changes_at(model: &Model) -> Option<Instant> {
    model.departed.as_ref().map(|departed| departed.until)
}

/// Its row goes: what stands behind it takes its place.
pub(crate) fn forget(model: &mut Model) {
    let Some(departed) = model.departed.take() else {
        return;
    };
    let index = |first: u64| usize::try_from(departed.place.checked_sub(first)?).ok();
    let is_it = |row: &EntryRow| row.member == departed.row.member;
    if let Some(list) = departed.tab.list() {
        let window = model.lists.of_mut(list);
        if let Some(at) = index(window.first)
            && window
                .rows
                .get(at)
                .is_some_and(|element| is_it(&element.row))
        {
            window.rows.remove(at);
        }
        let stand = &mut window.stand;
        stand.cursor -= u64::from(stand.cursor > departed.place);
    } else {
        let entries = match &mut model.filtered {
            Some(filtered) => &mut filtered.whole,
            None => &mut model.entries,
        };
        if let Some(at) = index(entries.first)
            && entries.rows.get(at).is_some_and(is_it)
        {
            entries.rows.remove(at);
        }
        entries.cursor -= u64::from(entries.cursor > departed.place);
    }
    sight::keep(model);
}

/// The user moves the cursor to a row: from one that has left to the one that is meant.
pub(crate) fn moved_to(model: &mut Model, place: u64) -> u64 {
    match model.departed().map(|departed| departed.place) {
        Some(at) if at != place => {
            forget(model);
            place - u64::from(place > at)
        }
        _ => place,
    }
}

/// A change is agreed to: a row of what it is about that leaves from now on leaves by it.
pub(crate) fn acts(model: &mut Model, generation: u64) {
    let Some(one) = model.changing.of_mut(generation) else {
        return;
    };
    if one.change == Change::Kick {
        // It takes no row away, and another change may be under way beside it.
        return;
    }
    let which = one.asked_for.as_ref().map(|asked_for| &asked_for.which);
    let member = match which {
        Some(MarkedEntries::One(entry)) => Some(entry.member.clone()),
        _ => None,
    };
    model.changing.acted = Some(ChangeSubject {
        generation,
        change: one.change,
        queue: one.queue.clone(),
        one: member,
        marks: one.marks.clone(),
        spared: Vec::new(),
        over: None,
    });
}

/// The change has told what became of entries: some it did nothing to.
pub(crate) fn spares(model: &mut Model, generation: u64) {
    let Some(running) = model.changing.running_mut(generation) else {
        return;
    };
    let known = |result: &&EntryResult| result.outcome != Outcome::Unknown;
    let not_done = running.results.iter().filter(known);
    let spared = not_done.map(|result| result.id).collect();
    if let Some(acted) = subject(model, generation) {
        acted.spared = spared;
    }
}

/// The change is over, and has done something or nothing.
pub(crate) fn acted(model: &mut Model, generation: u64, done: bool) {
    let now = model.instant;
    match subject(model, generation) {
        Some(acted) if done => acted.over = Some(now),
        Some(_) => model.changing.acted = None,
        None => {}
    }
}

fn subject(model: &mut Model, generation: u64) -> Option<&mut ChangeSubject> {
    let acted = model.changing.acted.as_mut();
    acted.filter(|acted| acted.generation == generation)
}
