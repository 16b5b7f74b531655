//! The order of the queues.

pub mod order;

use super::QueueRow;
use crate::payload::{Codec, Habit};
use crate::queue::Queue;
use crate::tui::model::{Model, Screen};
use crate::tui::refresh;

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
    if !model.schedule.touched {
        show_fitting_screen(model);
    }
    refresh::update::row_appeared(model);
}

/// A single queue has the whole screen at once. After the first key the screen is the user's.
fn show_fitting_screen(model: &mut Model) {
    use crate::tui::model::Pane;
    let alone = model.queues.len() == 1;
    let on_queue = matches!(model.screen, Screen::Queue);
    if alone && !on_queue {
        (model.screen, model.focus) = (Screen::Queue, Pane::Entries);
    } else if !alone && on_queue {
        (model.screen, model.focus) = (Screen::Dashboard, Pane::Queues);
    }
}
