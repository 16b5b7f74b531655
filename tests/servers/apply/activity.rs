//! What is done without a plan is in the journal too.

use delayscope::ops::activity::ActivityRecord;
use delayscope::ops::offer::offer_noted;
use delayscope::queue::{Change, Form, Outcome, Queue};

use crate::apply::bench::{Bench, layouts};

#[tokio::test]
async fn an_offer_is_written_down_and_undo_deletes_what_still_waits() {
    for queue in layouts() {
        let bench = Bench::new(&queue).await;
        bench.fill(2, bench.server.now().plus(60_000), 1_000);
        let before = bench.contents();
        let due = bench.server.now().plus(90_000);
        let payloads = ["new", "another", "a third"];
        let messages = payloads.iter().map(|text| (due, text.as_bytes()));
        let size = [3, 15];
        let mut noted =
            ActivityRecord::begin(&bench.journal, &bench.store, &queue, Change::Offer, size)
                .await
                .unwrap();
        let id = noted.id().to_owned();
        let offered = offer_noted(&bench.writer, &queue, messages, Form::ByteId, &mut noted).await;
        assert_eq!(offered.unwrap().ids.len(), 3);
        noted.end().await.unwrap();
        let kept = &bench.journal.list().await.unwrap()[0];
        assert_eq!(
            (kept.id.as_str(), kept.head.change),
            (id.as_str(), Change::Offer)
        );
        assert_eq!(kept.ended.unwrap().get(Outcome::Done), 3);
        let (plan, told) = bench.undo(None).await;
        assert_eq!(plan.planned, 3);
        assert!(told.summary.tally.all_done());
        assert_eq!(bench.contents(), before);
        // Undoing the undo offers them again, the same bytes.
        let (_, told) = bench.undo(told.summary.journal_id.as_deref()).await;
        assert!(told.summary.tally.all_done());
        assert_eq!(bench.contents().timeouts.len(), 5);
    }
}

#[tokio::test]
async fn an_element_is_written_down_before_it_is_handed_on() {
    let queue = Queue::redisson("orders");
    let bench = Bench::new(&queue).await;
    let mut noted = ActivityRecord::begin(
        &bench.journal,
        &bench.store,
        &queue,
        Change::Consume,
        [0, 0],
    )
    .await
    .unwrap();
    noted.taken(b"entry 1").await.unwrap();
    // Dropped without an end, as by a death.
    let id = noted.id().to_owned();
    drop(noted);
    let items = bench.journal.items(&id).await.unwrap();
    assert_eq!(items[0].0.member.as_deref(), Some(&b"entry 1"[..]));
    let kept = bench.journal.find(&id).await.unwrap();
    assert_eq!((kept.ended, kept.head.change), (None, Change::Consume));
}
