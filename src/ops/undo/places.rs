//! The places that an undo cannot bring back although every entry is there again: of one entry, and
//! where the order list begins. Clients see that by `poll()` alone, which is said, and what mends it.

use super::inverse::Inverse;
use crate::ops::journal::JournalledChange;
use crate::queue::shell;
use crate::queue::{Change, Queue, text};
use crate::store::change::Place;

/// Entries that come back of which nobody wrote down where they stood: the script that took them was
/// the last one, and its answer died with who had asked.
#[derive(Default)]
pub(super) struct LostPlaces {
    /// In the order list.
    listed: u64,
    /// In target.
    delivered: u64,
}

impl LostPlaces {
    /// Adds what was in doubt and is taken back.
    pub(super) const fn add(&mut self, inverse: &Inverse) {
        match inverse {
            Inverse::PutBack(u64::MAX, _, Place::Tail)
            | Inverse::Restore(u64::MAX, _, Place::Tail) => self.listed += 1,
            Inverse::PutElement(_, None) => self.delivered += 1,
            _ => {}
        }
    }

    /// Sentences about them.
    pub(super) fn words(&self, queue: &Queue) -> Vec<String> {
        let those = |n| match n {
            1 => "1 of them".to_owned(),
            n => format!("{} of them", text::thousands(n)),
        };
        let is_listed = self.listed > 0 && queue.keys().order.is_some();
        let listed = is_listed.then(|| {
            format!(
                "Where {} stood in the order list nobody wrote down: that comes to its end, where \
                 poll() of other clients meets it later than before.",
                those(self.listed)
            )
        });
        let delivered = (self.delivered > 0).then(|| {
            format!(
                "Where {} stood in target nobody wrote down: that comes where a consumer takes \
                 next.",
                those(self.delivered)
            )
        });
        listed.into_iter().chain(delivered).collect()
    }
}

/// A sentence about an order list that may have been turned when a change, or an earlier undo of it,
/// died. `program`: the words by which a shell starts this program.
pub(super) fn turned(
    kept: &JournalledChange,
    queue: &Queue,
    undo_has_died: bool,
    program: &str,
) -> Option<String> {
    let turns = matches!(
        kept.head.change,
        Change::Delete | Change::Quarantine | Change::Restore | Change::Edit | Change::Repack
    );
    let has_died = kept.ended.is_none() || undo_has_died;
    (turns && has_died && queue.keys().order.is_some()).then(|| {
        let sorts = shell::about(program, "repair", queue, &["--realign"]);
        format!(
            "What died may have been turning the order list, which begins at another entry then: \
             all are in it, and only poll() of other clients meets them in another order. \
             `{sorts}` sorts it by due time."
        )
    })
}
