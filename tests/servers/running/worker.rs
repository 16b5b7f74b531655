//! The worker: what it moves, when, and what it passes over.

use delayscope::clock::{EpochMillis, instant};
use delayscope::ops::consumer::{ConsumeOptions, consume};
use delayscope::ops::offer::{codec_of, form_of, offer, offer_each};
use delayscope::ops::worker::{SkipReason, WorkerEvent, WorkerOptions, work};
use delayscope::payload::{self, Codec, PayloadContent};
use delayscope::queue::{EntryId, Form, Queue};
use delayscope::store::{Access, Store};

use crate::running::{Bench, PAST, next, next_batch, numbered, sorted};
use crate::support::{PATIENCE, double_frame, frame, until};

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
        let late = batch.lateness_ms().unwrap();
        // It looks by itself every 10 s; so much sooner only the alarm wakes it.
        assert!(late.max >= 0.0 && late.max < 4_000.0, "{late:?}");
    }
    assert!((490..4_500).contains(&when[0]), "{when:?}");
    assert!((1_990..6_000).contains(&when[1]), "{when:?}");
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
        let late = batch.lateness_ms().unwrap();
        assert!(late.max < 4_000.0, "{late:?}");
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
            ..WorkerOptions::default()
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
        *why == SkipReason::NoFrame
            || (*id == EntryId([0, 0, 0, 0, 0, 0, 0, 9]) && *why == SkipReason::Score(-5.0))
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
async fn a_worker_delivers_what_stands_behind_thousands_that_cannot_be_unpacked() {
    let bench = Bench::new().await;
    bench.server.put_strange(&bench.queue, 20_000, |n| {
        1_600_000_000_000 + i64::try_from(n / 9_000).unwrap()
    });
    for n in 1..=10 {
        bench
            .server
            .put(&bench.queue, &frame(n, b"due"), "1600000000002");
    }
    let monitor = bench.server.monitor();
    let mut events = bench.work(WorkerOptions::default());
    let (mut moved, mut skipped) = (0, 0);
    while moved < 10 || skipped < 20_000 {
        match next(&mut events).await {
            WorkerEvent::Batch(batch) => {
                moved += batch.moved;
                skipped += batch.skipped;
            }
            WorkerEvent::Skipped { .. } | WorkerEvent::Listening => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((moved, skipped), (10, 20_000));
    // What falls due later is not looked for among them again.
    bench.offer("later", 600).await;
    assert_eq!(next_batch(&mut events).await.moved, 1);
    let mut commands = monitor.commands(&bench.server);
    commands.retain(|words| words[0].eq_ignore_ascii_case("evalsha"));
    assert!(commands.len() < 100, "{}", commands.len());
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
async fn milliseconds_in_a_queue_that_counts_seconds_are_told_as_no_time() {
    let bench = Bench::with("zset-list:delay,ready,s,left".parse().unwrap()).await;
    bench.server.put(&bench.queue, b"in ms", "1700000000000");
    let told = bench.work_off().await;
    let is_told = |event: &WorkerEvent| matches!(event, WorkerEvent::Skipped { .. });
    assert!(told.iter().any(is_told), "{told:?}");
    assert!(bench.target().is_empty());
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
async fn until_empty_delivers_what_comes_to_stand_before_what_was_passed() {
    let bench = Bench::new().await;
    let timeouts = bench.queue.keys().timeouts;
    // As many as are told before a worker waits for who reads that.
    for n in 0..4_000 {
        let member = format!("no frame {n}");
        bench
            .server
            .cmd_bytes(&[b"ZADD", &timeouts, b"1600000000000", member.as_bytes()]);
    }
    let mut events = bench.work(WorkerOptions {
        until_empty: true,
        ..WorkerOptions::default()
    });
    while !matches!(next(&mut events).await, WorkerEvent::Skipped { .. }) {}
    bench
        .server
        .put(&bench.queue, &frame(1, b"late"), "1500000000000");
    while next(&mut events).await != WorkerEvent::Done {}
    assert_eq!(bench.target(), [b"late"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_comes_to_stand_before_what_was_passed_is_delivered_soon() {
    let bench = Bench::new().await;
    bench
        .server
        .put_strange(&bench.queue, 3_000, |_| 1_600_000_000_000);
    let mut events = bench.work(WorkerOptions::default());
    let mut skipped = 0;
    while skipped < 3_000 {
        if let WorkerEvent::Batch(batch) = next(&mut events).await {
            skipped += batch.skipped;
        }
    }
    // Twice: it is no worse when it has happened before.
    for n in 1..=2 {
        let offered = bench.now();
        bench
            .server
            .put(&bench.queue, &frame(n, b"late"), "1500000000000");
        let batch = next_batch(&mut events).await;
        assert_eq!(batch.moved, 1);
        let after = batch.at.since(offered);
        assert!(after < 5_000, "{after} ms");
    }
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
    let habit = codec_of(store, queue).await.unwrap();
    assert_eq!(habit, Some((Codec::Kryo5, PayloadContent::Text)));
    bench.server.cmd(&["DEL", "redisson_delay_queue:{orders}"]);
    let next_due = form_of(store, queue).await.unwrap();
    assert!(next_due.is_some(), "without an order list, by the next due");
    let plain: Queue = "zset-list:delayed,ready".parse().unwrap();
    assert_eq!(form_of(store, &plain).await.unwrap(), None);
}

/// What the scripts of Redisson's transfer clients say, but for how a frame is unpacked.
/// (From Redisson 3.15.1 and 3.21.1, Apache License 2.0: a server knows them by their bytes.)
const TRANSFER: [&str; 2] = [
    "local expiredValues = redis.call('zrangebyscore', KEYS[2], 0, ARGV[1], 'limit', 0, ARGV[2]); \
     if #expiredValues > 0 then for i, v in ipairs(expiredValues) do \
     local randomId, value = struct.unpack('",
    "', v);redis.call('rpush', KEYS[1], value);redis.call('lrem', KEYS[3], 1, v);end; \
     redis.call('zrem', KEYS[2], unpack(expiredValues));end; \
     local v = redis.call('zrange', KEYS[2], 0, 0, 'WITHSCORES'); \
     if v[1] ~= nil then return v[2]; end return nil;",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_form_of_an_empty_queue_is_that_of_the_clients_which_the_server_has_seen() {
    let bench = Bench::new().await;
    let (store, queue) = (&bench.store, &bench.queue);
    let seen = |unpack: &str| {
        bench
            .server
            .cmd(&["SCRIPT", "LOAD", &TRANSFER.join(unpack)])
    };
    assert_eq!(form_of(store, queue).await.unwrap(), None);
    seen("Bc0Lc0");
    assert_eq!(form_of(store, queue).await.unwrap(), Some(Form::ByteId));
    seen("dLc0");
    let both = form_of(store, queue).await.unwrap();
    assert_eq!(both, None, "two generations: nobody can know");
    bench.server.cmd(&["SCRIPT", "FLUSH"]);
    seen("dLc0");
    assert_eq!(form_of(store, queue).await.unwrap(), Some(Form::DoubleId));
    // What is there tells more than who was there.
    let due = bench.now().plus(60_000);
    let payload = [b"hello".to_vec()];
    let offered = offer(&bench.writer, queue, &payload, due, Form::ByteId).await;
    offered.unwrap();
    assert_eq!(form_of(store, queue).await.unwrap(), Some(Form::ByteId));
}
