//! The knowledge of the screen. `update` writes it, `view` reads it, nothing else touches it.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use crate::clock::EpochMillis;
use crate::queue::node::Node;
use crate::queue::redis_cli::RedisCli;
use crate::queue::{Known, Link, Queue, ServerWatch};
use crate::tui::bell::Bell;
use crate::tui::change::OpenChanges;
use crate::tui::cursor::ScrollArea;
use crate::tui::departed::{DepartedRow, WatchedCursor};
use crate::tui::dialog::{AnswerKeys, Dialog};
use crate::tui::edit::EditForm;
use crate::tui::entries::Entries;
use crate::tui::entry::EntryView;
use crate::tui::examine::ExaminationState;
use crate::tui::filter::{ActiveFilter, EntrySort, FilterWork};
use crate::tui::findings::held::HeldFinding;
use crate::tui::help::HelpPage;
use crate::tui::hitmap::HitMap;
use crate::tui::journal::{ChangeView, Changes};
use crate::tui::keys::Keymap;
use crate::tui::link::LinkMemory;
use crate::tui::lists::{ListPositions, Lists};
use crate::tui::lives::{Lives, LivesView};
use crate::tui::look::Look;
use crate::tui::marks::Marks;
use crate::tui::offer::OfferForm;
use crate::tui::palette::QueuesSearch;
use crate::tui::past::PastPicture;
use crate::tui::prompt::Prompt;
use crate::tui::prompt::history::PromptHistory;
use crate::tui::queues::{Opening, QueueRow, QueueTable};
use crate::tui::repair::RepairForm;
use crate::tui::requeue::RequeueForm;
use crate::tui::schedule::Schedule;
use crate::tui::server::{Site, SwitchProgress};
use crate::tui::tabs::Tab;
use crate::tui::timeline::Timeline;
use crate::tui::toast::Toast;
use crate::tui::traffic::Traffic;
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
    /// The server, and what holds there.
    pub site: Site,
    /// The keys of each action.
    pub keymap: Keymap,
    /// The link to the server, as last reported.
    pub link: Link,
    /// The cost of the link, and since when it is away.
    pub link_memory: LinkMemory,
    /// The bell that rings for critical findings.
    pub bell: Bell,
    /// Results of the slow looks at the server.
    pub server: ServerWatch,
    /// The nodes behind the address, as the last look at the server told of them.
    pub nodes: Vec<Node>,
    /// The way to another server.
    pub(crate) switch: SwitchProgress,
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
    /// The keys at questions that may be meant otherwise.
    pub(crate) answer_keys: AnswerKeys,
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
    /// The table of queues, beside its rows.
    pub table: QueueTable,
    /// The timeline of the selected queue.
    pub timeline: Timeline,
    /// Index of the selected queue in `queues`.
    pub cursor: usize,
    /// Index of the first queue row in sight.
    pub top: usize,
    /// The entries of the selected queue.
    pub entries: Entries,
    /// Target and order list of the selected queue.
    pub lists: Lists,
    /// Positions in the tabs of lines.
    pub stands: ListPositions,
    /// The look at all entries of a queue.
    pub examination: ExaminationState,
    /// The finding under the cursor, while the tab of findings has the keys.
    pub(crate) held_finding: Option<HeldFinding>,
    /// The changes that were made.
    pub changes: Changes,
    /// The order of the entries.
    pub entry_sort: EntrySort,
    /// The filter that is on.
    pub filtered: Option<Box<ActiveFilter>>,
    /// The work of the filter: what runs, what is kept.
    pub(crate) filter_work: FilterWork,
    /// The search through all queues.
    pub(crate) everywhere: Option<QueuesSearch>,
    /// The marked entries.
    pub marks: Marks,
    /// The row that was under the cursor and has left.
    pub departed: Option<DepartedRow>,
    /// The cursor: whether something else has come under it by itself.
    pub(crate) watched_cursor: WatchedCursor,
    /// The announcements on the channels of all queues.
    pub traffic: Traffic,
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
    pub then: Option<PastPicture>,
    /// A short message at the bottom, until the instant.
    pub toast: Option<Toast>,
    /// The short messages that come after it.
    pub later: VecDeque<Toast>,
    /// Interval at which the selected queue is read, in ms; the one that the user asked for.
    pub interval_ms: u64,
    /// The interval is stretched to this because answers take long.
    pub stretched_ms: Option<u64>,
    /// The rows weigh more than 1 MB/s: they are read only when the pulse has changed.
    pub rows_on_change: bool,
    /// The last content of the form that offers, by queue.
    pub drafts: HashMap<Queue, OfferForm>,
    /// The stand-in workers.
    pub workers: Workers,
    /// The changes that are not over yet.
    pub changing: OpenChanges,
    /// The schedule of the reads: `update`'s own.
    pub schedule: Schedule,
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
    Lives(LivesView),
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
            site: Site {
                endpoint,
                redis_cli: RedisCli::default(),
                read_only,
                ..Site::default()
            },
            keymap: Keymap::default(),
            link: Link::default(),
            link_memory: LinkMemory::default(),
            bell: Bell::default(),
            server: ServerWatch::default(),
            nodes: Vec::new(),
            switch: SwitchProgress::default(),
            instant,
            now: EpochMillis::default(),
            screen: Screen::Dashboard,
            overlay: None,
            put_away: None,
            answer_keys: AnswerKeys::default(),
            prompt: None,
            history: PromptHistory::default(),
            focus: Pane::Queues,
            tab: Tab::default(),
            queues: Vec::new(),
            table: QueueTable::default(),
            timeline: Timeline::default(),
            cursor: 0,
            top: 0,
            entries: Entries::default(),
            lists: Lists::default(),
            stands: ListPositions::default(),
            examination: ExaminationState::default(),
            held_finding: None,
            changes: Changes::default(),
            entry_sort: EntrySort::default(),
            filtered: None,
            filter_work: FilterWork::default(),
            everywhere: None,
            marks: Marks::default(),
            departed: None,
            watched_cursor: WatchedCursor::default(),
            traffic: Traffic::default(),
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
            rows_on_change: false,
            drafts: HashMap::new(),
            workers: Workers::default(),
            changing: OpenChanges::default(),
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
        let one = !matches!(self.table.opening, Opening::Reading(_));
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
