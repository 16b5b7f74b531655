//! The one key table, and the keymap that is made of it: dispatch, help, hint bar and palette are
//! read from that.

mod key;
mod keymap;
mod name;
pub(crate) mod table;
#[cfg(test)]
mod tests;

pub use self::key::{Code, Key};
pub use self::keymap::Keymap;
pub use self::name::BadKey;
pub use self::table::BINDINGS;
use crate::tui::tabs::Tab;

/// An action that a user asks for.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Action {
    /// One row up.
    Up,
    /// One row down.
    Down,
    /// One page up.
    PageUp,
    /// One page down.
    PageDown,
    /// To the first row.
    First,
    /// To the last row.
    Last,
    /// Open what is under the cursor.
    Open,
    /// Close, else back.
    Back,
    /// Back; on the first screen quit.
    Quit,
    /// Leave at once.
    QuitNow,
    /// Suspend the program.
    Suspend,
    /// The next pane.
    NextPane,
    /// The pane before.
    PreviousPane,
    /// One bar to the left.
    BarLeft,
    /// One bar to the right.
    BarRight,
    /// Zoom closer.
    ZoomIn,
    /// Zoom wider.
    ZoomOut,
    /// The usual zoom.
    ZoomReset,
    /// Look back: an earlier moment.
    Earlier,
    /// Look back: a later moment.
    Later,
    /// Look back: to the change of problems before.
    ChangeBefore,
    /// Look back: to the next change of problems.
    ChangeAfter,
    /// Freeze the picture, or let it go on.
    Freeze,
    /// Refresh, or retry the link, now.
    Refresh,
    /// The next refresh interval.
    Interval,
    /// Tree, text or hex.
    Face,
    /// Fold the value, or unfold it.
    Toggle,
    /// Fold the value, or go to the one that holds it.
    Fold,
    /// Unfold the value, or go into it.
    Unfold,
    /// Draw every cell again.
    Redraw,
    /// The keys.
    Help,
    /// The lives of messages.
    Lives,
    /// Run MONITOR for them, or end it.
    Monitor,
    /// Show this in the pane of the entries.
    Tab(Tab),
    /// Filter the entries.
    Filter,
    /// The next match.
    NextMatch,
    /// The match before.
    PreviousMatch,
    /// The next order of the rows.
    Sort,
    /// Jump to a time.
    Jump,
    /// The commands.
    Palette,
    /// Linear or log height of the bars.
    LogHeight,
    /// Mark the entry, or take its mark away.
    Mark,
    /// Mark a range from here on.
    MarkRange,
    /// Mark all that match.
    MarkAll,
    /// Copy the payload.
    CopyPayload,
    /// Copy as a redis-cli command.
    CopyCommand,
    /// Copy how one comes to the value.
    CopyPath,
    /// Look at all entries of the queue.
    Examine,
    /// Read the queue's payloads with another codec.
    ReadAs,
    /// Offer a message.
    Offer,
    /// Start the stand-in worker, or stop it.
    Worker,
    /// Let the change under way pause, or go on.
    Pause,
    /// Stop it.
    Stop,
    /// Transfer what is due.
    Transfer,
    /// Deliver, due or not.
    Deliver,
    /// Give another due time.
    Requeue,
    /// Delete.
    Delete,
    /// Give another payload.
    Edit,
    /// Offer the same again.
    Duplicate,
    /// Let all transfer clients look at once.
    Kick,
    /// Repair the queue, or what the finding says.
    Repair,
    /// Take the last change back.
    Undo,
    /// Yes, in a dialog.
    Confirm,
    /// No, in a dialog.
    Refuse,
    /// Do what the form says.
    Submit,
    /// Edit the text with an editor.
    Editor,
}

/// The place that the keys go to.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum KeyPlace {
    /// The table of queues.
    Queues,
    /// The timeline.
    Timeline,
    /// Entries that wait, by due time.
    Entries,
    /// Entries that have been delivered.
    Delivered,
    /// The order list.
    Order,
    /// The channel traffic.
    Traffic,
    /// The findings.
    Findings,
    /// The changes made.
    Changes,
    /// The servers behind the address.
    Nodes,
    /// An opened entry.
    Entry,
    /// The help.
    Help,
    /// The lives of messages.
    Lives,
    /// A question.
    Dialog,
    /// A form.
    Form,
    /// A change that was made.
    Change,
    /// The panel of the change under way: what it has no use for is for what lies below.
    Bulk,
}

