//! Keys that somebody writes to although nothing ever stands there.

use std::time::Duration;

use delayscope::clock::instant;
use delayscope::store::{Access, KeyWrites, Store};
use tokio::time::{sleep, timeout};

use crate::support::{PATIENCE, Server};

/// A message comes to the list and is taken at once.
fn deliver(server: &Server, list: &[u8]) {
    deliver_to(&mut server.connection(), list);
}

fn deliver_to(there: &mut redis::Connection, list: &[u8]) {
    let mut taken = redis::pipe();
    taken.atomic();
    taken.cmd("RPUSH").arg(list).arg("a message").ignore();
    taken.cmd("LPOP").arg(list).ignore();
    taken.exec(there).unwrap();
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

/// Looks into what the server tells, as each refresh does, until it has told of a write to this key.
async fn until_told(store: &Store, key: &[u8]) {
    let told = async {
        while store.written_ago(key).is_none() {
            store.hear_of_writes().await;
            sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(PATIENCE, told).await.unwrap();
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
    let keys = names(40);
    for key in &keys {
        let known = store.writes(key).await;
        assert!(matches!(known, KeyWrites::Unseen(_)), "{known:?}");
    }
    let (last, others) = keys.split_last().unwrap();
    // One message is enough.
    deliver(&server, last);
    until_told(&store, last).await;
    for key in others {
        assert_eq!(store.written_ago(key), None);
        let known = store.writes(key).await;
        assert!(matches!(known, KeyWrites::Unseen(_)), "{known:?}");
    }
    let known = store.writes(last).await;
    assert!(matches!(known, KeyWrites::Seen(_)), "{known:?}");
}

#[tokio::test]
async fn of_two_lists_that_get_messages_at_once_both_are_found() {
    let server = Server::start();
    if !server.is_from((6, 0), "a server that tells of writes by name") {
        return;
    }
    let store = open(&server).await;
    let keys = names(3);
    for key in &keys {
        store.writes(key).await;
    }
    let both = async {
        while keys[1..].iter().any(|key| store.written_ago(key).is_none()) {
            let mut taken = redis::pipe();
            taken.atomic();
            for key in &keys[1..] {
                taken.cmd("RPUSH").arg(key).arg("a message").ignore();
                taken.cmd("LPOP").arg(key).ignore();
            }
            taken.exec(&mut server.connection()).unwrap();
            store.hear_of_writes().await;
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, both).await.unwrap();
    assert_eq!(store.written_ago(&keys[0]), None);
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

/// Opens the server as a user who may do all but this; none where it knows no users.
async fn open_without(server: &Server, command: &str) -> Option<Store> {
    if !server.set_user("watcher", &[&format!("-{command}")]) {
        return None;
    }
    Some(open_as_watcher(server, 0).await)
}

/// Opens a database of the server as the user `watcher`.
async fn open_as_watcher(server: &Server, db: i64) -> Store {
    let mut endpoint = server.endpoint();
    (endpoint.user, endpoint.password) = (Some("watcher".to_owned()), Some("pw".to_owned()));
    endpoint.db = db;
    let store = Store::open(endpoint, Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    store
}

#[tokio::test]
async fn a_user_whom_the_server_may_not_tell_finds_it_by_watching() {
    let server = Server::start();
    let Some(store) = open_without(&server, "client").await else {
        return;
    };
    until_seen(&server, &store, &names(2), |known| {
        assert!(!matches!(known, KeyWrites::Seen(_)), "{known:?}");
    })
    .await;
}

#[tokio::test]
async fn a_user_who_may_not_watch_is_told_of_no_write() {
    let server = Server::start();
    let Some(store) = open_without(&server, "watch").await else {
        return;
    };
    let key = &names(1)[0];
    for _ in 0..20 {
        let known = store.writes(key).await;
        assert!(matches!(known, KeyWrites::Unseen(_)), "{known:?}");
        deliver(&server, key);
        store.hear_of_writes().await;
        assert_eq!(store.written_ago(key), None);
    }
}

#[tokio::test]
async fn a_user_with_a_password_in_another_database_is_told_of_what_is_written_there() {
    let server = Server::start();
    if !server.set_user("watcher", &["-@dangerous", "+client|tracking"]) {
        return;
    }
    let store = open_as_watcher(&server, 3).await;
    let keys = [b"{orders}", &b"{gifts}"[..]];
    for key in keys {
        store.writes(key).await;
    }
    let [mut here, mut elsewhere] = [3, 0].map(|db| server.connection_to(db));
    let begun = instant();
    let mut is_seen = false;
    while !is_seen || begun.elapsed() < Duration::from_secs(2) {
        // What is written in another database is no sign, though the server tells of it as well.
        deliver_to(&mut elsewhere, keys[1]);
        store.hear_of_writes().await;
        assert_eq!(store.written_ago(keys[1]), None);
        deliver_to(&mut here, keys[0]);
        store.hear_of_writes().await;
        is_seen |= store.written_ago(keys[0]).is_some();
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
    let known = store.writes(&keys[0]).await;
    assert!(matches!(known, KeyWrites::Unseen(_)), "{known:?}");
    deliver(&server, &keys[0]);
    until_told(&store, &keys[0]).await;
    server.cmd(&["CLIENT", "KILL", "TYPE", "normal"]);
    until_seen(&server, &store, &keys, drop).await;
}
