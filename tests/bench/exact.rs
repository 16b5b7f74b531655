//! What a look at all entries of a queue of a million takes, and what others notice of it.
//!
//! `cargo bench --bench exact`. Needs 1 GB of memory and two minutes. Times are of a private server
//! on this machine; what else runs on it shows in the larger percentiles.

#![expect(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a benchmark that fails shall say where; no figure here has more than 52 bits"
)]

mod common;
#[expect(dead_code, reason = "each program uses a part of it")]
#[path = "../support/mod.rs"]
mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::{Limit, head, row, spread};
use delayscope::clock::instant;
use delayscope::ops::doctor::{ExaminationEvent, examine};
use delayscope::queue::{Exact, Queue};
use delayscope::store::{Access, Store};
use futures_util::StreamExt;
use support::{PATIENCE, Server, frame};

const MILLION: u64 = 1_000_000;

fn main() {
    if !common::asked_for() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(async {
        let server = Server::start();
        let queue = Queue::redisson("orders");
        fill(&server, &queue);
        let store = Store::open(server.endpoint(), Access::ReadOnly);
        store.ready(PATIENCE).await.unwrap();
        head("a million entries", &["p50", "p99", "max"]);
        let idle =
            spread(&mut pings(&server, async { tokio::time::sleep(PATIENCE / 4).await }).await);
        row(
            "another client's PING, nobody looks, ms",
            &idle,
            Limit::None,
        );
        server.cmd(&["CONFIG", "SET", "slowlog-max-len", "1000000"]);
        server.cmd(&["CONFIG", "SET", "slowlog-log-slower-than", "0"]);
        let (memory, begun) = (resident_mb(), instant());
        let mut exact = None;
        let mut waits = pings(&server, async { exact = Some(look(&store, &queue).await) }).await;
        let took = begun.elapsed().as_secs_f64();
        let grown = peak_mb() - memory;
        let exact = exact.unwrap();
        assert_eq!((exact.waiting, exact.order), (MILLION, MILLION));
        assert!(exact.drift.unwrap().is_none());
        row(
            "while somebody does, ms",
            &spread(&mut waits),
            Limit::Most(1, 5.0),
        );
        for command in ["ZSCAN", "LRANGE"] {
            let mut slices = logged(&server, command);
            let name = format!("a slice ({command}) in the server's log, ms");
            row(&name, &spread(&mut slices), Limit::Most(1, 5.0));
        }
        head("in all", &["figure"]);
        row("it takes, s", &[took], Limit::Most(0, 15.0));
        row("memory, MB", &[grown], Limit::Most(0, 100.0));
    });
}

/// A million entries, in an order list that does not follow the due times.
fn fill(server: &Server, queue: &Queue) {
    let keys = queue.keys();
    let mut connection = server.connection();
    let first = server.now().plus(3_600_000).get();
    for from in (0..MILLION).step_by(10_000) {
        let mut zadd = redis::cmd("ZADD");
        let mut rpush = redis::cmd("RPUSH");
        zadd.arg(&keys.timeouts);
        rpush.arg(&keys.order);
        for n in from..from + 10_000 {
            let payload = format!("cancel order {n}");
            let member = frame(n.wrapping_mul(0x9e37_79b9_7f4a_7c15), payload.as_bytes());
            let place = i64::try_from(n * 7_919_317 % MILLION).unwrap();
            zadd.arg(first + place * 94).arg(&member);
            rpush.arg(member);
        }
        zadd.exec(&mut connection).unwrap();
        rpush.exec(&mut connection).unwrap();
    }
}

async fn look(store: &Store, queue: &Queue) -> Exact {
    let mut told = examine(store, queue, 8);
    loop {
        if let ExaminationEvent::Done(exact) = told.next().await.unwrap().unwrap() {
            return *exact;
        }
    }
}

/// How long another client waits for its answers meanwhile, one each millisecond, in ms.
async fn pings(server: &Server, meanwhile: impl Future<Output = ()>) -> Vec<f64> {
    let stop = Arc::new(AtomicBool::new(false));
    let (mut connection, stopped) = (server.connection(), Arc::clone(&stop));
    let pinging = std::thread::spawn(move || {
        let mut waits = Vec::new();
        while !stopped.load(Ordering::Relaxed) {
            let sent = instant();
            redis::cmd("PING").exec(&mut connection).unwrap();
            waits.push(sent.elapsed().as_secs_f64() * 1e3);
            std::thread::sleep(Duration::from_millis(1));
        }
        waits
    });
    meanwhile.await;
    stop.store(true, Ordering::Relaxed);
    pinging.join().unwrap()
}

/// How long each of these commands took by the server's own log, in ms.
fn logged(server: &Server, command: &str) -> Vec<f64> {
    type Logged = (i64, i64, i64, Vec<Vec<u8>>, redis::Value, redis::Value);
    let log = server.cmd(&["SLOWLOG", "GET", "-1"]);
    let log: Vec<Logged> = redis::from_redis_value(log).unwrap();
    let of_it = log
        .iter()
        .filter(|(.., words, _, _)| words[0] == command.as_bytes());
    of_it.map(|(_, _, us, ..)| *us as f64 / 1e3).collect()
}

/// What this process has of the machine's memory now, and had at most, in MB.
fn resident_mb() -> f64 {
    status("VmRSS:")
}

fn peak_mb() -> f64 {
    status("VmHWM:")
}

fn status(field: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let kb: f64 = line
        .and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap();
    kb / 1024.0
}
