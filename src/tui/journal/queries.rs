//! Questions about the changes that were made.

use super::{ChangeLine, Changes, spec};
use crate::tui::model::{Model, Screen};

impl Model {
    /// The changes told here, the newest first: on the dashboard those of all queues, on a queue's
    /// screen its own.
    pub fn changes_here(&self) -> impl Iterator<Item = &ChangeLine> {
        let one = match self.screen {
            Screen::Dashboard => None,
            Screen::Queue | Screen::Entry(_) => self.selected().map(|row| spec(&row.queue)),
        };
        let then = self.then.map(|then| then.at);
        let lines = self.changes.lines.iter();
        let lines = lines.filter(move |line| then.is_none_or(|then| line.at <= then));
        lines.filter(move |line| one.as_ref().is_none_or(|of| line.queue == *of))
    }

    /// The change under the cursor of their tab.
    #[must_use]
    pub fn change_line(&self) -> Option<&ChangeLine> {
        let at = usize::try_from(self.stands.changes.cursor).ok()?;
        self.changes_here().nth(at)
    }

    /// Lets the changes change. The cursor stays on its line, unless that is the newest one.
    pub fn keeping_the_change(&mut self, change: impl FnOnce(&mut Changes)) {
        let stand = self.stands.changes;
        let held = self.change_line().filter(|_| stand.cursor > 0).cloned();
        change(&mut self.changes);
        let same = |line: &ChangeLine, held: &ChangeLine| match (&line.id, &held.id) {
            (Some(a), Some(b)) => a == b,
            _ => line.at == held.at && line.text == held.text,
        };
        let at = held.and_then(|held| self.changes_here().position(|line| same(line, &held)));
        if let Some(at) = at {
            let offset = stand.cursor.saturating_sub(stand.top);
            self.stands.changes.cursor = at as u64;
            self.stands.changes.top = (at as u64).saturating_sub(offset);
        }
    }
}
