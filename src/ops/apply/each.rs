//! Entries in order: batch after batch, the next one's intents on their way to the disk while the
//! script of the one before runs.

use std::ops::Range;

use super::batch::{self, Did, Fated};
use super::run::{Halt, Run};
use crate::ops::journal::Item;
use crate::ops::plan::work::Work;
use crate::queue::{EntryResult, Outcome};
use crate::store::StoreError;

/// So many entries that were left are told at once.
const TOLD: usize = 1_000;

impl Run {
    /// Does each kind of deed after the other.
    pub(super) async fn entries(&mut self, all: Vec<Work>) -> Result<(), Halt> {
        let mut ended = Ok(());
        for work in &all {
            let mut done = 0;
            if ended.is_ok() {
                self.phase = work.phase();
                ended = self.in_order(work, &mut done, false).await;
            }
            self.leave(work, done).await;
        }
        ended
    }

    /// Does it batch after batch. `done` comes to say up to which entry there are results. `drain`:
    /// the order list is aside, by this change.
    pub(super) async fn in_order(
        &mut self,
        work: &Work,
        done: &mut usize,
        drain: bool,
    ) -> Result<(), Halt> {
        let first = self.intended;
        let ended = self.batches(work, first, done, drain).await;
        let done = u64::try_from(*done).unwrap_or(u64::MAX);
        if ended.is_err() {
            self.leave_from(first.saturating_add(done)).await;
        }
        ended
    }

    /// `first`: the item of the journal that the first entry is.
    async fn batches(
        &mut self,
        work: &Work,
        first: u64,
        done: &mut usize,
        drain: bool,
    ) -> Result<(), Halt> {
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
            let (did, written) = self
                .script(work, &range, known.max(range.end)..after.end, drain)
                .await;
            let fated = match did {
                Ok(did) => self.account(did),
                Err(error) if error.outcome_unknown() => {
                    match self.look(work, range.clone(), &error).await {
                        Ok(Some(fated)) => fated,
                        Ok(None) => Vec::new(),
                        Err(halt) => {
                            let unknown = vec![Fated::plain(Outcome::Unknown); range.len()];
                            *done = range.end;
                            self.tell_of(work, &range, index(range.start), unknown)
                                .await?;
                            return Err(halt);
                        }
                    }
                }
                Err(error) if error.may_heal() => {
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
            self.progress(None, false).await;
            next = after;
        }
        Ok(())
    }

    /// Runs the script for `range` while the intents of `after` are written.
    async fn script(
        &mut self,
        work: &Work,
        range: &Range<usize>,
        after: Range<usize>,
        drain: bool,
    ) -> (Result<Did, StoreError>, Result<(), Halt>) {
        let items = if after.is_empty() {
            Vec::new()
        } else {
            self.items(work, after)
        };
        let (writer, queue) = (self.writer.clone(), self.queue.clone());
        let script = batch::run(work, &writer, &queue, range.clone(), drain);
        tokio::join!(script, self.intend(items))
    }

    fn account(&mut self, did: Did) -> Vec<Fated> {
        self.took(did.fated.len(), did.took);
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
        fated: Vec<Fated>,
    ) -> Result<(), Halt> {
        let queue = self.queue.clone();
        let ids = range.clone().map(|i| work.id(&queue, i));
        self.happened(first, ids, fated).await
    }

    /// What was not attempted: told, and written down for what was intended.
    pub(super) async fn leave(&mut self, work: &Work, done: usize) {
        let mut at = done;
        while at < work.len() {
            let end = work.len().min(at + TOLD);
            let left = (at..end).map(|i| EntryResult {
                id: work.id(&self.queue, i),
                outcome: Outcome::Left,
                reason: None,
            });
            let left = left.collect();
            self.results(left).await;
            at = end;
        }
    }
}
