//! A server that cannot do it: each script is refused whole, or simply told again.

use delayscope::store::StoreError;
use delayscope::store::change::WatchedOutcome;
use delayscope::store::write::DueCursor;

use crate::scripts::changes::{REMOVALS, all, contents, make, set_up};
use crate::scripts::{PAST, orders, plain, writer};
use crate::support::{self, Server};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_of_another_type_is_named_and_nothing_is_done() {
    let server = Server::start();
    let writer = writer(&server).await;
    for queue in [orders(), plain("left")] {
        let keys = queue.keys();
        let target = keys.target.clone();
        let all = [Some(keys.target), Some(keys.timeouts), keys.order];
        for wrong in all.into_iter().flatten() {
            server.cmd(&["FLUSHALL"]);
            server.put(&queue, &support::frame(1, b"x"), "1600000000000");
            server.cmd_bytes(&[b"SET", &wrong, b"in the way"]);
            let before = contents(&server);
            let transferred = writer
                .transfer(&queue, PAST.plus(1), 10, &DueCursor::default())
                .await;
            let offered = writer.offer(&queue, vec![(PAST, b"new".to_vec())]).await;
            let offered = if wrong == target {
                // An offer has no business with target.
                Err(transferred.clone().unwrap_err())
            } else {
                offered
            };
            for error in [transferred.map(|_| ()), offered.map(|_| ())] {
                let Err(StoreError::WrongType { key, kind, .. }) = error else {
                    panic!("{error:?} for {:?}", String::from_utf8_lossy(&wrong));
                };
                assert_eq!(
                    (key.as_bytes(), kind.as_str()),
                    (wrong.as_slice(), "string")
                );
            }
            if wrong != target {
                assert_eq!(contents(&server), before);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_takes_no_writes_refuses_each_script_whole() {
    let full: [&[&str]; 2] = [
        &["CONFIG", "SET", "maxmemory", "1"],
        &["CONFIG", "SET", "maxmemory", "0"],
    ];
    let replica: [&[&str]; 2] = [
        &["REPLICAOF", "127.0.0.1", "1"],
        &["REPLICAOF", "NO", "ONE"],
    ];
    let server = Server::start();
    let writer = writer(&server).await;
    for ([set, unset], code) in [(full, "OOM"), (replica, "READONLY")] {
        for queue in [orders(), plain("left")] {
            server.cmd(&["FLUSHALL"]);
            for n in 1..=3 {
                server.put(&queue, &support::frame(n, b"x"), "1600000000000");
            }
            let before = contents(&server);
            server.cmd(set);
            let now = PAST.plus(1);
            let entries = vec![(PAST, b"new".to_vec()), (PAST, b"newer".to_vec())];
            let offered = writer.offer(&queue, entries.clone()).await.unwrap_err();
            let transferred = writer
                .transfer(&queue, now, 10, &DueCursor::default())
                .await
                .unwrap_err();
            assert_eq!(offered.code(), Some(code), "{offered}");
            assert_eq!(transferred.code(), Some(code), "{transferred}");
            server.cmd(unset);
            assert_eq!(contents(&server), before);
            writer.offer(&queue, entries).await.unwrap();
            let moved = writer
                .transfer(&queue, now, 10, &DueCursor::default())
                .await
                .unwrap()
                .done
                .moved;
            assert!(moved.len() >= 3, "{moved:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_forgot_the_scripts_is_told_them_again() {
    let server = Server::start();
    let writer = writer(&server).await;
    for queue in [orders(), plain("right")] {
        for round in 0..3_u64 {
            let member = support::frame(round, b"x");
            writer.offer(&queue, vec![(PAST, member)]).await.unwrap();
            server.cmd(&["SCRIPT", "FLUSH"]);
            assert_eq!(
                writer
                    .transfer(&queue, PAST, 10, &DueCursor::default())
                    .await
                    .unwrap()
                    .done
                    .moved
                    .len(),
                1
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_that_meets_a_key_of_another_type_names_it_and_does_nothing() {
    let server = Server::start();
    let writer = writer(&server).await;
    for queue in [orders(), plain("left")] {
        let keys = queue.keys();
        let roles = [
            ('q', Some(keys.target)),
            ('T', Some(keys.timeouts)),
            ('L', keys.order),
            ('A', keys.aside),
            ('Q', Some(keys.quarantine)),
        ];
        for (role, wrong) in roles {
            let Some(wrong) = wrong else { continue };
            for (change, looks_at) in all(&queue) {
                if !looks_at.contains(role) {
                    continue;
                }
                set_up(&server, &queue, change);
                server.cmd_bytes(&[b"SET", &wrong, b"in the way"]);
                let before = contents(&server);

                let Err(StoreError::WrongType { key, kind, .. }) =
                    make(&writer, &queue, change).await
                else {
                    panic!("{change} with {role} of another type");
                };
                assert_eq!(key.as_bytes(), wrong, "{change}");
                assert_eq!(kind, "string");
                assert_eq!(contents(&server), before, "{change}, {role}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_that_becomes_another_type_under_watch_stops_the_transfer_whole() {
    let server = Server::start();
    let (writer, queue) = (writer(&server).await, orders());
    let payloads = [b"x".as_slice(); 4];
    let keys = queue.keys();
    for wrong in [&keys.target, &keys.timeouts, &keys.order.unwrap()] {
        set_up(&server, &queue, "transfer under watch");
        let watched = writer.watch_due(&queue, PAST, 4, false).await.unwrap();
        server.cmd_bytes(&[b"SET", wrong, b"in the way"]);
        let before = contents(&server);
        let moved = watched.unwrap().transfer([b"x"; 2], &payloads, 4).await;
        if *wrong == keys.target {
            let Err(StoreError::WrongType { key, .. }) = moved else {
                panic!("{moved:?}");
            };
            assert_eq!(key.as_bytes(), wrong);
        } else {
            assert_eq!(moved.unwrap().done, WatchedOutcome::Touched);
        }
        assert_eq!(contents(&server), before);
    }
}

/// Redis up to 6.0 does not take SWAPDB for a touch of what is watched.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_entries_of_another_database_that_comes_into_this_place_under_watch_stay() {
    let server = Server::start();
    let (writer, queue) = (writer(&server).await, orders());
    let keys = queue.keys();
    set_up(&server, &queue, "transfer under watch");
    let mut others = redis::pipe();
    others.cmd("SELECT").arg(1);
    for n in 21..=26 {
        let member = support::frame(n, b"of another database");
        others.zadd(&keys.timeouts, &member, 1_600_000_000_000_u64);
        others.rpush(keys.order.as_ref().unwrap(), member);
    }
    others.exec(&mut server.connection()).unwrap();
    let watched = writer.watch_due(&queue, PAST, 4, false).await.unwrap();
    let mut watched = watched.unwrap();
    let rows = watched.take_rows().first(4);
    let payloads: Vec<&[u8]> = rows.iter().map(|row| &row.member[16..]).collect();
    server.cmd(&["SWAPDB", "0", "1"]);
    let before = contents(&server);
    let ends = [&rows[0], &rows[3]].map(|row| row.member.as_slice());
    let moved = watched.transfer(ends, &payloads, 4).await.unwrap();
    assert_eq!(moved.done, WatchedOutcome::Touched);
    assert_eq!(contents(&server), before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_on_a_server_that_takes_no_writes_does_nothing() {
    let server = Server::start();
    let writer = writer(&server).await;
    let full: [&[&str]; 2] = [
        &["CONFIG", "SET", "maxmemory", "1"],
        &["CONFIG", "SET", "maxmemory", "0"],
    ];
    let replica: [&[&str]; 2] = [
        &["REPLICAOF", "127.0.0.1", "1"],
        &["REPLICAOF", "NO", "ONE"],
    ];
    for queue in [orders(), plain("left"), plain("right")] {
        for (change, _) in all(&queue) {
            for ([set, unset], code) in [(full, "OOM"), (replica, "READONLY")] {
                set_up(&server, &queue, change);
                let before = contents(&server);
                server.cmd(set);
                let made = make(&writer, &queue, change).await;
                server.cmd(unset);
                if code == "OOM" && REMOVALS.contains(&change) {
                    made.unwrap();
                    continue;
                }
                let refused = made.expect_err(change);
                assert_eq!(refused.code(), Some(code), "{change}: {refused}");
                assert_eq!(contents(&server), before, "{change}: {code}");
                make(&writer, &queue, change).await.unwrap();
                assert_ne!(contents(&server), before, "{change}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_whose_script_the_server_forgot_is_made_all_the_same() {
    let server = Server::start();
    let writer = writer(&server).await;
    for queue in [orders(), plain("right")] {
        for (change, _) in all(&queue) {
            set_up(&server, &queue, change);
            let before = contents(&server);
            for _ in 0..2 {
                server.cmd(&["SCRIPT", "FLUSH"]);
                make(&writer, &queue, change).await.unwrap();
            }
            assert_ne!(contents(&server), before, "{change}");
        }
    }
}
