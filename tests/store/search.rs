//! Looking through a whole queue.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use delayscope::clock::EpochMillis;
use delayscope::ops::entries::EntryPlace;
use delayscope::ops::search::{SearchEvent, search};
use delayscope::payload::Habit;
use delayscope::queue::{Entry, Filter, Queue, SearchProgress, State};
use delayscope::store::{Store, StoreError};
use futures_util::{StreamExt, TryStreamExt};

use crate::entries::numbers;
use crate::open;
use crate::support::{Server, frame, until};

fn orders() -> Queue {
    Queue::redisson("orders")
}

fn filter(typed: &str) -> Filter {
    Filter::parse(typed).unwrap()
}

/// All that a search finds, and how far it came.
async fn found(
    store: &Store,
    queue: &Queue,
    typed: &str,
    from: EntryPlace,
) -> (Vec<Entry>, SearchProgress) {
    let said: Vec<SearchEvent> = search(store, queue, filter(typed), (from, Habit::default()))
        .try_collect()
        .await
        .unwrap();
    let (mut hits, mut before) = (Vec::new(), SearchProgress::default());
    let mut said = said.into_iter();
    let last = said.next_back();
    for part in said {
        let SearchEvent::Found { entries, progress } = part else {
            panic!("done before the end");
        };
        hits.extend(entries);
        assert!(progress.looked >= before.looked && progress.of >= progress.looked);
        assert_eq!(progress.matched, u64::try_from(hits.len()).unwrap());
        before = progress;
    }
    match last {
        Some(SearchEvent::Done(progress)) => (hits, progress),
        other => panic!("not done: {other:?}"),
    }
}

#[tokio::test]
async fn hits_come_in_due_order_with_how_far_it_is() {
    let server = Server::start();
    let store = open(&server).await;
    server.fill(&orders(), 5_000, server.now().plus(-10_500), 1_000);
    // The id of entry 1177 is 0x499.
    let (hits, done) = found(&store, &orders(), "ENTRY 499", EntryPlace::Waiting).await;
    assert_eq!(
        numbers(&hits),
        [
            499, 1_177, 1_499, 2_499, 3_499, 4_499, 4_990, 4_991, 4_992, 4_993, 4_994, 4_995,
            4_996, 4_997, 4_998, 4_999
        ]
    );
    let all = SearchProgress {
        looked: 5_000,
        of: 5_000,
        matched: 16,
    };
    assert_eq!(done, all);
    let (none, done) = found(&store, &orders(), "nowhere", EntryPlace::Waiting).await;
    assert_eq!((none.len(), done.looked, done.matched), (0, 5_000, 0));
    let (hits, _) = found(
        &store,
        &orders(),
        "id:00000000000000FF",
        EntryPlace::Waiting,
    )
    .await;
    assert_eq!(numbers(&hits), [255]);
}

#[tokio::test]
async fn only_the_due_times_that_are_asked_for_are_read() {
    let server = Server::start();
    let store = open(&server).await;
    let first = EpochMillis::new(1_900_000_000_000);
    server.fill(&orders(), 3_000, first, 1_000);
    for n in 0..3 {
        let member = frame(9_000 + n, format!("late {n}").as_bytes());
        server.put(&orders(), &member, &(1_000 + n).to_string());
    }
    server.put(&orders(), &frame(8_000, b"never 8000"), "-5");
    let (hits, done) = found(&store, &orders(), "late", EntryPlace::Waiting).await;
    assert_eq!(numbers(&hits), [0, 1, 2]);
    assert!(hits.iter().all(|entry| entry.state == State::Late));
    assert_eq!((done.looked, done.of), (3, 3));
    let typed = format!("due>={} due<{}", first.get() + 5_000, first.get() + 8_000);
    let (hits, done) = found(&store, &orders(), &typed, EntryPlace::Waiting).await;
    assert_eq!(numbers(&hits), [6, 7, 8]);
    assert!(done.looked < 10, "{done:?}");
}

