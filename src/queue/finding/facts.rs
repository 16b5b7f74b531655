//! The input of a rule, and its answer.

use super::found::Finding;
use super::open::OpenQuestion;
use super::watch::Watch;
use crate::queue::look::ServerWatch;
use crate::queue::{Pulse, Queue, Survey};

/// All that is known of a queue when the rules are asked.
#[derive(Clone, Copy, Debug)]
pub struct QueueFacts<'a> {
    /// The queue.
    pub queue: &'a Queue,
    /// The last pulse.
    pub pulse: Option<&'a Pulse>,
    /// The last survey.
    pub survey: Option<&'a Survey>,
    /// The memory of the pulses and surveys up to these.
    pub watch: &'a Watch,
    /// The server, as far as it is known.
    pub server: &'a ServerWatch,
}

/// The answer of a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum RuleVerdict {
    /// Nothing is wrong.
    Fine,
    /// This is wrong.
    Found(Finding),
    /// It cannot look: the server refuses what it needs, in these words.
    Blind(String),
    /// Its earlier finding, if there was one, is not over; how much of it there is, is not known yet.
    Kept,
    /// It needs more time.
    Early(OpenQuestion),
    /// Nothing yet, or nothing ever: what it looks at has not been read, or this layout has none.
    Silent,
}
