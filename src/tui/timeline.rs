//! The countdown timeline: how much is late, and what is due when.

pub mod chosen;
pub mod place;
pub mod queries;
pub mod run;
pub mod update;
pub mod view;

use crate::clock::EpochMillis;
use crate::queue::{Queue, Zoom};

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

/// The timeline: its zoom, and what its cursor is on.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// The part of the future that it shows.
    pub zoom: Zoom,
    /// The zoom that it opens with.
    pub(crate) fit: ZoomFit,
    /// The bars' height grows with the logarithm of their count.
    pub log_height: bool,
    /// Start of the bar under the cursor.
    pub bar: Option<EpochMillis>,
    /// The class of what is late under the cursor, the longest ago first; then no bar is.
    pub late_class: Option<usize>,
}

/// The way to the zoom that fits the selected queue, until somebody chooses one.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum ZoomFit {
    /// The user's own: it stays.
    Chosen,
    /// To be asked for.
    #[default]
    Wanted,
    /// Asked for.
    Asked,
    /// Taken by the counts of the classes: whether its bars show what waits is to be seen.
    Tried,
    /// It fits; a queue that is selected from now on gets its own as soon as it is surveyed.
    Fits,
}
