//! Changes that are paused, stopped, refused or kept waiting.

use std::time::Duration;

use delayscope::ops::apply::{ChangeEvent, Limits, Order, apply};
use delayscope::ops::plan::{ChangeRequest, EntryChoice};
use delayscope::queue::{Outcome, Queue};

use crate::apply::bench::{Bench, layouts};
use crate::support::{PATIENCE, Server, frame};

/// Slow enough to be met in the middle.
fn slow() -> Limits {
    Limits {
        per_s: Some(100.0),
        ..Limits::default()
    }
}

#[tokio::test]
async fn a_stop_leaves_the_rest_and_counts_it() {
    for queue in layouts() {
        let bench = Bench::new(&queue).await;
        bench.fill(200, bench.server.now().plus(-900_000), 1_000);
        for (what, which) in [
            (
                ChangeRequest::Delete,
                bench.entries(&(101..=200).collect::<Vec<_>>()),
            ),
            (ChangeRequest::Transfer, EntryChoice::Due),
        ] {
            let before = bench.contents();
            let prepared = bench.plan(what.clone(), which).await.unwrap();
            let planned = prepared.plan.planned;
            let mut applying = apply(&bench.writer, &bench.journal, prepared, slow());
            let mut told = 0;
            let summary = loop {
                match applying.next().await.unwrap() {
                    ChangeEvent::Results(results) => {
                        told += results.len();
                        applying.order(Order::Stop);
                    }
                    ChangeEvent::Ended(summary) => break summary,
                    _ => {}
                }
            };
            let (done, left) = (
                summary.tally.get(Outcome::Done),
                summary.tally.get(Outcome::Left),
            );
            assert!(
                done > 0 && left > 0 && done + left == planned,
                "{summary:?}"
            );
            // What nobody chose one by one is not told one by one.
            assert_eq!(
                told as u64,
                if what == ChangeRequest::Transfer {
                    done
                } else {
                    planned
                }
            );
            let after = bench.contents();
            let went = (before.timeouts.len() - after.timeouts.len()) as u64;
            assert_eq!(went, done);
            for (_, happened) in bench.items(&summary).await {
                let outcome = happened.unwrap().outcome;
                assert!(matches!(outcome, Outcome::Done | Outcome::Left));
            }
            let (plan, _) = bench.undo(summary.journal_id.as_deref()).await;
            assert_eq!(plan.planned, done);
            assert_eq!(bench.contents().timeouts, before.timeouts);
        }
    }
}

#[tokio::test]
async fn whoever_stops_listening_stops_the_change() {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(100, bench.server.now().plus(60_000), 1_000);
    let chosen = bench.entries(&(1..=100).collect::<Vec<_>>());
    let prepared = bench.plan(ChangeRequest::Delete, chosen).await.unwrap();
    let mut applying = apply(&bench.writer, &bench.journal, prepared, slow());
    while !matches!(applying.next().await, Some(ChangeEvent::Results(_))) {}
    drop(applying);
    let ended = async {
        loop {
            let kept = bench.journal.list().await.unwrap();
            if let Some(tally) = kept[0].ended {
                return tally;
            }
            tokio::task::yield_now().await;
        }
    };
    let tally = tokio::time::timeout(PATIENCE, ended).await.unwrap();
    assert!(tally.get(Outcome::Done) > 0 && tally.get(Outcome::Left) > 0);
    assert_eq!(tally.sum(), 100);
}

#[tokio::test]
async fn a_paused_change_does_nothing_until_it_is_told_to_go_on() {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(60, bench.server.now().plus(60_000), 1_000);
    let chosen = bench.entries(&(1..=60).collect::<Vec<_>>());
    let prepared = bench.plan(ChangeRequest::Delete, chosen).await.unwrap();
    let limits = Limits {
        per_s: Some(200.0),
        ..Limits::default()
    };
    let mut applying = apply(&bench.writer, &bench.journal, prepared, limits);
    let mut paused = None;
    let summary = loop {
        match applying.next().await.unwrap() {
            ChangeEvent::Results(_) if paused.is_none() => applying.order(Order::Pause),
            ChangeEvent::Progress(progress) if progress.waits.as_deref() == Some("paused") => {
                let left = bench.contents().timeouts.len();
                tokio::time::sleep(Duration::from_millis(100)).await;
                assert_eq!(bench.contents().timeouts.len(), left);
                assert!(left > 0);
                paused = Some(left);
                applying.order(Order::Go);
            }
            ChangeEvent::Ended(summary) => break summary,
            _ => {}
        }
    };
    assert!(paused.is_some() && summary.tally.all_done(), "{summary:?}");
}

