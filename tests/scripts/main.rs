//! The Lua scripts against a real server: what they do, and that they do all or nothing when a
//! key is of another type, the server is full, read-only, or has forgotten them.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failure here is a failed test"
)]

#[path = "../support/mod.rs"]
mod support;

mod change;
mod changes;
mod more;
mod offer;
mod refusal;
mod rights;
mod transfer;
mod walk;

use delayscope::clock::EpochMillis;
use delayscope::queue::Queue;
use delayscope::store::write::Writer;
use delayscope::store::{Access, Store};
use support::{PATIENCE, Server};

/// A moment long ago: whatever has this score is due.
const PAST: EpochMillis = EpochMillis::new(1_600_000_000_000);

async fn writer(server: &Server) -> Writer {
    let store = Store::open(server.endpoint(), Access::ReadWrite);
    store.ready(PATIENCE).await.unwrap();
    store.writer().unwrap()
}

fn orders() -> Queue {
    Queue::redisson("orders")
}

fn plain(push: &str) -> Queue {
    format!("zset-list:delayed,ready,ms,{push}")
        .parse()
        .unwrap()
}
