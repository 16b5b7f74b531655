//! Changes whose reader pauses, or whose disk hangs: nothing stays aside because of them.

use std::collections::HashSet;

use delayscope::ops::apply::{ChangeEvent, Limits, RunningChange, apply};
use delayscope::ops::plan::{ChangeRequest, EntryChoice, PreparedChange};
use delayscope::queue::plan::{Progress, Way};
use delayscope::queue::{EntryId, Outcome, Queue, Summary};

use crate::apply::bench::Bench;
use crate::apply::ways::{matching, shuffled};
use crate::support::{PATIENCE, until};

/// Small batches, of which there are many to be told.
fn limits(max_unheard: usize) -> Limits {
    Limits {
        max_block: std::time::Duration::from_micros(1),
        max_unheard,
        ..Limits::default()
    }
}

fn is_aside(bench: &Bench) -> bool {
    let aside = bench.queue.keys().aside.unwrap();
    bench.server.cmd_bytes(&[b"EXISTS", &aside]) == redis::Value::Int(1)
}

async fn set_aside(bench: &Bench, what: ChangeRequest, which: EntryChoice) -> PreparedChange {
    let mut prepared = bench.plan(what, which).await.unwrap();
    prepared.plan.way = Way::SetAside;
    prepared
}

/// Reads on to the end: how many results were told, and what the change waited for.
async fn read_on(applying: &mut RunningChange) -> (usize, Vec<String>, Summary) {
    let (mut results, mut waits) = (0, Vec::new());
    loop {
        match applying.next().await.unwrap() {
            ChangeEvent::Results(some) => results += some.len(),
            ChangeEvent::Progress(progress) => waits.extend(progress.waits),
            ChangeEvent::Ended(summary) => return (results, waits, summary),
            ChangeEvent::Failed(why) | ChangeEvent::Trouble(why) => panic!("{why}"),
            ChangeEvent::Begun(_) => {}
        }
    }
}

#[tokio::test]
async fn a_reader_that_pauses_leaves_no_order_list_aside() {
    let bench = shuffled(400, -1_000).await;
    let prepared = set_aside(&bench, ChangeRequest::Transfer, EntryChoice::Due).await;
    let limits = limits(Limits::default().max_unheard);
    let mut applying = apply(&bench.writer, &bench.journal, prepared, limits);
    until("all to be delivered, and nothing aside", || {
        bench.contents().target.len() == 400 && !is_aside(&bench)
    })
    .await;
    let (results, waits, summary) = read_on(&mut applying).await;
    assert_eq!((results, waits.len()), (400, 0));
    assert!(summary.tally.all_done(), "{summary:?}");
}

