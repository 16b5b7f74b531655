//! Changes, planned and applied against real servers, and taken back.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a failure is a failed test"
)]

#[path = "../support/mod.rs"]
mod support;

mod bench;
mod changes;
mod halts;
mod mends;
mod noted;
mod proxy;
mod replicas;
mod undo;
mod unknown;
mod ways;