impl KeyPlace {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::Queues,
        Self::Timeline,
        Self::Entries,
        Self::Delivered,
        Self::Order,
        Self::Traffic,
        Self::Findings,
        Self::Changes,
        Self::Nodes,
        Self::Entry,
        Self::Help,
        Self::Lives,
        Self::Dialog,
        Self::Form,
        Self::Change,
        Self::Bulk,
    ];

    /// Returns the name that people call it by.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Queues => "queues",
            Self::Timeline => "timeline",
            Self::Entries => "waiting entries",
            Self::Delivered => "delivered",
            Self::Order => "order list",
            Self::Traffic => "traffic",
            Self::Findings => "findings",
            Self::Changes => "journal",
            Self::Nodes => "nodes",
            Self::Entry => "an opened entry",
            Self::Help => "the help",
            Self::Lives => "the lives of messages",
            Self::Dialog => "a question",
            Self::Form => "a form",
            Self::Change => "a change",
            Self::Bulk => "a change under way",
        }
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// The action of the row.
    pub action: Action,
    /// Its name in the configuration file and in the palette.
    pub name: &'static str,
    /// The keys that do it.
    pub keys: &'static [Key],
    /// The places where the keys do it.
    pub places: &'static [KeyPlace],
    /// Its description in the help.
    pub help: &'static str,
    /// The head that the help lists it under.
    pub section: Section,
    /// The hint bar's words, and where they stand; the rows of the table are in order of
    /// importance.
    pub hints: &'static [(KeyPlace, &'static str)],
}

/// The heads of the help.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Section {
    /// Moving and opening.
    Move,
    /// Finding entries.
    Find,
    /// The timeline.
    Timeline,
    /// Marking entries.
    Mark,
    /// Changing something.
    Change,
    /// Everything else.
    Else,
}

impl Section {
    const ALL: [(Self, &'static str); 6] = [
        (Self::Move, "move, open"),
        (Self::Find, "find"),
        (Self::Timeline, "timeline"),
        (Self::Mark, "mark"),
        (Self::Change, "change"),
        (Self::Else, "else"),
    ];
}

/// A row of the help.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct HelpRow {
    /// The keys.
    pub keys: String,
    /// Description of what they do.
    pub words: &'static str,
    /// One of them does it in the place that was asked about.
    pub here: bool,
}

/// The help: per head, the keys and what they do, as seen from `place`. Neighbours with the same
/// words, such as up and down, are one row; what has no key has a dash.
#[must_use]
pub fn help(keymap: &Keymap, ascii: bool, place: KeyPlace) -> Vec<(&'static str, Vec<HelpRow>)> {
    let rows = |section| {
        let own: Vec<_> = keymap
            .rows()
            .filter(|(row, _)| row.section == section)
            .collect();
        let groups = own.chunk_by(|(a, _), (b, _)| a.help == b.help);
        groups.map(|group| help_row(group, ascii, place)).collect()
    };
    Section::ALL
        .iter()
        .map(|(section, title)| (*title, rows(*section)))
        .collect()
}

fn help_row(group: &[(&'static Binding, &[Key])], ascii: bool, place: KeyPlace) -> HelpRow {
    // `1 2 3`, but `↑ k  ↓ j`: what does the same stands closer.
    let single = group.iter().all(|(_, keys)| keys.len() < 2);
    let labels = group.iter().filter(|(_, keys)| !keys.is_empty());
    let labels = labels.map(|(_, keys)| {
        let labels: Vec<String> = keys.iter().map(|key| key.label(ascii)).collect();
        labels.join(" ")
    });
    let labels: Vec<String> = labels.collect();
    HelpRow {
        keys: match labels.join(if single { " " } else { "  " }) {
            none if none.is_empty() => if ascii { "-" } else { "—" }.to_owned(),
            keys => keys,
        },
        words: group[0].0.help,
        here: group.iter().any(|(row, _)| row.places.contains(&place)),
    }
}

/// Returns the description of a single action. Where the help says it of several in one row,
/// `zoom in, out, reset`, its own part of that.
#[must_use]
pub fn said(binding: &'static Binding) -> &'static str {
    let group: Vec<_> = BINDINGS.iter().filter(|b| b.help == binding.help).collect();
    let parts: Vec<&str> = binding.help.split(", ").collect();
    let at = group.iter().position(|b| b.action == binding.action);
    match (binding.action, at) {
        (Action::Tab(tab), _) => tab.label(),
        // Their names would say themselves twice.
        (Action::Repair, _) => "what to do about what is wrong here",
        (Action::Undo, _) => "take the newest change back",
        (Action::Worker, _) => "transfer from here until it is stopped",
        (_, Some(at)) if group.len() > 1 && parts.len() == group.len() => parts[at],
        _ => binding.help,
    }
}
