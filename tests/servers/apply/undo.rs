//! Changes taken back more than once: by an undo after one that died, or was stopped, or was taken
//! back itself. What is back is not put back once more.

use delayscope::ops::apply::{ChangeEvent, Limits, Order, apply};
use delayscope::ops::entries::{EntryPlace, Selection};
use delayscope::ops::journal::JournalledChange;
use delayscope::ops::plan::{ChangeRequest, EntryChoice};
use delayscope::ops::undo::plan_undo;
use delayscope::queue::plan::Way;
use delayscope::queue::{Address, Change, Outcome, Queue, Summary};

use crate::apply::bench::{Bench, layouts};
use crate::apply::proxy::{Lost, Proxy};
use crate::support::{PATIENCE, Server, room, until};

const LATE: i64 = -900_000;
/// How the body of a record of intents begins, in the journal.
const INTENTS: u8 = 1;

/// A queue of entries that are late, and were deleted.
async fn deleted(queue: &Queue, count: u64) -> (Bench, String) {
    let bench = Bench::new(queue).await;
    bench.fill(count, bench.server.now().plus(LATE), 1);
    let (_, told) = bench.change(ChangeRequest::Delete, EntryChoice::Due).await;
    assert_eq!(told.count(Outcome::Done), count);
    let id = told.summary.journal_id.unwrap();
    (bench, id)
}

/// Begins to take it back, and ends after the first results: `dies`, without an end in the journal.
async fn begun(bench: &Bench, id: &str, dies: bool) {
    let prepared = plan_undo(&bench.store, &bench.journal, Some(id), false);
    let prepared = prepared.await.unwrap();
    let limits = Limits {
        per_s: Some(50.0),
        ..Limits::default()
    };
    let mut applying = apply(&bench.writer, &bench.journal, prepared, limits);
    while let Some(told) = applying.next().await {
        if matches!(told, ChangeEvent::Results(_)) {
            applying.order(Order::Stop);
        }
    }
    // Its lock goes with the last that holds it, which may be a moment after its last word.
    while bench.kept().await.iter().any(|kept| kept.under_way) {
        tokio::task::yield_now().await;
    }
    if dies {
        bench.forget_the_end().await;
    }
}

impl Bench {
    /// The journal as it is when a process dies: the newest change never ended.
    pub(crate) async fn forget_the_end(&self) {
        let newest = self.kept().await.remove(0);
        let path = self.dir().join("journal.jsonl");
        let text = std::fs::read_to_string(&path).unwrap();
        let ended = format!("{{\"id\":\"{}\",\"ended\"", newest.id);
        let stay = text.lines().filter(|line| !line.starts_with(&ended));
        let stay = stay.flat_map(|line| [line, "\n"]).collect::<String>();
        assert!(stay.len() < text.len());
        std::fs::write(path, stay).unwrap();
        assert!(self.kept().await[0].ended.is_none());
    }

    /// Deletes all elements of target; the change's id.
    async fn delete_delivered(&self) -> String {
        let all = Selection {
            from: EntryPlace::Delivered,
            ..Selection::default()
        };
        let (_, told) = self
            .change(ChangeRequest::Delete, EntryChoice::Selected(all))
            .await;
        told.summary.journal_id.unwrap()
    }

    pub(crate) async fn kept(&self) -> Vec<JournalledChange> {
        self.journal.list().await.unwrap()
    }

    /// All that is due comes to target, and so many of it are consumed.
    async fn consumed(&self, count: usize) {
        self.change(ChangeRequest::Transfer, EntryChoice::Due).await;
        for _ in 0..count {
            self.server.cmd_bytes(&[b"LPOP", &self.queue.keys().target]);
        }
    }
}

#[tokio::test]
async fn an_undo_after_one_that_was_stopped_or_died_puts_back_what_is_left() {
    for queue in layouts() {
        for dies in [false, true] {
            let (bench, id) = deleted(&queue, 60).await;
            begun(&bench, &id, dies).await;
            let back = bench.contents().timeouts.len();
            assert!(back > 0 && back < 60, "{back}");
            bench.consumed(back).await;
            let (plan, told) = bench.undo(Some(&id)).await;
            assert!(plan.warnings.iter().any(|w| w.contains("earlier undo")));
            // Of what the one that died had only meant to put back nobody knows: it is told.
            let refused = usize::try_from(told.count(Outcome::Refused)).unwrap();
            assert!(dies || refused == 0, "{refused}");
            let now = bench.contents();
            assert_eq!(now.timeouts.len() + refused, 60 - back);
            assert_eq!(
                now.order.len() + refused,
                if queue.keys().order.is_some() {
                    60 - back
                } else {
                    refused
                }
            );
        }
    }
}

