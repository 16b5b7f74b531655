//! The link to the server: it comes and goes, and what is published arrives over it.

pub mod queries;
pub mod update;
pub mod view;

use std::collections::VecDeque;
use std::time::Instant;

use crate::queue::{Announcement, Link, LinkCost};

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

/// The memory of the link: what it costs, and since when the server is away.
#[derive(Clone, Debug, Default)]
pub struct LinkMemory {
    /// Our cost to the server, smoothed over the last seconds.
    pub cost: CostRate,
    /// Our cost so far, at moments of the last few seconds.
    pub(crate) costs: VecDeque<(Instant, LinkCost)>,
    /// When the link went, while it is away.
    pub(crate) away: Option<Instant>,
    /// When the last gap was put into the trends.
    pub(crate) gap: Option<Instant>,
}

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
