//! The knowledge of the screen. `update` writes it, `view` reads it, nothing else touches it.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use crate::clock::EpochMillis;
use crate::config::Profile;
use crate::queue::node::Node;
use crate::queue::{Announcement, Known, Link, Queue, ServerWatch, Zoom};
use crate::tui::bell::Bell;
use crate::tui::change::OpenChanges;
use crate::tui::cursor::ScrollArea;
use crate::tui::departed::DepartedRow;
use crate::tui::dialog::Dialog;
use crate::tui::edit::EditForm;
use crate::tui::entries::Entries;
use crate::tui::entry::EntryView;
use crate::tui::examine::ExaminationProgress;
use crate::tui::filter::{ActiveFilter, EntrySort};
use crate::tui::help::HelpPage;
use crate::tui::hitmap::HitMap;
use crate::tui::journal::{ChangeView, Changes};
use crate::tui::keys::Keymap;
use crate::tui::lists::{Lists, Stands};
use crate::tui::lives::Lives;
use crate::tui::look::Look;
use crate::tui::marks::Marks;
use crate::tui::offer::OfferForm;
use crate::tui::past::Then;
use crate::tui::prompt::Prompt;
use crate::tui::prompt::history::PromptHistory;
use crate::tui::queues::{Discovery, Opening, QueueRow, QueueSort};
use crate::tui::repair::RepairForm;
use crate::tui::requeue::RequeueForm;
use crate::tui::schedule::Schedule;
use crate::tui::tabs::Tab;
use crate::tui::toast::Toast;
use crate::tui::worker::Workers;

/// The reason why nothing is changed while the server does not answer.
pub const NO_CONNECTION: &str = "no connection: changes are off until it is back";

/// Everything the screen knows.
#[derive(Clone, Debug)]
pub struct Model {
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// The look that the screen is drawn in.
    pub look: Look,
    /// `host:port/db`.
    pub endpoint: String,
    /// The number of the database.
    pub db: i64,
    /// The profiles that there are.
    pub profiles: Vec<String>,
    /// The redis-cli command that reaches the server: see [`crate::queue::redis_cli::program`].
    pub redis_cli: String,
    /// The profile that the server is of.
    pub profile: Option<Profile>,
    /// The session cannot change anything.
    pub read_only: bool,
    /// The keys of each action.
    pub keymap: Keymap,
    /// The link to the server, as last reported.
    pub link: Link,
    /// The bell that rings for critical findings.
    pub bell: Bell,
    /// Results of the slow looks at the server.
    pub server: ServerWatch,
    /// The nodes behind the address, as the last look at the server told of them.
    pub nodes: Vec<Node>,
    /// Our monotonic clock at this frame.
    pub instant: Instant,
    /// The server's time at this frame; carried on by our clock while the server is away.
    pub now: EpochMillis,
    /// The screen that is shown.
    pub screen: Screen,
    /// The overlay that lies over the screen.
    pub overlay: Option<Overlay>,
    /// The form that asked for a change, as it was filled in, with the number of that change: it comes
    /// back when that is not made.
    pub put_away: Option<Box<(u64, Overlay)>>,
    /// The line that is being typed; it gets all keys.
    pub prompt: Option<Prompt>,
    /// The lines that were typed before.
    pub history: PromptHistory,
    /// The pane that the keys act on.
    pub focus: Pane,
    /// The tab that the pane of the entries shows.
    pub tab: Tab,
    /// The queues, in the order shown.
    pub queues: Vec<QueueRow>,
    /// The order of the queues.
    pub queue_sort: QueueSort,
    /// Index of the selected queue in `queues`.
    pub cursor: usize,
    /// Index of the first queue row in sight.
    pub top: usize,
    /// The state of the search for queues.
    pub discovery: Discovery,
    /// The stage of the first seconds: no queue is selected before it has come to
    /// [`Opening::Checking`].
    pub opening: Opening,
    /// The part of the future that the timeline shows.
    pub zoom: Zoom,
    /// The bars' height grows with the logarithm of their count.
    pub log_height: bool,
    /// Start of the timeline's bar under the cursor.
    pub bar: Option<EpochMillis>,
    /// The class of what is late under the timeline's cursor, the longest ago first; then no bar
    /// is.
    pub late_class: Option<usize>,
    /// The entries of the selected queue.
    pub entries: Entries,
    /// Target and order list of the selected queue.
    pub lists: Lists,
    /// Positions in the tabs of lines.
    pub stands: Stands,
    /// The look at all entries of a queue that is under way.
    pub examining: Option<ExaminationProgress>,
    /// The changes that were made.
    pub changes: Changes,
    /// The order of the entries.
    pub entry_sort: EntrySort,
    /// The filter that is on.
    pub filtered: Option<Box<ActiveFilter>>,
    /// The marked entries.
    pub marks: Marks,
    /// The row that was under the cursor and has left.
    pub departed: Option<DepartedRow>,
    /// Announcements published lately, newest last, all queues; at most [`TRAFFIC_KEPT`].
    pub traffic: VecDeque<Announcement>,
    /// The lives of messages of the selected queue.
    pub lives: Lives,
    /// The lives of queues that were selected before, the last one behind.
    pub former_lives: VecDeque<Lives>,
    /// The places and the room of the last picture.
    pub drawn: HitMap,
    /// The scrollbar that the mouse holds, and how far below the thumb's first row it holds it.
    pub held: Option<(ScrollArea, u16)>,
    /// The moment since which the picture stands still (`f`).
    pub frozen: Option<EpochMillis>,
    /// The picture of the past that is looked at; this goes on behind it.
    pub past: Option<Box<Self>>,
    /// The moment that this is a picture of, where it is one of the past.
    pub then: Option<Then>,
    /// A short message at the bottom, until the instant.
    pub toast: Option<Toast>,
    /// The short messages that come after it.
    pub later: VecDeque<Toast>,
    /// Interval at which the selected queue is read, in ms; the one that the user asked for.
    pub interval_ms: u64,
    /// The interval is stretched to this because answers take long.
    pub stretched_ms: Option<u64>,
    /// Our cost to the server, smoothed over the last seconds.
    pub cost: CostRate,
    /// The rows weigh more than 1 MB/s: they are read only when the pulse has changed.
    pub rows_on_change: bool,
    /// The last content of the form that offers, by queue.
    pub drafts: HashMap<Queue, OfferForm>,
    /// The stand-in workers.
    pub workers: Workers,
    /// The changes that are not over yet.
    pub changing: OpenChanges,
    /// The change under way whose panel the user has left for another pane.
    pub panel_left: Option<u64>,
    /// The schedule of the reads: `update`'s own.
    pub schedule: Schedule,
}