#[tokio::test]
async fn what_was_consumed_after_an_undo_does_not_come_back_when_that_undo_is_undone_in_between() {
    let (bench, id) = deleted(&Queue::redisson("orders"), 10).await;
    let (_, told) = bench.undo(Some(&id)).await;
    let back = told.summary.journal_id.unwrap();
    let some = bench.entries(&[1, 2, 3, 4]);
    bench.change(ChangeRequest::Deliver, some).await;
    assert_eq!(bench.contents().target.len(), 4);
    // Deleted again are the six that still wait; then those come back, and no others.
    let (_, told) = bench.undo(Some(&back)).await;
    assert_eq!(
        (told.count(Outcome::Done), told.count(Outcome::Gone)),
        (6, 4)
    );
    bench.undo(Some(&id)).await;
    let now = bench.contents();
    assert_eq!(
        (now.timeouts.len(), now.order.len(), now.target.len()),
        (6, 6, 4)
    );
}

#[tokio::test]
async fn delivered_elements_come_back_once_however_often_an_undo_is_begun() {
    for queue in layouts() {
        let bench = Bench::new(&queue).await;
        bench.fill(60, bench.server.now().plus(LATE), 1);
        bench
            .change(ChangeRequest::Transfer, EntryChoice::Due)
            .await;
        let id = bench.delete_delivered().await;
        begun(&bench, &id, true).await;
        let (_, told) = bench.undo(Some(&id)).await;
        let mut now = bench.contents().target;
        let refused = usize::try_from(told.count(Outcome::Refused)).unwrap();
        assert_eq!(now.len() + refused, 60);
        now.sort();
        now.dedup();
        assert_eq!(now.len() + refused, 60);
    }
}

#[tokio::test]
async fn two_undos_of_one_change_that_were_planned_at_once_put_nothing_back_twice() {
    let (bench, id) = deleted(&Queue::redisson("orders"), 10).await;
    let plan = || plan_undo(&bench.store, &bench.journal, Some(&*id), false);
    let (one, other) = (plan().await.unwrap(), plan().await.unwrap());
    bench.apply(one, Limits::default()).await;
    bench.consumed(10).await;
    let mut applying = apply(&bench.writer, &bench.journal, other, Limits::default());
    let told = applying.next().await;
    assert!(
        matches!(&told, Some(ChangeEvent::Failed(why)) if why.contains("plan it again")),
        "{told:?}"
    );
    assert_eq!(bench.contents().timeouts.len(), 0);
}

#[tokio::test]
async fn undo_without_an_id_walks_past_what_it_could_do_nothing_for() {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(2, bench.server.now().plus(60_000), 1);
    bench
        .change(ChangeRequest::Delete, bench.entries(&[1]))
        .await;
    bench
        .change(ChangeRequest::Deliver, bench.entries(&[2]))
        .await;
    bench
        .server
        .cmd_bytes(&[b"LPOP", &bench.queue.keys().target]);
    let (_, told) = bench.undo(None).await;
    assert_eq!(told.count(Outcome::Gone), 1);
    let (_, told) = bench.undo(None).await;
    assert_eq!(told.count(Outcome::Done), 1);
    let kept = bench.kept().await;
    assert_eq!(
        kept.iter()
            .filter(|kept| kept.head.change == Change::Undo)
            .count(),
        2
    );
    assert_eq!(bench.contents().timeouts.len(), 1);
}

/// A deletion of 60 late entries taken back, in whose second script something is lost; what that
/// put back is consumed before anybody can look. How many were, and how it ended.
async fn lost(lost: Lost, way: Way, heard: bool) -> (Bench, usize, Summary) {
    let server = Server::start();
    let home = room();
    let proxy = Proxy::before(&server.socket(), home.path());
    let endpoint = server.endpoint_at(Address::Unix(proxy.path.clone()), 0);
    let bench = Bench::through(server, endpoint, &Queue::redisson("orders")).await;
    let keys = bench.queue.keys();
    let mut connection = bench.server.connection();
    let mut listener = connection.as_pubsub();
    if heard {
        listener
            .subscribe(keys.channel.as_deref().unwrap())
            .unwrap();
    }
    bench.fill(60, bench.server.now().plus(LATE), 1);
    bench.change(ChangeRequest::Delete, EntryChoice::Due).await;
    let mut prepared = plan_undo(&bench.store, &bench.journal, None, false)
        .await
        .unwrap();
    prepared.plan.way = way;
    let limits = Limits {
        per_s: Some(100.0),
        ..Limits::default()
    };
    let mut applying = apply(&bench.writer, &bench.journal, prepared, limits);
    let mut consumed = 0;
    let hearing = async {
        loop {
            match applying.next().await.unwrap() {
                ChangeEvent::Results(_) if proxy.scripts() == 0 => {
                    let before = bench.contents().timeouts.len();
                    proxy.lose(lost);
                    until("a script to be sent", || proxy.scripts() > 0).await;
                    if lost == Lost::Answers {
                        let ran = || bench.contents().timeouts.len() > before;
                        until("it to have run", ran).await;
                        consumed = bench.contents().timeouts.len();
                        for key in [&keys.timeouts, keys.order.as_ref().unwrap()] {
                            bench.server.cmd_bytes(&[b"DEL", key]);
                        }
                    }
                    proxy.cut();
                }
                ChangeEvent::Ended(summary) => return summary,
                ChangeEvent::Failed(why) => panic!("{why}"),
                _ => {}
            }
        }
    };
    let summary = tokio::time::timeout(PATIENCE, hearing).await.unwrap();
    (bench, consumed, summary)
}

