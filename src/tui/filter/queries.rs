//! Questions about the filter that is on.

use super::{EntrySort, Hit};
use crate::tui::model::Model;

impl Model {
    /// Tells whether the entries due last stand first.
    #[must_use]
    pub fn last_first(&self) -> bool {
        self.entry_sort == EntrySort::Last
    }

    /// The place in the list of an entry of that rank.
    #[must_use]
    pub fn place_of(&self, rank: u64) -> u64 {
        if self.last_first() {
            self.waiting().saturating_sub(rank + 1)
        } else {
            rank
        }
    }

    /// Counts the rows of the list of entries: all that wait, or those that the filter leaves.
    #[must_use]
    pub fn listed(&self) -> u64 {
        match &self.filtered {
            Some(filtered) => filtered.hits.len() as u64,
            None => self.waiting(),
        }
    }

    /// The tab in sight shows what a filter leaves.
    #[must_use]
    pub fn on_hits(&self) -> bool {
        let filtered = self.filtered.as_ref();
        filtered.is_some_and(|filtered| filtered.tab == self.tab)
    }

    /// Returns what was found in a row of the list, while a filter is on.
    #[must_use]
    pub fn hit(&self, place: u64) -> Option<&Hit> {
        let hits = &self.filtered.as_ref()?.hits;
        let place = usize::try_from(place).ok()?;
        if self.last_first() {
            hits.get(hits.len().checked_sub(place + 1)?)
        } else {
            hits.get(place)
        }
    }
}

/// The fewest characters that are taken for a queue's name: fewer are in too many of them.
const NAME_CHARACTERS: usize = 3;

/// Tells whether what is typed may have been meant for the name of another queue.
#[must_use]
pub fn names_a_queue(model: &Model, typed: &str) -> bool {
    let typed = typed.trim().to_lowercase();
    let others = model.queues.iter().enumerate();
    let others = others.filter(|(at, _)| *at != model.cursor);
    let mut names = others.map(|(_, row)| row.queue.name.text().to_lowercase());
    typed.chars().count() >= NAME_CHARACTERS && names.any(|name| name.contains(&typed))
}
