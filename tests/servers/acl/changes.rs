//! Changes by plan and by script, as the stage's user.

use delayscope::ops::apply::{ChangeEvent, Limits, apply};
use delayscope::ops::entries::{EntryPlace, Selection};
use delayscope::ops::journal::Journal;
use delayscope::ops::plan::{Base, ChangeRequest, EntryChoice, NewDue, PreparedChange, Wish, plan};
use delayscope::ops::undo::plan_undo;
use delayscope::queue::Queue;
use delayscope::store::bulk::{
    AwayPlace, Broom, ReadOrder, ReturnPlace, ReturnedEntry, StrayFate, Swap,
};
use delayscope::store::change;
use delayscope::store::read::scan_members;
use delayscope::store::write::DueCursor;
use delayscope::store::{Access, Store};

use crate::acl::stage::Stage;
use crate::support::{PATIENCE, frame, room};

const SOON: ChangeRequest = ChangeRequest::Requeue(NewDue {
    base: Base::In(60_000),
    spread_ms: 0,
});

/// What is chosen.
#[derive(Clone, Copy)]
pub(crate) enum Chosen {
    /// What waits: five.
    Waiting,
    /// What is delivered: two.
    Delivered,
    /// One that waits.
    One,
    /// One that only the order list holds.
    Stray,
}

async fn prepared(
    store: &Store,
    queue: &Queue,
    what: ChangeRequest,
    chosen: Chosen,
) -> PreparedChange {
    let (from, limit) = match chosen {
        Chosen::Waiting => (EntryPlace::Waiting, None),
        Chosen::Delivered => (EntryPlace::Delivered, None),
        Chosen::One => (EntryPlace::Waiting, Some(1)),
        Chosen::Stray => (EntryPlace::OrderOnly, None),
    };
    let selection = Selection {
        from,
        limit,
        ..Selection::default()
    };
    let which = match (&what, chosen) {
        (ChangeRequest::Transfer, Chosen::Waiting) => EntryChoice::Due,
        _ => EntryChoice::Selected(selection),
    };
    let wish = Wish {
        queue: queue.clone(),
        what,
        which,
        profile: None,
    };
    plan(store, wish, |_| ()).await.unwrap()
}

async fn done(store: &Store, journal: &Journal, prepared: PreparedChange) {
    let writer = store.writer().unwrap();
    let mut applying = apply(&writer, journal, prepared, Limits::default());
    while let Some(told) = applying.next().await {
        match told {
            ChangeEvent::Ended(summary) => assert!(summary.tally.all_done(), "{summary:?}"),
            ChangeEvent::Failed(why) | ChangeEvent::Trouble(why) => panic!("{why}"),
            _ => {}
        }
    }
}

/// Puts an entry into the order list that does not wait.
fn stray(stage: &Stage) {
    let order = stage.queue.keys().order.unwrap();
    stage.by_hand(|server| {
        server.cmd_bytes(&[b"RPUSH", &order, &frame(98, b"stray")]);
    });
}

/// Puts two elements into target.
fn deliver_some(stage: &Stage) {
    let target = stage.queue.keys().target;
    stage.by_hand(|server| {
        server.cmd_bytes(&[b"RPUSH", &target, b"one", b"two"]);
    });
}

/// Whether only a queue with frames and a channel can do that.
fn wants_redisson(what: &ChangeRequest) -> bool {
    matches!(
        what,
        ChangeRequest::Kick
            | ChangeRequest::Duplicate
            | ChangeRequest::Drift
            | ChangeRequest::Unwrap
            | ChangeRequest::Repack(_)
    )
}

/// Plans and applies.
pub(crate) async fn change(stage: &Stage, what: ChangeRequest, chosen: Chosen) {
    if wants_redisson(&what) && !stage.is_redisson() {
        return;
    }
    match chosen {
        Chosen::Delivered => deliver_some(stage),
        Chosen::Stray if !stage.is_redisson() => return,
        Chosen::Stray => stray(stage),
        Chosen::Waiting | Chosen::One => {}
    }
    let dir = room();
    let journal = Journal::at(dir.path(), 30);
    let prepared = prepared(&stage.store, &stage.queue, what, chosen).await;
    done(&stage.store, &journal, prepared).await;
}

