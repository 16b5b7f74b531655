//! Plans changes, applies them, and reads the journal.

use super::Tasks;
use crate::tui::effect::Effect;

impl Tasks {
    /// Starts what has to do with changes.
    pub(super) fn change(&mut self, effect: Effect) {
        let _ = (&self.session, effect);
    }
}
