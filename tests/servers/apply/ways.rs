//! The bulk ways, driven by a change: with brakes, pauses and stops between any two scripts.

use std::collections::HashSet;

use delayscope::ops::apply::{ChangeEvent, Limits, Order, apply};
use delayscope::ops::entries::{EntryPlace, Selection};
use delayscope::ops::plan::{ChangeRequest, EntryChoice, PreparedChange};
use delayscope::ops::undo::plan_undo;
use delayscope::queue::plan::Way;
use delayscope::queue::{Form, Outcome, Queue, frame};
use delayscope::store::bulk::StrayFate;

use crate::apply::bench::{Bench, Contents};

/// A queue whose order list stands in no order: `entry 1` to `entry COUNT`, a ms apart, the last of
/// them due at `last` ms from now.
pub(crate) async fn shuffled(count: u64, last: i64) -> Bench {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    let last = bench.server.now().plus(last);
    let first = last.plus(-i64::try_from(count).unwrap());
    let due = |n: u64| first.plus(i64::try_from((n - 1) * 7_919 % count).unwrap());
    bench.server.fill_with(&bench.queue, count, due);
    bench
}

pub(crate) fn matching(filter: &str) -> EntryChoice {
    EntryChoice::Selected(Selection {
        filter: delayscope::queue::Filter::parse(filter).unwrap(),
        ..Selection::default()
    })
}

async fn planned(
    bench: &Bench,
    what: ChangeRequest,
    which: EntryChoice,
    way: Way,
) -> PreparedChange {
    let mut prepared = bench.plan(what, which).await.unwrap();
    prepared.plan.way = way;
    prepared
}

/// What stays of the order list when these leave.
fn without(before: &Contents, gone: &HashSet<Vec<u8>>) -> Vec<Vec<u8>> {
    let stays = before.order.iter().filter(|member| !gone.contains(*member));
    stays.cloned().collect()
}

/// What waited before and does not wait now.
fn gone(before: &Contents, after: &Contents) -> HashSet<Vec<u8>> {
    let gone = before.timeouts.keys();
    let gone = gone.filter(|member| !after.timeouts.contains_key(*member));
    gone.cloned().collect()
}

/// A hundred thousand, where that takes no more than a second or two.
const MANY: u64 = if cfg!(debug_assertions) {
    10_000
} else {
    100_000
};

#[tokio::test]
async fn a_tenth_of_a_long_queue_is_deleted_and_comes_back_as_it_was() {
    let bench = shuffled(MANY, 900_000_000).await;
    let before = bench.contents();
    let prepared = planned(
        &bench,
        ChangeRequest::Delete,
        matching("re:/7$/"),
        Way::Sweep,
    )
    .await;
    assert_eq!(prepared.plan.planned, MANY / 10);
    let told = bench.apply(prepared, Limits::default()).await;
    assert!(
        told.summary.tally.all_done(),
        "{:?} {:?}",
        told.summary,
        told.failed
    );
    let after = bench.contents();
    let deleted = gone(&before, &after);
    assert_eq!(deleted.len() as u64, MANY / 10);
    assert!(
        after.order == without(&before, &deleted),
        "the others stay as they were"
    );
    let mut prepared = plan_undo(&bench.store, &bench.journal, None, false)
        .await
        .unwrap();
    assert_eq!(prepared.plan.planned, MANY / 10);
    prepared.plan.way = Way::Sweep;
    let told = bench.apply(prepared, Limits::default()).await;
    assert!(
        told.summary.tally.all_done(),
        "{:?} {:?}",
        told.summary,
        told.failed
    );
    assert!(
        bench.contents() == before,
        "members, scores and places are as they were"
    );
}

