//! Announcements.

use std::time::Duration;

use delayscope::clock::EpochMillis;
use delayscope::ops::refresh;
use delayscope::queue::look::LookAsk;
use delayscope::queue::{Known, Optional, Queue};
use delayscope::store::listen::{Heard, listen, listen_named};
use delayscope::store::{StoreError, read, watch};
use futures_util::StreamExt;

use crate::support::{self, PATIENCE, Server};
use crate::{lost, open};

async fn subscribed(server: &Server) {
    support::until("the pattern subscription", || {
        server.int(&["PUBSUB", "NUMPAT"]) == 1
    })
    .await;
}

#[tokio::test]
async fn announcements_are_heard_and_do_not_count_as_a_transfer_client() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    let mut heard = Box::pin(watch::announcements(&store));
    let channel = "redisson_delay_queue_channel:{orders}";
    let (first, ()) = tokio::join!(heard.next(), async {
        subscribed(&server).await;
        let pulse = refresh::pulse(&store, &queue, None).await.unwrap();
        assert_eq!(pulse.transfer_clients, Known::Is(0));
        server.cmd(&["PUBLISH", channel, "1700000000000"]);
    });
    let first = first.unwrap();
    assert_eq!(first.channel, channel.as_bytes());
    assert_eq!(first.due(), Some(EpochMillis::new(1_700_000_000_000)));
    assert!(first.at.since(server.now()).abs() < 1_000);
    drop(heard);
    support::until("the end of it", || server.int(&["PUBSUB", "NUMPAT"]) == 0).await;
}

#[tokio::test]
async fn announcements_go_on_when_the_server_is_back() {
    let mut server = Server::start();
    let store = open(&server).await;
    let mut heard = Box::pin(watch::announcements(&store));
    let listening = tokio::spawn(async move { heard.next().await });
    subscribed(&server).await;
    server.kill();
    lost(&store).await;
    server.restart();
    let back = tokio::time::timeout(Duration::from_secs(5), subscribed(&server));
    back.await.expect("subscribed within seconds");
    server.cmd(&["PUBLISH", "redisson_delay_queue_channel:{orders}", "0"]);
    let message = tokio::time::timeout(PATIENCE, listening)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(message.unwrap().message, b"0");
}

#[tokio::test]
async fn announcements_end_quietly_when_they_are_refused() {
    let server = Server::start_with(&["--rename-command", "PSUBSCRIBE", ""]);
    let store = open(&server).await;
    let mut heard = Box::pin(watch::announcements(&store));
    let next = tokio::time::timeout(PATIENCE, heard.next()).await.unwrap();
    assert_eq!(next, None);
    let why = store.why_refused(Optional::PSubscribe).unwrap();
    assert!(why.contains("unknown command"), "{why}");
}

#[tokio::test]
async fn a_stand_in_worker_is_told_from_the_queues_own_clients_however_it_logs_in() {
    let channel = Queue::redisson("orders").keys().channel.unwrap();
    let servers = [
        (Server::start_tcp(&[]), None),
        (Server::start(), Some("lingering")),
        (
            Server::start_with(&["--requirepass", "sesame"]),
            Some("sesame"),
        ),
    ];
    for (mut server, password) in servers {
        server.log_in(None, password);
        let store = open(&server).await;
        let mut heard = listen_named(&store, channel.clone());
        assert_eq!(heard.next().await, Some(Heard::Subscribed));
        let look = read::look(&store, LookAsk::Whole).await.unwrap();
        let clients = look.clients.get_ref().unwrap();
        assert_eq!(clients.stand_ins(&channel), 1);
        assert_eq!(clients.stand_ins(b"another"), 0);
        // Who plays a queue's own client is none.
        let mut played = listen(&store, b"played".to_vec());
        assert_eq!(played.next().await, Some(Heard::Subscribed));
        let look = read::look(&store, LookAsk::Whole).await.unwrap();
        assert_eq!(look.clients.get_ref().unwrap().stand_ins(b"played"), 0);
    }
    // A wrong password is told, and who may not name itself listens all the same.
    let mut server =
        Server::start_with(&["--requirepass", "sesame", "--rename-command", "CLIENT", ""]);
    server.log_in(None, Some("sesame"));
    let store = open(&server).await;
    assert_eq!(
        listen_named(&store, channel.clone()).next().await,
        Some(Heard::Subscribed)
    );
    server.cmd(&["CONFIG", "SET", "requirepass", "open"]);
    let lost = listen_named(&store, channel).next().await;
    let denied = |why: &StoreError| matches!(why, StoreError::Denied { .. });
    assert!(
        matches!(&lost, Some(Heard::Lost { why, .. }) if denied(why)),
        "{lost:?}"
    );
}
