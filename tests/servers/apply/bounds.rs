//! How long a change keeps the server: what its first script takes, and what it walks past.

use std::time::Duration;

use delayscope::clock::EpochMillis;
use delayscope::ops::apply::Limits;
use delayscope::ops::entries::{From, Selection};
use delayscope::ops::plan::{What, Which};
use delayscope::ops::undo::plan_undo;
use delayscope::queue::plan::{Cost, Way};
use delayscope::queue::{Filter, Outcome, Queue};

use crate::apply::bench::{Bench, Told};
use crate::support::{Server, Value, frame};

/// A long list costs no more to fill than a second.
const ALL: u64 = 20_000;
/// So long that each walk through it takes more than a ms.
const LONG: u64 = 100_000;

/// A queue whose order list stands in no order.
async fn shuffled() -> Bench {
    shuffled_of(ALL).await
}

async fn shuffled_of(count: u64) -> Bench {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    let first = bench.server.now().plus(900_000);
    let due = |n: u64| first.plus(i64::try_from(n * 7_919 % count).unwrap());
    bench.server.fill_with(&bench.queue, count, due);
    bench
}

fn matching(filter: &str) -> Which {
    Which::Selected(Selection {
        filter: Filter::parse(filter).unwrap(),
        from: From::Waiting,
        ..Selection::default()
    })
}

fn within(ms: u64) -> Limits {
    Limits {
        max_block: Duration::from_millis(ms),
        ..Limits::default()
    }
}

/// How often the server ran this command since it was asked to forget.
fn calls(server: &Server, command: &str) -> u64 {
    let Value::BulkString(info) = server.cmd(&["INFO", "commandstats"]) else {
        panic!("INFO is text")
    };
    let info = String::from_utf8(info).unwrap();
    let name = format!("cmdstat_{command}:calls=");
    let mut lines = info.lines().filter_map(|line| line.strip_prefix(&name));
    let calls = lines.next().and_then(|line| line.split(',').next());
    calls.map_or(0, |calls| calls.parse().unwrap())
}

/// The longest block that keeps what a plan promises; a busy machine may let a script wait for its
/// turn, but what is not bounded takes many times as long.
fn most(cost: Cost) -> Duration {
    cost.longest_block.mul_f64(1.5) + Duration::from_millis(100)
}

fn is_kept(cost: Cost, told: &Told) {
    assert!(
        told.summary.longest_block <= most(cost),
        "{cost:?} {:?}",
        told.summary
    );
}

#[tokio::test]
async fn many_edits_deep_in_a_long_list_walk_nowhere_and_their_undo_neither() {
    let bench = shuffled_of(LONG).await;
    let before = bench.contents();
    for max_block in [2, 10] {
        bench.server.cmd(&["CONFIG", "RESETSTAT"]);
        let prepared = bench.plan(What::Repack(None), matching("re:/00$/")).await;
        let prepared = prepared.unwrap().within(Duration::from_millis(max_block));
        let (way, cost) = (prepared.plan.way, prepared.plan.cost);
        assert_eq!((way, prepared.plan.planned), (Way::Sweep, LONG / 100));
        assert!(
            cost.longest_block <= Duration::from_millis(max_block),
            "{cost:?}"
        );
        let told = bench.apply(prepared, within(max_block)).await;
        assert!(told.summary.tally.all_done(), "{:?}", told.failed);
        is_kept(cost, &told);
        let after = bench.contents();
        assert!(after != before, "frames are of another form");
        let undo = plan_undo(&bench.store, &bench.journal, None, false).await;
        let undo = undo.unwrap().within(Duration::from_millis(max_block));
        assert_eq!(undo.plan.way, Way::Sweep);
        let cost = undo.plan.cost;
        let told = bench.apply(undo, within(max_block)).await;
        assert!(told.summary.tally.all_done(), "{:?}", told.failed);
        is_kept(cost, &told);
        assert!(
            bench.contents() == before,
            "members, scores and places are as they were"
        );
        for walk in ["linsert", "lrem", "lpos"] {
            assert_eq!(calls(&bench.server, walk), 0, "{walk}");
        }
    }
}

