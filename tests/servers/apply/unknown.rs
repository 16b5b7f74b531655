//! Answers that never come: what was done is seen again, and never done twice.

use std::sync::Arc;

use delayscope::ops::apply::{ChangeEvent, Limits, apply};
use delayscope::ops::entries::EntryPlace;
use delayscope::ops::offer::offer;
use delayscope::ops::plan::{Base, ChangeRequest, EntryChoice, NewDue, PreparedChange};
use delayscope::queue::plan::Way;
use delayscope::queue::{Address, Form, Outcome, Queue, Summary};

use delayscope::ops::worker::{WorkerEvent, WorkerOptions, work, work_in_bulk};
use delayscope::store::write::DueCursor;
use futures_util::StreamExt;
use tempfile::TempDir;

use crate::apply::bench::{Bench, Contents};
use crate::apply::proxy::{Lost, Proxy};
use crate::support::{PATIENCE, Server, double_frame, frame, room, until};

/// A queue behind something that loses what is sent.
async fn behind_a_proxy() -> (Bench, Proxy, TempDir) {
    let server = Server::start();
    let dir = room();
    let proxy = Proxy::before(&server.socket(), dir.path());
    let endpoint = server.endpoint_at(Address::Unix(proxy.path.clone()), 0);
    let bench = Bench::through(server, endpoint, &Queue::redisson("orders")).await;
    (bench, proxy, dir)
}

/// A change in whose second batch something is lost.
async fn broken(
    lost: Lost,
    due_in: i64,
    what: ChangeRequest,
    stopped: bool,
) -> (Bench, Contents, Summary, Vec<String>) {
    let (bench, proxy, _dir) = behind_a_proxy().await;
    bench.fill(60, bench.server.now().plus(due_in), 1_000);
    let before = bench.contents();
    let which = match what {
        ChangeRequest::Transfer => EntryChoice::Due,
        _ => bench.entries(&(1..=60).collect::<Vec<_>>()),
    };
    let mut prepared = bench.plan(what, which).await.unwrap();
    if stopped {
        // A sweep reads before each script, and a server that is stopped answers no reads.
        prepared.plan.way = Way::InOrder;
    }
    let (summary, trouble) = losing(lost, &bench, &proxy, prepared, stopped).await;
    assert_eq!(summary.tally.sum(), 60, "{summary:?}");
    (bench, before, summary, trouble)
}

/// Applies, and something is lost after the first batch.
async fn losing(
    lost: Lost,
    bench: &Bench,
    proxy: &Proxy,
    prepared: PreparedChange,
    stopped: bool,
) -> (Summary, Vec<String>) {
    let limits = Limits {
        per_s: Some(100.0),
        ..Limits::default()
    };
    let mut applying = apply(&bench.writer, &bench.journal, prepared, limits);
    let mut trouble = Vec::new();
    let hearing = async {
        loop {
            match applying.next().await.unwrap() {
                ChangeEvent::Results(_) if proxy.scripts() == 0 => {
                    proxy.lose(lost);
                    if stopped {
                        bench.server.stop();
                    }
                    until("a script to be sent", || proxy.scripts() > 0).await;
                    proxy.cut();
                    if stopped {
                        bench.server.go_on();
                    }
                }
                ChangeEvent::Trouble(why) => trouble.push(why),
                ChangeEvent::Ended(summary) => return summary,
                ChangeEvent::Failed(why) => panic!("{why}"),
                _ => {}
            }
        }
    };
    let summary = tokio::time::timeout(PATIENCE, hearing).await.unwrap();
    (summary, trouble)
}

fn later() -> ChangeRequest {
    ChangeRequest::Requeue(NewDue {
        base: Base::By(9_000),
        spread_ms: 0,
    })
}

