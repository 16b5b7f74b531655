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
//! | [`stops`] | the signal that stops the process for a while | everything else |
//! | [`queue`] | what a delayed queue is: names, layouts, frames, one refresh's facts | tokio, redis, ratatui |
//! | [`payload`] | what is inside an entry: a file per codec | tokio, redis, ratatui |
//! | [`trace`] | a log of commands: what happened to each message | tokio, redis, ratatui |
//! | [`store`] | Redis: the only room that says `redis::` | meaning |
//! | [`ops`] | the use cases that both front ends share | terminals, flags |
//! | [`config`] | files, environment, arguments → one validated `Config` | Redis |
//! | [`cli`], `tui` | the two front ends; they never meet | each other |
//!
//! `tests/architecture.rs` holds these walls. `CONTRIBUTING.md` says how to add a codec, a finding, a
//! layout, a key and more, which test to run, and what words mean.

pub mod args;
pub mod cli;
pub mod clock;
pub mod config;
pub mod ops;
pub mod payload;
pub mod printable;
pub mod queue;
pub mod stops;
pub mod store;
pub mod trace;
#[cfg(feature = "tui")]
pub mod tui;
