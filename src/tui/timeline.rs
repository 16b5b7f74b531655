//! The countdown timeline: how much is late, and what is due when.

pub mod chosen;
pub mod place;
pub mod queries;
pub mod update;
pub mod view;
