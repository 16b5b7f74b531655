//! Each change with each layout: planned, done, taken back.

use delayscope::ops::apply::Limits;
use delayscope::ops::entries::{EntryPlace, Selection};
use delayscope::ops::plan::{Base, ChangeRequest, EntryChoice, NewDue};
use delayscope::queue::asks::{Confirmation, NameReason};
use delayscope::queue::{Change, Due, Outcome, Queue};
use delayscope::store::bulk::StrayFate;

use crate::apply::bench::{Bench, layouts};

fn selected(from: EntryPlace) -> EntryChoice {
    EntryChoice::Selected(Selection {
        from,
        ..Selection::default()
    })
}

#[tokio::test]
async fn what_is_deleted_is_gone_and_undo_puts_it_where_it_stood() {
    for queue in layouts() {
        let bench = Bench::new(&queue).await;
        bench.fill(9, bench.server.now().plus(60_000), 1_000);
        let before = bench.contents();
        let chosen = bench.entries(&[3, 4, 1, 9]);
        let (plan, told) = bench.change(ChangeRequest::Delete, chosen).await;
        assert_eq!((plan.change, plan.planned), (Change::Delete, 4));
        assert!(told.summary.tally.all_done(), "{:?}", told.summary);
        let after = bench.contents();
        assert_eq!(after.timeouts.len(), 5);
        for n in [3, 4, 1, 9] {
            let member = bench.member(n);
            assert!(!after.timeouts.contains_key(&member) && !after.order.contains(&member));
        }
        let (plan, told) = bench.undo(None).await;
        assert_eq!((plan.change, plan.planned), (Change::Undo, 4));
        assert!(told.summary.tally.all_done(), "{:?}", told.summary);
        assert_eq!(bench.contents(), before, "{queue:?}");
    }
}

#[tokio::test]
async fn chosen_entries_are_delivered_though_not_due_and_undo_takes_them_back() {
    for queue in layouts() {
        let bench = Bench::new(&queue).await;
        bench.fill(5, bench.server.now().plus(60_000), 1_000);
        let before = bench.contents();
        let (plan, told) = bench
            .change(ChangeRequest::Deliver, bench.entries(&[2, 5]))
            .await;
        assert_eq!((plan.planned, plan.target), (2, Some((0, 2))));
        assert!(told.summary.tally.all_done(), "{:?}", told.failed);
        let after = bench.contents();
        assert_eq!((after.timeouts.len(), after.target.len()), (3, 2));
        let (plan, told) = bench.undo(None).await;
        assert_eq!(plan.target, Some((2, 0)));
        assert!(told.summary.tally.all_done(), "{:?}", told.results);
        let back = bench.contents();
        assert_eq!(
            (&back.timeouts, &back.target),
            (&before.timeouts, &before.target)
        );
        assert_eq!(back.order.len(), before.order.len());
    }
}

#[tokio::test]
async fn everything_due_is_transferred_and_nothing_else() {
    for queue in layouts() {
        let bench = Bench::new(&queue).await;
        let now = bench.server.now();
        bench.fill(700, now.plus(-650 * 60_000 - 30_000), 60_000);
        let before = bench.contents();
        let (plan, told) = bench
            .change(ChangeRequest::Transfer, EntryChoice::Due)
            .await;
        assert_eq!((plan.planned, plan.first.len()), (651, 5));
        assert_ne!(plan.oldest, plan.newest);
        assert!(told.summary.tally.all_done(), "{:?}", told.failed);
        assert_eq!(told.results.len(), 651);
        let after = bench.contents();
        assert_eq!((after.timeouts.len(), after.target.len()), (49, 651));
        assert!(queue.keys().order.is_none() || after.order.len() == 49);
        let items = bench.items(&told.summary).await;
        assert_eq!(items.len(), 651);
        let (_, told) = bench.undo(None).await;
        assert!(told.summary.tally.all_done(), "{:?}", told.failed);
        let back = bench.contents();
        assert_eq!(
            (back.timeouts, back.target),
            (before.timeouts, before.target)
        );
    }
}

