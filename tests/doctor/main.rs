//! Sick queues on real servers, made with raw commands, each at three seeds: the right rule names the
//! cause, first. And healthy ones, of which nothing is said.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a failure is a failed test"
)]

mod frames;
mod healthy;
mod keys;
mod moving;
mod patient;
#[path = "../support/redisson.rs"]
mod redisson;
#[path = "../support/mod.rs"]
mod support;

/// The seeds of each scene.
const SEEDS: [u64; 3] = [1, 20, 300];
