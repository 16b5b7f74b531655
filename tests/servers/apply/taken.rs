//! What has taken a name of the queue's keys is renamed, whatever happens meanwhile, and renamed
//! back.

use delayscope::ops::apply::{ChangeEvent, Limits, apply};
use delayscope::ops::plan::{ChangeRequest, EntryChoice};
use delayscope::ops::undo::plan_undo;
use delayscope::queue::{Address, Change, Outcome, Queue};
use delayscope::store::{Access, Store};

use crate::apply::bench::{Bench, layouts};
use crate::apply::proxy::{Lost, Proxy};
use crate::support::{PATIENCE, Server, room, until};

/// A queue whose target is a string.
async fn taken(queue: &Queue) -> Bench {
    let bench = Bench::new(queue).await;
    bench.fill(3, bench.server.now().plus(-1_000), 10);
    set(&bench, &queue.keys().target);
    bench
}

fn set(bench: &Bench, key: &[u8]) {
    bench.server.cmd_bytes(&[b"DEL", key]);
    bench
        .server
        .cmd_bytes(&[b"SET", key, b"in the way", b"EX", b"3600"]);
}

/// What a command answers, as text.
fn word(bench: &Bench, command: &[&str]) -> String {
    redis::from_redis_value(bench.server.cmd(command)).unwrap()
}

fn kind(bench: &Bench, key: &str) -> String {
    word(bench, &["TYPE", key])
}

#[tokio::test]
async fn whichever_key_was_taken_it_is_free_again_and_what_took_it_is_kept_with_its_expiry() {
    for queue in layouts() {
        let keys = queue.keys();
        for key in [Some(keys.target), Some(keys.timeouts), keys.order] {
            let Some(key) = key else { continue };
            let bench = Bench::new(&queue).await;
            set(&bench, &key);
            let (plan, told) = bench
                .change(ChangeRequest::RenameTaken, EntryChoice::Due)
                .await;
            assert_eq!((plan.change, plan.planned), (Change::RenameTaken, 1));
            assert_eq!(plan.first, [], "what is renamed is no entry");
            assert!(told.summary.tally.all_done(), "{:?}", told.failed);
            let name = String::from_utf8(key).unwrap();
            assert_eq!(kind(&bench, &name), "none");
            let new = bench.server.list(&["KEYS", "taken:*"]);
            let new = String::from_utf8(new[0].clone()).unwrap();
            assert!(plan.warnings[0].contains(&new), "{:?}", plan.warnings);
            assert!(plan.commands[0].contains("RENAMENX"), "{:?}", plan.commands);
            assert_eq!(word(&bench, &["GET", &new]), "in the way");
            assert!(bench.server.int(&["TTL", &new]) > 3_500);

            let (_, told) = bench.undo(None).await;
            assert!(told.summary.tally.all_done(), "{:?}", told.failed);
            assert_eq!(word(&bench, &["GET", &name]), "in the way");
            assert_eq!(kind(&bench, &new), "none");
        }
    }
}

#[tokio::test]
async fn all_that_were_taken_are_renamed_at_once() {
    for queue in layouts() {
        let keys = queue.keys();
        let keys: Vec<_> = [Some(keys.target), Some(keys.timeouts), keys.order]
            .into_iter()
            .flatten()
            .collect();
        let bench = Bench::new(&queue).await;
        for key in &keys {
            set(&bench, key);
        }
        let left = |kind_of_all: &str| {
            let name = |key: &Vec<u8>| String::from_utf8(key.clone()).unwrap();
            let mut kinds = keys.iter().map(|key| kind(&bench, &name(key)));
            assert!(kinds.all(|kind| kind == kind_of_all), "{kind_of_all}");
        };
        let (plan, told) = bench
            .change(ChangeRequest::RenameTaken, EntryChoice::Due)
            .await;
        assert_eq!(plan.planned, keys.len() as u64);
        assert!(told.summary.tally.all_done(), "{:?}", told.failed);
        left("none");
        let (_, told) = bench.undo(None).await;
        assert!(told.summary.tally.all_done(), "{:?}", told.failed);
        left("string");
    }
}