#[tokio::test]
async fn a_requeue_gives_another_due_time_and_undo_the_old_one() {
    for queue in layouts() {
        let bench = Bench::new(&queue).await;
        let first = bench.server.now().plus(60_000);
        bench.fill(5, first, 1_000);
        let before = bench.contents();
        let later = ChangeRequest::Requeue(NewDue {
            base: Base::By(10_000),
            spread_ms: 400,
        });
        let (plan, told) = bench.change(later, selected(EntryPlace::Waiting)).await;
        let new = plan.new_due.unwrap();
        assert_eq!(new, (first.plus(10_000), first.plus(14_000 + 400)));
        assert!(told.summary.tally.all_done(), "{:?}", told.failed);
        let third = bench.entry(3).score.map(|score| queue.due(score));
        assert_eq!(third, Some(Due::At(first.plus(12_000 + 200))));
        bench.undo(None).await;
        assert_eq!(bench.contents(), before);
    }
}

#[tokio::test]
async fn delivered_entries_go_back_to_waiting_and_undo_delivers_them_again() {
    for queue in layouts() {
        let bench = Bench::new(&queue).await;
        bench.fill(6, bench.server.now().plus(-3_500), 1_000);
        bench
            .change(ChangeRequest::Transfer, EntryChoice::Due)
            .await;
        let before = bench.contents();
        let in_an_hour = ChangeRequest::Requeue(NewDue {
            base: Base::In(3_600_000),
            spread_ms: 0,
        });
        let (plan, told) = bench
            .change(in_an_hour, selected(EntryPlace::Delivered))
            .await;
        assert_eq!(plan.target, Some((4, 0)));
        assert!(told.summary.tally.all_done(), "{:?}", told.failed);
        assert_eq!(bench.contents().timeouts.len(), 6);
        let (_, told) = bench.undo(None).await;
        assert!(told.summary.tally.all_done(), "{:?}", told.results);
        let back = bench.contents();
        let sorted = |mut all: Vec<Vec<u8>>| {
            all.sort();
            all
        };
        assert_eq!(back.timeouts, before.timeouts);
        assert_eq!(back.order, before.order);
        assert_eq!(sorted(back.target), sorted(before.target));
    }
}

#[tokio::test]
async fn delivered_entries_are_deleted_and_undo_puts_them_where_they_are_taken_next() {
    for queue in layouts() {
        let bench = Bench::new(&queue).await;
        bench.fill(250, bench.server.now().plus(-900_000), 1_000);
        bench
            .change(ChangeRequest::Transfer, EntryChoice::Due)
            .await;
        let before = bench.contents();
        let (_, told) = bench
            .change(ChangeRequest::Delete, selected(EntryPlace::Delivered))
            .await;
        assert!(told.summary.tally.all_done(), "{:?}", told.failed);
        assert!(bench.contents().target.is_empty());
        let (_, told) = bench.undo(None).await;
        assert!(told.summary.tally.all_done(), "{:?}", told.failed);
        assert_eq!(bench.contents(), before);
    }
}

#[tokio::test]
async fn an_edited_entry_keeps_id_place_and_due_time_and_undo_its_old_bytes() {
    for queue in layouts() {
        let bench = Bench::new(&queue).await;
        bench.fill(3, bench.server.now().plus(60_000), 1_000);
        let before = bench.contents();
        let edit = ChangeRequest::Edit(b"something else".to_vec());
        let (_, told) = bench.change(edit, bench.entries(&[2])).await;
        assert!(told.summary.tally.all_done(), "{:?}", told.failed);
        let after = bench.contents();
        assert_eq!(after.timeouts.len(), 3);
        let new = after
            .timeouts
            .keys()
            .find(|m| m.ends_with(b"something else"));
        let score = &after.timeouts[new.unwrap()];
        assert_eq!(score, &before.timeouts[&bench.member(2)]);
        assert!(queue.keys().order.is_none() || after.order.get(1) == new);
        bench.undo(None).await;
        assert_eq!(bench.contents(), before);
    }
}

