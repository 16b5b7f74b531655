//! The part of a change that the journal cannot tell entry by entry: scripts that chose for
//! themselves what they moved and whose answer nobody wrote down, and what stood in a damaged part
//! of its file.

use super::target;
use crate::ops::journal::{Items, JournalledChange};
use crate::ops::plan::ChangeError;
use crate::ops::plan::make::PlanContext;
use crate::queue::{Outcome, text};

/// Elements in a row by which the last that is known is found again in target.
const IN_A_ROW: usize = 8;

/// The sum of what the items of a change say.
#[derive(Default)]
pub(super) struct ReadableItems {
    /// Items that were done.
    pub(super) done: u64,
    /// Items of which that is not known.
    pub(super) unknown: u64,
    /// The hashes of those that were transferred last, the last one first.
    newest: Vec<[u8; 20]>,
}

/// Entries that were perhaps changed, and not known one by one.
#[derive(Default)]
pub(super) struct UntoldEntries {
    pub(super) count: u64,
    /// Remarks on them, a sentence each.
    pub(super) notes: Vec<String>,
}

impl ReadableItems {
    /// Adds an item that was transferred before those that were added so far.
    pub(super) fn transferred(&mut self, hash: [u8; 20]) {
        if self.newest.len() < IN_A_ROW {
            self.newest.push(hash);
        }
    }

    /// Finds what the items do not say.
    pub(super) async fn untold(
        &self,
        making: &PlanContext<'_>,
        kept: &JournalledChange,
        items: &Items,
    ) -> Result<UntoldEntries, ChangeError> {
        let mut untold = UntoldEntries::default();
        self.damaged(kept, items, &mut untold);
        let (moved, how) = if let Some(tally) = kept.ended {
            let unknown = tally.get(Outcome::Unknown).saturating_sub(self.unknown);
            (unknown, "by a script whose answer never came")
        } else {
            let mut moved = items.untold().unwrap_or_else(|| {
                let rest = kept.head.planned.saturating_sub(items.count());
                kept.head.bound.map_or(0, |_| rest)
            });
            if moved > 0 {
                // Those of the last script came to target behind all others of it.
                let before = items.untold_before().min(moved);
                let behind = target::behind(making, &self.newest, moved - before).await?;
                moved = behind.map_or(moved, |behind| before + behind.min(moved - before));
            }
            (moved, "by scripts whose answers nobody wrote down")
        };
        if moved > 0 {
            untold.count += moved;
            untold.notes.push(format!(
                "Up to {} moved to target {how}. The program cannot tell which; {} in target.",
                text::counted(moved, "more entry was", "more entries were"),
                if moved == 1 { "it stays" } else { "they stay" },
            ));
        }
        Ok(untold)
    }

    fn damaged(&self, kept: &JournalledChange, items: &Items, untold: &mut UntoldEntries) {
        // Those without a result are in doubt one by one.
        let missing = match kept.ended {
            Some(tally) => {
                let done = tally.get(kept.head.change.to_take_back());
                done.saturating_sub(self.done + self.unknown)
            }
            None => items.unreadable(),
        };
        // The end of what was being written when a machine went down is no damage.
        let torn = if kept.ended.is_some() {
            items.unread()
        } else {
            0
        };
        let bytes = items.damaged() + torn;
        if missing == 0 && bytes == 0 {
            return;
        }
        untold.count += missing;
        if bytes == 0 {
            untold.notes.push(format!(
                "{} that the change {} has done could not be written to the journal: what they \
                 are is not known, and they stay as they are.",
                text::counted(missing, "entry", "entries"),
                kept.id
            ));
            return;
        }
        untold.notes.push(format!(
            "The file of the change {} in the journal is damaged: {} cannot be read. {} lost with \
             them; what has no result is looked up, and the rest is taken back.",
            kept.id,
            text::counted(bytes, "byte", "bytes"),
            match missing {
                0 => "No entry is".to_owned(),
                1 => "1 entry is".to_owned(),
                n => format!("{} entries are", text::thousands(n)),
            },
        ));
    }
}
