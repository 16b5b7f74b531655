//! The consumer, and both ends of a `zset-list` queue.

use std::time::Duration;

use delayscope::clock::instant;
use delayscope::ops::consumer::{ConsumeOptions, consume, peek};
use futures_util::StreamExt;

use crate::support::{PATIENCE, until};
use crate::{Bench, next, next_batch};

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
            let late = next_batch(&mut events).await.lateness_ms.unwrap();
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
        format!("{clients:?}").contains("cmd=blpop")
    };
    until("BLPOP", blocked).await;
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
