//! The order of the queues: those with late entries first, the longest late on top, then by name.

use std::time::Duration;

use super::cursor;
use crate::tui::model::{Model, QueueRow};

/// So long after a move of the cursor no row changes its place.
const HELD: Duration = Duration::from_secs(10);

/// Being late by less than this, in ms, is the normal hand-over.
const HAND_OVER_MS: i64 = 2_000;

/// Sorts the rows, unless the user is at them. The cursor stays on its queue; until the first key
/// it stays on the first row.
pub(super) fn sort(model: &mut Model) {
    let moved = model.schedule.moved;
    if moved.is_some_and(|at| model.instant.saturating_duration_since(at) < HELD) {
        return;
    }
    let Some(selected) = model.selected().map(|row| row.queue.clone()) else {
        return;
    };
    let now = model.schedule.exact;
    let late_since = |row: &QueueRow| {
        let oldest = row.pulse.as_ref()?.oldest_late()?;
        (now.since(oldest) >= HAND_OVER_MS).then_some(oldest)
    };
    let rank = |row: &QueueRow| {
        let since = late_since(row);
        (since.is_none(), since, row.queue.name.clone())
    };
    if model.queues.is_sorted_by_key(rank) {
        return;
    }
    model.queues.sort_by_cached_key(rank);
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

/// The user is at the rows: they keep their places for a while.
pub(super) fn hold(model: &mut Model) {
    model.schedule.moved = Some(model.instant);
}