#[tokio::test]
async fn what_waits_can_be_transferred_again_then() {
    let bench = taken(&Queue::redisson("orders")).await;
    assert!(
        bench
            .plan(ChangeRequest::Transfer, EntryChoice::Due)
            .await
            .is_err()
    );
    bench
        .change(ChangeRequest::RenameTaken, EntryChoice::Due)
        .await;
    let (_, told) = bench
        .change(ChangeRequest::Transfer, EntryChoice::Due)
        .await;
    assert_eq!(
        (told.count(Outcome::Done), bench.contents().target.len()),
        (3, 3)
    );
    // What is there now is in the way of what was there: it stays, and so does the other.
    let renamed = bench.journal.list().await.unwrap();
    let renamed = renamed
        .iter()
        .find(|kept| kept.head.change == Change::RenameTaken);
    let (_, told) = bench.undo(Some(&renamed.unwrap().id)).await;
    assert_eq!(told.count(Outcome::Refused), 1);
    let why = told.results[0].reason.as_deref().unwrap();
    assert_eq!(why, "the other name is in use");
    assert_eq!(bench.contents().target.len(), 3);
    assert_eq!(kind(&bench, "taken:{orders}"), "string");
}

#[tokio::test]
async fn what_has_the_right_type_by_then_is_left_alone() {
    let bench = taken(&Queue::redisson("orders")).await;
    let prepared = bench
        .plan(ChangeRequest::RenameTaken, EntryChoice::Due)
        .await
        .unwrap();
    bench.server.cmd(&["DEL", "orders"]);
    bench.server.cmd(&["RPUSH", "orders", "delivered"]);
    let told = bench.apply(prepared, Limits::default()).await;
    assert_eq!(told.count(Outcome::Changed), 1);
    assert_eq!(bench.contents().target, [b"delivered"]);

    // Nor is it renamed when what was taken back is taken back.
    set(&bench, b"orders");
    bench
        .change(ChangeRequest::RenameTaken, EntryChoice::Due)
        .await;
    bench.undo(None).await;
    bench.server.cmd(&["DEL", "orders"]);
    bench.server.cmd(&["RPUSH", "orders", "delivered"]);
    let undone = bench.journal.list().await.unwrap();
    let undone = undone.iter().find(|kept| kept.head.change == Change::Undo);
    let (_, told) = bench.undo(Some(&undone.unwrap().id)).await;
    assert_eq!(told.count(Outcome::Changed), 1);
    assert_eq!(bench.contents().target, [b"delivered"]);
}

#[tokio::test]
async fn no_name_in_use_is_ever_overwritten() {
    let bench = taken(&Queue::redisson("orders")).await;
    bench.server.cmd(&["SET", "taken:{orders}", "first"]);
    let prepared = bench
        .plan(ChangeRequest::RenameTaken, EntryChoice::Due)
        .await
        .unwrap();
    assert!(prepared.plan.warnings[0].contains("taken2:{orders}"));
    bench.server.cmd(&["SET", "taken2:{orders}", "second"]);
    let told = bench.apply(prepared, Limits::default()).await;
    assert_eq!(told.count(Outcome::Refused), 1);
    assert_eq!(word(&bench, &["GET", "taken2:{orders}"]), "second");
    let (_, told) = bench
        .change(ChangeRequest::RenameTaken, EntryChoice::Due)
        .await;
    assert!(told.summary.tally.all_done());
    assert_eq!(word(&bench, &["GET", "taken3:{orders}"]), "in the way");

    for n in 2..=9 {
        bench
            .server
            .cmd(&["SET", &format!("taken{n}:{{orders}}"), "x"]);
    }
    set(&bench, b"orders");
    let none = bench
        .plan(ChangeRequest::RenameTaken, EntryChoice::Due)
        .await
        .unwrap_err();
    assert!(none.to_string().contains("taken2:… to taken9:…"), "{none}");
}

