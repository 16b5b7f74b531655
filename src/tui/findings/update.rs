//! The cursor of the findings stays on its finding, whatever comes, goes or gets worse: a key acts
//! on what was read.

use super::held::HeldFinding;
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
    let before = model.held_finding.clone();
    let is_known = |queue: &Queue, id| {
        let known = before.as_ref();
        known.filter(|known| known.queue == *queue && known.id == id)
    };
    let told = held(model).and_then(|_| super::at_cursor(model));
    let now = told.map(|told| {
        let (queue, id) = (&model.queues[told.row].queue, told.finding.id);
        let live = told.finding.gone.is_none();
        let place = live.then(|| super::rank(model, &told).1);
        HeldFinding {
            queue: queue.clone(),
            id,
            place: place.or_else(|| is_known(queue, id)?.place),
        }
    });
    let same = match (&before, &now) {
        (Some(before), Some(now)) => (&before.queue, before.id) == (&now.queue, now.id),
        (None, None) => true,
        _ => false,
    };
    model.held_finding.clone_from(&now);
    if same {
        return;
    }
    for (queue, id) in [
        before.map(|one| (one.queue, None)),
        now.clone().map(|one| (one.queue, Some(one.id))),
    ]
    .into_iter()
    .flatten()
    {
        if let Some(row) = model.queues.iter_mut().find(|row| row.queue == queue) {
            row.watch.hold_finding(id);
        }
    }
    // What was over has kept its place for the cursor, and goes to the end now.
    if let Some(HeldFinding { queue, id, .. }) = now {
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
        // It is no longer told: what else is told of its queue comes next, or the worst.
        if !to_queue(model, &held.queue) && !to_selected(model) {
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

/// Puts the cursor on what is told first of that queue, also where it is over. False where nothing is.
fn to_queue(model: &mut Model, queue: &Queue) -> bool {
    let is_its = |told: &super::QueueFinding| model.queues[told.row].queue == *queue;
    let Some(at) = super::listed(model).iter().position(is_its) else {
        return false;
    };
    model.stands.findings.cursor = at as u64;
    sight::keep(model);
    true
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
