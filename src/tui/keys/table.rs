//! The rows of the key table, in the order of the hint bar: what is dropped first stands last,
//! save the help, which is always there.

use super::{Action, Binding, Code, Key, Place, Section};
use Place::{Entries, Entry, Help, Queues, Timeline, Traffic};

const EVERYWHERE: &[Place] = &[Queues, Timeline, Entries, Traffic, Entry, Help];
const SCROLLED: &[Place] = &[Queues, Entries, Entry, Help];
const PANES: &[Place] = &[Queues, Timeline, Entries, Traffic];

const fn move_row(
    action: Action,
    keys: &'static [Key],
    hints: &'static [(Place, &'static str)],
    help: &'static str,
) -> Binding {
    Binding {
        action,
        keys,
        places: SCROLLED,
        help,
        section: Section::Move,
        hints,
    }
}

const fn pane_row(
    action: Action,
    keys: &'static [Key],
    section: Section,
    hints: &'static [(Place, &'static str)],
    help: &'static str,
) -> Binding {
    Binding {
        action,
        keys,
        places: PANES,
        help,
        section,
        hints,
    }
}

const fn row_everywhere(
    action: Action,
    keys: &'static [Key],
    section: Section,
    hints: &'static [(Place, &'static str)],
    help: &'static str,
) -> Binding {
    Binding {
        action,
        keys,
        places: EVERYWHERE,
        help,
        section,
        hints,
    }
}

/// The word for moving what does not fit into its pane.
pub(super) const SCROLL: &str = "scroll";
const MOVE: &[(Place, &str)] = &[(Entry, SCROLL), (Help, SCROLL)];
const BAR: &[(Place, &str)] = &[(Queues, "bar"), (Timeline, "bar"), (Entries, "bar")];
const ZOOM: &[(Place, &str)] = &[
    (Queues, "zoom"),
    (Timeline, "zoom"),
    (Entries, "zoom"),
    (Traffic, "zoom"),
];
const PANE: &[(Place, &str)] = &[
    (Queues, "pane"),
    (Timeline, "pane"),
    (Entries, "pane"),
    (Traffic, "pane"),
];

/// The table.
pub const BINDINGS: &[Binding] = &[
    Binding {
        action: Action::Open,
        keys: &[Key::of(Code::Enter)],
        places: &[Queues, Timeline, Entries],
        help: "open the queue or the entry; list the bar's entries",
        section: Section::Move,
        hints: &[(Queues, "open"), (Timeline, "list"), (Entries, "open")],
    },
    Binding {
        action: Action::Face,
        keys: &[Key::of(Code::Tab)],
        places: &[Entry],
        help: "on an entry: text or hex",
        section: Section::Move,
        hints: &[(Entry, "text/hex")],
    },
    row_everywhere(
        Action::Back,
        &[Key::of(Code::Esc)],
        Section::Move,
        &[(Entry, "back"), (Help, "close")],
        "close, else back",
    ),
    move_row(
        Action::Up,
        &[Key::of(Code::Up), Key::char('k')],
        MOVE,
        "one row up, down",
    ),
    move_row(
        Action::Down,
        &[Key::of(Code::Down), Key::char('j')],
        MOVE,
        "one row up, down",
    ),
    move_row(
        Action::PageUp,
        &[Key::of(Code::PageUp)],
        &[],
        "one page up, down",
    ),
    move_row(
        Action::PageDown,
        &[Key::of(Code::PageDown)],
        &[],
        "one page up, down",
    ),
    move_row(
        Action::First,
        &[Key::char('g'), Key::of(Code::Home)],
        &[],
        "to the first row, the last",
    ),
    move_row(
        Action::Last,
        &[Key::char('G'), Key::of(Code::End)],
        &[],
        "to the first row, the last",
    ),
    pane_row(
        Action::NextPane,
        &[Key::of(Code::Tab)],
        Section::Move,
        PANE,
        "the next pane, the one before",
    ),
    pane_row(
        Action::PreviousPane,
        &[Key::of(Code::BackTab)],
        Section::Move,
        &[],
        "the next pane, the one before",
    ),
    pane_row(
        Action::BarLeft,
        &[Key::of(Code::Left)],
        Section::Timeline,
        BAR,
        "one bar to the left, to the right",
    ),
    pane_row(
        Action::BarRight,
        &[Key::of(Code::Right)],
        Section::Timeline,
        BAR,
        "one bar to the left, to the right",
    ),
    pane_row(
        Action::ZoomIn,
        &[Key::char('+'), Key::char('=')],
        Section::Timeline,
        ZOOM,
        "closer, wider, ten minutes again",
    ),
    pane_row(
        Action::ZoomOut,
        &[Key::char('-')],
        Section::Timeline,
        ZOOM,
        "closer, wider, ten minutes again",
    ),
    pane_row(
        Action::ZoomReset,
        &[Key::char('0')],
        Section::Timeline,
        &[],
        "closer, wider, ten minutes again",
    ),
    row_everywhere(
        Action::Freeze,
        &[Key::char('f')],
        Section::Else,
        &[
            (Queues, "freeze"),
            (Timeline, "freeze"),
            (Entries, "freeze"),
            (Traffic, "freeze"),
        ],
        "freeze the picture, or let it go on",
    ),
    row_everywhere(
        Action::Refresh,
        &[Key::ctrl('r')],
        Section::Else,
        &[(Queues, "refresh")],
        "refresh now; retry a lost link; look for queues again",
    ),
    row_everywhere(
        Action::Interval,
        &[Key::char(',')],
        Section::Else,
        &[(Queues, "interval")],
        "how often to refresh: 0.2 s to 60 s",
    ),
    row_everywhere(
        Action::Quit,
        &[Key::char('q')],
        Section::Else,
        &[(Queues, "quit")],
        "back; on the first screen quit",
    ),
    row_everywhere(
        Action::QuitNow,
        &[Key::ctrl('c')],
        Section::Else,
        &[],
        "quit at once",
    ),
    row_everywhere(
        Action::Suspend,
        &[Key::ctrl('z')],
        Section::Else,
        &[],
        "suspend; fg brings it back",
    ),
    row_everywhere(
        Action::Redraw,
        &[Key::ctrl('l')],
        Section::Else,
        &[],
        "draw every cell again",
    ),
    row_everywhere(
        Action::Help,
        &[Key::char('?')],
        Section::Else,
        &[
            (Queues, "help"),
            (Timeline, "help"),
            (Entries, "help"),
            (Traffic, "help"),
            (Entry, "help"),
        ],
        "these keys",
    ),
];