#[tokio::test]
async fn what_a_script_without_an_answer_put_back_and_others_took_is_not_put_back_again() {
    for way in [Way::InOrder, Way::Sweep] {
        let (bench, consumed, summary) = lost(Lost::Answers, way, true).await;
        assert!(consumed > 0);
        let unknown = summary.tally.get(Outcome::Unknown);
        assert!(unknown > 0, "{way:?}: {summary:?}");
        let now = bench.contents();
        assert_eq!(now.timeouts.len() + consumed, 60, "{way:?}: {summary:?}");
        assert_eq!(now.order.len(), now.timeouts.len());
    }
}

#[tokio::test]
async fn what_never_reached_the_server_is_put_back_where_nobody_can_have_taken_it() {
    for way in [Way::InOrder, Way::Sweep] {
        let (bench, _, summary) = lost(Lost::Requests, way, false).await;
        assert!(summary.tally.all_done(), "{way:?}: {summary:?}");
        let now = bench.contents();
        assert_eq!((now.timeouts.len(), now.order.len()), (60, 60));
    }
}

impl Bench {
    /// The journal as it is when a process dies before it has written any result of the newest
    /// change down.
    async fn forget_the_results(&self) {
        self.forget_the_end().await;
        let newest = self.kept().await.remove(0);
        let path = self.dir().join("changes").join(newest.id);
        let whole = std::fs::read(&path).unwrap();
        let size = |at: usize| u32::from_le_bytes(whole[at..at + 4].try_into().unwrap()) as usize;
        let head = 8;
        let mut at = 8;
        let mut stay = whole[..at].to_vec();
        while at < whole.len() {
            let end = at + head + size(at);
            if whole[at + head] == INTENTS {
                stay.extend_from_slice(&whole[at..end]);
            }
            at = end;
        }
        assert!(stay.len() < whole.len());
        std::fs::write(path, stay).unwrap();
    }

    async fn forced(&self, id: &str) -> (Vec<String>, u64, u64) {
        let prepared = plan_undo(&self.store, &self.journal, Some(id), true);
        let prepared = prepared.await.unwrap();
        let warnings = prepared.plan.warnings.clone();
        let told = self.apply(prepared, Limits::default()).await;
        let refused = told.count(Outcome::Refused);
        (warnings, told.count(Outcome::Done), refused)
    }
}

#[tokio::test]
async fn on_another_server_the_command_line_that_forces_it_there_is_named() {
    let here = Bench::new(&Queue::redisson("orders")).await;
    here.fill(3, here.server.now().plus(60_000), 1);
    let (_, told) = here.change(ChangeRequest::Delete, here.entries(&[2])).await;
    let id = told.summary.journal_id.unwrap();
    let there = Bench::new(&Queue::redisson("orders")).await;
    let refused = plan_undo(&there.store, &here.journal, Some(&*id), false).await;
    let why = refused.unwrap_err().to_string();
    let command = format!(
        "`delayscope -s {} undo --force {id}`",
        there.server.socket().display()
    );
    assert!(why.contains(&command), "{why}");
    let forced = plan_undo(&there.store, &here.journal, Some(&*id), true);
    assert_eq!(forced.await.unwrap().plan.planned, 1);
}

