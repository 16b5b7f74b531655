//! The commands by name: all actions of the key table, and what takes a word behind it.

pub mod update;
pub mod view;
