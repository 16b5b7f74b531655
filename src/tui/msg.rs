//! Facts that reach the screen, in past tense. Plain data: comparable, printable, no callbacks.

use std::collections::HashMap;
use std::time::Instant;

use crate::clock::EpochMillis;
use crate::queue::{
    Announcement, EntryId, Exact, Link, List, ListPage, Pulse, Queue, ServerLook, Survey,
};
use crate::tui::journal::{Explained, PastChange};
use crate::tui::keys::{Action, Key};
use crate::tui::lists::Since;
use crate::tui::offer::{Offered, Seen};
use crate::tui::server::Site;
use crate::tui::{change, worker};

/// Members with the scores they have; none: it is gone.
pub type Scores = Vec<(Vec<u8>, Option<f64>)>;

/// Something happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// A key was pressed.
    KeyPressed(Key),
    /// The left button was pressed at column, row (from 0).
    Clicked(u16, u16),
    /// The mouse was moved to column, row with the left button down.
    Dragged(u16, u16),
    /// The left button was let go at column, row.
    Released(u16, u16),
    /// Text was pasted.
    Pasted(String),
    /// The wheel was turned at column, row: negative is up.
    Scrolled(u16, u16, i8),
    /// The terminal has another size: columns, rows.
    Resized(u16, u16),
    /// Somebody asked from outside that the program stops for a while (SIGTSTP).
    StopAsked,
    /// The program came back from having been stopped.
    Resumed,
    /// A question, a form or a line asked for what a key does.
    Asked(Action),
    /// Time passed.
    Ticked(Instant),
    /// The link to the server changed.
    LinkChanged(Box<Link>),
    /// A queue was found.
    QueueFound(Queue),
    /// The search for queues went on: keys looked through, keys in the db.
    Looked(u64, u64),
    /// The search for queues is through: keys looked through.
    LookedAll(u64),
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
    /// A run of a list was read.
    ListLoaded {
        /// As in the effect that asked for it.
        generation: u64,
        /// Of which queue.
        queue: Queue,
        /// Which list.
        list: List,
        /// What was seen, or why not.
        result: Result<ListPage, String>,
    },
    /// The rank of the first entry due at or after a moment is known.
    RankFound {
        /// As in the effect that asked for it.
        generation: u64,
        /// Which queue.
        queue: Queue,
        /// The rank, or why not.
        result: Result<u64, String>,
    },
    /// A queue's entries were looked at: how they are written, or why that is not known.
    QueueSampled(Queue, Seen),
    /// An offer has an answer, or there will be none.
    Offered {
        /// As in the effect that asked for it.
        generation: u64,
        /// To which queue.
        queue: Queue,
        /// For when.
        due: EpochMillis,
        /// What became of it.
        outcome: Offered,
    },
    /// A change.
    Change(change::Msg),
    /// The journal was read, the newest change first, or why it was not.
    JournalRead {
        /// As in the effect that asked for it.
        generation: u64,
        /// What stands there.
        result: Result<Vec<PastChange>, String>,
    },
    /// What became of the entries of a change was read, or why it was not.
    ChangeRead {
        /// As in the effect that asked for it.
        generation: u64,
        /// What the journal says.
        result: Result<Explained, String>,
    },
    /// The journal was looked through for what is in quarantine.
    SinceRead {
        /// Of which queue.
        queue: Queue,
        /// Since when each entry is, as far as is known.
        known: HashMap<EntryId, Since>,
    },
    /// A stand-in worker.
    Worker(worker::Msg),
    /// The editor has ended: the text as it is now, or why it is the old one.
    Edited(Result<String, String>),
    /// The way to another server is known; the generation is that of the effect.
    WayFound(u64, Box<Site>),
    /// There is no way to that server, and why; the generation is that of the effect.
    NoWay(u64, String),
    /// The server was left for another one: all that follows is of the new one.
    Arrived,
    /// A search went on.
    SearchHits {
        /// As in the effect that asked for it.
        generation: u64,
        /// What was found since the last message: member, and score where there is one. What
        /// lies beyond the first [`HITS_KEPT`](crate::tui::filter::HITS_KEPT) is only counted.
        hits: Vec<(Vec<u8>, Option<f64>)>,
        /// How many were found in all.
        found: u64,
        /// Entries looked through.
        looked: u64,
        /// Entries there are.
        of: u64,
    },
    /// A search is through.
    Searched {
        /// As in the effect that asked for it.
        generation: u64,
        /// Or why it could not go on.
        result: Result<(), String>,
    },
    /// A look at all entries goes on; the generation is that of the effect.
    Examining {
        /// As in the effect that asked for it.
        generation: u64,
        /// Members and elements looked at.
        looked: u64,
        /// Of about so many.
        of: u64,
    },
    /// All entries of a queue were looked at.
    Examined {
        /// As in the effect that asked for it.
        generation: u64,
        /// What was seen, or why not.
        result: Result<Box<Exact>, String>,
    },
    /// Scores were read: of each member the one it has, none when it is gone.
    ScoresChecked {
        /// As in the effect that asked for it.
        generation: u64,
        /// Which queue.
        queue: Queue,
        /// What was read, or why not.
        result: Result<Scores, String>,
    },
    /// Something was published on a queue's channel.
    Announced(Announcement),
}
