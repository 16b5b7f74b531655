//! Everything that is due, while nobody else touches the queue: what falls due next is read and
//! written down, and a transaction moves it that does nothing when somebody has touched the queue
//! since. The server spends half of what a script needs that looks at each entry.

use std::ops::Range;
use std::time::Duration;

use super::due::{LEFT, unseen};
use super::run::{Halt, PartEnd, Run};
use crate::clock::{EpochMillis, instant};
use crate::ops::journal::{Item, ItemResult, JournalRecord};
use crate::ops::plan::work::sha1;
use crate::queue::{EntryId, EntryResult, Outcome, Queue, State};
use crate::store::StoreError;
use crate::store::change::{ChosenEntry, MatchingHead, WatchedOutcome, WatchedQueue};

/// The largest member that is moved like this, in bytes: a larger one is cheaper left on the
/// server, since here each goes both ways, and nothing bounds the bytes of a look.
const LARGE: usize = 2_000;
/// Time on the way, beyond four times the server's own, from which on less shall go that way.
const FAR: Duration = Duration::from_millis(20);

/// The reason for which a batch is not moved whose undo could be lost with the machine's power.
const NOT_ON_DISK: &str = "the journal is not on disk with what was to be transferred next";

/// True of a member with more bytes than a transaction moves.
pub(super) const fn is_large(bytes: u64) -> bool {
    bytes > LARGE as u64
}

/// The entries that one transaction moves, once they are written down.
#[derive(Default)]
struct Batch {
    rows: Vec<ChosenEntry>,
    /// The offset where the payload begins in each of them.
    headers: Vec<usize>,
    ids: Vec<EntryId>,
    /// The items of the journal that they are.
    items: Range<u64>,
}

impl Run {
    /// Transfers as long as nobody else touches the queue, and its order list is in due order or set
    /// aside. What is left is for [`transfer`](Self::transfer), batch after batch.
    pub(super) async fn watched(&mut self, bound: EpochMillis) -> PartEnd {
        let (writer, queue) = (self.writer.clone(), self.queue.clone());
        // What cannot be read here, the script that tells meets too.
        let Ok(Some(mut watched)) = writer.watch_due(&queue, bound, 2, self.aside).await else {
            return Ok(());
        };
        if watched.take_rows().largest() > LARGE {
            return Ok(());
        }
        let n = self.room(0).min(watched.ahead(LARGE));
        if watched.look(n).await.is_err() {
            return Ok(());
        }
        let mut done = Batch::default();
        let ended = loop {
            let rows = watched.take_rows();
            if rows.largest() > LARGE {
                break Ok(());
            }
            let batch = self.write_down(done.settled(), rows).await?;
            if batch.rows.is_empty() {
                break Ok(());
            }
            if let Err(halt) = self.hold().await {
                self.settle(batch.items, Outcome::Left).await?;
                break Err(halt);
            }
            match self.move_batch(bound, &mut watched, batch, &mut done).await {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                halted => break halted.map(drop),
            }
        };
        let settled = self.settle(done.settled(), Outcome::Done).await;
        self.tell_moved(done.ids);
        ended.and(settled)
    }

    /// Entries that may go next, when `before` others go before them.
    fn room(&self, before: usize) -> usize {
        let rest = self.planned.saturating_sub(self.tally.sum());
        let rest = usize::try_from(rest).unwrap_or(usize::MAX);
        rest.saturating_sub(before).min(self.pace.size())
    }

    /// Moves what is written down, reads what falls due next, and tells meanwhile what was done
    /// before. Whether it may go on like this; `done` is then what was moved.
    async fn move_batch(
        &mut self,
        bound: EpochMillis,
        watched: &mut WatchedQueue,
        batch: Batch,
        done: &mut Batch,
    ) -> Result<bool, Halt> {
        let count = batch.rows.len();
        // The next ones are about as large as these, most likely.
        let largest = batch.rows.iter().map(|row| row.member.len()).max();
        let fit = (self.pace.bytes() / largest.unwrap_or(1).max(1)).max(1);
        let n = self.room(count + done.ids.len()).min(fit);
        let n = n.min(watched.ahead(LARGE));
        let ids = std::mem::take(&mut done.ids);
        let rows = batch.rows.iter().zip(&batch.headers);
        let payloads: Vec<&[u8]> = rows.map(|(row, at)| &row.member[*at..]).collect();
        if !self.record.as_ref().is_none_or(JournalRecord::is_on_disk) {
            self.settle(batch.items, Outcome::Left).await?;
            return Err(Halt::Failed(NOT_ON_DISK.to_owned()));
        }
        let [Some(first), Some(last)] = [batch.rows.first(), batch.rows.last()] else {
            return Ok(false);
        };
        let asked = instant();
        let members = [first, last].map(|row| row.member.as_slice());
        let sent = watched.transfer(members, &payloads, n);
        let (sent, ()) = tokio::join!(biased; sent, async { self.tell_moved(ids) });
        let round = instant().saturating_duration_since(asked);
        let failovers = self.ledger.failovers();
        self.marked();
        match sent {
            Ok(timed) if timed.done == WatchedOutcome::All => {
                self.took(count, timed.took);
                let ids = batch.ids.iter().copied();
                self.found_due(batch.items.clone().zip(ids).collect())
                    .await?;
                *done = batch;
                // This connection leads to the former master.
                let leads_on = failovers == self.ledger.failovers() && !self.ledger.is_astray();
                Ok(leads_on && round < FAR + 4 * timed.took.unwrap_or_default())
            }
            Ok(_) => {
                self.settle(batch.items, Outcome::Left).await?;
                Ok(false)
            }
            Err(error) => {
                let sent = batch.rows.iter().map(|row| row.member.len()).sum();
                self.unanswered(bound, batch.items, sent, error).await?;
                Ok(false)
            }
        }
    }

