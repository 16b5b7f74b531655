//! A backlog that is dear to work off script by script, since each entry has to be looked for far
//! down the order list: it is transferred in bulk, as `transfer` does it, journalled like that.

use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::{Batch, PAUSE, SkipReason, WorkEnd, Worker, WorkerEvent};
use crate::clock::instant;
use crate::ops::apply::{ChangeEvent, Limits, Order, RunningChange, apply};
use crate::ops::journal::Journal;
use crate::ops::plan::{ChangeRequest, EntryChoice, Wish, plan};
use crate::queue::plan::Way;
use crate::queue::{EntryResult, Outcome, Summary, redis_cli};
use crate::store::write::{TimedResult, TransferResult};
use crate::store::{StoreError, read};

/// The largest number of late entries that are worked off one script after the other, wherever they
/// stand.
const MOST_LATE_ONE_BY_ONE: u64 = 500;
/// The longest time that a script takes for an entry that has not to be looked for.
const NEAR: Duration = Duration::from_micros(20);
/// The time in which no bulk transfer is tried after one that came to nothing.
const NOT_AGAIN: Duration = Duration::from_secs(30);

/// The state that decides whether a backlog is transferred in bulk.
pub(super) struct Bulk {
    /// The journal that a bulk transfer is written down in; none: there never is one.
    journal: Option<Journal>,
    /// True if what is late may stand far down the order list.
    far: bool,
    /// The moment before which none is tried.
    after: Option<Instant>,
}

impl Bulk {
    pub(super) const fn new(journal: Option<Journal>) -> Self {
        Self {
            journal,
            far: true,
            after: None,
        }
    }
}

impl Worker {
    /// Learns from the time that a script took whether the others stand far down the order list.
    pub(super) fn learn_how_far(&mut self, timed: &TimedResult<TransferResult>) {
        let entries = timed.done.moved.len() + timed.done.skipped.len();
        let entries = u32::try_from(entries).unwrap_or(u32::MAX);
        let near = NEAR.saturating_mul(entries.max(1));
        let far = timed.took.is_some_and(|took| took > near);
        self.bulk.far |= timed.done.more && far;
    }

    /// Transfers a backlog in bulk, where that is worth it. What fails is left to the scripts,
    /// which tell why.
    pub(super) async fn backlog(
        &mut self,
        stopped: &mut oneshot::Receiver<()>,
    ) -> Result<(), WorkEnd> {
        let far = std::mem::take(&mut self.bulk.far);
        let Some(journal) = self.bulk.journal.clone().filter(|_| far) else {
            return Ok(());
        };
        let now = instant();
        if self.bulk.after.is_some_and(|after| now < after) {
            return Ok(());
        }
        self.bulk.after = Some(now + NOT_AGAIN);
        if !self.is_long().await.unwrap_or(false) {
            return Ok(());
        }
        let wish = Wish {
            queue: self.queue.clone(),
            what: ChangeRequest::Transfer,
            which: EntryChoice::Due,
            profile: None,
        };
        let Ok(prepared) = plan(&self.store, wish, |_| {}).await else {
            return Ok(());
        };
        if prepared.plan.way == Way::InOrder {
            return Ok(());
        }
        let mut applying = apply(&self.writer, &journal, prepared, Limits::default());
        let done = self.follow(&mut applying, stopped).await?;
        if done {
            self.bulk.after = None;
        }
        Ok(())
    }

    /// Tells whether more than a few are late.
    async fn is_long(&self) -> Result<bool, StoreError> {
        let Some(clock) = self.store.clock() else {
            return Ok(false);
        };
        let now = self.queue.score(clock.now());
        let timeouts = self.queue.keys().timeouts;
        let late = read::count_between(&self.store, &timeouts, 0.0, now).await?;
        Ok(late > MOST_LATE_ONE_BY_ONE)
    }

    /// Tells what it does until it is over, whatever stops it: what it has set aside is back then.
    /// Whether it moved something.
    async fn follow(
        &mut self,
        applying: &mut RunningChange,
        stopped: &mut oneshot::Receiver<()>,
    ) -> Result<bool, WorkEnd> {
        let mut stopping = false;
        let mut any = false;
        loop {
            let told = tokio::select! {
                _ = &mut *stopped, if !stopping => {
                    stopping = true;
                    applying.order(Order::Stop);
                    continue;
                }
                told = applying.next() => told,
            };
            match told {
                Some(ChangeEvent::Results(results)) => any |= self.moved_in_bulk(&results).await?,
                // It gets over it by itself.
                Some(ChangeEvent::Trouble(_)) => {
                    if let Err(why) = self.store.ready(PAUSE.0).await {
                        self.failed(why).await?;
                    }
                }
                Some(ChangeEvent::Begun(_) | ChangeEvent::Progress(_)) => {}
                Some(ChangeEvent::Failed(why)) => self.say(WorkerEvent::Remark(why)).await?,
                Some(ChangeEvent::Ended(summary)) => self.ended_in_bulk(summary).await?,
                None if stopping => return Err(WorkEnd),
                None => return Ok(any),
            }
        }
    }

    /// Tells what is not known of it, and what it leaves to be done.
    async fn ended_in_bulk(&mut self, summary: Summary) -> Result<(), WorkEnd> {
        let unknown = summary.tally.get(Outcome::Unknown);
        if unknown > 0 {
            self.say(WorkerEvent::Unknown(unknown)).await?;
        }
        for note in summary.notes {
            self.say(WorkerEvent::Remark(note)).await?;
        }
        if unknown > 0
            && let Some(id) = summary.journal_id
        {
            let ours = redis_cli::ours(self.store.endpoint());
            let back = format!("What was moved in bulk is taken back by `{ours} undo {id}`.");
            self.say(WorkerEvent::Remark(back)).await?;
        }
        Ok(())
    }

    async fn moved_in_bulk(&mut self, results: &[EntryResult]) -> Result<bool, WorkEnd> {
        let of = |outcome| {
            let of = move |result: &&EntryResult| result.outcome == outcome;
            results.iter().filter(of).map(|result| result.id)
        };
        let mut skipped = 0;
        for id in of(Outcome::Undecodable) {
            skipped += usize::from(self.pass_one_over(id, SkipReason::NoFrame).await?);
        }
        let ids: Vec<_> = of(Outcome::Done).collect();
        let moved = ids.len();
        if moved > 0 {
            self.succeeded().await?;
        }
        if moved + skipped > 0 {
            let at = self.store.clock().map(|clock| clock.now());
            let batch = Batch {
                at: at.unwrap_or_default(),
                moved,
                skipped,
                next_due: at,
                late_ms: Vec::new(),
                ids,
                took: Duration::ZERO,
            };
            self.say(WorkerEvent::Batch(batch)).await?;
        }
        Ok(moved > 0)
    }
}
