//! Requests that `update` makes, as data. `runner` starts them; each answer is a [`Msg`]. What one
//! feature wants of another that it may not know is a message as well: [`Effect::Tell`].

use crate::clock::EpochMillis;
use crate::payload::Habit;
use crate::queue::change::What;
use crate::queue::look::LookAsk;
use crate::queue::told::Order;
use crate::queue::{Entry, Filter, Form, FramesAsk, List, PageAsk, Queue, Scale, Zoom};
use crate::tui::keys::Action;
use crate::tui::marks::Marks;
use crate::tui::msg::Msg;
use crate::tui::prompt::PromptKind;
use crate::tui::tabs::Tab;

/// Where to go.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Switch {
    /// To another database of the same server.
    Db(i64),
    /// To the server of a profile.
    Profile(String),
}

/// Something to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Look for queues (again).
    Discover,
    /// Read one queue, with the rows in sight.
    LoadPulse {
        /// A later request makes answers with an earlier generation void.
        generation: u64,
        /// Which queue.
        queue: Queue,
        /// Which rows.
        page: Option<PageAsk>,
    },
    /// Read several queues, without rows, in one pipeline.
    LoadPulses {
        /// See [`Effect::LoadPulse`].
        generation: u64,
        /// Which queues.
        queues: Vec<Queue>,
    },
    /// Survey one queue.
    LoadSurvey {
        /// See [`Effect::LoadPulse`].
        generation: u64,
        /// Which queue.
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
        /// See [`Effect::LoadPulse`].
        generation: u64,
        /// What it shall bring.
        asked: LookAsk,
    },
    /// Read a run of a list.
    LoadList {
        /// See [`Effect::LoadPulse`].
        generation: u64,
        /// Of which queue.
        queue: Queue,
        /// Which list.
        list: List,
        /// Index of the first element, from the head.
        first: u64,
        /// How many elements.
        count: u32,
    },
    /// Find the rank of the first entry due at or after a moment.
    FindRank {
        /// See [`Effect::LoadPulse`].
        generation: u64,
        /// Which queue.
        queue: Queue,
        /// The moment.
        due: EpochMillis,
    },
    /// See how a queue's entries are written.
    SampleQueue(Queue),
    /// Offer messages.
    Offer(Box<ToOffer>),
    /// Plan a change; what was planned before and not applied is forgotten.
    Plan(Box<ToPlan>),
    /// Plan to take back a change of the journal.
    PlanUndo {
        /// As in the answer.
        generation: u64,
        /// The one with this id; none: the newest of `queue` that can be.
        id: Option<String>,
        /// The selected queue.
        queue: Queue,
    },
    /// What was planned, or is being planned, is not wanted any more.
    DropPlan,
    /// Apply the plan with this generation; all that it tells carries it too.
    Apply(u64),
    /// Tell the change that is under way with this generation to pause, go on or stop.
    Order(u64, Order),
    /// Read the journal.
    ReadJournal {
        /// See [`Effect::LoadPulse`].
        generation: u64,
    },
    /// Read what became of the entries of a change of the journal.
    ReadChange {
        /// See [`Effect::LoadPulse`].
        generation: u64,
        /// Which.
        id: String,
    },
    /// Read since when the entries of a queue are in quarantine.
    ReadSince(Queue),
    /// Start a stand-in worker on a queue.
    StartWorker(Queue),
    /// Let it end after the script that is under way.
    StopWorker(Queue),
    /// Edit a text with the user's editor, in the terminal.
    Edit {
        /// The text.
        text: String,
        /// What a file that holds such a text ends with.
        extension: &'static str,
    },
    /// Keep a line that was entered for the next sessions.
    Remember(PromptKind, String),
    /// Find the way to another server; the screen stays on this one until it is found.
    FindWay {
        /// A later request makes answers with an earlier generation void.
        generation: u64,
        /// Where to.
        to: Switch,
    },
    /// Leave this server for the one that the way was found to last.
    Switch,
    /// Look through a queue for the entries that a filter matches.
    Search {
        /// See [`Effect::LoadPulse`].
        generation: u64,
        /// Which queue.
        queue: Queue,
        /// Which entries.
        filter: Filter,
        /// How its payloads are read.
        habit: Habit,
        /// What waits, what was delivered, or the order list.
        tab: Tab,
    },
    /// The search under way is no longer wanted.
    EndSearch,
    /// Read the scores that these members have now.
    CheckScores {
        /// See [`Effect::LoadPulse`].
        generation: u64,
        /// Which queue.
        queue: Queue,
        /// The members: as many as a screen has rows.
        members: Vec<Vec<u8>>,
    },
    /// Look at all entries of a queue.
    Examine {
        /// See [`Effect::LoadPulse`].
        generation: u64,
        /// Which queue.
        queue: Queue,
        /// Bytes of the server's `unsigned long`.
        long: usize,
    },
    /// The look at all entries that is under way is no longer wanted.
    EndExamining,
    /// Try the lost link at once.
    RetryLink,
    /// Give a text to the terminal's clipboard.
    Copy(String),
    /// Something for another feature, carried out before `update` returns.
    Tell(Box<Msg>),
    /// Leave the terminal and stop, as Ctrl-Z does.
    Suspend,
    /// Draw every cell again.
    Redraw,
    /// Take the terminal again after somebody else had it, and draw every cell.
    RetakeTerminal,
    /// End the program.
    Quit,
}

impl Effect {
    /// Tells another feature, which may be one that knows the teller.
    #[must_use]
    pub fn tell(msg: Msg) -> Self {
        Self::Tell(Box::new(msg))
    }

    /// Asks for what a key does.
    #[must_use]
    pub fn asks(action: Action) -> Self {
        Self::tell(Msg::Asked(action))
    }
}

/// A change to be planned.
#[derive(Clone, Debug, PartialEq)]
pub struct ToPlan {
    /// As in the answer.
    pub generation: u64,
    /// Of which queue.
    pub queue: Queue,
    /// What to do.
    pub what: What,
    /// With which entries; a change of the whole queue does not look at it.
    pub which: Marked,
}

/// The entries that a change is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Marked {
    /// All that is due.
    Due,
    /// What only the order list holds.
    Lost,
    /// This one, as it was seen.
    One(Entry),
    /// The marked ones of the tab that they were marked in, as the marks were.
    Marks(Box<Marks>),
    /// The same, but one of each that have equal payloads.
    ButOne(Box<Marks>),
}

/// Messages to be offered.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ToOffer {
    /// As in the answer.
    pub generation: u64,
    /// To which queue.
    pub queue: Queue,
    /// What each of them says, encoded.
    pub payload: Vec<u8>,
    /// How many of them.
    pub count: u64,
    /// When they are due.
    pub due: EpochMillis,
    /// In which frame form; a layout without frames does not look at it.
    pub form: Form,
}
