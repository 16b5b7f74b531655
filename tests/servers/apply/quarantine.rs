//! Entries set aside, and brought back: each in one place at a time, with its score, and in its old
//! place when that is taken back.

use delayscope::ops::apply::Limits;
use delayscope::ops::entries::{EntryPlace, Selection};
use delayscope::ops::plan::{ChangeRequest, EntryChoice};
use delayscope::queue::plan::Way;
use delayscope::queue::{Change, Outcome, Queue};

use crate::apply::bench::{Bench, Contents, layouts};
use crate::apply::ways::{matching, shuffled};

/// All that is in quarantine.
fn kept() -> EntryChoice {
    EntryChoice::Selected(Selection {
        from: EntryPlace::Quarantined,
        ..Selection::default()
    })
}

/// A queue of five that wait for a minute.
async fn five(queue: &Queue) -> (Bench, Contents) {
    let bench = Bench::new(queue).await;
    bench.fill(5, bench.server.now().plus(60_000), 1_000);
    let contents = bench.contents();
    (bench, contents)
}

impl Bench {
    fn by_hand(&self, command: &str, key: &[u8], score: &str, n: u64) {
        let member = self.member(n);
        let words = [command.as_bytes(), key, score.as_bytes(), &member];
        let words: Vec<&[u8]> = words.into_iter().filter(|word| !word.is_empty()).collect();
        self.server.cmd_bytes(&words);
    }
}

#[tokio::test]
async fn what_is_set_aside_keeps_its_score_and_comes_back_to_its_place() {
    for queue in layouts() {
        let (bench, before) = five(&queue).await;
        let (plan, told) = bench
            .change(ChangeRequest::Quarantine, bench.entries(&[2, 3, 5]))
            .await;
        assert_eq!((plan.change, plan.planned), (Change::Quarantine, 3));
        assert!(told.summary.tally.all_done(), "{:?}", told.failed);
        let aside = bench.contents();
        for n in 1..=5 {
            let member = bench.member(n);
            let (here, there) = if [2, 3, 5].contains(&n) {
                (&aside.quarantine, &aside.timeouts)
            } else {
                (&aside.timeouts, &aside.quarantine)
            };
            assert_eq!(here.get(&member), before.timeouts.get(&member));
            assert!(!there.contains_key(&member));
            assert_eq!(
                aside.order.contains(&member),
                before.order.contains(&member) && [1, 4].contains(&n)
            );
        }
        let (_, told) = bench.undo(None).await;
        assert!(told.summary.tally.all_done(), "{:?}", told.failed);
        assert_eq!(bench.contents(), before);
        let again = told.summary.journal_id;
        bench.undo(again.as_deref()).await;
        assert_eq!(bench.contents(), aside);
    }
}

#[tokio::test]
async fn what_is_restored_waits_again_and_goes_back_when_that_is_undone() {
    for queue in layouts() {
        let (bench, before) = five(&queue).await;
        bench
            .change(ChangeRequest::Quarantine, bench.entries(&[1, 4]))
            .await;
        let aside = bench.contents();
        let (plan, told) = bench.change(ChangeRequest::Restore, kept()).await;
        assert_eq!((plan.change, plan.planned), (Change::Restore, 2));
        assert!(told.summary.tally.all_done(), "{:?}", told.failed);
        let restored = bench.contents();
        assert_eq!(restored.timeouts, before.timeouts);
        assert!(restored.quarantine.is_empty());
        if !before.order.is_empty() {
            let order = [2, 3, 5, 1, 4].map(|n| bench.member(n));
            assert_eq!(restored.order, order);
        }
        bench.undo(None).await;
        assert_eq!(bench.contents(), aside);
        // The change before that is taken back next.
        bench.undo(None).await;
        assert_eq!(bench.contents(), before);
    }
}

#[tokio::test]
async fn where_nobody_chooses_it_is_what_is_no_frame_and_that_stays_out_of_the_order_list() {
    let (bench, _) = five(&Queue::redisson("orders")).await;
    let timeouts = bench.queue.keys().timeouts;
    for (score, member) in [(b"-5".as_slice(), b"poison"), (b"1000", b"others")] {
        bench.server.cmd_bytes(&[b"ZADD", &timeouts, score, member]);
    }
    let before = bench.contents();
    let (plan, told) = bench
        .change(ChangeRequest::Quarantine, EntryChoice::Due)
        .await;
    assert_eq!(plan.planned, 2);
    assert!(told.summary.tally.all_done(), "{:?}", told.failed);
    assert_eq!(bench.contents().timeouts.len(), 5);
    bench.undo(None).await;
    assert_eq!(bench.contents(), before);
    bench
        .change(ChangeRequest::Quarantine, EntryChoice::Due)
        .await;
    let (plan, _) = bench.change(ChangeRequest::Restore, EntryChoice::Due).await;
    let warns = |words: &str| plan.warnings.iter().any(|w| w.contains(words));
    assert!(warns("2 of them are no frame"), "{plan:?}");
    assert_eq!(bench.contents(), before);
    let without_frames = Bench::new(&layouts()[1]).await;
    let refused = without_frames
        .plan(ChangeRequest::Quarantine, EntryChoice::Due)
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("choose those"), "{refused}");
}

