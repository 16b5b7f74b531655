//! Where keys go now.

use crate::tui::keys::Place;
use crate::tui::model::{Model, Overlay, Pane, Screen};
use crate::tui::tabs::Tab;

/// Where keys go now.
#[must_use]
pub fn place(model: &Model) -> Place {
    match &model.overlay {
        Some(Overlay::Help { .. }) => Place::Help,
        Some(Overlay::Dialog(_)) => Place::Dialog,
        Some(Overlay::Change(_)) => Place::Change,
        Some(_) => Place::Form,
        None => place_below(model),
    }
}

/// Where keys go once nothing lies over the screen any more.
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
        },
    }
}
