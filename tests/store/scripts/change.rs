//! Changes of chosen entries, where a walk over a few of them would not come to it: what is
//! announced, what is long, what is set aside, what others do at the same time.

use delayscope::clock::EpochMillis;
use delayscope::queue::Queue;
use delayscope::store::StoreError;
use delayscope::store::change::{ChosenEntry, Fate, Head, ListPlace, TakeBack};
use delayscope::store::write::DueCursor;

use crate::scripts::{PAST, orders, plain, writer};
use crate::support::{self, Server};

const ORDER: &str = "redisson_delay_queue:{orders}";
const TIMEOUTS: &str = "redisson_delay_queue_timeout:{orders}";
const ASIDE: &str = "delayscope:aside:{orders}";

/// An entry that [`Server::fill`] made.
fn filled(n: u64) -> ChosenEntry {
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let score = PAST.get() as f64 + (n - 1) as f64;
    ChosenEntry {
        member: support::frame(n, format!("entry {n}").as_bytes()),
        score,
    }
}

fn order(server: &Server) -> Vec<Vec<u8>> {
    server.list(&["LRANGE", ORDER, "0", "-1"])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_deleted_and_put_back_backwards_stands_where_it_stood() {
    // With LPOS and, as before Redis 6.0.6, without.
    for without in [&[][..], &["LPOS"]] {
        let server = Server::without(without);
        let writer = writer(&server).await;
        server.fill(&orders(), 3_000, PAST, 1);
        let before = order(&server);
        let rows = server.cmd(&["ZRANGE", TIMEOUTS, "0", "-1", "WITHSCORES"]);
        let numbers = [1, 2, 3, 700, 701, 2_999, 3_000, 1_500, 1_499, 1_501, 4];
        let chosen = numbers.map(filled);
        let deleted = writer.delete(&orders(), &chosen).await.unwrap().done;
        assert!(deleted.iter().all(|d| d.fate == Fate::Done));
        assert_eq!(deleted[0].stood, Some(ListPlace::Head));
        assert_eq!(deleted[1].stood, Some(ListPlace::Head));
        assert_eq!(
            deleted[4].stood,
            Some(ListPlace::Behind(filled(699).member))
        );
        let back = chosen.into_iter().zip(deleted).rev();
        let back: Vec<_> = back.map(|(c, d)| (c, d.stood.unwrap())).collect();
        let told = writer
            .put_entries_back(&orders(), &back)
            .await
            .unwrap()
            .done;
        assert_eq!(told.fates, [Fate::Done; 11]);
        assert!(order(&server) == before);
        assert_eq!(
            server.cmd(&["ZRANGE", TIMEOUTS, "0", "-1", "WITHSCORES"]),
            rows
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_lpos_a_long_list_is_not_read_to_find_a_place() {
    let server = Server::without(&["LPOS"]);
    let writer = writer(&server).await;
    server.fill(&orders(), 30_000, PAST, 1);
    let chosen = [filled(15_000), filled(3), filled(29_990)];
    let deleted = writer.delete(&orders(), &chosen).await.unwrap().done;
    let stood: Vec<_> = deleted.into_iter().map(|d| d.stood).collect();
    // The first one used up what may be read.
    assert_eq!(
        stood,
        [
            Some(ListPlace::Tail),
            Some(ListPlace::Tail),
            Some(ListPlace::Tail)
        ]
    );
    assert_eq!(server.int(&["LLEN", ORDER]), 29_997);
    let deleted = writer
        .delete(&orders(), &[filled(29_991)])
        .await
        .unwrap()
        .done;
    assert_eq!(
        deleted[0].stood,
        Some(ListPlace::Behind(filled(29_989).member))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_that_brings_the_head_publishes_once_and_what_is_the_head_in_the_end() {
    let server = Server::start();
    let writer = writer(&server).await;
    server.fill(&orders(), 5, PAST, 1);
    let monitor = server.monitor();
    let entries = [(filled(5), 30.0), (filled(4), 20.0), (filled(3), 25.0)];
    let told = writer.requeue(&orders(), &entries).await.unwrap().done;
    assert_eq!(told.head, Head::Announced);
    // Later, or behind the head: nobody needs to look sooner.
    let four = ChosenEntry {
        score: 20.0,
        ..filled(4)
    };
    let later = [(four, 4e12), (filled(2), 40.0)];
    let told = writer.requeue(&orders(), &later).await.unwrap().done;
    assert_eq!((told.head, told.fates), (Head::Behind, vec![Fate::Done; 2]));
    let commands = monitor.commands(&server);
    let published: Vec<_> = commands
        .iter()
        .filter(|words| words[0].eq_ignore_ascii_case("publish"))
        .map(|words| words[2].as_str())
        .collect();
    assert_eq!(published, ["20"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_order_list_that_is_aside_is_drained_into_and_nothing_else_may_add_to_it() {
    let server = Server::start();
    let writer = writer(&server).await;
    let now = PAST.plus(9);
    server.fill(&orders(), 1_000, PAST, 1);
    server.cmd(&["RENAME", ORDER, ASIDE]);
    // Offered since: few stay, more than a few go aside.
    let new = |n: u64| support::frame(5_000 + n, b"new");
    for (offered, stay, aside) in [(64, 64, 1_000), (1, 0, 1_065)] {
        for n in 0..offered {
            server.put(&orders(), &new(n + aside), "4000000000000");
        }
        let done = writer
            .transfer_telling(&orders(), now, 5, &DueCursor::default(), true)
            .await;
        assert_eq!(done.unwrap().done.moved.len(), 5);
        assert_eq!(server.int(&["LLEN", ORDER]), stay);
        assert_eq!(
            server.list(&["LRANGE", ASIDE, "0", "-1"]).len() as u64,
            aside
        );
    }
    assert_eq!(server.list(&["LRANGE", ASIDE, "-1", "-1"]), [new(1_065)]);
    let entry = || (filled(2_000), ListPlace::Tail);
    let taken = TakeBack {
        element: b"entry 1".to_vec(),
        member: filled(1).member,
        score: 5.0,
    };
    let refused = [
        writer
            .put_entries_back(&orders(), &[entry()])
            .await
            .map(drop),
        writer.take_back(&orders(), &[taken]).await.map(drop),
        writer
            .edit(&orders(), &[(filled(500), filled(501).member)])
            .await
            .map(drop),
    ];
    for refused in refused {
        assert_eq!(refused.unwrap_err().code(), Some("ASIDE"));
    }
    assert_eq!(server.int(&["EXISTS", ORDER]), 0);
    assert_eq!(server.int(&["LLEN", "orders"]), 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_frame_that_stands_twice_one_goes_and_the_other_stays() {
    let server = Server::start();
    let writer = writer(&server).await;
    let members =
        |numbers: &[u64]| -> Vec<_> { numbers.iter().map(|n| filled(*n).member).collect() };
    // A list longer than the batch, and ones that are read to their ends.
    for (listed, left) in [
        (&[9, 1, 2, 1, 2, 3, 3][..], &[9, 1, 2, 3][..]),
        (&[3, 1, 1], &[1]),
        (&[9, 1, 1], &[9, 1]),
        (&[1, 1], &[1]),
    ] {
        server.cmd(&["FLUSHALL"]);
        server.fill(&orders(), 4, PAST, 1);
        server.cmd(&["DEL", ORDER]);
        for member in members(listed) {
            server.cmd_bytes(&[b"RPUSH", ORDER.as_bytes(), &member]);
        }
        let chosen = [2, 1, 3, 4].map(filled);
        let told = writer
            .deliver(&orders(), &chosen, false)
            .await
            .unwrap()
            .done;
        assert_eq!(told, [Fate::Done; 4]);
        assert_eq!(order(&server), members(left), "{listed:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_two_deliver_at_once_is_delivered_once() {
    let server = Server::start();
    let (one, other) = (writer(&server).await, writer(&server).await);
    for queue in [orders(), plain("right")] {
        server.fill(&queue, 900, PAST, 1);
        let chosen: Vec<_> = (1..=900).map(filled).collect();
        let mut done = 0;
        for half in chosen.chunks(90) {
            let both = tokio::join!(
                one.deliver(&queue, half, false),
                other.deliver(&queue, half, false)
            );
            for fates in [both.0, both.1] {
                let fates = fates.unwrap().done;
                done += fates.iter().filter(|fate| **fate == Fate::Done).count();
            }
        }
        assert_eq!(done, 900);
        let target = String::from_utf8(queue.keys().target).unwrap();
        assert_eq!(server.int(&["LLEN", &target]), 900);
        server.cmd(&["FLUSHALL"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_score_loses_no_digit_on_its_way() {
    let server = Server::start();
    let writer = writer(&server).await;
    let seconds: Queue = "zset-list:delayed,ready".parse().unwrap();
    for (queue, timeouts) in [(orders(), TIMEOUTS), (seconds, "delayed")] {
        for score in [
            1_700_000_000.123,
            9_007_199_254_740_993.0,
            0.1 + 0.2,
            1e300,
            f64::INFINITY,
            -5.5,
        ] {
            server.cmd(&["FLUSHALL"]);
            let member = support::frame(1, b"x");
            let chosen = ChosenEntry {
                member: member.clone(),
                score,
            };
            let before = [(chosen.clone(), ListPlace::Tail)];
            writer.put_entries_back(&queue, &before).await.unwrap();
            let is = |member: &[u8]| {
                let found = server.cmd_bytes(&[b"ZSCORE", timeouts.as_bytes(), member]);
                let found: f64 = redis::from_redis_value(found).unwrap();
                assert_eq!(found.to_bits(), score.to_bits());
            };
            is(&member);
            let edited = support::frame(2, b"y");
            writer
                .edit(&queue, &[(chosen, edited.clone())])
                .await
                .unwrap();
            is(&edited);
            let chosen = ChosenEntry {
                member: edited.clone(),
                score,
            };
            let told = writer
                .requeue(&queue, &[(chosen, 7.25)])
                .await
                .unwrap()
                .done;
            assert_eq!(told.fates, [Fate::Done]);
            let chosen = ChosenEntry {
                member: edited.clone(),
                score: 7.25,
            };
            writer.requeue(&queue, &[(chosen, score)]).await.unwrap();
            is(&edited);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kick_reaches_all_and_says_how_many_listened_before() {
    let mut server = Server::start();
    let mut connection = server.connection();
    let mut listener = connection.as_pubsub();
    listener
        .subscribe("redisson_delay_queue_channel:{orders}")
        .unwrap();
    let writer_of_all = writer(&server).await;
    assert_eq!(writer_of_all.kick(&orders()).await, Ok(Some(1)));
    let heard: String = listener.get_message().unwrap().get_payload().unwrap();
    assert_eq!(heard, "0");
    let kicked = writer_of_all.kick(&plain("left")).await;
    assert!(
        matches!(kicked, Err(StoreError::Impossible { .. })),
        "{kicked:?}"
    );
    // Who may not count can kick all the same; who may not publish cannot.
    if !server.set_user("deaf", &["-pubsub"]) {
        return;
    }
    server.log_in(Some("deaf"), Some("pw"));
    assert_eq!(writer(&server).await.kick(&orders()).await, Ok(None));
    let heard: String = listener.get_message().unwrap().get_payload().unwrap();
    assert_eq!(heard, "0");
    server.log_in(None, None);
    server.set_user("deaf", &["-publish"]);
    server.log_in(Some("deaf"), Some("pw"));
    let refused = writer(&server).await.kick(&orders()).await.unwrap_err();
    assert_eq!(refused.code(), Some("NOPERM"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_than_one_script_takes_is_not_sent() {
    let server = Server::start();
    let writer = writer(&server).await;
    let chosen = vec![filled(1); 951];
    let refused = writer.delete(&orders(), &chosen).await.unwrap_err();
    assert!(
        matches!(refused, StoreError::Impossible { .. }),
        "{refused}"
    );
    let told = writer.delete(&orders(), &chosen[..950]).await.unwrap().done;
    assert!(told.len() == 950 && told.iter().all(|d| d.fate == Fate::Gone));
    let none = writer.put_elements_back(&orders(), &[]).await.unwrap();
    assert!(none.done.is_empty() && none.ended_us > EpochMillis::new(0).get());
}
