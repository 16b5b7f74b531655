//! A batch that ends before what was read of it does: both lists lose the same entries all the
//! same.

use delayscope::ops::plan::{ChangeRequest, EntryChoice};
use delayscope::queue::{Outcome, Queue};

use crate::apply::bench::Bench;

#[tokio::test]
async fn what_is_no_frame_amid_the_due_cuts_no_other_entry_out_of_the_order_list() {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    let first = bench.server.now().plus(-60_000);
    let foreign = b"amid the others".to_vec();
    // The order list holds them from its end, so that it begins with no fewer than all of them.
    for n in (1..=50).rev() {
        let member = if n == 10 {
            foreign.clone()
        } else {
            bench.member(n)
        };
        let due = first.plus(i64::try_from(n).unwrap());
        let score = bench.queue.score(due).to_string();
        bench.server.put(&bench.queue, &member, &score);
    }
    let (_, told) = bench
        .change(ChangeRequest::Transfer, EntryChoice::Due)
        .await;
    assert_eq!(told.count(Outcome::Done), 49, "{:?}", told.summary);
    let after = bench.contents();
    assert_eq!(after.order, std::slice::from_ref(&foreign));
    assert_eq!(after.timeouts.into_keys().collect::<Vec<_>>(), [foreign]);
    assert_eq!(after.target.len(), 49);
}
