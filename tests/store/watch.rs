//! Announcements.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use delayscope::clock::EpochMillis;
use delayscope::ops::refresh;
use delayscope::queue::look::LookAsk;
use delayscope::queue::{Address, Endpoint, Known, MOST_HEARD, Optional, Queue};
use delayscope::store::listen::{Heard, listen, listen_named};
use delayscope::store::{Access, Store, StoreError, read, watch};
use futures_util::StreamExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UnixStream};

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
async fn of_a_large_message_on_a_channel_the_beginning_is_kept_and_its_size() {
    let server = Server::start();
    let store = open(&server).await;
    let mut heard = Box::pin(watch::announcements(&store));
    let listening = tokio::spawn(async move { heard.next().await });
    subscribed(&server).await;
    let large = vec![b'7'; 5_000_000];
    server.cmd_bytes(&[b"PUBLISH", b"redisson_delay_queue_channel:{orders}", &large]);
    let message = tokio::time::timeout(PATIENCE, listening).await;
    let message = message.unwrap().unwrap().unwrap();
    assert_eq!(message.message, large[..MOST_HEARD]);
    assert_eq!(message.cut_from(), Some(5_000_000));
    assert_eq!(message.due(), None);
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

/// A server that answers everything with +OK and ends each connection that subscribed; how often
/// it was asked for a subscription.
async fn agreeable() -> (Endpoint, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let subscribed = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&subscribed);
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let count = Arc::clone(&count);
            tokio::spawn(async move {
                let mut asked = vec![0; 4096];
                while let Ok(n @ 1..) = stream.read(&mut asked).await {
                    let asked = String::from_utf8_lossy(&asked[..n]).to_uppercase();
                    let commands = asked.matches('*').count();
                    stream
                        .write_all("+OK\r\n".repeat(commands).as_bytes())
                        .await
                        .unwrap();
                    if asked.contains("SUBSCRIBE") {
                        count.fetch_add(1, Ordering::SeqCst);
                        return;
                    }
                }
            });
        }
    });
    let address = Address::Tcp("127.0.0.1".to_owned(), port);
    let endpoint = Endpoint {
        address,
        db: 0,
        user: None,
        password: None,
        tls: None,
        via: delayscope::queue::via::Via::default(),
        profile: None,
    };
    (endpoint, subscribed)
}

/// How long a subscription that never stays is tried.
const TRIED: Duration = Duration::from_millis(1_500);

#[tokio::test]
async fn a_subscription_that_never_stays_is_tried_with_the_pauses_of_the_link() {
    let (endpoint, subscribed) = agreeable().await;
    let store = Store::open(endpoint, Access::ReadOnly);
    let mut announced = Box::pin(watch::announcements(&store));
    let none = tokio::time::timeout(TRIED, announced.next()).await;
    assert!(none.is_err(), "{none:?}");
    let tried = subscribed.swap(0, Ordering::SeqCst);
    assert!((2..=6).contains(&tried), "{tried} in {TRIED:?}");
    drop(announced);

    let heard = listen(&store, b"c".to_vec());
    let lost = tokio::time::timeout(TRIED, heard.for_each(|_| async {})).await;
    assert!(lost.is_err());
    let tried = subscribed.load(Ordering::SeqCst);
    assert!((2..=6).contains(&tried), "{tried} in {TRIED:?}");
}

/// Before a server: passes everything, but ends a connection that subscribes.
async fn deaf(server: &Server) -> Endpoint {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let socket = server.socket();
    tokio::spawn(async move {
        loop {
            let (client, _) = listener.accept().await.unwrap();
            let server = UnixStream::connect(&socket).await.unwrap();
            let (mut from_client, mut to_client) = client.into_split();
            let (mut from_server, mut to_server) = server.into_split();
            tokio::spawn(async move { tokio::io::copy(&mut from_server, &mut to_client).await });
            tokio::spawn(async move {
                let mut asked = vec![0; 4096];
                while let Ok(n @ 1..) = from_client.read(&mut asked).await {
                    let words = String::from_utf8_lossy(&asked[..n]).to_uppercase();
                    if words.contains("PSUBSCRIBE") {
                        break;
                    }
                    to_server.write_all(&asked[..n]).await.unwrap();
                }
            });
        }
    });
    let address = Address::Tcp("127.0.0.1".to_owned(), port);
    server.endpoint_at(address, 0)
}

#[tokio::test]
async fn a_subscription_that_is_lost_again_and_again_is_told_while_all_else_is_answered() {
    let server = Server::start();
    let store = Store::open(deaf(&server).await, Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    let mut announced = Box::pin(watch::announcements(&store));
    let listening = tokio::spawn(async move { announced.next().await });
    support::until("it to be told", || {
        store.why_refused(Optional::PSubscribe).is_some()
    })
    .await;
    let why = store.why_refused(Optional::PSubscribe).unwrap();
    assert!(why.contains("lost each time"), "{why}");
    listening.abort();
}
