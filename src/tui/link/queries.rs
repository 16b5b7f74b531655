//! Questions about the link.

use crate::queue::LinkState;
use crate::tui::model::Model;

impl Model {
    /// The server answers.
    #[must_use]
    pub const fn is_live(&self) -> bool {
        matches!(self.link.state, LinkState::Live)
    }
}
