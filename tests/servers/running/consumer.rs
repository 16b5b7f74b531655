//! The consumer, and both ends of a `zset-list` queue.

use std::time::Duration;

use delayscope::clock::instant;
use delayscope::ops::consumer::{ConsumeOptions, Consumer, consume, peek};
use delayscope::queue::Queue;
use delayscope::store::{Access, Store};
use futures_util::StreamExt;

use crate::running::{Bench, next, next_batch};
use crate::support::{PATIENCE, until};

/// What a server lacks before 6.2, where consumers look again and again.
const NO_BLMOVE: &str = "it has no BLMOVE";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_zset_list_works_at_both_ends_first_due_first_taken() {
    for push in ["left", "right"] {
        let bench = Bench::with(format!("zset-list:delayed,ready,{push}").parse().unwrap()).await;
        let mut events = bench.worker().await;
        bench.offer("second", 700).await;
        // Nobody announces it: the worker has to look by itself.
        bench.offer("first", 400).await;
        let mut taken = consume(&bench.writer, &bench.queue, ConsumeOptions::default());
        for wanted in ["first", "second"] {
            assert_eq!(next(&mut taken).await.unwrap().decoded.text, wanted);
            let late = next_batch(&mut events).await.lateness_ms().unwrap();
            assert!(late.max < 4_000.0, "{late:?}");
        }
        for message in ["a", "b", "c"] {
            bench.offer(message, -1_000).await;
        }
        until("delivery", || bench.target().len() == 3).await;
        let seen = peek(&bench.store, &bench.queue, 2).await.unwrap();
        let seen: Vec<_> = seen.into_iter().map(|c| c.decoded.text).collect();
        assert_eq!(seen.len(), 2);
        for wanted in seen {
            assert_eq!(next(&mut taken).await.unwrap().decoded.text, wanted);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_consumer_takes_one_element_and_the_next_only_when_asked() {
    let bench = Bench::new().await;
    for n in 0..5 {
        bench.server.cmd(&["RPUSH", "orders", &format!("m{n}")]);
    }
    let seen = peek(&bench.store, &bench.queue, 3).await.unwrap();
    let seen: Vec<_> = seen.into_iter().map(|c| c.element).collect();
    assert_eq!(seen, [b"m0", b"m1", b"m2"]);
    let options = ConsumeOptions {
        count: Some(4),
        timeout: None,
    };
    let mut taken = consume(&bench.writer, &bench.queue, options);
    assert_eq!(bench.target().len(), 5, "not asked yet");
    for n in 0..4 {
        let consumed = next(&mut taken).await.unwrap();
        assert_eq!(consumed.element, format!("m{n}").into_bytes());
        assert_eq!(bench.target().len(), 4 - n);
    }
    assert!(taken.next().await.is_none(), "four were asked for");
    assert_eq!(bench.target(), [b"m4"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_consumer_gives_up_after_its_timeout_and_survives_a_lost_connection() {
    let bench = Bench::new().await;
    if !bench.server.is_from((6, 2), NO_BLMOVE) {
        return;
    }
    let timeout = Some(Duration::from_millis(1_200));
    let options = ConsumeOptions {
        count: None,
        timeout,
    };
    let mut taken = consume(&bench.writer, &bench.queue, options);
    bench.server.cmd(&["RPUSH", "orders", "one"]);
    assert_eq!(next(&mut taken).await.unwrap().element, b"one");
    let waiting = tokio::spawn(async move {
        let first = next(&mut taken).await;
        (first, taken)
    });
    let blocked = || {
        let clients = bench.server.cmd(&["CLIENT", "LIST"]);
        format!("{clients:?}").contains("cmd=blmove")
    };
    until("BLMOVE", blocked).await;
    bench.server.cmd(&["CLIENT", "KILL", "TYPE", "normal"]);
    let (first, mut taken) = waiting.await.unwrap();
    assert!(first.is_err(), "a lost connection is told: {first:?}");
    bench.server.cmd(&["RPUSH", "orders", "two"]);
    assert_eq!(next(&mut taken).await.unwrap().element, b"two");
    let started = instant();
    let ended = tokio::time::timeout(PATIENCE, taken.next()).await.unwrap();
    assert!(ended.is_none());
    let waited = started.elapsed().as_millis();
    assert!((1_150..6_000).contains(&waited), "{waited} ms");
}

/// The elements that consumers hold, by who took them first.
fn held(bench: &Bench) -> Vec<Vec<u8>> {
    let keys = bench.queue.keys().hold;
    let held = text(&keys.held);
    let mut fields = bench.server.list(&["HKEYS", held]);
    fields.sort();
    let held = |field: &Vec<u8>| bench.server.list(&["HMGET", held, text(field)]).remove(0);
    fields.iter().map(held).collect()
}

fn text(key: &[u8]) -> &str {
    std::str::from_utf8(key).unwrap()
}

async fn waits(bench: &Bench) {
    let waits = || {
        let clients = bench.server.cmd(&["CLIENT", "LIST"]);
        format!("{clients:?}").contains("cmd=blmove")
    };
    until("a consumer to wait", waits).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_taken_is_held_until_it_was_handed_on() {
    for queue in ["orders", "{orders}", "zset-list:delayed,ready"] {
        let bench = Bench::with(queue.parse().unwrap()).await;
        let keys = bench.queue.keys();
        let push = if bench.queue.comes_at_head() {
            "LPUSH"
        } else {
            "RPUSH"
        };
        let target = text(&keys.target);
        bench.server.cmd(&[push, target, "one", "two"]);
        let options = ConsumeOptions::default();
        let mut consumer = Consumer::new(&bench.writer, &bench.queue, options);
        let taken = consumer.next().await.unwrap().unwrap();
        assert_eq!(taken.element, b"one");
        assert_eq!(
            (held(&bench), bench.target()),
            (vec![b"one".to_vec()], vec![b"two".to_vec()])
        );
        consumer.next().await.unwrap().unwrap();
        assert_eq!(
            (held(&bench), bench.target()),
            (vec![b"two".to_vec()], vec![])
        );
        assert!(consumer.put_back().await.unwrap());
        assert_eq!(
            (held(&bench), bench.target()),
            (vec![], vec![b"two".to_vec()])
        );
        let again = consumer.next().await.unwrap().unwrap();
        assert_eq!(again.element, b"two");
        consumer.end().await.unwrap();
        assert_eq!(bench.server.int(&["DBSIZE"]), 0, "nothing is left of it");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_server_hands_out_when_nobody_waits_any_more_comes_next() {
    let bench = Bench::new().await;
    if !bench.server.is_from((6, 2), NO_BLMOVE) {
        return;
    }
    let mut consumer = Consumer::new(&bench.writer, &bench.queue, ConsumeOptions::default());
    let waiting = tokio::spawn(async move {
        let told = consumer.next().await.unwrap();
        (told, consumer)
    });
    waits(&bench).await;
    // A script of another client keeps the server for longer than an answer is waited for, and then
    // adds an element, which the server hands to who was waiting first.
    let busy = "local from = redis.call('TIME') repeat local now = redis.call('TIME') \
                until now[1] * 1000000 + now[2] - from[1] * 1000000 - from[2] > 3300000 \
                return redis.call('RPUSH', KEYS[1], 'one')";
    bench.server.cmd(&["EVAL", busy, "1", "orders"]);
    let (told, mut consumer) = waiting.await.unwrap();
    assert!(told.is_err(), "no answer is told: {told:?}");
    assert_eq!(consumer.next().await.unwrap().unwrap().element, b"one");
    consumer.end().await.unwrap();
    assert_eq!(bench.server.int(&["DBSIZE"]), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_moved_for_a_consumer_that_ends_goes_back_in_order() {
    let bench = Bench::new().await;
    let intake = bench.queue.keys().hold.intake;
    bench.server.cmd(&["RPUSH", "orders", "c"]);
    let mut consumer = Consumer::new(&bench.writer, &bench.queue, ConsumeOptions::default());
    bench.server.cmd(&["RPUSH", text(&intake), "a", "b"]);
    consumer.end().await.unwrap();
    assert_eq!(bench.target(), [b"a", b"b", b"c"]);
    // What is there already comes before what is in target.
    bench.server.cmd(&["RPUSH", text(&intake), "first"]);
    let mut consumer = Consumer::new(&bench.writer, &bench.queue, ConsumeOptions::default());
    assert_eq!(consumer.next().await.unwrap().unwrap().element, b"first");
    assert_eq!(consumer.next().await.unwrap().unwrap().element, b"a");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_take_that_was_given_up_on_its_way_loses_nothing() {
    let bench = Bench::new().await;
    for n in 0..40 {
        bench.server.cmd(&["RPUSH", "orders", &format!("m{n:02}")]);
    }
    let options = ConsumeOptions {
        count: None,
        timeout: Some(Duration::ZERO),
    };
    let mut consumer = Consumer::new(&bench.writer, &bench.queue, options);
    let mut taken = Vec::new();
    for round in 0_u64.. {
        let within = Duration::from_micros(round % 7 * 60);
        match tokio::time::timeout(within, consumer.next()).await {
            Err(_) => {}
            Ok(Some(told)) => taken.push(told.unwrap().element),
            Ok(None) => break,
        }
    }
    consumer.end().await.unwrap();
    let all: Vec<Vec<u8>> = (0..40).map(|n| format!("m{n:02}").into_bytes()).collect();
    assert_eq!(taken, all);
    assert_eq!(bench.server.int(&["DBSIZE"]), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_consumer_may_wait_without_the_right_to_block_and_on_a_full_server() {
    let bench = Bench::new().await;
    if !bench.server.is_from((6, 2), NO_BLMOVE) {
        return;
    }
    bench.server.cmd(&["ACL", "SETUSER", "default", "-blmove"]);
    let mut consumer = Consumer::new(&bench.writer, &bench.queue, ConsumeOptions::default());
    let waiting = tokio::spawn(async move {
        let told = consumer.next().await.unwrap();
        (told, consumer)
    });
    bench.server.cmd(&["RPUSH", "orders", "one", "two"]);
    let (told, mut consumer) = waiting.await.unwrap();
    assert_eq!(told.unwrap().element, b"one");
    bench.server.cmd(&["CONFIG", "SET", "maxmemory", "1"]);
    assert_eq!(consumer.next().await.unwrap().unwrap().element, b"two");
    assert!(consumer.put_back().await.unwrap());
    assert_eq!(consumer.next().await.unwrap().unwrap().element, b"two");
    consumer.end().await.unwrap();
    assert_eq!(bench.server.int(&["DBSIZE"]), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_who_may_not_do_all_of_a_take_takes_nothing() {
    for missing in ["ltrim", "hset", "hdel", "zadd", "zrem", "hget", "lindex"] {
        let mut server_user = Bench::new().await;
        let server = &mut server_user.server;
        server.cmd(&["RPUSH", "orders", "one"]);
        let without = format!("-{missing}");
        if !server.set_user("less", &[&without]) {
            return;
        }
        server.log_in(Some("less"), Some("pw"));
        let store = Store::open(server.endpoint(), Access::ReadWrite);
        store.ready(PATIENCE).await.unwrap();
        server.log_in(None, None);
        let (writer, queue) = (store.writer().unwrap(), Queue::redisson("orders"));
        let mut consumer = Consumer::new(&writer, &queue, ConsumeOptions::default());
        let told = consumer.next().await.unwrap();
        assert!(told.is_err(), "{missing}: {told:?}");
        assert_eq!(server_user.target(), [b"one"], "{missing}");
        assert_eq!(held(&server_user).len(), 0, "{missing}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_element_that_somebody_put_back_is_told_and_not_let_go_of_twice() {
    let bench = Bench::new().await;
    bench.server.cmd(&["RPUSH", "orders", "one"]);
    let options = ConsumeOptions {
        count: None,
        timeout: Some(Duration::ZERO),
    };
    let mut consumer = Consumer::new(&bench.writer, &bench.queue, options);
    consumer.next().await.unwrap().unwrap();
    bench
        .server
        .cmd(&["DEL", text(&bench.queue.keys().hold.held)]);
    assert!(consumer.next().await.is_none());
    assert_eq!(consumer.returned(), 1);
    assert!(!consumer.put_back().await.unwrap(), "it holds nothing");
    assert_eq!(bench.target(), Vec::<Vec<u8>>::new());
}
