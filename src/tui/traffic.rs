//! What is published on the channels.

pub mod view;
