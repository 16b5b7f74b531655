//! Beside somebody whose scripts keep the server nearly all of the time: each change is made once,
//! tells what happened, and is taken back whole; nothing is lost, nothing doubled.
//!
//! Each kind of change is made once, beside scripts of 6 ms of which others hear after 2 ms that
//! the server is busy. Twenty times, beside scripts of 120 ms that are told after 50 ms:
//!
//! `BUSY=20 cargo test --test cli busy:: -- --nocapture`

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a failure here is a failed test; a long run tells its figures"
)]

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use delayscope::clock::{EpochMillis, instant};
use delayscope::queue::Queue;

use crate::program::Program;
use crate::support::{Server, double_frame, frame};

/// The year 2100: due in no run.
const AFAR: EpochMillis = EpochMillis::new(4_102_444_800_000);
/// Due in each.
const PAST: EpochMillis = EpochMillis::new(1_700_000_000_000);
/// Entries of the queue.
const COUNT: u64 = 300;

/// How long the scripts of the neighbour are, after how long others hear that, and how often each
/// change is made.
struct Neighbourhood {
    script: Duration,
    told_after_ms: u32,
    runs: usize,
}

impl Neighbourhood {
    fn now() -> Self {
        let runs = std::env::var("BUSY").ok();
        match runs.and_then(|runs| runs.parse().ok()) {
            Some(runs) => Self {
                script: Duration::from_millis(120),
                told_after_ms: 50,
                runs,
            },
            None => Self {
                script: Duration::from_millis(6),
                told_after_ms: 2,
                runs: 1,
            },
        }
    }
}

/// Does it while another client runs one script after the other.
fn beside<T>(server: &Server, script: Duration, work: impl FnOnce() -> T) -> T {
    let stop = AtomicBool::new(false);
    let mut connection = server.connection();
    let us = script.as_micros().to_string();
    thread::scope(|scope| {
        let neighbour = scope.spawn(|| {
            let mut keep = redis::cmd("EVAL");
            keep.arg(KEEP).arg(0).arg(us);
            while !stop.load(Ordering::SeqCst) {
                keep.exec(&mut connection).unwrap();
            }
        });
        let done = catch_unwind(AssertUnwindSafe(work));
        stop.store(true, Ordering::SeqCst);
        neighbour.join().unwrap();
        done.unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Keeps the server for so many µs.
const KEEP: &str = "
local function us()
    local time = redis.call('TIME')
    return time[1] * 1000000 + time[2]
end
local ends = us() + ARGV[1]
while us() < ends do
    for i = 1, 1000 do end
end";

/// What the server holds of the queue, but for the order of equal places.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Contents {
    /// Members with their scores: of timeouts and of quarantine.
    scored: [BTreeMap<Vec<u8>, Vec<u8>>; 2],
    /// Elements of the order list and of target.
    lists: [Vec<Vec<u8>>; 2],
    /// Fields of what consumers hold.
    held: i64,
}

impl Contents {
    fn of(server: &Server, queue: &Queue) -> Self {
        let keys = queue.keys();
        let mut connection = server.connection();
        // A key of another type holds nothing of the queue.
        let mut read = |words: &[&[u8]]| -> Vec<Vec<u8>> {
            let mut read = redis::Cmd::new();
            for word in words {
                read.arg(*word);
            }
            read.query(&mut connection).unwrap_or_default()
        };
        let scored = [&keys.timeouts, &keys.quarantine].map(|key| {
            let flat = read(&[b"ZRANGE", key, b"0", b"-1", b"WITHSCORES"]);
            let pairs = flat.chunks_exact(2);
            pairs
                .map(|pair| (pair[0].clone(), pair[1].clone()))
                .collect()
        });
        let order = keys.order.unwrap();
        let lists = [&order, &keys.target].map(|key| {
            let mut all = read(&[b"LRANGE", key, b"0", b"-1"]);
            all.sort();
            all
        });
        let held = server.cmd_bytes(&[b"HLEN", &keys.hold.held]);
        Self {
            scored,
            lists,
            held: redis::from_redis_value(held).unwrap(),
        }
    }

    /// Without what is another in each run: ids, and scores that are reckoned from now.
    fn alike(self) -> [Vec<Vec<u8>>; 4] {
        let nameless = |member: &Vec<u8>| [&member[..1], &member[member.len().min(9)..]].concat();
        let sorted = |all: &mut dyn Iterator<Item = &Vec<u8>>| {
            let mut all: Vec<_> = all.map(nameless).collect();
            all.sort();
            all
        };
        let [waiting, quarantine] = &self.scored;
        let [order, target] = self.lists;
        [
            sorted(&mut waiting.keys()),
            sorted(&mut quarantine.keys()),
            sorted(&mut order.iter()),
            target,
        ]
    }
}

/// A change, and what it begins with.
struct Scene {
    /// What is typed, behind the name of the queue `orders` where that stands.
    words: &'static [&'static str],
    /// When the entries are due.
    due: EpochMillis,
    /// What else is done to the queue before.
    before: fn(&Server, &Queue),
    /// So many are done; none: it tells of each by itself.
    done: Option<u64>,
    undo: bool,
}

const fn scene(words: &'static [&'static str], done: Option<u64>) -> Scene {
    Scene {
        words,
        due: AFAR,
        before: nothing,
        done,
        undo: true,
    }
}

