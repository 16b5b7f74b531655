//! The countdown timeline: how much is late, and what is due when.

pub mod chosen;
pub mod place;
pub mod queries;
pub mod run;
pub mod update;
pub mod view;

use crate::queue::Queue;

/// A rank, as it was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// The rank of the first entry from a score on is known.
    RankFound {
        /// As in the effect that asked for it.
        generation: u64,
        /// The queue that the rank is of.
        queue: Queue,
        /// The rank, or why not.
        result: Result<u64, String>,
    },
}

/// Requests to find a rank.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Find the rank of the first entry with this score or a higher one.
    FindRank {
        /// A later request makes answers with an earlier generation void.
        generation: u64,
        /// The queue to look in.
        queue: Queue,
        /// The score.
        score: f64,
    },
}
