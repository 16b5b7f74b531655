//! Our worker beside Redisson's, on the same data in one run: how late it delivers, and how fast it
//! drains a backlog. `cargo bench --features interop --bench beside_redisson`; needs a JDK and
//! Maven. Fails when ours is later than it may be, or slower than the newest Redisson.

#![expect(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark: it prints, uses a part of what the tests use, and may fail"
)]

#[path = "../interop/build.rs"]
mod build;
#[path = "../interop/check.rs"]
mod check;
#[path = "../interop/ours.rs"]
mod ours;
#[path = "../interop/peer.rs"]
mod peer;
#[path = "../support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use delayscope::clock::{self, EpochMillis};
use delayscope::queue::{Form, Queue, frame};

use peer::{Client, RELEASES, Side};
use support::Server;

/// Entries whose lateness is measured, and the ms between two of them: 50/s.
const ON_TIME: usize = 1_000;
const STEP_MS: i64 = 20;
/// Entries of the backlog, all due, in due order.
const BACKLOG: usize = 100_000;
/// Backlogs drained by each; the first warms up and does not count.
const ROUNDS: usize = 6;
/// What our worker's lateness may be at the 99th percentile, in ms.
const P99_MS: f64 = 5.0;

/// Transfers one queue until it is dropped.
enum Worker<'a> {
    Ours(ours::Worker),
    Redisson(Client<'a>),
}

/// A worker that waits for entries of its own queue.
struct Contender<'a> {
    name: String,
    server: &'a Server,
    queue: &'static str,
    form: Form,
    worker: Worker<'a>,
}

impl<'a> Contender<'a> {
    fn ours(side: &'a Side) -> Self {
        let queue = "ours";
        let worker = Worker::Ours(ours::Worker::start(side, queue, None));
        Self::listening("delayscope".to_owned(), side, queue, worker)
    }

    fn redisson(side: &'a Side) -> Self {
        let queue = "redisson";
        let client = side.client(queue);
        client.work(queue, "string");
        let name = format!("Redisson {}", side.release.version);
        Self::listening(name, side, queue, Worker::Redisson(client))
    }

    fn listening(name: String, side: &'a Side, queue: &'static str, worker: Worker<'a>) -> Self {
        check::wait_for_transfer_clients(&side.server, queue, 1);
        Self {
            name,
            server: &side.server,
            queue,
            form: side.release.form,
            worker,
        }
    }

    /// Writes entries as their offers would; each payload is its due time in epoch ms.
    fn fill(&self, due: impl Iterator<Item = i64>) {
        let keys = Queue::redisson(self.queue).keys();
        let mut connection = self.server.connection();
        let due: Vec<i64> = due.collect();
        for chunk in due.chunks(10_000) {
            let mut zadd = redis::cmd("ZADD");
            zadd.arg(&keys.timeouts);
            let mut rpush = redis::cmd("RPUSH");
            rpush.arg(&keys.order);
            for due in chunk {
                let id = self.form.fresh_id().unwrap();
                let member = frame::encode(self.form, id, due.to_string().as_bytes());
                zadd.arg(due).arg(&member);
                rpush.arg(member);
            }
            let mut pipe = redis::pipe();
            pipe.atomic().add_command(zadd).add_command(rpush);
            pipe.exec(&mut connection).unwrap();
        }
    }

    /// Announces a due time, as an offer that becomes the head does.
    fn announce(&self, due: i64) {
        let channel = Queue::redisson(self.queue).keys().channel.unwrap();
        let due = due.to_string();
        self.server
            .cmd_bytes(&[b"PUBLISH", &channel, due.as_bytes()]);
    }

    /// From due time to the hands of a blocked consumer, in ms, sorted.
    fn lateness(&self) -> Vec<f64> {
        let clock = WallClock::new();
        let first = clock::local_now().plus(1_000).get();
        self.fill((0..).map(|n| first + n * STEP_MS).take(ON_TIME));
        self.announce(first);
        let mut connection = self.server.connection();
        let mut late: Vec<f64> = (0..ON_TIME)
            .map(|_| {
                let mut take = redis::cmd("BLPOP");
                take.arg(self.queue).arg(20);
                let (_, due): (String, f64) = take.query(&mut connection).expect("an entry");
                clock.now_ms() - due
            })
            .collect();
        late.sort_by(f64::total_cmp);
        late
    }

