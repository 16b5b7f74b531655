//! Frames of another form around the same payloads.

use delayscope::ops::plan::{ChangeRequest, EntryChoice};
use delayscope::queue::{Form, Outcome, Queue};

use crate::apply::bench::Bench;
use crate::support::double_frame;

#[tokio::test]
async fn repacked_entries_keep_payload_place_and_due_time_and_undo_their_old_frames() {
    let queue = Queue::redisson("orders");
    let bench = Bench::new(&queue).await;
    bench.fill(5, bench.server.now().plus(-2_000), 1_000);
    let foreign = b"no frame at all";
    bench.server.put(&queue, foreign, "1700000000000");
    let old = double_frame(2.0e18, b"old");
    bench.server.put(&queue, &old, "1700000000500");
    let before = bench.contents();
    let to = ChangeRequest::Repack(Some(Form::DoubleId));
    let (plan, told) = bench.change(to.clone(), EntryChoice::Due).await;
    // The one that has the form already is not concerned.
    assert_eq!(plan.planned, 6);
    let [done, undecodable] = [Outcome::Done, Outcome::Undecodable].map(|one| told.count(one));
    assert_eq!((done, undecodable), (5, 1), "{:?}", told.failed);
    let after = bench.contents();
    let payload = |member: &Vec<u8>| queue.unwrap(member).map(|entry| entry.payload.to_vec());
    let payloads = |order: &[Vec<u8>]| order.iter().map(payload).collect::<Vec<_>>();
    assert_eq!(payloads(&after.order), payloads(&before.order));
    for member in after.timeouts.keys().filter(|member| *member != foreign) {
        let entry = queue.unwrap(member).unwrap();
        assert_eq!(entry.form, Some(Form::DoubleId));
        let same = before
            .timeouts
            .iter()
            .find(|(old, _)| queue.id(old) == entry.id);
        assert_eq!(same.map(|(_, score)| score), Some(&after.timeouts[member]));
    }
    let (_, told) = bench.undo(None).await;
    assert!(told.summary.tally.all_done(), "{:?}", told.failed);
    assert_eq!(bench.contents(), before);
    // One, whatever form it has: the other.
    bench
        .change(ChangeRequest::Repack(None), bench.entries(&[3]))
        .await;
    let order = bench.contents().order;
    assert_eq!(queue.unwrap(&order[2]).unwrap().form, Some(Form::DoubleId));
}
