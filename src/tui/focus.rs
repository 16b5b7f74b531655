//! The focus: the place that keys go to, and the panes that it goes round.

use crate::tui::keys::Place;
use crate::tui::model::{Model, Overlay, Pane, Screen};
use crate::tui::tabs::Tab;
use crate::tui::{change, layout};

/// The place that keys go to now.
#[must_use]
pub fn place(model: &Model) -> Place {
    match &model.overlay {
        Some(Overlay::Help { .. }) => Place::Help,
        Some(Overlay::Lives { .. }) => Place::Lives,
        Some(Overlay::Dialog(_)) => Place::Dialog,
        Some(Overlay::Change(_)) => Place::Change,
        Some(_) => Place::Form,
        None => place_below(model),
    }
}

/// The place that keys go to once nothing lies over the screen any more.
#[must_use]
pub fn place_below(model: &Model) -> Place {
    match (&model.screen, model.focus) {
        (Screen::Entry(_), _) => Place::Entry,
        (_, Pane::Queues) => Place::Queues,
        (_, Pane::Timeline) => Place::Timeline,
        (_, Pane::Traffic) => Place::Traffic,
        (_, Pane::Entries) => match model.tab {
            Tab::Waiting => Place::Entries,
            Tab::Delivered => Place::Delivered,
            // What is acted on there is not there for its clients either.
            Tab::Order | Tab::Quarantine => Place::Order,
            Tab::Traffic => Place::Traffic,
            Tab::Findings => Place::Findings,
            Tab::Changes => Place::Changes,
            Tab::Nodes => Place::Nodes,
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
