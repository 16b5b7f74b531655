//! What the bulk ways cost: entries a second, the longest script, what another client waits, and
//! the bare commands beside them that no way can do without.
//!
//! `cargo bench --bench bulk`. A private server on a unix socket; another client sends a PING each
//! millisecond. `BULK_ENTRIES=100000` measures that size alone.

#![expect(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    dead_code,
    reason = "a benchmark that fails shall say where; its figures are small; what benchmarks share"
)]

#[path = "common.rs"]
mod common;
#[path = "../support/mod.rs"]
mod support;
#[path = "waits.rs"]
mod waits;

use std::time::Duration;

use common::{Limit, head, row};
use delayscope::clock::{EpochMillis, instant};
use delayscope::ops::bulk::aside::{OrderRestoration, set_aside};
use delayscope::ops::bulk::put_back::PutBack;
use delayscope::ops::bulk::realign::{Realign, due_until};
use delayscope::ops::bulk::sweep::Sweep;
use delayscope::ops::bulk::{Size, aside, put_back, realign, sweep};
use delayscope::queue::Queue;
use delayscope::store::change::{ChosenEntry, Fate};
use delayscope::store::write::{DueCursor, Writer};
use delayscope::store::{Access, Store};
use support::{PATIENCE, Server, frame};
use waits::waits;

/// Entry `n` is due so many ms after this.
const PAST: i64 = 1_600_000_000_000;
/// No script shall keep the server for longer.
const MAX_BLOCK: Duration = Duration::from_millis(10);
/// Entries one script delivers.
const BATCH: usize = 500;

/// The commands that every transfer needs, without any script of ours around them.
const BARE: &str = "
local due = redis.call('ZRANGEBYSCORE', KEYS[2], 0, ARGV[1], 'LIMIT', 0, ARGV[2])
if #due == 0 then return 0 end
redis.call('RPUSH', KEYS[1], unpack(due))
redis.call('ZREM', KEYS[2], unpack(due))
return #due";

#[tokio::main]
async fn main() {
    if !common::asked_for() {
        return;
    }
    let sizes = std::env::var("BULK_ENTRIES").map_or_else(
        |_| vec![100_000, 1_000_000],
        |entries| vec![entries.parse().unwrap()],
    );
    for entries in sizes {
        for shuffled in [true, false] {
            table(entries, shuffled).await;
        }
    }
}

/// What was measured while something ran.
#[derive(Default)]
struct Measured {
    entries: u64,
    elapsed: Duration,
    /// In scripts.
    server: Duration,
    longest: Duration,
}

impl Measured {
    fn took(&mut self, took: Option<Duration>) {
        // Nobody else runs scripts here.
        let took = took.unwrap();
        self.server += took;
        self.longest = self.longest.max(took);
    }
}

async fn table(entries: u64, shuffled: bool) {
    let order = if shuffled { "shuffled" } else { "in due order" };
    head(
        &format!("{entries} entries, {order}"),
        &[
            "entries/s",
            "seconds",
            "µs/entry",
            "script ms",
            "PING ms",
            "idle ms",
        ],
    );
    let server = Server::start();
    let store = Store::open(server.endpoint(), Access::ReadWrite);
    store.ready(PATIENCE).await.unwrap();
    let bench = Bench {
        writer: store.writer().unwrap(),
        queue: Queue::redisson("bulk"),
        server,
        entries,
        shuffled,
    };
    let tenth = entries / 10;
    bench
        .measure("bare ZRANGEBYSCORE RPUSH ZREM", Bench::bare)
        .await;
    if !shuffled {
        bench.measure("in order, all due", Bench::in_order).await;
    }
    bench
        .measure("set aside, all due", |b| b.aside(entries))
        .await;
    bench
        .measure("set aside, a tenth due", |b| b.aside(tenth))
        .await;
    bench
        .measure("realign, 4 %", |b| b.realign(entries / 25))
        .await;
    bench
        .measure("realign, a tenth", |b| b.realign(tenth))
        .await;
    bench
        .measure("sweep, delete 1 %", |b| b.sweep(100, false))
        .await;
    bench
        .measure("sweep, delete a tenth", |b| b.sweep(10, false))
        .await;
    bench.measure("put back 1 %", |b| b.sweep(100, true)).await;
}

struct Bench {
    server: Server,
    writer: Writer,
    queue: Queue,
    entries: u64,
    shuffled: bool,
}