#[tokio::test]
async fn what_others_did_meanwhile_is_left_alone_and_told() {
    for queue in layouts() {
        let (bench, _) = five(&queue).await;
        let keys = queue.keys();
        let chosen = bench.entries(&[1, 2, 3, 4, 5]);
        let prepared = bench.plan(ChangeRequest::Quarantine, chosen).await.unwrap();
        bench.by_hand("ZREM", &keys.timeouts, "", 1);
        bench.by_hand("ZADD", &keys.timeouts, "5", 2);
        let told = bench.apply(prepared, Limits::default()).await;
        let counts = [Outcome::Done, Outcome::Gone, Outcome::Changed];
        assert_eq!(counts.map(|outcome| told.count(outcome)), [3, 1, 1]);
        let prepared = bench.plan(ChangeRequest::Restore, kept()).await.unwrap();
        bench.by_hand("ZREM", &keys.quarantine, "", 3);
        bench.by_hand("ZADD", &keys.quarantine, "7", 4);
        bench.by_hand("ZADD", &keys.timeouts, "9", 5);
        let before = bench.contents();
        let told = bench.apply(prepared, Limits::default()).await;
        let counts = [Outcome::Gone, Outcome::Changed, Outcome::Refused];
        assert_eq!(counts.map(|outcome| told.count(outcome)), [1, 1, 1]);
        assert_eq!(bench.contents(), before);
        let why = told.results.iter().find_map(|one| one.reason.as_deref());
        assert_eq!(why, Some("it has another due time in quarantine now"));
    }
}

#[tokio::test]
async fn an_equal_one_that_waits_already_is_not_doubled() {
    for queue in layouts() {
        let (bench, before) = five(&queue).await;
        bench
            .change(ChangeRequest::Quarantine, bench.entries(&[3]))
            .await;
        let score = &before.timeouts[&bench.member(3)];
        bench.server.put(&queue, &bench.member(3), score);
        let there = bench.contents();
        let (_, told) = bench.change(ChangeRequest::Restore, kept()).await;
        assert!(told.summary.tally.all_done(), "{:?}", told.failed);
        let after = bench.contents();
        assert!(after.quarantine.is_empty());
        assert_eq!(
            (&after.timeouts, &after.order),
            (&before.timeouts, &there.order)
        );
        // So it is the other way round.
        bench.by_hand("ZADD", &queue.keys().quarantine, score, 3);
        let (_, told) = bench
            .change(ChangeRequest::Quarantine, bench.entries(&[3]))
            .await;
        assert!(told.summary.tally.all_done(), "{:?}", told.failed);
        let after = bench.contents();
        assert!(!after.timeouts.contains_key(&bench.member(3)));
        assert_eq!(&after.quarantine[&bench.member(3)], score);
    }
}

#[tokio::test]
async fn one_that_is_in_quarantine_with_another_due_time_keeps_it_and_the_other_stays() {
    for queue in layouts() {
        let (bench, _) = five(&queue).await;
        bench.by_hand("ZADD", &queue.keys().quarantine, "5", 3);
        let before = bench.contents();
        let (plan, told) = bench
            .change(ChangeRequest::Quarantine, bench.entries(&[2, 3]))
            .await;
        let warning = &plan.warnings[0];
        assert!(warning.starts_with("1 of them stays waiting"), "{warning}");
        let counts = [Outcome::Done, Outcome::Refused].map(|outcome| told.count(outcome));
        assert_eq!(counts, [1, 1], "{:?}", told.failed);
        let why = told.results.iter().find_map(|one| one.reason.as_deref());
        assert_eq!(
            why,
            Some("an equal one is in quarantine already, with another due time")
        );
        let after = bench.contents();
        assert_eq!(after.quarantine[&bench.member(3)], "5");
        assert_eq!(
            after.timeouts.get(&bench.member(3)),
            before.timeouts.get(&bench.member(3))
        );
        bench.undo(None).await;
        assert_eq!(bench.contents(), before);
    }
}

