//! What a survey and a sample see beyond the first rows.

use delayscope::ops::refresh;
use delayscope::queue::frames::Place;
use delayscope::queue::{FramesAsk, Known, Queue};

use crate::open;
use crate::support::Server;

#[tokio::test]
async fn a_survey_counts_what_makes_sense_in_microseconds_only_and_no_never() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    let day = 86_400_000;
    // The year 9999, and as far as a Java calendar and a double reach.
    for (i, never) in ["253402300799000", "9007199254740991", "3e16"]
        .iter()
        .enumerate()
    {
        server.put(&queue, format!("never{i}").as_bytes(), never);
    }
    for (i, ms) in [-400 * day, -day, day, 2 * day, 400 * day]
        .into_iter()
        .enumerate()
    {
        let micros = server.now().plus(ms).get() * 1_000;
        server.put(&queue, format!("micros{i}").as_bytes(), &micros.to_string());
    }
    let seen = refresh::survey(&store, &queue, None, None).await.unwrap();
    assert_eq!((seen.micros, seen.no_time), ([2, 3], 0));
    let plain: Queue = "zset-list:z,r".parse().unwrap();
    let micros = (server.now().plus(day).get() * 1_000).to_string();
    server.cmd(&["ZADD", "z", &micros, "m"]);
    let seen = refresh::survey(&store, &plain, None, None).await.unwrap();
    assert_eq!((seen.micros, seen.no_time), ([0, 0], 1));
}

#[tokio::test]
async fn of_a_backlog_those_further_down_are_looked_for_in_the_order_list() {
    let server = Server::start();
    if !server.is_from((6, 0), "it has no LPOS") {
        return;
    }
    let store = open(&server).await;
    let ask = FramesAsk {
        count: 10,
        long: 8,
        seek: true,
    };
    let seen = async |name: &str, due_ms: i64| {
        let queue = Queue::redisson(name);
        let last = server.now().plus(due_ms);
        // The first that are due stand last.
        let due = |n: u64| last.plus(-i64::try_from(n).unwrap());
        server.fill_with(&queue, 1_200, due);
        let depth = refresh::frames(&store, &queue, ask).await.unwrap().depth;
        let Known::Is(found) = depth else {
            panic!("{depth:?}")
        };
        found
            .into_iter()
            .map(|(_, place)| place)
            .collect::<Vec<_>>()
    };
    // The first are moved before anybody has looked for them.
    assert_eq!(seen("late", -60_000).await, [699, 698, 697].map(Place::At));
    assert_eq!(seen("early", 60_000).await, [Place::Beyond(1_000); 3]);
}
