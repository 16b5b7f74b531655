//! Keeps lines for the next sessions.

use super::Effect;
use crate::tui::tasks::Tasks;

impl Tasks {
    /// Keeps what was typed.
    pub(crate) fn prompt(&self, effect: Effect) {
        match effect {
            Effect::Remember(kind, line) => {
                let lines = self.lines.clone();
                tokio::task::spawn_blocking(move || lines.keep(kind.name(), &line));
            }
        }
    }
}
