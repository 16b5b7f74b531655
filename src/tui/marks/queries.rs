//! Questions about marks.

use super::{MarkScope, TimeoutsPlace};
use crate::tui::entries::EntryRow;
use crate::tui::model::Model;
use crate::tui::tabs::Tab;

impl Model {
    /// The place by which a row of the list is marked: a hit has none but that among the hits.
    #[must_use]
    pub fn mark_place(&self, rank: u64) -> u64 {
        if self.on_hits() && self.last_first() {
            self.listed().saturating_sub(rank + 1)
        } else {
            rank
        }
    }

    /// Tells whether the range that was begun spans a row up to the cursor.
    #[must_use]
    pub fn in_range(&self, row: &EntryRow, rank: u64) -> bool {
        let Some((start, here)) = self.marks.range.as_ref().zip(self.entry()) else {
            return false;
        };
        let cursor = self.stand().cursor;
        if self.tab != Tab::Waiting {
            return (start.rank.min(cursor)..=start.rank.max(cursor)).contains(&rank);
        }
        let here = TimeoutsPlace {
            score: here.score,
            member: here.member.clone(),
            rank: cursor,
        };
        MarkScope::span(start.clone(), here).holds(row)
    }
}
