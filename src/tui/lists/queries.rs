//! Questions about the tab in sight and the entry under its cursor.

use super::Stand;
use crate::queue::List;
use crate::tui::entries::EntryRow;
use crate::tui::layout;
use crate::tui::model::{Model, Pane, Screen};
use crate::tui::tabs::Tab;

impl Model {
    /// Returns the top row and the cursor of the pane of the tab in sight.
    #[must_use]
    pub fn stand(&self) -> Stand {
        match self.tab {
            tab if tab == Tab::Waiting || self.on_hits() => Stand {
                top: self.entries.top,
                cursor: self.entries.cursor,
            },
            Tab::Delivered => self.lists.delivered.stand,
            Tab::Order => self.lists.order.stand,
            Tab::Quarantine => self.lists.quarantine.stand,
            Tab::Waiting | Tab::Traffic => self.stands.traffic,
            Tab::Findings => self.stands.findings,
            Tab::Changes => self.stands.changes,
            Tab::Nodes => self.stands.nodes,
        }
    }

    /// The list in sight, if its layout has it.
    #[must_use]
    pub fn list_in_sight(&self) -> Option<List> {
        let list = self.tab.list().filter(|_| !self.on_hits())?;
        let queue = &self.selected()?.queue;
        let there = list != List::Order || queue.keys().order.is_some();
        let panes = matches!(self.screen, Screen::Dashboard | Screen::Queue);
        (there && panes && layout::rows::shown(self, Pane::Entries)).then_some(list)
    }

    /// The entry under the cursor of the tab in sight, when it is loaded.
    #[must_use]
    pub fn entry(&self) -> Option<&EntryRow> {
        match (self.tab, self.tab.list()) {
            _ if self.on_hits() => self.waiting_entry(),
            (Tab::Waiting, _) => self.waiting_entry(),
            (_, Some(list)) => {
                let window = self.lists.of(list);
                window.at(window.stand.cursor).map(|element| &element.row)
            }
            (_, None) => None,
        }
    }

    /// The entry under the cursor of those that wait, or of the hits, when it is loaded.
    #[must_use]
    pub fn waiting_entry(&self) -> Option<&EntryRow> {
        let offset = self.entries.cursor.checked_sub(self.entries.first)?;
        self.entries.rows.get(usize::try_from(offset).ok()?)
    }
}
