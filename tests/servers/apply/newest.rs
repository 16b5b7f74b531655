//! Which change is taken back when none is named.

use delayscope::ops::plan::{ChangeError, ChangeRequest};
use delayscope::ops::undo::{UndoChoice, plan_undo};
use delayscope::queue::Queue;

use crate::apply::bench::Bench;

#[tokio::test]
async fn the_newest_of_a_queue_is_meant_and_where_it_has_none_that_of_another_is_told() {
    let mut bench = Bench::new(&Queue::redisson("orders")).await;
    let bookings = Queue::redisson("bookings");
    let newest_of = async |bench: &Bench, queue: &Queue| {
        let planned = plan_undo(
            &bench.store,
            &bench.journal,
            UndoChoice::NewestOf(queue),
            false,
        );
        planned.await.map(|prepared| prepared.plan)
    };
    for queue in [bench.queue.clone(), bookings.clone()] {
        bench.queue = queue;
        bench.fill(2, bench.server.now().plus(600_000), 10);
    }
    let orders = Queue::redisson("orders");
    bench.queue = orders.clone();
    bench
        .change(ChangeRequest::Delete, bench.entries(&[1]))
        .await;

    let Err(ChangeError::Nothing(why)) = newest_of(&bench, &bookings).await else {
        panic!("bookings has none");
    };
    assert!(
        why.starts_with("there is no change of bookings left"),
        "{why}"
    );
    assert!(
        why.contains("the newest, \"delete\", is of orders, "),
        "{why}"
    );

    bench.queue = bookings.clone();
    bench
        .change(ChangeRequest::Quarantine, bench.entries(&[2]))
        .await;
    for (queue, change) in [
        (orders, "\"delete\" of orders, "),
        (bookings, "\"quarantine\" of bookings, "),
    ] {
        let plan = newest_of(&bench, &queue).await.unwrap();
        assert_eq!(plan.queue, queue);
        assert!(plan.warnings[0].contains(change), "{:?}", plan.warnings);
        assert!(
            plan.warnings[0].contains("), 1 of 1 done"),
            "{:?}",
            plan.warnings
        );
    }
    // On the command line, where no queue is selected: the newest of all.
    let newest = plan_undo(&bench.store, &bench.journal, None, false)
        .await
        .unwrap();
    assert_eq!(newest.plan.queue, bench.queue);
}
