//! The panel of the change under way.

pub mod queries;
pub mod update;
pub mod view;