#[tokio::test]
async fn a_tenth_of_a_long_queue_is_repacked_in_its_places_and_gets_its_frames_back() {
    let bench = shuffled(MANY, 900_000_000).await;
    let before = bench.contents();
    let keys = bench.queue.keys();
    let prepared = planned(
        &bench,
        ChangeRequest::Repack(Some(Form::DoubleId)),
        matching("re:/7$/"),
        Way::Sweep,
    )
    .await;
    // Three of them are not what they were when that was planned.
    let [later, gone, twin] = [7, 17, 27].map(|n| bench.member(n));
    let lacks = bench.member(37);
    let repacked = |member: &Vec<u8>| {
        let entry = frame::decode(member).unwrap();
        frame::encode(Form::DoubleId, entry.id, entry.payload)
    };
    bench
        .server
        .cmd_bytes(&[b"ZADD", &keys.timeouts, b"5e12", &later]);
    bench.server.cmd_bytes(&[b"ZREM", &keys.timeouts, &gone]);
    bench
        .server
        .cmd_bytes(&[b"ZADD", &keys.timeouts, b"6e12", &repacked(&twin)]);
    let order = keys.order.unwrap();
    bench.server.cmd_bytes(&[b"LREM", &order, b"1", &lacks]);
    let now = bench.contents();
    let told = bench.apply(prepared, Limits::default()).await;
    let counts = [
        Outcome::Done,
        Outcome::Changed,
        Outcome::Gone,
        Outcome::Refused,
    ];
    let counts = counts.map(|outcome| told.count(outcome));
    assert_eq!(counts, [MANY / 10 - 3, 1, 1, 1], "{:?}", told.failed);
    let because = |outcome| {
        let mut those = told
            .results
            .iter()
            .filter(move |one| one.outcome == outcome);
        those.next().unwrap().reason.clone().unwrap()
    };
    assert!(because(Outcome::Changed).contains("another due time"));
    assert!(because(Outcome::Refused).contains("new bytes waits already"));
    let after = bench.contents();
    let left = [&later, &gone, &twin];
    let is_of_it = |member: &Vec<u8>| member.ends_with(b"7") && !left.contains(&member);
    let new = |member: &Vec<u8>| {
        if is_of_it(member) {
            repacked(member)
        } else {
            member.clone()
        }
    };
    assert!(after.order == now.order.iter().map(new).collect::<Vec<_>>());
    let timeouts = now
        .timeouts
        .iter()
        .map(|(member, score)| (new(member), score.clone()));
    assert!(after.timeouts == timeouts.collect());
    let mut prepared = plan_undo(&bench.store, &bench.journal, None, false)
        .await
        .unwrap();
    prepared.plan.way = Way::Sweep;
    let told = bench.apply(prepared, Limits::default()).await;
    assert!(told.summary.tally.all_done(), "{:?}", told.failed);
    assert!(bench.contents() == now && now.order.len() + 1 == before.order.len());
}

#[tokio::test]
async fn each_way_delivers_the_same_and_leaves_the_rest_in_the_order_list() {
    for way in [Way::InOrder, Way::Swap, Way::SetAside] {
        for everything in [true, false] {
            let bench = shuffled(1_500, 300).await;
            let before = bench.contents();
            let (what, which) = if everything {
                (ChangeRequest::Transfer, EntryChoice::Due)
            } else {
                (ChangeRequest::Deliver, matching("re:/[0-4]$/"))
            };
            let told = bench
                .apply(planned(&bench, what, which, way).await, Limits::default())
                .await;
            assert!(told.summary.tally.all_done(), "{way:?} {:?}", told.failed);
            let after = bench.contents();
            let delivered = gone(&before, &after);
            assert_eq!(delivered.len(), after.target.len());
            assert!(after.target.len() >= 750, "{}", after.target.len());
            let mut left = without(&before, &delivered);
            let mut order = after.order;
            if way == Way::Swap {
                left.sort();
                order.sort();
            }
            assert_eq!(order, left, "{way:?}");
            let aside = bench.queue.keys().aside.unwrap();
            assert_eq!(
                bench.server.cmd_bytes(&[b"EXISTS", &aside]),
                redis::Value::Int(0)
            );
        }
    }
}

