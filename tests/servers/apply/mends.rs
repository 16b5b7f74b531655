//! Repairs of target, keys and scores, and what takes them back.

use delayscope::ops::apply::Limits;
use delayscope::ops::plan::{ChangeRequest, EntryChoice};
use delayscope::queue::{Change, Outcome, Queue};
use delayscope::store::change::Fate;

use crate::apply::bench::Bench;
use crate::support::{Value, frame};

/// A queue with entries that are due in ten minutes.
async fn quiet(count: u64) -> Bench {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(count, bench.server.now().plus(600_000), 10);
    bench
}

#[tokio::test]
async fn frames_in_target_are_taken_off_in_their_places_and_put_on_again() {
    let bench = quiet(3).await;
    let elements = [
        b"first".to_vec(),
        frame(71, b"a"),
        b"between".to_vec(),
        frame(72, b"a"),
        frame(73, b""),
    ];
    for element in &elements {
        bench.server.cmd_bytes(&[b"RPUSH", b"orders", element]);
    }
    let before = bench.contents();
    let (plan, told) = bench.change(ChangeRequest::Unwrap, EntryChoice::Due).await;
    assert_eq!((plan.change, plan.planned), (Change::Unwrap, 3));
    assert!(told.summary.tally.all_done(), "{:?}", told.failed);
    let payloads: Vec<Vec<u8>> = ["first", "a", "between", "a", ""].map(Into::into).to_vec();
    assert_eq!(bench.contents().target, payloads);

    let (_, told) = bench.undo(None).await;
    assert!(told.summary.tally.all_done(), "{:?}", told.failed);
    let after = bench.contents();
    assert_eq!(after.timeouts, before.timeouts);
    // Equal payloads are the same to consumers: either frame may be around either.
    assert_eq!(sorted(after.target), sorted(before.target));
    let (plan, _) = bench.change(ChangeRequest::Unwrap, EntryChoice::Due).await;
    assert_eq!(plan.planned, 3);
    let (plan, _) = bench.change(ChangeRequest::Unwrap, EntryChoice::Due).await;
    assert_eq!(plan.planned, 0);
}

fn sorted(mut all: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    all.sort();
    all
}

#[tokio::test]
async fn what_was_consumed_meanwhile_is_gone_and_stays_gone() {
    let bench = quiet(1).await;
    for n in [71, 72] {
        bench
            .server
            .cmd_bytes(&[b"RPUSH", b"orders", &frame(n, b"x")]);
    }
    let prepared = bench
        .plan(ChangeRequest::Unwrap, EntryChoice::Due)
        .await
        .unwrap();
    bench.server.cmd(&["LPOP", "orders"]);
    let told = bench.apply(prepared, Limits::default()).await;
    assert_eq!(
        (told.count(Outcome::Gone), told.count(Outcome::Done)),
        (1, 1)
    );
    assert_eq!(bench.contents().target, [b"x"]);
    bench.server.cmd(&["LPOP", "orders"]);
    let (_, told) = bench.undo(None).await;
    assert_eq!(told.count(Outcome::Gone), 1);
    assert!(bench.contents().target.is_empty());
}

#[tokio::test]
async fn an_expiry_is_taken_away_and_given_back_unless_it_has_passed() {
    let bench = quiet(3).await;
    let keys = bench.queue.keys();
    let (timeouts, order) = (keys.timeouts, keys.order.unwrap());
    let left = |key: &[u8]| match bench.server.cmd_bytes(&[b"PTTL", key]) {
        Value::Int(ms) => ms,
        other => panic!("{other:?}"),
    };
    bench.server.cmd_bytes(&[b"PEXPIRE", &timeouts, b"3600000"]);
    bench.server.cmd_bytes(&[b"PEXPIRE", &order, b"3600000"]);
    let (plan, told) = bench.change(ChangeRequest::Persist, EntryChoice::Due).await;
    assert_eq!((plan.change, plan.planned), (Change::Persist, 2));
    assert!(told.summary.tally.all_done(), "{:?}", told.failed);
    assert_eq!((left(&timeouts), left(&order)), (-1, -1));

    let (_, told) = bench.undo(None).await;
    assert_eq!(told.count(Outcome::Done), 2, "{:?}", told.results);
    assert!((3_590_000..=3_600_000).contains(&left(&timeouts)));
    assert!(left(&order) <= 3_600_000);
    // A moment that has passed would lose all entries.
    bench.server.cmd_bytes(&[b"PERSIST", &order]);
    let past = [(order.as_slice(), f64::INFINITY, 1_600_000_000_000.0)];
    let told = bench.writer.expiry(&past).await.unwrap();
    assert_eq!(told.done, [Fate::NoFrame]);
    assert_eq!((left(&order), bench.contents().order.len()), (-1, 3));
}

#[tokio::test]
async fn an_expiry_that_somebody_else_has_changed_is_left_alone() {
    let bench = quiet(1).await;
    let timeouts = bench.queue.keys().timeouts;
    bench.server.cmd_bytes(&[b"PEXPIRE", &timeouts, b"3600000"]);
    let prepared = bench
        .plan(ChangeRequest::Persist, EntryChoice::Due)
        .await
        .unwrap();
    bench.server.cmd_bytes(&[b"PEXPIRE", &timeouts, b"7200000"]);
    let told = bench.apply(prepared, Limits::default()).await;
    assert_eq!(told.count(Outcome::Changed), 1);
    assert_ne!(
        bench.server.cmd_bytes(&[b"PTTL", &timeouts]),
        Value::Int(-1)
    );
}

#[tokio::test]
async fn seconds_become_milliseconds_and_seconds_again() {
    let bench = quiet(3).await;
    let now = bench.server.now().get();
    let wrong = (now / 1_000 + 600).to_string();
    bench
        .server
        .put(&bench.queue, &frame(50, b"in seconds"), &wrong);
    // Due at once, and meant so.
    bench.server.put(&bench.queue, &frame(51, b"at once"), "0");
    let before = bench.contents();
    let (plan, told) = bench.change(ChangeRequest::Unit, EntryChoice::Due).await;
    assert_eq!((plan.change, plan.planned), (Change::Requeue, 1));
    assert!(told.summary.tally.all_done(), "{:?}", told.failed);
    let after = bench.contents();
    assert_eq!(
        after.timeouts[&frame(50, b"in seconds")],
        format!("{wrong}000")
    );
    assert_eq!(after.timeouts[&frame(51, b"at once")], "0");
    assert_eq!(after.order, before.order);
    bench.undo(None).await;
    assert_eq!(bench.contents(), before);
}

#[tokio::test]
async fn milliseconds_in_a_queue_that_counts_seconds_become_seconds() {
    let plain: Queue = "zset-list:delay,ready".parse().unwrap();
    let bench = Bench::new(&plain).await;
    let now = bench.server.now().get();
    let put = |score: &str, message: &str| {
        bench.server.cmd(&["ZADD", "delay", score, message]);
    };
    put(&(now / 1_000 + 600).to_string(), "meant so");
    put(&(now + 600_000).to_string(), "in milliseconds");
    let (planned, told) = bench.change(ChangeRequest::Score, EntryChoice::Due).await;
    assert_eq!(planned.planned, 1);
    assert!(told.summary.tally.all_done(), "{:?}", told.failed);
    let score = bench.server.cmd(&["ZSCORE", "delay", "in milliseconds"]);
    let Value::BulkString(score) = score else {
        panic!("no score: {score:?}")
    };
    let score = String::from_utf8(score).unwrap();
    let due = plain.due(score.parse().unwrap()).at().unwrap();
    assert_eq!(due.get(), now + 600_000);
}