impl Bench {
    async fn measure<'a, F>(&'a self, name: &str, run: impl FnOnce(&'a Self) -> F)
    where
        F: Future<Output = Measured>,
    {
        self.fill();
        let pause = tokio::time::sleep(Duration::from_millis(500));
        let idle = waits(&self.server, pause).await.1;
        let (measured, worst) = waits(&self.server, run(self)).await;
        let per_s = measured.entries as f64 / measured.elapsed.as_secs_f64();
        let ms = |d: Duration| d.as_secs_f64() * 1e3;
        let each = ms(measured.server) * 1e3 / measured.entries.max(1) as f64;
        let figures = [
            per_s,
            measured.elapsed.as_secs_f64(),
            each,
            ms(measured.longest),
            ms(worst),
            ms(idle),
        ];
        row(name, &figures, Limit::Most(3, 20.0));
    }

    fn due(n: u64) -> i64 {
        PAST + i64::try_from(n).unwrap()
    }

    fn fill(&self) {
        self.server.cmd(&["FLUSHALL"]);
        let keys = self.queue.keys();
        let mut wire = self.server.connection();
        // A step that has no divisor in common with the count meets each once.
        let step = if self.shuffled { 618_033 } else { 1 };
        let numbers: Vec<u64> = (0..self.entries).map(|n| n * step % self.entries).collect();
        for chunk in numbers.chunks(10_000) {
            let (mut zadd, mut rpush) = (redis::cmd("ZADD"), redis::cmd("RPUSH"));
            zadd.arg(&keys.timeouts);
            rpush.arg(&keys.order);
            for &n in chunk {
                let member = frame(n, format!("entry {n:018}").as_bytes());
                zadd.arg(Self::due(n)).arg(&member);
                rpush.arg(member);
            }
            zadd.exec(&mut wire).unwrap();
            rpush.exec(&mut wire).unwrap();
        }
    }

    fn bare(&self) -> std::future::Ready<Measured> {
        let keys = self.queue.keys();
        let (target, timeouts) = (keys.target, keys.timeouts);
        let mut wire = self.server.connection();
        let mut measured = Measured::default();
        let began = instant();
        let script = redis::Script::new(BARE);
        loop {
            let asked = instant();
            let n: u64 = (script.key(&target).key(&timeouts))
                .arg(Self::due(self.entries))
                .arg(BATCH)
                .invoke(&mut wire)
                .unwrap();
            if n == 0 {
                break;
            }
            measured.took(Some(asked.elapsed()));
            measured.entries += n;
        }
        measured.elapsed = began.elapsed();
        std::future::ready(measured)
    }

    async fn drain(&self, due: u64, measured: &mut Measured) {
        let now = EpochMillis::new(Self::due(due) - 1);
        loop {
            let done = self
                .writer
                .transfer(&self.queue, now, BATCH, &DueCursor::default())
                .await
                .unwrap();
            measured.took(done.took);
            measured.entries += done.done.moved.len() as u64;
            if !done.done.more {
                return;
            }
        }
    }

    async fn in_order(&self) -> Measured {
        let mut measured = Measured::default();
        let began = instant();
        self.drain(self.entries, &mut measured).await;
        measured.elapsed = began.elapsed();
        measured
    }

    async fn aside(&self, due: u64) -> Measured {
        let mut measured = Measured::default();
        let began = instant();
        set_aside(&self.writer, &self.queue).await.unwrap();
        self.drain(due, &mut measured).await;
        let (mut way, mut size) = (OrderRestoration::new(&self.queue), aside::SIZE);
        while let Some(step) = way.next(&self.writer, size.get()).await.unwrap() {
            measured.took(step.took);
            size.took(step.took, MAX_BLOCK);
        }
        measured.elapsed = began.elapsed();
        assert_eq!(measured.entries, due);
        measured
    }

    async fn realign(&self, count: u64) -> Measured {
        let mut measured = Measured::default();
        let began = instant();
        let until = EpochMillis::new(Self::due(count) - 1);
        let store = self.writer.store();
        let chosen = due_until(store, &self.queue, Some(until)).await.unwrap();
        let (mut way, mut size) = (Realign::new(&self.queue, chosen), realign::SIZE);
        while let Some(step) = way.next(&self.writer, size.get()).await.unwrap() {
            if step.wrote {
                measured.took(step.took);
                size.took(step.took, MAX_BLOCK);
            }
            let done = step.fates.iter().filter(|f| f.fate == Fate::Done);
            measured.entries += done.count() as u64;
        }
        measured.elapsed = began.elapsed();
        assert_eq!(measured.entries, count);
        measured
    }

    /// Deletes each `nth` entry; `back`: and measures how they are put back.
    async fn sweep(&self, nth: usize, back: bool) -> Measured {
        let chosen: Vec<ChosenEntry> = (0..self.entries)
            .step_by(nth)
            .map(|n| ChosenEntry {
                member: frame(n, format!("entry {n:018}").as_bytes()),
                score: Self::due(n) as f64,
            })
            .collect();
        let mut measured = Measured::default();
        let mut deleted = Vec::new();
        let began = instant();
        let (mut way, mut size): (_, Size) = (Sweep::new(&self.queue, chosen.clone()), sweep::SIZE);
        while let Some(step) = way.next(&self.writer, size.get()).await.unwrap() {
            measured.took(step.took);
            size.took(step.took, MAX_BLOCK);
            deleted.extend(step.fates);
        }
        measured.elapsed = began.elapsed();
        measured.entries = deleted.len() as u64;
        assert!(deleted.iter().all(|f| f.fate == Fate::Done));
        if !back {
            return measured;
        }
        let entries = deleted
            .into_iter()
            .map(|f| (chosen[f.index].clone(), f.stood));
        let mut way = PutBack::new(&self.queue, entries.collect());
        let (mut size, mut measured) = (put_back::SIZE, Measured::default());
        let began = instant();
        while let Some(step) = way.next(&self.writer, size.get()).await.unwrap() {
            measured.took(step.took);
            size.took(step.took, MAX_BLOCK);
            measured.entries += step.fates.len() as u64;
        }
        measured.elapsed = began.elapsed();
        measured
    }
}
