//! Changes on real servers: planned, applied, taken back, beside other clients and under rules.
//! These tests and those of `store` run on every server of `tests/servers.sh`.

#![expect(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what programs share is used in part; a failure here is a failed test"
)]

mod acl;
mod apply;
mod bulk;
#[path = "../support/cluster.rs"]
mod cluster;
mod clusters;
mod gate;
mod greeted;
mod interleaved;
mod left_open;
mod made;
#[path = "../support/redisson.rs"]
mod redisson;
#[path = "../support/resp.rs"]
mod resp;
mod running;
#[path = "../support/sentinel.rs"]
mod sentinel;
mod sentinels;
#[path = "../support/busy.rs"]
mod stall;
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/watch.rs"]
mod watch;
mod writes;
