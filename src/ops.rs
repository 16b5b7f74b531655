//! The use cases that both front ends share, each over `store` and `queue`.

pub mod activity;
pub mod apply;
pub mod bulk;
pub mod consumer;
pub mod demo;
pub mod discover;
pub mod doctor;
pub mod entries;
pub mod history;
pub mod journal;
pub mod memory;
pub mod offer;
mod panics;
pub mod plan;
pub mod presence;
mod private;
pub mod refresh;
pub mod search;
mod state_file;
pub mod trace;
pub mod undo;
pub mod worker;
