//! The Lua scripts against a real server: what they do, and that they do all or nothing when a
//! key is of another type, the server is full, read-only, or has forgotten them.

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

use crate::support::{PATIENCE, Server};

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
