//! Facts that reach the screen, in past tense. Plain data: comparable, printable, no callbacks.

use std::time::Instant;

use crate::tui::keys::{Action, Key};
use crate::tui::look::Background;
use crate::tui::{
    change, examine, filter, form, journal, link, lists, lives, offer, queues, refresh, server,
    timeline, worker,
};

/// Something happened: what the terminal and the clock tell, and what each feature has to know.
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
    /// The terminal has told its background.
    BackgroundTold(Background),
    /// Somebody asked from outside that the program stops for a while (SIGTSTP).
    StopAsked,
    /// The program came back from having been stopped.
    Resumed,
    /// A question, a form or a line asked for what a key does.
    Asked(Action),
    /// Time passed.
    Ticked(Instant),
    /// The link to the server, and what is published there.
    Link(link::Msg),
    /// The search for queues.
    Queues(queues::Msg),
    /// Figures of queues and server that were read.
    Refresh(refresh::Msg),
    /// The tabs of lists.
    Lists(lists::Msg),
    /// The timeline.
    Timeline(timeline::Msg),
    /// An offer.
    Offer(offer::Msg),
    /// The journal.
    Journal(journal::Msg),
    /// A form.
    Form(form::Msg),
    /// The way to another server.
    Server(server::Msg),
    /// A filter.
    Filter(filter::Msg),
    /// A look at all entries.
    Examine(examine::Msg),
    /// The lives of messages.
    Lives(lives::Msg),
    /// A change.
    Change(change::Msg),
    /// A stand-in worker.
    Worker(worker::Msg),
}
