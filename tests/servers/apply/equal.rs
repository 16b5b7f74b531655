//! Elements of target that are equal: as many are changed as were chosen, and undo puts back these.

use std::collections::HashMap;
use std::sync::Arc;

use delayscope::ops::apply::Limits;
use delayscope::ops::entries::{EntryPlace, Selection};
use delayscope::ops::plan::{Base, ChangeError, ChangeRequest, Copies, EntryChoice, NewDue};
use delayscope::ops::undo::plan_undo;
use delayscope::queue::{Entry, EntryId, Outcome, Queue, State};

use crate::apply::bench::Bench;

async fn delivered(says: &[&str]) -> Bench {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    for says in says {
        bench.server.cmd(&["RPUSH", "orders", says]);
    }
    bench
}

/// What target holds, from its head.
fn standing(bench: &Bench) -> Vec<String> {
    let target = bench.contents().target.into_iter();
    target.map(|e| String::from_utf8(e).unwrap()).collect()
}

fn words(bench: &Bench) -> Vec<String> {
    let mut words = standing(bench);
    words.sort();
    words
}

fn all() -> EntryChoice {
    EntryChoice::Where(EntryPlace::Delivered, Arc::new(|_| true))
}

fn by_id(ids: &[&str], limit: Option<u64>) -> EntryChoice {
    let ids = ids.iter().map(|says| EntryId::of_bytes(says.as_bytes()));
    EntryChoice::Selected(Selection {
        from: EntryPlace::Delivered,
        ids: ids.map(|id| id.to_string()).collect(),
        limit,
        ..Selection::default()
    })
}

fn counted(copies: &[(&str, Copies)]) -> EntryChoice {
    let copies = copies
        .iter()
        .map(|(says, n)| (says.as_bytes().to_vec(), *n));
    EntryChoice::Counted(Box::new(all()), copies.collect::<HashMap<_, _>>())
}

#[tokio::test]
async fn as_many_of_equal_elements_leave_as_were_chosen_and_undo_puts_back_these() {
    let element = || Entry {
        member: b"a".to_vec(),
        score: None,
        state: State::Delivered,
    };
    for (which, planned, left) in [
        (EntryChoice::These(vec![element(), element()]), 2, "abbc"),
        (counted(&[("a", Copies::Without(1))]), 5, "a"),
        (
            counted(&[("a", Copies::Only(1)), ("c", Copies::Without(1))]),
            3,
            "aac",
        ),
        (by_id(&["a", "a", "c"], None), 3, "abb"),
        (by_id(&["b", "c"], Some(3)), 3, "aaa"),
        (EntryChoice::ButOne(Box::new(all())), 3, "abc"),
        (
            EntryChoice::ButOne(Box::new(by_id(&["a"], None))),
            2,
            "abbc",
        ),
        (
            EntryChoice::ButOne(Box::new(counted(&[("a", Copies::Without(1))]))),
            2,
            "aabc",
        ),
    ] {
        let bench = delivered(&["a", "b", "a", "c", "b", "a"]).await;
        let before = words(&bench);
        let case = format!("{which:?}");
        let (plan, told) = bench.change(ChangeRequest::Delete, which).await;
        assert_eq!(
            (plan.planned, told.count(Outcome::Done)),
            (planned, planned),
            "{case}"
        );
        assert_eq!(words(&bench).concat(), left, "{case}");
        bench.undo(None).await;
        assert_eq!(words(&bench), before, "{case}");
    }
}

/// What target holds, as consumers take it.
fn as_taken(bench: &Bench) -> String {
    let mut taken = standing(bench);
    if bench.queue.comes_at_head() {
        taken.reverse();
    }
    taken.concat()
}

/// A queue of which consumers take from that end, with these delivered, one letter each.
async fn delivered_to(queue: &Queue, says: &str) -> Bench {
    let bench = Bench::new(queue).await;
    for says in says.chars() {
        push(&bench, &says.to_string());
    }
    bench
}

fn push(bench: &Bench, says: &str) {
    let push = if bench.queue.comes_at_head() {
        "LPUSH"
    } else {
        "RPUSH"
    };
    let target = bench.queue.keys().target;
    bench
        .server
        .cmd_bytes(&[push.as_bytes(), &target, says.as_bytes()]);
}

/// A consumer takes one.
fn take(bench: &Bench) {
    let pop = if bench.queue.comes_at_head() {
        "RPOP"
    } else {
        "LPOP"
    };
    let target = bench.queue.keys().target;
    bench.server.cmd_bytes(&[pop.as_bytes(), &target]);
}

