//! The pages of the help.

use super::HelpPage;
use crate::tui::model::{Model, Overlay};

/// It lies over the screen.
pub(crate) const fn is_open(model: &Model) -> bool {
    matches!(model.overlay, Some(Overlay::Help { .. }))
}

/// Its key: opens it, goes on to the next page, and behind the last closes it.
pub(crate) fn step(model: &mut Model) {
    let page = match &model.overlay {
        None => Some(HelpPage::Jobs),
        Some(Overlay::Help { page, .. }) => page.next(),
        Some(_) => None,
    };
    model.overlay = page.map(|page| Overlay::Help { page, scroll: 0 });
}

/// The next page, or the one before; behind the last comes the first.
pub(crate) fn turn(model: &mut Model, forward: bool) {
    if let Some(Overlay::Help { page, scroll }) = &mut model.overlay {
        *page = if forward {
            page.next().unwrap_or_default()
        } else {
            page.before()
        };
        *scroll = 0;
    }
}
