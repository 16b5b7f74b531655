//! Entries that stand in the order list more than once, as clients of Redisson up to 3.16.3 leave
//! them: none of their copies may be handed out once they were deleted or have other bytes.

use delayscope::ops::apply::{ChangeEvent, Limits, Order, apply};
use delayscope::ops::entries::{EntryPlace, Selection};
use delayscope::ops::plan::{ChangeRequest, EntryChoice};
use delayscope::queue::plan::Way;
use delayscope::queue::{Outcome, Queue};
use delayscope::store::bulk::{AwayPlace, Broom, SweepFate};

use crate::apply::bench::{Bench, Told};
use crate::apply::ways::{matching, shuffled};

/// Puts further copies of entries at the tail of the order list.
fn copy(bench: &Bench, numbers: impl IntoIterator<Item = u64>) {
    let order = bench.queue.keys().order.unwrap();
    for n in numbers {
        let words = [&b"RPUSH"[..], &order, &bench.member(n)];
        bench.server.cmd_bytes(&words);
    }
}

fn says_of_copies(told: &Told, copies: &str) {
    let notes = &told.summary.notes;
    let said = |note: &String| note.contains(copies) && note.contains("puts each entry back once");
    assert!(notes.iter().any(said), "{notes:?}");
}

async fn few() -> Bench {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(6, bench.server.now().plus(600_000), 1_000);
    bench
}

#[tokio::test]
async fn all_copies_of_a_deleted_entry_leave_and_undo_puts_one_back() {
    for what in [ChangeRequest::Delete, ChangeRequest::Quarantine] {
        let bench = few().await;
        let before = bench.contents();
        copy(&bench, [3, 2, 3]);
        let (_, told) = bench.change(what, bench.entries(&[3, 2, 5])).await;
        assert!(told.summary.tally.all_done(), "{:?}", told.failed);
        let order = bench.contents().order;
        assert_eq!(order, [1, 4, 6].map(|n| bench.member(n)));
        let reason = |n: usize| told.results[n].reason.as_deref().unwrap_or_default();
        assert!(reason(0).contains("stood 2 times"), "{:?}", told.results);
        assert!(reason(1).contains("stood 3 times"), "{:?}", told.results);
        assert_eq!(told.results[2].reason, None);
        says_of_copies(&told, "3 more copies");
        bench.undo(None).await;
        let after = bench.contents();
        assert_eq!(after.timeouts, before.timeouts);
        let mut order = after.order;
        order.sort();
        assert_eq!(order, before.order);
    }
}

#[tokio::test]
async fn no_copy_keeps_the_old_bytes_of_an_edited_entry() {
    let bench = few().await;
    copy(&bench, [3, 3]);
    let new = ChangeRequest::Edit(b"other".to_vec());
    let (_, told) = bench.change(new, bench.entries(&[3])).await;
    assert!(told.summary.tally.all_done(), "{:?}", told.failed);
    let order = bench.contents().order;
    assert!(!order.contains(&bench.member(3)));
    assert_eq!(order.len(), 6, "the first copy's place has the new bytes");
    let reason = told.results[0].reason.as_deref().unwrap();
    assert!(reason.contains("stood 3 times"), "{reason}");
    says_of_copies(&told, "2 more copies");
}

#[tokio::test]
async fn a_sweep_takes_copies_wherever_they_stand_and_leaves_those_of_others() {
    for what in [ChangeRequest::Delete, ChangeRequest::Quarantine] {
        let bench = shuffled(3_000, 900_000_000).await;
        let before = bench.contents();
        // Far from the first ones, and close to each other; some of entries that stay.
        copy(&bench, [10, 20, 20, 30, 11, 12]);
        let mut prepared = bench.plan(what, matching("re:/0$/")).await.unwrap();
        prepared.plan.way = Way::Sweep;
        let told = bench.apply(prepared, Limits::default()).await;
        assert!(told.summary.tally.all_done(), "{:?}", told.failed);
        assert_eq!(told.results.len(), 300);
        let mut stays: Vec<_> = (before.order.iter())
            .filter(|m| !m.ends_with(b"0"))
            .cloned()
            .collect();
        stays.extend([11, 12].map(|n| bench.member(n)));
        assert!(bench.contents().order == stays);
        says_of_copies(&told, "4 more copies");
    }
}

