//! The rows of the key table, in the order of the hint bar: what is dropped first stands last,
//! save the help, which is always there.

use KeyPlace::{
    Bulk, Change, Changes, Delivered, Dialog, Entries, Entry, Findings, Form, Help, Lives, Nodes,
    Order, Queues, Timeline, Traffic,
};

use super::{Action, Binding, Code, Key, KeyPlace, Section};
use crate::tui::tabs::Tab;

const EVERYWHERE: &[KeyPlace] = &[
    Queues, Timeline, Entries, Delivered, Order, Traffic, Findings, Changes, Nodes, Entry, Help,
    Lives, Dialog, Form, Change,
];

/// Everywhere but where a question waits for its answer.
const CALM: &[KeyPlace] = &[
    Queues, Timeline, Entries, Delivered, Order, Traffic, Findings, Changes, Nodes, Entry, Help,
];

/// The same places, and a question: it may be out of date.
const REFRESHED: &[KeyPlace] = &[
    Queues, Timeline, Entries, Delivered, Order, Traffic, Findings, Changes, Nodes, Entry, Help,
    Dialog,
];

const SCROLLED: &[KeyPlace] = &[
    Queues, Entries, Delivered, Order, Traffic, Findings, Changes, Nodes, Entry, Help, Lives,
    Change,
];

const PANES: &[KeyPlace] = &[
    Queues, Timeline, Entries, Delivered, Order, Traffic, Findings, Changes, Nodes,
];

/// Places where there is more than one part to have the keys.
const FIELDS: &[KeyPlace] = &[
    Queues, Timeline, Entries, Delivered, Order, Traffic, Findings, Changes, Nodes, Form, Bulk,
    Help, Dialog,
];

/// Places where single entries are.
const LISTS: &[KeyPlace] = &[Entries, Delivered, Order];

/// Places where something can be changed, or is told why it cannot.
const CHANGED: &[KeyPlace] = &[
    Queues, Timeline, Entries, Delivered, Order, Traffic, Findings, Changes, Nodes, Entry,
];

/// Places from which the lives of messages are opened, and that where they are.
const LIVED: &[KeyPlace] = &[
    Queues, Timeline, Entries, Delivered, Order, Traffic, Findings, Changes, Nodes, Entry, Lives,
];

/// There, and where a change is looked at.
const TAKEN_BACK: &[KeyPlace] = &[
    Queues, Timeline, Entries, Delivered, Order, Traffic, Findings, Changes, Nodes, Entry, Change,
];

/// A row, from left to right as the help would read it.
const fn row(
    section: Section,
    name: &'static str,
    action: Action,
    keys: &'static [Key],
    places: &'static [KeyPlace],
    hints: &'static [(KeyPlace, &'static str)],
    help: &'static str,
) -> Binding {
    Binding {
        action,
        name,
        keys,
        places,
        help,
        section,
        hints,
    }
}

/// The word for leaving what is open; on the first screen the hint says that it quits.
const BACK: &str = "back";

/// The word for moving what does not fit into its pane.
pub(crate) const SCROLL: &str = "scroll";

const MOVE: &[(KeyPlace, &str)] = &[(Entry, SCROLL), (Help, SCROLL), (Lives, SCROLL)];

const BAR: &[(KeyPlace, &str)] = &[(Queues, "bar"), (Timeline, "bar"), (Entries, "bar")];

const ZOOM: &[(KeyPlace, &str)] = &[(Queues, "zoom"), (Timeline, "zoom"), (Entries, "zoom")];

const PANE: &[(KeyPlace, &str)] = &[
    (Queues, "pane"),
    (Timeline, "pane"),
    (Entries, "pane"),
    (Delivered, "pane"),
    (Order, "pane"),
    (Traffic, "pane"),
    (Findings, "pane"),
    (Changes, "pane"),
    (Nodes, "pane"),
    (Form, "next field"),
    (Help, "next page"),
    (Dialog, "button"),
];

const TABS: &[(KeyPlace, &str)] = &[
    (Delivered, "tab"),
    (Order, "tab"),
    (Traffic, "tab"),
    (Findings, "tab"),
    (Changes, "tab"),
    (Nodes, "tab"),
];

const TABS_HELP: &str = "tabs in their order";

const BARS_HELP: &str = "one bar left, right";

const ZOOM_HELP: &str = "zoom in, out, reset";

const END_HELP: &str = "quit at once, suspend";

const PAST_HELP: &str = "past: step, problems";

const PAGE_HELP: &str = "one page up, down";

const ROW_HELP: &str = "one row up, down";

const ENDS_HELP: &str = "to the top, to the end";

const PANE_HELP: &str = "next pane, previous";

const ANSWER_HELP: &str = "answer yes, answer no";

