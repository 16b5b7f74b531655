//! What is played under the rules. A change that is new is played by one line more.

use std::time::Duration;

use delayscope::clock::EpochMillis;
use delayscope::ops::consumer::{self, ConsumeOptions, Consumer};
use delayscope::ops::discover::{DiscoveryEvent, discover_with};
use delayscope::ops::doctor::{ExaminationEvent, examine};
use delayscope::ops::entries::{EntryPlace, Selection, entries};
use delayscope::ops::journal::Journal;
use delayscope::ops::memory::Memory;
use delayscope::ops::offer::{form_of, offer};
use delayscope::ops::plan::ChangeRequest;
use delayscope::ops::refresh::{frames, list, pulse, rank_at, survey};
use delayscope::ops::worker::{WorkerEvent, WorkerOptions, work_in_bulk};
use delayscope::queue::look::LookAsk;
use delayscope::queue::{Change, Form, FramesAsk, List, PageAsk, Zoom};
use delayscope::store::read::look;
use delayscope::store::watch::announcements;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _};

use crate::acl::changes::{self, Chosen, change};
use crate::acl::quarantine;
use crate::acl::stage::Stage;
use crate::support::{room, until};

/// Something that is done on a stage.
pub(crate) type Scene = for<'a> fn(&'a Stage) -> BoxFuture<'a, ()>;

/// All that the screen and the reading commands look at.
pub(crate) const READING: Scene = |stage| reading(stage).boxed();

/// Changes, each as often as there are ways to make it.
pub(crate) const SCENES: &[(Change, Scene)] = &[
    (Change::Offer, |stage| offering(stage).boxed()),
    (Change::Transfer, |stage| {
        change(stage, ChangeRequest::Transfer, Chosen::Waiting).boxed()
    }),
    (Change::Transfer, |stage| {
        change(stage, ChangeRequest::Transfer, Chosen::One).boxed()
    }),
    (Change::Transfer, |stage| changes::set_aside(stage).boxed()),
    (Change::Transfer, |stage| changes::swap(stage).boxed()),
    (Change::Deliver, |stage| {
        change(stage, ChangeRequest::Deliver, Chosen::One).boxed()
    }),
    (Change::Deliver, |stage| changes::set_aside(stage).boxed()),
    (Change::Deliver, |stage| changes::swap(stage).boxed()),
    (Change::Requeue, |stage| changes::requeue(stage).boxed()),
    (Change::Delete, |stage| {
        change(stage, ChangeRequest::Delete, Chosen::Waiting).boxed()
    }),
    (Change::Delete, |stage| {
        change(stage, ChangeRequest::Delete, Chosen::Delivered).boxed()
    }),
    (Change::Delete, |stage| changes::delete(stage).boxed()),
    (Change::Delete, |stage| changes::sweep(stage).boxed()),
    (Change::Edit, |stage| {
        change(stage, ChangeRequest::Edit(b"other".to_vec()), Chosen::One).boxed()
    }),
    (Change::Repack, |stage| {
        change(stage, ChangeRequest::Repack(None), Chosen::One).boxed()
    }),
    (Change::Edit, |stage| changes::edit_around(stage).boxed()),
    (Change::Repack, |stage| changes::edit_around(stage).boxed()),
    (Change::Duplicate, |stage| changes::duplicate(stage).boxed()),
    (Change::Kick, |stage| {
        change(stage, ChangeRequest::Kick, Chosen::Waiting).boxed()
    }),
    (Change::Realign, |stage| changes::swap(stage).boxed()),
    (Change::RestoreOrder, |stage| {
        changes::restore_order(stage).boxed()
    }),
    (Change::Deliver, |stage| {
        change(stage, ChangeRequest::Deliver, Chosen::Stray).boxed()
    }),
    (Change::Delete, |stage| {
        change(stage, ChangeRequest::Delete, Chosen::Stray).boxed()
    }),
    (Change::Drift, |stage| changes::drift(stage).boxed()),
    (Change::Quarantine, |stage| {
        change(stage, ChangeRequest::Quarantine, Chosen::One).boxed()
    }),
    (Change::Quarantine, |stage| {
        change(stage, ChangeRequest::Quarantine, Chosen::Waiting).boxed()
    }),
    (Change::Quarantine, |stage| quarantine::sweep(stage).boxed()),
    (Change::Restore, |stage| quarantine::restore(stage).boxed()),
    (Change::Restore, |stage| {
        quarantine::restore_around(stage).boxed()
    }),
    (Change::PutBack, |stage| putting_back(stage).boxed()),
    (Change::Unwrap, |stage| {
        changes::unwrap(stage, false).boxed()
    }),
    (Change::Persist, |stage| {
        changes::persist(stage, false).boxed()
    }),
    (Change::RenameTaken, |stage| {
        changes::rename_taken(stage, false).boxed()
    }),
    (Change::Undo, |stage| {
        changes::rename_taken(stage, true).boxed()
    }),
    (Change::Undo, |stage| changes::unwrap(stage, true).boxed()),
    (Change::Undo, |stage| changes::persist(stage, true).boxed()),
    (Change::Undo, |stage| changes::undo_each(stage).boxed()),
    (Change::Undo, |stage| quarantine::undo(stage).boxed()),
    (Change::Undo, |stage| changes::delete(stage).boxed()),
    (Change::Undo, |stage| {
        changes::put_back_around(stage).boxed()
    }),
    (Change::Undo, |stage| changes::undo_drift(stage).boxed()),
    (Change::Undo, |stage| changes::swap(stage).boxed()),
    (Change::Undo, |stage| changes::set_aside(stage).boxed()),
    (Change::Worker, |stage| working(stage).boxed()),
    (Change::Consume, |stage| consuming(stage).boxed()),
];