#[tokio::test]
async fn a_sweep_that_is_stopped_leaves_no_copy_of_what_it_deleted() {
    let bench = shuffled(3_000, 900_000_000).await;
    copy(&bench, 1..=3_000);
    let mut prepared = bench
        .plan(ChangeRequest::Delete, matching("entry"))
        .await
        .unwrap();
    prepared.plan.way = Way::Sweep;
    let mut applying = apply(&bench.writer, &bench.journal, prepared, Limits::default());
    let summary = loop {
        match applying.next().await.unwrap() {
            ChangeEvent::Results(_) => applying.order(Order::Stop),
            ChangeEvent::Ended(summary) => break summary,
            ChangeEvent::Failed(why) => panic!("{why}"),
            _ => {}
        }
    };
    assert!(summary.tally.get(Outcome::Left) > 0, "{summary:?}");
    let now = bench.contents();
    assert_eq!(now.order.len(), now.timeouts.len());
    assert!(now.order.iter().all(|m| now.timeouts.contains_key(m)));
}

#[tokio::test]
async fn copies_of_what_a_lost_script_may_have_deleted_leave_too() {
    let bench = few().await;
    copy(&bench, [3]);
    let keys = bench.queue.keys();
    let gone = bench.member(3);
    bench.server.cmd_bytes(&[b"ZREM", &keys.timeouts, &gone]);
    let sweep = |broom| {
        let chosen = [(gone.clone(), broom)];
        let (writer, queue) = (bench.writer.clone(), bench.queue.clone());
        async move {
            let chosen = chosen.each_ref().map(|(m, broom)| (m.as_slice(), *broom));
            let swept = writer.sweep(&queue, 7, &chosen, AwayPlace::Nowhere).await;
            swept.unwrap().done.swept
        }
    };
    assert_eq!(sweep(Broom::Delete(1.0)).await, [(0, SweepFate::Not)]);
    assert_eq!(bench.contents().order.len(), 7, "somebody else's");
    let swept = sweep(Broom::DeleteAgain(1.0)).await;
    assert_eq!(swept, [(0, SweepFate::Not), (0, SweepFate::Copies(2))]);
    assert_eq!(bench.contents().order.len(), 5);
}

#[tokio::test]
async fn as_many_copies_leave_as_are_told_and_what_has_others_behind_them_goes_on_waiting() {
    let bench = few().await;
    copy(&bench, [3, 3, 3]);
    let (member, score) = (bench.member(3), bench.entry(3).score.unwrap());
    let new = bench.member(99);
    let thin = |most| (member.as_slice(), Broom::Thin(score, most));
    let (writer, queue) = (&bench.writer, &bench.queue);
    // Three are among the eight, of which one stays, as does the one behind them.
    let swept = writer.sweep(queue, 8, &[thin(2)], AwayPlace::Nowhere).await;
    assert_eq!(swept.unwrap().done.swept, [(0, SweepFate::Copies(2))]);
    let edits = [(&member[..], Broom::Thin(score, 1), &new[..])];
    let edited = writer.edit_around(queue, 7, &edits).await;
    assert_eq!(edited.unwrap().done.swept, [(0, SweepFate::Copies(1))]);
    let now = bench.contents();
    assert_eq!(now.order.iter().filter(|m| **m == member).count(), 1);
    assert!(now.timeouts.contains_key(&member) && !now.timeouts.contains_key(&new));
    // What others have changed meanwhile is left alone.
    let other = [(member.as_slice(), Broom::Thin(score + 1.0, 1))];
    let swept = writer.sweep(queue, 8, &other, AwayPlace::Nowhere).await;
    assert_eq!(swept.unwrap().done.swept, [(0, SweepFate::Changed(score))]);
    assert_eq!(bench.contents().order.len(), 6);
}

#[tokio::test]
async fn a_transfer_leaves_the_second_copy_to_who_knows_that_it_was_delivered() {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    let now = bench.server.now();
    bench.fill(3, now.plus(-60_000), 1_000);
    let waits = bench.member(4);
    let later = now.plus(60_000).get().to_string();
    bench.server.put(&bench.queue, &waits, &later);
    copy(&bench, [2]);
    let (_, told) = bench
        .change(ChangeRequest::Transfer, EntryChoice::Due)
        .await;
    assert!(told.summary.tally.all_done(), "{:?}", told.failed);
    assert_eq!(bench.contents().order, [waits.clone(), bench.member(2)]);
    let left = EntryChoice::Selected(Selection {
        from: EntryPlace::OrderOnly,
        ..Selection::default()
    });
    let (plan, told) = bench.change(ChangeRequest::Delete, left).await;
    assert_eq!(plan.planned, 1);
    assert!(told.summary.tally.all_done(), "{:?}", told.failed);
    assert_eq!(bench.contents().order, [waits]);
}