#[tokio::test]
async fn what_nobody_knows_to_be_deleted_comes_back_by_force_only_and_once() {
    for (queue, due_in) in layouts()
        .into_iter()
        .flat_map(|q| [(q.clone(), LATE), (q, 60_000)])
    {
        let bench = Bench::new(&queue).await;
        bench.fill(6, bench.server.now().plus(due_in), 1);
        let all = bench.entries(&[1, 2, 3, 4, 5, 6]);
        let (_, told) = bench.change(ChangeRequest::Delete, all).await;
        let id = told.summary.journal_id.unwrap();
        bench.forget_the_results().await;
        // Somebody had delivered these early, say: they are not lost by not coming back.
        let (_, told) = bench.undo(Some(&id)).await;
        assert_eq!(told.count(Outcome::Refused), 6);
        let why = told.results[0].reason.clone().unwrap();
        let command = format!(
            "`delayscope -s {} undo --force {id}`",
            bench.server.socket().display()
        );
        assert!(why.contains(&command), "{why}");
        assert_eq!(bench.contents().timeouts.len(), 0);
        let (warnings, done, refused) = bench.forced(&id).await;
        assert!(warnings.iter().any(|w| w.contains("twice")), "{warnings:?}");
        assert_eq!((done, refused), (6, 0));
        assert_eq!(bench.contents().timeouts.len(), 6);
        // They are back, and stay so when they are delivered and it is forced again.
        bench
            .change(ChangeRequest::Deliver, bench.entries(&[1, 2, 3]))
            .await;
        let (_, done, _) = bench.forced(&id).await;
        assert_eq!(done, 0);
        assert_eq!(bench.contents().timeouts.len(), 3);
    }
}

#[tokio::test]
async fn elements_that_nobody_knows_to_be_deleted_come_back_by_force_unless_target_holds_their_like()
 {
    for queue in layouts() {
        let bench = Bench::new(&queue).await;
        bench.fill(6, bench.server.now().plus(LATE), 1);
        bench
            .change(ChangeRequest::Transfer, EntryChoice::Due)
            .await;
        let mut before = bench.contents().target;
        before.sort();
        let id = bench.delete_delivered().await;
        bench.forget_the_results().await;
        // Two were not deleted after all, or their like were delivered since.
        for element in &before[..2] {
            bench
                .server
                .cmd_bytes(&[b"RPUSH", &queue.keys().target, element]);
        }
        let (plan, told) = bench.undo(Some(&id)).await;
        assert_eq!((plan.planned, told.count(Outcome::Refused)), (4, 4));
        let why = told.results[0].reason.clone().unwrap();
        assert!(why.contains("is not in target"), "{why}");
        assert!(why.contains(&format!("undo --force {id}")), "{why}");
        assert_eq!(bench.contents().target.len(), 2);
        let (warnings, done, refused) = bench.forced(&id).await;
        assert!(warnings.iter().any(|w| w.contains("twice")), "{warnings:?}");
        assert_eq!((done, refused), (4, 0));
        let mut after = bench.contents().target;
        after.sort();
        assert_eq!(after, before);
        // They are back, and stay so when they are consumed and it is forced again.
        bench.server.cmd_bytes(&[b"DEL", &queue.keys().target]);
        let (_, done, refused) = bench.forced(&id).await;
        assert_eq!((done, refused), (2, 0));
    }
}

#[tokio::test]
async fn what_comes_back_to_a_place_that_nobody_wrote_down_is_told_with_what_sorts_the_list() {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(6, bench.server.now().plus(60_000), 1);
    let before = bench.contents().timeouts;
    let all = bench.entries(&[1, 2, 3]);
    let (_, told) = bench.change(ChangeRequest::Quarantine, all).await;
    let id = told.summary.journal_id.unwrap();
    let whole = plan_undo(&bench.store, &bench.journal, Some(&*id), false).await;
    let warnings = whole.unwrap().plan.warnings;
    let about_places = |words: &&String| words.contains("order list");
    assert_eq!(warnings.iter().find(about_places), None);
    bench.forget_the_results().await;
    let (_, told) = bench.undo(Some(&id)).await;
    assert_eq!(bench.contents().timeouts, before);
    let notes = told.summary.notes.join(" ");
    let places = "Where 3 of them stood in the order list nobody wrote down";
    let sorts = format!(
        "`delayscope -s {} repair orders --realign`",
        bench.server.socket().display()
    );
    assert!(notes.contains(places) && notes.contains(&sorts), "{notes}");
}

#[tokio::test]
async fn elements_that_come_back_to_the_head_of_target_for_want_of_their_places_are_told() {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    bench.fill(6, bench.server.now().plus(LATE), 1);
    bench
        .change(ChangeRequest::Transfer, EntryChoice::Due)
        .await;
    let id = bench.delete_delivered().await;
    bench.forget_the_results().await;
    let (warnings, done, _) = bench.forced(&id).await;
    assert_eq!(done, 6);
    let places = "Where 6 of them stood in target nobody wrote down";
    let told = warnings.iter().any(|words| words.contains(places));
    assert!(told, "{warnings:?}");
}

#[tokio::test]
async fn an_undo_says_what_the_elements_are_that_come_back_to_target() {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    for element in ["first", "second", "third"] {
        bench
            .server
            .cmd_bytes(&[b"RPUSH", &bench.queue.keys().target, element.as_bytes()]);
    }
    let id = bench.delete_delivered().await;
    let (plan, _) = bench.undo(Some(&id)).await;
    let mut says = plan.says;
    says.sort();
    assert_eq!(says, ["first", "second", "third"]);
}
