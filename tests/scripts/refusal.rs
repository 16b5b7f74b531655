//! A server that cannot do it: each script is refused whole, or simply told again.

use delayscope::store::StoreError;

use crate::support::{self, Server};
use crate::{PAST, orders, plain, writer};

/// Everything the server holds, each key as it would be dumped.
fn contents(server: &Server) -> Vec<(Vec<u8>, support::Value)> {
    let mut keys = server.list(&["KEYS", "*"]);
    keys.sort();
    keys.into_iter()
        .map(|key| {
            let dump = server.cmd_bytes(&[b"DUMP", &key]);
            (key, dump)
        })
        .collect()
}

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
            let transferred = writer.transfer(&queue, PAST.plus(1), 10, 0).await;
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
            let transferred = writer.transfer(&queue, now, 10, 0).await.unwrap_err();
            assert_eq!(offered.code(), Some(code), "{offered}");
            assert_eq!(transferred.code(), Some(code), "{transferred}");
            server.cmd(unset);
            assert_eq!(contents(&server), before);
            writer.offer(&queue, entries).await.unwrap();
            let moved = writer
                .transfer(&queue, now, 10, 0)
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
                    .transfer(&queue, PAST, 10, 0)
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