impl Scene {
    const fn due(mut self) -> Self {
        self.due = PAST;
        self
    }

    const fn after(mut self, before: fn(&Server, &Queue)) -> Self {
        self.before = before;
        self
    }

    const fn for_good(mut self) -> Self {
        self.undo = false;
        self
    }
}

fn nothing(_: &Server, _: &Queue) {}

fn delivered(server: &Server, queue: &Queue) {
    for i in 0..100 {
        let element = format!("delivered {}", i / 2);
        server.cmd_bytes(&[b"RPUSH", &queue.keys().target, element.as_bytes()]);
    }
}

fn framed(server: &Server, queue: &Queue) {
    for n in 1_001..1_051 {
        server.cmd_bytes(&[b"RPUSH", &queue.keys().target, &frame(n, b"framed")]);
    }
}

fn old_frames(server: &Server, queue: &Queue) {
    server.cmd(&["FLUSHALL"]);
    for n in 1..=50 {
        let id = 1.0 + f64::from(n) / 64.0;
        server.put(queue, &double_frame(id, b"old"), "4102444800000");
    }
}

fn shuffled(server: &Server, queue: &Queue) {
    let order = queue.keys().order.unwrap();
    for n in (1..COUNT).step_by(3) {
        let member = frame(n, format!("entry {n}").as_bytes());
        server.cmd_bytes(&[b"LREM", &order, b"1", &member]);
        server.cmd_bytes(&[b"RPUSH", &order, &member]);
    }
}

fn drifted(server: &Server, queue: &Queue) {
    let keys = queue.keys();
    for n in 1..=40 {
        let member = frame(n, format!("entry {n}").as_bytes());
        server.cmd_bytes(&[b"LREM", keys.order.as_ref().unwrap(), b"1", &member]);
    }
}

fn expiring(server: &Server, queue: &Queue) {
    server.cmd_bytes(&[b"PEXPIRE", &queue.keys().timeouts, b"36000000"]);
}

fn in_seconds(server: &Server, queue: &Queue) {
    server.cmd(&["FLUSHALL"]);
    for n in 1..=50 {
        let member = frame(n, format!("entry {n}").as_bytes());
        server.put(queue, &member, "1900000000");
    }
}

fn below_zero(server: &Server, queue: &Queue) {
    for n in 2_001..2_031 {
        server.put(queue, &frame(n, b"never"), "-5");
    }
}

fn taken(server: &Server, queue: &Queue) {
    server.cmd_bytes(&[b"SET", &queue.keys().target, b"a string"]);
}

fn set_aside(server: &Server, queue: &Queue) {
    let keys = queue.keys();
    server.cmd_bytes(&[b"RENAME", &keys.order.unwrap(), &keys.aside.unwrap()]);
}

