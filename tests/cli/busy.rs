//! Beside somebody whose scripts keep the server nearly all of the time: each change is made once,
//! tells what happened, and is taken back whole; nothing is lost, nothing doubled.
//!
//! Each kind of change is made once, beside scripts of about 6 ms of which others hear after 2 ms
//! that the server is busy. Twenty times, beside scripts of about 120 ms that are told after 50 ms:
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
use delayscope::queue::change::Repair;
use delayscope::queue::{Change, ConsumerTag, Holder, Queue};
use serde_json::Value;

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
    let ended = AtomicBool::new(false);
    let mut connection = server.connection();
    let mut keep = |turns: u64| {
        let mut keep = redis::cmd("EVAL");
        let kept = keep.arg(KEEP).arg(0).arg(turns).exec(&mut connection);
        kept.unwrap();
    };
    // The quickest trial counts: one that the machine held up would make scripts so short that the
    // server never says that it is busy.
    let trials = (0..TRIALS).map(|_| {
        let began = instant();
        keep(TRIED);
        micros(began.elapsed())
    });
    let turns_in_us = (TRIED / trials.min().unwrap()).max(1);
    let [least, spread, step] = [script, SPREAD, STEP].map(|time| turns_in_us * micros(time));
    thread::scope(|scope| {
        let neighbour = scope.spawn(|| {
            let mut more = 0;
            while !ended.load(Ordering::SeqCst) {
                keep(least + more);
                more = (more + step) % spread;
            }
        });
        let done = catch_unwind(AssertUnwindSafe(work));
        ended.store(true, Ordering::SeqCst);
        neighbour.join().unwrap();
        done.unwrap_or_else(|panic| resume_unwind(panic))
    })
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap()
}

/// Keeps the server for so many turns of a loop. It does not ask for the time: since Redis 7.2 that
/// stands still for a script, except when the server looks for requests amid it. Each script would
/// then end right behind such a look, and a client that asks again would never be there first.
const KEEP: &str = "for i = 1, ARGV[1] do end";
/// Trials that show how long a turn takes.
const TRIALS: usize = 4;
/// Turns of each.
const TRIED: u64 = 500_000;
/// What scripts differ by at most. The server looks for requests after so many turns (about each
/// ms), so that scripts of one length would all end at the same distance from a look.
const SPREAD: Duration = Duration::from_millis(1);
/// What each script is longer than the one before, until it begins at the shortest again.
const STEP: Duration = Duration::from_micros(137);

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
    tells: Tells,
    undo: bool,
}

/// What it prints at its end.
#[derive(Clone, Copy)]
enum Tells {
    /// That so many were planned and done.
    Done(u64),
    /// Batches, of so many in all.
    Moved(u64),
    /// Each element that it took, so many.
    Taken(usize),
}

