//! A change in two steps: the plan of what would happen, then what became of each entry.
//!
//! Filled by `ops`, shown by `cli` and `tui`. The words here are those of screens and JSON.

use super::change::Change;

use std::time::Duration;

use super::entry::{Due, EntryId};
use super::layout::Queue;
use super::text;
use crate::clock::EpochMillis;

/// The fate of an entry in a change. Those of all entries of a change add up to what was planned.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Outcome {
    /// Done.
    Done,
    /// It was no longer there: transferred, consumed or deleted meanwhile.
    Gone,
    /// It had another score than planned: somebody requeued it meanwhile.
    Changed,
    /// It is no frame, so that its payload cannot be taken out.
    Undecodable,
    /// It was not done, for a reason that its result tells.
    Refused,
    /// The answer never came, and reading again did not tell either.
    Unknown,
    /// Not attempted, after a stop.
    Left,
}

impl Outcome {
    /// All of them, in the order in which they are listed to people.
    pub const ALL: [Self; 7] = [
        Self::Done,
        Self::Gone,
        Self::Changed,
        Self::Undecodable,
        Self::Refused,
        Self::Unknown,
        Self::Left,
    ];

    /// The word for it in the journal and JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Gone => "gone",
            Self::Changed => "changed",
            Self::Undecodable => "undecodable",
            Self::Refused => "refused",
            Self::Unknown => "unknown",
            Self::Left => "left",
        }
    }
}

/// The outcome of one entry.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct EntryResult {
    /// Its id.
    pub id: EntryId,
    /// Its outcome.
    pub outcome: Outcome,
    /// The reason, where that says more than the outcome's word.
    pub reason: Option<String>,
}

/// The number of entries by outcome.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Tally([u64; 7]);

impl Tally {
    /// Returns the number of entries that had this outcome.
    #[must_use]
    pub const fn get(&self, outcome: Outcome) -> u64 {
        self.0[outcome as usize]
    }

    /// Adds so many with this outcome.
    pub const fn add(&mut self, outcome: Outcome, n: u64) {
        self.0[outcome as usize] += n;
    }

    /// Moves one from this outcome to another.
    pub const fn correct(&mut self, from: Outcome, to: Outcome) {
        self.0[from as usize] = self.0[from as usize].saturating_sub(1);
        self.0[to as usize] += 1;
    }

    /// Takes back that one had this outcome.
    pub const fn take_back(&mut self, outcome: Outcome) {
        self.0[outcome as usize] = self.0[outcome as usize].saturating_sub(1);
    }

    /// All of them.
    #[must_use]
    pub fn sum(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Tells whether every one was done.
    #[must_use]
    pub fn all_done(&self) -> bool {
        self.sum() == self.get(Outcome::Done)
    }
}

/// The way in which the order list is kept out of the way (see `ops::bulk`).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Way {
    /// Batch after batch; each entry leaves the order list by a walk from its head.
    InOrder,
    /// The chosen ones change places with what stands at the head, then batch after batch.
    Swap,
    /// The order list is renamed for the duration and brought back without what has left.
    SetAside,
    /// The order list goes round once, slice by slice, and the chosen ones drop out.
    Sweep,
}

impl Way {
    /// The method for people who want to know it; none where nothing is done to the order list
    /// beside the entries' leaving it.
    #[must_use]
    pub const fn method(self) -> Option<&'static str> {
        match self {
            Self::InOrder => None,
            Self::Swap => Some("move the entries to the head of the order list first"),
            Self::SetAside | Self::Sweep => Some("rebuild the order list"),
        }
    }

    /// The words for it in JSON.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::InOrder => "in order",
            Self::Swap => "swap to the head first",
            Self::SetAside => "order list set aside",
            Self::Sweep => "sweep of the order list",
        }
    }
}

/// The cost of a change, estimated.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Cost {
    /// The time for which its longest script keeps the server from others, at most.
    pub longest_block: Duration,
    /// The most that a single entry costs the server in a script.
    pub entry: Duration,
    /// The same of an element of the order list that goes round, comes back or changes its place.
    pub element: Duration,
    /// The time that it takes from begin to end.
    pub takes: Duration,
    /// Bytes that go to replicas and into the append-only file.
    pub replicated_bytes: u64,
    /// Bytes that the journal takes on this machine's disk.
    pub journal_bytes: u64,
}

impl Cost {
    /// Returns the number of entries that a script may take at first, so that it keeps the server
    /// no longer than `max_block`: one at least.
    #[must_use]
    pub fn entries_within(&self, max_block: Duration) -> usize {
        within(self.entry, max_block)
    }