#[tokio::test]
async fn a_due_time_in_seconds_is_found_to_the_millisecond() {
    let server = Server::start();
    let store = open(&server).await;
    let plain: Queue = "zset-list:z,r".parse().unwrap();
    let rounded = ["1899999999.9996", "1900000000.0004"];
    for (n, score) in rounded.iter().enumerate() {
        server.put(&plain, format!("entry {n}").as_bytes(), score);
    }
    let exactly = "due>=1900000000000 due<=1900000000000";
    let (hits, _) = found(&store, &plain, exactly, EntryPlace::Waiting).await;
    assert_eq!(numbers(&hits), [0, 1]);
}

#[tokio::test]
async fn the_order_list_is_looked_through_with_scores_and_target_without() {
    let server = Server::start();
    let store = open(&server).await;
    server.fill(&orders(), 600, server.now().plus(-100_500), 1_000);
    server.cmd(&["RPUSH", "redisson_delay_queue:{orders}", "order-only 77"]);
    server.cmd(&["RPUSH", "orders", "delivered 77", "delivered 7"]);
    let (hits, done) = found(&store, &orders(), "77", EntryPlace::Order).await;
    assert_eq!(done.looked, 601);
    // The id of entry 119 is 0x77, that of 375 is 0x177.
    assert_eq!(numbers(&hits), [77, 119, 177, 277, 375, 377, 477, 577, 77]);
    let states: Vec<State> = [0, 2, 8].iter().map(|i: &usize| hits[*i].state).collect();
    assert_eq!(states, [State::Late, State::Waiting, State::Order]);
    let (hits, _) = found(&store, &orders(), "late 77", EntryPlace::Order).await;
    assert_eq!(numbers(&hits), [77]);
    let (hits, done) = found(&store, &orders(), "77", EntryPlace::Delivered).await;
    assert_eq!((numbers(&hits), done.of), (vec![77], 2));
    assert_eq!((hits[0].state, hits[0].score), (State::Delivered, None));
}

