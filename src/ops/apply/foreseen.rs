//! Everything that is due, foreseen: what falls due next is read in the round trip of one script and
//! written down during the next one, so that the script that moves it has nothing to tell.

use std::ops::Range;

use super::due::unseen;
use super::run::{Ended, Halt, Run};
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
        let Some(rows) = self.first(bound).await? else {
            return Ok(());
        };
        let mut done = 0..0;
        let ended = self.ahead(bound, rows, &mut done).await;
        let written = self.settle(done, Outcome::Done).await;
        ended.and(written)
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

    /// `done` comes to be the items of the last script, which are to be settled yet.
    async fn ahead(
        &mut self,
        bound: EpochMillis,
        mut rows: Vec<Chosen>,
        done: &mut Range<u64>,
    ) -> Ended {
        let mut later = rows.split_off(self.room(0).min(rows.len()));
        let mut now = self.foresee(0..0, rows).await?;
        if now.cut {
            later.clear();
        }
        while let Some(what) = now.what.take() {
            if let Err(halt) = self.hold().await {
                self.settle(now.items, Outcome::Left).await?;
                return Err(halt);
            }
            let (writer, queue) = (self.writer.clone(), self.queue.clone());
            let after = [later.len(), self.room(what.count + later.len())];
            let script = writer.transfer_foreseen(&queue, bound, &what, self.aside, after);
            let write = std::mem::replace(done, 0..0);
            let (sent, next) = tokio::join!(script, self.foresee(write, later));
            match sent {
                Ok(timed) => {
                    let (moved, rows) = timed.done;
                    if !moved {
                        self.settle(now.items, Outcome::Left).await?;
                        return self.settle(next?.items, Outcome::Left).await;
                    }
                    self.took(what.count, timed.took);
                    *done = now.items;
                    self.moved_all(now.ids).await;
                    // What could not be read now is asked for again by the script that tells.
                    later = rows.unwrap_or_default();
                }
                Err(error) => {
                    self.settle(next?.items, Outcome::Left).await?;
                    return self.unanswered(bound, now.items, error).await;
                }
            }
            now = next?;
            if now.cut {
                later.clear();
            }
        }
        Ok(())
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
    let (mut items, mut ids) = (
        Vec::with_capacity(rows.len()),
        Vec::with_capacity(rows.len()),
    );
    let mut all = Vec::with_capacity(rows.iter().map(|row| row.member.len()).sum());
    let mut header = None;
    for Chosen { member, score } in rows {
        let Some(entry) = queue.unwrap(member).ok().filter(|_| all.len() < BYTES) else {
            break;
        };
        let before = member.len() - entry.payload.len();
        header = match header {
            None => Some(before),
            Some(same) if same == before => header,
            Some(_) => Some(0),
        };
        all.extend_from_slice(member);
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
    let what = header.map(|header| Foreseen {
        count: ids.len(),
        sha1: sha1_smol::Sha1::from(&all).digest().to_string(),
        header,
    });
    let cut = ids.len() < rows.len();
    let ahead = Ahead {
        what,
        ids,
        items: 0..0,
        cut,
    };
    (items, ahead)
}
