//! Changes, planned and applied against real servers, and taken back.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a failure is a failed test"
)]

#[path = "../support/mod.rs"]
mod support;

mod below_zero;
mod bench;
mod bounds;
mod busy;
mod changes;
mod copies;
mod costs;
mod cut;
mod equal;
mod halts;
mod kicks;
mod lost;
mod mends;
mod newest;
mod noted;
mod panics;
mod proxy;
mod put_back;
mod quarantine;
mod repack;
mod replicas;
#[path = "../kill/resp.rs"]
#[expect(dead_code, unreachable_pub, reason = "others use more of it")]
mod resp;
#[path = "../support/busy.rs"]
#[expect(unreachable_pub, reason = "others use it too")]
mod stall;
mod strays;
mod taken;
mod undo;
mod unknown;
mod unread;
#[path = "../support/watch.rs"]
#[expect(dead_code, unreachable_pub, reason = "others use more of it")]
mod watch;
mod ways;
