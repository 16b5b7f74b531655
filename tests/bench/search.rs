//! What looking through a million entries for a text takes, and what it costs the server.
//!
//! `cargo bench --bench search`. Needs 2 GB of memory and two minutes. Times are of a private
//! server on this machine; what else runs on it shows in the larger percentiles.

#![expect(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a benchmark that fails shall say where; no figure here has more than 52 bits"
)]

mod common;
#[expect(dead_code, reason = "each program uses a part of it")]
#[path = "../support/mod.rs"]
mod support;

use std::time::Duration;

use common::{Limit, head, row, spread};
use delayscope::clock::instant;
use delayscope::ops::entries::EntryPlace;
use delayscope::ops::search::{SearchEvent, search};
use delayscope::payload::Habit;
use delayscope::queue::{Filter, Queue, SearchProgress};
use delayscope::store::{Access, Store};
use futures_util::StreamExt;
use support::{PATIENCE, Server, Value, frame};
use tokio::sync::mpsc;

const MILLION: u64 = 1_000_000;
/// How often a search is given up.
const TIMES: usize = 20;
/// When a search that was given up must have ended.
const SOON: Duration = Duration::from_millis(50);

fn main() {
    if !common::asked_for() {
        return;
    }
    // One thread, as a machine with one core would have it: what blocks it blocks everything.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(async {
        for (what, payload) in PAYLOADS {
            let server = Server::start();
            let queue = Queue::redisson("orders");
            fill(&server, &queue, payload);
            let store = Store::open(server.endpoint(), Access::ReadOnly);
            store.ready(PATIENCE).await.unwrap();
            measure(&server, &store, &queue, what).await;
        }
    });
}

/// What the payload of entry number N is.
type Payload = fn(u64) -> Vec<u8>;

const PAYLOADS: [(&str, Payload); 2] = [
    ("texts", |n| format!("cancel order {n}").into_bytes()),
    ("JSON of 200 bytes", |n| {
        let class = "com.acme.orders.CancelOrder";
        format!(
            r#"{{"@class":"{class}","orderId":{n},"customer":"customer-{}","reason":"not paid in time","amount":["java.math.BigDecimal",{}.95],"lines":["java.util.ArrayList",[1,2,3]]}}"#,
            n % 5_003,
            n % 997
        )
        .into_bytes()
    }),
];

/// A million entries, due over 26 hours, the first an hour ago.
fn fill(server: &Server, queue: &Queue, payload: Payload) {
    let keys = queue.keys();
    let mut connection = server.connection();
    let first = server.now().plus(-3_600_000).get();
    for from in (0..MILLION).step_by(10_000) {
        let mut zadd = redis::cmd("ZADD");
        let mut rpush = redis::cmd("RPUSH");
        zadd.arg(&keys.timeouts);
        rpush.arg(&keys.order);
        for n in from..from + 10_000 {
            // Neither ids nor places in the order list follow the due times.
            let member = frame(n.wrapping_mul(0x9e37_79b9_7f4a_7c15), &payload(n));
            let place = i64::try_from(n * 7_919_317 % MILLION).unwrap();
            zadd.arg(first + place * 94).arg(&member);
            rpush.arg(member);
        }
        zadd.exec(&mut connection).unwrap();
        rpush.exec(&mut connection).unwrap();
    }
}

async fn measure(server: &Server, store: &Store, queue: &Queue, what: &str) {
    let columns = ["figure", "hits", "looked at"];
    head(&format!("a million {what}"), &columns);
    let first = Limit::Most(0, 0.3);
    let all = Limit::Most(0, 10.0);
    let none = Limit::None;
    for (name, typed, from) in [
        ("one", "777777", EntryPlace::Waiting),
        ("many", "77 order", EntryPlace::Waiting),
        ("a pattern", "re:/[5-7]7{4}\\b/", EntryPlace::Waiting),
        ("what is late", "late order", EntryPlace::Waiting),
        ("one in the order list", "777777", EntryPlace::Order),
    ] {
        let seen = look(store, queue, typed, from).await;
        let counts = [seen.done.matched as f64, seen.done.looked as f64];
        let figures = |s: f64| [s, counts[0], counts[1]];
        let limit = if name == "many" { first } else { none };
        row(
            &format!("{name}: first hits after, s"),
            &figures(seen.first_s),
            limit,
        );
        row(
            &format!("{name}: complete after, s"),
            &figures(seen.done_s),
            all,
        );
    }
    head("  meanwhile, ms", &["p50", "p99", "max"]);
    server.cmd(&["CONFIG", "SET", "slowlog-max-len", "1000000"]);
    server.cmd(&["CONFIG", "SET", "slowlog-log-slower-than", "0"]);
    for (command, from) in [
        ("ZRANGE", EntryPlace::Waiting),
        ("LRANGE", EntryPlace::Order),
    ] {
        server.cmd(&["SLOWLOG", "RESET"]);
        let mut waits = while_looking(store, queue, from).await;
        let mut slices = logged(server, command);
        let name = format!("a slice of {from:?} ({command}) in the server's log");
        row(&name, &spread(&mut slices), Limit::Most(1, 2.0));
        let two = Limit::Most(1, 2.0);
        row("  others in the runtime wait", &spread(&mut waits), two);
    }
    server.cmd(&["CONFIG", "SET", "slowlog-log-slower-than", "-1"]);
    given_up(server, store, queue).await;
}

