//! The focus: the place that keys go to, and the panes that it goes round.

use crate::tui::keys::KeyPlace;
use crate::tui::model::{Model, Overlay, Pane, Screen};
use crate::tui::tabs::Tab;
use crate::tui::{change, layout};

/// The place that keys go to now.
#[must_use]
pub fn place(model: &Model) -> KeyPlace {
    match &model.overlay {
        Some(Overlay::Help { .. }) => KeyPlace::Help,
        Some(Overlay::Lives(_)) => KeyPlace::Lives,
        Some(Overlay::Dialog(_)) => KeyPlace::Dialog,
        Some(Overlay::Change(_)) => KeyPlace::Change,
        Some(_) => KeyPlace::Form,
        None => place_below(model),
    }
}

/// The place that keys go to once nothing lies over the screen any more.
#[must_use]
pub fn place_below(model: &Model) -> KeyPlace {
    match (&model.screen, model.focus) {
        (Screen::Entry(_), _) => KeyPlace::Entry,
        (_, Pane::Queues) => KeyPlace::Queues,
        (_, Pane::Timeline) => KeyPlace::Timeline,
        (_, Pane::Traffic) => KeyPlace::Traffic,
        (_, Pane::Entries) => match model.tab {
            Tab::Waiting => KeyPlace::Entries,
            Tab::Delivered => KeyPlace::Delivered,
            // What is acted on there is not there for its clients either.
            Tab::Order | Tab::Quarantine => KeyPlace::Order,
            Tab::Traffic => KeyPlace::Traffic,
            Tab::Findings => KeyPlace::Findings,
            Tab::Changes => KeyPlace::Changes,
            Tab::Nodes => KeyPlace::Nodes,
        },
    }
}

/// The panes, in the order that the focus goes round.
const PANES: [Pane; 4] = [Pane::Queues, Pane::Timeline, Pane::Entries, Pane::Traffic];

/// The panes that are on the screen, in that order; none stands for the panel of a change under
/// way, which comes last.
pub(crate) fn panes(model: &Model) -> Vec<Option<Pane>> {
    let shown = PANES
        .into_iter()
        .filter(|pane| layout::rows::shown(model, *pane));
    let panel = change::progress::queries::is_shown(model).then_some(None);
    shown.map(Some).chain(panel).collect()
}

/// No other pane than the one with the focus is on the screen.
pub(crate) fn is_alone(model: &Model) -> bool {
    let others = |pane: &Option<Pane>| *pane != Some(model.focus);
    !panes(model).iter().any(others)
}