/// Makes each change as often as is asked for, beside the neighbour.
fn hold(scenes: &[Scene]) {
    let place = Neighbourhood::now();
    let limit = place.told_after_ms.to_string();
    let program = Program::at(Server::start_with(&["--lua-time-limit", &limit]));
    let (server, queue) = (&program.server, Queue::redisson("orders"));
    for scene in scenes {
        let lay_out = || {
            server.cmd(&["FLUSHALL"]);
            server.fill(&queue, COUNT, scene.due, 1_000);
            (scene.before)(server, &queue);
            Contents::of(server, &queue)
        };
        let args = [scene.words, &["--yes", "--json"]].concat();
        lay_out();
        let quiet = program.run(&args).done();
        let wanted = Contents::of(server, &queue).alike();
        for run in 1..=place.runs {
            let before = lay_out();
            let began = instant();
            let said = beside(server, place.script, || program.run(&args).done());
            let when = format!("{:?}, run {run}: {said:?}", scene.words);
            let after = Contents::of(server, &queue);
            assert_eq!(after.held, 0, "{when}");
            assert_eq!(after.alike(), wanted, "{when}");
            let told = (quiet.json(), said.json());
            match scene.done {
                Some(done) => {
                    let told = told.1.last().unwrap();
                    assert_eq!(told["done"].as_u64(), Some(done), "{when}");
                    assert_eq!(told["planned"].as_u64(), Some(done), "{when}");
                }
                None => assert_eq!(told.0.len(), told.1.len(), "{when}"),
            }
            if scene.undo {
                let undo = ["undo", "--yes", "--json"];
                let said = beside(server, place.script, || program.run(&undo).done());
                assert_eq!(
                    Contents::of(server, &queue),
                    before,
                    "{when}\nundone: {said:?}"
                );
            }
            if place.runs > 1 {
                println!("{:?}: run {run}, {:?}", scene.words, began.elapsed());
            }
        }
    }
}

#[test]
fn what_waits_is_changed_once_beside_the_scripts_of_others() {
    hold(&[
        scene(
            &["offer", "orders", "new", "--in", "1h", "--count", "150"],
            Some(150),
        )
        .for_good(),
        scene(&["requeue", "orders", "--all", "--by", "9s"], Some(300)),
        scene(&["delete", "orders", "--all", "--limit", "200"], Some(200)),
        scene(&["deliver", "orders", "--all", "--limit", "200"], Some(200)),
        scene(&["duplicate", "orders", "--all", "--limit", "50"], Some(50)).for_good(),
        scene(&["kick", "orders"], Some(0)).for_good(),
    ]);
}

#[test]
fn what_is_due_is_transferred_once_beside_the_scripts_of_others() {
    hold(&[
        scene(&["transfer", "orders"], Some(300)).due(),
        scene(&["transfer", "orders"], Some(300))
            .due()
            .after(shuffled),
        scene(&["worker", "orders", "--until-empty"], None)
            .due()
            .for_good(),
    ]);
}

#[test]
fn what_was_delivered_is_changed_once_beside_the_scripts_of_others() {
    hold(&[
        scene(
            &[
                "delete",
                "orders",
                "--from",
                "delivered",
                "--all",
                "--limit",
                "60",
            ],
            Some(60),
        )
        .after(delivered),
        scene(
            &[
                "requeue",
                "orders",
                "--from",
                "delivered",
                "--all",
                "--in",
                "1h",
            ],
            Some(100),
        )
        .after(delivered),
        scene(&["consume", "orders", "--count", "60"], None)
            .after(delivered)
            .for_good(),
        scene(&["repair", "orders", "--unwrap"], Some(50)).after(framed),
    ]);
}

#[test]
fn a_queue_is_repaired_once_beside_the_scripts_of_others() {
    hold(&[
        scene(
            &["repair", "orders", "--repack", "--form", "byte-id"],
            Some(50),
        )
        .after(old_frames),
        scene(
            &["repair", "orders", "--quarantine", "--all", "--limit", "80"],
            Some(80),
        ),
        scene(&["repair", "orders", "--realign"], Some(300))
            .after(shuffled)
            .for_good(),
        scene(&["repair", "orders", "--drift"], Some(40)).after(drifted),
        scene(&["repair", "orders", "--restore-order"], Some(300))
            .after(set_aside)
            .for_good(),
    ]);
    hold(&[
        scene(&["repair", "orders", "--persist"], Some(1)).after(expiring),
        scene(&["repair", "orders", "--unit", "s"], Some(50)).after(in_seconds),
        scene(&["repair", "orders", "--score"], Some(30)).after(below_zero),
        scene(&["repair", "orders", "--rename-taken"], Some(1)).after(taken),
    ]);
}
