//! Choosing entries.

use delayscope::clock::EpochMillis;
use delayscope::ops::entries::{EntryPlace, Selection, entries, peek};
use delayscope::queue::{Entry, Filter, Queue, State};
use delayscope::store::Store;
use futures_util::{StreamExt, TryStreamExt};

use crate::open;
use crate::support::{Server, frame};

async fn read(store: &Store, queue: &Queue, selection: Selection) -> Vec<Entry> {
    entries(store, queue, selection)
        .try_collect()
        .await
        .unwrap()
}

/// The numbers in payloads `entry N`.
pub(crate) fn numbers(entries: &[Entry]) -> Vec<u64> {
    let number = |entry: &Entry| {
        let text = String::from_utf8_lossy(&entry.member).into_owned();
        text.rsplit(' ').next().unwrap().parse().unwrap()
    };
    entries.iter().map(number).collect()
}

#[tokio::test]
async fn all_of_timeouts_come_once_and_in_order() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    server.fill(&queue, 3_000, server.now().plus(-10_500), 1_000);
    let all = read(&store, &queue, Selection::default()).await;
    assert_eq!(numbers(&all), (1..=3_000).collect::<Vec<_>>());
    let late = all
        .iter()
        .filter(|entry| entry.state == State::Late)
        .count();
    assert_eq!((late, all[11].state), (11, State::Waiting));
    let from = EntryPlace::Late;
    let late = read(
        &store,
        &queue,
        Selection {
            from,
            ..Selection::default()
        },
    )
    .await;
    assert_eq!(late.len(), 11);
}

#[tokio::test]
async fn entries_due_at_the_same_moment_all_come() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("burst");
    server.fill(&queue, 2_500, server.now().plus(60_000), 0);
    let all = read(&store, &queue, Selection::default()).await;
    assert_eq!(numbers(&all), (1..=2_500).collect::<Vec<_>>());
}

#[tokio::test]
async fn what_stays_comes_once_while_the_front_is_transferred() {
    for step in [0, 1] {
        let server = Server::start();
        let store = open(&server).await;
        let queue = Queue::redisson("orders");
        server.fill(&queue, 3_000, server.now().plus(60_000), step);
        let key = "redisson_delay_queue_timeout:{orders}";
        let mut all = Vec::new();
        let mut reading = Box::pin(entries(&store, &queue, Selection::default()));
        while let Some(entry) = reading.next().await {
            all.push(entry.unwrap());
            match all.len() {
                // Entries before the place where we are.
                400 => drop(server.cmd(&["ZREMRANGEBYRANK", key, "0", "99"])),
                // The place itself, and what is around it.
                900 => drop(server.cmd(&["ZREMRANGEBYRANK", key, "0", "1199"])),
                _ => {}
            }
        }
        let numbers = numbers(&all);
        assert!(numbers.is_sorted_by(|a, b| a < b), "nothing twice");
        let kept: Vec<u64> = (1_301..=3_000).collect();
        assert!(numbers.ends_with(&kept), "nothing left out");
    }
}

#[tokio::test]
async fn due_times_ids_words_and_a_limit_choose() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    let first = EpochMillis::new(1_900_000_000_000);
    server.fill(&queue, 1_000, first, 1_000);
    let chosen = Selection {
        due_after: Some(first.plus(100_000)),
        due_before: Some(first.plus(105_000)),
        ..Selection::default()
    };
    assert_eq!(
        numbers(&read(&store, &queue, chosen).await),
        [101, 102, 103, 104, 105]
    );
    let chosen = Selection {
        ids: vec!["000000000000000A".to_owned(), "0000000000000014".to_owned()],
        ..Selection::default()
    };
    assert_eq!(numbers(&read(&store, &queue, chosen).await), [10, 20]);
    let chosen = Selection {
        filter: Filter::parse("99 Entry").unwrap(),
        limit: Some(3),
        ..Selection::default()
    };
    // The id of entry 153 ends in 99.
    assert_eq!(numbers(&read(&store, &queue, chosen).await), [99, 153, 199]);
}

#[tokio::test]
async fn lists_are_read_from_their_heads() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    server.fill(&queue, 600, server.now().plus(-500), 1_000);
    server.cmd(&["RPUSH", "redisson_delay_queue:{orders}", "order-only 7"]);
    let from = EntryPlace::Order;
    let order = read(
        &store,
        &queue,
        Selection {
            from,
            ..Selection::default()
        },
    )
    .await;
    assert_eq!(order.len(), 601);
    assert_eq!(
        [order[0].state, order[1].state],
        [State::Late, State::Waiting]
    );
    assert_eq!((order[600].state, order[600].score), (State::Order, None));
    for n in 0..700 {
        server.cmd(&["RPUSH", "orders", &format!("entry {n}")]);
    }
    let from = EntryPlace::Delivered;
    let delivered = read(
        &store,
        &queue,
        Selection {
            from,
            ..Selection::default()
        },
    )
    .await;
    assert_eq!(numbers(&delivered), (0..700).collect::<Vec<_>>());
    assert_eq!(delivered[0].state, State::Delivered);
    let (page, length) = peek(&store, &queue, 698, 5).await.unwrap();
    assert_eq!((page.len(), length), (2, 700));
}

