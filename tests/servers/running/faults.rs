//! What can happen to a server, and to a worker.

use delayscope::clock::EpochMillis;
use delayscope::ops::offer::offer;
use delayscope::ops::worker::{WorkerEvent, WorkerOptions};
use delayscope::queue::{Form, LinkState};

use crate::running::{Bench, PAST, next, next_batch, numbered, sorted};
use crate::support::{frame, until};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_connection_is_made_again_and_nothing_is_missed() {
    let bench = Bench::new().await;
    let mut events = bench.worker().await;
    for kind in ["pubsub", "normal"] {
        bench.server.cmd(&["CLIENT", "KILL", "TYPE", kind]);
        // Overdue and not announced: only the new subscription, or the timer, can find it.
        bench
            .server
            .put(&bench.queue, &frame(1, kind.as_bytes()), PAST);
        if kind == "normal" {
            bench
                .server
                .cmd(&["PUBLISH", "redisson_delay_queue_channel:{orders}", "0"]);
        }
        let batch = next_batch(&mut events).await;
        assert_eq!(batch.moved, 1, "{kind}");
    }
    bench.offer("after", 100).await;
    assert_eq!(next_batch(&mut events).await.moved, 1);
    assert_eq!(bench.target(), [&b"pubsub"[..], b"normal", b"after"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_hangs_and_goes_on_finds_the_worker_at_work() {
    let bench = Bench::new().await;
    let mut events = bench.worker().await;
    bench.offer("during", 300).await;
    bench.server.stop();
    let link = bench.store.link();
    let hung = || matches!(link.borrow().state, LinkState::Hung { .. });
    until("the hang to be noticed", hung).await;
    bench.server.go_on();
    assert_eq!(next_batch(&mut events).await.moved, 1);
    bench.offer("after", 50).await;
    assert_eq!(next_batch(&mut events).await.moved, 1);
    assert_eq!(bench.target(), [&b"during"[..], b"after"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_was_restarted_is_worked_on_again() {
    let mut bench = Bench::new().await;
    let mut events = bench.worker().await;
    bench.server.kill();
    let (WorkerEvent::Trouble { .. } | WorkerEvent::Deaf { .. }) = next(&mut events).await else {
        panic!("a lost server is trouble");
    };
    bench.server.restart();
    while next(&mut events).await != WorkerEvent::Listening {}
    until("the link", || bench.store.clock().is_some()).await;
    bench.server.put(&bench.queue, &frame(1, b"new life"), PAST);
    bench
        .server
        .cmd(&["PUBLISH", "redisson_delay_queue_channel:{orders}", "0"]);
    assert_eq!(next_batch(&mut events).await.moved, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_without_memory_is_trouble_and_then_served() {
    let bench = Bench::new().await;
    bench.server.put(&bench.queue, &frame(1, b"x"), PAST);
    bench.server.cmd(&["CONFIG", "SET", "maxmemory", "1"]);
    let mut events = bench.work(WorkerOptions::default());
    let why = loop {
        if let WorkerEvent::Trouble { why, .. } = next(&mut events).await {
            break why;
        }
    };
    assert_eq!(why.code(), Some("OOM"), "{why}");
    bench.server.cmd(&["CONFIG", "SET", "maxmemory", "0"]);
    assert_eq!(next_batch(&mut events).await.moved, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_dropped_in_the_middle_loses_nothing_and_another_goes_on() {
    let bench = Bench::new().await;
    let payloads = numbered(5_000);
    let past = EpochMillis::new(1_600_000_000_000);
    offer(&bench.writer, &bench.queue, &payloads, past, Form::ByteId)
        .await
        .unwrap();
    for _ in 0..5 {
        let mut events = bench.work(WorkerOptions {
            batch: 50,
            ..WorkerOptions::default()
        });
        next_batch(&mut events).await;
    }
    let moved = bench.target().len();
    assert!(moved < 5_000, "there is something left to do");
    bench.work_off().await;
    assert_eq!(sorted(bench.target()), payloads);
    assert!(bench.nothing_left());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_offer_whose_answer_never_came_says_so_and_is_not_made_again() {
    let mut bench = Bench::new().await;
    bench.offer("before", 60_000).await;
    bench.server.stop();
    let offering = {
        let (writer, queue) = (bench.writer.clone(), bench.queue.clone());
        let due = bench.now().plus(60_000);
        let payloads = [b"during".to_vec()];
        tokio::spawn(async move { offer(&writer, &queue, &payloads, due, Form::ByteId).await })
    };
    let link = bench.store.link();
    let hung = || matches!(link.borrow().state, LinkState::Hung { .. });
    until("the hang to be noticed", hung).await;
    bench.server.kill();
    let stopped = offering.await.unwrap().unwrap().stopped.unwrap();
    assert!(stopped.why.outcome_unknown(), "{}", stopped.why);
    assert_eq!((stopped.unknown, stopped.left), (1, 0));
    bench.server.restart();
    bench.offer("after", 60_000).await;
    let keys = bench.queue.keys();
    let order = bench.server.cmd_bytes(&[b"LLEN", &keys.order.unwrap()]);
    assert_eq!(order, crate::support::Value::Int(1));
}
