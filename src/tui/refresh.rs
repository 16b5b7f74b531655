//! The reading of queues and server: what is due is asked for, answers arrive, time passes.

pub mod run;
pub mod update;

use crate::queue::look::LookAsk;
use crate::queue::{FramesAsk, PageAsk, Pulse, Queue, Scale, ServerLook, Survey, Zoom};

/// Figures of queues and server, as they were read.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// The selected queue was read.
    PulseLoaded {
        /// As in the effect that asked for it.
        generation: u64,
        /// The queue that was read.
        queue: Queue,
        /// The pulse, or why there is none.
        result: Result<Pulse, String>,
        /// The survey that was asked for with it.
        survey: Option<Box<SurveyAnswer>>,
    },
    /// Other queues were read.
    PulsesLoaded {
        /// As in the effect that asked for it.
        generation: u64,
        /// The pulse of each, or why there is none: a node of a cluster may be away.
        pulses: Vec<(Queue, Result<Pulse, String>)>,
    },
    /// A queue was surveyed.
    SurveyLoaded {
        /// As in the effect that asked for it.
        generation: u64,
        /// The queue that was surveyed.
        queue: Queue,
        /// The survey, or why there is none.
        result: Result<Survey, String>,
    },
    /// The server was looked at.
    ServerLooked {
        /// As in the effect that asked for it.
        generation: u64,
        /// The result of the look, or why there is none.
        result: Result<ServerLook, String>,
    },
}

/// The answer to a survey that went with a pulse: the generation of the question, and the survey or
/// why there is none.
pub type SurveyAnswer = (u64, Result<Survey, String>);

/// The question for a survey that goes with a pulse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurveyAsk {
    /// A later request makes answers with an earlier generation void.
    pub generation: u64,
    /// The zoom of the timeline's bars; none: the one that fits.
    pub zoom: Option<Zoom>,
    /// The scale of the survey before, kept while it suits.
    pub held: Option<Scale>,
}

/// Requests to read queues and the server.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Read one queue, with the rows in sight.
    LoadPulse {
        /// A later request makes answers with an earlier generation void.
        generation: u64,
        /// The queue to read.
        queue: Queue,
        /// The rows to read.
        page: Option<PageAsk>,
        /// The survey to take with it, so that both are shown at once.
        survey: Option<SurveyAsk>,
    },
    /// Read several queues, without rows, in one pipeline.
    LoadPulses {
        /// A later request makes answers with an earlier generation void.
        generation: u64,
        /// The queues to read.
        queues: Vec<Queue>,
    },
    /// Survey one queue.
    LoadSurvey {
        /// A later request makes answers with an earlier generation void.
        generation: u64,
        /// The queue to survey.
        queue: Queue,
        /// With the timeline's bars of this zoom; none: the due-time classes only.
        zoom: Option<Zoom>,
        /// The scale of the survey before, kept while it suits.
        held: Option<Scale>,
        /// With a sample of the members.
        sample: Option<FramesAsk>,
    },
    /// Take a slow look at the server.
    LookAtServer {
        /// A later request makes answers with an earlier generation void.
        generation: u64,
        /// The content that the look shall bring.
        asked: LookAsk,
    },
}
