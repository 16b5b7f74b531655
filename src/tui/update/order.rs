//! The order of the queues: those with late entries first, the longest late on top, then by name.

use std::time::Duration;

use super::cursor;
use crate::clock::EpochMillis;
use crate::queue::QueueName;
use crate::tui::model::{Model, QueueRow};

/// So long after a move of the cursor no row changes its place.
const HELD: Duration = Duration::from_secs(10);

/// Being late by less than this, in ms, is the normal hand-over.
const HAND_OVER_MS: i64 = 2_000;

/// Sorts the rows, unless the user is at them. The cursor stays on its queue; until the first key
/// it stays on the first row.
pub(super) fn sort(model: &mut Model) {
    if held(model) {
        return;
    }
    let Some(selected) = model.selected().map(|row| row.queue.clone()) else {
        return;
    };
    let now = model.schedule.exact;
    if model
        .queues
        .is_sorted_by(|a, b| rank(a, now) <= rank(b, now))
    {
        return;
    }
    model.queues.sort_by(|a, b| rank(a, now).cmp(&rank(b, now)));
    if model.schedule.touched {
        let at = model.queues.iter().position(|row| row.queue == selected);
        model.cursor = at.unwrap_or(0);
    } else {
        model.cursor = 0;
        if model.queues[0].queue != selected {
            cursor::selection_changed(model);
        }
    }
    cursor::keep_in_sight(model);
}

/// Puts a new row in its place; last while no row may change its own. There can be thousands: the
/// others are not sorted again.
pub(super) fn insert(model: &mut Model, row: QueueRow) {
    let now = model.schedule.exact;
    let at = if held(model) {
        model.queues.len()
    } else {
        let new = rank(&row, now);
        model.queues.partition_point(|other| rank(other, now) < new)
    };
    model.queues.insert(at, row);
    if at > model.cursor || model.queues.len() == 1 {
        return;
    }
    if model.schedule.touched {
        model.cursor += 1;
        cursor::keep_in_sight(model);
    } else if at == 0 {
        cursor::selection_changed(model);
    }
}

/// What a row is sorted by.
fn rank(row: &QueueRow, now: EpochMillis) -> (bool, Option<EpochMillis>, &QueueName) {
    let oldest = row.pulse.as_ref().and_then(|pulse| pulse.oldest_late);
    let since = oldest.filter(|oldest| now.since(*oldest) >= HAND_OVER_MS);
    (since.is_none(), since, &row.queue.name)
}

/// No row may change its place now.
fn held(model: &Model) -> bool {
    let moved = model.schedule.moved;
    moved.is_some_and(|at| model.instant.saturating_duration_since(at) < HELD)
}

/// The user is at the rows: they keep their places for a while.
pub(super) fn hold(model: &mut Model) {
    model.schedule.moved = Some(model.instant);
}