    /// Tells of entries that they were moved.
    fn tell_moved(&mut self, ids: Vec<EntryId>) {
        if ids.is_empty() {
            return;
        }
        let done = |id| EntryResult {
            id,
            outcome: Outcome::Done,
            reason: None,
        };
        let results = ids.into_iter().map(done).collect();
        self.results(results);
        self.progress(None, false);
    }

    /// Writes down what is known of the items of a transaction that has failed, of which so many
    /// bytes were sent.
    async fn unanswered(
        &mut self,
        bound: EpochMillis,
        items: Range<u64>,
        sent: usize,
        error: StoreError,
    ) -> PartEnd {
        match (error.outcome_unknown(), self.may_heal(&error)) {
            // The script that tells meets it too, and says it better.
            (false, false) => return self.settle(items, Outcome::Left).await,
            // It would end there again.
            (true, false) => {
                self.halfway(items.end - items.start);
                self.settle(items, Outcome::Unknown).await?;
                return Err(error.into());
            }
            _ => {}
        }
        let asked = items.end - items.start;
        let (missing, healed) = self.recover(bound, asked, sent, &error).await;
        let outcome = match (error.outcome_unknown(), missing) {
            (false, 0) => Outcome::Left,
            // It may reach the server yet, until somebody touches the queue.
            (true, 0) => {
                let first = self.underway.take().unwrap_or_else(|| items.clone());
                self.underway = Some(first.start..items.end);
                Outcome::Unknown
            }
            _ => Outcome::Unknown,
        };
        self.settle(items, outcome).await?;
        self.notes.extend(unseen(missing, LEFT));
        healed
    }

    /// Finds out, once entries were moved after a transaction whose answer never came, whether that
    /// had reached the server before: from then on it cannot any more.
    pub(super) async fn overtaken(&mut self, bound: EpochMillis) -> PartEnd {
        let Some(items) = self.underway.clone() else {
            return Ok(());
        };
        let rest = self.planned.saturating_sub(self.tally.sum());
        let missing = rest.saturating_sub(self.still_due(bound).await?);
        self.came(missing, LEFT);
        if missing == 0 {
            self.settle(items, Outcome::Left).await?;
        }
        Ok(())
    }

    /// Counts of `missing` entries, which were not there when they were looked for, those that may
    /// have been moved by a transaction that was under way, and says `why`; how many others there are.
    pub(super) fn came(&mut self, missing: u64, why: &str) -> u64 {
        let items = self.underway.take();
        let most = items.map_or(0, |items| items.end - items.start);
        let came = missing.min(most);
        self.tally.add(Outcome::Unknown, came);
        self.notes.extend(unseen(came, why));
        missing - came
    }

    /// Writes down what became of items.
    async fn settle(&mut self, items: Range<u64>, outcome: Outcome) -> PartEnd {
        let happened = items.map(|index| ItemResult {
            index,
            outcome,
            stood: None,
        });
        self.become_of(happened.collect()).await
    }

    /// Writes down what falls due next, and that items `done` were done.
    async fn write_down(&mut self, done: Range<u64>, rows: MatchingHead) -> Result<Batch, Halt> {
        let Some(mut record) = self.record.clone() else {
            return Ok(Batch::default());
        };
        let (queue, bytes) = (self.queue.clone(), self.pace.bytes());
        let write = async move {
            let look = move || look(&queue, rows, bytes);
            record.intend_and_settle(done, look).await
        };
        let (mut batch, count) = self.written(write).await?;
        batch.items = self.intended..self.intended + count;
        self.intended += count;
        Ok(batch)
    }
}

impl Batch {
    /// Takes its items out, which are to be settled now.
    const fn settled(&mut self) -> Range<u64> {
        std::mem::replace(&mut self.items, 0..0)
    }
}

/// Splits off the entries that a transaction moves, about `most` bytes of them, with their items
/// for the journal.
fn look(queue: &Queue, rows: MatchingHead, most: usize) -> (Vec<Item>, Batch) {
    let (mut items, mut batch) = (Vec::with_capacity(rows.rows().len()), Batch::default());
    let mut bytes = 0;
    for ChosenEntry { member, score } in rows.rows() {
        let Some(entry) = queue.unwrap(member).ok().filter(|_| bytes < most) else {
            break;
        };
        bytes += member.len();
        batch.ids.push(entry.id);
        batch.headers.push(member.len() - entry.payload.len());
        items.push(Item {
            id: entry.id,
            state: State::Late,
            score: Some(*score),
            member: None,
            new_score: None,
            new_member: None,
            form: entry.form,
            hash: Some(sha1(entry.payload)),
            to_quarantine: false,
        });
    }
    batch.rows = rows.first(items.len());
    items.truncate(batch.rows.len());
    batch.ids.truncate(batch.rows.len());
    batch.headers.truncate(batch.rows.len());
    (items, batch)
}
