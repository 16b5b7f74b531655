//! The plan of a change, which says what it would do: the entries chosen, counted and costed, and
//! nothing written.

mod choose;
mod cost;
pub(super) mod deed;
pub(super) mod describe;
pub(super) mod make;
mod quarantine;
pub(super) mod repair;
pub(in crate::ops) mod then;
pub(in crate::ops) mod whole;
mod words;
pub(super) mod work;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use self::then::ServerThen;
use self::work::Job;
use super::apply::Limits;
use super::bulk::estimate::EstimateBasis;
use super::entries::{EntryPlace, Selection};
use super::journal::JournalError;
pub use crate::queue::change::{Base, ChangeRequest, NewDue};
use crate::queue::plan::Progress;
use crate::queue::{Change, Entry, EntryResult, Outcome, Plan, Queue, Tally};
use crate::store::{Store, StoreError};

/// The wait for a link that has not been live yet, or hangs.
pub(super) const READY: Duration = Duration::from_secs(5);
/// The time for which each read is asked again that a server refuses which is busy with a script.
pub(super) const BUSY: Duration = Duration::from_secs(5);

/// A change that somebody wants.
#[derive(Clone, Debug)]
pub struct Wish {
    /// The queue that it changes.
    pub queue: Queue,
    /// The kind of change.
    pub what: ChangeRequest,
    /// The entries that it changes; a change of the whole queue does not look at it.
    pub which: EntryChoice,
    /// The profile in use, by name: the plan says it.
    pub profile: Option<String>,
}

/// A choice of entries.
#[derive(Clone)]
pub enum EntryChoice {
    /// Everything due when the plan is made.
    Due,
    /// Named entries, as they were seen.
    These(Vec<Entry>),
    /// Entries that a selection lets through.
    Selected(Selection),
    /// Entries of one place for which this holds: marks on the screen.
    Where(EntryPlace, Arc<dyn Fn(&Entry) -> bool + Send + Sync>),
    /// A selection of which only a number of equal elements of target is meant: nobody can tell
    /// them apart.
    Counted(Box<Self>, HashMap<Vec<u8>, Copies>),
    /// A selection without the first of the entries that have equal payloads.
    ButOne(Box<Self>),
}

/// A number of equal elements of target.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Copies {
    /// This number of them.
    Only(u64),
    /// All but so many.
    Without(u64),
}

impl fmt::Debug for EntryChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Due => f.write_str("Due"),
            Self::These(entries) => f.debug_tuple("These").field(&entries.len()).finish(),
            Self::Selected(selection) => f.debug_tuple("Selected").field(selection).finish(),
            Self::Where(from, _) => f.debug_tuple("Where").field(from).finish(),
            Self::Counted(which, copies) => f
                .debug_tuple("Counted")
                .field(which)
                .field(&copies.len())
                .finish(),
            Self::ButOne(which) => f.debug_tuple("ButOne").field(which).finish(),
        }
    }
}

/// The reason for which a change came to nothing.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ChangeError {
    /// The server did not answer or refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The journal could not be written or read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// There is nothing that it could change, in a full sentence.
    #[error("{0}")]
    Nothing(String),
    /// It makes no sense, in a full sentence.
    #[error("{0}")]
    Senseless(String),
    /// There is nothing to repair but what only the order list holds, in a full sentence: people
    /// choose what becomes of that. Screen and command line say how, each in its own words.
    #[error("{0}")]
    OnlyStrays(String),
}

/// Says why a queue of this layout cannot be changed so: it has no `what`.
fn lacks(queue: &Queue, what: &str) -> ChangeError {
    let layout = queue.layout.word();
    ChangeError::Senseless(format!("a {layout} queue has no {what}"))
}

/// A change that is planned and can be applied.
#[derive(Debug)]
pub struct PreparedChange {
    /// The plan that people read.
    pub plan: Plan,
    /// The job that carries it out.
    pub(super) job: Job,
    /// Results of entries to which nothing can be done, as is known already; the plan counts them.
    pub(super) settled: Vec<EntryResult>,
    /// The change of the journal that it takes back.
    pub(super) undoes: Option<UndoneChange>,
    /// The server before the looking for it.
    pub(super) then: ServerThen,
    /// The estimates that its way and its cost follow from; empty where there is no choice.
    reckoned: Vec<EstimateBasis>,
    /// The warnings of the plan that belong to its way.
    of_way: Vec<String>,
    /// The longest time for which a script shall keep the server: for that the way was chosen.
    max_block: Duration,
}

impl PreparedChange {
    /// A change whose way and cost follow from `reckoned`; without it, they stand in the plan. No
    /// script shall keep the server for longer than is usual.
    fn new(plan: Plan, job: Job, settled: Vec<EntryResult>, reckoned: Vec<EstimateBasis>) -> Self {
        let prepared = Self {
            plan,
            job,
            settled,
            undoes: None,
            then: ServerThen::default(),
            reckoned,
            of_way: Vec::new(),
            max_block: Duration::MAX,
        };
        prepared.within(Limits::default().max_block)
    }

