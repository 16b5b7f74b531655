//! A change that was made, over everything else.

pub mod place;
pub mod view;
