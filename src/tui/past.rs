//! The past of a queue, as it was watched: a strip of up to a day, and the whole page as it was at
//! a moment of it.
//!
//! The picture of a moment is a [`Model`](crate::tui::model::Model) of its own, made of what is
//! kept: so each pane draws the past as it draws the present.

pub mod queries;
pub mod record;
pub mod strip;
pub mod update;
pub mod view;

use crate::clock::EpochMillis;

/// The moment that a picture of the past is of. All times are the server's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PastPicture {
    /// The moment.
    pub at: EpochMillis,
    /// The right end of the strip: when somebody began to look back.
    pub end: EpochMillis,
    /// The time now.
    pub now: EpochMillis,
    /// The server is away now.
    pub lost: bool,
    /// Number of queues that have problems now.
    pub sick: usize,
    /// Number of spans by which the strip is shorter than one with all that is kept.
    pub closer: usize,
    /// The rates of the selected queue then, in entries a second: offered, transferred, taken. None
    /// where one was not known.
    pub rates: [Option<f64>; 3],
}