fn pushed_left() -> Queue {
    "zset-list:delay,ready,ms,left".parse().unwrap()
}

#[tokio::test]
async fn of_equal_elements_the_one_stays_that_a_consumer_takes_first_and_undo_puts_back_the_others()
{
    // Before, and what stays.
    let cases = [
        ("abaacb", "abc"),
        ("abcbab", "abc"),
        ("aaaa", "a"),
        ("abcabcabcabc", "abc"),
        ("abbaabbacabcacbabcabbcaaac", "abc"),
    ];
    for (says, left) in cases {
        for queue in [Queue::redisson("orders"), pushed_left()] {
            let bench = delivered_to(&queue, says).await;
            bench
                .change(ChangeRequest::Delete, EntryChoice::ButOne(Box::new(all())))
                .await;
            assert_eq!(as_taken(&bench), left, "{queue:?}");
            bench.undo(None).await;
            assert_eq!(as_taken(&bench), says, "{queue:?}");
            // That is taken back, and once more.
            for taken_back in [left, says] {
                let newest = bench.journal.list().await.unwrap();
                let id = newest.first().map(|kept| kept.id.clone());
                bench.undo(id.as_deref()).await;
                assert_eq!(as_taken(&bench), taken_back, "{queue:?}");
            }
        }
    }
}

#[tokio::test]
async fn undo_puts_what_was_kept_one_of_beside_what_is_left_of_its_neighbours() {
    for queue in [Queue::redisson("orders"), pushed_left()] {
        let bench = delivered_to(&queue, "abcadbec").await;
        bench
            .change(ChangeRequest::Delete, EntryChoice::ButOne(Box::new(all())))
            .await;
        assert_eq!(as_taken(&bench), "abcde");
        // Consumers go on, and so do those that deliver.
        for _ in 0..2 {
            take(&bench);
        }
        for says in ["f", "g"] {
            push(&bench, says);
        }
        bench.undo(None).await;
        assert_eq!(as_taken(&bench), "cadbecfg", "{queue:?}");

        // What stood before it was taken: it is next.
        let bench = delivered_to(&queue, "abacd").await;
        bench
            .change(ChangeRequest::Delete, EntryChoice::ButOne(Box::new(all())))
            .await;
        for _ in 0..2 {
            take(&bench);
        }
        bench.undo(None).await;
        assert_eq!(as_taken(&bench), "acd", "{queue:?}");
    }
}

#[tokio::test]
async fn of_equal_elements_those_are_changed_that_a_consumer_takes_first_at_whichever_end() {
    let pushed_left: Queue = "zset-list:delay,ready,ms,left".parse().unwrap();
    let soon = NewDue {
        base: Base::In(600_000),
        spread_ms: 0,
    };
    for what in [ChangeRequest::Delete, ChangeRequest::Requeue(soon)] {
        for (queue, push) in [
            (Queue::redisson("orders"), ["RPUSH", "orders"]),
            (pushed_left.clone(), ["LPUSH", "ready"]),
        ] {
            let bench = Bench::new(&queue).await;
            // It tells in which form entries are offered.
            bench.fill(1, bench.server.now().plus(900_000), 1);
            for says in ["a", "b", "a", "c", "a"] {
                bench.server.cmd(&[push[0], push[1], says]);
            }
            // As consumers take them.
            let taken = || {
                let mut taken = standing(&bench);
                if push[0] == "LPUSH" {
                    taken.reverse();
                }
                taken.concat()
            };
            let which = counted(&[
                ("a", Copies::Only(1)),
                ("b", Copies::Only(0)),
                ("c", Copies::Only(0)),
            ]);
            let (plan, told) = bench.change(what.clone(), which).await;
            assert_eq!((plan.planned, told.count(Outcome::Done)), (1, 1));
            assert_eq!(taken(), "baca", "{what:?} of {queue:?}");
            if matches!(what, ChangeRequest::Delete) {
                bench.undo(None).await;
                assert_eq!(taken(), "abaca");
            }
        }
    }
}