#[tokio::test]
async fn a_pause_and_a_stop_bring_the_order_list_back() {
    let bench = shuffled(2_000, 0).await;
    let before = bench.contents();
    let prepared = planned(
        &bench,
        ChangeRequest::Transfer,
        EntryChoice::Due,
        Way::SetAside,
    )
    .await;
    let limits = Limits {
        per_s: Some(1_000.0),
        ..Limits::default()
    };
    let mut applying = apply(&bench.writer, &bench.journal, prepared, limits);
    let aside = bench.queue.keys().aside.unwrap();
    let exists = || bench.server.cmd_bytes(&[b"EXISTS", &aside]);
    let (mut results, mut paused) = (0, false);
    let summary = loop {
        match applying.next().await.unwrap() {
            ChangeEvent::Results(_) => {
                results += 1;
                applying.order(if paused { Order::Stop } else { Order::Pause });
            }
            ChangeEvent::Progress(progress) if progress.waits.as_deref() == Some("paused") => {
                assert_eq!(exists(), redis::Value::Int(0));
                let now = bench.contents();
                assert_eq!(now.order, without(&before, &gone(&before, &now)));
                paused = true;
                applying.order(Order::Go);
            }
            ChangeEvent::Ended(summary) => break summary,
            ChangeEvent::Failed(why) => panic!("{why}"),
            _ => {}
        }
    };
    assert!(paused && results >= 2);
    assert!(summary.tally.get(Outcome::Left) > 0, "{summary:?}");
    assert_eq!(exists(), redis::Value::Int(0));
    let after = bench.contents();
    assert_eq!(after.order, without(&before, &gone(&before, &after)));
}

#[tokio::test]
async fn a_sweep_that_is_stopped_leaves_the_rest_where_it_was() {
    let bench = shuffled(3_000, 900_000_000).await;
    let before = bench.contents();
    let prepared = planned(
        &bench,
        ChangeRequest::Delete,
        matching("re:/[0-4]$/"),
        Way::Sweep,
    )
    .await;
    let planned = prepared.plan.planned;
    let mut applying = apply(&bench.writer, &bench.journal, prepared, Limits::default());
    let summary = loop {
        match applying.next().await.unwrap() {
            ChangeEvent::Results(_) => applying.order(Order::Stop),
            ChangeEvent::Ended(summary) => break summary,
            ChangeEvent::Failed(why) => panic!("{why}"),
            _ => {}
        }
    };
    let after = bench.contents();
    let deleted = gone(&before, &after);
    assert_eq!(summary.tally.get(Outcome::Done), deleted.len() as u64);
    assert_eq!(summary.tally.sum(), planned);
    assert!(summary.tally.get(Outcome::Left) > 0);
    assert_eq!(after.order, without(&before, &deleted));
    bench.undo(None).await;
    assert_eq!(bench.contents(), before);
}

#[tokio::test]
async fn a_realigned_list_stands_in_due_order() {
    let bench = shuffled(1_000, 500).await;
    let within = ChangeRequest::Realign(Some(60_000));
    let (plan, told) = bench.change(within, EntryChoice::Due).await;
    assert_eq!((plan.planned, plan.way), (1_000, Way::Swap));
    assert!(told.summary.tally.all_done(), "{:?}", told.summary);
    let after = bench.contents();
    let mut by_due: Vec<_> = after.timeouts.iter().collect();
    by_due.sort_by_key(|(_, score)| score.parse::<i64>().unwrap());
    let by_due: Vec<_> = by_due
        .into_iter()
        .map(|(member, _)| member.clone())
        .collect();
    assert_eq!(after.order, by_due);
}

/// A hundred more, which wait for two hours.
fn wait_for_later(bench: &Bench) {
    let keys = bench.queue.keys();
    let due = bench.server.now().plus(7_200_000).get().to_string();
    for member in (1_001..=1_100).map(|n| bench.member(n)) {
        let zadd: [&[u8]; 4] = [b"ZADD", &keys.timeouts, due.as_bytes(), &member];
        bench.server.cmd_bytes(&zadd);
        let order = keys.order.as_ref().unwrap();
        bench.server.cmd_bytes(&[b"RPUSH", order, &member]);
    }
}

