//! Requests that `update` makes, as data. `tasks` starts them; each answer is a [`Msg`]. What one
//! feature wants of another that it may not know is a message as well: [`Effect::Tell`].

use crate::tui::keys::Action;
use crate::tui::msg::Msg;
use crate::tui::{
    change, examine, filter, journal, link, lists, lives, offer, prompt, queues, refresh, server,
    timeline, worker,
};

/// Something to be done: what each feature does, what one tells another, and what the loop does
/// itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Read queues, or the server.
    Refresh(refresh::Effect),
    /// Look for queues.
    Queues(queues::Effect),
    /// Read lists.
    Lists(lists::Effect),
    /// Look for a place.
    Timeline(timeline::Effect),
    /// Offer messages.
    Offer(offer::Effect),
    /// Plan and apply a change.
    Change(change::Effect),
    /// Read the journal.
    Journal(journal::Effect),
    /// Start and stop stand-in workers.
    Worker(worker::Effect),
    /// Keep what was typed.
    Prompt(prompt::Effect),
    /// Go to another server.
    Server(server::Effect),
    /// Search a queue.
    Filter(filter::Effect),
    /// Look at all entries of a queue.
    Examine(examine::Effect),
    /// Run MONITOR.
    Lives(lives::Effect),
    /// The link.
    Link(link::Effect),
    /// Something for another feature, carried out before `update` returns.
    Tell(Box<Msg>),
    /// Edit a text with the user's editor, in the terminal.
    Edit {
        /// The text.
        text: String,
        /// The end of the name of a file that holds such a text.
        extension: &'static str,
    },
    /// Give a text to the terminal's clipboard.
    Copy(String),
    /// Ring the terminal's bell, and notify of this line.
    Ring(String),
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
