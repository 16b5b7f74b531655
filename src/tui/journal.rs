//! Changes that were made: those that the journal tells, and those of this session.

pub mod detail;
pub mod queries;
pub mod run;
pub mod update;
pub mod view;

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::time::Duration;

use crate::clock::EpochMillis;
use crate::queue::{Change, EntryResult, Outcome, Plan, Queue, Tally, text};

/// The journal, or a change of it, as it was read.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// The journal was read, the newest change first, or why it was not.
    JournalRead {
        /// As in the effect that asked for it.
        generation: u64,
        /// The changes in the journal, or why it could not be read.
        result: Result<Vec<PastChange>, String>,
    },
    /// The outcomes of the entries of a change were read, or why they were not.
    ChangeRead {
        /// As in the effect that asked for it.
        generation: u64,
        /// The journal's account of the change, or why it could not be read.
        result: Result<JournalAccount, String>,
    },
}

/// Requests to read the journal, or a change of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Read the journal.
    ReadJournal {
        /// A later request makes answers with an earlier generation void.
        generation: u64,
    },
    /// Read what became of the entries of a change of the journal.
    ReadChange {
        /// A later request makes answers with an earlier generation void.
        generation: u64,
        /// Id of the change.
        id: String,
    },
}

/// A change of the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct PastChange {
    /// Its id.
    pub id: String,
    /// When it began, by the clock of the machine that made it.
    pub at: EpochMillis,
    /// The kind of change.
    pub change: Change,
    /// The queue that was changed, as it is typed.
    pub queue: String,
    /// The server that the queue is on, as the header shows it.
    pub server: String,
    /// Number of entries that were planned.
    pub planned: u64,
    /// Tally of their outcomes; none: the change was never ended, or is under way.
    pub ended: Option<Tally>,
    /// It is being made at this moment, here or by another program on this machine.
    pub under_way: bool,
    /// It was taken back.
    pub undone: bool,
}

/// The journal's account of the entries of a change.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalAccount {
    /// The change's id.
    pub id: String,
    /// Tally of the outcomes of all of them.
    pub tally: Tally,
    /// Results of the entries that were tried and not done: the first ones.
    pub not_done: Vec<EntryResult>,
}

/// A change that was applied in this session, and is over.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnChange {
    /// The plan that was agreed to.
    pub plan: Plan,
    /// Its id in the journal; none where nothing was written down.
    pub journal_id: Option<String>,
    /// Tally of the outcomes of the entries, as far as it is known.
    pub tally: Tally,
    /// From the first script to the last, and the longest of them; none when it did not end well.
    pub took: Option<(Duration, Duration)>,
    /// Further remarks, or why it could not go on. A sentence each.
    pub notes: Vec<String>,
    /// Results of the entries that were not done: the first ones.
    pub not_done: Vec<EntryResult>,
}

/// A change, ready to be shown in a line.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeLine {
    /// When: by the server's time, or by that of the machine that wrote it down.
    pub at: EpochMillis,
    /// The queue that it was done to, as it is typed.
    pub queue: String,
    /// Description of what was done, such as `offered 1 message, due 14:05`, or `3 deleted`.
    pub text: String,
    /// Its id in the journal.
    pub id: Option<String>,
    /// The kind of change; none of what is told in words only.
    pub change: Option<Change>,
    /// It was taken back.
    pub undone: bool,
    /// It did not come to a good end, or not all of it was done.
    pub doubtful: bool,
}

/// The most changes that are kept.
pub const CHANGES_KEPT: usize = 1000;

/// The number of changes of this session of which all is kept: what became of their entries, their
/// commands.
const OWN_KEPT: usize = 100;

/// The changes that are told.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// All, the newest first.
    pub lines: VecDeque<ChangeLine>,
    /// The changes that were applied in this session, the newest first.
    pub own: VecDeque<OwnChange>,
    /// The reason why the journal could not be read.
    pub trouble: Option<String>,
    /// The reading of the journal.
    pub(crate) request: ReadRequest,
}

