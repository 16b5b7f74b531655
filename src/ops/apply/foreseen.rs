//! Everything that is due, foreseen: what falls due next is read in the round trip of one script and
//! written down during the next one, so that the script that moves it has nothing to tell.

use std::ops::Range;

use super::due::unseen;
use super::run::{Ended, Halt, Run};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, ready};

use crate::clock::EpochMillis;
use crate::ops::journal::{Happened, Item};
use crate::ops::plan::work::sha1;
use crate::queue::{EntryId, EntryResult, Layout, Outcome, Queue, State};
use crate::store::StoreError;
use crate::store::change::{Chosen, Foreseen};

/// Members of so many bytes are cheaper told once than read and hashed before.
const LARGE: usize = 2_000;
/// Bytes that one script moves at most: it hashes them.
const BYTES: usize = 1 << 20;

/// What is being read of what falls due.
type Coming = Shared<BoxFuture<'static, Result<Vec<Chosen>, StoreError>>>;

/// What the next script moves: it is written down.
#[derive(Default)]
struct Ahead {
    what: Option<Foreseen>,
    ids: Vec<EntryId>,
    /// The items of the journal that they are.
    items: Range<u64>,
    /// What was read behind them cannot be foreseen yet.
    cut: bool,
}

impl Run {
    /// Transfers as long as all comes as foreseen. What is left is for
    /// [`transfer`](Self::transfer), batch after batch.
    pub(super) async fn foreseen(&mut self, bound: EpochMillis) -> Ended {
        loop {
            let Some(rows) = self.first(bound).await? else {
                return Ok(());
            };
            let (before, mut done) = (self.tally, 0..0);
            let ended = self.ahead(bound, rows, &mut done).await;
            let written = self.settle(done, Outcome::Done).await;
            // What was not looked at of the rows is read again, as long as that gets on.
            let again = ended? && self.tally != before;
            written?;
            if !again {
                return Ok(());
            }
        }
    }

    /// What falls due first, for two scripts; none: nothing does, or nothing can be foreseen.
    async fn first(&mut self, bound: EpochMillis) -> Result<Option<Vec<Chosen>>, Halt> {
        if !matches!(self.queue.layout, Layout::Redisson) {
            return Ok(None);
        }
        let n = self.room(0);
        for n in [1, 2 * n] {
            match self.writer.due_after(&self.queue, bound, [0, n]).await {
                Ok(rows) if n > 1 => return Ok(Some(rows)),
                Ok(rows) if rows.iter().all(|row| row.member.len() < LARGE) => {}
                Err(error) if !error.may_heal() => return Err(error.into()),
                // The script that tells meets it too.
                Ok(_) | Err(_) => break,
            }
        }
        Ok(None)
    }

    /// So many entries may go into a script, when so many others go before them.
    fn room(&self, before: usize) -> usize {
        let rest = self.planned.saturating_sub(self.tally.sum());
        let rest = usize::try_from(rest).unwrap_or(usize::MAX);
        rest.saturating_sub(before).min(self.pace.size())
    }

    /// Whether it ended because not all that was read could be foreseen at once. `done` comes to be
    /// the items of the last script, which are to be settled yet.
    ///
    /// While a script runs, what the next one moves is written down and what the one after that
    /// moves is being read: on the same connection, so that it is read between the two.
    async fn ahead(
        &mut self,
        bound: EpochMillis,
        mut rows: Vec<Chosen>,
        done: &mut Range<u64>,
    ) -> Result<bool, Halt> {
        let later = rows.split_off(self.room(0).min(rows.len()));
        let mut read = later.len();
        let mut coming: Option<Coming> = Some(ready(Ok(later)).boxed().shared());
        let mut now = self.foresee(0..0, rows).await?;
        let mut known = false;
        while let Some(what) = now.what.take() {
            if let Err(halt) = self.hold().await {
                self.settle(now.items, Outcome::Left).await?;
                return Err(halt);
            }
            let (writer, queue) = (self.writer.clone(), self.queue.clone());
            let script = writer.transfer_foreseen(&queue, bound, &what, self.aside);
            let write = std::mem::replace(done, 0..0);
            let rows = coming.take().filter(|_| !now.cut);
            let n = self.room(what.count + read);
            let after = (n > 0 && rows.is_some()).then(|| self.read(bound, [read, n]));
            // A server that does not know the script yet is sent it a second time: behind that.
            let ask = |when: bool| after.clone().filter(|_| when).map(FutureExt::now_or_never);
            let next = async {
                let _ = ask(known);
                let rows = match rows {
                    Some(rows) => rows.await.unwrap_or_default(),
                    None => Vec::new(),
                };
                self.foresee(write, rows).await
            };
            let (sent, next) = tokio::join!(biased; script, next);
            let _ = ask(!known);
            match sent {
                Ok(timed) if timed.done => {
                    self.took(what.count, timed.took);
                    *done = now.items;
                    self.moved_all(now.ids).await;
                }
                Ok(_) => {
                    self.settle(now.items, Outcome::Left).await?;
                    self.settle(next?.items, Outcome::Left).await?;
                    return Ok(false);
                }
                Err(error) => {
                    self.settle(next?.items, Outcome::Left).await?;
                    self.unanswered(bound, now.items, error).await?;
                    return Ok(false);
                }
            }
            if now.cut {
                return Ok(true);
            }
            (now, coming, read, known) = (next?, after, n, true);
        }
        Ok(false)
    }

