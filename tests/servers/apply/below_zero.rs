//! Scores below 0, which no transfer takes.

use std::collections::HashSet;

use delayscope::ops::plan::{ChangeRequest, EntryChoice};
use delayscope::queue::Outcome;

use crate::apply::bench::{Bench, layouts};

#[tokio::test]
async fn scores_below_0_are_refused_by_a_transfer_and_stay() {
    for queue in layouts() {
        let bench = Bench::new(&queue).await;
        bench.fill(3, bench.server.now().plus(-60_000), 1_000);
        let below: Vec<u64> = (4..=123).collect();
        for n in &below {
            bench.server.put(&queue, &bench.member(*n), "-5");
        }
        let (plan, told) = bench
            .change(ChangeRequest::Transfer, EntryChoice::Due)
            .await;
        assert_eq!((plan.planned, plan.target), (123, Some((0, 3))));
        // What is left alone is not said to be transferred.
        assert!(plan.question().starts_with("Transfer 3 due entries"));
        let warned = |w: &String| w.starts_with("120 entries are left alone: a score below 0");
        assert!(plan.warnings.iter().any(warned), "{:?}", plan.warnings);
        assert_eq!(
            (told.count(Outcome::Done), told.count(Outcome::Refused)),
            (3, 120)
        );
        // A hundred are named, the rest is counted.
        let refused = told
            .results
            .iter()
            .filter(|r| r.outcome == Outcome::Refused);
        let ids: HashSet<_> = refused.map(|result| result.id).collect();
        let all: HashSet<_> = below.iter().map(|n| queue.id(&bench.member(*n))).collect();
        assert!(ids.len() == 100 && ids.is_subset(&all), "{ids:?}");
        assert!(told.summary.notes.iter().any(|n| n.starts_with("20 ")));
        let after = bench.contents();
        assert_eq!((after.timeouts.len(), after.target.len()), (120, 3));
        // With nothing else that is due, they are told all the same.
        let (plan, told) = bench
            .change(ChangeRequest::Transfer, EntryChoice::Due)
            .await;
        assert_eq!((plan.planned, plan.first.len()), (120, 5));
        assert_eq!(told.count(Outcome::Refused), 120);
        assert_eq!(bench.contents(), after);
    }
}