/// Something that is read when it was written: once under way, it may be wanted once more.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReadRequest {
    /// It shall be read.
    pub(crate) wanted: bool,
    /// The request that is under way.
    pub(crate) flight: Option<u64>,
}

impl Changes {
    /// The journal shall be read: its tab was opened, or something was written down.
    pub(crate) const fn want_journal(&mut self) {
        self.request.wanted = true;
    }

    /// Something was done that the journal does not tell, or does not tell yet.
    pub fn push(&mut self, line: ChangeLine) {
        self.lines.push_front(line);
        self.lines.truncate(CHANGES_KEPT);
    }

    /// A change of this session is over.
    pub fn over(&mut self, at: EpochMillis, own: OwnChange) {
        self.push(ChangeLine {
            at,
            queue: text::printable_bytes(&own.plan.queue.spec()),
            text: sum_up(own.plan.change, own.plan.planned, &own.tally),
            id: own.journal_id.clone(),
            change: Some(own.plan.change),
            undone: false,
            doubtful: own.took.is_none() || !all_well(own.plan.change, &own.tally),
        });
        self.own.push_front(own);
        self.own.truncate(OWN_KEPT);
    }

    /// The journal was read: what it tells takes the place of what this session told of the same
    /// changes.
    pub fn read(&mut self, past: Vec<PastChange>) {
        self.trouble = None;
        let told = |line: &ChangeLine| {
            let id = line.id.as_ref();
            id.is_some_and(|id| past.iter().any(|past| past.id == *id))
        };
        let mut lines: Vec<ChangeLine> = self.lines.drain(..).collect();
        lines.retain(|line| line.id.is_none() || (!told(line) && self.is_own(line)));
        lines.extend(past.into_iter().map(ChangeLine::from));
        // Stable: what is of one moment keeps its order.
        lines.sort_by_key(|line| Reverse(line.at));
        lines.truncate(CHANGES_KEPT);
        self.lines = lines.into();
    }

    fn is_own(&self, line: &ChangeLine) -> bool {
        self.own.iter().any(|own| own.journal_id == line.id)
    }

    /// The change of this session with an id of the journal.
    #[must_use]
    pub fn own(&self, id: &str) -> Option<&OwnChange> {
        let mut own = self.own.iter();
        own.find(|own| own.journal_id.as_deref() == Some(id))
    }
}

impl From<PastChange> for ChangeLine {
    fn from(past: PastChange) -> Self {
        let said = past.ended.map_or_else(
            || {
                let how = if past.under_way {
                    "under way"
                } else {
                    "never ended"
                };
                match past.planned {
                    // A worker plans nothing: it takes what falls due.
                    0 => how.to_owned(),
                    planned => format!("{} planned, {how}", text::thousands(planned)),
                }
            },
            |tally| sum_up(past.change, past.planned, &tally),
        );
        Self {
            at: past.at,
            queue: past.queue,
            text: said,
            id: Some(past.id),
            change: Some(past.change),
            undone: past.undone,
            doubtful: !past.under_way
                && past
                    .ended
                    .is_none_or(|tally| !all_well(past.change, &tally)),
        }
    }
}

/// All was done that there was to do. Of an order list that is brought back, what does not wait any
/// more is left out, which is how it shall be; what others have transferred is transferred.
#[must_use]
pub fn all_well(change: Change, tally: &Tally) -> bool {
    let gone = match change {
        Change::RestoreOrder | Change::Transfer => tally.get(Outcome::Gone),
        _ => 0,
    };
    tally.sum() == tally.get(Outcome::Done) + gone
}

