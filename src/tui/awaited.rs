//! A key for a row that is still being read: it acts when the row is there, so that paging and
//! opening can be typed faster than a server far away answers.

use crate::tui::keys::Action;
use crate::tui::model::{Model, Pane, Screen};
use crate::tui::{layout, sight};

/// The action acts on a row of which only the place is known yet.
pub(crate) fn is_for(model: &Model, action: Action) -> bool {
    let on_row = matches!(
        action,
        Action::Open | Action::Mark | Action::MarkRange | Action::CopyPayload | Action::CopyCommand
    );
    on_row && is_coming(model)
}

/// There is a row under the cursor, and it has been asked for.
fn is_coming(model: &Model) -> bool {
    model.focus == Pane::Entries
        && model.overlay.is_none()
        && !matches!(model.screen, Screen::Entry(_))
        && model.tab.has_entries()
        && model.entry().is_none()
        && sight::count(model) > 0
        && layout::rows::shown(model, Pane::Entries)
}

/// Whatever the user does next is meant for what is in sight then.
pub(crate) fn forget(model: &mut Model) {
    model.schedule.awaited = None;
}

/// The action that was asked for, once its row is there.
pub(crate) fn due(model: &mut Model) -> Option<Action> {
    let came = model.schedule.awaited.is_some() && !is_coming(model);
    let due = model.schedule.awaited.filter(|_| came)?;
    forget(model);
    Some(due)
}