#[tokio::test]
async fn a_reader_is_waited_for_only_once_the_order_list_is_back() {
    let bench = shuffled(600, 600_000).await;
    let before = bench.contents().order.len();
    let prepared = set_aside(&bench, ChangeRequest::Deliver, matching("re:/[0-4]$/")).await;
    let mut applying = apply(&bench.writer, &bench.journal, prepared, limits(8_000));
    until("some to be delivered, and the list to be back", || {
        let now = bench.contents();
        let whole = now.order.len() + now.target.len() == before;
        !now.target.is_empty() && whole && !is_aside(&bench)
    })
    .await;
    assert!(bench.contents().target.len() < 300, "it waits");
    let (results, _, summary) = read_on(&mut applying).await;
    assert_eq!(results, 300);
    assert!(summary.tally.all_done(), "{summary:?}");
    let now = bench.contents();
    assert!(now.order.len() == 300 && !is_aside(&bench));
    assert!(now.timeouts.len() == 300);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_goes_round_goes_round_to_its_end_whoever_reads_of_it() {
    let bench = shuffled(2_000, 900_000_000).await;
    let before = bench.contents().order;
    let mut prepared = bench
        .plan(ChangeRequest::Delete, matching("re:/[0-4]$/"))
        .await
        .unwrap();
    prepared.plan.way = Way::Sweep;
    let mut applying = apply(&bench.writer, &bench.journal, prepared, limits(1_000));
    until("all to be deleted, and the rest to stand as before", || {
        let now = bench.contents();
        let stays = before.iter().filter(|m| now.timeouts.contains_key(*m));
        now.timeouts.len() == 1_000 && now.order.iter().eq(stays)
    })
    .await;
    let (results, _, summary) = read_on(&mut applying).await;
    assert_eq!(results, 1_000);
    assert!(summary.tally.all_done(), "{summary:?}");
}

/// What waits for a disk runs on one thread here, which a test can keep.
fn with_one_disk(test: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().max_blocking_threads(1).build();
    runtime.unwrap().block_on(test);
}

/// Keeps the disk until the sender is dropped.
fn held_disk() -> (
    std::sync::mpsc::Sender<()>,
    tokio::task::JoinHandle<Result<(), std::sync::mpsc::RecvError>>,
) {
    let (goes_on, hangs) = std::sync::mpsc::channel::<()>();
    (goes_on, tokio::task::spawn_blocking(move || hangs.recv()))
}

#[test]
fn what_the_disk_does_not_hold_yet_is_not_transferred() {
    with_one_disk(async {
        let bench = Bench::new(&Queue::redisson("orders")).await;
        bench.fill(1_500, bench.server.now().plus(-900_000), 1);
        let prepared = bench
            .plan(ChangeRequest::Transfer, EntryChoice::Due)
            .await
            .unwrap();
        assert_eq!(prepared.plan.way, Way::InOrder);
        let limits = Limits {
            per_s: Some(1_000.0),
            ..Limits::default()
        };
        let mut applying = apply(&bench.writer, &bench.journal, prepared, limits);
        until("some to be delivered", || {
            !bench.contents().target.is_empty()
        })
        .await;
        let monitor = bench.server.monitor();
        let (goes_on, disk) = held_disk();
        let held = async {
            loop {
                match applying.next().await.unwrap() {
                    ChangeEvent::Progress(Progress {
                        waits: Some(why), ..
                    }) if why.contains("disk") => return,
                    ChangeEvent::Failed(why) | ChangeEvent::Trouble(why) => panic!("{why}"),
                    _ => {}
                }
            }
        };
        tokio::time::timeout(PATIENCE, held).await.unwrap();
        // The intents of one were on the disk before that was held.
        let sent = monitor.commands(&bench.server);
        let scripts = |words: &&Vec<String>| words[0].to_uppercase().starts_with("EVAL");
        assert!(sent.iter().filter(scripts).count() <= 1, "{sent:?}");
        assert!(bench.contents().target.len() < 1_500);
        drop(goes_on);
        let _ = disk.await.unwrap();
        let (_, _, summary) = read_on(&mut applying).await;
        assert_eq!(summary.tally.get(Outcome::Done), 1_500);
        assert_eq!(bench.items(&summary).await.len(), 1_500);
    });
}

#[test]
fn a_disk_that_hangs_keeps_no_order_list_aside() {
    with_one_disk(async {
        let bench = shuffled(1_500, -1_000).await;
        let prepared = set_aside(&bench, ChangeRequest::Transfer, EntryChoice::Due).await;
        let limits = Limits {
            per_s: Some(1_000.0),
            ..Limits::default()
        };
        let mut applying = apply(&bench.writer, &bench.journal, prepared, limits);
        until("the list to be aside", || is_aside(&bench)).await;
        let (goes_on, disk) = held_disk();
        until("it to be back", || !is_aside(&bench)).await;
        let now = bench.contents();
        assert!(!now.order.is_empty());
        assert_eq!(now.order.len(), now.timeouts.len());
        drop(goes_on);
        let _ = disk.await.unwrap();
        let (_, waits, summary) = read_on(&mut applying).await;
        assert!(waits.iter().any(|why| why.contains("disk")), "{waits:?}");
        assert_eq!(summary.tally.get(Outcome::Done), 1_500);
        assert!(bench.contents().order.is_empty() && !is_aside(&bench));
        // A batch that was written down when the list came back was left, and written down again.
        let items = bench.items(&summary).await.into_iter();
        let became = items.map(|(item, became)| (item.id, became.unwrap().outcome));
        let (done, left): (Vec<_>, Vec<_>) = became.partition(|(_, what)| *what == Outcome::Done);
        assert!(
            left.iter().all(|(_, what)| *what == Outcome::Left),
            "{left:?}"
        );
        let ids: HashSet<EntryId> = done.iter().map(|(id, _)| *id).collect();
        assert_eq!((done.len(), ids.len()), (1_500, 1_500));
    });
}