/// Puts the outcome of a change into words: `3 deleted`, `9,998 of 10,000 transferred, 2 already
/// moved by others`.
#[must_use]
pub fn sum_up(change: Change, planned: u64, tally: &Tally) -> String {
    if change == Change::Kick {
        return "published: whoever listened has looked".to_owned();
    }
    let done = tally.get(Outcome::Done);
    let past = change.past();
    let planned = planned.max(tally.sum());
    let mut words = if done == planned {
        format!("{} {past}", text::thousands(done))
    } else {
        format!(
            "{} of {} {past}",
            text::thousands(done),
            text::thousands(planned)
        )
    };
    for outcome in Outcome::ALL.into_iter().skip(1) {
        let n = tally.get(outcome);
        if n > 0 {
            // Writing into a String cannot fail.
            let _ = write!(words, ", {} {}", text::thousands(n), outcome.said(change));
        }
    }
    words
}

/// A change on the whole screen: all that is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeView {
    /// Its line.
    pub line: ChangeLine,
    /// All of it, when it was applied in this session.
    pub own: Option<OwnChange>,
    /// The generation of the request for what the journal says; none when it is not asked.
    pub asked: Option<u64>,
    /// The journal's account of it, or why that cannot be read.
    pub explained: Option<Result<JournalAccount, String>>,
    /// First line in sight.
    pub scroll: usize,
}

/// A queue as it is typed, to be shown.
fn spec(queue: &Queue) -> String {
    text::printable_bytes(&queue.spec())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A plan to delete so many entries of `orders`.
    pub(crate) fn plan(planned: u64) -> Plan {
        let (orders, at) = (Queue::redisson("orders"), EpochMillis::new(0));
        Plan {
            planned,
            commands: vec!["redis-cli ZREM timeouts x".to_owned()],
            ..Plan::new(Change::Delete, &orders, "there".to_owned(), at)
        }
    }

    fn own(id: &str, done: u64) -> OwnChange {
        let mut tally = Tally::default();
        tally.add(Outcome::Done, done);
        OwnChange {
            plan: plan(3),
            journal_id: Some(id.to_owned()),
            tally,
            took: Some((Duration::ZERO, Duration::ZERO)),
            notes: Vec::new(),
            not_done: Vec::new(),
        }
    }

    fn past(id: &str, at: i64) -> PastChange {
        PastChange {
            id: id.to_owned(),
            at: EpochMillis::new(at),
            change: Change::Delete,
            queue: "orders".to_owned(),
            server: "there".to_owned(),
            planned: 3,
            ended: Some(own(id, 3).tally),
            under_way: false,
            undone: true,
        }
    }

    #[test]
    fn what_became_of_a_change_is_told_in_a_few_words() {
        let mut tally = Tally::default();
        tally.add(Outcome::Done, 9_998);
        assert_eq!(sum_up(Change::Delete, 9_998, &tally), "9,998 deleted");
        tally.add(Outcome::Gone, 2);
        assert_eq!(
            sum_up(Change::Delete, 10_000, &tally),
            "9,998 of 10,000 deleted, 2 moved on"
        );
        assert_eq!(
            sum_up(Change::Transfer, 7, &Tally::default()),
            "0 of 7 transferred"
        );
    }

    #[test]
    fn what_the_journal_tells_takes_the_place_of_what_the_session_told_of_it() {
        let mut changes = Changes::default();
        changes.over(EpochMillis::new(5), own("a", 3));
        changes.over(EpochMillis::new(9), own("b", 2));
        changes.read(vec![past("a", 4), past("old", 1)]);
        let told: Vec<_> = changes.lines.iter().map(|l| l.id.clone()).collect();
        assert_eq!(told, ["b", "a", "old"].map(|id| Some(id.to_owned())));
        assert!(!changes.lines[0].undone);
        assert!(changes.lines[1].undone);
        assert!(changes.own("a").is_some());
        // Purged from the journal by somebody: it is no longer told.
        changes.read(vec![past("a", 4)]);
        assert_eq!(changes.lines.len(), 2);
    }
}
