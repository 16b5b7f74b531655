//! What a change would do: the entries chosen, counted and costed, and nothing written.

use std::fmt;
use std::sync::Arc;

use super::entries::{From, Selection};
use super::journal::{Journal, JournalError};
use crate::queue::plan::Progress;
pub use crate::queue::wish::{Base, NewDue, What};
use crate::queue::{Entry, Plan, Queue};
use crate::store::{Store, StoreError};

/// What somebody wants done.
#[derive(Clone, Debug)]
pub struct Wish {
    /// To which queue.
    pub queue: Queue,
    /// What.
    pub what: What,
    /// To which of its entries; a change of the whole queue does not look at it.
    pub which: Which,
    /// The profile in use, by name: the plan says it.
    pub profile: Option<String>,
}

/// Which entries.
#[derive(Clone)]
pub enum Which {
    /// All that is due when the plan is made.
    Due,
    /// These, as they were seen.
    These(Vec<Entry>),
    /// Those that a selection lets through.
    Selected(Selection),
    /// Those of one place for which this holds: marks on the screen.
    Where(From, Arc<dyn Fn(&Entry) -> bool + Send + Sync>),
}

impl fmt::Debug for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Due => f.write_str("Due"),
            Self::These(entries) => f.debug_tuple("These").field(&entries.len()).finish(),
            Self::Selected(selection) => f.debug_tuple("Selected").field(selection).finish(),
            Self::Where(from, _) => f.debug_tuple("Where").field(from).finish(),
        }
    }
}

/// Why a change came to nothing.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ChangeError {
    /// The server did not answer or refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The journal could not be written or read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// It makes no sense, in a full sentence.
    #[error("{0}")]
    Senseless(String),
}

/// A change that is planned and can be applied.
#[derive(Debug)]
pub struct Prepared {
    /// What it would do.
    pub plan: Plan,
}

/// Plans a change. `tell` hears how far the looking is. Dropping the future ends it.
pub async fn plan(
    store: &Store,
    wish: Wish,
    tell: impl Fn(Progress) + Send + Sync,
) -> Result<Prepared, ChangeError> {
    let _ = (store, wish, tell);
    Err(ChangeError::Senseless("not there yet".to_owned()))
}

/// Plans to take a change of the journal back: the one with that id, else the newest on this
/// server that can be and was not. `force`: although the server is another one.
pub async fn plan_undo(
    store: &Store,
    journal: &Journal,
    id: Option<&str>,
    force: bool,
) -> Result<Prepared, ChangeError> {
    let _ = (store, journal, id, force);
    Err(ChangeError::Senseless("not there yet".to_owned()))
}