#[tokio::test]
async fn a_repack_deep_in_a_list_begins_with_as_many_entries_as_may_be_walked_to() {
    let bench = shuffled().await;
    let prepared = bench.plan(What::Repack(None), matching("re:/250$/")).await;
    let prepared = prepared.unwrap().within(Duration::from_millis(2));
    let (plan, cost) = (&prepared.plan, prepared.plan.cost);
    assert!(
        plan.way == Way::InOrder && cost.takes > Duration::from_millis(5),
        "{plan:?}"
    );
    let first = cost.entries_within(Duration::from_millis(2));
    assert!((1..=5).contains(&first), "{cost:?}");
    // Its place is walked to, and then all copies of the old bytes are looked for.
    let monitor = bench.server.monitor();
    let told = bench.apply(prepared, within(2)).await;
    assert!(told.summary.tally.all_done(), "{:?}", told.failed);
    let commands = monitor.commands(&bench.server);
    let mut scripts = commands.split(|words| words[0].eq_ignore_ascii_case("EVALSHA"));
    // Before 7.0 a script tries each command beforehand, in a form that walks nowhere.
    let is_walk =
        |words: &&Vec<String>| words[0].eq_ignore_ascii_case("LINSERT") && words[3].len() > 2;
    let edited = |run: &&[Vec<String>]| run.iter().any(|words| is_walk(&words));
    let walks = |run: &[Vec<String>]| run.iter().filter(is_walk).count();
    assert_eq!(walks(scripts.find(edited).unwrap()), first);
}

#[tokio::test]
async fn a_repair_of_drift_begins_with_as_many_as_may_be_looked_for() {
    let bench = shuffled().await;
    let order = bench.queue.keys().order.unwrap();
    for n in 1..=50 {
        let lacks = bench.member(n);
        bench.server.cmd_bytes(&[b"LREM", &order, b"1", &lacks]);
    }
    let max_block = Duration::from_millis(2);
    let prepared = bench.plan(What::Drift, Which::Due).await;
    let prepared = prepared.unwrap().within(max_block);
    let (plan, cost) = (&prepared.plan, prepared.plan.cost);
    assert_eq!(plan.planned, 50);
    // Each is looked for in the whole list, since others may have appended it.
    let first = u64::try_from(cost.elements_within(max_block)).unwrap();
    assert!((1..=6).contains(&first), "{cost:?}");
    let monitor = bench.server.monitor();
    let told = bench.apply(prepared, within(2)).await;
    assert!(told.summary.tally.all_done(), "{:?}", told.failed);
    let commands = monitor.commands(&bench.server);
    let mut scripts = commands.split(|words| words[0].eq_ignore_ascii_case("EVALSHA"));
    let looks = |run: &[Vec<String>]| {
        let looks = run
            .iter()
            .filter(|words| words[0].eq_ignore_ascii_case("LPOS"));
        looks.count() as u64
    };
    // A server before 6.0.6 cannot look.
    assert!(
        scripts
            .find_map(|run| Some(looks(run)).filter(|n| *n > 0))
            .unwrap_or(0)
            <= first
    );
}

#[tokio::test]
async fn a_single_entry_that_takes_longer_than_a_script_may_is_told() {
    let bench = Bench::new(&Queue::redisson("orders")).await;
    let large = frame(1, &vec![b'x'; 3_000_000]);
    bench.server.put(&bench.queue, &large, "4000000000000");
    let prepared = bench
        .plan(What::Delete, bench.entries_of(&[large]))
        .await
        .unwrap();
    let plan = &prepared.plan;
    assert!(
        plan.cost.longest_block > Duration::from_millis(10),
        "{:?}",
        plan.cost
    );
    let told = plan
        .warnings
        .iter()
        .find(|one| one.contains("A single entry"));
    assert!(told.unwrap().contains("longer than the 10 ms"), "{told:?}");
    assert!(told.unwrap().contains("the largest has 3"), "{told:?}");
}

#[tokio::test]
async fn an_entry_is_looked_for_from_both_ends_whenever_it_falls_due() {
    let bench = shuffled().await;
    let order = bench.contents().order;
    for at in [0, order.len() - 1] {
        let entry = bench.entries_of(&[order[at].clone()]);
        bench.server.cmd(&["CONFIG", "RESETSTAT"]);
        let mut prepared = bench.plan(What::Delete, entry).await.unwrap();
        prepared.plan.way = Way::InOrder;
        let told = bench.apply(prepared, Limits::default()).await;
        assert!(told.summary.tally.all_done(), "{:?}", told.failed);
        // The first reach from each end.
        assert!(calls(&bench.server, "lpos") <= 2);
    }
}

