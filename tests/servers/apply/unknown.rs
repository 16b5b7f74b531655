//! Answers that never come: what was done is seen again, and never done twice.

use delayscope::ops::apply::{Applied, Limits, apply};
use delayscope::ops::plan::{Base, NewDue, What, Which};
use delayscope::queue::plan::Way;
use delayscope::queue::{Address, Outcome, Queue, Summary};

use crate::apply::bench::{Bench, Contents};
use crate::apply::proxy::{Lost, Proxy};
use crate::support::{PATIENCE, Server, room, until};

/// A change in whose second batch something is lost.
async fn broken(
    lost: Lost,
    due_in: i64,
    what: What,
    stopped: bool,
) -> (Bench, Contents, Summary, Vec<String>) {
    let server = Server::start();
    let dir = room();
    let proxy = Proxy::before(&server.socket(), dir.path());
    let endpoint = server.endpoint_at(Address::Unix(proxy.path.clone()), 0);
    let bench = Bench::through(server, endpoint, &Queue::redisson("orders")).await;
    bench.fill(60, bench.server.now().plus(due_in), 1_000);
    let before = bench.contents();
    let which = match what {
        What::Transfer => Which::Due,
        _ => bench.entries(&(1..=60).collect::<Vec<_>>()),
    };
    let mut prepared = bench.plan(what, which).await.unwrap();
    if stopped {
        // A sweep reads before each script, and a server that is stopped answers no reads.
        prepared.plan.way = Way::InOrder;
    }
    let limits = Limits {
        per_s: Some(100.0),
        ..Limits::default()
    };
    let mut applying = apply(&bench.writer, &bench.journal, prepared, limits);
    let mut trouble = Vec::new();
    let hearing = async {
        loop {
            match applying.next().await.unwrap() {
                Applied::Results(_) if proxy.scripts() == 0 => {
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
                Applied::Trouble(why) => trouble.push(why),
                Applied::Ended(summary) => return summary,
                Applied::Failed(why) => panic!("{why}"),
                _ => {}
            }
        }
    };
    let summary = tokio::time::timeout(PATIENCE, hearing).await.unwrap();
    assert_eq!(summary.tally.sum(), 60, "{summary:?}");
    (bench, before, summary, trouble)
}

fn later() -> What {
    What::Requeue(NewDue {
        base: Base::By(9_000),
        spread_ms: 0,
    })
}

/// Whatever was lost, each entry is changed once, it is said once that something was wrong, and
/// undo brings all of it back.
async fn is_done_once(lost: Lost, stopped: bool) {
    for what in [What::Delete, What::Quarantine, What::Deliver, later()] {
        let (bench, before, summary, trouble) = broken(lost, 60_000, what.clone(), stopped).await;
        assert!(summary.tally.all_done(), "{what:?}: {summary:?}");
        assert_eq!(trouble.len(), 1, "{trouble:?}");
        let delivered = if what == What::Deliver { 60 } else { 0 };
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
    let (bench, _, summary, _) = broken(Lost::Answers, -900_000, What::Delete, false).await;
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
        broken(Lost::Answers, -900_000, What::Quarantine, false).await;
    assert!(summary.tally.all_done(), "{summary:?}");
    assert_eq!(bench.contents().quarantine, before.timeouts);
    bench.undo(None).await;
    assert_eq!(bench.contents().timeouts, before.timeouts);
}

#[tokio::test]
async fn a_transfer_whose_answer_was_lost_goes_on_and_counts_what_it_did_not_see() {
    for (lost, seen) in [(Lost::Answers, false), (Lost::Requests, true)] {
        let (bench, _, summary, _) = broken(lost, -900_000, What::Transfer, false).await;
        let after = bench.contents();
        assert_eq!((after.target.len(), after.timeouts.len()), (60, 0));
        let unknown = summary.tally.get(Outcome::Unknown);
        assert_eq!(unknown == 0, seen, "{summary:?}");
        assert_eq!(summary.tally.get(Outcome::Done), 60 - unknown);
        assert_eq!(summary.notes.len(), usize::from(!seen));
    }
}
