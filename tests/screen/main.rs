//! The screen without a terminal and without a server: what it decides, what it looks like, and the
//! loop that does both. Time is told to it.

#![expect(
    clippy::unwrap_used,
    reason = "a failure in the harness is a failed test"
)]

#[path = "../support/desk.rs"]
mod desk;
mod flow;
mod screens;
mod update;
