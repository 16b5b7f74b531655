//! The cursor of the findings stays on its finding, whatever comes, goes or gets worse: a key acts
//! on what was read.

use crate::queue::Queue;
use crate::tui::model::{Model, Pane};
use crate::tui::sight;
use crate::tui::tabs::Tab;

/// The finding that the cursor is on.
pub(crate) struct CursorFinding {
    pub(crate) queue: Queue,
    pub(crate) id: &'static str,
    /// It is not over.
    pub(crate) stands: bool,
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
        stands: told.finding.gone.is_none(),
    })
}

/// Something may have come or gone: the cursor goes where its finding stands now. A list that shows
/// its begin goes on doing so, for the worst comes first; in one that is scrolled the finding keeps
/// its place on the screen as far as can be. Where its finding is over, it goes to the worst that is
/// left.
pub(crate) fn follow(model: &mut Model, held: &CursorFinding) {
    let is_it = |told: &super::QueueFinding| {
        told.finding.id == held.id && model.queues[told.row].queue == held.queue
    };
    let listed = super::listed(model);
    let Some(place) = listed.iter().position(is_it) else {
        return;
    };
    let is_over = held.stands && listed[place].finding.gone.is_some();
    let at = if is_over { 0 } else { place as u64 };
    let stand = &mut model.stands.findings;
    if is_over {
        stand.top = 0;
    }
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
