//! Into quarantine and out of it, as the stage's user.

use delayscope::ops::plan::ChangeRequest;
use delayscope::store::bulk::{AwayPlace, Broom, ReturnFate, ReturnPlace, ReturnedEntry};
use delayscope::store::change::{ChosenEntry, ListPlace};

use crate::acl::changes;
use crate::acl::stage::Stage;
use crate::support::frame;

/// While the order list goes round.
pub(crate) async fn sweep(stage: &Stage) {
    if stage.is_redisson() {
        let member = frame(77, b"chosen");
        stage.by_hand(|server| server.put(&stage.queue, &member, "1"));
        let chosen = [(member.as_slice(), Broom::Delete(1.0))];
        let (writer, to) = (stage.writer(), AwayPlace::Quarantined);
        let swept = writer.sweep(&stage.queue, 6, &chosen, to).await.unwrap();
        assert_eq!(swept.done.swept.len(), 1);
    }
}

/// Into each place of the order list.
pub(crate) async fn restore(stage: &Stage) {
    let quarantine = stage.queue.keys().quarantine;
    let kept = [77, 78, 79].map(|n| ChosenEntry {
        member: frame(n, b"kept"),
        score: 1.0,
    });
    stage.by_hand(|server| {
        for chosen in &kept {
            server.cmd_bytes(&[b"ZADD", &quarantine, b"1", &chosen.member]);
        }
    });
    let places = [
        ListPlace::Tail,
        ListPlace::Head,
        ListPlace::Behind(frame(5, b"entry 5")),
    ];
    let entries = kept.into_iter().zip(places.map(Some));
    let entries: Vec<_> = entries.collect();
    let restored = stage.writer().restore(&stage.queue, &entries).await;
    assert_eq!(restored.unwrap().done.fates.len(), 3);
}

/// While the order list goes round.
pub(crate) async fn restore_around(stage: &Stage) {
    if stage.is_redisson() {
        let member = frame(77, b"kept");
        let quarantine = stage.queue.keys().quarantine;
        stage.by_hand(|server| {
            server.cmd_bytes(&[b"ZADD", &quarantine, b"1", &member]);
        });
        let back = [ReturnedEntry {
            to: ReturnPlace::Tail,
            score: 1.0,
            member: &member,
        }];
        let (writer, from) = (stage.writer(), AwayPlace::Quarantined);
        let put = writer.put_back_around(&stage.queue, 6, &back, from);
        assert_eq!(put.await.unwrap().done.1, [ReturnFate::Done]);
    }
}

/// What somebody else has set aside is taken back, and that again.
pub(crate) async fn undo(stage: &Stage) {
    changes::undo(stage, ChangeRequest::Quarantine, changes::Chosen::Waiting).await;
}
