//! The panel of the change under way.

pub mod place;
pub mod update;
pub mod view;
