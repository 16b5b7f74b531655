//! What looking at a queue costs the server: pulse, survey, discovery.
//!
//! `cargo bench --bench reading [-- queue | discovery]`. Needs 2 GB of memory and two minutes.
//! Times are of a private server on this machine; what else runs on it shows in the larger
//! percentiles.

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
use delayscope::ops::discover::{DiscoveryEvent, discover_with};
use delayscope::ops::memory::Memory;
use delayscope::ops::refresh::{pulse, survey};
use delayscope::queue::{PageAsk, Queue, Zoom};
use delayscope::store::{Access, Store};
use futures_util::StreamExt;
use support::{PATIENCE, Server, Value, frame};

const MILLION: u64 = 1_000_000;
const PULSES: u64 = 500;
const ROWS: u32 = 40;
const SURVEYS: usize = 30;
const QUEUES: u64 = 20;
/// The first part of a search, in which it may take more of the server's time.
const BRISK: Duration = Duration::from_secs(3);
/// Two strings of 512 MB, which the server reads to get everything else out of its caches.
const BALLAST: [&str; 2] = ["ballast:1", "ballast:2"];

#[tokio::main]
async fn main() {
    if !common::asked_for() {
        return;
    }
    if wanted("queue") {
        queue_of_any_size().await;
    }
    if wanted("discovery") {
        discovery().await;
    }
}

/// Whether this part was asked for by name, or none was.
fn wanted(part: &str) -> bool {
    let args = std::env::args().skip(1);
    let names: Vec<String> = args.filter(|arg| !arg.starts_with('-')).collect();
    names.is_empty() || names.iter().any(|name| name == part)
}

async fn queue_of_any_size() {
    for entries in [1_000, MILLION] {
        let server = Server::start();
        let queue = filled(&server, entries);
        let store = open(&server).await;
        pulses(&server, &store, &queue, entries).await;
        if entries == MILLION {
            surveys(&server, &store, &queue).await;
        }
    }
}

