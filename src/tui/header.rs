//! The first line: where we are, how the link does, what we cost.

pub mod view;