    /// Reads what falls due, up to `n` entries behind the first `skip`; asked for when it is first
    /// looked at.
    fn read(&self, bound: EpochMillis, within: [usize; 2]) -> Coming {
        let (writer, queue) = (self.writer.clone(), self.queue.clone());
        let rows = async move { writer.due_after(&queue, bound, within).await };
        rows.boxed().shared()
    }

    async fn moved_all(&mut self, ids: Vec<EntryId>) {
        let done = |id| EntryResult {
            id,
            outcome: Outcome::Done,
            reason: None,
        };
        let results = ids.into_iter().map(done).collect();
        self.results(results).await;
        self.progress(None, false).await;
    }

    /// The script has failed: what is known of its items then.
    async fn unanswered(
        &mut self,
        bound: EpochMillis,
        items: Range<u64>,
        error: StoreError,
    ) -> Ended {
        if !error.may_heal() {
            self.settle(items, Outcome::Left).await?;
            return Err(error.into());
        }
        let asked = items.end - items.start;
        let (missing, healed) = self.recover(bound, asked, &error).await;
        let outcome = if missing > 0 {
            Outcome::Unknown
        } else {
            Outcome::Left
        };
        self.settle(items, outcome).await?;
        self.notes
            .extend(unseen(missing, "by this change or by others"));
        healed
    }

    /// Writes down what became of items.
    async fn settle(&mut self, items: Range<u64>, outcome: Outcome) -> Ended {
        let happened = items.map(|index| Happened {
            index,
            outcome,
            stood: None,
        });
        let happened: Vec<_> = happened.collect();
        match &mut self.record {
            Some(record) if !happened.is_empty() => Ok(record.happened(happened).await?),
            _ => Ok(()),
        }
    }

    /// Writes down what falls due next, and that items `done` were done.
    async fn foresee(&mut self, done: Range<u64>, rows: Vec<Chosen>) -> Result<Ahead, Halt> {
        if rows.is_empty() {
            self.settle(done, Outcome::Done).await?;
            return Ok(Ahead::default());
        }
        let Some(record) = &mut self.record else {
            return Ok(Ahead::default());
        };
        let queue = self.queue.clone();
        let (mut ahead, count) = record.foresee(done, move || look(&queue, &rows)).await?;
        ahead.items = self.intended..self.intended + count;
        self.intended += count;
        Ok(ahead)
    }
}

/// What a script needs to know of entries, and the journal.
fn look(queue: &Queue, rows: &[Chosen]) -> (Vec<Item>, Ahead) {
    let (mut items, mut ids, mut members) = (Vec::new(), Vec::new(), Vec::new());
    let mut bytes = 0;
    for Chosen { member, score } in rows {
        let Some(entry) = queue.unwrap(member).ok().filter(|_| bytes < BYTES) else {
            break;
        };
        bytes += member.len();
        members.push(member.as_slice());
        ids.push(entry.id);
        items.push(Item {
            id: entry.id,
            state: State::Late,
            score: Some(*score),
            member: None,
            new_score: None,
            new_member: None,
            form: entry.form,
            hash: Some(sha1(entry.payload)),
        });
    }
    let ahead = Ahead {
        what: Foreseen::of(queue, &members),
        cut: members.len() < rows.len(),
        ids,
        items: 0..0,
    };
    (items, ahead)
}
