//! What watching costs: no command that is sent while watching grows with the queue.

use std::collections::BTreeSet;

use delayscope::ops::discover::discover_with;
use delayscope::ops::memory::Memory;
use delayscope::ops::refresh;
use delayscope::queue::{Optional, PageAsk, Queue, Zoom};
use delayscope::store::{Access, Store, watch};
use futures_util::StreamExt;

use crate::support::{PATIENCE, Server, until};

/// The rows that a page asks for.
const ROWS: i64 = 40;

/// Everything that is sent while watching, as the server saw it, without what differs by time.
async fn watched(entries: u64) -> (BTreeSet<String>, u64) {
    let server = Server::start();
    let queue = Queue::redisson("orders");
    server.fill(&queue, entries, server.now().plus(-60_000), 1_000);
    let others: Vec<Queue> = (0..5).map(|n| Queue::redisson(format!("q{n}"))).collect();
    for queue in &others {
        server.put(queue, b"x", "5");
    }
    let monitor = server.monitor();
    let store = Store::open(server.endpoint(), Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    let announcements = watch::announcements(&store);
    let heard = tokio::spawn(announcements.collect::<Vec<_>>());
    let found = discover_with(&store, others.clone(), Memory::none());
    found.collect::<Vec<_>>().await;
    let before = store.link().borrow().cost;
    for first in [0, 5, 100_000] {
        let page = Some(PageAsk {
            first,
            count: u32::try_from(ROWS).unwrap(),
        });
        refresh::pulse(&store, &queue, page).await.unwrap();
        refresh::pulses(&store, &others).await.unwrap();
    }
    for zoom in Zoom::ALL {
        refresh::survey(&store, &queue, Some(zoom), None)
            .await
            .unwrap();
    }
    let after = store.link().borrow().cost;
    until("the subscription", || {
        server.int(&["PUBSUB", "NUMPAT"]) == 1
    })
    .await;
    until("the first looks", || store.link().borrow().facts.is_some()).await;
    heard.abort();
    assert_eq!(store.why_refused(Optional::Scan), None);
    let lines = monitor.commands(&server);
    let ours = lines
        .iter()
        .filter(|words| words[0] != "PUBSUB" || words[1] != "NUMPAT");
    (
        ours.map(|words| form(words)).collect(),
        after.commands - before.commands,
    )
}

/// A command without its key and times; panics when nothing bounds what it brings.
fn form(words: &[String]) -> String {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let number = |i: usize| words[i].parse::<i64>().unwrap();
    match words.as_slice() {
        ["MULTI" | "EXEC" | "TIME" | "DBSIZE"] => words[0].to_owned(),
        ["ZCARD" | "LLEN" | "HLEN" | "TYPE" | "PTTL", _] => format!("{} KEY", words[0]),
        ["ZCOUNT", _, _, _] => "ZCOUNT KEY FROM TO".to_owned(),
        ["ZRANGE", _, _, _, "WITHSCORES"] => {
            assert!(number(2) >= 0 && number(3) - number(2) < ROWS, "{words:?}");
            "ZRANGE KEY FIRST LAST".to_owned()
        }
        ["ZRANGEBYSCORE", _, _, _, "WITHSCORES", "LIMIT", "0", "1"] => {
            "ZRANGEBYSCORE KEY FROM TO LIMIT 0 1".to_owned()
        }
        ["ZREVRANGEBYSCORE", _, _, _, "WITHSCORES", "LIMIT", "0", "1"] => {
            "ZREVRANGEBYSCORE KEY TO FROM LIMIT 0 1".to_owned()
        }
        ["PUBSUB", "NUMSUB", _] => "PUBSUB NUMSUB CHANNEL".to_owned(),
        ["PUBSUB", "CHANNELS", _] | ["PSUBSCRIBE", _] => words[..words.len() - 1].join(" "),
        ["SCAN", _, "MATCH", _, "COUNT", _] => {
            assert!(number(5) <= 10_000, "{words:?}");
            "SCAN".to_owned()
        }
        // Once, on connecting.
        ["CLIENT", "SETNAME", "delayscope"]
        | ["CLIENT", "LIST", "TYPE", "master"]
        | ["SCAN", "0", "COUNT", "1"]
        | ["INFO", "server" | "replication" | "cluster"]
        | ["SCRIPT", "EXISTS", _]
        | ["CONFIG", "GET", "maxmemory-policy"]
        | ["MEMORY", "USAGE", "delayscope:probe"]
        | ["EXISTS", "delayscope:probe"] => "on connecting".to_owned(),
        _ => panic!("nothing bounds {words:?}"),
    }
}

#[tokio::test]
async fn no_command_sent_while_watching_grows_with_the_queue() {
    let (small, commands) = watched(10).await;
    let (large, as_many) = watched(10_000).await;
    assert_eq!(small, large);
    assert!(
        commands.abs_diff(as_many) <= 2,
        "but for a look at the clock: {commands} {as_many}"
    );
}
