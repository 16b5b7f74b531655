//! The cursor of the findings stays on its finding, whatever comes, goes or gets worse: a key acts
//! on what was read.

use crate::queue::Queue;
use crate::tui::lists::Stand;
use crate::tui::model::{Model, Pane};
use crate::tui::sight;
use crate::tui::tabs::Tab;

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
    let told = super::at_cursor(model)?;
    Some(CursorFinding {
        queue: model.queues[told.row].queue.clone(),
        id: told.finding.id,
    })
}

/// Keeps what the cursor is on, also when it is over: else a key would act on another queue's.
pub(crate) fn keep_held(model: &mut Model) {
    let now = held(model).map(|held| (held.queue, held.id));
    if now == model.schedule.held_finding {
        return;
    }
    let before = model.schedule.held_finding.take();
    for (queue, id) in [
        before.map(|(queue, _)| (queue, None)),
        now.clone().map(|(queue, id)| (queue, Some(id))),
    ]
    .into_iter()
    .flatten()
    {
        if let Some(row) = model.queues.iter_mut().find(|row| row.queue == queue) {
            row.watch.hold_finding(id);
        }
    }
    model.schedule.held_finding.clone_from(&now);
    // What was over has kept its place for the cursor, and goes to the end now.
    if let Some((queue, id)) = now {
        follow(model, &CursorFinding { queue, id });
    }
}

/// Something may have come or gone: the cursor goes where its finding stands now, also once that is
/// over. A list that shows its begin goes on doing so, for the worst comes first; in one that is
/// scrolled the finding keeps its place on the screen as far as can be.
pub(crate) fn follow(model: &mut Model, held: &CursorFinding) {
    let is_it = |told: &super::QueueFinding| {
        told.finding.id == held.id && model.queues[told.row].queue == held.queue
    };
    let Some(place) = super::listed(model).iter().position(is_it) else {
        // It is no longer told: what else is wrong with its queue comes next, or the worst.
        if !to_selected(model) {
            model.stands.findings = Stand::default();
        }
        return;
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

/// Puts the cursor on the worst finding of the selected queue. False where it has none.
pub(crate) fn to_selected(model: &mut Model) -> bool {
    let listed = super::listed(model);
    let own = |told: &super::QueueFinding| told.row == model.cursor && told.finding.gone.is_none();
    let Some(at) = listed.iter().position(own) else {
        return false;
    };
    model.stands.findings.cursor = at as u64;
    sight::keep(model);
    true
}
