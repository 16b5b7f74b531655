//! The commands by name: all actions of the key table, and what takes a word behind it.

pub mod update;
pub mod view;

use std::collections::VecDeque;

use crate::queue::Queue;

/// A search through one queue after another, beside whatever the user does.
#[derive(Clone, Debug)]
pub(crate) struct QueuesSearch {
    /// The text of the filter.
    pub(crate) text: String,
    /// The queue that is being looked through; none once one was found.
    pub(crate) at: Option<LookedThrough>,
    /// The queues that are left.
    pub(crate) left: VecDeque<Queue>,
    /// Number of queues that were looked through.
    pub(crate) looked: usize,
    /// The user has gone on with something else meanwhile: what is found is told, and the screen
    /// stays as it is.
    pub(crate) beside: bool,
}

/// A queue that is being looked through beside the selected one.
#[derive(Clone, Debug)]
pub(crate) struct LookedThrough {
    /// The queue.
    pub(crate) queue: Queue,
    /// The generation of its search.
    pub(crate) generation: u64,
    /// The answer, once there is one: true when an entry matches; or why that cannot be known.
    pub(crate) answer: Option<Result<bool, String>>,
}