#[tokio::test]
async fn a_duplicate_waits_beside_the_first_and_undo_deletes_it() {
    let queue = Queue::redisson("orders");
    let bench = Bench::new(&queue).await;
    bench.fill(2, bench.server.now().plus(60_000), 1_000);
    let before = bench.contents();
    let (_, told) = bench
        .change(ChangeRequest::Duplicate, bench.entries(&[1]))
        .await;
    assert!(told.summary.tally.all_done(), "{:?}", told.failed);
    let after = bench.contents();
    let score = &before.timeouts[&bench.member(1)];
    let alike = after.timeouts.iter().filter(|(member, other)| {
        queue.unwrap(member).unwrap().payload == b"entry 1" && *other == score
    });
    assert_eq!((alike.count(), after.timeouts.len()), (2, 3));
    bench.undo(None).await;
    assert_eq!(bench.contents(), before);
}

#[tokio::test]
async fn what_changed_since_the_plan_is_left_alone_and_told() {
    for queue in layouts() {
        let bench = Bench::new(&queue).await;
        bench.fill(4, bench.server.now().plus(60_000), 1_000);
        let chosen = bench.entries(&[1, 2, 3, 4]);
        let prepared = bench.plan(ChangeRequest::Delete, chosen).await.unwrap();
        let timeouts = queue.keys().timeouts;
        let (gone, moved) = (bench.member(1), bench.member(2));
        bench.server.cmd_bytes(&[b"ZREM", &timeouts, &gone]);
        bench.server.cmd_bytes(&[b"ZADD", &timeouts, b"5", &moved]);
        let told = bench.apply(prepared, Limits::default()).await;
        assert_eq!(told.count(Outcome::Done), 2);
        assert_eq!(
            (told.count(Outcome::Gone), told.count(Outcome::Changed)),
            (1, 1)
        );
        assert!(bench.contents().timeouts.contains_key(&moved));
        // What was not done is not taken back.
        let (plan, _) = bench.undo(None).await;
        assert_eq!(plan.planned, 2);
    }
}

#[tokio::test]
async fn members_that_are_no_frames_are_left_alone_by_a_delivery() {
    let queue = Queue::redisson("orders");
    let bench = Bench::new(&queue).await;
    bench.fill(3, bench.server.now().plus(-60_000), 1_000);
    bench.server.put(&queue, b"no frame", "1000");
    let (plan, told) = bench
        .change(ChangeRequest::Transfer, EntryChoice::Due)
        .await;
    assert_eq!(plan.planned, 4);
    assert_eq!(
        (told.count(Outcome::Done), told.count(Outcome::Undecodable)),
        (3, 1)
    );
    bench.undo(None).await;
    let (plan, told) = bench
        .change(ChangeRequest::Deliver, selected(EntryPlace::Late))
        .await;
    assert!(
        plan.warnings
            .iter()
            .any(|w| w.contains("no client wrote them")),
        "{plan:?}"
    );
    assert_eq!(
        (told.count(Outcome::Done), told.count(Outcome::Undecodable)),
        (3, 1)
    );
    assert_eq!(bench.contents().timeouts.len(), 1);
}

#[tokio::test]
async fn an_id_of_two_entries_is_refused_and_both_are_listed() {
    let queue = Queue::redisson("orders");
    let bench = Bench::new(&queue).await;
    bench.fill(1, bench.server.now().plus(60_000), 1_000);
    let twin = crate::support::frame(1, b"another");
    bench.server.put(&queue, &twin, "1900000000000");
    let by_id = |limit| {
        EntryChoice::Selected(Selection {
            ids: vec!["0000000000000001".to_owned()],
            limit,
            ..Selection::default()
        })
    };
    let error = bench
        .plan(ChangeRequest::Delete, by_id(None))
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("that of 2 entries (24 bytes"), "{error}");
    // A limit picks among equal elements only.
    assert!(
        bench
            .plan(ChangeRequest::Delete, by_id(Some(2)))
            .await
            .is_err()
    );
}