/// Whatever was lost, each entry is changed once, it is said once that something was wrong, and
/// undo brings all of it back.
async fn is_done_once(lost: Lost, stopped: bool) {
    for what in [
        ChangeRequest::Delete,
        ChangeRequest::Quarantine,
        ChangeRequest::Deliver,
        later(),
    ] {
        let (bench, before, summary, trouble) = broken(lost, 60_000, what.clone(), stopped).await;
        assert!(summary.tally.all_done(), "{what:?}: {summary:?}");
        assert_eq!(trouble.len(), 1, "{trouble:?}");
        let delivered = if what == ChangeRequest::Deliver {
            60
        } else {
            0
        };
        assert_eq!(bench.contents().target.len(), delivered);
        bench.undo(None).await;
        assert_eq!(bench.contents().timeouts, before.timeouts);
    }
}

#[tokio::test]
async fn a_script_that_never_reached_the_server_is_tried_again() {
    is_done_once(Lost::Requests, false).await;
}

#[tokio::test]
async fn a_script_whose_answer_was_lost_is_seen_to_have_run_and_not_run_again() {
    is_done_once(Lost::Answers, false).await;
    is_done_once(Lost::Answers, true).await;
}

#[tokio::test]
async fn what_others_may_have_taken_meanwhile_stays_unknown() {
    let (bench, _, summary, _) =
        broken(Lost::Answers, -900_000, ChangeRequest::Delete, false).await;
    let unknown = summary.tally.get(Outcome::Unknown);
    assert!(unknown > 0 && summary.tally.get(Outcome::Done) + unknown == 60);
    // Putting back what others may have delivered would double it.
    let (plan, told) = bench.undo(None).await;
    assert_eq!(plan.planned, 60);
    assert_eq!(told.count(Outcome::Refused), unknown);
    assert_eq!(bench.contents().timeouts.len() as u64, 60 - unknown);
}

#[tokio::test]
async fn what_is_set_aside_is_seen_in_quarantine_whatever_others_may_have_taken() {
    let (bench, before, summary, _) =
        broken(Lost::Answers, -900_000, ChangeRequest::Quarantine, false).await;
    assert!(summary.tally.all_done(), "{summary:?}");
    assert_eq!(bench.contents().quarantine, before.timeouts);
    bench.undo(None).await;
    assert_eq!(bench.contents().timeouts, before.timeouts);
}

#[tokio::test]
async fn a_transfer_whose_answer_was_lost_goes_on_and_counts_what_it_did_not_see() {
    for (lost, seen) in [(Lost::Answers, false), (Lost::Requests, true)] {
        let (bench, _, summary, _) = broken(lost, -900_000, ChangeRequest::Transfer, false).await;
        let after = bench.contents();
        assert_eq!((after.target.len(), after.timeouts.len()), (60, 0));
        let unknown = summary.tally.get(Outcome::Unknown);
        assert_eq!(unknown == 0, seen, "{summary:?}");
        assert_eq!(summary.tally.get(Outcome::Done), 60 - unknown);
        assert_eq!(summary.notes.len(), usize::from(!seen));
        // What is moved under watch is known one by one.
        let (_, told) = bench.undo(None).await;
        assert_eq!(told.count(Outcome::Done), 60);
    }
}

