//! Offer, worker and consumer together, against a real server and what can happen to one.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failure here is a failed test"
)]

mod support;

use std::time::Duration;

use delayscope::clock::{EpochMillis, instant};
use delayscope::ops::consumer::{ConsumeOptions, consume, peek};
use delayscope::ops::offer::{codec_of, form_of, offer, offer_each};
use delayscope::ops::worker::{Batch, Skip, WorkerEvent, WorkerOptions, work};
use delayscope::payload::{self, Codec};
use delayscope::queue::{EntryId, Form, Queue};
use delayscope::store::write::Writer;
use delayscope::store::{Access, Store};
use futures_util::{Stream, StreamExt};
use support::{PATIENCE, Server, double_frame, frame, until};

/// A moment long ago: whatever has this score is due.
const PAST: &str = "1600000000000";

/// A queue on a server, and what works on it.
struct Bench {
    server: Server,
    store: Store,
    writer: Writer,
    queue: Queue,
}

impl Bench {
    async fn new() -> Self {
        Self::with(Queue::redisson("orders")).await
    }

    async fn with(queue: Queue) -> Self {
        let server = Server::start();
        let store = Store::open(server.endpoint(), Access::ReadWrite);
        store.ready(PATIENCE).await.unwrap();
        let writer = store.writer().unwrap();
        Self {
            server,
            store,
            writer,
            queue,
        }
    }

    fn now(&self) -> EpochMillis {
        self.store.clock().unwrap().now()
    }

    async fn offer(&self, payload: &str, in_ms: i64) {
        let due = self.now().plus(in_ms);
        let payloads = [payload.as_bytes().to_vec()];
        let offered = offer(&self.writer, &self.queue, &payloads, due, Form::ByteId).await;
        assert_eq!(offered.unwrap().ids.len(), 1);
    }

    /// A worker, listening.
    async fn worker(&self) -> impl Stream<Item = WorkerEvent> + Unpin + use<> {
        let mut events = self.work(WorkerOptions::default());
        while next(&mut events).await != WorkerEvent::Listening {}
        events
    }

    fn work(&self, options: WorkerOptions) -> impl Stream<Item = WorkerEvent> + Unpin + use<> {
        let writer = self.store.writer().unwrap();
        work(&self.store, writer, self.queue.clone(), options)
    }

    /// Works until nothing is left; returns all it told.
    async fn work_off(&self) -> Vec<WorkerEvent> {
        let options = WorkerOptions {
            until_empty: true,
            ..WorkerOptions::default()
        };
        let told = self.work(options).collect::<Vec<_>>();
        let told = tokio::time::timeout(PATIENCE, told).await.unwrap();
        assert_eq!(told.last(), Some(&WorkerEvent::Done));
        told
    }

    fn target(&self) -> Vec<Vec<u8>> {
        let target = self.queue.keys().target;
        self.server
            .list(&["LRANGE", std::str::from_utf8(&target).unwrap(), "0", "-1"])
    }

    /// Nothing waits and nothing stands in the order list.
    fn nothing_left(&self) -> bool {
        let keys = self.queue.keys();
        let gone = |key: &[u8]| self.server.cmd_bytes(&[b"EXISTS", key]) == support::Value::Int(0);
        gone(&keys.timeouts) && keys.order.is_none_or(|order| gone(&order))
    }
}

async fn next<T>(stream: &mut (impl Stream<Item = T> + Unpin)) -> T {
    let next = tokio::time::timeout(PATIENCE, stream.next()).await;
    next.expect("waited too long").expect("the stream ended")
}

/// The next batch; skips what else is told.
async fn next_batch(events: &mut (impl Stream<Item = WorkerEvent> + Unpin)) -> Batch {
    loop {
        if let WorkerEvent::Batch(batch) = next(events).await {
            return batch;
        }
    }
}

fn sorted(mut list: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    list.sort();
    list
}