#[tokio::test]
async fn what_only_the_order_list_holds_stays_in_it_where_it_would_be_set_aside() {
    for what in [ChangeRequest::Transfer, ChangeRequest::Deliver] {
        let bench = shuffled(600, -1_000).await;
        wait_for_later(&bench);
        let order = bench.queue.keys().order.unwrap();
        let [first, last] = [9_001, 9_002].map(|n| bench.member(n));
        bench.server.cmd_bytes(&[b"LPUSH", &order, &first]);
        bench.server.cmd_bytes(&[b"RPUSH", &order, &last]);
        let which = match what {
            ChangeRequest::Deliver => matching("late"),
            _ => EntryChoice::Due,
        };
        let before = bench.contents();
        let prepared = planned(&bench, what, which, Way::SetAside).await;
        let told = bench.apply(prepared, Limits::default()).await;
        assert!(told.summary.tally.all_done(), "{:?}", told.summary);
        let after = bench.contents();
        let gone = gone(&before, &after);
        let (mut stays, mut order) = (without(&before, &gone), after.order);
        assert!(stays.contains(&first) && stays.contains(&last));
        // Those that were chosen came to the head, and what stood there went to their places.
        stays.sort();
        order.sort();
        assert_eq!(order, stays);
        let notes = told.summary.notes.join(" ");
        assert!(notes.contains("do not wait"), "{notes}");
    }
}

#[tokio::test]
async fn without_timeouts_all_of_a_list_that_is_aside_comes_back_where_entries_should_wait() {
    let bench = shuffled(600, -1_000).await;
    wait_for_later(&bench);
    let before = bench.contents();
    let limits = Limits {
        per_s: Some(500.0),
        ..Limits::default()
    };
    let prepared = planned(
        &bench,
        ChangeRequest::Transfer,
        EntryChoice::Due,
        Way::SetAside,
    )
    .await;
    let mut applying = apply(&bench.writer, &bench.journal, prepared, limits);
    let summary = loop {
        match applying.next().await.unwrap() {
            ChangeEvent::Progress(progress) if progress.tally.get(Outcome::Done) > 0 => {
                let timeouts = bench.queue.keys().timeouts;
                bench.server.cmd_bytes(&[b"DEL", &timeouts]);
            }
            ChangeEvent::Ended(summary) => break summary,
            _ => {}
        }
    };
    let notes = summary.notes.join(" ");
    assert!(notes.contains("timeouts was deleted or renamed"), "{notes}");
    assert_eq!(bench.contents().order, before.order);
}

#[tokio::test]
async fn a_key_of_another_type_is_named() {
    let bench = shuffled(300, -900_000).await;
    let keys = bench.queue.keys();
    for (key, what) in [
        (keys.aside.unwrap(), ChangeRequest::Delete),
        (keys.quarantine, ChangeRequest::Quarantine),
        (keys.order.unwrap(), ChangeRequest::Delete),
    ] {
        bench.server.cmd_bytes(&[b"DEL", &key]);
        bench.server.cmd_bytes(&[b"SET", &key, b"x"]);
        let all = EntryChoice::Selected(Selection::default());
        let refused = bench.plan(what, all).await.unwrap_err().to_string();
        let name = String::from_utf8_lossy(&key);
        assert!(refused.contains("WRONGTYPE"), "{refused}");
        assert!(refused.contains(&*name), "{refused}");
        bench.server.cmd_bytes(&[b"DEL", &key]);
    }
}

#[tokio::test]
async fn what_is_aside_is_not_sorted_and_not_told_as_moved_on() {
    let bench = shuffled(300, 900_000).await;
    let prepared = bench
        .plan(ChangeRequest::Realign(None), EntryChoice::Due)
        .await
        .unwrap();
    bench.writer.set_aside(&bench.queue).await.unwrap();
    let told = bench.apply(prepared, Limits::default()).await;
    assert_eq!(told.count(Outcome::Gone), 0, "{:?}", told.summary);
    assert_eq!(told.count(Outcome::Changed), 300, "{:?}", told.summary);
    let why = told.results[0].reason.as_deref().unwrap();
    assert!(why.contains("not found in the order list"), "{why}");
    let refused = bench
        .plan(ChangeRequest::Realign(None), EntryChoice::Due)
        .await;
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.contains("part of the order list is missing"),
        "{refused}"
    );
}