#[tokio::test]
async fn what_is_no_frame_is_found_by_its_text_and_has_no_codec() {
    let server = Server::start();
    let store = open(&server).await;
    server.put(&orders(), b"stray 1", "5");
    server.put(&orders(), &frame(2, br#"{"word":"stray 2"}"#), "6");
    let (hits, _) = found(&store, &orders(), "stray", EntryPlace::Waiting).await;
    assert_eq!(hits.len(), 2);
    for (typed, member) in [("codec:unknown", &hits[0]), ("codec:typed", &hits[1])] {
        let (one, _) = found(&store, &orders(), typed, EntryPlace::Waiting).await;
        assert_eq!(one, std::slice::from_ref(member), "{typed}");
    }
}

/// Changes the queue by `change` from another thread as long as `search` runs.
async fn while_it_changes<T>(
    server: &Server,
    mut change: impl FnMut(&mut redis::Connection, u64) + Send + 'static,
    searching: impl Future<Output = T>,
) -> T {
    let over = Arc::new(AtomicBool::new(false));
    let until = Arc::clone(&over);
    let mut connection = server.connection();
    let changing = std::thread::spawn(move || {
        let mut n = 0;
        while !until.load(Ordering::Relaxed) {
            change(&mut connection, n);
            n += 1;
        }
        n
    });
    let done = searching.await;
    over.store(true, Ordering::Relaxed);
    assert!(changing.join().unwrap() > 0, "nothing changed meanwhile");
    done
}

/// That no entry was told twice, and each of `stayed` once.
fn assert_once(hits: &[Entry], stayed: impl Iterator<Item = u64>) {
    let all: HashSet<&[u8]> = hits.iter().map(|entry| entry.member.as_slice()).collect();
    assert_eq!(all.len(), hits.len(), "nothing twice");
    let told: HashSet<u64> = numbers(hits).into_iter().collect();
    let missed: Vec<u64> = stayed.filter(|n| !told.contains(n)).take(5).collect();
    assert!(missed.is_empty(), "left out: {missed:?}");
}

#[tokio::test]
async fn what_stays_is_found_once_while_others_come_and_go() {
    const COUNT: u64 = 20_000;
    let server = Server::start();
    let store = open(&server).await;
    server.fill(&orders(), COUNT, server.now().plus(60_000), 1);
    let keys = orders().keys();
    // Odd ones go, from the front on; new ones come anywhere, and are announced in neither list.
    let late = server.now().plus(60_000).get();
    let change = move |connection: &mut redis::Connection, round: u64, n: u64| {
        let gone = 2 * (n % (COUNT / 2)) + 1;
        let gone = frame(gone, format!("entry {gone}").as_bytes());
        let number = round * 1_000_000 + n;
        let new = frame(number, format!("entry {number}").as_bytes());
        let due = late + i64::try_from(n * 7_919 % COUNT).unwrap();
        let mut both = redis::pipe();
        both.cmd("ZREM").arg(&keys.timeouts).arg(&gone);
        both.cmd("LREM")
            .arg(keys.order.as_ref().unwrap())
            .arg(1)
            .arg(&gone);
        both.cmd("ZADD").arg(&keys.timeouts).arg(due).arg(&new);
        both.cmd("RPUSH")
            .arg(keys.order.as_ref().unwrap())
            .arg(&new);
        both.exec(connection).unwrap();
    };
    for (round, from) in [(1, EntryPlace::Waiting), (2, EntryPlace::Order)] {
        let queue = orders();
        let searching = found(&store, &queue, "entry", from);
        let change = change.clone();
        let change = move |connection: &mut redis::Connection, n| change(connection, round, n);
        let (hits, _) = while_it_changes(&server, change, searching).await;
        assert_once(&hits, (2..=COUNT).step_by(2));
    }
}

#[tokio::test]
async fn a_member_that_the_order_list_has_twice_is_found_once() {
    let server = Server::start();
    let store = open(&server).await;
    server.fill(&orders(), 600, server.now().plus(60_000), 1);
    // Beside the other one, in the same page, and pages behind it.
    for n in [600, 5] {
        let again = frame(n, format!("entry {n}").as_bytes());
        let key = "redisson_delay_queue:{orders}";
        let mut push = redis::cmd("RPUSH");
        push.arg(key).arg(&again);
        push.exec(&mut server.connection()).unwrap();
    }
    let (hits, _) = found(&store, &orders(), "entry", EntryPlace::Order).await;
    assert_once(&hits, 1..=600);
}

#[tokio::test]
async fn a_search_that_is_dropped_reads_no_further() {
    let server = Server::start();
    let store = open(&server).await;
    server.fill(&orders(), 50_000, server.now().plus(60_000), 1);
    let monitor = server.monitor();
    let mut searching = Box::pin(search(
        &store,
        &orders(),
        filter("entry"),
        (EntryPlace::Waiting, Habit::default()),
    ));
    searching.next().await.unwrap().unwrap();
    drop(searching);
    let pages = || {
        let commands = monitor.commands(&server);
        commands.iter().filter(|words| words[0] == "ZRANGE").count()
    };
    let mut before = usize::MAX;
    until("it to end", || {
        std::mem::replace(&mut before, pages()) == before
    })
    .await;
    assert!(before < 25, "{before} of 50 pages and more");
}

#[tokio::test]
async fn an_error_ends_it_after_what_was_found_before() {
    let mut server = Server::start();
    let store = open(&server).await;
    server.fill(&orders(), 50_000, server.now().plus(60_000), 1);
    let mut searching = Box::pin(search(
        &store,
        &orders(),
        filter("entry"),
        (EntryPlace::Waiting, Habit::default()),
    ));
    assert!(searching.next().await.unwrap().is_ok());
    server.kill();
    let rest: Vec<Result<SearchEvent, StoreError>> = searching.collect().await;
    let (last, found) = rest.split_last().unwrap();
    assert!(last.is_err(), "{last:?}");
    assert!(found.iter().all(Result::is_ok));
    let server = Server::start();
    let store = open(&server).await;
    server.cmd(&["SET", "redisson_delay_queue_timeout:{orders}", "no zset"]);
    let mut searching = Box::pin(search(
        &store,
        &orders(),
        filter("x"),
        (EntryPlace::Waiting, Habit::default()),
    ));
    let error = searching.next().await.unwrap().unwrap_err();
    assert_eq!(error.code(), Some("WRONGTYPE"));
    assert!(searching.next().await.is_none());
}
