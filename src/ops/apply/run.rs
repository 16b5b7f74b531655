//! A change under way: what it has, what it tells, how it begins and ends.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::batch::EntryFate;
use super::kick::StuckEntries;
use super::ledger::Ledger;
use super::lost::StateBefore;
use super::pace::{EntryPace, ScriptPace};
use super::refused::RefusedWrites;
use super::unheard::UnheardTeller;
use super::{ChangeEvent, Limits, Order};
use crate::clock::{EpochMillis, instant, local_now};
use crate::ops::journal::{Journal, JournalError, JournalHead, JournalRecord, ServerId};
use crate::ops::panics::caught;
use crate::ops::plan::PreparedChange;
use crate::ops::plan::work::Job;
use crate::queue::plan::{Progress, Way};
use crate::queue::{EntryId, EntryResult, Outcome, Plan, Queue, Summary, Tally, text};
use crate::store::StoreError;
use crate::store::write::Writer;

/// The shortest time between two words of progress.
const TOLD: Duration = Duration::from_millis(50);
/// Results that are told at once, at most.
const RESULTS: usize = 1_000;

/// The reason for which a change ends before all is done.
#[derive(Debug)]
pub(super) enum Halt {
    /// The order to stop.
    Stopped,
    /// A failure, in a full sentence.
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

/// The end of a part of a change.
pub(super) type PartEnd = Result<(), Halt>;

/// The fate of an entry.
pub(super) struct ItemFate {
    /// Its item in the journal; none where it is not written down.
    pub(super) item: Option<u64>,
    pub(super) id: EntryId,
    pub(super) fated: EntryFate,
}

/// The progress of the order list on its way back.
#[derive(Clone, Copy)]
pub(super) struct ListReturn {
    /// Elements looked at so far, and all of them.
    pub(super) elements: (u64, u64),
    /// Entries a second that went before.
    pub(super) per_s: f64,
    /// The time that it still takes.
    pub(super) left: Option<Duration>,
}

/// A change under way.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says something of its own"
)]
pub(super) struct Run {
    pub(super) writer: Writer,
    pub(super) queue: Queue,
    pub(super) limits: Limits,
    pub(super) order: watch::Receiver<Order>,
    pub(super) pace: ScriptPace,
    /// Elements of the order list that are thought to be cheap enough for the first script in which
    /// they go round, come back or change their places.
    pub(super) elements: usize,
    pub(super) meter: EntryPace,
    /// The journal, from its begin on.
    pub(super) journal: Option<Journal>,
    /// The journal's record of it, from its begin to its end.
    pub(super) record: Option<JournalRecord>,
    /// Items in that record.
    pub(super) intended: u64,
    /// The words for what is being done now.
    pub(super) phase: &'static str,
    pub(super) tally: Tally,
    pub(super) planned: u64,
    /// Entries that stand in their places, of a way that has results of none before its end.
    pub(super) placed: usize,
    pub(super) tell: Arc<UnheardTeller>,
    told: Option<Instant>,
    pub(super) longest: Duration,
    began: Instant,
    /// The moment of the last look at the replicas at which none was far behind.
    pub(super) replicas_at: Option<Instant>,
    /// The part that a failover would take back.
    pub(super) ledger: Ledger,
    /// The writes that the server refuses just now.
    pub(super) refused: RefusedWrites,
    /// Entries that one has taken back, and that were done again or are left.
    pub(super) taken_back: u64,
    /// True while the order list is set aside by this change.
    pub(super) aside: bool,
    /// True while it is to be aside, also where it was brought back for a while.
    pub(super) wants_aside: bool,
    /// True once it was aside.
    pub(super) was_aside: bool,
    /// True while the order list goes round: that is finished, whoever reads of it.
    pub(super) goes_round: bool,
    /// The progress of the order list while it is brought back.
    pub(super) back: Option<ListReturn>,
    /// The way in which it goes.
    pub(super) way: Way,
    /// Copies beyond the first that left the order list with entries that stood there twice.
    pub(super) copies: u64,
    /// Clients that listened to a kick.
    pub(super) listening: Option<u64>,
    /// The late entries before it kicked.
    pub(super) kicked: Option<StuckEntries>,
    /// The late entries when the clients were woken after a repair.
    pub(super) woken: Option<StuckEntries>,
    /// True once the kick has set that going.
    pub(super) helped: Option<bool>,
    pub(super) notes: Vec<String>,
    /// The server on which it began.
    pub(super) server: ServerId,
    /// The state of the server and the queue before its first script.
    pub(super) at_first: StateBefore,
    /// The items of a transaction whose answer never came, and that may yet reach the server.
    pub(super) underway: Option<Range<u64>>,
    /// True once a script has ended in the middle, or answered what makes no sense.
    halfway: bool,
}

