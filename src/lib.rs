//! # delayscope
//!
//! A terminal inspector for delayed queues in Redis, and the system they are made of.
//!
//! Data flows one way: server → [`store`] → [`queue`] (meaning) → [`ops`] (use cases) → [`cli`] or
//! `tui`. A change goes the same way back.
//!
//! | room | what it knows | what it must not know |
//! |---|---|---|
//! | [`clock`] | time: the server's and ours | everything else |
//! | [`printable`] | which characters may reach a terminal | everything else |
//! | [`queue`] | what a delayed queue is: names, layouts, frames, one refresh's facts | tokio, redis, ratatui |
//! | [`payload`] | what is inside an entry: a file per codec | tokio, redis, ratatui |
//! | [`store`] | Redis: the only room that says `redis::` | meaning |
//! | [`ops`] | the use cases that both front ends share | terminals, flags |
//! | [`config`] | files, environment, arguments → one validated `Config` | Redis |
//! | [`cli`], `tui` | the two front ends; they never meet | each other |
//!
//! `tests/architecture.rs` holds these walls.

pub mod args;
pub mod cli;
pub mod clock;
pub mod config;
pub mod ops;
pub mod payload;
pub mod printable;
pub mod queue;
pub mod store;
#[cfg(feature = "tui")]
pub mod tui;
