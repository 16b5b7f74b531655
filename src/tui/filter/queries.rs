//! Questions about the filter that is on.

use super::{EntrySort, Hit, Search};
use crate::tui::model::Model;
use crate::tui::palette::update::rank::{self, NameFit};

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
    called(model, typed).is_some()
}

/// Finds the queue whose name was typed as a filter that no entry matches.
#[must_use]
pub fn meant(model: &Model) -> Option<usize> {
    let filtered = model.filtered.as_ref()?;
    let in_vain = filtered.search == Search::Done && filtered.hits.is_empty() && model.on_hits();
    in_vain.then(|| called(model, filtered.filter.text()))?
}

/// Finds the row of the queue whose name fits best, unless it is the selected one.
fn called(model: &Model, typed: &str) -> Option<usize> {
    let typed = typed.trim().to_lowercase();
    if typed.chars().count() < NAME_CHARACTERS {
        return None;
    }
    let others = model.queues.iter().enumerate();
    let others = others.filter(|(at, _)| *at != model.cursor);
    let rated = others.filter_map(|(at, row)| {
        let fit = rank::fit(&row.queue.name.text().to_lowercase(), &typed)?;
        (fit <= NameFit::Within).then_some((fit, at))
    });
    rated.min().map(|(_, at)| at)
}
