//! The places that an undo cannot restore: those of entries of which nobody wrote down where they
//! stood, and the beginning of an order list that a killed change left turned. No entry is missing
//! for it, and only `poll()` of other clients goes by places; the undo says so, and what mends it.

use super::inverse::{Inverse, UNTOLD};
use crate::ops::journal::JournalledChange;
use crate::queue::shell;
use crate::queue::{Change, Queue, text};

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
            Inverse::PutBack(UNTOLD, ..) | Inverse::Restore(UNTOLD, ..) => self.listed += 1,
            Inverse::PutElement(_, None) => self.delivered += 1,
            _ => {}
        }
    }

    /// Sentences about them.
    pub(super) fn words(&self, queue: &Queue) -> Vec<String> {
        let those = |n| match n {
            1 => ["1 of them", "it comes", "it"].map(str::to_owned),
            n => [
                text::thousands(n) + " of them",
                "they come".to_owned(),
                "them".to_owned(),
            ],
        };
        let is_listed = self.listed > 0 && queue.keys().order.is_some();
        let listed = is_listed.then(|| {
            let [those, come, them] = those(self.listed);
            format!(
                "Where {those} stood in the order list nobody wrote down: {come} to its end, where \
                 poll() of other clients meets {them} later than before."
            )
        });
        let delivered = (self.delivered > 0).then(|| {
            let [those, come, _] = those(self.delivered);
            format!(
                "Where {those} stood in target nobody wrote down: {come} where a consumer takes next."
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
            "The change, or an undo of it, died and may have left the order list turned, so that it \
             begins at another entry: all are in it, and only poll() of other clients meets them in \
             another order. `{sorts}` sorts it by due time."
        )
    })
}