/// The change whose script or answer is lost; `anew`: the clients make target again before anybody
/// looks; `goes_on`: the link is mended, else its client ends there.
async fn cut(lost: Lost, anew: bool, goes_on: bool) -> Bench {
    let server = Server::start();
    let dir = room();
    let proxy = Proxy::before(&server.socket(), dir.path());
    let endpoint = server.endpoint_at(Address::Unix(proxy.path.clone()), 0);
    let bench = Bench::through(server, endpoint, &Queue::redisson("orders")).await;
    set(&bench, b"orders");
    // So that the server knows the script, and its first answer is that of a rename.
    let none: [(&[u8], &[u8]); 1] = [(b"none", b"none either")];
    bench.writer.rename(&bench.queue, &none).await.unwrap();
    let prepared = bench
        .plan(ChangeRequest::RenameTaken, EntryChoice::Due)
        .await
        .unwrap();
    proxy.lose(lost);
    let mut applying = apply(&bench.writer, &bench.journal, prepared, Limits::default());
    let hearing = async {
        loop {
            if let ChangeEvent::Ended(summary) = applying.next().await.unwrap() {
                return summary;
            }
        }
    };
    let breaking = async {
        until("a script to be sent", || proxy.scripts() > 0).await;
        if lost == Lost::Answers {
            until("it to have run", || {
                kind(&bench, "taken:{orders}") == "string"
            })
            .await;
        }
        if anew {
            bench.server.cmd(&["RPUSH", "orders", "delivered"]);
        }
        if goes_on {
            proxy.cut();
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        summary = hearing => assert!(summary.tally.all_done(), "{summary:?}"),
        () = breaking => drop(applying),
    }
    proxy.lose(Lost::Nothing);
    proxy.cut();
    bench
}

#[tokio::test]
async fn whatever_is_lost_on_the_way_it_is_renamed_once() {
    for (lost, anew) in [
        (Lost::Requests, false),
        (Lost::Answers, false),
        (Lost::Answers, true),
    ] {
        let bench = cut(lost, anew, true).await;
        assert_eq!(kind(&bench, "taken:{orders}"), "string", "{lost:?}");
        let there = if anew { "list" } else { "none" };
        assert_eq!(kind(&bench, "orders"), there);
        assert_eq!(bench.server.int(&["EXISTS", "taken2:{orders}"]), 0);
    }
}

/// What was dropped closes its files by and by.
async fn given_up(bench: &Bench) {
    while bench
        .journal
        .list()
        .await
        .unwrap()
        .iter()
        .any(|kept| kept.under_way)
    {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn of_a_client_that_died_before_or_after_it_the_change_is_taken_back_if_it_was_made() {
    for (lost, made) in [(Lost::Requests, false), (Lost::Answers, true)] {
        let mut bench = cut(lost, false, false).await;
        bench.store = Store::open(bench.server.endpoint(), Access::ReadWrite);
        bench.store.ready(PATIENCE).await.unwrap();
        bench.writer = bench.store.writer().unwrap();
        let was = if made { "taken:{orders}" } else { "orders" };
        assert_eq!(kind(&bench, was), "string", "{lost:?}");
        tokio::time::timeout(PATIENCE, given_up(&bench))
            .await
            .unwrap();
        let undo = plan_undo(&bench.store, &bench.journal, None, true)
            .await
            .unwrap();
        let told = bench.apply(undo, Limits::default()).await;
        let outcome = if made { Outcome::Done } else { Outcome::Gone };
        assert_eq!(told.count(outcome), 1, "{lost:?}: {:?}", told.results);
        assert_eq!(kind(&bench, "orders"), "string");
    }
}
