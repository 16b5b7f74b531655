//! Finding queues.

use delayscope::ops::discover::{DiscoveryEvent, discover_with};
use delayscope::ops::memory::Memory;
use delayscope::ops::refresh;
use delayscope::queue::{Known, Queue};
use delayscope::store::{Access, Store};
use futures_util::StreamExt;

use crate::open;
use crate::support::{PATIENCE, Server, frame};

async fn found(store: &Store, named: Vec<Queue>, memory: &Memory) -> (Vec<String>, u64) {
    let mut search = Box::pin(discover_with(store, named, memory.clone()));
    let (mut told, mut so_far) = (Vec::new(), 0);
    loop {
        let next = tokio::time::timeout(PATIENCE, search.next()).await.unwrap();
        match next.expect("an end") {
            DiscoveryEvent::Queue(queue) => told.push(queue.name.to_string()),
            DiscoveryEvent::Progress { looked, keys } => {
                assert!(looked >= so_far && looked <= keys);
                so_far = looked;
            }
            DiscoveryEvent::Failed(why) => panic!("{why}"),
            DiscoveryEvent::Away { nodes, .. } => panic!("{nodes:?}"),
            DiscoveryEvent::Done { looked } => {
                assert_eq!(search.next().await, None);
                return (told, looked);
            }
        }
    }
}

#[tokio::test]
async fn all_queues_are_found_among_foreign_keys() {
    let server = Server::start();
    let mut connection = server.connection();
    let foreign = "for i = 1, 20000 do redis.call('SET', 'user:' .. i, i) end";
    redis::cmd("EVAL")
        .arg(foreign)
        .arg(0)
        .exec(&mut connection)
        .unwrap();
    for n in 1..=30 {
        server.put(&Queue::redisson(format!("q{n}")), &frame(n, b"x"), "5");
    }
    // Order list only, aside only, quarantine only, a tagged name, both names of one key.
    server.cmd(&["RPUSH", "redisson_delay_queue:{order-only}", "x"]);
    server.cmd(&["RPUSH", "delayscope:aside:{aside}", "x"]);
    server.cmd(&["ZADD", "delayscope:quarantine:{poisoned}", "5", "x"]);
    server.put(&Queue::redisson("{tag}ged"), &frame(1, b"x"), "5");
    server.cmd(&["RPUSH", "{braces}", "delivered"]);
    server.put(&Queue::redisson("{braces}"), &frame(1, b"x"), "5");
    server.cmd(&["SET", "redisson_unrelated", "x"]);
    let store = open(&server).await;
    let (mut names, looked) = found(&store, Vec::new(), &Memory::none()).await;
    names.sort();
    let mut wanted: Vec<String> = (1..=30).map(|n| format!("q{n}")).collect();
    wanted.extend(["order-only", "aside", "poisoned", "{tag}ged", "{braces}"].map(String::from));
    wanted.sort();
    assert_eq!(names, wanted);
    assert!(looked >= 20_000);
}

#[tokio::test]
async fn named_queues_come_first_even_while_the_server_is_away() {
    let mut server = Server::start();
    let endpoint = server.endpoint();
    server.kill();
    let store = Store::open(endpoint, Access::ReadOnly);
    let named = vec![Queue::redisson("b"), "zset-list:z,r".parse().unwrap()];
    let mut search = Box::pin(discover_with(&store, named.clone(), Memory::none()));
    assert_eq!(
        search.next().await,
        Some(DiscoveryEvent::Queue(named[0].clone()))
    );
    assert_eq!(
        search.next().await,
        Some(DiscoveryEvent::Queue(named[1].clone()))
    );
    server.restart();
    server.put(&named[0], &frame(1, b"x"), "5");
    let rest = tokio::time::timeout(PATIENCE, search.collect::<Vec<_>>())
        .await
        .unwrap();
    assert!(
        matches!(rest[..], [DiscoveryEvent::Done { .. }]),
        "{rest:?}"
    );
}

#[tokio::test]
async fn an_empty_queue_with_a_transfer_client_is_found_by_its_channel() {
    let server = Server::start();
    let client = redis::Client::open(server.url()).unwrap();
    let mut subscriber = client.get_async_pubsub().await.unwrap();
    subscriber
        .subscribe("redisson_delay_queue_channel:{idle}")
        .await
        .unwrap();
    let store = open(&server).await;
    assert_eq!(found(&store, Vec::new(), &Memory::none()).await.0, ["idle"]);
    let pulse = refresh::pulse(&store, &Queue::redisson("idle"), None)
        .await
        .unwrap();
    assert_eq!(pulse.transfer_clients, Known::Is(1));
}

#[tokio::test]
async fn what_was_seen_last_time_comes_first_when_it_is_still_there() {
    let server = Server::start();
    let dir = tempfile::tempdir().unwrap();
    let memory = Memory::at(&dir.path().join("servers.json"));
    for name in ["gone", "still", "new"] {
        server.put(&Queue::redisson(name), &frame(1, b"x"), "5");
    }
    memory.keep(&server.endpoint(), vec!["still".into(), "gone".into()]);
    server.cmd(&[
        "DEL",
        "redisson_delay_queue:{gone}",
        "redisson_delay_queue_timeout:{gone}",
    ]);
    let store = open(&server).await;
    assert_eq!(found(&store, Vec::new(), &memory).await.0, ["still", "new"]);
    assert_eq!(
        memory.recall(&server.endpoint()),
        ["new".into(), "still".into()]
    );
}

#[tokio::test]
async fn a_server_that_refuses_scan_still_tells_the_live_queues() {
    let server = Server::start_with(&["--rename-command", "SCAN", ""]);
    server.put(&Queue::redisson("hidden"), &frame(1, b"x"), "5");
    let store = open(&server).await;
    let (names, looked) = found(&store, vec![Queue::redisson("named")], &Memory::none()).await;
    assert_eq!((names, looked), (vec!["named".to_owned()], 0));
}