const COPY_HELP: &str = "copy: payload, cli, path";

const ENTRY_HELP: &str = "next view, fold, codec";

const MOVE_HELP: &str = "transfer due, chosen now";

const REQUEUE_HELP: &str = "another due time, delete";

const EDIT_HELP: &str = "edit payload, offer again";

const REPAIR_HELP: &str = "repair, undo";

const KICK_HELP: &str = "wake clients, worker";

const JUMP_HELP: &str = "jump to time; lives";

const MATCH_HELP: &str = "next match, previous";

/// Keys that hands know from other programs. Where nothing else is bound to them, each does the
/// first of its actions that works there. The help does not list them.
pub(crate) const HABITS: &[(Key, Action)] = &[
    (Key::char('h'), Action::BarLeft),
    (Key::char('h'), Action::Fold),
    (Key::char('l'), Action::BarRight),
    (Key::char('l'), Action::Unfold),
    (Key::ctrl('d'), Action::PageDown),
    (Key::ctrl('f'), Action::PageDown),
    (Key::ctrl('u'), Action::PageUp),
    (Key::ctrl('b'), Action::PageUp),
    (Key::of(Code::F(1)), Action::Help),
    (Key::of(Code::F(5)), Action::Refresh),
];

/// The table. A line a row, so that it can be read as one.
#[rustfmt::skip]
pub const BINDINGS: &[Binding] = &[
    row(Section::Move, "open", Action::Open, &[Key::of(Code::Enter)], &[Queues, Timeline, Entries, Delivered, Order, Traffic, Findings, Changes, Lives], &[(Lives, "open"), (Queues, "open"), (Timeline, "list"), (Entries, "open"), (Delivered, "open"), (Order, "open"), (Traffic, "jump"), (Findings, "queue"), (Changes, "open")], "open; list a bar"),
    row(Section::Change, "confirm", Action::Confirm, &[Key::char('y')], &[Dialog], &[], ANSWER_HELP),
    row(Section::Change, "refuse", Action::Refuse, &[Key::char('n')], &[Dialog], &[], ANSWER_HELP),
    row(Section::Change, "submit", Action::Submit, &[Key::ctrl('s')], &[Form], &[(Form, "offer")], "in a form: do it"),
    row(Section::Change, "editor", Action::Editor, &[Key::ctrl('e')], &[Form], &[(Form, "$EDITOR")], "in a form: $EDITOR"),
    row(Section::Change, "pause", Action::Pause, &[Key::char(' ')], &[Bulk], &[(Bulk, "pause")], "a long change: pause, stop"),
    row(Section::Change, "stop", Action::Stop, &[Key::of(Code::Esc)], &[Bulk], &[(Bulk, "stop")], "a long change: pause, stop"),
    row(Section::Move, "turn", Action::Face, &[Key::of(Code::Tab)], &[Entry], &[(Entry, "next view")], ENTRY_HELP),
    row(Section::Move, "toggle", Action::Toggle, &[Key::of(Code::Enter)], &[Entry], &[(Entry, "fold")], ENTRY_HELP),
    row(Section::Move, "fold", Action::Fold, &[Key::of(Code::Left)], &[Entry], &[], ENTRY_HELP),
    row(Section::Move, "unfold", Action::Unfold, &[Key::of(Code::Right)], &[Entry], &[], ENTRY_HELP),
    row(Section::Move, "read-as", Action::ReadAs, &[Key::char('C')], &[Entries, Delivered, Order, Entry], &[], ENTRY_HELP),
    row(Section::Move, "back", Action::Back, &[Key::of(Code::Esc)], EVERYWHERE, &[(Help, "close"), (Lives, "close"), (Form, "close"), (Change, "close")], "close, clear, or back"),
    row(Section::Move, "up", Action::Up, &[Key::of(Code::Up), Key::char('k')], SCROLLED, MOVE, ROW_HELP),
    row(Section::Move, "down", Action::Down, &[Key::of(Code::Down), Key::char('j')], SCROLLED, MOVE, ROW_HELP),
    row(Section::Move, "page-up", Action::PageUp, &[Key::of(Code::PageUp)], SCROLLED, &[], PAGE_HELP),
    row(Section::Move, "page-down", Action::PageDown, &[Key::of(Code::PageDown)], SCROLLED, &[], PAGE_HELP),
    row(Section::Move, "first", Action::First, &[Key::char('g'), Key::of(Code::Home)], SCROLLED, &[], ENDS_HELP),
    row(Section::Move, "last", Action::Last, &[Key::char('G'), Key::of(Code::End)], SCROLLED, &[], ENDS_HELP),
    row(Section::Move, "next-pane", Action::NextPane, &[Key::of(Code::Tab)], FIELDS, PANE, PANE_HELP),
    row(Section::Move, "previous-pane", Action::PreviousPane, &[Key::of(Code::BackTab)], FIELDS, &[], PANE_HELP),
    row(Section::Move, "tab-waiting", Action::Tab(Tab::Waiting), &[Key::char('1')], PANES, TABS, TABS_HELP),
    row(Section::Move, "tab-delivered", Action::Tab(Tab::Delivered), &[Key::char('2')], PANES, TABS, TABS_HELP),
    row(Section::Move, "tab-order", Action::Tab(Tab::Order), &[Key::char('3')], PANES, TABS, TABS_HELP),
    row(Section::Move, "tab-traffic", Action::Tab(Tab::Traffic), &[Key::char('4')], PANES, TABS, TABS_HELP),
    row(Section::Move, "tab-findings", Action::Tab(Tab::Findings), &[Key::char('5')], PANES, TABS, TABS_HELP),
    row(Section::Move, "tab-changes", Action::Tab(Tab::Changes), &[Key::char('6')], PANES, TABS, TABS_HELP),
    row(Section::Move, "tab-quarantine", Action::Tab(Tab::Quarantine), &[Key::char('7')], PANES, TABS, TABS_HELP),
    row(Section::Move, "tab-nodes", Action::Tab(Tab::Nodes), &[Key::char('8')], PANES, TABS, TABS_HELP),
    row(Section::Timeline, "bar-left", Action::BarLeft, &[Key::of(Code::Left)], PANES, BAR, BARS_HELP),
    row(Section::Timeline, "bar-right", Action::BarRight, &[Key::of(Code::Right)], PANES, BAR, BARS_HELP),
    row(Section::Timeline, "zoom-in", Action::ZoomIn, &[Key::char('+'), Key::char('=')], PANES, ZOOM, ZOOM_HELP),
    row(Section::Timeline, "zoom-out", Action::ZoomOut, &[Key::char('-')], PANES, ZOOM, ZOOM_HELP),
    row(Section::Timeline, "zoom-reset", Action::ZoomReset, &[Key::char('0')], PANES, &[], ZOOM_HELP),
    row(Section::Timeline, "earlier", Action::Earlier, &[Key::char('[')], PANES, &[], PAST_HELP),
    row(Section::Timeline, "later", Action::Later, &[Key::char(']')], PANES, &[], PAST_HELP),
    row(Section::Timeline, "change-before", Action::ChangeBefore, &[Key::char('{')], PANES, &[], PAST_HELP),
    row(Section::Timeline, "change-after", Action::ChangeAfter, &[Key::char('}')], PANES, &[], PAST_HELP),
    row(Section::Timeline, "log-height", Action::LogHeight, &[Key::char('L')], PANES, &[(Timeline, "log")], "linear or log height"),
    row(Section::Find, "filter", Action::Filter, &[Key::char('/')], &[Queues, Timeline, Entries, Delivered, Order, Traffic, Findings, Changes, Nodes, Entry, Lives], &[(Lives, "filter"), (Queues, "find queue"), (Entries, "filter"), (Delivered, "filter"), (Order, "filter"), (Entry, "search")], "filter; find in entry"),
    row(Section::Find, "next-match", Action::NextMatch, &[Key::char('n')], &[Entries, Delivered, Order, Entry], &[(Entry, "match")], MATCH_HELP),
    row(Section::Find, "previous-match", Action::PreviousMatch, &[Key::char('N')], &[Entries, Delivered, Order, Entry], &[(Entry, "match")], MATCH_HELP),
    row(Section::Mark, "mark", Action::Mark, &[Key::char(' ')], LISTS, &[(Entries, "mark"), (Delivered, "mark"), (Order, "mark")], "mark, or take it away"),
    row(Section::Mark, "mark-range", Action::MarkRange, &[Key::char('v')], LISTS, &[], "mark a range"),
    row(Section::Mark, "mark-all", Action::MarkAll, &[Key::char('a')], &[Timeline, Entries, Delivered, Order], &[(Timeline, "mark")], "mark all, or the bar's"),
    row(Section::Change, "transfer", Action::Transfer, &[Key::char('t')], CHANGED, &[(Queues, "transfer")], MOVE_HELP),
    row(Section::Change, "transfer-now", Action::Deliver, &[Key::char('p')], CHANGED, &[(Entries, "transfer now"), (Entry, "transfer now")], MOVE_HELP),
    row(Section::Change, "requeue", Action::Requeue, &[Key::char('r')], CHANGED, &[(Timeline, "requeue"), (Entries, "requeue"), (Delivered, "requeue"), (Entry, "requeue")], REQUEUE_HELP),
    row(Section::Change, "delete", Action::Delete, &[Key::char('x')], CHANGED, &[(Entries, "delete"), (Delivered, "delete"), (Entry, "delete")], REQUEUE_HELP),
    row(Section::Change, "edit", Action::Edit, &[Key::char('e')], CHANGED, &[(Entries, "edit"), (Entry, "edit")], EDIT_HELP),
    row(Section::Change, "duplicate", Action::Duplicate, &[Key::char('D')], CHANGED, &[], EDIT_HELP),
    row(Section::Change, "repair", Action::Repair, &[Key::char('R')], CHANGED, &[(Findings, "repair"), (Queues, "repair"), (Timeline, "repair"), (Entries, "repair"), (Delivered, "repair"), (Order, "repair")], REPAIR_HELP),
    row(Section::Find, "examine", Action::Examine, &[Key::char('E')], &[Findings], &[(Findings, "check all")], "check all entries"),
    row(Section::Change, "undo", Action::Undo, &[Key::char('u')], TAKEN_BACK, &[(Changes, "undo"), (Change, "undo")], REPAIR_HELP),
    row(Section::Find, "palette", Action::Palette, &[Key::char(':')], CALM, &[(Queues, "commands"), (Timeline, "commands"), (Entries, "commands"), (Delivered, "commands"), (Order, "commands"), (Traffic, "commands")], "any command, any queue"),
    row(Section::Else, "freeze", Action::Freeze, &[Key::char('f')], CALM, &[(Queues, "freeze"), (Timeline, "freeze"), (Entries, "freeze"), (Traffic, "freeze")], "freeze the picture, go on"),
    row(Section::Find, "sort", Action::Sort, &[Key::char('s')], &[Queues, Entries], &[(Queues, "sort"), (Entries, "sort")], "another order of rows"),
    row(Section::Find, "jump", Action::Jump, &[Key::char('@')], PANES, &[(Entries, "jump"), (Timeline, "jump")], JUMP_HELP),
    row(Section::Find, "lives", Action::Lives, &[Key::char('T')], LIVED, &[], JUMP_HELP),
    row(Section::Find, "monitor", Action::Monitor, &[Key::char('M')], &[Lives], &[(Lives, "MONITOR")], JUMP_HELP),
    row(Section::Change, "offer", Action::Offer, &[Key::char('o')], PANES, &[(Queues, "offer"), (Entries, "offer")], "offer a message"),
    row(Section::Change, "wake-clients", Action::Kick, &[Key::char('K')], CHANGED, &[(Queues, "wake")], KICK_HELP),
    row(Section::Change, "worker", Action::Worker, &[Key::char('w')], PANES, &[(Queues, "worker"), (Timeline, "worker"), (Entries, "worker"), (Delivered, "worker"), (Order, "worker")], KICK_HELP),
    row(Section::Else, "copy-payload", Action::CopyPayload, &[Key::char('y')], &[Entries, Delivered, Order, Findings, Entry], &[(Entry, "copy"), (Findings, "copy")], COPY_HELP),
    row(Section::Else, "copy-command", Action::CopyCommand, &[Key::char('Y')], &[Queues, Entries, Delivered, Order, Findings, Entry, Change], &[(Entry, "redis-cli"), (Findings, "copy"), (Change, "copy")], COPY_HELP),
    row(Section::Else, "copy-path", Action::CopyPath, &[Key::char('c')], &[Entry], &[(Entry, "path")], COPY_HELP),
    row(Section::Else, "refresh", Action::Refresh, &[Key::ctrl('r')], REFRESHED, &[(Queues, "refresh")], "refresh, retry, recount"),
    row(Section::Else, "interval", Action::Interval, &[Key::char(',')], CALM, &[(Queues, "interval")], "how often to refresh"),
    row(Section::Else, "quit", Action::Quit, &[Key::char('q')], EVERYWHERE, &[(Queues, "quit"), (Timeline, BACK), (Entries, BACK), (Delivered, BACK), (Order, BACK), (Traffic, BACK), (Findings, BACK), (Changes, BACK), (Nodes, BACK), (Entry, BACK)], "back; on the first, quit"),
    row(Section::Else, "quit-now", Action::QuitNow, &[Key::ctrl('c')], EVERYWHERE, &[], END_HELP),
    row(Section::Else, "suspend", Action::Suspend, &[Key::ctrl('z')], EVERYWHERE, &[], END_HELP),
    row(Section::Else, "redraw", Action::Redraw, &[Key::ctrl('l')], EVERYWHERE, &[], "draw every cell again"),
    row(Section::Else, "help", Action::Help, &[Key::char('?')], CALM, &[(Queues, "help"), (Timeline, "help"), (Entries, "help"), (Delivered, "help"), (Order, "help"), (Traffic, "help"), (Findings, "help"), (Changes, "help"), (Nodes, "help"), (Entry, "help")], "jobs, keys, words"),
];