impl Run {
    pub(super) fn new(
        writer: Writer,
        limits: Limits,
        plan: &Plan,
        tell: Arc<UnheardTeller>,
        order: watch::Receiver<Order>,
    ) -> Self {
        let began = instant();
        Self {
            writer,
            queue: plan.queue.clone(),
            pace: ScriptPace::new(&limits, plan.cost.entries_within(limits.max_block)),
            elements: plan.cost.elements_within(limits.max_block),
            meter: EntryPace::new(&limits, began),
            limits,
            order,
            journal: None,
            record: None,
            intended: 0,
            phase: "beginning",
            tally: Tally::default(),
            planned: plan.planned,
            placed: 0,
            tell,
            told: None,
            longest: Duration::ZERO,
            began,
            replicas_at: None,
            ledger: Ledger::default(),
            refused: RefusedWrites::default(),
            taken_back: 0,
            aside: false,
            wants_aside: false,
            was_aside: false,
            goes_round: false,
            back: None,
            way: plan.way,
            copies: 0,
            listening: None,
            kicked: None,
            woken: None,
            helped: None,
            notes: Vec::new(),
            server: ServerId::default(),
            at_first: StateBefore::default(),
            underway: None,
            halfway: false,
        }
    }

    /// Does the whole job.
    pub(super) async fn apply(mut self, journal: Journal, prepared: PreparedChange) {
        let PreparedChange {
            plan,
            job,
            settled,
            undoes,
            then,
            ..
        } = prepared;
        self.at_first = StateBefore::since(then);
        let server = ServerId::told(self.writer.store()).await;
        self.server.clone_from(&server);
        let head = JournalHead {
            change: plan.change,
            queue: plan.queue.spec(),
            server,
            planned: plan.planned,
            bound: match job {
                Job::Due { bound, .. } => Some(bound),
                _ => None,
            },
            undoes: undoes.as_ref().map(|undone| undone.id.clone()),
            bytes: plan.cost.journal_bytes,
        };
        let attempts = undoes.as_ref().map(|undone| undone.attempts);
        if let Some(undone) = undoes {
            // Nobody knows which these are, so that none of them is taken back.
            self.tally.add(Outcome::Refused, undone.unknown);
            self.notes.extend(undone.notes);
        }
        match journal.begin_after(head, attempts).await {
            Ok(record) => self.record = Some(record),
            Err(error) => return self.say(ChangeEvent::Failed(error.to_string())),
        }
        self.journal = Some(journal);
        let id = self.record.as_ref().map(|record| record.id().to_owned());
        self.say(ChangeEvent::Begun(id.clone()));
        self.began = instant();
        self.results(settled);
        let before = self.before(plan.change).await;
        let ended = caught(self.job(job)).await;
        self.ended(&plan, id, ended, before).await;
    }

    /// Ends as the job ended. One that panicked has failed like any other: what it has set aside
    /// comes back.
    async fn ended(
        mut self,
        plan: &Plan,
        id: Option<String>,
        ended: Result<PartEnd, String>,
        before: Option<StuckEntries>,
    ) {
        let ended = ended.unwrap_or_else(|panic| {
            let last = "What its last script did may not be counted; the journal knows as much as \
                        is known of each entry.";
            Err(Halt::Failed(format!("{panic}. {last}")))
        });
        self.restored().await;
        self.wake(plan.change, before.as_ref()).await;
        self.end(plan, id, ended).await;
    }

    async fn job(&mut self, job: Job) -> PartEnd {
        match job {
            Job::Entries(work) => {
                self.look_before().await;
                self.entries(work).await
            }
            Job::Due {
                bound,
                unnamed,
                largest,
            } => self.due(bound, unnamed, largest).await,
            Job::Kick => self.kick().await,
            Job::Realign(members) => {
                self.look_before().await;
                self.realign(members).await
            }
            Job::RestoreOrder => {
                let ended = self.restore_order().await;
                self.told_to_repeat().await;
                ended
            }
            Job::Drift(drift) => {
                self.look_before().await;
                let ended = self.drift(drift).await;
                self.told_to_repeat().await;
                ended
            }
        }
    }

    /// Writes down how it ended, and tells it.
    async fn end(mut self, plan: &Plan, id: Option<String>, ended: PartEnd) {
        // Entries without an outcome were not attempted.
        let left = self.planned.saturating_sub(self.tally.sum());
        let left = self.came(left, "it may reach the server yet");
        self.tally.add(Outcome::Left, left);
        self.progress(None, true);
        if let Err(Halt::Failed(why)) = ended {
            self.say(ChangeEvent::Failed(why));
        }
        if let Some(record) = self.record.take()
            && let Err(error) = record.end_on(self.tally, self.moved_to()).await
        {
            self.notes.push(error.to_string());
        }
        self.notes.extend(copied(self.copies));
        let elapsed = instant().saturating_duration_since(self.began);
        self.writer.ask_for_replication(false);
        let befell = match self.outlasted() {
            None => self.restarted().await,
            outlasted => outlasted,
        };
        self.notes.extend(befell);
        let aside = self.still_aside().await;
        self.notes.extend(aside);
        self.see_whether_it_helps().await;
        self.see_whether_it_is_cured().await;
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
        self.say(ChangeEvent::Ended(summary));
    }

    /// The server's time, as far as it is known.
    pub(super) fn now(&self) -> EpochMillis {
        let clock = self.writer.store().clock();
        clock.map_or_else(local_now, |clock| clock.now())
    }

