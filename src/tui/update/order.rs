//! The order of the queues: the worst finding first, then the longest late, then by name.

use std::cmp::Reverse;
use std::time::Duration;

use super::cursor;
use crate::clock::EpochMillis;
use crate::queue::{QueueName, Severity};
use crate::tui::model::{Model, QueueRow};

/// So long after a move of the cursor no row changes its place.
const HELD: Duration = Duration::from_secs(10);

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
type Rank<'a> = (
    Reverse<Option<Severity>>,
    bool,
    Option<EpochMillis>,
    &'a QueueName,
);

/// What a row is sorted by: the lowest comes first.
fn rank(row: &QueueRow, now: EpochMillis) -> Rank<'_> {
    let since = row.late_since(now);
    (
        Reverse(row.worst()),
        since.is_none(),
        since,
        &row.queue.name,
    )
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