#[tokio::test]
async fn a_target_that_is_too_full_is_waited_for() {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(600, bench.server.now().plus(-900_000), 1_000);
    let prepared = bench
        .plan(ChangeRequest::Transfer, EntryChoice::Due)
        .await
        .unwrap();
    let limits = Limits {
        max_target: Some(20),
        ..Limits::default()
    };
    let mut applying = apply(&bench.writer, &bench.journal, prepared, limits);
    let target = bench.queue.keys().target;
    let mut waited = false;
    let summary = loop {
        match applying.next().await.unwrap() {
            ChangeEvent::Progress(progress) if progress.waits.is_some() => {
                let why = progress.waits.unwrap();
                assert!(why.contains("shall not hold more than 20"), "{why}");
                waited = true;
                bench.server.cmd_bytes(&[b"DEL", &target]);
            }
            ChangeEvent::Ended(summary) => break summary,
            _ => {}
        }
    };
    assert!(waited && summary.tally.all_done(), "{summary:?}");
}

#[tokio::test]
async fn what_the_server_refuses_ends_the_change_and_the_rest_is_left() {
    let server = Server::start();
    let bench = Bench::on(server, &Queue::redisson("orders")).await;
    bench.fill(50, bench.server.now().plus(60_000), 1_000);
    let chosen = bench.entries(&(1..=50).collect::<Vec<_>>());
    let before = bench.contents();
    let prepared = bench.plan(ChangeRequest::Deliver, chosen).await.unwrap();
    bench.server.cmd(&["CONFIG", "SET", "maxmemory", "1"]);
    let told = bench.apply(prepared, Limits::default()).await;
    bench.server.cmd(&["CONFIG", "SET", "maxmemory", "0"]);
    let why = told.failed.clone().unwrap();
    assert!(
        why.contains("refused to deliver") && why.contains("OOM"),
        "{why}"
    );
    assert_eq!(told.count(Outcome::Left), 50);
    assert_eq!(told.results.len(), 50);
    assert_eq!(bench.contents(), before);
}

/// Redis up to 5.0.7 keeps what a transaction has pushed when its next command is refused for want
/// of memory.
#[tokio::test]
async fn memory_that_ends_amid_a_transfer_leaves_each_entry_in_one_place() {
    /// Entries; each is as long as that.
    const COUNT: u64 = 3_000;
    const LONG: usize = 200;
    let bench = Bench::new(&Queue::redisson("orders")).await;
    let keys = bench.queue.keys();
    let payload = |n: u64| format!("{n:0LONG$}").into_bytes();
    let mut ended = Vec::new();
    for at in 0..12 {
        bench.server.cmd(&["FLUSHALL"]);
        let mut offers = redis::pipe();
        for n in 1..=COUNT {
            let member = frame(n, &payload(n));
            offers.zadd(&keys.timeouts, &member, n);
            offers.rpush(keys.order.as_ref().unwrap(), member);
        }
        offers.exec(&mut bench.server.connection()).unwrap();
        let prepared = bench
            .plan(ChangeRequest::Transfer, EntryChoice::Due)
            .await
            .unwrap();
        let limit = bench.server.used_memory() + at * 64 * 1024;
        let limit = limit.to_string();
        bench.server.cmd(&["CONFIG", "SET", "maxmemory", &limit]);
        let told = bench.apply(prepared, Limits::default()).await;
        bench.server.cmd(&["CONFIG", "SET", "maxmemory", "0"]);
        let (done, left) = (told.count(Outcome::Done), told.count(Outcome::Left));
        assert_eq!(done + left, COUNT, "{:?}", told.summary);
        assert_eq!(told.failed.is_some(), left > 0, "{:?}", told.failed);
        let held = bench.contents();
        let delivered: Vec<_> = (1..=done).map(payload).collect();
        assert!(held.target == delivered, "limit {limit}: {ended:?}, {done}");
        let waiting: Vec<_> = (done + 1..=COUNT).map(|n| frame(n, &payload(n))).collect();
        assert!(held.order == waiting, "limit {limit}: {ended:?}, {done}");
        assert_eq!(held.timeouts.len() as u64, left, "limit {limit}");
        ended.push(done);
    }
    // Else memory did not end amid one.
    assert!(ended.iter().any(|done| *done < COUNT), "{ended:?}");
    assert!(ended.contains(&COUNT), "{ended:?}");
}

#[tokio::test]
async fn a_target_of_another_type_ends_the_change() {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(5, bench.server.now().plus(-60_000), 1_000);
    let prepared = bench
        .plan(ChangeRequest::Transfer, EntryChoice::Due)
        .await
        .unwrap();
    bench.server.cmd(&["SET", "orders", "x"]);
    let told = bench.apply(prepared, Limits::default()).await;
    assert!(
        told.failed.clone().unwrap().contains("is a string"),
        "{:?}",
        told.failed
    );
    assert_eq!(told.count(Outcome::Left), 5);
}
