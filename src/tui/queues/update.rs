//! The queues: a row for each that is found, and which one is selected.

pub mod opening;
pub mod order;

use super::{Discovery, Msg, Opening, QueueRow};
use crate::payload::{Codec, Habit};
use crate::queue::{Known, Pulse, Queue, Survey, text};
use crate::tui::effect::Effect;
use crate::tui::entries::Entries;
use crate::tui::model::{Model, Pane, Screen};
use crate::tui::schedule::pace;
use crate::tui::toast::{self, Tone};
use crate::tui::{filter, lists, marks, sight};

/// The search for queues has found one, went on, or is through.
pub(crate) fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Found(queue) => found(model, queue),
        Msg::Looked(looked, keys) => discovered(model, Discovery::Looking { looked, keys }),
        Msg::LookedAll(looked) => discovered(model, Discovery::Done { looked }),
        Msg::LookedBut(looked, nodes) => discovered(model, Discovery::Away { looked, nodes }),
    }
    Vec::new()
}

/// The search for queues went on, or is through.
fn discovered(model: &mut Model, how_far: Discovery) {
    // While it goes on, nothing says when it begins again: the loop would not sleep for that. What is
    // told of nodes that are away does not put off when the others are looked through again.
    let since = match &model.table.discovery {
        Discovery::Away { .. } => model.table.looked,
        _ => None,
    };
    let through = how_far.is_through();
    model.table.looked = through.then_some(since.unwrap_or(model.instant));
    model.table.discovery = how_far;
}

/// A queue was named or found: it becomes a row, once.
pub fn found(model: &mut Model, queue: Queue) {
    if !model.table.known.insert(queue.clone()) {
        let mut typed = model.queues.iter_mut().filter(|row| row.is_typed);
        if let Some(row) = typed.find(|row| row.queue == queue) {
            row.is_typed = false;
        }
        return;
    }
    model.table.channels.extend(queue.keys().channel);
    let profile = model.site.profile.as_ref();
    let named = profile.and_then(|profile| profile.codec_of(&queue.name.text()));
    let mut row = QueueRow::new(queue);
    row.habit = Habit::of(named.and_then(Codec::from_name));
    order::insert(model, row);
    // Else one more may be found at once.
    let known = model.table.only_named || !matches!(model.table.opening, Opening::Reading(_));
    if known && !model.table.touched {
        show_fitting_screen(model);
    }
    pace::row_appeared(model);
}

/// A single queue has the whole screen at once. After the first key the screen is the user's.
fn show_fitting_screen(model: &mut Model) {
    let alone = model.queues.len() == 1;
    let on_queue = matches!(model.screen, Screen::Queue);
    if alone && !on_queue {
        (model.screen, model.focus) = (Screen::Queue, Pane::Entries);
    } else if !alone && on_queue {
        (model.screen, model.focus) = (Screen::Dashboard, Pane::Queues);
    }
}

/// Shows the table. A queue whose name somebody has typed, and of which there is no sign, leaves the
/// list with its screen: a mistyped name shall not stand among the queues.
pub(crate) fn show_table(model: &mut Model) {
    (model.screen, model.focus) = (Screen::Dashboard, Pane::Queues);
    let is_alone = model.queues.len() < 2;
    if !is_alone && model.then.is_none() && model.selected().is_some_and(is_vain) {
        let row = model.queues.remove(model.cursor);
        model.table.known.remove(&row.queue);
        model.cursor = model.cursor.min(model.queues.len() - 1);
        selection_changed(model);
        let name = text::printable_bytes(row.queue.name.as_bytes());
        let text = format!("there is nothing of {name}: it is off the list");
        toast::update::say(model, text, Tone::Good);
    }
    sight::keep(model);
}

/// Tells whether a row is that of a name somebody has typed, under which there is nothing.
fn is_vain(row: &QueueRow) -> bool {
    let without_signs = |pulse: &Pulse| {
        let listens = matches!(pulse.transfer_clients, Known::Unknown(_));
        !pulse.has_signs() && !listens
    };
    // What was set aside by hand has keys of its own.
    let aside = |survey: &Survey| {
        let counts = [survey.aside, survey.quarantined];
        let held = survey
            .held
            .is_some_and(|count| count.held + count.intake > 0);
        held || counts
            .iter()
            .any(|count| count.is_some_and(|count| count > 0))
    };
    row.is_typed
        && row.pulse.as_ref().is_some_and(without_signs)
        && !row.survey.as_ref().is_some_and(aside)
}

/// Selects the queue in a row of the table.
pub(crate) fn select(model: &mut Model, row: u64) {
    model.table.moved = Some(model.instant);
    let last = model.queues.len().saturating_sub(1);
    let row = usize::try_from(row).unwrap_or(usize::MAX).min(last);
    if row != model.cursor {
        model.cursor = row;
        selection_changed(model);
    }
    sight::keep(model);
}

/// Another queue is selected: its rows are not those of the one before.
pub(crate) fn selection_changed(model: &mut Model) {
    model.departed = None;
    filter::update::forget(model);
    marks::update::clear(model);
    model.entries = Entries::default();
    model.schedule.lost = None;
    model.schedule.sought = None;
    model.schedule.rank.forget();
    model.schedule.held_entries = marks::update::held_entries(model);
    model.rows_on_change = false;
    model.schedule.row_bytes = None;
    lists::update::selection_changed(model);
    pace::fit_zoom(model);
    pace::ask_selected(model);
}