    /// The same change where no script shall keep the server for longer than `max_block`: which way
    /// it goes, how many entries its first script takes and what the plan says of that all follow
    /// from it.
    #[must_use]
    pub fn within(mut self, max_block: Duration) -> Self {
        if self.max_block == max_block {
            return self;
        }
        self.max_block = max_block;
        cost::within(&mut self.plan, &self.reckoned, max_block);
        self.say_of_way();
        self
    }

    /// The same change where no more than so many entries go in a second: it takes as long, and so
    /// long its order list may be aside.
    #[must_use]
    pub fn paced(mut self, per_s: f64) -> Self {
        let plan = &mut self.plan;
        #[expect(clippy::cast_precision_loss, reason = "a time for reading")]
        let least = Duration::try_from_secs_f64(plan.planned as f64 / per_s);
        plan.cost.takes = plan.cost.takes.max(least.unwrap_or(Duration::MAX));
        self.say_of_way();
        self
    }

    fn say_of_way(&mut self) {
        let max_block = self.max_block;
        let plan = &mut self.plan;
        let old = std::mem::take(&mut self.of_way);
        plan.warnings.retain(|warning| !old.contains(warning));
        let why = self.reckoned.iter().find_map(|one| one.why_long(max_block));
        self.of_way = words::of_way(plan, max_block, why);
        plan.warnings.extend(self.of_way.iter().cloned());
    }
}

/// A change of the journal that is taken back.
#[derive(Clone, Debug)]
pub(super) struct UndoneChange {
    /// Its id.
    pub(super) id: String,
    /// Attempts to take it back that the journal knew of when the plan was made, and so does the
    /// plan.
    pub(super) attempts: usize,
    /// Entries that were perhaps changed, of which it is not known which they are.
    pub(super) unknown: u64,
    /// Remarks on that for the end, a sentence each.
    pub(super) notes: Vec<String>,
}

/// Plans a change. `tell` hears how far the looking is. Dropping the future ends it.
pub async fn plan(
    store: &Store,
    wish: Wish,
    tell: impl Fn(Progress) + Send + Sync,
) -> Result<PreparedChange, ChangeError> {
    let store = store.along_with(&wish.queue).patient(BUSY);
    store.ready(READY).await?;
    let then = ServerThen::look(&store).await;
    let prepared = Box::pin(prepared(&store, wish, &tell)).await?;
    Ok(PreparedChange { then, ..prepared })
}

async fn prepared(
    store: &Store,
    wish: Wish,
    tell: &impl LookObserver,
) -> Result<PreparedChange, ChangeError> {
    if !wish.queue.may_change() {
        let layout = wish.queue.layout.word();
        return Err(ChangeError::Senseless(format!(
            "a {layout} queue is only looked at: nothing in it can be changed"
        )));
    }
    let now = store.ready(READY).await?.now();
    match (&wish.what, &wish.which) {
        (ChangeRequest::Transfer, EntryChoice::Due) => Box::pin(whole::due(store, wish, now)).await,
        (
            ChangeRequest::Kick
            | ChangeRequest::Realign(_)
            | ChangeRequest::RestoreOrder
            | ChangeRequest::Drift,
            _,
        ) => whole::of_queue(store, wish, now, tell).await,
        _ => {
            let making = make::PlanContext {
                store,
                queue: &wish.queue,
                now,
            };
            let repair = repair::make(&making, &wish.what, tell).await?;
            let made = if let Some(made) = repair {
                made
            } else {
                let which = match (&wish.what, wish.which) {
                    (ChangeRequest::Repack(_), EntryChoice::Due) => {
                        EntryChoice::Selected(Selection::default())
                    }
                    (ChangeRequest::Quarantine | ChangeRequest::Restore, EntryChoice::Due) => {
                        quarantine::all(&wish.queue, &wish.what)?
                    }
                    (_, which) => which,
                };
                let found = choose::choose(store, &wish.queue, which, tell).await?;
                making.make(&wish.what, found).await?
            };
            make::prepared(&making, wish.what, wish.profile, made).await
        }
    }
}

/// An observer of how far the looking is.
trait LookObserver: Send + Sync {
    /// Hears that so many were looked at, of so many.
    fn looked(&self, looked: u64, of: u64);
}

impl<F: Fn(Progress) + Send + Sync> LookObserver for F {
    fn looked(&self, looked: u64, of: u64) {
        let mut tally = Tally::default();
        tally.add(Outcome::Done, looked);
        self(Progress {
            phase: "counting",
            tally,
            planned: of,
            back: None,
            per_s: 0.0,
            left: None,
            longest_block: Duration::ZERO,
            waits: None,
        });
    }
}

/// A plan in which everything is still to be said.
pub(super) fn blank(
    store: &Store,
    queue: &Queue,
    change: Change,
    now: crate::clock::EpochMillis,
) -> Plan {
    Plan::new(change, queue, store.endpoint().to_string(), now)
}