/// What stays of a list while elements leave it and new ones come, a few and many at a time.
#[tokio::test]
async fn what_stays_in_a_list_comes_once_while_its_places_shift() {
    for (from, target) in [
        (EntryPlace::Order, "orders"),
        (EntryPlace::Delivered, "orders"),
        (EntryPlace::Delivered, "zset-list:z,r"),
    ] {
        let server = Server::start();
        let store = open(&server).await;
        let queue: Queue = target.parse().unwrap();
        let keys = queue.keys();
        let list = match from {
            EntryPlace::Order => keys.order.unwrap(),
            _ => keys.target,
        };
        let list = std::str::from_utf8(&list).unwrap();
        let names: Vec<String> = (1..=6_000).map(|n| format!("entry {n}")).collect();
        let mut rpush = vec!["RPUSH", list];
        rpush.extend(names.iter().map(String::as_str));
        server.cmd(&rpush);
        let from_left = target.starts_with("zset-list");
        let mut gone = 0;
        let mut all = Vec::new();
        let selection = Selection {
            from,
            ..Selection::default()
        };
        let mut reading = Box::pin(entries(&store, &queue, selection));
        while let Some(entry) = reading.next().await {
            all.push(entry.unwrap());
            let shift = match all.len() {
                200 => 5,
                400 => 1_000,
                3_000 => 2_500,
                _ => continue,
            };
            if from_left {
                let new = |n| format!("new {}", 1_000_000 * shift + n);
                let new: Vec<String> = (0..shift).map(new).collect();
                let mut lpush = vec!["LPUSH", list];
                lpush.extend(new.iter().map(String::as_str));
                server.cmd(&lpush);
            } else {
                server.cmd(&["LTRIM", list, &shift.to_string(), "-1"]);
                server.cmd(&["RPUSH", list, &format!("new {}", 1_000_000 * shift)]);
                gone += shift;
            }
        }
        let numbers = numbers(&all);
        let unique: std::collections::HashSet<_> = numbers.iter().collect();
        assert_eq!(unique.len(), numbers.len(), "nothing twice in {target}");
        assert!(
            ((gone + 1)..=6_000).all(|n| unique.contains(&n)),
            "{target}"
        );
    }
}

/// The same where pages are smaller than what leaves at once.
#[tokio::test]
async fn what_stays_of_large_elements_comes_once_while_many_leave() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    for n in 1..=400 {
        let large = format!("{} {n}", "x".repeat(30_000));
        server.cmd(&["RPUSH", "orders", &large]);
    }
    let selection = Selection {
        from: EntryPlace::Delivered,
        ..Selection::default()
    };
    let mut reading = Box::pin(entries(&store, &queue, selection));
    let mut all = Vec::new();
    while let Some(entry) = reading.next().await {
        all.push(entry.unwrap());
        if all.len() == 250 {
            server.cmd(&["LTRIM", "orders", "150", "-1"]);
        }
    }
    assert_eq!(numbers(&all), (1..=400).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_place_that_the_layout_lacks_has_no_entries_and_a_wrong_type_is_an_error() {
    let server = Server::start();
    let store = open(&server).await;
    let plain: Queue = "zset-list:z,r".parse().unwrap();
    let from = EntryPlace::Order;
    let none = read(
        &store,
        &plain,
        Selection {
            from,
            ..Selection::default()
        },
    )
    .await;
    assert_eq!(none, []);
    server.cmd(&["SET", "z", "no zset"]);
    let first = Box::pin(entries(&store, &plain, Selection::default()))
        .next()
        .await;
    let error = first.unwrap().unwrap_err();
    assert_eq!(error.code(), Some("WRONGTYPE"));
}

#[tokio::test]
async fn large_entries_come_in_small_pages() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("large");
    let large = vec![b'x'; 100_000];
    for n in 0..120 {
        server.put(&queue, &frame(n, &large), &n.to_string());
    }
    let monitor = server.monitor();
    let all = read(&store, &queue, Selection::default()).await;
    assert_eq!(all.len(), 120);
    let pages = monitor.commands(&server);
    let pages = pages.iter().filter(|words| words[0] == "ZRANGE");
    let widths: Vec<i64> = pages
        .map(|words| words[3].parse::<i64>().unwrap() - words[2].parse::<i64>().unwrap())
        .collect();
    assert!(
        widths.len() > 10 && widths[3..].iter().all(|width| *width <= 13),
        "{widths:?}"
    );
}