async fn reading(stage: &Stage) {
    let (store, queue) = (&stage.store, &stage.queue);
    if !stage.is_named() {
        let mut found = std::pin::pin!(discover_with(store, Vec::new(), Memory::none()));
        let mut queues = 0;
        while let Some(found) = found.next().await {
            queues += usize::from(matches!(found, DiscoveryEvent::Queue(_)));
        }
        assert_eq!(queues > 0, stage.is_redisson());
    }
    let page = PageAsk { first: 0, count: 3 };
    let seen = pulse(store, queue, Some(page)).await.unwrap();
    assert_eq!(seen.late.get(), Some(5));
    survey(store, queue, Some(Zoom::All), None).await.unwrap();
    let sample = FramesAsk::of(30, 8, true);
    frames(store, queue, sample).await.unwrap();
    look(store, LookAsk::Whole).await.unwrap();
    let all: Vec<_> = examine(store, queue, 8).collect().await;
    assert!(
        matches!(all.last(), Some(Ok(ExaminationEvent::Done(_)))),
        "{all:?}"
    );
    rank_at(store, queue, 1.0).await.unwrap();
    form_of(store, queue).await.unwrap();
    consumer::peek(store, queue, 3).await.unwrap();
    let mut places = vec![
        EntryPlace::Waiting,
        EntryPlace::Late,
        EntryPlace::Delivered,
        EntryPlace::Quarantined,
    ];
    let mut lists = vec![List::Target, List::Quarantine];
    if stage.is_redisson() {
        places.push(EntryPlace::Order);
        lists.push(List::Order);
    }
    for from in places {
        let selection = Selection {
            from,
            ..Selection::default()
        };
        let all = entries(store, queue, selection);
        let all: Vec<_> = all.collect().await;
        assert!(all.iter().all(Result::is_ok), "{from:?}: {all:?}");
    }
    for which in lists {
        list(store, queue, which, 0, 10).await.unwrap();
    }
    if let Some(channel) = queue.keys().channel {
        let channel = String::from_utf8(channel).unwrap();
        let mut heard = Box::pin(announcements(store));
        let listening = tokio::spawn(async move { heard.next().await });
        until("the announcement to be heard", || {
            stage.server.cmd(&["PUBLISH", &channel, "0"]);
            listening.is_finished()
        })
        .await;
    }
}

