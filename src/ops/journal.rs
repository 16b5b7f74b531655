//! The journal: every change that was made from this account, so that it can be explained and
//! taken back. Intents are on disk before anything is done, results after.

use std::path::{Path, PathBuf};

use crate::clock::EpochMillis;
use crate::queue::{Change, EntryId, Form, Outcome, State, Tally};
use crate::store::change::Place;

/// Where the journal is, and for how long it keeps.
#[derive(Clone, Debug)]
pub struct Journal {
    dir: Option<PathBuf>,
    keep_days: u32,
}

/// Why something could not be written down or read.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct JournalError(pub String);

/// Which server a change was made on: by run id a restart is another, by replication id not.
#[derive(Clone, Debug, Default, Eq, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct ServerId {
    /// As the header shows it: `host:port/db`.
    pub server: String,
    /// Which database.
    pub db: i64,
    /// `run_id` of INFO.
    pub run_id: String,
    /// `master_replid` of INFO.
    pub replication_id: String,
}

/// What a change is, as it is written down before it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// What kind of change.
    pub change: Change,
    /// The queue as it is typed ([`crate::queue::Queue::spec`]).
    pub queue: Vec<u8>,
    /// On which server.
    pub server: ServerId,
    /// How many entries are planned.
    pub planned: u64,
    /// For "everything due": the bound, by the server's clock.
    pub bound: Option<EpochMillis>,
    /// The change that it takes back.
    pub undoes: Option<String>,
    /// How many bytes it will take here, about: the change is refused when there is no room.
    pub bytes: u64,
}

/// An entry that a change is about, as it is before, and as it shall be.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What people call it by.
    pub id: EntryId,
    /// Where it stands before.
    pub state: State,
    /// Its score before.
    pub score: Option<f64>,
    /// Its exact bytes before: none of a transfer, which needs `hash` only.
    pub member: Option<Vec<u8>>,
    /// Its score afterwards, when that is another one.
    pub new_score: Option<f64>,
    /// Its bytes afterwards, when they are others.
    pub new_member: Option<Vec<u8>>,
    /// Its frame form, where it has a frame.
    pub form: Option<Form>,
    /// SHA-1 of its payload: by it an element of target is found again.
    pub hash: Option<[u8; 20]>,
}

/// What became of an item.
#[derive(Clone, Debug, PartialEq)]
pub struct Happened {
    /// Which one: the how manieth of all that were intended, from 0.
    pub index: u64,
    /// What became of it.
    pub outcome: Outcome,
    /// Where it stood in the order list, of what was deleted.
    pub stood: Option<Place>,
}

/// A change of the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// Its id: also the name of its file.
    pub id: String,
    /// When it began, by this machine's clock.
    pub at: EpochMillis,
    /// Who made it, on which host, with which version of delayscope.
    pub who: String,
    /// What it is.
    pub head: Head,
    /// What became of the entries; none: it was never ended (it died, or is under way).
    pub ended: Option<Tally>,
    /// The change that has taken it back, when one has.
    pub undone_by: Option<String>,
}

/// A change that is being written down.
#[derive(Debug)]
pub struct Record {
    id: String,
}

impl Journal {
    /// The user's own: `delayscope/` in `$XDG_STATE_HOME`. Changes older than `keep_days` go when
    /// a new one begins.
    #[must_use]
    pub fn of_user(keep_days: u32) -> Self {
        Self {
            dir: None,
            keep_days,
        }
    }

    /// In that directory.
    #[must_use]
    pub fn at(dir: &Path, keep_days: u32) -> Self {
        Self {
            dir: Some(dir.to_owned()),
            keep_days,
        }
    }

    /// Begins to write a change down; refused when there is no room for it.
    pub async fn begin(&self, head: Head) -> Result<Record, JournalError> {
        let _ = (head, &self.dir, self.keep_days);
        Err(JournalError("the journal is not there yet".to_owned()))
    }

    /// All changes, the newest first.
    pub async fn list(&self) -> Result<Vec<Kept>, JournalError> {
        Err(JournalError("the journal is not there yet".to_owned()))
    }

    /// The items of a change, each with what is known to have become of it (none: its intent was
    /// written, and nothing after it).
    pub async fn items(&self, id: &str) -> Result<Vec<(Item, Option<Happened>)>, JournalError> {
        let _ = id;
        Err(JournalError("the journal is not there yet".to_owned()))
    }
}

impl Record {
    /// The change's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Writes down what is about to be tried; on disk when it returns.
    pub async fn intend(&mut self, items: Vec<Item>) -> Result<(), JournalError> {
        let _ = items;
        Err(JournalError("the journal is not there yet".to_owned()))
    }

    /// Writes down what became of items that were intended; on disk at the next
    /// [`intend`](Self::intend) or [`end`](Self::end).
    pub async fn happened(&mut self, results: Vec<Happened>) -> Result<(), JournalError> {
        let _ = results;
        Err(JournalError("the journal is not there yet".to_owned()))
    }

    /// The change is over.
    pub async fn end(self, tally: Tally) -> Result<(), JournalError> {
        let _ = tally;
        Err(JournalError("the journal is not there yet".to_owned()))
    }
}
