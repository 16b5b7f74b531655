//! Pages of the order list, of target and of quarantine.

use delayscope::ops::refresh;
use delayscope::queue::{List, ListPage, ListScore, Queue};
use delayscope::store::Store;

use crate::open;
use crate::support::{Server, frame};

const ORDER: &str = "redisson_delay_queue:{orders}";
const TIMEOUTS: &str = "redisson_delay_queue_timeout:{orders}";

async fn page(store: &Store, list: List, first: u64, count: u32) -> ListPage {
    refresh::list(store, &Queue::redisson("orders"), list, first, count)
        .await
        .unwrap()
}

fn scores(page: &ListPage) -> Vec<ListScore> {
    page.rows.iter().map(|row| row.score.clone()).collect()
}

fn untold(score: &ListScore) -> &str {
    match score {
        ListScore::Untold(why) => why,
        other => panic!("{other:?} should not be known"),
    }
}

#[tokio::test]
async fn the_order_list_says_of_each_row_what_timeouts_says() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    for n in 1..=6_u64 {
        server.put(&queue, &frame(n, b"x"), &(n * 100).to_string());
    }
    server.cmd_bytes(&[b"ZREM", TIMEOUTS.as_bytes(), &frame(4, b"x")]);
    server.cmd_bytes(&[b"RPUSH", ORDER.as_bytes(), b"\x00no frame\xff"]);
    let seen = page(&store, List::Order, 2, 3).await;
    assert_eq!((seen.first, seen.len), (2, 7));
    let is = ListScore::Is;
    assert_eq!(scores(&seen), [is(300.0), ListScore::Drift, is(500.0)]);
    assert_eq!(seen.rows[1].element, frame(4, b"x"));
    // The last page is short, one behind the end empty.
    let last = page(&store, List::Order, 5, 40).await;
    assert_eq!(scores(&last), [is(600.0), ListScore::Drift]);
    assert_eq!(last.rows[1].element, b"\x00no frame\xff");
    assert_eq!(
        (last.rows[0].score.get(), last.rows[1].score.get()),
        (Some(600.0), None)
    );
    for (first, count) in [(7, 5), (u64::MAX, 5), (0, 0), (3, 0)] {
        let none = page(&store, List::Order, first, count).await;
        assert_eq!((none.rows, none.len), (Vec::new(), 7), "{first} {count}");
    }
}

#[tokio::test]
async fn a_page_that_fills_the_server_by_being_asked_for_is_read_all_the_same() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    let large = vec![b'x'; 400_000];
    for n in 1..=8_u64 {
        server.put(&queue, &frame(n, &large), "100");
    }
    // Its members are a part of the question after their scores.
    let most = (server.used_memory() + 1_500_000).to_string();
    server.cmd(&["CONFIG", "SET", "maxmemory", &most]);
    let seen = page(&store, List::Order, 0, 8).await;
    assert_eq!(scores(&seen), vec![ListScore::Is(100.0); 8]);
}

#[tokio::test]
async fn target_has_elements_and_no_scores() {
    let server = Server::start();
    let store = open(&server).await;
    let empty = page(&store, List::Target, 0, 10).await;
    assert_eq!(empty, ListPage::default());
    server.cmd(&["RPUSH", "orders", "a", "b", "c"]);
    let seen = page(&store, List::Target, 1, 10).await;
    assert_eq!((seen.first, seen.len), (1, 3));
    let rows: Vec<_> = seen
        .rows
        .into_iter()
        .map(|r| (r.element, r.score))
        .collect();
    let none = |element: &str| (element.as_bytes().to_vec(), ListScore::None);
    assert_eq!(rows, [none("b"), none("c")]);
}

#[tokio::test]
async fn an_entry_that_is_transferred_meanwhile_is_no_drift() {
    const ENTRIES: u64 = 4_000;
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    server.fill(&queue, ENTRIES, server.now(), 1);
    let mut other = server.connection();
    let transferring = std::thread::spawn(move || {
        for n in 1..=ENTRIES {
            let member = frame(n, format!("entry {n}").as_bytes());
            let mut moving = redis::pipe();
            moving.atomic();
            moving.cmd("ZREM").arg(TIMEOUTS).arg(&member).ignore();
            moving.cmd("LREM").arg(ORDER).arg(1).arg(&member).ignore();
            moving.exec(&mut other).unwrap();
        }
    });
    let mut moved = 0;
    loop {
        let seen = page(&store, List::Order, 0, 50).await;
        for row in &seen.rows {
            assert_ne!(row.score, ListScore::Drift);
            moved += usize::from(matches!(row.score, ListScore::Untold(_)));
        }
        if seen.len == 0 {
            break;
        }
    }
    transferring.join().unwrap();
    assert!(
        moved > 0,
        "nothing moved between the two reads: this test shows nothing"
    );
}

