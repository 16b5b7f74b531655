//! The messages of a change under way, and the orders to it.

use super::plan::{EntryResult, Progress, Summary};

/// A message of a change while it runs.
#[derive(Clone, Debug, PartialEq)]
pub enum ChangeEvent {
    /// It is written down under this id (none: nothing is journalled), and begins.
    Begun(Option<String>),
    /// Its progress: after each batch, at most 20 times a second, and whenever it waits.
    Progress(Progress),
    /// Outcomes of entries.
    Results(Vec<EntryResult>),
    /// Something went wrong that it tries to get over, in a full sentence.
    Trouble(String),
    /// It is over. Nothing comes after it.
    Ended(Summary),
    /// It could not begin, or not go on: in a full sentence. When it had begun, `Ended` follows and
    /// says what was done and what is left.
    Failed(String),
}

/// An order to a change under way.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Order {
    /// Go on.
    #[default]
    Go,
    /// Do no further batch until told to go on. (What is set aside is brought back first.)
    Pause,
    /// End after this batch, and finish what must be finished.
    Stop,
}
