//! The bulk ways against a real server, beside clients that offer, transfer, remove and poll
//! between any two of their scripts.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failure here is a failed test"
)]

#[path = "../support/mod.rs"]
mod support;

mod drifting;
mod lost;
mod refusal;
mod walks;
mod ways;
mod world;

use support::Server;
