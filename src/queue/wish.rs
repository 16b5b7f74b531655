//! What somebody wants done with entries, before it is planned.

use super::frame::Form;
use super::plan::Change;
use crate::clock::EpochMillis;

/// A change that somebody asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// Transfer: of `Which::Due` all that is due, else those of the chosen that are.
    Transfer,
    /// Deliver, due or not.
    Deliver,
    /// Give another due time.
    Requeue(NewDue),
    /// Delete.
    Delete,
    /// Replace the payload (of one entry): these bytes, encoded already.
    Edit(Vec<u8>),
    /// Give the frames this form; none: each the form of the other era. Of `Which::Due`: of all
    /// that waits.
    Repack(Option<Form>),
    /// Offer the same payload again, with the same due time.
    Duplicate,
    /// Kick.
    Kick,
    /// Put the order list into due order: of what falls due within so many ms; none: of all.
    Realign(Option<u64>),
    /// Bring an order list back that was set aside.
    RestoreOrder,
    /// Let timeouts and order list hold the same members again.
    Drift,
    /// Set entries aside that break transfers. Of `Which::Due`: all members that are no frames,
    /// which no transfer can unpack.
    Quarantine,
    /// Let entries wait again that are in quarantine. Of `Which::Due`: all of them.
    Restore,
    /// Put back into target what consumers hold that died.
    PutBack,
    /// Take the frames off that elements of target still have.
    Unwrap,
    /// Take the expiry of the queue's keys away.
    Persist,
    /// Give what has taken a name of the queue's keys, and is of another type, another name.
    RenameTaken,
    /// Requeue what has seconds for milliseconds to when it was meant to be due.
    Unit,
    /// Requeue what has a score that is no due time: see [`Queue::meant`](super::Queue::meant).
    Score,
}

impl What {
    /// Which change it asks for.
    #[must_use]
    pub const fn change(&self) -> Change {
        match self {
            Self::Transfer => Change::Transfer,
            Self::Deliver => Change::Deliver,
            // Of what had none, or another unit, too each has a new due time then.
            Self::Requeue(_) | Self::Unit | Self::Score => Change::Requeue,
            Self::Delete => Change::Delete,
            Self::Edit(_) => Change::Edit,
            Self::Repack(_) => Change::Repack,
            Self::Duplicate => Change::Duplicate,
            Self::Kick => Change::Kick,
            Self::Realign(_) => Change::Realign,
            Self::RestoreOrder => Change::RestoreOrder,
            Self::Drift => Change::Drift,
            Self::Quarantine => Change::Quarantine,
            Self::Restore => Change::Restore,
            Self::PutBack => Change::PutBack,
            Self::Unwrap => Change::Unwrap,
            Self::Persist => Change::Persist,
            Self::RenameTaken => Change::RenameTaken,
        }
    }

    /// What it is called, wherever it is spoken of: in the menu of repairs, in questions and on the
    /// command line.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Unit => "unit",
            Self::Score => "score",
            other => other.change().word(),
        }
    }
}

/// A new due time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct NewDue {
    /// What it is reckoned from.
    pub base: Base,
    /// The entries are spread evenly over so many ms from there on, in their order; 0: all at once.
    pub spread_ms: u64,
}

/// The moment that a new due time is reckoned from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Base {
    /// So many ms from now (when the plan is made), by the server's clock.
    In(u64),
    /// That moment.
    At(EpochMillis),
    /// Each entry's own due time, so many ms later (or earlier).
    By(i64),
}