fn numbered(count: u32) -> Vec<Vec<u8>> {
    (0..count)
        .map(|n| format!("m{n:05}").into_bytes())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_shorter_delay_is_delivered_first_and_both_on_time() {
    let bench = Bench::new().await;
    let mut events = bench.worker().await;
    let mut taken = consume(&bench.writer, &bench.queue, ConsumeOptions::default());
    let started = instant();
    bench.offer("AAAA", 2_000).await;
    bench.offer("BBBB", 500).await;
    let mut when = Vec::new();
    for wanted in ["BBBB", "AAAA"] {
        let consumed = next(&mut taken).await.unwrap();
        assert_eq!(consumed.decoded.text, wanted);
        when.push(started.elapsed().as_millis());
        let batch = next_batch(&mut events).await;
        assert_eq!((batch.moved, batch.skipped), (1, 0));
        let late = batch.lateness_ms.unwrap();
        assert!(late.max >= 0.0 && late.max < 100.0, "{late:?}");
    }
    assert!((500..700).contains(&when[0]), "{when:?}");
    assert!((2_000..2_200).contains(&when[1]), "{when:?}");
    assert!(bench.nothing_left());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_is_a_subscriber_that_others_can_count() {
    let bench = Bench::new().await;
    let numsub = || {
        let answer =
            bench
                .server
                .cmd(&["PUBSUB", "NUMSUB", "redisson_delay_queue_channel:{orders}"]);
        let (_, count): (String, i64) = redis::from_redis_value(answer).unwrap();
        count
    };
    let events = bench.worker().await;
    assert_eq!(numsub(), 1);
    drop(events);
    until("the subscription to end", || numsub() == 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_overdue_is_moved_on_subscription_and_by_a_kick() {
    let bench = Bench::new().await;
    bench.server.put(&bench.queue, &frame(1, b"before"), PAST);
    let mut events = bench.work(WorkerOptions::default());
    assert_eq!(
        next_batch(&mut events).await.ids,
        [EntryId([0, 0, 0, 0, 0, 0, 0, 1])]
    );
    while next(&mut events).await != WorkerEvent::Listening {}
    bench
        .server
        .put(&bench.queue, &frame(2, b"unannounced"), PAST);
    bench
        .server
        .cmd(&["PUBLISH", "redisson_delay_queue_channel:{orders}", "0"]);
    assert_eq!(next_batch(&mut events).await.moved, 1);
    assert_eq!(bench.target(), [&b"before"[..], b"unannounced"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bursts_of_ever_earlier_offers_are_each_delivered_on_time() {
    let bench = Bench::new().await;
    let mut events = bench.worker().await;
    bench.offer("far", 3_600_000).await;
    let base = bench.now().plus(400);
    for n in 0..20 {
        let due = base.plus(-10 * n);
        let payload = [format!("n{n}").into_bytes()];
        let offered = offer(&bench.writer, &bench.queue, &payload, due, Form::ByteId).await;
        assert!(offered.unwrap().head);
    }
    let mut moved = 0;
    while moved < 20 {
        let batch = next_batch(&mut events).await;
        let late = batch.lateness_ms.unwrap();
        assert!(late.max < 100.0, "{late:?}");
        moved += batch.moved;
        assert!(batch.next_due.is_some(), "the far one waits");
    }
    let wanted: Vec<_> = (0..20)
        .rev()
        .map(|n| format!("n{n}").into_bytes())
        .collect();
    assert_eq!(bench.target(), wanted);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_workers_at_once_deliver_each_entry_exactly_once() {
    let bench = Bench::new().await;
    let others = Store::open(bench.server.endpoint(), Access::ReadWrite);
    others.ready(PATIENCE).await.unwrap();
    let mut one = bench.worker().await;
    let mut two = work(
        &others,
        others.writer().unwrap(),
        bench.queue.clone(),
        WorkerOptions {
            batch: 7,
            until_empty: false,
        },
    );
    let payloads = numbered(3_000);
    let base = bench.now().plus(100);
    // Due times out of the order of offering, both forms side by side.
    for (i, chunk) in payloads.chunks(100).enumerate() {
        let form = [Form::ByteId, Form::DoubleId][i % 2];
        let due = |n: usize| base.plus(i64::try_from((n * 37 + i * 11) % 500).unwrap());
        let messages = chunk
            .iter()
            .enumerate()
            .map(|(n, p)| (due(n), p.as_slice()));
        offer_each(&bench.writer, &bench.queue, messages, form)
            .await
            .unwrap();
    }
    until("all to be moved", || bench.nothing_left()).await;
    assert_eq!(sorted(bench.target()), payloads);
    let mut told = 0;
    while told < 3_000 {
        told += tokio::select! {
            batch = next_batch(&mut one) => batch.moved,
            batch = next_batch(&mut two) => batch.moved,
        };
    }
    assert_eq!(told, 3_000, "and each is told of once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_unpacked_is_told_once_and_stops_nothing() {
    let bench = Bench::new().await;
    for member in [&b"foreign"[..], b"", &[8; 40]] {
        bench.server.put(&bench.queue, member, PAST);
    }
    bench.server.put(&bench.queue, &frame(9, b"below"), "-5");
    bench.server.put(&bench.queue, &frame(1, b"new"), PAST);
    bench
        .server
        .put(&bench.queue, &double_frame(1e18, b"old"), PAST);
    let mut events = bench.work(WorkerOptions::default());
    bench.offer("later", 50).await;
    until("delivery", || bench.target().len() == 3).await;
    bench.offer("latest", 50).await;
    let mut skipped = Vec::new();
    let (mut moved, mut counted) = (0, 0);
    while moved < 4 {
        match next(&mut events).await {
            WorkerEvent::Skipped { id, why } => skipped.push((id, why)),
            WorkerEvent::Batch(batch) => {
                moved += batch.moved;
                counted += batch.skipped;
            }
            WorkerEvent::Listening => {}
            other => panic!("{other:?}"),
        }
    }
    skipped.retain(|(id, why)| {
        *why == Skip::NoFrame
            || (*id == EntryId([0, 0, 0, 0, 0, 0, 0, 9]) && *why == Skip::Score(-5.0))
    });
    assert_eq!((skipped.len(), counted), (4, 4), "{skipped:?}");
    let payloads = [&b"later"[..], b"latest", b"new", b"old"].map(<[u8]>::to_vec);
    assert_eq!(sorted(bench.target()), payloads);
    let left = bench
        .server
        .int(&["ZCARD", "redisson_delay_queue_timeout:{orders}"]);
    assert_eq!(left, 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_passes_over_entries_does_not_keep_the_server_busy() {
    let bench = Bench::new().await;
    bench.server.put(&bench.queue, b"foreign", PAST);
    bench.server.put(&bench.queue, &frame(1, b"below"), "-5");
    bench.server.put(&bench.queue, &frame(2, b"beyond"), "1e18");
    let _events = bench.worker().await;
    let monitor = bench.server.monitor();
    bench.offer("x", 500).await;
    until("delivery", || bench.target().len() == 1).await;
    let mut scripts = monitor.commands(&bench.server);
    scripts.retain(|words| words[0].eq_ignore_ascii_case("evalsha"));
    // One offer, a look every quarter of a second, and one or two when it falls due.
    assert!(scripts.len() <= 9, "{}", scripts.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn until_empty_ends_when_nothing_is_left_that_will_be_due() {
    let bench = Bench::new().await;
    bench.server.put(&bench.queue, &frame(1, b"never"), "+inf");
    bench.offer("soon", 150).await;
    let payloads = numbered(1_234);
    let past = EpochMillis::new(1_600_000_000_000);
    offer(
        &bench.writer,
        &bench.queue,
        &payloads,
        past,
        Form::DoubleIdShort,
    )
    .await
    .unwrap();
    let told = bench.work_off().await;
    let moved: usize = told
        .iter()
        .map(|event| match event {
            WorkerEvent::Batch(batch) => batch.moved,
            _ => 0,
        })
        .sum();
    assert_eq!(moved, 1_235);
    let mut target = bench.target();
    assert_eq!(target.pop().unwrap(), b"soon");
    assert_eq!(sorted(target), payloads);
}

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
    tokio::time::sleep(Duration::from_millis(900)).await;
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
    let WorkerEvent::Trouble { .. } = next(&mut events).await else {
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
            until_empty: false,
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
            assert!(late.max < 100.0, "{late:?}");
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
    assert!((1_150..2_000).contains(&waited), "{waited} ms");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn form_and_codec_follow_what_is_there() {
    let bench = Bench::new().await;
    let (store, queue) = (&bench.store, &bench.queue);
    assert_eq!(form_of(store, queue).await.unwrap(), None);
    assert_eq!(codec_of(store, queue).await.unwrap(), None);
    let due = bench.now().plus(60_000);
    for form in Form::ALL {
        for text in ["hello", "world"] {
            let kryo = payload::encode(Codec::Kryo5, text).unwrap();
            offer(&bench.writer, queue, &[kryo], due, form)
                .await
                .unwrap();
        }
        assert_eq!(form_of(store, queue).await.unwrap(), Some(form));
    }
    assert_eq!(codec_of(store, queue).await.unwrap(), Some(Codec::Kryo5));
    bench.server.cmd(&["DEL", "redisson_delay_queue:{orders}"]);
    let next_due = form_of(store, queue).await.unwrap();
    assert!(next_due.is_some(), "without an order list, by the next due");
    let plain: Queue = "zset-list:delayed,ready".parse().unwrap();
    assert_eq!(form_of(store, &plain).await.unwrap(), None);
}
