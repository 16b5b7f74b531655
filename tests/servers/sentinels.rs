//! A master that sentinels watch: found, followed through failovers, and changed amid them.

use std::time::Duration;

use delayscope::clock::instant;
use delayscope::ops::apply::{ChangeEvent, Limits, apply};
use delayscope::queue::{Address, LinkState, Outcome, Queue};
use delayscope::store::{Access, Store, StoreError, watch};
use futures_util::StreamExt as _;

use crate::apply::bench::Bench;
use crate::made::Made;
use crate::sentinel::{DOWN_AFTER, FAILOVER_TIMEOUT, Group};
use crate::support::{PATIENCE, Server, until};

fn address(server: &Server) -> Address {
    Address::Tcp("127.0.0.1".to_owned(), server.port())
}

/// Waits until the link is at `server`, and live there.
async fn leads_to(store: &Store, server: &Server) {
    let wanted = Some(address(server));
    let mut link = store.link();
    let there = link.wait_for(|link| link.leads_to == wanted && link.state == LinkState::Live);
    let came = tokio::time::timeout(PATIENCE, there).await;
    came.expect("it leads there in time").unwrap();
}

#[tokio::test]
async fn the_link_is_where_the_sentinels_say_also_when_they_say_so_later() {
    let mut group = Group::start();
    let store = Store::open(group.endpoint(), Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    leads_to(&store, &group.servers[0]).await;
    // An orderly failover: the old master goes on answering, and is left all the same.
    group.fail_over();
    until("another master", || group.master() != 0).await;
    let next = group.master();
    leads_to(&store, &group.servers[next]).await;
    // A master that dies.
    until("sentinels that agree", || group.is_settled()).await;
    group.servers[next].kill();
    until("a third master", || group.master() != next).await;
    leads_to(&store, &group.servers[group.master()]).await;
}

#[tokio::test]
async fn announcements_are_heard_at_the_new_master() {
    let group = Group::start();
    let store = Store::open(group.endpoint(), Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    let mut heard = Box::pin(watch::announcements(&store));
    let channel = "redisson_delay_queue_channel:{orders}";
    group.fail_over();
    until("another master", || group.master() != 0).await;
    let told = async {
        loop {
            // On a busy machine the sentinels may have made yet another one the master.
            let server = &group.servers[group.master()];
            server.cmd(&["PUBLISH", channel, "5"]);
            let soon = Duration::from_millis(20);
            if let Ok(next) = tokio::time::timeout(soon, heard.next()).await {
                return next.expect("it goes on for ever");
            }
        }
    };
    tokio::time::timeout(PATIENCE, told).await.expect("heard");
}

#[tokio::test]
async fn a_sentinel_that_hangs_or_is_gone_keeps_nobody_waiting() {
    let mut group = Group::start();
    group.sentinels[0].stop();
    group.sentinels.remove(1);
    let mut endpoint = group.endpoint();
    let Address::Sentinel(sentinels) = &mut endpoint.address else {
        panic!("an address of sentinels")
    };
    sentinels.places.insert(0, ("127.0.0.1".to_owned(), 1));
    let began = instant();
    let store = Store::open(endpoint, Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    assert!(instant() - began < Duration::from_secs(1), "nobody waits");
    leads_to(&store, &group.servers[0]).await;
}

#[tokio::test]
async fn other_sentinels_are_found_by_those_that_were_named() {
    let mut group = Group::start();
    let mut endpoint = group.endpoint();
    let Address::Sentinel(sentinels) = &mut endpoint.address else {
        panic!("an address of sentinels")
    };
    sentinels.places.truncate(1);
    let store = Store::open(endpoint, Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    group.sentinels.rotate_left(1);
    group.sentinels.pop();
    group.fail_over();
    until("another master", || group.master() != 0).await;
    leads_to(&store, &group.servers[group.master()]).await;
}

#[tokio::test]
async fn who_cannot_be_led_is_told_why() {
    let group = Group::start_with(Some("sesame"));
    let why = async |change: &dyn Fn(&mut delayscope::queue::Sentinels)| {
        let mut endpoint = group.endpoint();
        let Address::Sentinel(sentinels) = &mut endpoint.address else {
            panic!("an address of sentinels")
        };
        sentinels.password = Some("sesame".to_owned());
        change(sentinels);
        let store = Store::open(endpoint, Access::ReadOnly);
        match store.ready(PATIENCE).await {
            Err(error) => error,
            Ok(_) => panic!("nobody leads there"),
        }
    };
    let has = |error: StoreError, words: &str| {
        let told = error.to_string();
        assert!(told.contains(words), "{told}");
        assert!(!told.contains("sesame") && !told.contains("open"), "{told}");
    };
    let help = "check --sentinel-user and --sentinel-pass (DELAYSCOPE_SENTINEL_AUTH)";
    has(why(&|s| s.password = None).await, help);
    has(why(&|s| s.password = Some("open".into())).await, help);
    let name = why(&|s| s.name = Some("other".into())).await;
    has(name, "watches no master \"other\", but: mymaster");
    let server = ("127.0.0.1".to_owned(), group.servers[0].port());
    let places = vec![server];
    let none = why(&|s| s.places.clone_from(&places)).await;
    has(none, "is no sentinel: use redis://127.0.0.1:");
    let nobody = vec![("127.0.0.1".to_owned(), 1)];
    let none = why(&|s| s.places.clone_from(&nobody)).await;
    has(
        none,
        "no sentinel answers (127.0.0.1:1: Connection refused)",
    );
    let only = Store::open(
        {
            let mut endpoint = group.endpoint();
            let place = ("127.0.0.1".to_owned(), group.sentinels[0].port);
            endpoint.address = Address::Tcp(place.0, place.1);
            endpoint.password = Some("sesame".to_owned());
            endpoint
        },
        Access::ReadOnly,
    );
    let told = only.ready(PATIENCE).await.unwrap_err();
    let url = format!(
        "this is a sentinel: use redis-sentinel://127.0.0.1:{}?sentinelMasterId=mymaster",
        group.sentinels[0].port
    );
    has(told, &url);
}

/// A change at 2,000 a second while sentinels make another server the master; then undone. The longest
/// time between two results.
async fn changed_amid(made: Made, planned: bool) -> Duration {
    let mut group = Group::start();
    let master = std::mem::replace(&mut group.servers[0], Server::start());
    let queue = Queue::redisson("orders");
    let mut bench = Bench::through(master, group.endpoint(), &queue).await;
    let count = 8_000;
    made.fill(&bench.server, &bench.queue, count);
    let mut both = redis::pipe();
    both.cmd("SET").arg("x").arg(1).ignore();
    both.cmd("WAIT").arg(2).arg(20_000);
    let [replicas]: [i64; 1] = both.query(&mut bench.server.connection()).unwrap();
    assert_eq!(replicas, 2);
    let before = bench.contents();
    let (what, which) = made.asked();
    let prepared = bench.plan(what, which).await.unwrap();
    let limits = Limits {
        per_s: Some(2_000.0),
        ..Limits::default()
    };
    // A change that waits for more than another master, or longer for it, has given up a replica.
    let longest = DOWN_AFTER + FAILOVER_TIMEOUT + limits.patience;
    let mut applying = apply(&bench.writer, &bench.journal, prepared, limits);
    let (mut done, mut befell) = (0, false);
    let (mut heard, mut still) = (instant(), Duration::ZERO);
    let hearing = async {
        let mut failed = None;
        loop {
            match applying.next().await.expect("an end") {
                ChangeEvent::Results(some) => {
                    still = still.max(heard.elapsed());
                    heard = instant();
                    done += some.len();
                }
                ChangeEvent::Failed(why) => failed = Some(why),
                ChangeEvent::Ended(summary) => return (summary, failed),
                _ => {}
            }
            if made == Made::Realign && !befell {
                done = made.done_so_far(&before, &bench.contents());
            }
            if !befell && done >= 1_000 {
                befell = true;
                if planned {
                    group.fail_over();
                } else {
                    bench.server.kill();
                }
            }
        }
    };
    let (summary, failed) = tokio::time::timeout(PATIENCE, hearing)
        .await
        .expect("an end");
    assert_eq!(failed, None, "{made:?} {summary:?}");
    // A realign tells of its entries in its end only.
    assert!(
        still < longest || made == Made::Realign,
        "{made:?} {still:?}"
    );
    let unknown = summary.tally.get(Outcome::Unknown);
    assert_eq!(
        summary.tally.get(Outcome::Done) + unknown,
        count,
        "{made:?} {summary:?}"
    );
    assert!(
        unknown == 0 || !planned && made.may_be_unknown(),
        "{made:?} {summary:?}"
    );
    let port = group.port_of_master();
    let next = group
        .servers
        .iter()
        .position(|server| server.has_port(port));
    let next = group.servers.remove(next.expect("a replica took over"));
    let former = std::mem::replace(&mut bench.server, next);
    assert!(
        made.is_done(&before, &bench.contents()),
        "{made:?} {summary:?}"
    );
    if made.can_be_undone() && unknown == 0 {
        let (_, undone) = bench.undo(None).await;
        assert!(undone.summary.tally.all_done(), "{:?}", undone.summary);
        assert!(
            made.is_undone(&before, &bench.contents()),
            "{made:?} undone on the new master"
        );
    }
    drop(former);
    still
}

#[tokio::test]
async fn a_change_is_whole_when_sentinels_move_the_master_amid_it() {
    for made in [Made::Requeue, Made::Transfer, Made::Realign] {
        let still = changed_amid(made, true).await;
        println!("{made:?}: no result for {still:.1?} at most");
    }
}

#[tokio::test]
async fn a_change_is_whole_when_the_master_dies_and_sentinels_name_another() {
    for made in [Made::Requeue, Made::Delete, Made::PutBack] {
        let still = changed_amid(made, false).await;
        println!("{made:?}: no result for {still:.1?} at most");
    }
}

#[tokio::test]
#[ignore = "twelve scenes, FAILOVERS=N times each: cargo test --test servers sentinels::changes -- --ignored --nocapture"]
async fn changes_are_whole_through_many_failovers_of_sentinels() {
    let said = std::env::var("FAILOVERS").ok();
    let times = said.map_or(5, |n| n.parse().expect("FAILOVERS is a number"));
    for planned in [true, false] {
        for made in Made::ALL {
            let mut longest = Duration::ZERO;
            for _ in 0..times {
                longest = longest.max(changed_amid(made, planned).await);
            }
            println!(
                "{made:?}, planned: {planned}: {times} times, every entry once; no result for {longest:.1?} at most"
            );
        }
    }
}
