//! Elements of target that are equal: as many are changed as were chosen, and undo puts back these.

use std::collections::HashMap;
use std::sync::Arc;

use delayscope::ops::entries::{From, Selection};
use delayscope::ops::plan::{Base, ChangeError, Copies, NewDue, What, Which};
use delayscope::queue::{Entry, EntryId, Outcome, Queue, State};

use crate::bench::Bench;

async fn delivered(says: &[&str]) -> Bench {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    for says in says {
        bench.server.cmd(&["RPUSH", "orders", says]);
    }
    bench
}

fn words(bench: &Bench) -> Vec<String> {
    let mut target = bench.contents().target;
    target.sort();
    let words = target.into_iter().map(|e| String::from_utf8(e).unwrap());
    words.collect()
}

fn all() -> Which {
    Which::Where(From::Delivered, Arc::new(|_| true))
}

fn by_id(ids: &[&str], limit: Option<u64>) -> Which {
    let ids = ids.iter().map(|says| EntryId::of_bytes(says.as_bytes()));
    Which::Selected(Selection {
        from: From::Delivered,
        ids: ids.map(|id| id.to_string()).collect(),
        limit,
        ..Selection::default()
    })
}

fn counted(copies: &[(&str, Copies)]) -> Which {
    let copies = copies
        .iter()
        .map(|(says, n)| (says.as_bytes().to_vec(), *n));
    Which::Counted(Box::new(all()), copies.collect::<HashMap<_, _>>())
}

#[tokio::test]
async fn as_many_of_equal_elements_leave_as_were_chosen_and_undo_puts_back_these() {
    let element = || Entry {
        member: b"a".to_vec(),
        score: None,
        state: State::Delivered,
    };
    for (which, planned, left) in [
        (Which::These(vec![element(), element()]), 2, "abbc"),
        (counted(&[("a", Copies::Without(1))]), 5, "a"),
        (
            counted(&[("a", Copies::Only(1)), ("c", Copies::Without(1))]),
            3,
            "aac",
        ),
        (by_id(&["a", "a", "c"], None), 3, "abb"),
        (by_id(&["b", "c"], Some(3)), 3, "aaa"),
        (Which::ButOne(Box::new(all())), 3, "abc"),
        (Which::ButOne(Box::new(by_id(&["a"], None))), 2, "abbc"),
        (
            Which::ButOne(Box::new(counted(&[("a", Copies::Without(1))]))),
            2,
            "aabc",
        ),
    ] {
        let bench = delivered(&["a", "b", "a", "c", "b", "a"]).await;
        let before = words(&bench);
        let case = format!("{which:?}");
        let (plan, told) = bench.change(What::Delete, which).await;
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

#[tokio::test]
async fn what_a_consumer_took_of_equal_elements_is_told_as_gone() {
    let bench = delivered(&["a", "b", "a"]).await;
    let which = counted(&[("a", Copies::Only(2)), ("b", Copies::Without(1))]);
    bench.server.cmd(&["LPOP", "orders"]);
    let (plan, told) = bench.change(What::Delete, which).await;
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
        .plan(What::Delete, by_id(&["a"], None))
        .await
        .unwrap_err();
    assert!(why.to_string().contains("give the id as often"), "{why}");
    let prepared = bench
        .plan(What::Delete, by_id(&["a", "a", "b", "b"], None))
        .await
        .unwrap();
    assert_eq!(prepared.plan.planned, 3);
    let said = |words: &str| prepared.plan.warnings.iter().any(|w| w.starts_with(words));
    assert!(
        said("Only 1 entry has the id")
            && said("Of elements that are equal to chosen ones 1 stays")
    );
    // What stands behind a limit was not looked for: nobody says that it is not there.
    let prepared = bench
        .plan(What::Delete, by_id(&["a", "b"], Some(1)))
        .await
        .unwrap();
    assert!(
        !prepared
            .plan
            .warnings
            .iter()
            .any(|w| w.contains("No entry has"))
    );
}

#[tokio::test]
async fn of_what_waits_the_one_of_equal_payloads_stays_that_is_due_first() {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(3, bench.server.now().plus(600_000), 1_000);
    let again = crate::support::frame(99, b"entry 2");
    let due = bench.server.now().plus(900_000).get().to_string();
    bench.server.put(&bench.queue, &again, &due);
    let waiting = Which::Where(From::Waiting, Arc::new(|_| true));
    let (plan, _) = bench
        .change(What::Delete, Which::ButOne(Box::new(waiting.clone())))
        .await;
    assert_eq!(plan.planned, 1);
    assert!(!bench.contents().timeouts.contains_key(&again));
    let none = bench
        .plan(What::Delete, Which::ButOne(Box::new(waiting)))
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
    let later = What::Requeue(NewDue {
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