async fn open(server: &Server) -> Store {
    let store = Store::open(server.endpoint(), Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    store
}

/// A queue whose due times lie between an hour ago and 25 hours from now, evenly.
fn filled(server: &Server, entries: u64) -> Queue {
    let queue = Queue::redisson("orders");
    let step = i64::try_from(26 * 3_600_000 / entries).unwrap();
    server.fill(&queue, entries, server.now().plus(-3_600_000), step);
    queue
}

fn ms(us: u64) -> f64 {
    us as f64 / 1e3
}

/// What the pulse says that it cost, and what the server says: of EXEC, and of all its CPU.
async fn pulses(server: &Server, store: &Store, queue: &Queue, entries: u64) {
    head(
        &format!("pulse of {entries} entries, {ROWS} rows, ms"),
        &["p50", "p99", "max"],
    );
    let anywhere = |n: u64| n * 7_919_317 % (entries - u64::from(ROWS));
    let head_of = |_: u64| 0;
    let places: [(&str, &dyn Fn(u64) -> u64); 2] = [
        ("first rows, by its own account", &head_of),
        ("rows anywhere, by its own account", &anywhere),
    ];
    for (name, first) in places {
        let (before, mut own) = (Spent::of(server), Vec::new());
        for n in 0..PULSES {
            let page = PageAsk {
                first: first(n),
                count: ROWS,
            };
            let seen = pulse(store, queue, Some(page)).await.unwrap();
            assert_eq!(seen.waiting.get(), Some(entries));
            assert_eq!(
                seen.page.unwrap().rows.len(),
                usize::try_from(ROWS).unwrap()
            );
            own.push(ms(seen.server_us));
        }
        let spent = Spent::of(server).since(before);
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        row(name, &spread(&mut own), Limit::Most(1, 0.3));
        row("  its own account, mean", &[mean], Limit::Most(0, 0.3));
        row(
            "  EXEC in the server's INFO commandstats, mean",
            &[spent.exec / PULSES as f64],
            Limit::Most(0, 0.3),
        );
        row(
            "  all CPU of the server, mean",
            &[spent.cpu / PULSES as f64],
            Limit::Most(0, 0.3),
        );
    }
    let mut own = Vec::new();
    if entries == MILLION {
        load_ballast(server);
        for n in 0..u64::try_from(SURVEYS).unwrap() {
            empty_caches(server);
            let page = PageAsk {
                first: anywhere(n),
                count: ROWS,
            };
            own.push(ms(pulse(store, queue, Some(page)).await.unwrap().server_us));
        }
        let figures = spread(&mut own);
        row("rows anywhere, cold caches", &figures, Limit::None);
    }
}

async fn surveys(server: &Server, store: &Store, queue: &Queue) {
    head("survey of 1000000 entries, ms", &["p50", "p99", "max"]);
    for zoom in Zoom::ALL {
        for cold in [false, true] {
            let mut own = Vec::new();
            let before = Spent::of(server);
            for _ in 0..SURVEYS {
                if cold {
                    empty_caches(server);
                }
                let seen = survey(store, queue, Some(zoom), None).await.unwrap();
                assert!(seen.bars.iter().any(|bar| bar.count > 0));
                own.push(ms(seen.server_us));
            }
            let spent = Spent::of(server).since(before);
            let caches = if cold { "cold" } else { "warm" };
            let name = format!("{} zoom, {caches} caches", zoom.label());
            row(&name, &spread(&mut own), Limit::Most(2, 10.0));
            row(
                "  EXEC in the server's INFO commandstats, mean",
                &[spent.exec / SURVEYS as f64],
                Limit::Most(0, 10.0),
            );
        }
    }
}

fn load_ballast(server: &Server) {
    for key in BALLAST {
        server.cmd(&["SETBIT", key, "4294967295", "1"]);
    }
}

fn empty_caches(server: &Server) {
    for key in BALLAST {
        assert_eq!(server.int(&["BITCOUNT", key]), 1);
    }
}

/// Queues among a million keys of other kinds, found by a search that remembers nothing.
async fn discovery() {
    let server = crowded();
    let store = open(&server).await;
    let (mut calm, ()) = pings_while(&server, tokio::time::sleep(Duration::from_secs(2))).await;
    let before = Spent::of(&server);
    let brisk = async {
        tokio::time::sleep(BRISK).await;
        Spent::of(&server).since(before).scan
    };
    let both = async { tokio::join!(search(&store), brisk) };
    let (mut pings, ((found_after, done_after), brisk_scan)) = pings_while(&server, both).await;
    let spent = Spent::of(&server).since(before);
    let title = format!("{QUEUES} queues among {MILLION} other keys");
    head(&title, &["figure"]);
    let four = Limit::Most(0, 4.0);
    row("all queues found after, s", &[found_after], four);
    let none = Limit::None;
    row("all keys looked through after, s", &[done_after], none);
    let first_s = BRISK.as_secs_f64().min(done_after);
    let share = brisk_scan / first_s / 10.0;
    let quarter = Limit::Most(0, 25.0);
    row("SCAN's share of the first 3 s, %", &[share], quarter);
    let rest_s = done_after - first_s;
    if rest_s > 0.1 {
        let share = (spent.scan - brisk_scan) / rest_s / 10.0;
        let twentieth = Limit::Most(0, 5.0);
        row("SCAN's share of the time after it, %", &[share], twentieth);
    }
    let each = spent.scan * 1e3 / MILLION as f64;
    row("SCAN for each key, us", &[each], none);
    let longest = longest(&server, "SCAN");
    row("longest SCAN, ms", &[longest], Limit::Most(0, 1.0));
    let cpu = (spent.cpu - spent.ping) / done_after / 10.0;
    row("all CPU of the server but PING's, %", &[cpu], none);
    head("PING of somebody else, ms", &["p50", "p99", "max"]);
    row("before", &spread(&mut calm), none);
    row("meanwhile", &spread(&mut pings), none);
}

fn crowded() -> Server {
    let server = Server::start();
    let mut connection = server.connection();
    for from in (0..MILLION).step_by(10_000) {
        let mut mset = redis::cmd("MSET");
        for n in from..from + 10_000 {
            mset.arg(format!("session:{n:x}")).arg("x");
        }
        mset.exec(&mut connection).unwrap();
    }
    for n in 0..QUEUES {
        let queue = Queue::redisson(format!("queue-{n}"));
        let due = server.now().plus(60_000).get().to_string();
        server.put(&queue, &frame(n, b"found"), &due);
    }
    server.cmd(&["CONFIG", "SET", "slowlog-max-len", "1000000"]);
    server.cmd(&["CONFIG", "SET", "slowlog-log-slower-than", "100"]);
    server
}

/// When all queues were found, and when all keys were looked through, in s.
async fn search(store: &Store) -> (f64, f64) {
    let started = instant();
    let mut found = Box::pin(discover_with(store, Vec::new(), Memory::none()));
    let (mut queues, mut found_after) = (0, 0.0);
    while let Some(found) = found.next().await {
        match found {
            DiscoveryEvent::Queue(_) => {
                queues += 1;
                found_after = started.elapsed().as_secs_f64();
            }
            DiscoveryEvent::Done { looked } => assert_eq!(looked, MILLION + 2 * QUEUES),
            DiscoveryEvent::Progress { .. }
            | DiscoveryEvent::Away { .. }
            | DiscoveryEvent::Failed(_) => {}
        }
    }
    assert_eq!(queues, QUEUES);
    (found_after, started.elapsed().as_secs_f64())
}

/// What a client that sends PINGs waits for each while `meanwhile` runs, in ms.
async fn pings_while<T>(server: &Server, meanwhile: impl Future<Output = T>) -> (Vec<f64>, T) {
    let mut connection = server.connection();
    let over = Arc::new(AtomicBool::new(false));
    let until = Arc::clone(&over);
    let pinging = std::thread::spawn(move || {
        let mut waits = Vec::new();
        while !until.load(Ordering::Relaxed) {
            let asked = instant();
            redis::cmd("PING").exec(&mut connection).unwrap();
            waits.push(asked.elapsed().as_secs_f64() * 1e3);
            std::thread::sleep(Duration::from_millis(1));
        }
        waits
    });
    let done = meanwhile.await;
    over.store(true, Ordering::Relaxed);
    (pinging.join().unwrap(), done)
}

/// The longest of these commands in the server's own log, in ms.
fn longest(server: &Server, command: &str) -> f64 {
    type Logged = (i64, i64, i64, Vec<String>, Value, Value);
    let log: Vec<Logged> = redis::from_redis_value(server.cmd(&["SLOWLOG", "GET", "-1"])).unwrap();
    let of_it = log.iter().filter(|(.., words, _, _)| words[0] == command);
    of_it
        .map(|(_, _, us, ..)| *us as f64 / 1e3)
        .fold(0.0, f64::max)
}

/// What the server has spent since its start, in ms.
#[derive(Clone, Copy)]
struct Spent {
    exec: f64,
    scan: f64,
    ping: f64,
    cpu: f64,
}

impl Spent {
    fn of(server: &Server) -> Self {
        let info = |section: &str| -> String {
            redis::from_redis_value(server.cmd(&["INFO", section])).unwrap()
        };
        let (commands, cpu) = (info("commandstats"), info("cpu"));
        // cmdstat_exec:calls=1,usec=15,…
        let usec = |command: &str| {
            let line = commands
                .lines()
                .find(|line| line.starts_with(&format!("cmdstat_{command}:")));
            let usec = line.and_then(|line| line.split(',').find_map(|f| f.strip_prefix("usec=")));
            usec.map_or(0.0, |usec| usec.parse().unwrap())
        };
        let seconds = |field: &str| -> f64 {
            let line = cpu.lines().find_map(|line| line.strip_prefix(field));
            line.unwrap().parse().unwrap()
        };
        Self {
            exec: usec("exec") / 1e3,
            scan: usec("scan") / 1e3,
            ping: usec("ping") / 1e3,
            cpu: 1e3 * (seconds("used_cpu_user:") + seconds("used_cpu_sys:")),
        }
    }

    fn since(self, before: Self) -> Self {
        Self {
            exec: self.exec - before.exec,
            scan: self.scan - before.scan,
            ping: self.ping - before.ping,
            cpu: self.cpu - before.cpu,
        }
    }
}
