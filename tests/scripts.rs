//! The Lua scripts against a real server: what they do, and that they do all or nothing when a
//! key is of another type, the server is full, read-only, or has forgotten them.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failure here is a failed test"
)]

mod support;

use std::time::Duration;

use delayscope::clock::EpochMillis;
use delayscope::ops::offer::{offer, offer_each};
use delayscope::queue::{EntryId, Form, Queue, frame};
use delayscope::store::write::{Head, Transferred, Writer};
use delayscope::store::{Access, Store, StoreError};
use support::{Monitor, PATIENCE, Server, double_frame};

/// A moment long ago: whatever has this score is due.
const PAST: EpochMillis = EpochMillis::new(1_600_000_000_000);

async fn writer(server: &Server) -> Writer {
    let store = Store::open(server.endpoint(), Access::ReadWrite);
    store.ready(PATIENCE).await.unwrap();
    store.writer().unwrap()
}

fn orders() -> Queue {
    Queue::redisson("orders")
}

fn plain(push: &str) -> Queue {
    format!("zset-list:delayed,ready,ms,{push}")
        .parse()
        .unwrap()
}

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

fn published(monitor: &Monitor, server: &Server) -> Vec<Vec<String>> {
    let mut commands = monitor.commands(server);
    commands.retain(|words| words[0].eq_ignore_ascii_case("publish"));
    commands
}

