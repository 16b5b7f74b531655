//! The reading of queues and server: what is due is asked for, answers arrive, time passes.

pub mod update;

use crate::queue::{Pulse, Queue, ServerLook, Survey};

/// What was read.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// The selected queue was read.
    PulseLoaded {
        /// As in the effect that asked for it.
        generation: u64,
        /// Which queue.
        queue: Queue,
        /// What was seen, or why not.
        result: Result<Pulse, String>,
    },
    /// Other queues were read.
    PulsesLoaded {
        /// As in the effect that asked for it.
        generation: u64,
        /// What was seen of each, or why nothing.
        result: Result<Vec<(Queue, Pulse)>, String>,
    },
    /// A queue was surveyed.
    SurveyLoaded {
        /// As in the effect that asked for it.
        generation: u64,
        /// Which queue.
        queue: Queue,
        /// What was seen, or why not.
        result: Result<Survey, String>,
    },
    /// The server was looked at.
    ServerLooked {
        /// As in the effect that asked for it.
        generation: u64,
        /// What was seen, or why not.
        result: Result<ServerLook, String>,
    },
}