#[tokio::test]
async fn what_cannot_be_read_says_so() {
    let mut server = Server::start();
    let store = open(&server).await;
    server.put(&Queue::redisson("orders"), &frame(1, b"x"), "5");
    // A layout without an order list.
    let plain: Queue = "zset-list:z,r".parse().unwrap();
    let error = refresh::list(&store, &plain, List::Order, 0, 5).await;
    let words = error.unwrap_err().to_string();
    assert!(words.contains("a zset-list queue has none"), "{words}");
    // Timeouts of another type: the elements are there, their scores are not.
    server.cmd(&["DEL", TIMEOUTS]);
    server.cmd(&["SET", TIMEOUTS, "no zset"]);
    let seen = page(&store, List::Order, 0, 5).await;
    assert!(untold(&seen.rows[0].score).starts_with("WRONGTYPE"));
    // A list of another type.
    server.cmd(&["SET", "orders", "no list"]);
    let error = refresh::list(&store, &Queue::redisson("orders"), List::Target, 0, 5).await;
    assert_eq!(error.unwrap_err().code(), Some("WRONGTYPE"));
    // Commands that the server does not let us use.
    server.cmd(&["DEL", "orders", TIMEOUTS]);
    server.cmd(&["ZADD", TIMEOUTS, "5", "x"]);
    if !server.set_user("guest", &["-zscore"]) {
        return;
    }
    server.log_in(Some("guest"), Some("pw"));
    let store = open(&server).await;
    let seen = page(&store, List::Order, 0, 5).await;
    assert!(untold(&seen.rows[0].score).starts_with("NOPERM"));
    server.log_in(None, None);
    server.set_user("guest", &["-lrange"]);
    let error = refresh::list(&store, &Queue::redisson("orders"), List::Order, 0, 5).await;
    assert_eq!(error.unwrap_err().code(), Some("NOPERM"));
}

#[tokio::test]
async fn rows_of_a_megabyte_are_looked_up_as_far_as_is_reasonable() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    let large = vec![b'x'; 1_000_000];
    for n in 1..=6 {
        server.put(&queue, &frame(n, &large), "100");
    }
    let seen = page(&store, List::Order, 0, 6).await;
    let known = seen.rows.iter().filter_map(|row| row.score.get());
    assert_eq!((seen.rows.len(), known.count()), (6, 4));
    assert!(untold(&seen.rows[5].score).contains("too large"));
}

#[tokio::test]
async fn a_page_of_the_order_list_is_two_transactions_while_nothing_drifts() {
    let server = Server::start();
    let store = open(&server).await;
    server.fill(&Queue::redisson("orders"), 100, server.now(), 1_000);
    let monitor = server.monitor();
    page(&store, List::Order, 10, 20).await;
    let commands = monitor.commands(&server);
    let count = |word: &str| {
        commands
            .iter()
            .filter(|c| c[0].eq_ignore_ascii_case(word))
            .count()
    };
    assert_eq!(
        (count("LRANGE"), count("ZSCORE"), count("EXEC")),
        (1, 20, 2)
    );
}

#[tokio::test]
async fn quarantine_is_read_by_rank_with_its_own_scores() {
    let server = Server::start();
    let store = open(&server).await;
    let key = "delayscope:quarantine:{orders}";
    let empty = page(&store, List::Quarantine, 0, 10).await;
    assert_eq!((empty.rows.len(), empty.len), (0, 0));
    for score in ["7", "1e17", "-3", "5"] {
        server.cmd(&["ZADD", key, score, &format!("entry {score}")]);
    }
    let seen = page(&store, List::Quarantine, 1, 2).await;
    assert_eq!((seen.first, seen.len), (1, 4));
    assert_eq!(scores(&seen), [ListScore::Is(5.0), ListScore::Is(7.0)]);
    assert_eq!(seen.rows[0].element, b"entry 5");
    let last = page(&store, List::Quarantine, 3, 40).await;
    assert_eq!(scores(&last), [ListScore::Is(1e17)]);
    server.cmd(&["DEL", key]);
    server.cmd(&["SET", key, "no zset"]);
    let orders = Queue::redisson("orders");
    let error = refresh::list(&store, &orders, List::Quarantine, 0, 5).await;
    assert_eq!(error.unwrap_err().code(), Some("WRONGTYPE"));
}