    /// Entries a second, from the announcement to the last entry moved.
    fn drain(&self) -> f64 {
        let now = clock::local_now().get();
        let count = i64::try_from(BACKLOG).unwrap();
        self.fill((0..count).map(|n| now - 2 * count + n));
        let timeouts = Queue::redisson(self.queue).keys().timeouts;
        let mut connection = self.server.connection();
        let began = clock::instant();
        self.announce(0);
        loop {
            let left: usize = redis::cmd("ZCARD")
                .arg(&timeouts)
                .query(&mut connection)
                .unwrap();
            if left == 0 {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let took = began.elapsed().as_secs_f64();
        assert_eq!(check::depths(self.server, self.queue), [0, 0, count]);
        self.server.cmd(&["DEL", self.queue]);
        rate(BACKLOG, took)
    }
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
fn rate(count: usize, seconds: f64) -> f64 {
    count as f64 / seconds
}

/// The time of day finer than a millisecond.
struct WallClock {
    edge: Instant,
    edge_ms: f64,
}

impl WallClock {
    /// Finds the moment at which a millisecond begins.
    fn new() -> Self {
        let before = clock::local_now();
        loop {
            let (edge, now) = (clock::instant(), clock::local_now());
            if now != before {
                return Self {
                    edge,
                    edge_ms: as_ms(now),
                };
            }
        }
    }

    fn now_ms(&self) -> f64 {
        self.edge_ms + self.edge.elapsed().as_secs_f64() * 1_000.0
    }
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
fn as_ms(at: EpochMillis) -> f64 {
    at.get() as f64
}

/// The value that `percent` of them do not exceed.
fn percentile(sorted: &[f64], percent: usize) -> f64 {
    sorted[(sorted.len() * percent).div_ceil(100) - 1]
}

fn main() {
    // `cargo test --benches` and such only want to know that it builds.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    let newest = Side::start(&RELEASES[2], "4");
    let oldest = Side::start(&RELEASES[0], "4");
    let all = [
        Contender::ours(&newest),
        Contender::redisson(&newest),
        Contender::redisson(&oldest),
    ];
    let p99 = lateness_of(&all);
    let rates = rates_of(&all);
    assert!(p99[0] <= P99_MS, "late: p99 {:.1} ms", p99[0]);
    assert!(rates[0] >= rates[1], "slower than {}", all[1].name);
}

/// Prints how late each was; the 99th percentiles, in ms.
fn lateness_of(all: &[Contender]) -> Vec<f64> {
    println!("\nLateness in ms, due to consumed, {ON_TIME} entries at 50/s");
    println!("{:<18}{:>8}{:>8}{:>8}", "", "p50", "p99", "max");
    let one = |contender: &Contender| {
        let late = contender.lateness();
        let [p50, p99, max] = [50, 99, 100].map(|percent| percentile(&late, percent));
        println!("{:<18}{p50:>8.1}{p99:>8.1}{max:>8.1}", contender.name);
        p99
    };
    all.iter().map(one).collect()
}

/// Prints how fast each drained the backlog, taking turns; the medians, in entries/s.
fn rates_of(all: &[Contender]) -> Vec<f64> {
    println!("\nA due backlog of {BACKLOG} in due order, thousand entries/s");
    println!("{:<18}{:>8}{:>8}{:>8}", "", "median", "least", "most");
    let mut rates = vec![Vec::new(); all.len()];
    for round in 0..ROUNDS {
        for (contender, rates) in all.iter().zip(&mut rates) {
            let rate = contender.drain();
            if round > 0 {
                rates.push(rate);
            }
        }
    }
    let one = |(contender, mut rates): (&Contender, Vec<f64>)| {
        rates.sort_by(f64::total_cmp);
        let [median, least, most] = [50, 1, 100].map(|percent| percentile(&rates, percent));
        println!(
            "{:<18}{:>8.0}{:>8.0}{:>8.0}",
            contender.name,
            median / 1_000.0,
            least / 1_000.0,
            most / 1_000.0
        );
        median
    };
    all.iter().zip(rates).map(one).collect()
}
