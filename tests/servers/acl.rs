//! The rules that `delayscope acl` prints: everything runs under them, and none of them is idle.

mod changes;
mod quarantine;
mod scenes;
mod stage;
mod whole;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use delayscope::queue::acl::{QueueSite, Rules};
use delayscope::queue::{Change, Queue};
use delayscope::store::write::DueCursor;
use delayscope::store::{Access, Store, StoreError};

use futures_util::future::join_all;

use crate::support::{PATIENCE, Server};
use scenes::{READING, SCENES};
use stage::{Stage, log_in};

/// What tests of rules leave out on a server without users.
const NO_USERS: &str = "it knows no users";
/// Before that a server counts no subcommands.
const COUNTS: ((u32, u32), &str) = ((7, 0), "whether what is granted is used too");

/// What is granted although no scene sends it: only a subscription that was silent for ten
/// seconds is asked whether it still lives.
const UNPLAYED: &[&str] = &["ping"];

/// What a script asks for before it begins, though this change would not use it: it serves others,
/// or uses it on older servers only.
const ASKED: &[(Change, &str)] = &[
    (Change::Drift, "zrem"),
    (Change::Persist, "pexpireat"),
    (Change::PutBack, "zadd"),
];

fn redisson() -> Queue {
    Queue::redisson("orders")
}

fn plain(end: &str) -> Queue {
    format!("zset-list:delay,ready,ms,{end}").parse().unwrap()
}

fn granted(changes: &[Change]) -> BTreeSet<&'static str> {
    Rules::of(changes, &[], QueueSite::Db0).commands
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_is_read_under_the_rules_for_reading() {
    let mut used = BTreeSet::new();
    let server = Arc::new(Server::start());
    if !server.is_from((6, 0), NO_USERS) {
        return;
    }
    for queue in [redisson(), plain("left")] {
        for named in [false, true] {
            let stage = Stage::set(&server, &queue, named, &[]).await;
            READING(&stage).await;
            used.extend(stage.was_denied_nothing());
        }
    }
    if !server.is_from(COUNTS.0, COUNTS.1) {
        return;
    }
    let idle = granted(&[]).into_iter();
    let idle: Vec<_> = idle.filter(|command| !used.contains(*command)).collect();
    assert_eq!(idle, UNPLAYED, "granted, and nothing sends it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_change_runs_under_its_own_rules_and_none_of_them_is_idle() {
    let server = Server::start();
    if !server.is_from((6, 0), NO_USERS) {
        return;
    }
    let reading = granted(&[]);
    let queues = [redisson(), plain("left"), plain("right")];
    let played = join_all(queues.map(play)).await;
    if !server.is_from(COUNTS.0, COUNTS.1) {
        return;
    }
    for change in Change::ALL {
        let used = played.iter().filter_map(|used| used.get(&change));
        let used: BTreeSet<_> = used.flatten().collect();
        assert!(!used.is_empty(), "{} is not played", change.word());
        let own = granted(&[change]);
        let idle = own.difference(&reading);
        let idle = idle.filter(|command| !used.contains(&command.to_string()));
        let idle: Vec<_> = idle
            .filter(|command| !ASKED.contains(&(change, command)))
            .collect();
        assert!(idle.is_empty(), "{}: {idle:?}", change.word());
    }
}

/// Plays all scenes with that queue; what each change used.
async fn play(queue: Queue) -> HashMap<Change, BTreeSet<String>> {
    let server = Arc::new(Server::start());
    let mut used: HashMap<Change, BTreeSet<String>> = HashMap::new();
    for (change, scene) in SCENES {
        let stage = Stage::set(&server, &queue, true, &[*change]).await;
        scene(&stage).await;
        let of_change = used.entry(*change).or_default();
        of_change.extend(stage.was_denied_nothing());
    }
    used
}

/// The program with a user of that rule, one command taken away again.
async fn without(server: &Server, rules: &Rules, command: &str) -> Store {
    let mut rules = rules.clone();
    rules.commands.remove(command);
    let mut endpoint = server.endpoint();
    log_in(server, &mut endpoint, &rules);
    let store = Store::open(endpoint, Access::ReadWrite);
    store.ready(PATIENCE).await.unwrap();
    store
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_right_that_is_taken_away_is_missed() {
    let queue = redisson();
    let rules = Rules::of(
        &[Change::Transfer],
        std::slice::from_ref(&queue),
        QueueSite::Db0,
    );
    if !Server::start().is_from((6, 0), NO_USERS) {
        return;
    }
    for command in ["zrem", "rpush", "zrangebyscore", "evalsha"] {
        let server = Server::start();
        let now = server.now();
        server.fill(&queue, 3, now.plus(-60_000), 1);
        let store = without(&server, &rules, command).await;
        let writer = store.writer().unwrap();
        let moved = writer
            .transfer(&queue, now, 10, &DueCursor::default())
            .await;
        let error: StoreError = moved.unwrap_err();
        let refused = matches!(error, StoreError::Refused { .. });
        assert!(refused, "without {command}: {error}");
        let waiting = server.int(&["ZCARD", "redisson_delay_queue_timeout:{orders}"]);
        assert_eq!((waiting, server.int(&["LLEN", "orders"])), (3, 0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_queue_is_not_opened_by_the_rules_of_one() {
    let queue = redisson();
    let server = Arc::new(Server::start());
    if !server.is_from((6, 0), NO_USERS) {
        return;
    }
    let stage = Stage::set(&server, &queue, true, &Change::ALL).await;
    let other = Queue::redisson("others");
    let now = stage.server.now();
    stage.server.fill(&other, 1, now, 1);
    let moved = stage
        .writer()
        .transfer(&other, now, 10, &DueCursor::default())
        .await;
    assert!(moved.is_err());
    assert_eq!(stage.server.int(&["LLEN", "others"]), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_database_needs_a_right_of_its_own() {
    let server = Server::start();
    if !server.is_from((6, 0), NO_USERS) {
        return;
    }
    for (place, opens) in [(QueueSite::OtherDb, true), (QueueSite::Db0, false)] {
        let rules = Rules::of(&[], &[redisson()], place);
        let mut endpoint = server.endpoint();
        log_in(&server, &mut endpoint, &rules);
        endpoint.db = 3;
        let store = Store::open(endpoint, Access::ReadOnly);
        assert_eq!(store.ready(PATIENCE).await.is_ok(), opens);
    }
}
