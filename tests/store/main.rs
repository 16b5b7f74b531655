//! The store, and the use cases that only read, against real servers.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failure is a failed test"
)]

#[expect(dead_code, reason = "each program uses a part of it")]
#[path = "../support/mod.rs"]
mod support;

mod discover;
mod entries;
mod far_end;
mod interrupted;
mod link;
mod lists;
mod refresh;
mod scripts;
mod search;
mod watch;
mod watching_cost;

use delayscope::queue::LinkState;
use delayscope::store::{Access, Store};

use support::{PATIENCE, Server};

async fn open(server: &Server) -> Store {
    let store = Store::open(server.endpoint(), Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    store
}

async fn live(store: &Store) {
    let mut link = store.link();
    let settled = link.wait_for(|l| matches!(l.state, LinkState::Live));
    let _ = tokio::time::timeout(PATIENCE, settled).await.expect("live");
}

async fn lost(store: &Store) -> String {
    let mut link = store.link();
    let settled = link.wait_for(|l| matches!(l.state, LinkState::Lost { .. }));
    let link = tokio::time::timeout(PATIENCE, settled)
        .await
        .expect("lost")
        .unwrap();
    match &link.state {
        LinkState::Lost { why, .. } => why.clone(),
        _ => unreachable!(),
    }
}
