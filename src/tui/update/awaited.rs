//! A key for a row that is still being read: it acts when the row is there, so that paging and
//! opening can be typed faster than a server far away answers.

use crate::tui::effect::Effect;
use crate::tui::keys::Action;
use crate::tui::model::{Model, Pane, Screen};
use crate::tui::{layout, tabs};

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
        && tabs::update::count(model) > 0
        && layout::areas(model).entries.shown()
}

/// Whatever the user does next is meant for what is in sight then.
pub(crate) fn forget(model: &mut Model) {
    model.schedule.awaited = None;
}

/// Does what was asked for, now that the row is there.
pub(crate) fn start_due(model: &mut Model) -> Vec<Effect> {
    match model.schedule.awaited {
        Some(action) if !is_coming(model) => {
            forget(model);
            super::act::act(model, action)
        }
        _ => Vec::new(),
    }
}
