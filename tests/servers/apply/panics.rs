//! What panics in a task of its own is told like any other failure, and never passes for an end.

use futures_util::StreamExt as _;

use delayscope::ops::apply::{ChangeEvent, Limits, apply};
use delayscope::ops::discover::{DiscoveryEvent, discover};
use delayscope::ops::doctor::examine;
use delayscope::ops::entries::EntryPlace;
use delayscope::ops::plan::{ChangeRequest, EntryChoice};
use delayscope::ops::search::search;
use delayscope::ops::worker::{WorkerEvent, WorkerOptions, work};
use delayscope::payload::Habit;
use delayscope::queue::Filter;
use delayscope::queue::plan::Way;
use tokio::runtime::{Builder, Runtime};

use crate::apply::bench::Bench;
use crate::apply::ways::shuffled;

/// A queue whose link is at work in a runtime of its own, and another runtime in which whoever waits
/// for a moment panics: it has no timers.
fn stage() -> (Runtime, Bench, Runtime) {
    let whole = Builder::new_multi_thread().enable_all().build().unwrap();
    let bench = whole.block_on(shuffled(10, -1_000));
    (whole, bench, Builder::new_current_thread().build().unwrap())
}

#[test]
fn a_change_that_panics_has_failed_and_names_what_brings_the_order_list_back() {
    let (whole, bench, without_timers) = stage();
    for (way, named) in [(Way::SetAside, true), (Way::InOrder, false)] {
        let prepared = whole.block_on(bench.plan(ChangeRequest::Transfer, EntryChoice::Due));
        let mut prepared = prepared.unwrap();
        prepared.plan.way = way;
        let told = without_timers.block_on(async {
            let limits = Limits::default();
            let mut applying = apply(&bench.writer, &bench.journal, prepared, limits);
            let told = applying.next().await;
            assert_eq!(applying.next().await, None);
            told
        });
        let Some(ChangeEvent::Failed(why)) = told else {
            panic!("{told:?}");
        };
        assert!(why.contains("delayscope itself broke off"), "{why}");
        assert!(why.contains("timers are disabled"), "{why}");
        let repair = why.contains("repair orders --restore-order");
        assert_eq!(repair, named, "{why}");
    }
}

#[test]
fn a_look_or_a_worker_that_panics_is_no_look_that_found_nothing() {
    let (_whole, bench, without_timers) = stage();
    let broke = |why: String| assert!(why.contains("broke off"), "{why}");
    without_timers.block_on(async {
        let (store, queue) = (&bench.store, &bench.queue);
        let how = (EntryPlace::Waiting, Habit::default());
        let filter = Filter::parse("entry").unwrap();
        let mut searching = std::pin::pin!(search(store, queue, filter, how));
        broke(searching.next().await.unwrap().unwrap_err().to_string());
        let mut examining = examine(store, queue, 8);
        broke(examining.next().await.unwrap().unwrap_err().to_string());
        let mut found = std::pin::pin!(discover(store, Vec::new()));
        let Some(DiscoveryEvent::Failed(why)) = found.next().await else {
            panic!("it passes for an end");
        };
        broke(why.to_string());
        let options = WorkerOptions::default();
        let mut working = work(store, bench.writer.clone(), queue.clone(), options);
        let Some(WorkerEvent::Failed(why)) = working.next().await else {
            panic!("it passes for an end");
        };
        broke(why.to_string());
    });
}
