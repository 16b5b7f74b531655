//! Keys that somebody writes to although nothing ever stands there.

use std::time::Duration;

use delayscope::clock::instant;
use delayscope::store::{Access, KeyWrites, Store};
use tokio::time::{sleep, timeout};

use crate::support::{PATIENCE, Server, until};

/// A message comes to the list and is taken at once.
fn deliver(server: &Server, list: &[u8]) {
    let mut taken = redis::pipe();
    taken.atomic();
    taken.cmd("RPUSH").arg(list).arg("a message").ignore();
    taken.cmd("LPOP").arg(list).ignore();
    taken.exec(&mut server.connection()).unwrap();
}

async fn open(server: &Server) -> Store {
    let store = Store::open(server.endpoint(), Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    store
}

/// Delivers to the last of these lists again and again, until it is known that somebody does; `look`
/// is shown what is known of the others.
async fn until_seen(server: &Server, store: &Store, keys: &[Vec<u8>], look: impl Fn(KeyWrites)) {
    let (last, others) = keys.split_last().unwrap();
    let seen = async {
        loop {
            for key in others {
                look(store.writes(key).await);
            }
            if matches!(store.writes(last).await, KeyWrites::Seen(_)) {
                return;
            }
            deliver(server, last);
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, seen).await.unwrap();
}

fn names(count: u32) -> Vec<Vec<u8>> {
    let name = |n: u32| format!("{{orders-{n}}}").into_bytes();
    (0..count).map(name).collect()
}

#[tokio::test]
async fn the_server_tells_which_of_many_keys_is_written_to_and_no_other_is_ever_in_doubt() {
    let server = Server::start();
    if !server.is_from((6, 0), "a server that tells of writes by name") {
        return;
    }
    let store = open(&server).await;
    let nothing = |known| {
        let is_quiet = matches!(known, KeyWrites::Awaited | KeyWrites::Unseen(_));
        assert!(is_quiet, "{known:?}");
    };
    until_seen(&server, &store, &names(40), nothing).await;
}

#[tokio::test]
async fn whoever_deletes_all_keys_does_not_end_what_the_server_tells() {
    let server = Server::start();
    let store = open(&server).await;
    let keys = names(2);
    for key in &keys {
        store.writes(key).await;
    }
    server.cmd(&["FLUSHALL"]);
    until_seen(&server, &store, &keys[1..], drop).await;
    let other = store.writes(&keys[0]).await;
    assert!(!matches!(other, KeyWrites::Seen(_)), "{other:?}");
}

#[tokio::test]
async fn where_the_server_does_not_tell_us_it_is_found_by_watching() {
    let server = Server::without(&["client"]);
    let store = open(&server).await;
    until_seen(&server, &store, &names(2), |known| {
        assert!(!matches!(known, KeyWrites::Seen(_)), "{known:?}");
    })
    .await;
}

#[tokio::test]
async fn a_user_with_a_password_in_another_database_is_told_of_what_is_written_there() {
    let server = Server::start();
    if !server.set_user("watcher", &["-@dangerous", "+client|tracking"]) {
        return;
    }
    let mut endpoint = server.endpoint();
    (endpoint.db, endpoint.user) = (3, Some("watcher".to_owned()));
    endpoint.password = Some("pw".to_owned());
    let store = Store::open(endpoint, Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    let set = |db: i64, key: &str| {
        let mut there = server.connection_to(db);
        redis::cmd("SET").arg(&[key, "x"]).exec(&mut there).unwrap();
    };
    let begun = instant();
    let mut is_seen = false;
    // Until it would have been found a second time.
    while !is_seen || begun.elapsed() < Duration::from_secs(6) {
        is_seen |= matches!(store.writes(b"{orders}").await, KeyWrites::Seen(_));
        // What is written in another database is no sign, though the server tells of it as well.
        let gifts = store.writes(b"{gifts}").await;
        let is_found = matches!(gifts, KeyWrites::Seen(_) | KeyWrites::Once(_));
        assert!(!is_found, "{gifts:?}");
        set(3, "{orders}");
        set(0, "{gifts}");
        assert!(begun.elapsed() < PATIENCE);
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_connection_that_is_lost_is_told_of_and_another_one_goes_on() {
    let server = Server::start();
    if !server.is_from((6, 0), "a server that tells of writes by name") {
        return;
    }
    let store = open(&server).await;
    let keys = names(1);
    assert_eq!(store.writes(&keys[0]).await, KeyWrites::Awaited);
    assert!(!store.was_told_of(&keys[0]));
    deliver(&server, &keys[0]);
    until("the server has told of it", || store.was_told_of(&keys[0])).await;
    assert!(!store.was_told_of(&keys[0]), "it is no news any more");
    server.cmd(&["CLIENT", "KILL", "TYPE", "normal"]);
    until_seen(&server, &store, &keys, drop).await;
}