struct Look {
    first_s: f64,
    done_s: f64,
    done: SearchProgress,
}

async fn look(store: &Store, queue: &Queue, typed: &str, from: EntryPlace) -> Look {
    let filter = Filter::parse(typed).unwrap();
    let started = instant();
    let mut searching = Box::pin(search(store, queue, filter, (from, Habit::default())));
    let mut first_s = f64::NAN;
    loop {
        match searching.next().await.unwrap().unwrap() {
            SearchEvent::Found { entries, .. } if first_s.is_nan() && !entries.is_empty() => {
                first_s = started.elapsed().as_secs_f64();
            }
            SearchEvent::Found { .. } => {}
            SearchEvent::Done(done) => {
                assert!(done.matched > 0, "{typed} is there");
                let done_s = started.elapsed().as_secs_f64();
                return Look {
                    first_s,
                    done_s,
                    done,
                };
            }
        }
    }
}

/// How long those wait who are told something in the same runtime each millisecond, in ms.
async fn while_looking(store: &Store, queue: &Queue, from: EntryPlace) -> Vec<f64> {
    let (tell, mut told) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        while tell.send(instant()).is_ok() {
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    let mut looking = std::pin::pin!(look(store, queue, "777777", from));
    let mut waits = Vec::new();
    loop {
        tokio::select! {
            biased;
            Some(said) = told.recv() => waits.push(said.elapsed().as_secs_f64() * 1e3),
            _ = &mut looking => return waits,
        }
    }
}

/// How long each of these commands took by the server's own log, in ms.
fn logged(server: &Server, command: &str) -> Vec<f64> {
    type Logged = (i64, i64, i64, Vec<Vec<u8>>, Value, Value);
    let log: Vec<Logged> = redis::from_redis_value(server.cmd(&["SLOWLOG", "GET", "-1"])).unwrap();
    let of_it = log
        .iter()
        .filter(|(.., words, _, _)| words[0] == command.as_bytes());
    of_it.map(|(_, _, us, ..)| *us as f64 / 1e3).collect()
}

/// Searches that are given up in the middle.
async fn given_up(server: &Server, store: &Store, queue: &Queue) {
    let (mut given_up, mut after) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        let filter = Filter::parse("no such text").unwrap();
        let mut searching = Box::pin(search(
            store,
            queue,
            filter,
            (EntryPlace::Waiting, Habit::default()),
        ));
        for _ in 0..3 {
            searching.next().await.unwrap().unwrap();
        }
        let dropped = instant();
        drop(searching);
        given_up.push(dropped.elapsed().as_secs_f64() * 1e3);
        tokio::time::sleep(SOON).await;
        let then = reads(server);
        tokio::time::sleep(SOON).await;
        after.push(reads(server) - then);
    }
    head("  given up", &["p50", "p99", "max"]);
    row(
        "dropping it takes, ms",
        &spread(&mut given_up),
        Limit::Most(2, 50.0),
    );
    row(
        "reads later than 50 ms after it",
        &spread(&mut after),
        Limit::Most(2, 0.0),
    );
}

/// How many pages the server has been asked for.
fn reads(server: &Server) -> f64 {
    let info: String = redis::from_redis_value(server.cmd(&["INFO", "commandstats"])).unwrap();
    let line = info
        .lines()
        .find_map(|line| line.strip_prefix("cmdstat_zrange:calls="));
    line.and_then(|rest| rest.split(',').next())
        .unwrap()
        .parse()
        .unwrap()
}