async fn offering(stage: &Stage) {
    let due = EpochMillis::new(1_000);
    let messages = [b"hello".to_vec()];
    let offered = offer(&stage.writer(), &stage.queue, &messages, due, Form::ByteId).await;
    offered.unwrap();
}

async fn working(stage: &Stage) {
    work_until(stage, |event| matches!(event, WorkerEvent::Batch(_))).await;
    // One that stands in the way, and some that were not offered in due order.
    let late = stage.now().plus(-1_000);
    stage.by_hand(|server| {
        server.put(&stage.queue, b"no frame", "1");
        server.fill(&stage.queue, 8, late, -1);
    });
    work_until(stage, |event| matches!(event, WorkerEvent::Batch(_))).await;
    if stage.is_redisson() {
        work_until(stage, |event| matches!(event, WorkerEvent::Listening)).await;
        // A backlog in the opposite order.
        stage.by_hand(|server| server.fill(&stage.queue, 6_000, late, -1));
        work_until(stage, |event| matches!(event, WorkerEvent::Batch(_))).await;
    }
}

async fn work_until(stage: &Stage, is_last: impl Fn(&WorkerEvent) -> bool) {
    let (store, queue) = (stage.store.clone(), stage.queue.clone());
    let (dir, options) = (room(), WorkerOptions::default());
    let journal = Journal::at(dir.path(), 30);
    let mut events = work_in_bulk(&store, stage.writer(), queue, options, &journal);
    let mut met = false;
    while let Some(event) = events.next().await {
        let trouble = matches!(
            event,
            WorkerEvent::Trouble { .. } | WorkerEvent::Deaf { .. }
        );
        assert!(!trouble, "{event:?}");
        if !met && is_last(&event) {
            met = true;
            events.stop();
        }
    }
    assert!(met);
}

async fn putting_back(stage: &Stage) {
    let keys = stage.queue.keys().hold;
    stage.by_hand(|server| {
        server.cmd_bytes(&[b"HSET", &keys.held, b"field", b"one"]);
        server.cmd_bytes(&[b"RPUSH", &keys.intake, b"two"]);
    });
    change(stage, ChangeRequest::PutBack, Chosen::Waiting).await;
    assert!(
        stage
            .server
            .int(&["LLEN", text(&stage.queue.keys().target)])
            > 1
    );
}

fn text(key: &[u8]) -> &str {
    std::str::from_utf8(key).unwrap()
}

async fn consuming(stage: &Stage) {
    let keys = stage.queue.keys();
    let options = |timeout| ConsumeOptions {
        count: Some(1),
        timeout: Some(Duration::from_millis(timeout)),
    };
    // One comes while it is waited for, and is handed on; one is there already, and put back.
    let mut waiting = Consumer::new(&stage.writer(), &stage.queue, options(60_000));
    let blocks = stage.server.is_from((6, 2), "it has no BLMOVE");
    let (taken, ()) = tokio::join!(waiting.next(), async {
        until("a consumer to wait", || {
            let clients = stage.server.cmd(&["CLIENT", "LIST"]);
            !blocks || format!("{clients:?}").contains("cmd=blmove")
        })
        .await;
        stage.by_hand(|server| {
            server.cmd_bytes(&[b"RPUSH", &keys.target, b"one"]);
        });
    });
    taken.unwrap().unwrap();
    // What was moved for one that hears it no more.
    stage.by_hand(|server| {
        server.cmd_bytes(&[b"RPUSH", &keys.hold.intake, b"two"]);
    });
    waiting.end().await.unwrap();
    let mut consumer = Consumer::new(&stage.writer(), &stage.queue, options(10));
    consumer.next().await.unwrap().unwrap();
    assert!(consumer.put_back().await.unwrap());
    consumer.end().await.unwrap();
    // And none comes: some servers count a wait when it is over.
    stage.by_hand(|server| {
        server.cmd_bytes(&[b"DEL", &keys.target]);
    });
    let mut consumer = Consumer::new(&stage.writer(), &stage.queue, options(10));
    assert_eq!(consumer.next().await, None);
    consumer.end().await.unwrap();
}
