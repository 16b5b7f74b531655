//! The real program on a real terminal with a real server.

#![expect(
    clippy::unwrap_used,
    reason = "a failure in the harness is a failed test"
)]

mod asking;
mod changing;
#[expect(
    dead_code,
    unreachable_pub,
    clippy::expect_used,
    clippy::panic,
    reason = "each program uses a part of it; a failure here is a failed test"
)]
#[path = "../support/cluster.rs"]
mod cluster;
mod completing;
mod elsewhere;
mod filter;
mod opening;
mod pictures;
mod pressing;
#[expect(
    dead_code,
    unreachable_pub,
    clippy::expect_used,
    reason = "each program uses a part of it; a failure here is a failed test"
)]
#[path = "../support/redisson.rs"]
mod redisson;
mod screen;
#[expect(unreachable_pub, reason = "shared by two programs")]
#[path = "../support/self_signed.rs"]
mod self_signed;
#[expect(
    dead_code,
    unreachable_pub,
    clippy::expect_used,
    clippy::panic,
    reason = "each program uses a part of it; a failure here is a failed test"
)]
#[path = "../support/sentinel.rs"]
mod sentinel;
#[expect(dead_code, reason = "each program uses a part of it")]
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/terminal.rs"]
mod terminal;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_delayscope");
/// Columns and lines of a terminal on which everything has room.
const SIZE: (u16, u16) = (120, 40);