#[tokio::test]
async fn an_order_list_left_aside_is_restored_and_what_was_dropped_is_kept() {
    let bench = shuffled(300, 900_000).await;
    let before = bench.contents();
    let keys = bench.queue.keys();
    bench.writer.set_aside(&bench.queue).await.unwrap();
    let lost = bench.member(17);
    bench.server.cmd_bytes(&[b"ZREM", &keys.timeouts, &lost]);
    let (plan, told) = bench
        .change(ChangeRequest::RestoreOrder, EntryChoice::Due)
        .await;
    assert_eq!(plan.planned, 300);
    assert_eq!(
        (told.count(Outcome::Done), told.count(Outcome::Gone)),
        (299, 1)
    );
    let gone = HashSet::from([lost.clone()]);
    assert!(
        told.summary.all_done(),
        "what does not wait need not come back"
    );
    assert_eq!(bench.contents().order, without(&before, &gone));
    let items = bench.items(&told.summary).await;
    assert_eq!(items[0].0.member.as_ref(), Some(&lost));
    let id = told.summary.journal_id.as_deref();
    let (plan, told) = bench.undo(id).await;
    assert_eq!((plan.planned, told.count(Outcome::Done)), (1, 1));
    let mut after = bench.contents().order;
    let mut before = before.order;
    after.sort();
    before.sort();
    assert_eq!(after, before);
}

#[tokio::test]
async fn the_plan_of_that_says_what_it_writes() {
    let bench = shuffled(3_000, 900_000).await;
    let keys = bench.queue.keys();
    bench.writer.set_aside(&bench.queue).await.unwrap();
    let mut zrem = redis::cmd("ZREM");
    zrem.arg(&keys.timeouts);
    (1..=1_000).for_each(|n| {
        zrem.arg(bench.member(n));
    });
    zrem.exec(&mut bench.server.connection()).unwrap();
    let prepared = bench
        .plan(ChangeRequest::RestoreOrder, EntryChoice::Due)
        .await
        .unwrap();
    let cost = prepared.plan.cost;
    let told = bench.apply(prepared, Limits::default()).await;
    assert_eq!(told.count(Outcome::Gone), 1_000);
    let each = bench.member(1_000).len() as u64;
    // A sample tells of it.
    let about = |bytes: u64, wanted: u64| bytes * 10 > wanted * 8 && bytes * 8 < wanted * 10;
    assert!(about(cost.replicated_bytes, 2_000 * (each + 8)), "{cost:?}");
    let journal = bench.dir().join("changes");
    let file = journal.join(told.summary.journal_id.unwrap());
    let written = std::fs::metadata(file).unwrap().len();
    assert!(about(cost.journal_bytes, written), "{cost:?} {written}");
}

#[tokio::test]
async fn what_waits_again_is_not_put_into_the_order_list_a_second_time() {
    let bench = shuffled(300, 900_000).await;
    let keys = bench.queue.keys();
    let order = keys.order.unwrap();
    bench.writer.set_aside(&bench.queue).await.unwrap();
    let (again, stray) = (bench.member(17), bench.member(18));
    for lost in [&again, &stray] {
        bench.server.cmd_bytes(&[b"ZREM", &keys.timeouts, lost]);
    }
    let (_, told) = bench
        .change(ChangeRequest::RestoreOrder, EntryChoice::Due)
        .await;
    assert_eq!(told.count(Outcome::Gone), 2);
    let due = bench.queue.score(bench.server.now().plus(900_000));
    bench.server.put(&bench.queue, &again, &due.to_string());
    let (_, told) = bench.undo(told.summary.journal_id.as_deref()).await;
    assert_eq!(told.count(Outcome::Done), 1, "{:?}", told.summary);
    // Somebody else undoes it, too.
    let copies = |member: &Vec<u8>| {
        let order = bench.contents().order;
        order.iter().filter(|it| *it == member).count()
    };
    assert_eq!((copies(&again), copies(&stray)), (1, 1));
    assert_eq!(
        bench
            .server
            .int(&["LLEN", std::str::from_utf8(&order).unwrap()]),
        300
    );
}

#[tokio::test]
async fn entries_that_others_transfer_amid_a_repair_of_drift_are_not_called_lost() {
    let bench = shuffled(60, 900_000).await;
    let keys = bench.queue.keys();
    let order = keys.order.unwrap();
    for n in 1..=30 {
        let member = bench.member(n);
        bench.server.cmd_bytes(&[b"RPUSH", &order, &member]);
    }
    let prepared = bench
        .plan(ChangeRequest::Drift, EntryChoice::Due)
        .await
        .unwrap();
    assert_eq!(prepared.plan.planned, 30);
    let last = bench.member(30);
    bench.server.cmd_bytes(&[b"ZREM", &keys.timeouts, &last]);
    bench.server.cmd_bytes(&[b"LREM", &order, b"0", &last]);
    let told = bench.apply(prepared, Limits::default()).await;
    assert_eq!(told.failed, None);
    assert_eq!(
        (told.count(Outcome::Done), told.count(Outcome::Gone)),
        (29, 1),
        "{:?}",
        told.summary
    );
}

