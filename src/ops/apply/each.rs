//! Entries in order: batch after batch, the next one's intents on their way to the disk while the
//! script of the one before runs.

use std::ops::Range;

use super::batch::{self, EntryFate, ScriptAnswer};
use super::run::{Halt, ItemFate, PartEnd, Run};
use crate::ops::journal::{Item, Tries};
use crate::ops::plan::work::{Work, has_places};
use crate::queue::plan::Way;
use crate::queue::{EntryResult, Outcome};
use crate::store::StoreError;
use crate::store::change::ChosenEntry;

/// Entries left alone that are told at once.
const TOLD: usize = 1_000;

impl Run {
    /// Does each kind of deed after the other.
    pub(super) async fn entries(&mut self, all: Vec<Work>) -> PartEnd {
        let mut ended = self.asked_of(&all).await;
        for work in &all {
            if ended.is_err() {
                self.leave(work, 0);
                continue;
            }
            self.phase = work.phase();
            let first = self.intended;
            ended = self.kind(work).await;
            ended = self.outlast(work, first, ended).await;
        }
        ended
    }

    /// Does one kind of deed.
    pub(super) async fn kind(&mut self, work: &Work) -> PartEnd {
        match (self.way(), work) {
            (Way::Sweep, Work::Delete(chosen)) => self.sweep(work, chosen).await,
            (Way::Sweep, Work::Quarantine(chosen)) => self.sweep_away(work, chosen).await,
            (Way::Sweep, Work::Edit(edits)) => self.edit_around(work, edits).await,
            (Way::Sweep, Work::PutBack(entries)) => self.put_back(work, entries).await,
            (Way::Sweep, Work::Restore(entries)) if has_places(entries) => {
                self.restore(work, entries).await
            }
            (_, Work::DropStrays(members)) => self.drop_strays(work, members).await,
            (Way::Swap, Work::Deliver(chosen)) => self.swapped(work, chosen).await,
            (Way::SetAside, Work::Deliver(chosen)) => self.beside(work, chosen).await,
            _ => self.in_order(work).await,
        }
    }

    /// True of what goes round from its last entry on: its items in the journal stand in that order.
    pub(super) fn goes_backwards(&self, work: &Work) -> bool {
        match (self.way(), work) {
            (Way::Sweep, Work::PutBack(_)) => true,
            (Way::Sweep, Work::Restore(entries)) => has_places(entries),
            _ => false,
        }
    }

    /// Does it once the chosen ones stand at the head of the order list.
    async fn swapped(&mut self, work: &Work, chosen: &[ChosenEntry]) -> PartEnd {
        let members = chosen.iter().map(|chosen| chosen.member.clone());
        match self.head_first(members.collect()).await {
            Ok(()) => self.in_order(work).await,
            halt => {
                self.leave(work, 0);
                halt
            }
        }
    }

    /// Does it while the order list is set aside.
    async fn beside(&mut self, work: &Work, chosen: &[ChosenEntry]) -> PartEnd {
        match self.set_aside().await {
            Ok(false) => self.swapped(work, chosen).await,
            Ok(true) => self.in_order(work).await,
            Err(halt) => {
                self.leave(work, 0);
                Err(halt)
            }
        }
    }

    /// Does it batch after batch; then what is aside comes back. In the end each entry has a result.
    pub(super) async fn in_order(&mut self, work: &Work) -> PartEnd {
        let first = self.intended;
        let mut done = 0;
        let ended = self.batches(work, first, &mut done).await;
        self.restored().await;
        if ended.is_err() {
            let from = first.saturating_add(u64::try_from(done).unwrap_or(u64::MAX));
            self.leave_from(from).await;
        }
        self.leave(work, done);
        ended
    }

