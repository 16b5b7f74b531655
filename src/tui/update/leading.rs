//! The cursors of the queues and of the findings go together: the queue of the finding under the
//! cursor is the selected one, so that timeline, depths and keys are about what is read.

use crate::queue::Queue;
use crate::tui::findings::{self, update::CursorFinding};
use crate::tui::model::{Model, Screen};
use crate::tui::queues;
use crate::tui::tabs::Tab;

/// The subjects of both cursors before a key or a click.
pub(crate) struct BothCursors {
    selected: Option<Queue>,
    finding: Option<CursorFinding>,
}

/// Returns the subjects of both cursors.
pub(crate) fn both(model: &Model) -> BothCursors {
    BothCursors {
        selected: model.selected().map(|row| row.queue.clone()),
        finding: findings::update::held(model),
    }
}

/// The user did something: where that moved one of the cursors, the other one comes along. Where the
/// tab was only opened, its cursor begins at what is wrong with the selected queue.
pub(crate) fn go_together(model: &mut Model, before: &BothCursors) {
    if model.tab != Tab::Findings || !matches!(model.screen, Screen::Dashboard) {
        return;
    }
    let Some(row) = findings::row_at_cursor(model) else {
        return;
    };
    let selects = model.selected().map(|row| &row.queue) != before.selected.as_ref();
    let moves = match (&before.finding, findings::update::held(model)) {
        (Some(before), Some(now)) => before.id != now.id || before.queue != now.queue,
        _ => false,
    };
    if moves && !selects {
        queues::update::select(model, row as u64);
    } else if row != model.cursor && (selects || before.finding.is_none()) {
        findings::update::to_selected(model);
    }
}

/// A key that changes something comes: beside the findings it is about the queue of the one under
/// the cursor, also where the tab was opened from a queue that is well.
pub(crate) fn lead(model: &mut Model) {
    let reads = findings::update::held(model).is_some() && model.overlay.is_none();
    let row = findings::row_at_cursor(model).filter(|row| reads && *row != model.cursor);
    if let Some(row) = row {
        queues::update::select(model, row as u64);
    }
}
