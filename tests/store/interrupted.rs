//! Servers that cannot answer for a while: one that loads its data, one that a script keeps, one
//! that closes connections which rest. None of it is for good, and nothing is given up for it.

use std::io::Write;
use std::os::unix::net::UnixStream;

use delayscope::clock::EpochMillis;
use delayscope::ops::discover::{DiscoveryEvent, discover_with};
use delayscope::ops::memory::Memory;
use delayscope::ops::offer::offer;
use delayscope::ops::refresh::{pulse, survey};
use delayscope::queue::{Form, LinkState, Optional, Queue};
use delayscope::store::{Access, Store, StoreError, watch};
use futures_util::StreamExt;

use crate::support::{PATIENCE, Server, until};

const LATER: EpochMillis = EpochMillis::new(4_000_000_000_000);

fn open(server: &Server) -> Store {
    Store::open(server.endpoint(), Access::ReadWrite)
}

fn live(store: &Store) -> bool {
    matches!(store.link().borrow().state, LinkState::Live)
}

#[tokio::test]
async fn a_server_that_loads_its_data_is_away_until_it_has() {
    let mut server = Server::start();
    if !server.is_from((7, 0), "its loading cannot be made slow") {
        return;
    }
    let queue = Queue::redisson("orders");
    server.fill(&queue, 5, LATER, 1);
    for n in 0..1_000 {
        server.cmd(&["SET", &format!("key:{n}"), "x"]);
    }
    server.cmd(&["SAVE"]);
    server.restart_with(&[
        "--key-load-delay",
        "1000",
        "--loading-process-events-interval-bytes",
        "1024",
    ]);
    let store = open(&server);
    let not_yet = store.ready(PATIENCE).await.unwrap_err();
    assert_eq!(not_yet.code(), Some("LOADING"), "{not_yet}");
    assert!(not_yet.passing());
    let found: Vec<DiscoveryEvent> = discover_with(&store, Vec::new(), Memory::none())
        .collect()
        .await;
    assert!(
        found.contains(&DiscoveryEvent::Queue(queue.clone())),
        "{found:?}"
    );
    assert_eq!(
        pulse(&store, &queue, None).await.unwrap().waiting.get(),
        Some(5)
    );
    assert_eq!(store.why_refused(Optional::Scan), None);
    assert_eq!(store.why_refused(Optional::ScriptExists), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_a_script_keeps_hangs_and_all_goes_on_afterwards() {
    let server = Server::start();
    let queue = Queue::redisson("orders");
    server.fill(&queue, 5, LATER, 1);
    let store = open(&server);
    store.ready(PATIENCE).await.unwrap();
    server.cmd(&["CONFIG", "SET", "lua-time-limit", "1"]);
    let mut endless = UnixStream::connect(server.socket()).unwrap();
    endless
        .write_all(b"EVAL \"while true do end\" 0\r\n")
        .unwrap();
    let busy = || redis::cmd("TIME").exec(&mut server.connection()).is_err();
    until("the script to keep the server", busy).await;

    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let messages = watch::announcements(&store);
    tokio::spawn(async move {
        let mut messages = Box::pin(messages);
        while let Some(message) = messages.next().await {
            let _ = tell.send(message);
        }
    });
    let search = discover_with(&store, Vec::new(), Memory::none());
    let search = tokio::spawn(search.collect::<Vec<DiscoveryEvent>>());
    let mut refused = None;
    while !matches!(store.link().borrow().state, LinkState::Hung { .. }) {
        refused = pulse(&store, &queue, None).await.err();
        tokio::task::yield_now().await;
    }
    assert_eq!(refused.as_ref().and_then(StoreError::code), Some("BUSY"));

    server.cmd(&["SCRIPT", "KILL"]);
    until("the link to be live", || live(&store)).await;
    let found = search.await.unwrap();
    assert!(
        found.contains(&DiscoveryEvent::Queue(queue.clone())),
        "{found:?}"
    );
    let channel = queue.keys().channel.unwrap();
    until("a message to be heard", || {
        server.cmd_bytes(&[b"PUBLISH", &channel, b"0"]);
        told.try_recv().is_ok()
    })
    .await;
}

#[tokio::test]
async fn an_offer_after_a_rest_reaches_a_server_that_closes_connections_which_rest() {
    let server = Server::start_with(&["--timeout", "1"]);
    let queue = Queue::redisson("orders");
    let store = open(&server);
    store.ready(PATIENCE).await.unwrap();
    let writer = store.writer().unwrap();
    let payload = [b"hello".to_vec()];
    offer(&writer, &queue, &payload, LATER, Form::ByteId)
        .await
        .unwrap();
    let ours = || {
        let clients: String = redis::from_redis_value(server.cmd(&["CLIENT", "LIST"])).unwrap();
        clients.matches("name=delayscope").count()
    };
    assert_eq!(ours(), 2);
    until("the server to close the one that rests", || ours() == 1).await;
    let again = offer(&writer, &queue, &payload, LATER, Form::ByteId).await;
    assert_eq!(again.unwrap().ids.len(), 1);
}

#[tokio::test]
async fn a_survey_that_may_not_count_says_so_instead_of_zeros() {
    let server = Server::start_with(&["--rename-command", "ZCOUNT", ""]);
    let queue = Queue::redisson("orders");
    server.fill(&queue, 5, LATER, 1);
    let store = open(&server);
    store.ready(PATIENCE).await.unwrap();
    let refused = survey(&store, &queue, None, None).await.unwrap_err();
    assert!(refused.to_string().contains("ZCOUNT"), "{refused}");
    assert_eq!(
        pulse(&store, &queue, None).await.unwrap().waiting.get(),
        Some(5)
    );
}

#[tokio::test]
async fn a_server_with_enough_clients_is_quoted() {
    let server = Server::start_with(&["--maxclients", "1"]);
    let mut only = server.connection();
    until("the one place to be ours", || {
        let ours = redis::cmd("PING").exec(&mut only).is_ok();
        if !ours {
            only = server.connection();
        }
        ours
    })
    .await;
    let store = open(&server);
    let full = store.ready(PATIENCE).await.unwrap_err();
    assert!(full.to_string().contains("max number of clients"), "{full}");
    drop(only);
    until("the link to be live", || live(&store)).await;
}