async fn transfer(writer: &Writer, queue: &Queue, n: usize) -> Transferred {
    let now = writer.store().clock().unwrap().now();
    writer.transfer(queue, now, n, 0).await.unwrap().done
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_offer_leaves_what_a_clients_own_script_would_leave() {
    let server = Server::start();
    let writer = writer(&server).await;
    let due = EpochMillis::new(4_000_000_000_123);
    for (form, pack) in [
        (Form::ByteId, "'Bc0Lc0', 8, ARGV[2], #ARGV[3], ARGV[3]"),
        (Form::DoubleId, "'c0Lc0', ARGV[2], #ARGV[3], ARGV[3]"),
    ] {
        server.cmd(&["FLUSHALL"]);
        let monitor = server.monitor();
        let payload = b"caf\xc3\xa9\0\xff".to_vec();
        let ours = Queue::redisson(format!("ours-{form}"));
        let offered = offer(&writer, &ours, std::slice::from_ref(&payload), due, form).await;
        let offered = offered.unwrap();
        assert!(offered.head && offered.refused.is_empty());
        // The same with the server's own struct.pack, in the order that the clients do it. An id
        // of the older era is a double; its 8 bytes are given as they are.
        let script = format!(
            "local m = struct.pack({pack}) \
             redis.call('zadd', KEYS[2], ARGV[1], m) redis.call('rpush', KEYS[3], m) \
             if redis.call('zrange', KEYS[2], 0, 0)[1] == m then \
             redis.call('publish', KEYS[4], ARGV[1]) end"
        );
        let theirs = Queue::redisson(format!("theirs-{form}"));
        let keys = theirs.keys();
        server.cmd_bytes(&[
            b"EVAL",
            script.as_bytes(),
            b"4",
            &keys.target,
            &keys.timeouts,
            keys.order.as_ref().unwrap(),
            keys.channel.as_ref().unwrap(),
            b"4000000000123",
            &offered.ids[0].0,
            &payload,
        ]);
        let dump = |key: &[u8]| server.cmd_bytes(&[b"DUMP", key]);
        let (o, t) = (ours.keys(), theirs.keys());
        assert_eq!(dump(&o.timeouts), dump(&t.timeouts), "{form}: timeouts");
        assert_eq!(dump(&o.order.unwrap()), dump(&t.order.unwrap()), "{form}");
        assert_eq!(dump(&o.target), support::Value::Nil);
        let published = published(&monitor, &server);
        assert_eq!(published.len(), 2, "{published:?}");
        assert_eq!(published[0][2], published[1][2]);
        assert_eq!(published[0][1], published[1][1].replace("theirs", "ours"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_is_announced_once_and_only_when_it_brings_the_head() {
    let server = Server::start();
    let (writer, queue) = (writer(&server).await, orders());
    let monitor = server.monitor();
    let at = |ms: i64| EpochMillis::new(4_000_000_000_000 + ms);
    let batch = [(at(9), b"a".as_slice()), (at(5), b"b"), (at(7), b"c")];
    let first = offer_each(&writer, &queue, batch, Form::ByteId)
        .await
        .unwrap();
    assert!(first.head);
    let second = offer(&writer, &queue, &[b"d".to_vec()], at(6), Form::ByteId).await;
    assert!(!second.unwrap().head);
    let published = published(&monitor, &server);
    assert_eq!(published.len(), 1, "{published:?}");
    assert_eq!(published[0][2], "4000000000005");
    let order = server.list(&["LRANGE", "redisson_delay_queue:{orders}", "0", "-1"]);
    let payloads: Vec<_> = order
        .iter()
        .map(|m| frame::decode(m).unwrap().payload.to_vec())
        .collect();
    assert_eq!(payloads, [b"a", b"b", b"c", b"d"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_member_offered_twice_never_stands_twice_in_the_order_list() {
    let server = Server::start();
    let (writer, queue) = (writer(&server).await, orders());
    let member = support::frame(1, b"x");
    let later = PAST.plus(1);
    writer
        .offer(&queue, vec![(PAST, member.clone())])
        .await
        .unwrap();
    let again = writer
        .offer(&queue, vec![(later, member)])
        .await
        .unwrap()
        .done;
    assert_eq!((again.refused, again.head), (vec![0], Head::Behind));
    assert_eq!(server.int(&["LLEN", "redisson_delay_queue:{orders}"]), 1);
    let due = server.list(&[
        "ZRANGE",
        "redisson_delay_queue_timeout:{orders}",
        "0",
        "0",
        "WITHSCORES",
    ]);
    assert_eq!(due[1], b"1600000000000");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_equal_message_of_a_zset_list_is_refused_and_keeps_its_time() {
    let server = Server::start();
    let writer = writer(&server).await;
    let queue: Queue = "zset-list:delayed,ready".parse().unwrap();
    let messages = [b"a".to_vec(), b"b".to_vec(), b"a".to_vec()];
    let due = EpochMillis::new(4_000_000_000_123);
    let first = offer(&writer, &queue, &messages, due, Form::ByteId)
        .await
        .unwrap();
    assert_eq!(
        first.ids,
        [EntryId::of_bytes(b"a"), EntryId::of_bytes(b"b")]
    );
    assert_eq!(first.refused, [EntryId::of_bytes(b"a")]);
    let again = offer(&writer, &queue, &[b"b".to_vec()], PAST, Form::ByteId).await;
    assert_eq!(again.unwrap().refused, [EntryId::of_bytes(b"b")]);
    let all = server.list(&["ZRANGE", "delayed", "0", "-1", "WITHSCORES"]);
    assert_eq!(
        all,
        [
            &b"a"[..],
            b"4000000000.1230001",
            b"b",
            b"4000000000.1230001"
        ]
    );
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
            assert_eq!(transfer(&writer, &queue, 10).await.moved.len(), 1);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_offer_that_may_not_publish_is_in_all_the_same_and_says_so() {
    let mut server = Server::start();
    server.cmd(&[
        "ACL", "SETUSER", "mute", "on", ">pw", "~*", "&*", "+@all", "-publish",
    ]);
    server.log_in(Some("mute"), Some("pw"));
    let writer = writer(&server).await;
    let offered = offer(&writer, &orders(), &[b"x".to_vec()], PAST, Form::ByteId).await;
    let offered = offered.unwrap();
    assert!(offered.head);
    let words = offered.unannounced.expect("the server's words");
    assert!(words.contains("can't run this command"), "{words}");
    assert_eq!(server.int(&["LLEN", "redisson_delay_queue:{orders}"]), 1);
}

/// Members of every form and length, and near misses of each.
fn members() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = vec![Vec::new(), b"hello".to_vec(), vec![8; 17], vec![0; 12]];
    let ids = [
        [8, 1, 2, 3, 4, 5, 0xd0, 0xc3],
        [8, 0, 0, 0, 0, 0, 0xe1, 0x43],
        [7, 9, 2, 3, 4, 5, 6, 0x43],
        [8, 9, 2, 3, 4, 5, 6, 1],
        [8, 9, 2, 3, 4, 5, 6, 0],
    ];
    for form in Form::ALL {
        for (i, id) in ids.into_iter().enumerate() {
            for len in [0, 1, 2, 5, 255, 256, 70_000] {
                let payload = vec![u8::try_from(i).unwrap(); len];
                let good = frame::encode(form, id, &payload);
                all.push([&good[..], b"!"].concat());
                all.push(good[..good.len() - 1].to_vec());
                for at in 0..good.len().min(18) {
                    let mut bent = good.clone();
                    bent[at] ^= 0x80;
                    all.push(bent);
                }
                all.push(good);
            }
        }
    }
    all.sort();
    all.dedup();
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_script_takes_for_a_frame_what_the_program_takes_for_one() {
    let server = Server::start();
    let (writer, queue) = (writer(&server).await, orders());
    let (mut payloads, mut moved, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
    for member in members() {
        server.put(&queue, &member, "1600000000000");
        match frame::decode(&member) {
            Ok(f) => {
                payloads.push(f.payload.to_vec());
                moved.push(EntryId(f.id));
            }
            Err(_) => skipped.push(EntryId::of_bytes(&member)),
        }
    }
    assert!(moved.len() > 100 && skipped.len() > 100);
    let (mut ids, mut told) = (Vec::new(), Vec::new());
    let mut more = true;
    while more {
        let known = told.len();
        let done = writer
            .transfer(&queue, PAST, 700, known)
            .await
            .unwrap()
            .done;
        ids.extend(done.moved.iter().map(|m| m.id));
        (more, told) = (done.more, done.skipped);
    }
    let mut delivered = server.list(&["LRANGE", "orders", "0", "-1"]);
    for list in [&mut ids, &mut moved, &mut told, &mut skipped] {
        list.sort();
    }
    delivered.sort();
    payloads.sort();
    assert!(ids == moved, "moved is what decodes");
    assert!(told == skipped, "skipped is what does not");
    assert!(
        delivered == payloads,
        "the payloads are what the frames hold"
    );
    let left = i64::try_from(skipped.len()).unwrap();
    assert_eq!(server.int(&["LLEN", "redisson_delay_queue:{orders}"]), left);
    assert_eq!(
        server.int(&["ZCARD", "redisson_delay_queue_timeout:{orders}"]),
        left
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_frame_never_fills_a_batch() {
    let server = Server::start();
    let (writer, queue) = (writer(&server).await, orders());
    for n in 0..50 {
        server.put(&queue, format!("foreign {n}").as_bytes(), "5");
    }
    for n in 0..8 {
        server.put(&queue, &double_frame(1e18, &[n]), &format!("{}", 10 + n));
    }
    let now = PAST;
    let (mut known, mut moved, mut calls) = (0, Vec::new(), 0);
    loop {
        let done = writer.transfer(&queue, now, 5, known).await.unwrap().done;
        moved.extend(done.moved.iter().map(|m| m.score));
        known = done.skipped.len();
        calls += 1;
        if !done.more {
            assert_eq!(known, 50);
            break;
        }
    }
    assert_eq!(moved, (10..18).map(f64::from).collect::<Vec<_>>());
    assert!(calls < 15, "{calls} calls");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_order_list_loses_one_copy_of_each_moved_entry_wherever_it_stands() {
    let server = Server::start();
    let (writer, queue) = (writer(&server).await, orders());
    let member = |n: u64| support::frame(n, b"x");
    // Order list: 3 1 1 9 2 4, of which 9 waits; 5 is missing from it.
    for (n, score) in [
        (3, "30"),
        (1, "10"),
        (9, "4000000000000"),
        (2, "20"),
        (4, "40"),
    ] {
        server.put(&queue, &member(n), score);
        if n == 1 {
            server.cmd_bytes(&[b"RPUSH", b"redisson_delay_queue:{orders}", &member(1)]);
        }
    }
    server.cmd_bytes(&[
        b"ZADD",
        b"redisson_delay_queue_timeout:{orders}",
        b"50",
        &member(5),
    ]);
    let done = transfer(&writer, &queue, 100).await;
    let scores: Vec<f64> = done.moved.iter().map(|m| m.score).collect();
    assert_eq!(scores, [10.0, 20.0, 30.0, 40.0, 50.0]);
    assert_eq!((done.more, done.next), (false, Some(4e12)));
    let order = server.list(&["LRANGE", "redisson_delay_queue:{orders}", "0", "-1"]);
    assert_eq!(order, [member(1), member(9)]);
    assert_eq!(server.int(&["LLEN", "orders"]), 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scores_that_are_no_time_are_told_and_never_waited_for() {
    let server = Server::start();
    let writer = writer(&server).await;
    for queue in [orders(), plain("left")] {
        server.cmd(&["FLUSHALL"]);
        for (n, score) in [(1, "-5"), (2, "-inf"), (3, "1e17"), (4, "+inf"), (5, "0")] {
            server.put(&queue, &support::frame(n, b"x"), score);
        }
        let done = transfer(&writer, &queue, 100).await;
        let mut never: Vec<f64> = done.never.iter().map(|e| e.score).collect();
        never.sort_by(f64::total_cmp);
        assert_eq!(never, [f64::NEG_INFINITY, -5.0, 1e17, f64::INFINITY]);
        assert_eq!((done.moved.len(), done.next, done.more), (1, None, false));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_zset_list_is_served_in_due_order_at_either_end() {
    let server = Server::start();
    let writer = writer(&server).await;
    for (push, pop) in [("left", "RPOP"), ("right", "LPOP")] {
        let queue = plain(push);
        for (message, due) in [(&b"second"[..], "2"), (b"first", "1"), (b"third", "3")] {
            server.put(&queue, message, due);
        }
        server.put(&queue, b"later", "4000000000000");
        let done = transfer(&writer, &queue, 2).await;
        assert_eq!((done.moved.len(), done.more), (2, true));
        assert_eq!(done.moved[0].id, EntryId::of_bytes(b"first"));
        let done = transfer(&writer, &queue, 2).await;
        assert_eq!((done.moved.len(), done.next), (1, Some(4e12)));
        for wanted in ["first", "second", "third"] {
            let popped = server.cmd(&[pop, "ready"]);
            assert_eq!(popped, support::Value::BulkString(wanted.into()));
        }
        server.cmd(&["FLUSHALL"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_due_time_that_is_none_is_refused_before_anything_is_sent() {
    let server = Server::start();
    let writer = writer(&server).await;
    for ms in [-1, i64::MAX, 100_000_000_000_000_000] {
        let due = EpochMillis::new(ms);
        let refused = offer(&writer, &orders(), &[b"x".to_vec()], due, Form::ByteId).await;
        let error = refused.unwrap_err();
        assert!(matches!(error, StoreError::Impossible { .. }), "{error}");
    }
    assert_eq!(server.int(&["DBSIZE"]), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thousands_go_in_by_batches_and_a_read_only_session_has_no_writer() {
    let server = Server::start();
    let writer = writer(&server).await;
    let payloads: Vec<Vec<u8>> = (0..2_345).map(|n| format!("m{n}").into_bytes()).collect();
    let offered = offer(&writer, &orders(), &payloads, PAST, Form::DoubleId)
        .await
        .unwrap();
    assert_eq!((offered.ids.len(), offered.refused.len()), (2_345, 0));
    assert_eq!(
        server.int(&["ZCARD", "redisson_delay_queue_timeout:{orders}"]),
        2_345
    );
    let order = server.list(&["LRANGE", "redisson_delay_queue:{orders}", "0", "-1"]);
    let in_order = order.iter().map(|m| frame::decode(m).unwrap().payload);
    assert!(in_order.eq(payloads.iter().map(Vec::as_slice)));

    let store = Store::open(server.endpoint(), Access::ReadOnly);
    store.ready(Duration::from_secs(5)).await.unwrap();
    assert!(matches!(
        store.writer().err(),
        Some(StoreError::ReadOnly { .. })
    ));
}
