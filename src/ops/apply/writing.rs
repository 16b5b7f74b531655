//! Everything that a change writes down: before it tries something, and what became of that.

use std::ops::Range;
use std::time::Duration;

use super::batch::EntryFate;
use super::lost::LOST;
use super::run::{Halt, ItemFate, PartEnd, Run};
use crate::ops::journal::{Item, ItemResult, JournalError, Tries};
use crate::queue::{EntryResult, Outcome};

/// The time after which a disk is thought to hang.
const DISK: Duration = Duration::from_secs(1);
const HANGS: &str = "the disk of the journal takes no more";

impl Run {
    /// Counts, tells and writes down what became of entries, whose intents are in the journal.
    pub(super) async fn happened(&mut self, mut fates: Vec<ItemFate>) -> PartEnd {
        let gone = |fate: &ItemFate| fate.fated.outcome == Outcome::Gone;
        let lost = if !fates.is_empty() && fates.iter().all(gone) {
            self.lost(fates.len() as u64).await
        } else {
            None
        };
        if lost.is_some() {
            for fate in &mut fates {
                fate.fated = EntryFate::because(Outcome::Unknown, LOST);
            }
        }
        let done = fates
            .iter()
            .filter(|fate| fate.fated.outcome == Outcome::Done);
        let done = done.filter_map(|fate| Some((fate.item?, fate.id)));
        self.ledger.done(done.collect());
        let mut happened = Vec::with_capacity(fates.len());
        let mut results = Vec::with_capacity(fates.len());
        for ItemFate { item, id, fated } in fates {
            let EntryFate {
                outcome,
                reason,
                stood,
            } = fated;
            happened.extend(item.map(|index| ItemResult {
                index,
                outcome,
                stood,
            }));
            results.push(EntryResult {
                id,
                outcome,
                reason,
            });
        }
        // Written first: what was told shall be known after a death.
        let written = self.become_of(happened).await;
        self.results(results);
        written?;
        lost.map_or(Ok(()), |why| Err(Halt::Failed(why)))
    }

    /// Writes down what became of items.
    pub(super) async fn become_of(&mut self, happened: Vec<ItemResult>) -> PartEnd {
        if let Some(mut record) = self.record.clone().filter(|_| !happened.is_empty()) {
            self.written(async move { record.happened(happened).await })
                .await?;
        }
        Ok(())
    }

    /// Writes down what is about to be tried.
    pub(super) async fn intend(&mut self, items: Vec<Item>) -> PartEnd {
        let count = u64::try_from(items.len()).unwrap_or(0);
        if let Some(mut record) = self.record.clone().filter(|_| count > 0) {
            let is_first = self.intended == 0;
            let write = async move {
                if is_first {
                    // From here on the journal tells what was tried from what was not.
                    record.trying(Vec::new(), Tries::Some).await?;
                }
                record.intend(items).await
            };
            self.written(write).await?;
            self.intended += count;
        }
        Ok(())
    }

    /// Writes down which items the next script tries: after a death only these are in doubt.
    pub(super) async fn trying(&mut self, items: Vec<Range<u64>>, how: Tries) -> PartEnd {
        if let Some(mut record) = self.record.clone() {
            let write = async move { record.trying(items, how).await };
            self.written(write).await?;
        }
        Ok(())
    }

    /// Writes down that the next script moves up to `next` entries that it chooses itself, and that
    /// `lost` were moved before of which nobody was told.
    pub(super) async fn untold(&mut self, lost: u64, next: usize) -> PartEnd {
        if let Some(mut record) = self.record.clone() {
            let next = u64::try_from(next).unwrap_or(u64::MAX);
            let write = async move { record.untold(lost, next).await };
            self.written(write).await?;
        }
        Ok(())
    }

    /// Waits for something to be written down. A disk that hangs keeps nothing aside: that is
    /// brought back meanwhile.
    pub(super) async fn written<T>(
        &mut self,
        write: impl Future<Output = Result<T, JournalError>>,
    ) -> Result<T, JournalError> {
        let mut write = std::pin::pin!(write);
        if let Ok(written) = tokio::time::timeout(DISK, &mut write).await {
            return written;
        }
        if self.aside {
            self.bring_back().await;
        }
        self.progress(Some(HANGS.to_owned()), true);
        write.await
    }

    /// Writes down that what was intended from item `from` on was not attempted.
    pub(super) async fn leave_from(&mut self, from: u64) {
        let left = (from..self.intended).map(|index| ItemResult {
            index,
            outcome: Outcome::Left,
            stood: None,
        });
        let left: Vec<_> = left.collect();
        // That nothing is known of them says nearly the same.
        if let Err(Halt::Failed(why)) = self.become_of(left).await {
            self.notes.push(why);
        }
    }
}
