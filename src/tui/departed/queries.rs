//! Questions about the row that has left.

use super::{DepartedFate, DepartedRow};
use crate::tui::model::Model;

impl Model {
    /// The row that has left, where the tab in sight shows it.
    #[must_use]
    pub fn departed(&self) -> Option<&DepartedRow> {
        let departed = self.departed.as_ref()?;
        (departed.tab == self.tab && self.filtered.is_none()).then_some(departed)
    }

    /// Counts the rows of the tab in sight that are no entries any more: 1, or 0.
    #[must_use]
    pub fn departed_rows(&self) -> u64 {
        u64::from(self.departed().is_some())
    }

    /// Returns what became of the row at a place of the tab in sight; none for one that is there.
    #[must_use]
    pub fn fate_at(&self, place: u64) -> Option<DepartedFate> {
        let departed = self.departed().filter(|departed| departed.place == place);
        departed.map(|departed| departed.fate)
    }
}