#[tokio::test]
async fn more_than_half_of_what_there_is_wants_the_name_whatever_is_done_to_it() {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(3, bench.server.now().plus(60_000), 1_000);
    let keys = bench.queue.keys();
    let (order, members) = (keys.order.unwrap(), [1, 2, 3].map(|n| bench.member(n)));
    let asks = async |what: ChangeRequest, which: EntryChoice| {
        let prepared = bench.plan(what.clone(), which).await.unwrap();
        // Whoever is asked sees what the entries say.
        let says = prepared.plan.says.iter().filter(|said| !said.is_empty());
        let of_keys = what == ChangeRequest::RestoreOrder;
        assert_eq!(
            says.count() >= 2 || prepared.plan.planned < 2,
            !of_keys,
            "{what:?}"
        );
        (prepared.plan.planned, prepared.plan.asks(false))
    };
    let later = || NewDue {
        base: Base::In(60_000),
        spread_ms: 0,
    };
    for what in [
        ChangeRequest::Delete,
        ChangeRequest::Deliver,
        ChangeRequest::Quarantine,
        ChangeRequest::Requeue(later()),
        ChangeRequest::Realign(None),
    ] {
        let which = match what {
            ChangeRequest::Realign(_) => EntryChoice::Due,
            _ => bench.entries(&[1, 2]),
        };
        let (planned, asks) = asks(what.clone(), which).await;
        assert!(planned > 1, "{what:?}");
        assert_eq!(asks, Confirmation::Name(NameReason::Half), "{what:?}");
    }
    // One of three is not half.
    let one = asks(ChangeRequest::Delete, bench.entries(&[1])).await;
    assert_eq!(one, (1, Confirmation::Yes));
    // What is in quarantine, in target, in the order list alone, or in one that is aside.
    let (quarantine, target) = (&keys.quarantine, &keys.target);
    for member in &members {
        bench.server.cmd_bytes(&[b"ZADD", quarantine, b"1", member]);
        bench.server.cmd_bytes(&[b"RPUSH", target, b"delivered"]);
    }
    let restore = asks(ChangeRequest::Restore, EntryChoice::Due).await;
    assert_eq!(restore, (3, Confirmation::Name(NameReason::Half)));
    let delivered = asks(ChangeRequest::Delete, selected(EntryPlace::Delivered)).await;
    assert_eq!(delivered, (3, Confirmation::Name(NameReason::Half)));
    bench.server.cmd_bytes(&[b"DEL", &keys.timeouts]);
    for what in [
        ChangeRequest::Delete,
        ChangeRequest::Deliver,
        ChangeRequest::Requeue(later()),
    ] {
        let strays = asks(what.clone(), selected(EntryPlace::OrderOnly)).await;
        assert_eq!(
            strays,
            (3, Confirmation::Name(NameReason::Half)),
            "{what:?}"
        );
    }
    bench
        .server
        .cmd_bytes(&[b"RENAME", &order, &keys.aside.unwrap()]);
    let aside = asks(ChangeRequest::RestoreOrder, EntryChoice::Due).await;
    assert_eq!(aside, (3, Confirmation::Name(NameReason::Half)));
}

