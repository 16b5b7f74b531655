//! The traffic: announcements on the channels.

pub mod view;
