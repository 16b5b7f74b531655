//! The traffic: announcements on the channels.

pub mod view;

use std::collections::VecDeque;

use crate::queue::Announcement;

/// The announcements on the channels of all queues.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    /// The ones published lately, newest last; at most [`TRAFFIC_KEPT`].
    pub heard: VecDeque<Announcement>,
    /// The ones published while the picture stood still.
    pub(crate) held: VecDeque<Announcement>,
}

/// The most announcements that are kept.
pub const TRAFFIC_KEPT: usize = 1000;
