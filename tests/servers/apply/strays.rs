//! What only the order list holds may never have been delivered: people say what becomes of it.

use delayscope::ops::apply::Limits;
use delayscope::ops::entries::{EntryPlace, Selection};
use delayscope::ops::plan::{ChangeRequest, EntryChoice};
use delayscope::queue::change::{Base, NewDue};
use delayscope::queue::{Outcome, Queue};

use crate::apply::bench::Bench;
use crate::support::frame;

/// Five entries wait; two more only the order list holds, at its head and in its midst, the second
/// of them twice.
async fn strayed() -> Bench {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(5, bench.server.now().plus(60_000), 1);
    let order = bench.queue.keys().order.unwrap();
    let [first, second] = strays();
    let server = &bench.server;
    server.cmd_bytes(&[b"LPUSH", &order, &first]);
    server.cmd_bytes(&[b"LINSERT", &order, b"AFTER", &bench.member(2), &second]);
    server.cmd_bytes(&[b"RPUSH", &order, &second]);
    bench
}

fn strays() -> [Vec<u8>; 2] {
    [frame(98, b"lost"), frame(99, b"lost too")]
}

/// All that only the order list holds.
fn all_of_them() -> EntryChoice {
    EntryChoice::Selected(Selection {
        from: EntryPlace::OrderOnly,
        ..Selection::default()
    })
}

/// These two, as the screen knows them.
fn these() -> EntryChoice {
    use delayscope::queue::{Entry, State};
    let entry = |member| Entry {
        member,
        score: None,
        state: State::Order,
    };
    EntryChoice::These(strays().map(entry).to_vec())
}

#[tokio::test]
async fn a_repair_of_drift_leaves_what_may_never_have_been_delivered_and_says_what_can_be_done() {
    let bench = strayed().await;
    let before = bench.contents();
    let refused = bench
        .plan(ChangeRequest::Drift, EntryChoice::Due)
        .await
        .unwrap_err();
    let words = refused.to_string();
    assert!(
        words.contains("2 entries stand in the order list only"),
        "{words}"
    );
    // The ways are for the screen and the command line to name.
    assert!(
        words.ends_with("they may never have been delivered") && !words.contains('`'),
        "{words}"
    );
    // Beside what can be mended they are told, counted, and left.
    let (timeouts, lonely) = (bench.queue.keys().timeouts, frame(97, b"lonely"));
    bench.server.cmd_bytes(&[b"ZADD", &timeouts, b"9", &lonely]);
    let (plan, told) = bench.change(ChangeRequest::Drift, EntryChoice::Due).await;
    // Those that only the order list holds are found in no order.
    let (mended, mut left) = (plan.says[0].as_str(), plan.says[1..].to_vec());
    left.sort();
    assert_eq!(
        (mended, left),
        ("lonely", ["lost", "lost too"].map(str::to_owned).to_vec())
    );
    assert!(plan.leaves_strays);
    assert_eq!(told.count(Outcome::Done), 1);
    assert_eq!(told.count(Outcome::Refused), 2);
    let mut order = before.order.clone();
    order.push(lonely);
    assert_eq!(bench.contents().order, order);
}

#[tokio::test]
async fn a_stray_is_delivered_once_however_often_it_stands_in_the_order_list() {
    let bench = strayed().await;
    let (_, told) = bench.change(ChangeRequest::Deliver, these()).await;
    assert_eq!(told.count(Outcome::Done), 2, "{:?}", told.results);
    let after = bench.contents();
    assert_eq!(after.target, [b"lost".to_vec(), b"lost too".to_vec()]);
    assert_eq!(
        after.order,
        (1..=5).map(|n| bench.member(n)).collect::<Vec<_>>()
    );
    assert_eq!(after.timeouts.len(), 5);
    let undone = bench.undo(None).await.1;
    assert_eq!(undone.count(Outcome::Refused), 2, "it had no due time");
    assert_eq!(bench.contents(), after);
}

#[tokio::test]
async fn a_stray_that_waits_again_meanwhile_is_neither_delivered_nor_dropped() {
    for what in [ChangeRequest::Deliver, ChangeRequest::Delete] {
        let bench = strayed().await;
        let [first, _] = strays();
        let prepared = bench.plan(what, these()).await.unwrap();
        let timeouts = bench.queue.keys().timeouts;
        bench
            .server
            .cmd_bytes(&[b"ZADD", &timeouts, b"9e12", &first]);
        let told = bench.apply(prepared, Limits::default()).await;
        assert_eq!(told.count(Outcome::Done), 1, "{:?}", told.results);
        let after = bench.contents();
        assert!(after.timeouts.contains_key(&first));
        assert!(after.order.contains(&first));
        assert!(!after.target.contains(&b"lost".to_vec()));
    }
}

#[tokio::test]
async fn what_only_the_order_list_holds_is_dropped_when_asked_for_and_undo_brings_it_back() {
    let bench = strayed().await;
    let prepared = bench.plan(ChangeRequest::Delete, these()).await.unwrap();
    let warned = prepared.plan.warnings.join(" ");
    assert!(warned.contains("may never have been delivered"), "{warned}");
    let told = bench.apply(prepared, Limits::default()).await;
    assert_eq!(told.count(Outcome::Done), 2);
    let after = bench.contents();
    assert_eq!(
        after.order,
        (1..=5).map(|n| bench.member(n)).collect::<Vec<_>>()
    );
    assert!(after.target.is_empty());
    let undone = bench.undo(None).await.1;
    assert_eq!(undone.count(Outcome::Done), 2);
    let order = bench.contents().order;
    assert!(
        strays().iter().all(|stray| order.contains(stray)),
        "{order:?}"
    );
}

#[tokio::test]
async fn all_that_only_the_order_list_holds_waits_again_and_nothing_else_is_touched() {
    let bench = strayed().await;
    let before = bench.contents();
    let due = NewDue {
        base: Base::In(60_000),
        spread_ms: 0,
    };
    let (plan, told) = bench
        .change(ChangeRequest::Requeue(due), all_of_them())
        .await;
    assert_eq!((plan.planned, told.count(Outcome::Done)), (2, 2));
    let mut after = bench.contents();
    for stray in strays() {
        assert!(after.timeouts.remove(&stray).is_some());
    }
    assert_eq!(after.timeouts, before.timeouts);
    assert_eq!(after.order, before.order);
}

#[tokio::test]
async fn a_full_server_refuses_to_deliver_a_stray_before_it_leaves_the_order_list() {
    let bench = strayed().await;
    let prepared = bench.plan(ChangeRequest::Deliver, these()).await.unwrap();
    let before = bench.contents();
    bench
        .server
        .cmd_bytes(&[b"CONFIG", b"SET", b"maxmemory", b"1"]);
    let told = bench.apply(prepared, Limits::default()).await;
    assert_eq!(told.count(Outcome::Done), 0);
    assert!(told.failed.unwrap().contains("OOM"));
    bench
        .server
        .cmd_bytes(&[b"CONFIG", b"SET", b"maxmemory", b"0"]);
    assert_eq!(bench.contents(), before);
}