/// The most announcements that are kept.
pub const TRAFFIC_KEPT: usize = 1000;

/// Our cost to the server per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CostRate {
    /// Commands.
    pub commands: f64,
    /// ms of server time.
    pub server_ms: f64,
    /// Bytes.
    pub bytes: f64,
}

/// The screens.
#[derive(Clone, Debug)]
pub enum Screen {
    /// The queues on top, the selected one below.
    Dashboard,
    /// One queue on the whole screen.
    Queue,
    /// One entry.
    Entry(Box<EntryView>),
}

/// An overlay of the screen.
#[derive(Clone, Debug, PartialEq)]
pub enum Overlay {
    /// The help.
    Help {
        /// The page that is shown.
        page: HelpPage,
        /// First line in sight.
        scroll: usize,
    },
    /// The lives of messages.
    Lives {
        /// First row in sight.
        scroll: usize,
    },
    /// A question.
    Dialog(Box<Dialog>),
    /// The form that offers.
    Offer(Box<OfferForm>),
    /// A change that was made.
    Change(Box<ChangeView>),
    /// The form that gives another due time.
    Requeue(Box<RequeueForm>),
    /// The form that gives another payload.
    Edit(Box<EditForm>),
    /// The menu of repairs.
    Repair(Box<RepairForm>),
}

/// The panes that can have the focus.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Pane {
    /// The table of queues.
    Queues,
    /// The countdown timeline.
    Timeline,
    /// The content of the tabs: the entries, to begin with.
    Entries,
    /// The channel traffic, where it has a place of its own.
    Traffic,
}

impl Model {
    /// Before anything is known: a terminal of `size` columns and rows, our monotonic clock at
    /// `instant`.
    #[must_use]
    pub fn new(
        size: (u16, u16),
        look: Look,
        endpoint: String,
        read_only: bool,
        instant: Instant,
    ) -> Self {
        Self {
            size,
            look,
            endpoint,
            db: 0,
            profiles: Vec::new(),
            redis_cli: "redis-cli".to_owned(),
            profile: None,
            read_only,
            keymap: Keymap::default(),
            link: Link::default(),
            bell: Bell::default(),
            server: ServerWatch::default(),
            nodes: Vec::new(),
            instant,
            now: EpochMillis::default(),
            screen: Screen::Dashboard,
            overlay: None,
            put_away: None,
            prompt: None,
            history: PromptHistory::default(),
            focus: Pane::Queues,
            tab: Tab::default(),
            queues: Vec::new(),
            queue_sort: QueueSort::default(),
            cursor: 0,
            top: 0,
            discovery: Discovery::Idle,
            opening: Opening::Reading(None),
            zoom: Zoom::default(),
            log_height: false,
            bar: None,
            late_class: None,
            entries: Entries::default(),
            lists: Lists::default(),
            stands: Stands::default(),
            examining: None,
            changes: Changes::default(),
            entry_sort: EntrySort::default(),
            filtered: None,
            marks: Marks::default(),
            departed: None,
            traffic: VecDeque::new(),
            lives: Lives::default(),
            former_lives: VecDeque::new(),
            drawn: HitMap::default(),
            held: None,
            frozen: None,
            past: None,
            then: None,
            toast: None,
            later: VecDeque::new(),
            interval_ms: 1000,
            stretched_ms: None,
            cost: CostRate::default(),
            rows_on_change: false,
            drafts: HashMap::new(),
            workers: Workers::default(),
            changing: OpenChanges::default(),
            panel_left: None,
            schedule: Schedule::default(),
        }
    }

    /// Returns a sentence with the keys that are bound, for their names in braces: see
    /// [`Keymap::sentence`].
    #[must_use]
    pub fn sentence(&self, words: &str) -> String {
        self.keymap.sentence(words, self.look.ascii)
    }

    /// The selected queue's row, when there is any queue and one has been selected.
    #[must_use]
    pub fn selected(&self) -> Option<&QueueRow> {
        let one = !matches!(self.opening, Opening::Reading(_));
        self.queues.get(self.cursor).filter(|_| one)
    }

    /// There is no screen to go back to: with a single queue, its own screen is the first one.
    #[must_use]
    pub const fn is_on_first_screen(&self) -> bool {
        match self.screen {
            Screen::Dashboard => true,
            Screen::Queue => self.queues.len() <= 1,
            Screen::Entry(_) => false,
        }
    }

    /// Returns the number of entries that wait in the selected queue.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        let pulse = self.selected().and_then(|row| row.pulse.as_ref());
        pulse.map_or(0, |p| match p.waiting {
            Known::Is(n) => n,
            _ => 0,
        })
    }
}

/// The server's time that the picture is of: stands still while it is frozen.
#[must_use]
pub fn now(model: &Model) -> EpochMillis {
    model.frozen.unwrap_or(model.now)
}
