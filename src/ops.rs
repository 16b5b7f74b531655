//! The use cases that both front ends share, each over `store` and `queue`.

pub mod consumer;
pub mod demo;
pub mod discover;
pub mod entries;
pub mod offer;
pub mod refresh;
pub mod remembered;
pub mod search;
pub mod worker;