#[tokio::test]
async fn so_it_is_while_the_order_list_goes_round() {
    let bench = shuffled(2_000, 900_000_000).await;
    let quarantine = bench.queue.keys().quarantine;
    // Some stand in the order list, one also a second time, one not at all.
    let order = bench.queue.keys().order.unwrap();
    let [twice, nowhere] = [7, 8].map(|n| bench.member(n));
    bench.server.cmd_bytes(&[b"RPUSH", &order, &twice]);
    bench.server.cmd_bytes(&[b"LREM", &order, b"0", &nowhere]);
    for n in 1..=10 {
        bench.by_hand("ZADD", &quarantine, "5", n);
    }
    let before = bench.contents();
    let all = EntryChoice::Selected(Selection::default());
    let mut prepared = bench.plan(ChangeRequest::Quarantine, all).await.unwrap();
    prepared.plan.way = Way::Sweep;
    let told = bench.apply(prepared, Limits::default()).await;
    let counts = [Outcome::Done, Outcome::Refused].map(|outcome| told.count(outcome));
    assert_eq!(counts, [1_990, 10], "{:?}", told.failed);
    let refused = told
        .results
        .iter()
        .find(|one| one.outcome == Outcome::Refused);
    let why = refused.unwrap().reason.as_deref();
    assert_eq!(
        why,
        Some("an equal one is in quarantine already, with another due time")
    );
    let after = bench.contents();
    let stays = (1..=10).map(|n| bench.member(n));
    let stays: std::collections::BTreeSet<_> = stays.collect();
    assert!(after.timeouts.keys().eq(&stays), "{}", after.timeouts.len());
    let order = before.order.iter().filter(|m| stays.contains(*m));
    assert!(after.order.iter().eq(order), "{:?}", after.order.len());
    assert!(stays.iter().all(|m| after.quarantine[m] == "5"));
    bench.undo(None).await;
    let now = bench.contents();
    assert!(now == before, "members, scores and places are as they were");
}

#[tokio::test]
async fn nothing_comes_back_while_the_order_list_is_aside() {
    let (bench, _) = five(&Queue::redisson("orders")).await;
    bench
        .change(ChangeRequest::Quarantine, bench.entries(&[3]))
        .await;
    bench.writer.set_aside(&bench.queue).await.unwrap();
    let before = bench.contents();
    let (_, told) = bench.change(ChangeRequest::Restore, kept()).await;
    assert_eq!(told.count(Outcome::Left), 1);
    assert!(told.failed.unwrap().contains("set the order list aside"));
    assert_eq!(bench.contents(), before);
}

#[tokio::test]
async fn other_changes_leave_alone_what_is_in_quarantine() {
    let (bench, _) = five(&Queue::redisson("orders")).await;
    bench
        .change(ChangeRequest::Quarantine, bench.entries(&[3]))
        .await;
    let before = bench.contents();
    for what in [
        ChangeRequest::Delete,
        ChangeRequest::Deliver,
        ChangeRequest::Quarantine,
        ChangeRequest::Duplicate,
    ] {
        let (plan, told) = bench.change(what, kept()).await;
        assert_eq!((plan.planned, told.count(Outcome::Refused)), (1, 1));
        let why = told.results[0].reason.as_deref().unwrap();
        assert!(why.starts_with("it is in quarantine"), "{why}");
    }
    let (_, told) = bench
        .change(ChangeRequest::Restore, bench.entries(&[1]))
        .await;
    assert_eq!(told.count(Outcome::Refused), 1);
    assert_eq!(bench.contents(), before);
}

#[tokio::test]
async fn many_go_into_quarantine_and_come_back_while_the_order_list_goes_round() {
    let bench = shuffled(2_000, 900_000_000).await;
    let before = bench.contents();
    let chosen = matching("re:/[0-4]$/");
    let mut prepared = bench.plan(ChangeRequest::Quarantine, chosen).await.unwrap();
    assert_eq!(prepared.plan.planned, 1_000);
    prepared.plan.way = Way::Sweep;
    let told = bench.apply(prepared, Limits::default()).await;
    assert!(told.summary.tally.all_done(), "{:?}", told.failed);
    let aside = bench.contents();
    assert_eq!(
        (aside.timeouts.len(), aside.quarantine.len()),
        (1_000, 1_000)
    );
    let stays = before
        .order
        .iter()
        .filter(|m| aside.timeouts.contains_key(*m));
    assert!(aside.order.iter().eq(stays), "the others stay as they were");
    let whole = |c: &Contents| c.timeouts.clone().into_iter().chain(c.quarantine.clone());
    assert!(whole(&aside).collect::<std::collections::BTreeMap<_, _>>() == before.timeouts);
    let undo = delayscope::ops::undo::plan_undo(&bench.store, &bench.journal, None, false);
    let mut prepared = undo.await.unwrap();
    prepared.plan.way = Way::Sweep;
    let told = bench.apply(prepared, Limits::default()).await;
    assert!(told.summary.tally.all_done(), "{:?}", told.failed);
    assert!(
        bench.contents() == before,
        "members, scores and places are as they were"
    );
}