/// Server time that scripts took since it was asked to forget, in µs.
fn scripts_us(server: &Server) -> u64 {
    let Value::BulkString(info) = server.cmd(&["INFO", "commandstats"]) else {
        panic!("INFO is text")
    };
    let info = String::from_utf8(info).unwrap();
    let lines = info.lines();
    let mut lines = lines.filter_map(|line| line.strip_prefix("cmdstat_evalsha:"));
    let spent = lines.next().and_then(|line| line.split("usec=").nth(1));
    let spent = spent.and_then(|us| us.split(',').next());
    spent.map_or(0, |us| us.parse().unwrap())
}

#[tokio::test]
async fn members_that_are_no_frames_are_passed_once_by_a_transfer_however_many_they_are() {
    // Due at moments of their own, and all at the moment at which the good ones are due, too.
    for step in [0, 1] {
        let bench = Bench::new(&Queue::redisson("orders")).await;
        let before = 1_600_000_000_000;
        let score = |n: u64| before + step * i64::try_from(n).unwrap();
        bench.server.put_strange(&bench.queue, 20_000, score);
        bench.fill(10, EpochMillis::new(score(20_000)), 0);
        bench.server.cmd(&["CONFIG", "RESETSTAT"]);
        let (plan, told) = bench.change(What::Transfer, Which::Due).await;
        assert_eq!(plan.planned, 20_010);
        let counts = [Outcome::Done, Outcome::Undecodable].map(|outcome| told.count(outcome));
        assert_eq!(counts, [10, 20_000], "{:?}", told.failed);
        let left = bench.contents();
        assert_eq!((left.target.len(), left.timeouts.len()), (10, 20_000));
        let (calls, us) = (calls(&bench.server, "evalsha"), scripts_us(&bench.server));
        assert!(calls < 100, "{calls} scripts");
        assert!(us < 1_000_000, "{us} µs");
        let longest = told.summary.longest_block;
        assert!(longest < Duration::from_millis(100), "{longest:?}");
    }
}

/// So many bytes has a large member.
const LARGE: usize = 300_000;

/// Puts so many large members behind all others, frames or not.
fn put_large(bench: &Bench, count: u64, score: i64, are_frames: bool) {
    let keys = bench.queue.keys();
    for n in 0..count {
        let member = if are_frames {
            frame(1 << 40 | n, &vec![b'x'; LARGE])
        } else {
            [&n.to_be_bytes()[..], &vec![0; LARGE]].concat()
        };
        let score = (score + i64::try_from(n).unwrap()).to_string();
        let server = &bench.server;
        server.cmd_bytes(&[b"ZADD", &keys.timeouts, score.as_bytes(), &member]);
        if are_frames {
            server.cmd_bytes(&[b"RPUSH", keys.order.as_ref().unwrap(), &member]);
        }
    }
}

#[tokio::test]
async fn large_members_behind_small_ones_keep_the_server_by_their_bytes() {
    let (small, large) = (10_000, 300);
    for are_frames in [false, true] {
        let bench = Bench::new(&Queue::redisson("orders")).await;
        let before = 1_600_000_000_000;
        if are_frames {
            bench.fill(small, EpochMillis::new(before), 1);
        } else {
            let score = |n: u64| before + i64::try_from(n).unwrap();
            bench.server.put_strange(&bench.queue, small, score);
        }
        put_large(&bench, large, before + 100_000, are_frames);
        let prepared = bench.plan(What::Transfer, Which::Due).await.unwrap();
        assert_eq!(prepared.plan.planned, small + large);
        let cost = prepared.plan.cost;
        let single = Duration::from_millis(3);
        assert!(cost.longest_block >= single, "{cost:?}");
        let slower = most(cost).as_micros().to_string();
        let slower = ["CONFIG", "SET", "slowlog-log-slower-than", &slower];
        bench.server.cmd(&slower);
        bench.server.cmd(&["SLOWLOG", "RESET"]);
        let told = bench.apply(prepared, Limits::default()).await;
        let outcome = if are_frames {
            Outcome::Done
        } else {
            Outcome::Undecodable
        };
        assert_eq!(told.count(outcome), small + large);
        let slow = bench.server.cmd(&["SLOWLOG", "LEN"]);
        assert_eq!(slow, Value::Int(0), "{:?}", told.summary);
        is_kept(cost, &told);
    }
}