#[tokio::test]
async fn drift_is_mended_and_undo_brings_it_back() {
    let bench = shuffled(50, 900_000).await;
    let keys = bench.queue.keys();
    let order = keys.order.unwrap();
    let (missing, twice) = (bench.member(7), bench.member(8));
    bench.server.cmd_bytes(&[b"LREM", &order, b"1", &missing]);
    bench.server.cmd_bytes(&[b"RPUSH", &order, &twice]);
    let before = bench.contents();
    let (plan, told) = bench.change(ChangeRequest::Drift, EntryChoice::Due).await;
    assert_eq!(plan.planned, 2);
    assert!(told.summary.tally.all_done(), "{:?}", told.failed);
    let after = bench.contents();
    let members: HashSet<_> = after.order.iter().collect();
    assert!(members == after.timeouts.keys().collect() && after.order.len() == 50);
    assert_eq!(after.timeouts, before.timeouts);
    let (plan, told) = bench.undo(None).await;
    assert_eq!(plan.planned, 2);
    assert!(told.summary.tally.all_done(), "{:?}", told.failed);
    assert_eq!(bench.contents(), before);
}

#[tokio::test]
async fn what_is_delivered_in_the_selection_of_another_place_is_seen() {
    let bench = shuffled(20, 10).await;
    let which = EntryChoice::Selected(Selection {
        from: EntryPlace::Order,
        limit: Some(5),
        ..Selection::default()
    });
    let before = bench.contents();
    let (plan, told) = bench.change(ChangeRequest::Delete, which).await;
    assert_eq!(plan.planned, 5);
    assert!(told.summary.tally.all_done());
    assert_eq!(bench.contents().order, before.order[5..]);
}

#[tokio::test]
async fn a_list_that_another_change_has_aside_is_waited_for_and_not_brought_back() {
    let bench = shuffled(600, -1_000).await;
    let prepared = planned(
        &bench,
        ChangeRequest::Transfer,
        EntryChoice::Due,
        Way::SetAside,
    )
    .await;
    bench.writer.set_aside(&bench.queue).await.unwrap();
    let mut applying = apply(&bench.writer, &bench.journal, prepared, Limits::default());
    let (mut waited, mut moved) = (0, 0);
    let summary = loop {
        match applying.next().await.unwrap() {
            ChangeEvent::Progress(progress) if progress.waits.is_some() => {
                let waits = progress.waits.unwrap();
                assert!(waits.contains("another change"), "{waits}");
                // The other one brings back what it has aside, a part at a time.
                let back = bench
                    .writer
                    .bring_back(&bench.queue, 100, StrayFate::Counted);
                moved += back.await.unwrap().done.taken;
                waited += 1;
            }
            ChangeEvent::Progress(progress) if moved < 600 => {
                assert_ne!(progress.phase, "bringing the order list back");
            }
            ChangeEvent::Ended(summary) => break summary,
            ChangeEvent::Failed(why) => panic!("{why}"),
            _ => {}
        }
    };
    assert_eq!((waited, moved), (6, 600));
    assert!(summary.tally.all_done(), "{summary:?}");
    assert_eq!(bench.contents().order, Vec::<Vec<u8>>::new());
}

#[tokio::test]
async fn how_far_the_order_list_is_on_its_way_back_is_told() {
    // Most of it is not due yet, and comes back.
    let bench = shuffled(3_000, 600_000).await;
    let some = matching("\"entry 1\"");
    let prepared = planned(&bench, ChangeRequest::Deliver, some, Way::SetAside).await;
    let mut applying = apply(&bench.writer, &bench.journal, prepared, Limits::default());
    let mut back = Vec::new();
    let last = loop {
        match applying.next().await.unwrap() {
            ChangeEvent::Progress(progress) => {
                back.extend(progress.back);
                if progress.phase == "bringing the order list back" {
                    assert!(progress.back.is_some(), "{progress:?}");
                }
            }
            ChangeEvent::Ended(summary) => break summary,
            ChangeEvent::Failed(why) => panic!("{why}"),
            _ => {}
        }
    };
    assert!(last.tally.all_done(), "{last:?}");
    // The first script is told of at once.
    let (at, of) = back[0];
    assert!(at > 0 && at < of && of == 3_000, "{back:?}");
    assert!(back.is_sorted(), "{back:?}");
}

