//! A change under way: what it has, what it tells, how it begins and ends.

use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};

use super::batch::Fated;
use super::brake::Replicas;
use super::kick::Stuck;
use super::pace::{Meter, Pace};
use super::{Applied, Limits, Order};
use crate::clock::{EpochMillis, instant, local_now};
use crate::ops::journal::{Happened, Head, Item, Journal, JournalError, Record, ServerId};
use crate::ops::plan::Prepared;
use crate::ops::plan::work::Job;
use crate::queue::plan::{Progress, Way};
use crate::queue::{EntryId, EntryResult, Outcome, Plan, Queue, Summary, Tally};
use crate::store::StoreError;
use crate::store::write::Writer;

/// Progress is told no more often.
const TOLD: Duration = Duration::from_millis(50);
/// So many results are told at once at most.
const RESULTS: usize = 1_000;

/// Why a change ends before all is done.
#[derive(Debug)]
pub(super) enum Halt {
    /// It was told to.
    Stopped,
    /// It cannot go on, in a full sentence.
    Failed(String),
}

impl From<JournalError> for Halt {
    fn from(error: JournalError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<StoreError> for Halt {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.to_string())
    }
}

/// How a part of a change ends.
pub(super) type Ended = Result<(), Halt>;

/// What became of an entry.
pub(super) struct Fate {
    /// Which item of the journal it is; none when it is none.
    pub(super) item: Option<u64>,
    pub(super) id: EntryId,
    pub(super) fated: Fated,
}

/// How far the order list is on its way back.
#[derive(Clone, Copy)]
pub(super) struct Back {
    /// So many elements were looked at, of so many.
    pub(super) elements: (u64, u64),
    /// How fast entries went before.
    pub(super) per_s: f64,
    /// How long it still takes.
    pub(super) left: Option<Duration>,
}

/// A change under way.
pub(super) struct Run {
    pub(super) writer: Writer,
    pub(super) queue: Queue,
    pub(super) limits: Limits,
    pub(super) order: watch::Receiver<Order>,
    pub(super) pace: Pace,
    pub(super) meter: Meter,
    /// What it is written down in, from its begin to its end.
    pub(super) record: Option<Record>,
    /// How many items that record holds.
    pub(super) intended: u64,
    /// What is being done now.
    pub(super) phase: &'static str,
    pub(super) tally: Tally,
    pub(super) planned: u64,
    tell: mpsc::Sender<Applied>,
    told: Option<Instant>,
    pub(super) longest: Duration,
    began: Instant,
    pub(super) replicas: Replicas,
    /// The order list is set aside, by this change.
    pub(super) aside: bool,
    /// While it is brought back: how far that is.
    pub(super) back: Option<Back>,
    /// In which way it goes.
    pub(super) way: Way,
    /// How many listened to a kick.
    pub(super) listening: Option<u64>,
    /// What was stuck before it kicked.
    pub(super) kicked: Option<Stuck>,
    /// Whether the kick has set that going.
    pub(super) helped: Option<bool>,
    pub(super) notes: Vec<String>,
}

impl Run {
    pub(super) fn new(
        writer: Writer,
        limits: Limits,
        plan: &Plan,
        tell: mpsc::Sender<Applied>,
        order: watch::Receiver<Order>,
    ) -> Self {
        let began = instant();
        Self {
            writer,
            queue: plan.queue.clone(),
            pace: Pace::new(&limits),
            meter: Meter::new(&limits, began),
            limits,
            order,
            record: None,
            intended: 0,
            phase: "beginning",
            tally: Tally::default(),
            planned: plan.planned,
            tell,
            told: None,
            longest: Duration::ZERO,
            began,
            replicas: Replicas::default(),
            aside: false,
            back: None,
            way: plan.way,
            listening: None,
            kicked: None,
            helped: None,
            notes: Vec::new(),
        }
    }

    /// Does it all.
    pub(super) async fn apply(mut self, journal: Journal, prepared: Prepared) {
        let Prepared {
            plan,
            job,
            settled,
            undoes,
        } = prepared;
        let head = Head {
            change: plan.change,
            queue: plan.queue.spec(),
            server: ServerId::told(self.writer.store()).await,
            planned: plan.planned,
            bound: match job {
                Job::Due { bound, .. } => Some(bound),
                _ => None,
            },
            undoes: undoes.as_ref().map(|undone| undone.id.clone()),
            bytes: plan.cost.journal_bytes,
        };
        let attempts = undoes.map(|undone| undone.attempts);
        match journal.begin_after(head, attempts).await {
            Ok(record) => self.record = Some(record),
            Err(error) => return self.say(Applied::Failed(error.to_string())).await,
        }
        let id = self.record.as_ref().map(|record| record.id().to_owned());
        self.say(Applied::Begun(id.clone())).await;
        self.began = instant();
        self.results(settled).await;
        let ended = self.job(job).await;
        self.wake(plan.change).await;
        self.end(&plan, id, ended).await;
    }

    async fn job(&mut self, job: Job) -> Ended {
        match job {
            Job::Entries(work) => self.entries(work).await,
            Job::Due { bound, unnamed } => self.due(bound, unnamed).await,
            Job::Kick => self.kick().await,
            Job::Realign(members) => self.realign(members).await,
            Job::RestoreOrder => self.restore_order().await,
            Job::Drift(drift) => self.drift(drift).await,
        }
    }