#[tokio::test]
async fn a_worker_tells_how_many_may_have_been_moved_when_an_answer_was_lost() {
    let (bench, proxy, _dir) = behind_a_proxy().await;
    // The server knows the script.
    let cursor = DueCursor::default();
    let nothing = bench
        .writer
        .transfer(&bench.queue, bench.server.now(), 1, &cursor);
    assert!(nothing.await.unwrap().done.moved.is_empty());
    bench.fill(60, bench.server.now().plus(-900_000), 1_000);
    proxy.lose(Lost::Answers);
    let options = WorkerOptions {
        until_empty: true,
        ..WorkerOptions::default()
    };
    let events = work(
        &bench.store,
        bench.writer.clone(),
        bench.queue.clone(),
        options,
    );
    let cutting = async {
        until("a script to be sent", || proxy.scripts() > 0).await;
        proxy.cut();
    };
    let both = async { tokio::join!(events.collect::<Vec<_>>(), cutting).0 };
    let told = tokio::time::timeout(PATIENCE, both).await.unwrap();
    let (mut moved, mut unknown) = (0, 0);
    for event in told {
        match event {
            WorkerEvent::Batch(batch) => moved += batch.moved as u64,
            WorkerEvent::Unknown(most) => unknown += most,
            _ => {}
        }
    }
    assert_eq!(bench.contents().target.len(), 60);
    assert!(moved < 60 && moved + unknown >= 60, "{moved} {unknown}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_in_bulk_tells_what_may_have_been_moved_when_an_answer_was_lost_and_what_undoes_it()
 {
    const COUNT: u64 = 10_000;
    let (bench, proxy, _dir) = behind_a_proxy().await;
    let due = bench.server.now().plus(-900_000);
    let payloads: Vec<_> = (0..COUNT).map(|n| n.to_string().into_bytes()).collect();
    for some in payloads.chunks(1_000) {
        // Due at one moment: in timeouts by their ids, in the order list as they came.
        let offered = offer(&bench.writer, &bench.queue, some, due, Form::ByteId);
        offered.await.unwrap();
    }
    let (writer, queue) = (bench.writer.clone(), bench.queue.clone());
    let options = WorkerOptions {
        until_empty: true,
        ..WorkerOptions::default()
    };
    let mut events = work_in_bulk(&bench.store, writer, queue, options, &bench.journal);
    let (mut moved, mut unknown, mut remarks) = (0, 0, Vec::new());
    let hearing = async {
        while let Some(event) = events.next().await {
            match event {
                WorkerEvent::Batch(batch) => {
                    if moved == 0 {
                        proxy.lose(Lost::Answers);
                    }
                    moved += batch.moved as u64;
                }
                WorkerEvent::Unknown(most) => unknown += most,
                WorkerEvent::Remark(why) => remarks.push(why),
                _ => {}
            }
        }
    };
    let cutting = async {
        until("a script to be sent", || proxy.scripts() > 0).await;
        proxy.cut();
    };
    let both = async { tokio::join!(hearing, cutting) };
    tokio::time::timeout(PATIENCE, both).await.unwrap();
    assert_eq!(bench.contents().target.len() as u64, COUNT);
    assert!(unknown > 0 && moved < COUNT, "{moved} {unknown}");
    assert!(moved + unknown >= COUNT, "{moved} {unknown}");
    let back = remarks.iter().find(|why| why.contains("taken back by"));
    assert!(back.unwrap().contains(" undo "), "{remarks:?}");
}

/// A transfer of entries too large for a watch, where the answer to the second script is lost.
async fn telling(payload: impl Fn(u64) -> Vec<u8>) -> Bench {
    let (bench, proxy, _dir) = behind_a_proxy().await;
    for n in 1..=60 {
        let due = bench.server.now().plus(-900_000);
        let member = frame(n, &payload(n));
        bench
            .server
            .put(&bench.queue, &member, &due.get().to_string());
    }
    let prepared = bench
        .plan(ChangeRequest::Transfer, EntryChoice::Due)
        .await
        .unwrap();
    let (summary, _) = losing(Lost::Answers, &bench, &proxy, prepared, false).await;
    assert!(summary.tally.get(Outcome::Unknown) > 0, "{summary:?}");
    bench
}

/// Takes it back; all that stays is said.
async fn is_undone_but_for_what_is_told(bench: &Bench) {
    let (plan, told) = bench.undo(None).await;
    let stay = bench.contents().target.len();
    assert_eq!(told.count(Outcome::Done), 60 - stay as u64);
    assert!(stay > 0);
    let says = format!("Up to {stay} more entries were moved to target");
    let warned = plan.warnings.iter().any(|why| why.contains(&says));
    assert!(warned, "{says}: {:?}", plan.warnings);
}

#[tokio::test]
async fn what_a_script_has_moved_whose_answer_was_lost_is_told_by_its_undo_wherever_it_stands() {
    let bench = telling(|n| format!("{n:03000}").into_bytes()).await;
    is_undone_but_for_what_is_told(&bench).await;
}

#[tokio::test]
async fn the_same_is_told_when_it_was_killed_later_and_equal_elements_stand_in_target() {
    let distinct = |n: u64| format!("{n:03000}").into_bytes();
    let equal = |_| vec![b'x'; 3_000];
    for bench in [telling(distinct).await, telling(equal).await] {
        bench.forget_the_end().await;
        is_undone_but_for_what_is_told(&bench).await;
    }
}

/// A transfer under watch whose first transaction is lost on the way, or comes late.
async fn transaction(lost: Lost) -> (Bench, Contents, Summary) {
    let (bench, proxy, _dir) = behind_a_proxy().await;
    bench.fill(600, bench.server.now().plus(-900_000), 1_000);
    let before = bench.contents();
    let prepared = bench
        .plan(ChangeRequest::Transfer, EntryChoice::Due)
        .await
        .unwrap();
    proxy.lose(lost);
    let mut applying = apply(&bench.writer, &bench.journal, prepared, Limits::default());
    let hearing = async {
        loop {
            match applying.next().await.unwrap() {
                ChangeEvent::Ended(summary) => return summary,
                ChangeEvent::Failed(why) => panic!("{why}"),
                _ => {}
            }
        }
    };
    let cutting = async {
        until("a script to be sent", || proxy.scripts() > 0).await;
        if lost != Lost::Late {
            proxy.cut();
        }
    };
    let both = async { tokio::join!(hearing, cutting).0 };
    let summary = tokio::time::timeout(PATIENCE, both).await.unwrap();
    (bench, before, summary)
}

#[tokio::test]
async fn a_transaction_that_never_reaches_the_server_is_made_up_for_by_a_script_and_undone_once() {
    let (bench, before, summary) = transaction(Lost::Requests).await;
    assert!(
        summary.tally.all_done() && summary.notes.is_empty(),
        "{summary:?}"
    );
    assert_eq!(bench.contents().target.len(), 600);
    let (plan, told) = bench.undo(None).await;
    assert_eq!((plan.planned, told.count(Outcome::Done)), (600, 600));
    assert_eq!(bench.contents().timeouts, before.timeouts);
    assert!(bench.contents().target.is_empty());
}

#[tokio::test]
async fn a_transaction_that_reaches_the_server_after_it_was_looked_for_is_unknown_and_undone() {
    let (bench, before, summary) = transaction(Lost::Late).await;
    let after = bench.contents();
    assert_eq!((after.target.len(), after.timeouts.len()), (600, 0));
    let [done, unknown] = counts(&summary, Outcome::Unknown);
    assert!(unknown > 0 && done + unknown == 600, "{summary:?}");
    assert!(summary.notes[0].contains("the answer to the transfer never came"));
    let (_, told) = bench.undo(None).await;
    assert_eq!(
        bench.contents().timeouts,
        before.timeouts,
        "{:?}",
        told.summary
    );
    assert!(bench.contents().target.is_empty());
}

/// All that is there.
fn all(from: EntryPlace) -> EntryChoice {
    EntryChoice::Where(from, Arc::new(|_| true))
}

/// How many of them were done, and how many were not, for whatever reason.
fn counts(summary: &Summary, other: Outcome) -> [u64; 2] {
    [Outcome::Done, other].map(|outcome| summary.tally.get(outcome))
}

/// Whatever was lost, the fate of an entry that a script leaves alone says nothing of the others.
const EITHER: [Lost; 2] = [Lost::Answers, Lost::Requests];

#[tokio::test]
async fn what_is_no_frame_does_not_make_what_was_delivered_look_as_if_others_had_taken_it() {
    for lost in EITHER {
        let (bench, proxy, _dir) = behind_a_proxy().await;
        let first = bench.server.now().plus(600_000);
        bench.fill(57, first, 1_000);
        for n in [25, 30, 50] {
            let due = first.plus(n * 1_000 + 1).get().to_string();
            let foreign = format!("foreign {n}");
            bench.server.put(&bench.queue, foreign.as_bytes(), &due);
        }
        let before = bench.contents();
        let prepared = bench
            .plan(ChangeRequest::Deliver, all(EntryPlace::Waiting))
            .await
            .unwrap();
        let (summary, _) = losing(lost, &bench, &proxy, prepared, false).await;
        assert_eq!(counts(&summary, Outcome::Undecodable), [57, 3], "{lost:?}");
        bench.undo(None).await;
        assert_eq!(bench.contents().timeouts, before.timeouts);
    }
}

#[tokio::test]
async fn what_waits_with_the_new_bytes_already_does_not_make_what_was_edited_look_gone() {
    for lost in EITHER {
        let (bench, proxy, _dir) = behind_a_proxy().await;
        let first = bench.server.now().plus(600_000);
        bench.fill(60, first, 1_000);
        let id = f64::from_le_bytes(30_u64.to_be_bytes());
        let twin = double_frame(id, b"entry 30");
        let due = first.plus(-1).get().to_string();
        bench.server.put(&bench.queue, &twin, &due);
        let before = bench.contents();
        let numbers: Vec<u64> = (1..=60).collect();
        let repack = ChangeRequest::Repack(None);
        let mut prepared = bench.plan(repack, bench.entries(&numbers)).await.unwrap();
        prepared.plan.way = Way::InOrder;
        let (summary, _) = losing(lost, &bench, &proxy, prepared, false).await;
        assert_eq!(counts(&summary, Outcome::Refused), [59, 1], "{lost:?}");
        bench.undo(None).await;
        assert_eq!(bench.contents(), before);
    }
}

#[tokio::test]
async fn what_waits_otherwise_does_not_make_what_was_restored_look_gone() {
    for lost in EITHER {
        let (bench, proxy, _dir) = behind_a_proxy().await;
        bench.fill(60, bench.server.now().plus(600_000), 1_000);
        let before = bench.contents();
        let numbers: Vec<u64> = (1..=60).collect();
        bench
            .change(ChangeRequest::Quarantine, bench.entries(&numbers))
            .await;
        bench
            .server
            .put(&bench.queue, &bench.member(30), "4000000000000");
        let prepared = bench
            .plan(ChangeRequest::Restore, all(EntryPlace::Quarantined))
            .await;
        let mut prepared = prepared.unwrap();
        prepared.plan.way = Way::InOrder;
        let (summary, _) = losing(lost, &bench, &proxy, prepared, false).await;
        assert_eq!(counts(&summary, Outcome::Refused), [59, 1], "{lost:?}");
        assert_eq!(bench.contents().timeouts.len(), before.timeouts.len());
    }
}

#[tokio::test]
async fn what_a_consumer_took_does_not_make_what_waits_again_look_as_if_it_had_before() {
    for lost in EITHER {
        let (bench, proxy, _dir) = behind_a_proxy().await;
        // It tells in which form the clients write.
        let due = bench.server.now().plus(900_000).get().to_string();
        bench.server.put(&bench.queue, &frame(99, b"other"), &due);
        for n in 1..=60 {
            bench
                .server
                .cmd(&["RPUSH", "orders", &format!("entry {n}")]);
        }
        let soon = ChangeRequest::Requeue(NewDue {
            base: Base::In(600_000),
            spread_ms: 0,
        });
        let prepared = bench.plan(soon, all(EntryPlace::Delivered)).await.unwrap();
        bench.server.cmd(&["LREM", "orders", "1", "entry 30"]);
        let (summary, _) = losing(lost, &bench, &proxy, prepared, false).await;
        assert_eq!(counts(&summary, Outcome::Gone), [59, 1], "{lost:?}");
        bench.undo(None).await;
        assert_eq!(bench.contents().target.len(), 59);
    }
}
