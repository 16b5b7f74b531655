//! Cursors and scrollbars: of the table of queues, of the entries, of what is scrolled by lines.

pub mod scrollbar;
pub mod update;

use crate::tui::model::Pane;

/// Something that can be scrolled.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ScrollArea {
    /// The rows of a pane.
    Pane(Pane),
    /// The lines of an opened entry.
    Entry,
    /// The lines of the help.
    Help,
    /// The lives of messages.
    Lives,
    /// The lines of a change that was made.
    Change,
}