    /// The same of elements of the order list.
    #[must_use]
    pub fn elements_within(&self, max_block: Duration) -> usize {
        within(self.element, max_block)
    }

    /// The time for which a single entry or element keeps the server, at most: nothing is in
    /// smaller parts than that.
    #[must_use]
    pub fn single(&self) -> Duration {
        self.entry.max(self.element)
    }
}

fn within(each: Duration, max_block: Duration) -> usize {
    let many = max_block.as_nanos() / each.as_nanos().max(1);
    usize::try_from(many).unwrap_or(usize::MAX).max(1)
}

/// A change that is planned. Nothing is written by making one.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The kind of change.
    pub change: Change,
    /// The queue that is to be changed.
    pub queue: Queue,
    /// The server, as the header shows it: `host:port/db`.
    pub server: String,
    /// The profile, when one is in use.
    pub profile: Option<String>,
    /// By the server's clock, when the plan was made.
    pub at: EpochMillis,
    /// Number of entries that it is about.
    pub planned: u64,
    /// Number of these that nothing is done about, as far as that is known before.
    pub left_alone: u64,
    /// The smallest due time among them; none when there is none (or they were delivered).
    pub oldest: Option<Due>,
    /// The largest due time among them.
    pub newest: Option<Due>,
    /// The due times that they would have then, smallest and largest: a requeue's.
    pub new_due: Option<(EpochMillis, EpochMillis)>,
    /// Number of entries in the place that these are taken from; none where the change is not about
    /// a part of them.
    pub of: Option<u64>,
    /// Number of entries of which they are copies, one of each of which stays; 0: they are no copies.
    pub copies_of: u64,
    /// The first few of them: what the dialog shows.
    pub first: Vec<EntryId>,
    /// Contents of these, a line each; those at the end of `first` that nothing is done to have
    /// none.
    pub says: Vec<String>,
    /// The way in which it would go.
    pub way: Way,
    /// Its cost.
    pub cost: Cost,
    /// Length of target now and afterwards, when the change alters it.
    pub target: Option<(u64, u64)>,
    /// The rate at which consumers take from target, when that was seen.
    pub consumed_per_s: Option<f64>,
    /// Warnings: what cannot be taken back, what others will not see
    /// meanwhile. A sentence each.
    pub warnings: Vec<String>,
    /// Entries that only the order list holds are left alone, as a warning says: people choose what
    /// becomes of them. Screen and command line say how, each in its own words.
    pub leaves_strays: bool,
    /// The id of the change of the journal that it takes back; none of what is no undo.
    pub undoes: Option<String>,
    /// The kind of that change.
    pub undone: Option<Change>,
    /// The work as redis-cli commands for a single entry, else the scripts in words.
    pub commands: Vec<String>,
}

impl Plan {
    /// The first entry by what it says and its id: see [`Plan::named`].
    #[must_use]
    pub fn first_named(&self) -> Option<String> {
        /// Columns of what it says.
        const SAID: usize = 40;
        self.named(0, SAID)
    }

    /// The entry that it is about, where it is one and no other: what is due is transferred by its
    /// number, whichever that is by then.
    #[must_use]
    pub fn the_entry(&self) -> Option<String> {
        let is_one = self.planned == 1 && self.change != Change::Transfer;
        self.first_named().filter(|_| is_one)
    }

    /// One of the first entries by what it says, in at most so many columns, and its id,
    /// `{"orderId":1} (9f3c…)`; by its id alone where its bytes are not known, as those that an undo
    /// puts back.
    #[must_use]
    pub fn named(&self, n: usize, columns: usize) -> Option<String> {
        let id = self.first.get(n)?;
        let said = self.says.get(n).filter(|said| !said.is_empty());
        Some(match said {
            Some(said) => format!("{} ({id})", text::cut(said, columns)),
            None => id.to_string(),
        })
    }

    /// The warning of what is delivered: consumers may take it. Where a line tells how it is undone,
    /// that line says so instead.
    pub const CONSUMED: &str =
        "What a consumer has taken by then cannot be taken back: undo lists it.";

    /// The warning of entries that only the order list holds and that wait again.
    pub const HAD_NO_DUE_TIME: &str =
        "This cannot be undone: what only the order list held had no due time before.";
    /// The warning of those that are transferred.
    pub const MAY_COME_TWICE: &str = "Entries that only the order list holds may have been \
        delivered before: then consumers get them twice. The transfer cannot be undone.";

    /// Undo can take it back: its kind of change can be, and no warning says that this one cannot.
    #[must_use]
    pub fn can_be_undone(&self) -> bool {
        let for_good = [Self::HAD_NO_DUE_TIME, Self::MAY_COME_TWICE];
        let mut warnings = self.warnings.iter();
        self.change.can_be_undone() && !warnings.any(|words| for_good.contains(&words.as_str()))
    }

