//! The link to the server: it comes and goes, and what is published arrives over it.

pub mod update;
pub mod view;

use crate::queue::LinkState;
use crate::tui::model::Model;

/// The server answers.
pub(crate) fn live(model: &Model) -> bool {
    matches!(model.link.state, LinkState::Live)
}
