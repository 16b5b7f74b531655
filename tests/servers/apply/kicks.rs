//! A kick, and what it has helped.

use delayscope::ops::plan::{ChangeRequest, EntryChoice};
use delayscope::queue::Queue;
use delayscope::store::listen::{Heard, listen};
use delayscope::store::write::DueCursor;
use futures_util::StreamExt as _;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::apply::bench::Bench;
use crate::support::frame;

/// A client that listens, and transfers when it is kicked, or does not. A new head alone does not
/// wake it.
async fn listener(bench: &Bench, transfers: bool) -> JoinHandle<()> {
    let writer = bench.store.writer().unwrap();
    let (queue, store) = (bench.queue.clone(), bench.store.clone());
    let (subscribed, is_subscribed) = oneshot::channel();
    let client = tokio::spawn(async move {
        let mut heard = listen(&store, queue.keys().channel.unwrap());
        assert_eq!(heard.next().await, Some(Heard::Subscribed));
        subscribed.send(()).unwrap();
        while let Some(Heard::Message(message)) = heard.next().await {
            if transfers && message == b"0" {
                let now = store.clock().unwrap().now();
                writer
                    .transfer(&queue, now, 100, &DueCursor::default())
                    .await
                    .unwrap();
            }
        }
    });
    is_subscribed.await.unwrap();
    client
}

/// Two entries are late and somebody listens, who transfers when kicked, or does not.
async fn kicked(transfers: bool) -> (Option<bool>, String) {
    with_entries(2, transfers).await
}

/// The same with so many entries, the third of which falls due a moment later.
async fn with_entries(count: u64, transfers: bool) -> (Option<bool>, String) {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(2, bench.server.now().plus(-20_000), 1_000);
    if count > 2 {
        let due = bench.server.now().plus(200).get().to_string();
        bench.server.put(&bench.queue, &frame(9, b"next"), &due);
    }
    let client = listener(&bench, transfers).await;
    let (_, told) = bench.change(ChangeRequest::Kick, EntryChoice::Due).await;
    client.abort();
    assert_eq!(told.summary.listening, Some(1));
    (told.summary.helped, told.summary.notes.join(" "))
}

#[tokio::test]
async fn a_kick_that_sets_the_head_going_says_that_it_has_helped() {
    let (helped, said) = kicked(true).await;
    assert_eq!(helped, Some(true), "{said}");
    assert!(said.contains("2 late before, 0 after"), "{said}");
}

#[tokio::test]
async fn a_kick_after_which_the_next_one_stands_as_well_takes_it_back() {
    let (helped, said) = with_entries(3, true).await;
    assert_eq!(helped, Some(false), "{said}");
    assert!(said.contains("moved once (2 late before, 0"), "{said}");
    assert!(said.contains("stands again: 1 late"), "{said}");
}

#[tokio::test]
async fn a_kick_after_which_nothing_moves_says_what_to_conclude() {
    let (helped, said) = kicked(false).await;
    assert_eq!(helped, Some(false), "{said}");
    for cause in ["scripts fail", "clock is behind", "do not transfer"] {
        assert!(said.contains(cause), "{said}");
    }
}

#[tokio::test]
async fn a_kick_tells_how_many_listened_and_with_nobody_there_nothing_else() {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(1, bench.server.now().plus(-20_000), 1_000);
    let (_, told) = bench.change(ChangeRequest::Kick, EntryChoice::Due).await;
    let nobody = "Published; 0 clients listened.";
    assert_eq!(told.summary.notes, [nobody]);
    assert_eq!(told.summary.helped, None);
    let plain: Queue = "zset-list:delay,ready".parse().unwrap();
    let bench = Bench::new(&plain).await;
    let refused = bench
        .plan(ChangeRequest::Kick, EntryChoice::Due)
        .await
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "a zset-list queue has no channel by which clients could be woken"
    );
}

/// Two entries are late behind one with a score that is no due time; who listens transfers when
/// kicked, or does not. What the repair of that score said.
async fn repaired(transfers: bool) -> String {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(2, bench.server.now().plus(-20_000), 1_000);
    bench
        .server
        .put(&bench.queue, &frame(9, b"never"), "-9.2e18");
    let client = listener(&bench, transfers).await;
    let (_, told) = bench.change(ChangeRequest::Score, EntryChoice::Due).await;
    client.abort();
    told.summary.notes.join(" ")
}

#[tokio::test]
async fn a_repair_of_what_stood_first_wakes_the_clients_and_says_that_it_goes_on() {
    let said = repaired(true).await;
    assert!(said.contains("The clients were woken"), "{said}");
    assert!(!said.contains("Not cured"), "{said}");
}

#[tokio::test]
async fn a_repair_after_which_nothing_moves_says_that_it_is_not_cured() {
    let said = repaired(false).await;
    assert!(said.contains("Not cured:"), "{said}");
    assert!(said.contains("doctor"), "{said}");
}