    /// Counts the entries that something is done about; where that is none, all that it is about.
    #[must_use]
    pub const fn done_about(&self) -> u64 {
        match self.planned.saturating_sub(self.left_alone) {
            0 => self.planned,
            some => some,
        }
    }

    /// Undo brings back all but what consumers have taken by then.
    #[must_use]
    pub fn may_be_consumed(&self) -> bool {
        self.warnings.iter().any(|words| words == Self::CONSUMED)
    }

    /// The warnings, but for the one that the line about undo tells.
    pub fn notes(&self) -> impl Iterator<Item = &String> {
        self.warnings
            .iter()
            .filter(|words| *words != Self::CONSUMED)
    }

    /// A plan of that change, made at that moment of the server's clock, which does nothing yet.
    #[must_use]
    pub fn new(change: Change, queue: &Queue, server: String, at: EpochMillis) -> Self {
        Self {
            change,
            queue: queue.clone(),
            server,
            profile: None,
            at,
            planned: 0,
            left_alone: 0,
            oldest: None,
            newest: None,
            new_due: None,
            of: None,
            first: Vec::new(),
            says: Vec::new(),
            way: Way::InOrder,
            cost: Cost::default(),
            target: None,
            consumed_per_s: None,
            warnings: Vec::new(),
            leaves_strays: false,
            undoes: None,
            undone: None,
            copies_of: 0,
            commands: Vec::new(),
        }
    }
}

/// The progress of a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// The work under way, such as `transferring` or `bringing the order list back`.
    pub phase: &'static str,
    /// The entries up to now by outcome.
    pub tally: Tally,
    /// Number of entries to do.
    pub planned: u64,
    /// While the order list is brought back, which comes after the entries and says nothing of
    /// them: so many of its elements were looked at, of so many.
    pub back: Option<(u64, u64)>,
    /// Entries a second over the last seconds.
    pub per_s: f64,
    /// The time that the rest will take (of the order list, while that is brought back); none when
    /// that cannot be told yet.
    pub left: Option<Duration>,
    /// The time for which the longest script kept the server.
    pub longest_block: Duration,
    /// It waits, and for what: paused, a full target, a replica that lags, a lost connection.
    pub waits: Option<String>,
}

impl Progress {
    /// Counts the entries that are over and done with: what was left is not.
    #[must_use]
    pub fn done_with(&self) -> u64 {
        self.tally.sum() - self.tally.get(Outcome::Left)
    }
}

/// The result of a change that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The kind of change.
    pub change: Change,
    /// The queue that was changed.
    pub queue: Queue,
    /// The entries by outcome: its sum is what was planned.
    pub tally: Tally,
    /// Its id in the journal; none where nothing is journalled.
    pub journal_id: Option<String>,
    /// The time from the first script to the last.
    pub elapsed: Duration,
    /// The time for which the longest script kept the server.
    pub longest_block: Duration,
    /// Number of transfer clients that listened to a kick; none: it was no kick, or nobody may
    /// count them.
    pub listening: Option<u64>,
    /// True when a kick has set going what was late before it; none when nothing was, or nobody
    /// listened, or nobody could tell.
    pub helped: Option<bool>,
    /// Further remarks: what is left to mend and how, how many listened to a kick. A
    /// sentence each.
    pub notes: Vec<String>,
}

impl Summary {
    /// Tells whether all was done that there was to do: of an order list that was aside, what does
    /// not wait any more need not come back.
    #[must_use]
    pub fn all_done(&self) -> bool {
        let needless = match self.change {
            Change::RestoreOrder => self.tally.get(Outcome::Gone),
            _ => 0,
        };
        self.tally.get(Outcome::Done) + needless == self.tally.sum()
    }
}

impl Outcome {
    /// The words behind a number in the sum of a change, as in "2 already moved by others".
    #[must_use]
    pub const fn said(self, of: Change) -> &'static str {
        match (self, of) {
            (Self::Gone, Change::Transfer | Change::Deliver | Change::Worker) => {
                "already moved by others"
            }
            (Self::Gone, Change::Unwrap | Change::Consume) => "already taken by others",
            (Self::Gone, Change::PutBack) => "already put back by others",
            (Self::Gone, Change::RestoreOrder) => "left out, as they wait no more",
            (Self::Unknown, _) => "with unknown outcome",
            _ => self.of_one(),
        }
    }

    /// The word beside a single entry: eleven letters at most.
    #[must_use]
    pub const fn of_one(self) -> &'static str {
        match self {
            Self::Gone => "moved on",
            other => other.word(),
        }
    }
}

#[cfg(test)]
mod tests;
