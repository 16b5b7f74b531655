//! The queues: a row for each that is found, and which one is selected.

pub mod opening;
pub mod order;

use super::{Discovery, Msg, Opening, QueueRow};
use crate::payload::{Codec, Habit};
use crate::queue::Queue;
use crate::tui::effect::Effect;
use crate::tui::entries::Entries;
use crate::tui::model::{Model, Pane, Screen};
use crate::tui::schedule::pace;
use crate::tui::{filter, lists, marks, sight};

/// The search for queues has found one, went on, or is through.
pub(crate) fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Found(queue) => found(model, queue),
        Msg::Looked(looked, keys) => discovered(model, Discovery::Looking { looked, keys }),
        Msg::LookedAll(looked) => discovered(model, Discovery::Done { looked }),
    }
    Vec::new()
}

/// The search for queues went on, or is through.
fn discovered(model: &mut Model, how_far: Discovery) {
    // While it goes on, nothing says when it begins again: the loop would not sleep for that.
    let through = matches!(how_far, Discovery::Done { .. });
    model.schedule.looked = through.then_some(model.instant);
    model.discovery = how_far;
}

/// A queue was named or found: it becomes a row, once.
pub fn found(model: &mut Model, queue: Queue) {
    if !model.schedule.known.insert(queue.clone()) {
        return;
    }
    model.schedule.channels.extend(queue.keys().channel);
    let profile = model.profile.as_ref();
    let named = profile.and_then(|profile| profile.codec_of(&queue.name.text()));
    let mut row = QueueRow::new(queue);
    row.habit = Habit::of(named.and_then(Codec::from_name));
    order::insert(model, row);
    // Else one more may be found at once.
    let known = model.schedule.only_named || !matches!(model.opening, Opening::Reading(_));
    if known && !model.schedule.touched {
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

/// Selects the queue in a row of the table.
pub(crate) fn select(model: &mut Model, row: u64) {
    model.schedule.moved = Some(model.instant);
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
    pace::ask_selected(model);
}