    /// Does it batch after batch. `first`: the item of the journal that the first entry is. `done`
    /// comes to say up to which entry there are results.
    async fn batches(&mut self, work: &Work, first: u64, done: &mut usize) -> PartEnd {
        let index = |i: usize| first + u64::try_from(i).unwrap_or(0);
        let mut next = self.pace.batch(work, 0);
        let items = self.items(work, next.clone());
        self.intend(items).await?;
        while !next.is_empty() {
            self.hold().await?;
            let range = next;
            // On a second attempt the following batch is written down already.
            let known = usize::try_from(self.intended - first).unwrap_or(usize::MAX);
            let mut after = range.end..known;
            if known <= range.end {
                after = self.pace.batch(work, range.end);
            }
            let tried = index(range.start)..index(range.end);
            self.trying(vec![tried], Tries::Whole).await?;
            let (did, written) = self
                .script(work, &range, known.max(range.end)..after.end)
                .await;
            let fated = match did {
                Ok(did) => self.account(did),
                Err(error) if error.outcome_unknown() => {
                    let (fated, halted) = self.see(work, &range, error).await;
                    if let Some(halt) = halted {
                        *done = range.end;
                        self.tell_of(work, &range, index(range.start), fated)
                            .await?;
                        return Err(halt);
                    }
                    fated
                }
                Err(error) if self.may_heal(&error) => {
                    self.heal(&error, 0).await?;
                    Vec::new()
                }
                Err(error) => return Err(error.into()),
            };
            if fated.is_empty() {
                written?;
                next = range;
                continue;
            }
            *done = range.end;
            self.tell_of(work, &range, index(range.start), fated)
                .await?;
            written?;
            self.progress(None, false);
            next = after;
        }
        Ok(())
    }

    /// Finds the fates of entries whose script has no answer that tells them; none when it was not
    /// run and may be tried again. And why the change ends with them, when it does: what ended a
    /// script in the middle would end it there again.
    async fn see(
        &mut self,
        work: &Work,
        range: &Range<usize>,
        error: StoreError,
    ) -> (Vec<EntryFate>, Option<Halt>) {
        let unknown = || vec![EntryFate::plain(Outcome::Unknown); range.len()];
        let again = self.may_heal(&error);
        match self.look(work, range.clone(), &error).await {
            Ok(fated) if again => (fated.unwrap_or_default(), None),
            Ok(fated) => (fated.unwrap_or_else(unknown), Some(error.into())),
            Err(halt) => (unknown(), Some(halt)),
        }
    }

    /// Runs the script for `range` while the intents of `after` are written.
    async fn script(
        &mut self,
        work: &Work,
        range: &Range<usize>,
        after: Range<usize>,
    ) -> (Result<ScriptAnswer, StoreError>, PartEnd) {
        let items = if after.is_empty() {
            Vec::new()
        } else {
            self.items(work, after)
        };
        let (writer, queue) = (self.writer.clone(), self.queue.clone());
        let script = batch::run(work, &writer, &queue, range.clone(), self.aside);
        let (did, written) = tokio::join!(script, self.intend(items));
        self.marked();
        (did, written)
    }

    fn account(&mut self, did: ScriptAnswer) -> Vec<EntryFate> {
        self.took(did.fated.len(), did.took);
        self.copies += did.copies;
        if let Some(words) = did.unannounced {
            let note = format!(
                "Nobody was told of the new head, because the server refused that: {words}."
            );
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        did.fated
    }

    fn items(&self, work: &Work, range: Range<usize>) -> Vec<Item> {
        let now = self.now();
        range.map(|i| work.item(&self.queue, now, i)).collect()
    }

    async fn tell_of(
        &mut self,
        work: &Work,
        range: &Range<usize>,
        first: u64,
        fated: Vec<EntryFate>,
    ) -> PartEnd {
        let each = (first..).zip(range.clone()).zip(fated);
        let told = each.map(|((item, i), fated)| ItemFate {
            item: Some(item),
            id: work.id(&self.queue, i),
            fated,
        });
        let told = told.collect();
        self.happened(told).await
    }

    /// Tells which entries were not attempted, and writes it down where they were intended.
    pub(super) fn leave(&mut self, work: &Work, done: usize) {
        let mut at = done;
        while at < work.len() {
            let end = work.len().min(at + TOLD);
            let left = (at..end).map(|i| EntryResult {
                id: work.id(&self.queue, i),
                outcome: Outcome::Left,
                reason: None,
            });
            let left = left.collect();
            self.results(left);
            at = end;
        }
    }
}
