//! The look at all entries of a queue that is under way.

pub mod run;
pub mod update;

use crate::queue::Queue;

/// How far it is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Examining {
    /// What it tells carries this.
    pub(crate) generation: u64,
    /// Which queue.
    pub queue: Queue,
    /// Members and elements looked at.
    pub looked: u64,
    /// Of about so many; 0: not known yet.
    pub of: u64,
}
