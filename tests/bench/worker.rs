//! How late the worker delivers, and how fast it clears a backlog, beside Redisson's own commands.
//!
//! `cargo bench --bench worker`. Everything runs on this machine: a private server, a client that
//! offers, the worker, and a consumer that waits in BLPOP.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that fails shall say where; its output is its purpose"
)]

#[expect(dead_code, reason = "each program uses a part of it")]
#[path = "../support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use delayscope::clock::{EpochMillis, instant};
use delayscope::ops::consumer::{ConsumeOptions, consume};
use delayscope::ops::offer::offer;
use delayscope::ops::worker::{WorkerEvent, WorkerOptions, work};
use delayscope::queue::{Form, Queue};
use delayscope::store::{Access, Store};
use futures_util::StreamExt;
use support::{PATIENCE, Server};

const ENTRIES: u64 = 1_000;
const EVERY: Duration = Duration::from_millis(20);
const BACKLOG: u64 = 100_000;
const PAST: EpochMillis = EpochMillis::new(1_600_000_000_000);

/// What Redisson's transfer does to the server, in its own order: of up to 100 due entries each
/// is unpacked, pushed and taken out of the order list by itself.
const THEIR_COMMANDS: &str = "
local due = redis.call('zrangebyscore', KEYS[2], 0, ARGV[1], 'limit', 0, ARGV[2])
for _, member in ipairs(due) do
  local _, payload = struct.unpack('Bc0Lc0', member)
  redis.call('rpush', KEYS[1], payload)
  redis.call('lrem', KEYS[3], 1, member)
end
if #due > 0 then redis.call('zrem', KEYS[2], unpack(due)) end
return redis.call('zrange', KEYS[2], 0, 0, 'WITHSCORES')[2]";

#[tokio::main]
async fn main() {
    // `cargo test` builds benchmarks and runs them with other arguments.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    lateness().await;
    backlog().await;
}

async fn open(server: &Server) -> Store {
    let store = Store::open(server.endpoint(), Access::ReadWrite);
    store.ready(PATIENCE).await.unwrap();
    store
}

async fn lateness() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("late");
    let writer = store.writer().unwrap();
    let mut events = work(
        &store,
        writer.clone(),
        queue.clone(),
        WorkerOptions::default(),
    );
    while events.next().await != Some(WorkerEvent::Listening) {}
    let offering = {
        let (writer, queue, store) = (store.writer().unwrap(), queue.clone(), store.clone());
        tokio::spawn(async move {
            let mut tick = tokio::time::interval(EVERY);
            for n in 0..ENTRIES {
                tick.tick().await;
                // Delays of 0.3 to 3.3 s, in no order.
                let delay = 300 + i64::try_from(n * 7_919 % 3_000).unwrap();
                let due = store.clock().unwrap().now().plus(delay);
                let payload = [due.get().to_string().into_bytes()];
                offer(&writer, &queue, &payload, due, Form::ByteId)
                    .await
                    .unwrap();
            }
        })
    };
    let options = ConsumeOptions {
        count: Some(ENTRIES),
        timeout: Some(PATIENCE),
    };
    let arrived: Vec<i64> = consume(&writer, &queue, options)
        .map(|taken| {
            let taken = taken.unwrap();
            let due: i64 = String::from_utf8(taken.element).unwrap().parse().unwrap();
            taken.at.get() - due
        })
        .collect()
        .await;
    offering.await.unwrap();
    let mut moved = 0;
    let mut delivered = Vec::new();
    while moved < arrived.len() {
        if let Some(WorkerEvent::Batch(batch)) = events.next().await {
            moved += batch.moved;
            delivered.push(batch.lateness_ms().unwrap().max);
        }
    }
    delivered.sort_by(f64::total_cmp);
    let mut arrived: Vec<f64> = arrived
        .into_iter()
        .map(|ms| f64::from(i32::try_from(ms).unwrap()))
        .collect();
    arrived.sort_by(f64::total_cmp);
    println!("lateness of {moved} entries at 50/s, ms        p50     p99     max");
    row("  in target, by the server's clock  ", &delivered);
    row("  at a waiting consumer (whole ms)  ", &arrived);
}

fn row(name: &str, sorted: &[f64]) {
    let at = |part: usize| sorted[(sorted.len() * part / 100).min(sorted.len() - 1)];
    println!("{name}       {:7.2} {:7.2} {:7.2}", at(50), at(99), at(100));
}

async fn backlog() {
    let server = Server::start();
    let store = open(&server).await;
    println!("backlog of {BACKLOG} in due order        entries/s   longest script, ms");
    for _ in 0..3 {
        let (took, longest) = theirs(&server);
        rate("  Redisson's commands, 100 a script ", took, longest);
        for batch in [100, 250, 500, 1_000] {
            let (took, longest) = ours(&server, &store, batch).await;
            rate(
                &format!("  the worker, up to {batch:5} a script  "),
                took,
                longest,
            );
        }
    }
}

fn rate(name: &str, took: Duration, longest: Duration) {
    let entries = f64::from(u32::try_from(BACKLOG).unwrap());
    let rate = entries / took.as_secs_f64();
    println!("{name} {rate:10.0}   {:10.2}", longest.as_secs_f64() * 1e3);
}

fn filled(server: &Server) -> Queue {
    server.cmd(&["FLUSHALL"]);
    let queue = Queue::redisson("backlog");
    server.fill(&queue, BACKLOG, PAST, 1);
    queue
}

async fn ours(server: &Server, store: &Store, batch: u32) -> (Duration, Duration) {
    let queue = filled(server);
    let options = WorkerOptions {
        batch,
        until_empty: true,
        ..WorkerOptions::default()
    };
    let started: Instant = instant();
    let mut events = work(store, store.writer().unwrap(), queue, options);
    let (mut moved, mut longest) = (0, Duration::ZERO);
    while let Some(event) = events.next().await {
        if let WorkerEvent::Batch(batch) = event {
            moved += batch.moved;
            longest = longest.max(batch.took);
        }
    }
    assert_eq!(u64::try_from(moved).unwrap(), BACKLOG);
    (started.elapsed(), longest)
}

fn theirs(server: &Server) -> (Duration, Duration) {
    let keys = filled(server).keys();
    let script = redis::Script::new(THEIR_COMMANDS);
    let mut connection = server.connection();
    let started = instant();
    let mut longest = Duration::ZERO;
    loop {
        let asked = instant();
        let head: Option<String> = script
            .key(&keys.target)
            .key(&keys.timeouts)
            .key(&keys.order)
            .arg(4_000_000_000_000_i64)
            .arg(100)
            .invoke(&mut connection)
            .unwrap();
        longest = longest.max(asked.elapsed());
        if head.is_none() {
            return (started.elapsed(), longest);
        }
    }
}
