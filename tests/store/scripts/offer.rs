//! Offers: what a client's own would leave, announced as a client would.

use std::time::Duration;

use delayscope::clock::EpochMillis;
use delayscope::ops::offer::{offer, offer_each};
use delayscope::queue::{EntryId, Form, Queue, frame};
use delayscope::store::write::{Head, Writer};
use delayscope::store::{Access, Store, StoreError};

use crate::scripts::{PAST, orders, writer};
use crate::support::{self, Monitor, Server};

fn published(monitor: &Monitor, server: &Server) -> Vec<Vec<String>> {
    let mut commands = monitor.commands(server);
    commands.retain(|words| words[0].eq_ignore_ascii_case("publish"));
    commands
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
    let all = server.cmd(&["ZRANGE", "delayed", "0", "-1", "WITHSCORES"]);
    let all: Vec<(String, f64)> = redis::from_redis_value(all).unwrap();
    // How many digits a server tells depends on its age.
    assert_eq!(
        all,
        [
            ("a".into(), 4_000_000_000.123),
            ("b".into(), 4_000_000_000.123)
        ]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_offer_that_may_not_publish_is_in_all_the_same_and_says_so() {
    let server = Server::without(&["PUBLISH"]);
    let writer = writer(&server).await;
    mute(&server, &writer).await;
    let mut server = Server::start();
    if server.set_user("mute", &["-publish"]) {
        server.log_in(Some("mute"), Some("pw"));
        let writer = crate::scripts::writer(&server).await;
        mute(&server, &writer).await;
    }
}

async fn mute(server: &Server, writer: &Writer) {
    let offered = offer(writer, &orders(), &[b"x".to_vec()], PAST, Form::ByteId).await;
    let offered = offered.unwrap();
    assert!(offered.head);
    let words = offered.unannounced.unwrap();
    assert!(
        words.starts_with("NOPERM") && words.contains("PUBLISH"),
        "{words}"
    );
    assert_eq!(server.int(&["LLEN", "redisson_delay_queue:{orders}"]), 1);
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
