//! The look at all entries of a queue that is under way.

pub mod run;
pub mod update;

use std::time::Instant;

use crate::queue::{Exact, Queue};

/// The progress and the end of a look at all entries.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// A look at all entries goes on; the generation is that of the effect.
    GoesOn {
        /// As in the effect that asked for it.
        generation: u64,
        /// Members and elements looked at.
        looked: u64,
        /// Of about so many.
        of: u64,
    },
    /// All entries of a queue were looked at.
    Ended {
        /// As in the effect that asked for it.
        generation: u64,
        /// The result, or why there is none.
        result: Result<Box<Exact>, String>,
    },
}

/// Requests to look at all entries of a queue, or to stop that.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Look at all entries of a queue.
    Start {
        /// A later request makes answers with an earlier generation void.
        generation: u64,
        /// The queue to look at.
        queue: Queue,
        /// Bytes of the server's `unsigned long`.
        long: usize,
    },
    /// The look at all entries that is under way is no longer wanted.
    End,
}

/// The look at all entries of a queue.
#[derive(Clone, Debug, Default)]
pub struct ExaminationState {
    /// The one that is under way.
    pub under_way: Option<ExaminationProgress>,
    /// The moment from which on one of a small queue may begin unasked.
    pub(crate) unasked_from: Option<Instant>,
}

/// The progress of a look at all entries of a queue.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ExaminationProgress {
    /// The generation that all it tells carries.
    pub(crate) generation: u64,
    /// The queue that is looked at.
    pub queue: Queue,
    /// Somebody has asked for it: its progress and its end are told.
    pub asked: bool,
    /// Members and elements looked at.
    pub looked: u64,
    /// Of about so many; 0: not known yet.
    pub of: u64,
}