#[tokio::test]
async fn a_long_target_is_emptied_and_filled_again_in_its_order_at_whichever_end() {
    let pushed_left: Queue = "zset-list:delay,ready,ms,left".parse().unwrap();
    for (queue, push) in [
        (Queue::redisson("orders"), ["RPUSH", "orders"]),
        (pushed_left, ["LPUSH", "ready"]),
    ] {
        let bench = Bench::new(&queue).await;
        let says: Vec<String> = (0..700).map(|n| format!("m{n}")).collect();
        let words = push.iter().map(|word| (*word).to_owned()).chain(says);
        let words: Vec<String> = words.collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        bench.server.cmd(&words);
        let before = standing(&bench);
        bench.change(ChangeRequest::Delete, all()).await;
        assert!(standing(&bench).is_empty());
        bench.undo(None).await;
        assert_eq!(standing(&bench), before);
        // The undo is taken back, and that once more.
        for _ in 0..2 {
            let newest = bench.journal.list().await.unwrap();
            let id = newest.first().map(|kept| kept.id.clone());
            bench.undo(id.as_deref()).await;
        }
        assert_eq!(standing(&bench), before);
    }
}

#[tokio::test]
async fn what_is_kept_one_of_says_where_undo_puts_the_others() {
    let bench = delivered(&["a", "b", "a", "c"]).await;
    let keep_one = EntryChoice::ButOne(Box::new(all()));
    let prepared = bench.plan(ChangeRequest::Delete, keep_one).await.unwrap();
    let says = |warnings: &[String]| {
        warnings
            .iter()
            .any(|w| w.contains("where they stood") || w.contains("where it stood"))
    };
    assert!(
        says(&prepared.plan.warnings),
        "{:?}",
        prepared.plan.warnings
    );
    bench.apply(prepared, Limits::default()).await;
    let undo = plan_undo(&bench.store, &bench.journal, None, false)
        .await
        .unwrap();
    assert!(says(&undo.plan.warnings), "{:?}", undo.plan.warnings);
    bench.apply(undo, Limits::default()).await;
    assert_eq!(standing(&bench).concat(), "abac");
}

#[tokio::test]
async fn one_note_says_what_stays_of_equal_elements() {
    let bench = delivered(&["a", "b", "a", "a"]).await;
    let copies = HashMap::from([(b"a".to_vec(), Copies::Only(2))]);
    let only_two = EntryChoice::Counted(Box::new(by_id(&["a"], Some(3))), copies);
    for which in [by_id(&["a", "a"], None), only_two] {
        let prepared = bench.plan(ChangeRequest::Delete, EntryChoice::ButOne(Box::new(which)));
        let prepared = prepared.await.unwrap();
        assert_eq!(prepared.plan.planned, 1);
        let warnings = prepared.plan.warnings.iter();
        let said: Vec<_> = warnings.filter(|w| w.contains("stay")).collect();
        assert!(
            matches!(&said[..], [one] if one.starts_with("Of equal ones one is kept: 1 entry stays, and so does 1 ")),
            "{said:?}"
        );
    }
}

#[tokio::test]
async fn nothing_is_told_as_gone_that_a_limit_leaves_alone() {
    for (asked, limit) in [(3, 2), (4, 3), (4, 2)] {
        let bench = delivered(&["a", "a", "a"]).await;
        let (plan, told) = bench
            .change(ChangeRequest::Delete, by_id(&vec!["a"; asked], Some(limit)))
            .await;
        assert_eq!(plan.planned, limit);
        assert!(told.summary.tally.all_done(), "{:?}", told.summary.tally);
        let there = |w: &String| w.contains("no longer there");
        assert!(!plan.warnings.iter().any(there), "{:?}", plan.warnings);
    }
}

#[tokio::test]
async fn an_id_of_entries_that_differ_is_never_taken_for_that_of_equal_ones() {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    let due = bench.server.now().plus(600_000).get().to_string();
    for says in [&b"one"[..], b"other"] {
        let frame = crate::support::frame(7, says);
        bench.server.put(&bench.queue, &frame, &due);
    }
    let frame = crate::support::frame(7, b"one");
    let id = bench.queue.id(&frame).to_string();
    for times in [1, 2, 3] {
        let which = EntryChoice::Selected(Selection {
            ids: vec![id.clone(); times],
            ..Selection::default()
        });
        let why = bench.plan(ChangeRequest::Delete, which).await.unwrap_err();
        assert!(why.to_string().contains("choose by due time"), "{why}");
    }
}