#[tokio::test]
async fn a_list_that_somebody_left_aside_is_brought_back_after_a_while() {
    let bench = shuffled(60, -1_000).await;
    let prepared = planned(
        &bench,
        ChangeRequest::Transfer,
        EntryChoice::Due,
        Way::SetAside,
    )
    .await;
    bench.writer.set_aside(&bench.queue).await.unwrap();
    // That one had moved it.
    let (timeouts, moved) = (bench.queue.keys().timeouts, bench.member(7));
    bench.server.cmd_bytes(&[b"ZREM", &timeouts, &moved]);
    let told = bench.apply(prepared, Limits::default()).await;
    let fates = [Outcome::Done, Outcome::Gone].map(|outcome| told.count(outcome));
    assert_eq!(fates, [59, 1], "{:?}", told.summary);
    let notes = told.summary.notes.join(" ");
    assert!(notes.contains("1 element of the order list"), "{notes}");
    assert!(told.summary.elapsed >= std::time::Duration::from_secs(2));
}

#[tokio::test]
async fn a_change_beside_a_list_that_was_left_aside_says_what_brings_it_back() {
    let bench = shuffled(60, -1_000).await;
    let others = bench.server.now().plus(600_000);
    bench.server.put(
        &bench.queue,
        &frame::encode(Form::ByteId, [9; 8], b"later"),
        &others.get().to_string(),
    );
    bench.writer.set_aside(&bench.queue).await.unwrap();
    let prepared = planned(
        &bench,
        ChangeRequest::Transfer,
        EntryChoice::Due,
        Way::InOrder,
    )
    .await;
    let told = bench.apply(prepared, Limits::default()).await;
    assert_eq!(told.count(Outcome::Done), 60, "{:?}", told.summary);
    let refused = bench.undo(None).await.1;
    assert!(
        refused.failed.clone().unwrap().contains("ASIDE"),
        "{:?}",
        refused.failed
    );
    for summary in [told.summary, refused.summary] {
        let notes = summary.notes.join(" ");
        assert!(
            notes.contains("61 elements are missing from the order list"),
            "{notes}"
        );
        assert!(
            notes.contains("repair orders --restore-order` restores them"),
            "{notes}"
        );
    }
}

#[tokio::test]
async fn what_a_killed_change_left_aside_is_never_the_last_copy_that_goes() {
    let bench = shuffled(60, -1_000).await;
    let before = bench.contents().order;
    bench.writer.set_aside(&bench.queue).await.unwrap();
    // Meanwhile timeouts is lost, and somebody offers anew.
    let keys = bench.queue.keys();
    bench.server.cmd_bytes(&[b"DEL", &keys.timeouts]);
    let due = bench.queue.score(bench.server.now().plus(-1_000));
    let fresh = bench.member(9_001);
    bench.server.put(&bench.queue, &fresh, &due.to_string());
    let prepared = planned(
        &bench,
        ChangeRequest::Transfer,
        EntryChoice::Due,
        Way::SetAside,
    )
    .await;
    let told = bench.apply(prepared, Limits::default()).await;
    assert_eq!(told.count(Outcome::Done), 1, "{:?}", told.summary);
    assert_eq!(bench.contents().order, Vec::<Vec<u8>>::new());
    let notes = told.summary.notes.join(" ");
    assert!(notes.contains("60 elements of the order list"), "{notes}");
    let (_, id) = notes.split_once(" undo ").unwrap();
    let (id, _) = id.split_once('`').unwrap();
    let (plan, told) = bench.undo(Some(id)).await;
    assert_eq!(plan.planned, 60);
    assert!(told.summary.tally.all_done(), "{:?}", told.summary);
    let mut after = bench.contents().order;
    let mut before = before;
    after.sort();
    before.sort();
    assert_eq!(after, before);
}