#[tokio::test]
async fn a_plan_writes_nothing_and_shows_the_commands_for_a_single_entry() {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(2, bench.server.now().plus(60_000), 1_000);
    let monitor = bench.server.monitor();
    let chosen = bench.entries(&[1]);
    let prepared = bench.plan(ChangeRequest::Delete, chosen).await.unwrap();
    let line = &prepared.plan.commands[0];
    assert!(
        line.starts_with("printf '%s\\n' MULTI 'LREM \"redisson_delay_queue:"),
        "{line}"
    );
    for words in monitor.commands(&bench.server) {
        let verb = words[0].to_uppercase();
        let reads = [
            "TIME", "LLEN", "LRANGE", "ZRANGE", "ZCARD", "ZCOUNT", "MULTI", "EXEC", "ZSCORE",
            "ZMSCORE", "PTTL", "PUBSUB", "INFO", "HLEN",
        ];
        assert!(reads.contains(&verb.as_str()), "{words:?}");
    }
    assert!(bench.journal.list().await.unwrap_or_default().is_empty());
}

#[tokio::test]
async fn drift_is_not_looked_for_while_the_order_list_is_aside() {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(3, bench.server.now().plus(60_000), 1);
    bench.writer.set_aside(&bench.queue).await.unwrap();
    let refused = bench
        .plan(ChangeRequest::Drift, EntryChoice::Due)
        .await
        .unwrap_err();
    assert!(
        refused.to_string().contains("restore it first"),
        "{refused}"
    );
    while bench
        .writer
        .bring_back(&bench.queue, 10, StrayFate::Counted)
        .await
        .unwrap()
        .done
        .taken
        > 0
    {}
    let plan = bench
        .plan(ChangeRequest::Drift, EntryChoice::Due)
        .await
        .unwrap()
        .plan;
    assert_eq!(plan.planned, 0);
}

#[tokio::test]
async fn a_plan_for_many_says_what_is_done_in_the_words_of_redis_cli() {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(1_200, bench.server.now().plus(-60_000), 1);
    for (what, words) in [
        (
            ChangeRequest::Transfer,
            "one by one: RPUSH orders, LREM redisson_delay",
        ),
        (
            ChangeRequest::Realign(None),
            "LSET redisson_delay_queue:{orders}",
        ),
        (ChangeRequest::Drift, "LREM redisson_delay_queue:{orders}"),
        (
            ChangeRequest::RestoreOrder,
            "RPOP delayscope:aside:{orders}, and LPUSH",
        ),
    ] {
        if what == ChangeRequest::RestoreOrder {
            bench.writer.set_aside(&bench.queue).await.unwrap();
        }
        let plan = bench.plan(what, EntryChoice::Due).await.unwrap().plan;
        let [line] = &plan.commands[..] else {
            panic!("{plan:?}");
        };
        assert!(line.contains(words), "{line}");
    }
    let all = EntryChoice::Where(EntryPlace::Waiting, std::sync::Arc::new(|_| true));
    let plan = bench.plan(ChangeRequest::Delete, all).await.unwrap().plan;
    let line = &plan.commands[0];
    assert!(
        line.starts_with("deleting: 1,200 entries by exact bytes"),
        "{line}"
    );
}

#[tokio::test]
async fn what_only_the_order_list_holds_waits_again() {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(3, bench.server.now().plus(60_000), 1_000);
    let before = bench.contents();
    let timeouts = bench.queue.keys().timeouts;
    bench.server.cmd_bytes(&[b"DEL", &timeouts]);
    let in_an_hour = ChangeRequest::Requeue(NewDue {
        base: Base::In(3_600_000),
        spread_ms: 20,
    });
    let (plan, told) = bench.change(in_an_hour, selected(EntryPlace::Order)).await;
    assert_eq!(plan.planned, 3);
    assert!(plan.warnings.iter().any(|w| w.contains("cannot be undone")));
    assert!(told.summary.tally.all_done(), "{:?}", told.failed);
    let after = bench.contents();
    assert_eq!(after.order, before.order);
    assert!(after.timeouts.keys().eq(before.timeouts.keys()));
    // There is no due time that it had before.
    let (_, told) = bench.undo(None).await;
    assert_eq!(told.count(Outcome::Refused), 3);
    let why = told.results[0].reason.clone().unwrap();
    assert!(why.starts_with("it had no due time before"), "{why}");
    assert_eq!(bench.contents(), after);
}