    /// Tells it, if somebody listens still; never waits.
    pub(super) fn say(&self, told: ChangeEvent) {
        self.tell.say(told);
    }

    /// True when it shall end.
    pub(super) fn is_stopped(&self) -> bool {
        *self.order.borrow() == Order::Stop || self.tell.is_closed()
    }

    /// Waits until somebody gives another order, has heard enough or stops listening, or for so
    /// long.
    pub(super) async fn pause(&mut self, most: Duration) {
        tokio::select! {
            changed = self.order.changed() => {
                if changed.is_err() {
                    self.tell.heard().await;
                }
            }
            () = self.tell.heard() => {}
            () = tokio::time::sleep(most) => {}
        }
    }

    /// Tells how far it is; at most 20 times a second, unless it is `now`.
    pub(super) fn progress(&mut self, waits: Option<String>, now: bool) {
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
            let placed = u64::try_from(self.placed).unwrap_or(u64::MAX);
            let rest = self.planned.saturating_sub(self.tally.sum().max(placed));
            #[expect(clippy::cast_precision_loss, reason = "it is for people")]
            let left = Duration::try_from_secs_f64(rest as f64 / per_s).ok();
            (per_s, left)
        };
        self.say(ChangeEvent::Progress(Progress {
            phase: self.phase,
            tally: self.tally,
            planned: self.planned,
            back: self.back.map(|back| back.elements),
            per_s,
            left,
            longest_block: self.longest,
            waits,
        }));
    }

    /// Learns that a script kept the server for so long, for so many entries. What could not be
    /// measured says nothing of the next one.
    pub(super) fn took(&mut self, entries: usize, took: Option<Duration>) {
        self.looked(entries, entries, took);
    }

    /// Learns the same of a script that looked at more entries than it changed.
    pub(super) fn looked(&mut self, entries: usize, changed: usize, took: Option<Duration>) {
        if changed > 0 {
            self.refused = RefusedWrites::default();
        }
        if let Some(took) = took {
            self.longest = self.longest.max(took);
            self.pace.had(entries, took);
        }
        self.meter.went(changed, instant());
    }

    /// Makes an error the end of the change.
    pub(super) fn fails(&mut self, error: StoreError) -> Halt {
        self.halfway |= error.outcome_unknown();
        error.into()
    }

    /// The outcome of entries of which no script has told anything: they were not attempted, unless
    /// one has ended in the middle, which may have been theirs.
    pub(super) const fn without_result(&self) -> Outcome {
        if self.halfway {
            Outcome::Unknown
        } else {
            Outcome::Left
        }
    }

    /// Counts and tells what became of entries.
    pub(super) fn results(&mut self, mut results: Vec<EntryResult>) {
        for result in &results {
            self.tally.add(result.outcome, 1);
        }
        while !results.is_empty() {
            let rest = results.split_off(results.len().min(RESULTS));
            self.say(ChangeEvent::Results(results));
            results = rest;
        }
    }
}

/// A sentence that entries stood in the order list more than once.
fn copied(copies: u64) -> Option<String> {
    let more = text::counted(copies, "more copy", "more copies");
    (copies > 0).then(|| {
        format!(
            "The order list held {more} of these entries, as clients of Redisson up to 3.16.3 leave \
             them when they repeat an offer. None is left there; an undo puts each entry back once."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::apply::unheard::line;
    use crate::queue::via::Via;
    use crate::queue::{Address, Change, Endpoint};
    use crate::store::{Access, Store};

    #[tokio::test]
    async fn a_panic_is_told_with_the_command_that_brings_the_order_list_back() {
        let endpoint = Endpoint {
            address: Address::Unix("/nowhere".into()),
            db: 0,
            user: None,
            password: None,
            tls: None,
            via: Via::default(),
            profile: None,
        };
        let store = Store::open(endpoint, Access::ReadWrite);
        // Of this one nothing can be brought back, and nobody need be asked for that.
        let queue: Queue = "zset-list:delay,ready".parse().unwrap();
        let mut plan = Plan::new(Change::Deliver, &queue, String::new(), local_now());
        plan.planned = 3;
        let (teller, mut told) = line(1 << 20);
        let (_go, orders) = watch::channel(Order::Go);
        let writer = store.writer().unwrap();
        let mut run = Run::new(writer, Limits::default(), &plan, Arc::new(teller), orders);
        run.aside = true;
        let job = async { panic!("a {} broke", "thing") };
        let ended = caught(job).await;
        run.ended(&plan, None, ended, None).await;
        let (mut failed, mut last) = (String::new(), None);
        while let Some(word) = told.next().await {
            match word {
                ChangeEvent::Failed(why) => failed = why,
                ChangeEvent::Ended(summary) => last = Some(summary),
                _ => {}
            }
        }
        assert!(failed.contains("a thing broke"), "{failed}");
        let last = last.unwrap();
        assert_eq!(last.tally.get(Outcome::Left), 3);
        let repair = "repair zset-list:delay,ready,s,left --restore-order";
        assert!(last.notes[0].contains(repair), "{:?}", last.notes);
    }
}