#[tokio::test]
async fn of_what_the_order_list_holds_the_one_due_first_stays() {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    let now = bench.server.now();
    let [later, earlier] = [(1, 900_000), (2, 600_000)].map(|(id, ms)| {
        let frame = crate::support::frame(id, b"equal");
        let due = now.plus(ms).get().to_string();
        bench.server.put(&bench.queue, &frame, &due);
        frame
    });
    assert_eq!(bench.contents().order, [later.clone(), earlier.clone()]);
    let from = EntryPlace::Order;
    let by_rule = EntryChoice::Where(from, Arc::new(|_| true));
    let chosen = EntryChoice::Selected(Selection {
        from,
        ..Selection::default()
    });
    for which in [by_rule, chosen] {
        let (plan, _) = bench
            .change(ChangeRequest::Delete, EntryChoice::ButOne(Box::new(which)))
            .await;
        assert_eq!(plan.planned, 1);
        assert_eq!(bench.contents().order, std::slice::from_ref(&earlier));
        bench.undo(None).await;
        assert_eq!(bench.contents().order, [later.clone(), earlier.clone()]);
    }
}

#[tokio::test]
async fn what_a_consumer_took_of_equal_elements_is_told_as_gone() {
    let bench = delivered(&["a", "b", "a"]).await;
    let which = counted(&[("a", Copies::Only(2)), ("b", Copies::Without(1))]);
    bench.server.cmd(&["LPOP", "orders"]);
    let (plan, told) = bench.change(ChangeRequest::Delete, which).await;
    assert_eq!(plan.planned, 2);
    assert_eq!(
        (told.count(Outcome::Done), told.count(Outcome::Gone)),
        (1, 1)
    );
    assert!(
        plan.warnings
            .iter()
            .any(|w| w.starts_with("1 entry is no longer there"))
    );
    assert_eq!(words(&bench), ["b"]);
}

#[tokio::test]
async fn an_id_of_equal_elements_is_asked_how_many_are_meant() {
    let bench = delivered(&["a", "b", "a", "a"]).await;
    let why = bench
        .plan(ChangeRequest::Delete, by_id(&["a"], None))
        .await
        .unwrap_err();
    assert!(why.to_string().contains("give the id as often"), "{why}");
    let prepared = bench
        .plan(ChangeRequest::Delete, by_id(&["a", "a", "b", "b"], None))
        .await
        .unwrap();
    assert_eq!(prepared.plan.planned, 4);
    let said = |words: &str| prepared.plan.warnings.iter().any(|w| w.starts_with(words));
    assert!(
        said("1 entry will be left alone: only 1 entry has the id")
            && said("1 equal copy stays in target")
    );
    // What stands behind a limit was not looked for: nobody says that it is not there.
    let prepared = bench
        .plan(ChangeRequest::Delete, by_id(&["a", "b"], Some(1)))
        .await
        .unwrap();
    assert!(
        !prepared
            .plan
            .warnings
            .iter()
            .any(|w| w.contains("left alone"))
    );
}

#[tokio::test]
async fn of_what_waits_the_one_of_equal_payloads_stays_that_is_due_first() {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(3, bench.server.now().plus(600_000), 1_000);
    let again = crate::support::frame(99, b"entry 2");
    let due = bench.server.now().plus(900_000).get().to_string();
    bench.server.put(&bench.queue, &again, &due);
    let waiting = EntryChoice::Where(EntryPlace::Waiting, Arc::new(|_| true));
    let (plan, _) = bench
        .change(
            ChangeRequest::Delete,
            EntryChoice::ButOne(Box::new(waiting.clone())),
        )
        .await;
    assert_eq!(plan.planned, 1);
    assert!(!bench.contents().timeouts.contains_key(&again));
    let none = bench
        .plan(
            ChangeRequest::Delete,
            EntryChoice::ButOne(Box::new(waiting)),
        )
        .await
        .unwrap_err();
    assert!(
        matches!(&none, ChangeError::Nothing(why) if why.contains("no two")),
        "{none}"
    );
}

#[tokio::test]
async fn as_many_of_equal_elements_wait_again_as_were_chosen() {
    let bench = delivered(&["a", "a", "a"]).await;
    // It tells in which form the clients write.
    bench.fill(1, bench.server.now().plus(600_000), 1_000);
    let later = ChangeRequest::Requeue(NewDue {
        base: Base::In(900_000),
        spread_ms: 0,
    });
    let (_, told) = bench.change(later, by_id(&["a", "a"], None)).await;
    assert!(told.summary.tally.all_done());
    assert_eq!(
        (bench.contents().timeouts.len(), words(&bench)),
        (3, vec!["a".to_owned()])
    );
}