    /// Writes down how it ended, and tells it.
    async fn end(mut self, plan: &Plan, id: Option<String>, ended: Ended) {
        // What nobody told anything about was not attempted.
        let left = self.planned.saturating_sub(self.tally.sum());
        self.tally.add(Outcome::Left, left);
        self.progress(None, true).await;
        if let Err(Halt::Failed(why)) = ended {
            self.say(Applied::Failed(why)).await;
        }
        if let Some(record) = self.record.take()
            && let Err(error) = record.end(self.tally).await
        {
            self.notes.push(error.to_string());
        }
        let elapsed = instant().saturating_duration_since(self.began);
        self.see_whether_it_helps().await;
        let summary = Summary {
            change: plan.change,
            queue: plan.queue.clone(),
            tally: self.tally,
            journal_id: id,
            elapsed,
            longest_block: self.longest,
            listening: self.listening,
            helped: self.helped,
            notes: std::mem::take(&mut self.notes),
        };
        self.say(Applied::Ended(summary)).await;
    }

    /// The server's time, as far as it is known.
    pub(super) fn now(&self) -> EpochMillis {
        let clock = self.writer.store().clock();
        clock.map_or_else(local_now, |clock| clock.now())
    }

    /// Tells it, if somebody listens still; waits until there is room.
    pub(super) async fn say(&self, told: Applied) {
        let _ = self.tell.send(told).await;
    }

    /// Whether it shall end.
    pub(super) fn is_stopped(&self) -> bool {
        *self.order.borrow() == Order::Stop || self.tell.is_closed()
    }

    /// Comes back when somebody gives another order, or stops listening, or after so long.
    pub(super) async fn pause(&mut self, most: Duration) {
        tokio::select! {
            changed = self.order.changed() => {
                if changed.is_err() {
                    self.tell.closed().await;
                }
            }
            () = self.tell.closed() => {}
            () = tokio::time::sleep(most) => {}
        }
    }

    /// Tells how far it is; at most 20 times a second, unless it is `now`.
    pub(super) async fn progress(&mut self, waits: Option<String>, now: bool) {
        let at = instant();
        let fresh = self
            .told
            .is_some_and(|told| at.saturating_duration_since(told) < TOLD);
        if fresh && !now {
            return;
        }
        self.told = Some(at);
        let (per_s, left) = if let Some(back) = self.back {
            (back.per_s, back.left)
        } else {
            let per_s = self.meter.per_s(at);
            let rest = self.planned.saturating_sub(self.tally.sum());
            #[expect(clippy::cast_precision_loss, reason = "it is for people")]
            let left = Duration::try_from_secs_f64(rest as f64 / per_s).ok();
            (per_s, left)
        };
        self.say(Applied::Progress(Progress {
            phase: self.phase,
            tally: self.tally,
            planned: self.planned,
            back: self.back.map(|back| back.elements),
            per_s,
            left,
            longest_block: self.longest,
            waits,
        }))
        .await;
    }

    /// A script kept the server for so long, for so many entries.
    pub(super) fn took(&mut self, entries: usize, took: Duration) {
        self.longest = self.longest.max(took);
        self.pace.had(entries, took);
        self.meter.went(entries, instant());
    }

    /// Counts and tells what became of entries.
    pub(super) async fn results(&mut self, mut results: Vec<EntryResult>) {
        for result in &results {
            self.tally.add(result.outcome, 1);
        }
        while !results.is_empty() {
            let rest = results.split_off(results.len().min(RESULTS));
            self.say(Applied::Results(results)).await;
            results = rest;
        }
    }

    /// Counts, tells and writes down what became of entries, whose intents are in the journal.
    pub(super) async fn happened(&mut self, fates: Vec<Fate>) -> Ended {
        let mut happened = Vec::with_capacity(fates.len());
        let mut results = Vec::with_capacity(fates.len());
        for Fate { item, id, fated } in fates {
            let Fated {
                outcome,
                reason,
                stood,
            } = fated;
            happened.extend(item.map(|index| Happened {
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
        self.results(results).await;
        match &mut self.record {
            Some(record) if !happened.is_empty() => Ok(record.happened(happened).await?),
            _ => Ok(()),
        }
    }

    /// Writes down what is about to be tried.
    pub(super) async fn intend(&mut self, items: Vec<Item>) -> Ended {
        let count = u64::try_from(items.len()).unwrap_or(0);
        if let Some(record) = &mut self.record
            && count > 0
        {
            record.intend(items).await?;
            self.intended += count;
        }
        Ok(())
    }

    /// Writes down that what was intended from item `from` on was not attempted.
    pub(super) async fn leave_from(&mut self, from: u64) {
        let left = (from..self.intended).map(|index| Happened {
            index,
            outcome: Outcome::Left,
            stood: None,
        });
        let left: Vec<_> = left.collect();
        // That nothing is known of them says nearly the same.
        if let Some(record) = &mut self.record
            && let Err(error) = record.happened(left).await
        {
            self.notes.push(error.to_string());
        }
    }
}
