//! The data goes amid a change, or what the journal keeps of one is damaged: it is said, and what
//! there is is taken back.

use delayscope::ops::apply::{Applied, Limits, apply};
use delayscope::ops::plan::{What, Which, plan_undo};
use delayscope::queue::plan::Way;
use delayscope::queue::{Outcome, Queue, Summary};

use crate::bench::Bench;
use crate::support::PATIENCE;

/// A change during which all data is lost, after its first batch.
async fn amid(what: What, way: Way, lose: impl FnOnce(&mut Bench)) -> (Summary, String) {
    let mut bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(90, bench.server.now().plus(-900_000), 1_000);
    let all: Vec<u64> = (1..=90).collect();
    let which = match what {
        What::Transfer => Which::Due,
        _ => bench.entries(&all),
    };
    let mut prepared = bench.plan(what, which).await.unwrap();
    prepared.plan.way = way;
    let limits = Limits {
        per_s: Some(150.0),
        ..Limits::default()
    };
    let mut applying = apply(&bench.writer, &bench.journal, prepared, limits);
    let (mut lose, mut failed) = (Some(lose), String::new());
    let hearing = async {
        loop {
            match applying.next().await.unwrap() {
                Applied::Results(_) => {
                    if let Some(lose) = lose.take() {
                        lose(&mut bench);
                    }
                }
                Applied::Failed(why) => failed = why,
                Applied::Ended(summary) => return summary,
                _ => {}
            }
        }
    };
    let summary = tokio::time::timeout(PATIENCE, hearing).await.unwrap();
    assert_eq!(summary.tally.sum(), 90, "{summary:?}");
    (summary, failed)
}

#[tokio::test]
async fn what_a_flush_removed_amid_a_change_was_not_moved_by_others() {
    let flush = |bench: &mut Bench| {
        bench.server.cmd(&["FLUSHALL"]);
    };
    let changes = [
        (What::Delete, Way::InOrder),
        (What::Delete, Way::Sweep),
        (What::Deliver, Way::InOrder),
        (What::Transfer, Way::InOrder),
    ];
    for (what, way) in changes {
        let (summary, failed) = amid(what.clone(), way, flush).await;
        assert!(failed.contains("the data of orders is gone"), "{failed}");
        assert!(failed.contains("FLUSHALL"), "{failed}");
        assert_eq!(summary.tally.get(Outcome::Gone), 0, "{what:?}: {summary:?}");
    }
}

#[tokio::test]
async fn what_a_restart_has_lost_amid_a_change_was_not_moved_by_others() {
    let restart = |bench: &mut Bench| bench.server.restart_with(&[]);
    let (summary, failed) = amid(What::Delete, Way::InOrder, restart).await;
    assert!(failed.contains("was started anew"), "{failed}");
    assert_eq!(summary.tally.get(Outcome::Gone), 0, "{summary:?}");
    let noted = summary
        .notes
        .iter()
        .any(|note| note.contains("started anew"));
    assert!(noted, "{:?}", summary.notes);
}

/// 3,000 entries deleted, and the journal's file of it damaged at that byte of each hundred.
async fn damaged(at: usize) -> (Bench, String) {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(3_000, bench.server.now().plus(900_000), 1);
    let all: Vec<u64> = (1..=3_000).collect();
    let found = Which::Selected(delayscope::ops::entries::Selection::default());
    let (_, told) = bench.change(What::Delete, found).await;
    assert_eq!(told.count(Outcome::Done), all.len() as u64);
    let id = told.summary.journal_id.unwrap();
    let path = bench.dir().join("changes").join(&id);
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes.len() * at / 100;
    bytes[at] ^= 0x55;
    std::fs::write(path, bytes).unwrap();
    (bench, id)
}

#[tokio::test]
async fn of_a_damaged_journal_what_can_be_read_is_taken_back_and_the_rest_is_said() {
    for at in [2, 50, 99] {
        let (bench, id) = damaged(at).await;
        let prepared = plan_undo(&bench.store, &bench.journal, Some(&*id), false);
        let prepared = prepared.await.unwrap();
        let warned = prepared.plan.warnings.iter().any(|w| w.contains("damaged"));
        assert!(warned, "{:?}", prepared.plan.warnings);
        let told = bench.apply(prepared, Limits::default()).await;
        let said = told
            .summary
            .notes
            .iter()
            .any(|note| note.contains("damaged"));
        assert!(said, "{:?}", told.summary.notes);
        let back = told.count(Outcome::Done);
        assert!(
            !told.summary.tally.all_done() && back > 0,
            "{:?}",
            told.summary
        );
        assert_eq!(bench.contents().timeouts.len() as u64, back);
        assert_eq!(told.summary.tally.sum(), 3_000, "{:?}", told.summary);
    }
}
