//! The link to the server: it comes and goes, and what is published arrives over it.

pub mod queries;
pub mod update;
pub mod view;

use crate::queue::{Announcement, Link};

/// Changes of the link, and announcements that came over it.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// The link to the server changed.
    Changed(Box<Link>),
    /// Something was published on a queue's channel.
    Announced(Announcement),
}

/// Requests to the link.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Try the lost link at once.
    Retry,
}