const fn scene(words: &'static [&'static str], done: u64) -> Scene {
    Scene {
        words,
        due: AFAR,
        before: nothing,
        tells: Tells::Done(done),
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

    const fn tells(mut self, tells: Tells) -> Self {
        self.tells = tells;
        self
    }

    /// The change that it makes.
    fn change(&self) -> Change {
        let flag = self.words.iter().find_map(|word| word.strip_prefix("--"));
        let repair = |flag| {
            let mut all = Repair::ALL.iter().filter(|repair| repair.flag().is_some());
            let repair = all.find(|repair| repair.name() == flag).unwrap();
            repair.what(None, None).unwrap().change()
        };
        Change::from_word(self.words[0]).unwrap_or_else(|| repair(flag.unwrap()))
    }

    /// What it says agrees with what was and what is.
    fn agrees(&self, said: &[Value], before: &Contents, after: &Contents, when: &str) {
        match self.tells {
            Tells::Done(done) => {
                let told = said.last().unwrap();
                assert_eq!(told["done"].as_u64(), Some(done), "{when}");
                assert_eq!(told["planned"].as_u64(), Some(done), "{when}");
            }
            Tells::Moved(moved) => {
                let batches = said.iter().map(|batch| batch["moved"].as_u64().unwrap());
                assert_eq!(batches.sum::<u64>(), moved, "{when}");
            }
            Tells::Taken(taken) => {
                assert_eq!(said.len(), taken, "{when}");
                let printed = said.iter().map(|one| one["text"].as_str().unwrap());
                let printed = printed.map(|text| text.as_bytes().to_vec());
                let mut all: Vec<_> = printed.chain(after.lists[1].clone()).collect();
                all.sort();
                assert_eq!(all, before.lists[1], "{when}");
            }
        }
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

/// Some of them stand in the order list alone.
fn strayed(server: &Server, queue: &Queue) {
    for n in 1..=40 {
        let member = frame(n, format!("entry {n}").as_bytes());
        server.cmd_bytes(&[b"ZREM", &queue.keys().timeouts, &member]);
    }
}

fn quarantined(server: &Server, queue: &Queue) {
    let keys = queue.keys();
    let score = AFAR.get().to_string();
    for n in 2_101..2_141 {
        let member = frame(n, b"set apart");
        server.cmd_bytes(&[b"ZADD", &keys.quarantine, score.as_bytes(), &member]);
    }
}

/// A consumer that died holds some; some more it was never handed.
fn held(server: &Server, queue: &Queue) {
    let keys = queue.keys().hold;
    for turn in 0..40 {
        let consumer = ConsumerTag {
            host: "app-1".to_owned(),
            pid: 4_711,
            number: 1,
        };
        let at = PAST;
        let field = Holder { consumer, at, turn }.field();
        let element = format!("held {turn}");
        server.cmd_bytes(&[b"HSET", &keys.held, &field, element.as_bytes()]);
        server.cmd_bytes(&[b"ZADD", &keys.leases, b"1700000000000", &field]);
        server.cmd_bytes(&[b"RPUSH", &keys.intake, element.as_bytes()]);
    }
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
        program.run(&args).done();
        let wanted = Contents::of(server, &queue).alike();
        for run in 1..=place.runs {
            let before = lay_out();
            let began = instant();
            let said = beside(server, place.script, || program.run(&args).done());
            let when = format!("{:?}, run {run}: {said:?}", scene.words);
            let after = Contents::of(server, &queue);
            assert_eq!(after.held, 0, "{when}");
            scene.agrees(&said.json(), &before, &after, &when);
            assert_eq!(after.alike(), wanted, "{when}");
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

const WAITING: &[Scene] = &[
    scene(
        &["offer", "orders", "new", "--in", "1h", "--count", "150"],
        150,
    )
    .for_good(),
    scene(&["requeue", "orders", "--all", "--by", "9s"], 300),
    scene(&["delete", "orders", "--all", "--limit", "200"], 200),
    scene(&["deliver", "orders", "--all", "--limit", "200"], 200),
    scene(&["duplicate", "orders", "--all", "--limit", "50"], 50).for_good(),
    scene(
        &[
            "edit",
            "orders",
            "--id",
            "0000000000000005",
            "--file",
            "LICENSE-MIT",
        ],
        1,
    ),
    scene(&["kick", "orders"], 0).for_good(),
];

const DUE: &[Scene] = &[
    scene(&["transfer", "orders"], 300).due(),
    scene(&["transfer", "orders"], 300).due().after(shuffled),
    scene(&["worker", "orders", "--until-empty"], 300)
        .due()
        .tells(Tells::Moved(300))
        .for_good(),
];

const DELIVERED: &[Scene] = &[
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
        60,
    )
    .after(delivered),
    scene(
        &[
            "delete",
            "orders",
            "--from",
            "delivered",
            "--all",
            "--keep-one",
        ],
        50,
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
        100,
    )
    .after(delivered),
    scene(&["consume", "orders", "--count", "60"], 60)
        .after(delivered)
        .tells(Tells::Taken(60))
        .for_good(),
    scene(&["repair", "orders", "--unwrap"], 50).after(framed),
    scene(&["repair", "orders", "--put-back"], 80)
        .after(held)
        .for_good(),
];

/// What only the order list holds had no due time to which it could go back.
const STRAYS: &[Scene] = &[
    scene(&["deliver", "orders", "--from", "order-only", "--all"], 40)
        .after(strayed)
        .for_good(),
    scene(
        &[
            "requeue",
            "orders",
            "--from",
            "order-only",
            "--all",
            "--in",
            "1h",
        ],
        40,
    )
    .after(strayed)
    .for_good(),
    scene(&["delete", "orders", "--from", "order-only", "--all"], 40).after(strayed),
];

const REPAIRS: &[Scene] = &[
    scene(&["repair", "orders", "--repack", "--form", "byte-id"], 50).after(old_frames),
    scene(
        &["repair", "orders", "--quarantine", "--all", "--limit", "80"],
        80,
    ),
    scene(&["repair", "orders", "--restore", "--all"], 40).after(quarantined),
    scene(&["repair", "orders", "--realign"], 300)
        .after(shuffled)
        .for_good(),
    scene(&["repair", "orders", "--drift"], 40).after(drifted),
    scene(&["repair", "orders", "--restore-order"], 300)
        .after(set_aside)
        .for_good(),
    scene(&["repair", "orders", "--persist"], 1).after(expiring),
    scene(&["repair", "orders", "--unit", "s"], 50).after(in_seconds),
    scene(&["repair", "orders", "--score"], 30).after(below_zero),
    scene(&["repair", "orders", "--rename-taken"], 1).after(taken),
];

#[test]
fn each_change_of_the_command_line_is_made_beside_the_scripts_of_others() {
    let all = [WAITING, DUE, DELIVERED, STRAYS, REPAIRS];
    for change in Change::ALL {
        let makes = |scene: &Scene| match change {
            Change::Undo => scene.undo,
            _ => scene.change() == change,
        };
        assert!(all.into_iter().flatten().any(makes), "{change:?}");
    }
}

#[test]
fn what_waits_is_changed_once_beside_the_scripts_of_others() {
    hold(WAITING);
}

#[test]
fn what_is_due_is_transferred_once_beside_the_scripts_of_others() {
    hold(DUE);
}

#[test]
fn what_was_delivered_is_changed_once_beside_the_scripts_of_others() {
    hold(DELIVERED);
}

#[test]
fn what_only_the_order_list_holds_is_changed_once_beside_the_scripts_of_others() {
    hold(STRAYS);
}

#[test]
fn a_queue_is_repaired_once_beside_the_scripts_of_others() {
    hold(REPAIRS);
}
