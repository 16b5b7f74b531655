//! The life of a message, read off a log of the commands that a server was sent.
//!
//! A log is read once, from its beginning to its end, in memory that does not grow with it:
//!
//! 1. [`log`] tells the kinds of logs apart and gives one [`Record`] a command: what `MONITOR`
//!    printed ([`monitor`]) or what an append-only file holds ([`aof`]).
//! 2. [`tracker`] puts the commands of one script together, says what they mean for the delayed
//!    queues ([`command`]), and keeps a model of each target and of who waits for its elements
//!    ([`target`]).
//! 3. What comes out are [`Event`]s, a [`Life`] for each message, and [`Figures`].
//!
//! A log has commands and no answers. Which element a consumer got is what the order of pushes and
//! pops says it was; where the log does not show what a target held before, that is said
//! ([`Event::is_presumed`]).

pub mod aof;
pub mod command;
pub mod figures;
pub mod life;
pub mod log;
pub mod monitor;
pub mod names;
pub mod record;
pub mod target;
pub mod tracker;

pub use figures::Figures;
pub use life::{Event, EventKind, Life, MessageFate, TracedMessage};
pub use log::Log;
pub use names::ClientNames;
pub use record::{Record, Sender};
pub use tracker::Tracker;