/// Takes a change back that somebody else has made, and takes that back.
pub(crate) async fn undo(stage: &Stage, what: ChangeRequest, chosen: Chosen) {
    if wants_redisson(&what) && !stage.is_redisson() {
        return;
    }
    let dir = room();
    let journal = Journal::at(dir.path(), 30);
    if matches!(chosen, Chosen::Delivered) {
        deliver_some(stage);
    }
    let other = Store::open(stage.server.endpoint(), Access::ReadWrite);
    other.ready(PATIENCE).await.unwrap();
    done(
        &other,
        &journal,
        prepared(&other, &stage.queue, what, chosen).await,
    )
    .await;
    stage.by_hand(|_| ());
    for _ in 0..2 {
        let newest = journal.list().await.unwrap()[0].id.clone();
        let prepared = plan_undo(&stage.store, &journal, Some(&*newest), false).await;
        done(&stage.store, &journal, prepared.unwrap()).await;
    }
}

/// All that is taken back, each kind of change once.
pub(crate) async fn undo_each(stage: &Stage) {
    for (what, chosen) in [
        (ChangeRequest::Delete, Chosen::One),
        (SOON, Chosen::One),
        (ChangeRequest::Edit(b"other".to_vec()), Chosen::One),
        (ChangeRequest::Duplicate, Chosen::One),
        (ChangeRequest::Delete, Chosen::Delivered),
        (ChangeRequest::Transfer, Chosen::Waiting),
    ] {
        undo(stage, what, chosen).await;
    }
}

/// Of two that are due at once the one with the smaller id is the head: the new one, here.
pub(crate) async fn duplicate(stage: &Stage) {
    stage.by_hand(|server| server.put(&stage.queue, &frame(u64::MAX, b"head"), "1"));
    change(stage, ChangeRequest::Duplicate, Chosen::One).await;
}

pub(crate) async fn requeue(stage: &Stage) {
    let earlier = NewDue {
        base: Base::By(-1_000),
        spread_ms: 0,
    };
    change(stage, ChangeRequest::Requeue(earlier), Chosen::One).await;
    change(stage, SOON, Chosen::Waiting).await;
    change(stage, SOON, Chosen::Delivered).await;
    let Some(order) = stage.queue.keys().order else {
        return;
    };
    // What only the order list holds waits again.
    let lost = change::ChosenEntry {
        member: frame(99, b"lost"),
        score: 1.0,
    };
    stage.by_hand(|server| {
        server.cmd_bytes(&[b"RPUSH", &order, &lost.member]);
    });
    let again = stage.writer().wait_again(&stage.queue, &[lost]).await;
    assert_eq!(again.unwrap().done.fates, [change::Fate::Done]);
}

/// The order list is set aside and brought back.
pub(crate) async fn set_aside(stage: &Stage) {
    if stage.is_redisson() {
        let writer = stage.writer();
        writer.set_aside(&stage.queue).await.unwrap();
        let now = stage.now();
        let moved = writer
            .transfer_telling(&stage.queue, now, 2, &DueCursor::default(), true)
            .await;
        moved.unwrap();
        restore(stage).await;
    }
}

/// What is aside is brought back.
pub(crate) async fn restore(stage: &Stage) {
    let writer = stage.writer();
    while writer
        .bring_back(&stage.queue, 3, StrayFate::Told)
        .await
        .unwrap()
        .done
        .taken
        > 0
    {}
}

/// The same, set aside by somebody else.
pub(crate) async fn restore_order(stage: &Stage) {
    if stage.is_redisson() {
        let keys = stage.queue.keys();
        let (order, aside) = (keys.order.unwrap(), keys.aside.unwrap());
        stage.by_hand(|server| {
            server.cmd_bytes(&[b"RENAME", &order, &aside]);
        });
        restore(stage).await;
    }
}

/// Two entries change places in the order list.
pub(crate) async fn swap(stage: &Stage) {
    if stage.is_redisson() {
        let mark = |n| <[u8; 8]>::try_from(&frame(n, b"")[1..9]).unwrap();
        let swap = Swap {
            places: [0, 1],
            marks: [mark(1), mark(2)],
        };
        let missed = stage.writer().swap(&stage.queue, &[swap]).await.unwrap();
        assert!(missed.done.is_empty(), "{missed:?}");
    }
}

/// One entry is looked for in a long order list, and its neighbour too.
pub(crate) async fn delete(stage: &Stage) {
    let chosen = change::ChosenEntry {
        member: frame(77, b"chosen"),
        score: 1.0,
    };
    stage.by_hand(|server| server.put(&stage.queue, &chosen.member, "1"));
    let deleted = stage.writer().delete(&stage.queue, &[chosen]).await;
    assert_eq!(deleted.unwrap().done.len(), 1);
}

