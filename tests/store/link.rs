//! The link: gone, back, hung, refused.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use delayscope::clock::instant;
use delayscope::ops::refresh;
use delayscope::queue::{Address, Known, Link, LinkState, Optional, Queue};
use delayscope::store::{Access, Store, StoreError, watch};
use futures_util::StreamExt;

use crate::support::{PATIENCE, Server, until};
use crate::{live, lost, open};

async fn hung(store: &Store) {
    let mut link = store.link();
    let hung = link.wait_for(|l| matches!(l.state, LinkState::Hung { .. }));
    let _ = tokio::time::timeout(PATIENCE, hung).await.expect("hung");
}

#[tokio::test]
async fn the_first_answer_tells_the_servers_time() {
    let server = Server::start();
    let store = Store::open(server.endpoint(), Access::ReadOnly);
    let clock = store.ready(PATIENCE).await.unwrap();
    // A few ms alone on a machine; here with all other tests beside it.
    assert!(clock.now().since(server.now()).abs() < 2_000);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told_at_once() {
    let mut server = Server::start();
    let endpoint = server.endpoint();
    server.kill();
    let store = Store::open(endpoint, Access::ReadOnly);
    let error = store.ready(PATIENCE).await.unwrap_err();
    assert!(matches!(error, StoreError::NotConnected { .. }), "{error}");
    server.restart();
    live(&store).await;
}

#[tokio::test]
async fn a_server_that_comes_back_is_live_soon() {
    let mut server = Server::start_tcp(&[]);
    let store = Store::open(server.tcp_endpoint(), Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    server.kill();
    lost(&store).await;
    server.restart();
    // Half a second alone on a machine; here with all other tests beside it.
    tokio::time::timeout(Duration::from_secs(5), live(&store))
        .await
        .expect("within seconds");
}

#[tokio::test]
async fn a_server_that_hangs_is_hung_and_then_live_again() {
    let server = Server::start();
    let store = Store::open(server.endpoint(), Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    server.stop();
    hung(&store).await;
    server.go_on();
    tokio::time::timeout(Duration::from_secs(5), live(&store))
        .await
        .expect("live again");
}

#[tokio::test]
async fn a_wrong_password_is_told_in_the_servers_words_and_healed_by_itself() {
    let mut server = Server::start_with(&["--requirepass", "sesame"]);
    server.log_in(None, Some("sesame"));
    let mut endpoint = server.endpoint();
    endpoint.password = Some("open".to_owned());
    let store = Store::open(endpoint, Access::ReadOnly);
    let error = store.ready(PATIENCE).await.unwrap_err();
    assert!(matches!(error, StoreError::Denied { .. }), "{error}");
    let words = lost(&store).await;
    // Up to 5.0 it is `ERR invalid password`.
    assert!(
        words.starts_with("WRONGPASS") || words.contains("invalid password"),
        "{words}"
    );
    server.cmd(&["CONFIG", "SET", "requirepass", "open"]);
    live(&store).await;
}

#[tokio::test]
async fn what_the_server_refuses_is_known_with_its_words() {
    let server = Server::start_with(&[
        "--rename-command",
        "INFO",
        "",
        "--rename-command",
        "CLIENT",
        "",
    ]);
    let store = Store::open(server.endpoint(), Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    let mut link = store.link();
    let known = link.wait_for(|l| !l.refused.0.is_empty());
    let link = tokio::time::timeout(PATIENCE, known)
        .await
        .unwrap()
        .unwrap()
        .clone();
    assert!(link.refused.why(Optional::Info).unwrap().starts_with("ERR"));
    assert!(link.refused.why(Optional::ClientList).is_some());
    assert_eq!(link.refused.why(Optional::NumSub), None);
    assert_eq!(link.facts, None);
}

#[tokio::test]
async fn a_database_is_chosen_by_its_number() {
    let server = Server::start_tcp(&[]);
    let mut connection = server.connection_to(3);
    redis::cmd("ZADD")
        .arg("redisson_delay_queue_timeout:{orders}")
        .arg(5)
        .arg("x")
        .exec(&mut connection)
        .unwrap();
    let mut endpoint = server.tcp_endpoint();
    endpoint.db = 3;
    let store = Store::open(endpoint.clone(), Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    let pulse = refresh::pulse(&store, &Queue::redisson("orders"), None)
        .await
        .unwrap();
    assert_eq!(pulse.waiting, Known::Is(1));
    endpoint.db = 99;
    let store = Store::open(endpoint, Access::ReadOnly);
    let error = store.ready(PATIENCE).await.unwrap_err();
    assert!(error.to_string().contains("out of range"), "{error}");
}

#[tokio::test]
async fn every_other_loss_heals_by_itself_too() {
    let mut server = Server::start();
    let store = open(&server).await;
    // Its connections are closed by somebody.
    server.cmd(&["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]);
    lost(&store).await;
    live(&store).await;
    // All data is gone.
    let queue = Queue::redisson("orders");
    server.put(&queue, b"x", "5");
    server.cmd(&["FLUSHALL"]);
    let pulse = refresh::pulse(&store, &queue, None).await.unwrap();
    assert_eq!(pulse.waiting, Known::Is(0));
    // It comes back with a password that we do not have, which is then taken off.
    server.restart_with(&["--requirepass", "sesame"]);
    server.log_in(None, Some("sesame"));
    let mut link = store.link();
    let told = link
        .wait_for(|l| matches!(&l.state, LinkState::Lost { why, .. } if why.starts_with("NOAUTH")));
    let _ = tokio::time::timeout(PATIENCE, told)
        .await
        .expect("its words");
    let error = refresh::pulse(&store, &queue, None).await.unwrap_err();
    assert!(matches!(error, StoreError::Denied { .. }), "{error}");
    server.cmd(&["CONFIG", "SET", "requirepass", ""]);
    live(&store).await;
}

#[tokio::test]
async fn a_request_to_a_hung_server_ends_in_time_and_blocks_no_later_one() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    server.put(&queue, b"x", "5");
    server.stop();
    let short = Duration::from_millis(50);
    let asked = tokio::time::timeout(short, refresh::pulse(&store, &queue, None));
    assert!(asked.await.is_err(), "no answer");
    let asked = refresh::pulse(&store, &queue, None).await;
    assert!(
        matches!(asked, Err(StoreError::TimedOut { .. })),
        "{asked:?}"
    );
    server.go_on();
    let pulse = refresh::pulse(&store, &queue, None).await.unwrap();
    assert!(
        matches!(pulse.waiting, Known::Is(1)),
        "no late answer to an old question"
    );
    live(&store).await;
}

#[tokio::test]
async fn a_server_busy_with_a_script_hangs_and_is_live_again_without_a_new_connection() {
    let server = Server::start_with(&["--lua-time-limit", "100"]);
    let store = open(&server).await;
    let before = server.int(&["CLIENT", "ID"]);
    let mut connection = server.connection();
    let endless = std::thread::spawn(move || {
        let script = redis::cmd("EVAL")
            .arg("while true do end")
            .arg(0)
            .exec(&mut connection);
        assert!(script.is_err(), "killed");
    });
    hung(&store).await;
    // What asks again where it is busy does so on this connection.
    let patient = store.patient(Duration::from_millis(200));
    patient.ready(Duration::ZERO).await.unwrap();
    server.cmd(&["SCRIPT", "KILL"]);
    endless.join().unwrap();
    live(&store).await;
    let list: String = redis::from_redis_value(server.cmd(&["CLIENT", "LIST"])).unwrap();
    let ours = list
        .lines()
        .find(|line| line.contains("name=delayscope"))
        .unwrap();
    let id: i64 = ours.split([' ', '=']).nth(1).unwrap().parse().unwrap();
    assert!(id < before, "the connection from before");
}

#[tokio::test]
async fn a_hurried_retry_does_not_wait_for_its_time() {
    let mut server = Server::start();
    let store = open(&server).await;
    server.kill();
    let mut retry_at = None;
    let mut link = store.link();
    // Some attempts, so that the pause has grown to half a second.
    for _ in 0..6 {
        let next = link.wait_for(|l| match l.state {
            LinkState::Lost { retry_at: at, .. } => Some(at) != retry_at,
            _ => false,
        });
        if let LinkState::Lost { retry_at: at, .. } = next.await.unwrap().state {
            retry_at = Some(at);
        }
    }
    server.restart();
    store.retry_now();
    live(&store).await;
    assert!(instant() < retry_at.unwrap());
}

#[tokio::test]
async fn a_server_as_old_as_5_0_has_nothing_to_refuse() {
    let missing = [
        "HELLO", "CLIENT", "INFO", "ACL", "LPOS", "ZMSCORE", "MEMORY", "RESET",
    ];
    let mut server = Server::without_with(&missing, &["--requirepass", "sesame"]);
    server.log_in(None, Some("sesame"));
    server.put(&Queue::redisson("orders"), b"x", "5");
    for user in [None, Some("default")] {
        server.log_in(user, Some("sesame"));
        let store = open(&server).await;
        let pulse = refresh::pulse(&store, &Queue::redisson("orders"), None)
            .await
            .unwrap();
        assert_eq!(pulse.waiting, Known::Is(1));
    }
}

#[tokio::test]
async fn a_password_that_the_server_does_not_want_is_no_reason_to_stay_out() {
    let mut server = Server::start();
    server.log_in(None, Some("lingering"));
    let store = open(&server).await;
    let heard = tokio::spawn(watch::announcements(&store).collect::<Vec<_>>());
    server.log_in(None, None);
    until("a subscription", || server.int(&["PUBSUB", "NUMPAT"]) == 1).await;
    heard.abort();
}

#[tokio::test]
async fn a_user_who_may_not_ask_for_the_time_is_told_what_is_missing() {
    let mut server = Server::start();
    if !server.set_user("guest", &["-time"]) {
        return;
    }
    server.log_in(Some("guest"), Some("pw"));
    let store = Store::open(server.endpoint(), Access::ReadOnly);
    let error = store.ready(PATIENCE).await.unwrap_err();
    assert_eq!(error.code(), Some("NOPERM"), "{error}");
    assert!(error.to_string().contains("refused to tell the time"));
}

#[tokio::test]
async fn the_link_ends_with_its_last_handle() {
    let server = Server::start();
    let store = open(&server).await;
    let named = || {
        let list = server.cmd(&["CLIENT", "LIST"]);
        let list: String = redis::from_redis_value(list).unwrap();
        list.matches("name=delayscope").count()
    };
    until("our name", || named() == 1).await;
    drop(store);
    until("the end", || named() == 0).await;
}

#[test]
fn a_password_is_never_shown() {
    let mut server = Server::start();
    server.log_in(Some("me"), Some("sesame"));
    let shown = format!("{0:?} {0}", server.endpoint());
    assert!(!shown.contains("sesame"), "{shown}");
}

/// A relay that can fall silent without closing anything, as a dead network does.
struct Relay {
    port: u16,
    silent: Arc<AtomicBool>,
}

impl Relay {
    /// To a server's TCP port; connections made while it is silent work when it is not any more,
    /// those from before are dead for ever.
    fn to(server_port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let silent = Arc::new(AtomicBool::new(false));
        let mute = Arc::clone(&silent);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.unwrap();
                let server = TcpStream::connect(("127.0.0.1", server_port)).unwrap();
                let dead = Arc::new(AtomicBool::new(false));
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let (mute, dead) = (Arc::clone(&mute), Arc::clone(&dead));
                    std::thread::spawn(move || {
                        let mut bytes = [0; 16_384];
                        while let Ok(n @ 1..) = from.read(&mut bytes) {
                            dead.fetch_or(mute.load(Relaxed), Relaxed);
                            if !dead.load(Relaxed) && to.write_all(&bytes[..n]).is_err() {
                                return;
                            }
                        }
                    });
                }
            }
        });
        Self { port, silent }
    }
}

#[tokio::test]
async fn a_connection_that_died_without_a_word_is_replaced() {
    let server = Server::start_tcp(&[]);
    let relay = Relay::to(server.port());
    let address = Address::Tcp("127.0.0.1".to_owned(), relay.port);
    let store = Store::open(server.endpoint_at(address, 0), Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    relay.silent.store(true, Relaxed);
    hung(&store).await;
    relay.silent.store(false, Relaxed);
    live(&store).await;
    refresh::pulse(&store, &Queue::redisson("orders"), None)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_server_that_becomes_a_replica_is_told_so() {
    let server = Server::start();
    let store = open(&server).await;
    let mut link = store.link();
    let role = |l: &Link, role: &str| l.facts.as_ref().is_some_and(|f| f.role == role);
    let master = link.wait_for(|l| role(l, "master"));
    let _ = tokio::time::timeout(PATIENCE, master).await.unwrap();
    server.cmd(&["REPLICAOF", "127.0.0.1", "1"]);
    let replica = link.wait_for(|l| role(l, "slave"));
    let _ = tokio::time::timeout(PATIENCE, replica).await.unwrap();
}
