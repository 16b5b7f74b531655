//! The cursor of the findings stays on its finding, whatever comes, goes or gets worse: a key acts
//! on what was read. Beside the table of queues both cursors go together: the finding's queue is the
//! selected one, so that timeline and depths are of what is read.

use crate::queue::Queue;
use crate::tui::model::{Model, Pane, Screen};
use crate::tui::tabs::Tab;
use crate::tui::{queues, sight};

/// The finding that the cursor is on.
pub(crate) struct CursorFinding {
    pub(crate) queue: Queue,
    pub(crate) id: &'static str,
}

/// The one under the cursor, while its tab has the keys.
pub(crate) fn held(model: &Model) -> Option<CursorFinding> {
    if model.tab != Tab::Findings || model.focus != Pane::Entries {
        return None;
    }
    let at = usize::try_from(model.stands.findings.cursor).ok()?;
    let told = *super::listed(model).get(at)?;
    Some(CursorFinding {
        queue: model.queues[told.row].queue.clone(),
        id: told.finding.id,
    })
}

/// Something may have come or gone: the cursor goes where its finding stands now, also once that is
/// over. A list that shows its begin goes on doing so, for the worst comes first; in one that is
/// scrolled the finding keeps its place on the screen as far as can be.
pub(crate) fn follow(model: &mut Model, held: &CursorFinding) {
    let is_it = |told: &super::QueueFinding| {
        told.finding.id == held.id && model.queues[told.row].queue == held.queue
    };
    let Some(place) = super::listed(model).iter().position(is_it) else {
        // It is no longer told: what else is wrong with its queue comes next.
        return to_selected(model);
    };
    let at = place as u64;
    let stand = &mut model.stands.findings;
    if stand.cursor == at {
        return;
    }
    let offset = stand.cursor.saturating_sub(stand.top);
    stand.cursor = at;
    if stand.top > 0 {
        stand.top = at.saturating_sub(offset);
    }
    sight::keep(model);
}

/// What was under both cursors before a key or a click.
pub(crate) struct BothCursors {
    selected: Option<Queue>,
    finding: Option<CursorFinding>,
}

/// What is under both cursors.
pub(crate) fn both(model: &Model) -> BothCursors {
    BothCursors {
        selected: model.selected().map(|row| row.queue.clone()),
        finding: held(model),
    }
}

/// The user did something: where that moved one of the cursors, the other one comes along. Where the
/// tab was only opened, its cursor begins at what is wrong with the selected queue.
pub(crate) fn go_together(model: &mut Model, before: &BothCursors) {
    if model.tab != Tab::Findings || !matches!(model.screen, Screen::Dashboard) {
        return;
    }
    let Some(row) = row_at_cursor(model) else {
        return;
    };
    let selects = model.selected().map(|row| &row.queue) != before.selected.as_ref();
    let moves = match (&before.finding, held(model)) {
        (Some(before), Some(now)) => before.id != now.id || before.queue != now.queue,
        _ => false,
    };
    if moves && !selects {
        queues::update::select(model, row as u64);
    } else if row != model.cursor && (selects || before.finding.is_none()) {
        to_selected(model);
    }
}

/// A key that changes something comes: beside the findings it is about the queue of the one under
/// the cursor, also where the tab was opened from a queue that is well.
pub(crate) fn lead(model: &mut Model) {
    let reads = held(model).is_some() && model.overlay.is_none();
    let row = row_at_cursor(model).filter(|row| reads && *row != model.cursor);
    if let Some(row) = row {
        queues::update::select(model, row as u64);
    }
}

/// The row of the queue whose finding the cursor is on.
pub(crate) fn row_at_cursor(model: &Model) -> Option<usize> {
    let at = usize::try_from(model.stands.findings.cursor).ok()?;
    super::listed(model).get(at).map(|told| told.row)
}

/// Puts the cursor on the worst finding of the selected queue, where it has one.
fn to_selected(model: &mut Model) {
    let listed = super::listed(model);
    let own = |told: &super::QueueFinding| told.row == model.cursor && told.finding.gone.is_none();
    if let Some(at) = listed.iter().position(own) {
        model.stands.findings.cursor = at as u64;
        sight::keep(model);
    }
}