/// The order list goes round.
pub(crate) async fn sweep(stage: &Stage) {
    if stage.is_redisson() {
        let writer = stage.writer();
        let chosen = [(&b"x"[..], Broom::Stray)];
        let swept = writer
            .sweep(&stage.queue, 3, &chosen, AwayPlace::Nowhere)
            .await
            .unwrap();
        assert_eq!(swept.done.went, 3);
    }
}

/// The same, and an entry gets other bytes.
pub(crate) async fn edit_around(stage: &Stage) {
    if stage.is_redisson() {
        let (old, new) = (frame(77, b"chosen"), frame(77, b"edited"));
        stage.by_hand(|server| server.put(&stage.queue, &old, "1"));
        let chosen = [(&old[..], Broom::Delete(1.0), &new[..])];
        let edited = stage.writer().edit_around(&stage.queue, 9, &chosen).await;
        assert_eq!(edited.unwrap().done.swept.len(), 1);
    }
}

/// The same, and an entry comes in.
pub(crate) async fn put_back_around(stage: &Stage) {
    if stage.is_redisson() {
        let member = frame(77, b"back");
        let entry = ReturnedEntry {
            to: ReturnPlace::Tail,
            score: 1.0,
            member: &member,
        };
        let (writer, entries) = (stage.writer(), [entry]);
        let back = writer
            .put_back_around(&stage.queue, 3, &entries, AwayPlace::Nowhere)
            .await;
        back.unwrap();
    }
}

/// A repair of drift is taken back, and that again.
pub(crate) async fn undo_drift(stage: &Stage) {
    if stage.is_redisson() {
        let keys = stage.queue.keys();
        stage.by_hand(|server| {
            server.cmd_bytes(&[b"ZADD", &keys.timeouts, b"9", &frame(99, b"lonely")]);
            let order = keys.order.unwrap();
            server.cmd_bytes(&[b"RPUSH", &order, &frame(1, b"entry 1")]);
        });
    }
    undo(stage, ChangeRequest::Drift, Chosen::Waiting).await;
}

/// Frames in target are taken off; `back`: that is taken back, and that again.
pub(crate) async fn unwrap(stage: &Stage, back: bool) {
    let target = stage.queue.keys().target;
    stage.by_hand(|server| {
        server.cmd_bytes(&[b"RPUSH", &target, &frame(97, b"framed"), &frame(96, b"too")]);
    });
    if back {
        undo(stage, ChangeRequest::Unwrap, Chosen::Waiting).await;
    } else {
        change(stage, ChangeRequest::Unwrap, Chosen::Waiting).await;
    }
}

/// A key expires no more; `back`: that is taken back, and that again.
pub(crate) async fn persist(stage: &Stage, back: bool) {
    let timeouts = stage.queue.keys().timeouts;
    stage.by_hand(|server| {
        server.cmd_bytes(&[b"PEXPIRE", &timeouts, b"3600000"]);
    });
    if back {
        undo(stage, ChangeRequest::Persist, Chosen::Waiting).await;
    } else {
        change(stage, ChangeRequest::Persist, Chosen::Waiting).await;
    }
}

/// What has taken target's name gets another one; `back`: that is taken back, and that again.
pub(crate) async fn rename_taken(stage: &Stage, back: bool) {
    let target = stage.queue.keys().target;
    stage.by_hand(|server| {
        server.cmd_bytes(&[b"SET", &target, b"in the way"]);
    });
    if back {
        undo(stage, ChangeRequest::RenameTaken, Chosen::Waiting).await;
    } else {
        change(stage, ChangeRequest::RenameTaken, Chosen::Waiting).await;
    }
}

/// What mends drift.
pub(crate) async fn drift(stage: &Stage) {
    if stage.is_redisson() {
        let keys = stage.queue.keys();
        let (lonely, double) = (frame(99, b"lonely"), frame(1, b"entry 1"));
        let order = keys.order.unwrap();
        stage.by_hand(|server| {
            server.cmd_bytes(&[b"ZADD", &keys.timeouts, b"9", &lonely]);
            server.cmd_bytes(&[b"RPUSH", &order, &double]);
        });
        scan_members(&stage.store, &keys.timeouts, 0, 100)
            .await
            .unwrap();
        let seen = ReadOrder {
            aside: false,
            last: Some(double.clone()),
        };
        let writer = stage.writer();
        let members = [lonely.as_slice()];
        let appended = writer
            .append(&stage.queue, &seen, &members, true)
            .await
            .unwrap();
        assert!(appended.done.is_some());
        let dropped = writer.drop_copy(&stage.queue, [0, 5], &double);
        assert!(dropped.await.unwrap().done);
        sweep(stage).await;
    }
}
