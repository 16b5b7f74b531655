//! A real worker and real offers beside each bulk change of ours: each message in exactly one
//! place, and no script of the worker's slower than it was, or than 50 ms.
//!
//! What a script takes is time on the clock, not of the processor: on a machine that does other
//! things too, the server stands still in the middle of it. So what is allowed grows with what one
//! that is always the same takes meanwhile. On a machine that does nothing else, `QUIET_MACHINE=1`
//! with `--test-threads=1` holds the claim as it stands.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use delayscope::clock::EpochMillis;
use delayscope::queue::Queue;

use crate::check::{self, wait_for_transfer_clients};
use crate::data::Data;
use crate::peer::{RELEASES, Side};
use crate::program::Program;
use crate::support::{Server, wait_for};
use crate::watch::{Watch, script_times, slowest_script};
use crate::world::{Place, World};

/// Entries of the queue, in no order.
const ALL: usize = 20_000;
/// So many offers are transferred before our change begins: what the worker's scripts take by then
/// is what they took before.
const FIRST: i64 = 200;
/// What the worker's scripts may take in any case.
const ALWAYS: Duration = Duration::from_millis(50);
/// The SHA-1 of the transfer script of these clients.
const TRANSFER: &str = "a3a86b949561b56e14c274ad54368afeff259bc8";
/// Takes the same server time whenever it runs: what it takes longer is the machine's doing.
const STEADY: &str = "for i = 1, 400000 do end return 1";
const QUEUE: &str = "beside";

/// When those are due that a change is about; the others are due in a century.
#[derive(Clone, Copy, Eq, PartialEq)]
pub enum When {
    /// Long ago.
    Past,
    /// In ten minutes.
    Soon,
}

/// A change, and what it is about.
pub struct Scene {
    /// What is typed before the others come.
    pub before: &'static [&'static str],
    /// What is typed while they are at work.
    pub typed: &'static [&'static str],
    /// One in so many is called `pick`.
    pub one_in: usize,
    /// When these are due.
    pub due: When,
    /// Whether the order list is aside, as an interrupted change leaves it.
    pub aside: bool,
    /// Where the picked ones are in the end.
    pub ends: Ends,
}

/// Where messages are in the end.
#[derive(Clone, Copy, Eq, PartialEq)]
pub enum Ends {
    /// In target.
    Delivered,
    /// In timeouts.
    Waiting,
    /// Nowhere.
    Deleted,
}

/// Plays a scene.
pub fn play(scene: &Scene) {
    let side = Side::start(&RELEASES[2], "1");
    let server = &side.server;
    let queue = Queue::redisson(QUEUE);
    let keys = queue.keys();
    lie(scene, server, &queue);
    let program = Program::new(server);
    if !scene.before.is_empty() {
        program.change(scene.before);
    }
    if scene.aside {
        let [order, aside] = [keys.order, keys.aside].map(Option::unwrap);
        server.cmd_bytes(&[b"RENAME", &order, &aside]);
    }
    let watch = Watch::begin(server);
    let worker = side.client("worker");
    worker.work(QUEUE, "string");
    let mut before = Duration::ZERO;
    let offered = while_offering(&side, || {
        wait_for("the worker to be at work", || {
            check::depths(server, QUEUE)[2] >= FIRST
        });
        before = slowest_script(server, |sha| sha == TRANSFER);
        server.cmd(&["SLOWLOG", "RESET"]);
        // Not all that was planned is done by us where the worker does some of it.
        program.run(scene.typed, &[0, 1]);
    });
    let longest = slowest_script(server, |sha| sha == TRANSFER);
    let slowdown = slowdown(server);
    watch.end(server);
    let timeouts = String::from_utf8(keys.timeouts).unwrap();
    wait_for("what is due to be transferred", || {
        // All offers, those too that are not due yet.
        let soon = server.now().plus(10_000).get().to_string();
        server.int(&["ZCOUNT", &timeouts, "0", &soon]) == 0
    });
    worker.leave();
    wait_for_transfer_clients(server, QUEUE, 0);
    exactly_once(scene, &World::of(server, &queue), &offered);
    assert!(
        longest <= before.max(ALWAYS).mul_f64(slowdown),
        "a script of the worker's took {longest:?}, {before:?} before (slowdown {slowdown:.1})"
    );
}

/// How many times as long as at its best a script took that is always the same: 1 on a machine that
/// is said to do nothing else.
fn slowdown(server: &Server) -> f64 {
    if std::env::var_os("QUIET_MACHINE").is_some() {
        return 1.0;
    }
    let steady = script_times(server, |text| text == STEADY);
    let [best, worst] = [steady.iter().min(), steady.iter().max()];
    best.zip(worst).map_or(1.0, |(best, worst)| {
        worst.as_secs_f64() / best.as_secs_f64()
    })
}

fn lie(scene: &Scene, server: &Server, queue: &Queue) {
    let base = match scene.due {
        When::Past => EpochMillis::new(1_700_000_000_000),
        When::Soon => server.now().plus(600_000),
    };
    let afar = EpochMillis::new(4_000_000_000_000);
    let picked = |n: usize| n.is_multiple_of(scene.one_in);
    let due = |n: usize| {
        let first = if picked(n) { base } else { afar };
        first.plus(i64::try_from(n).unwrap()).get()
    };
    let name = |n: usize| format!("{} {n:06}", if picked(n) { "pick" } else { "rest" });
    Data::new(ALL, due, name).shuffled().load(server, queue);
}

/// Another client offers until `change` has ended; what it offered.
fn while_offering(side: &Side, change: impl FnOnce()) -> BTreeSet<String> {
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let offering = scope.spawn(|| {
            let client = side.client("offers");
            let mut offered = BTreeSet::new();
            while !ended.load(Ordering::Relaxed) {
                let first = offered.len();
                let some: Vec<String> = (first..first + 20)
                    .map(|n| format!("offer {n:06}"))
                    .collect();
                let delays = (0..).map(|n: u64| n * 37 % 500);
                client.offer(QUEUE, "string", delays.zip(some.iter().map(String::as_str)));
                offered.extend(some);
            }
            client.leave();
            offered
        });
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                side.server.cmd(&["EVAL", STEADY, "0"]);
                thread::sleep(Duration::from_millis(20));
            }
        });
        // Also when it panics: the threads of a scope are waited for.
        let ending = Ending(&ended);
        change();
        drop(ending);
        offering.join().unwrap()
    })
}

/// Tells the others that it has ended.
struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn exactly_once(scene: &Scene, world: &World, offered: &BTreeSet<String>) {
    assert!(world.doubled.is_empty(), "doubled: {:?}", world.doubled);
    assert!(world.aside.is_empty(), "the order list is back");
    world.disorder().unwrap();
    let delivered = |name: &str| world.places.get(name) == Some(&Place::Delivered);
    let waits = |name: &str| matches!(world.places.get(name), Some(Place::Waits(_)));
    for name in offered {
        assert!(delivered(name), "{name}: {:?}", world.places.get(name));
    }
    let mut all = offered.len();
    for n in 0..ALL {
        let picked = n.is_multiple_of(scene.one_in);
        let name = format!("{} {n:06}", if picked { "pick" } else { "rest" });
        let holds = match scene.ends {
            Ends::Delivered if picked => delivered(&name),
            Ends::Deleted if picked => !world.places.contains_key(&name),
            _ => waits(&name),
        };
        assert!(holds, "{name}: {:?}", world.places.get(&name));
        all += usize::from(world.places.contains_key(&name));
    }
    assert_eq!(world.places.len(), all, "nothing else is there");
}

/// Everything is due.
pub fn transfer() {
    play(&Scene {
        before: &[],
        typed: &["transfer", QUEUE],
        one_in: 1,
        due: When::Past,
        aside: false,
        ends: Ends::Delivered,
    });
}

/// Entries that are not due are delivered.
pub fn deliver() {
    play(&Scene {
        before: &[],
        typed: &["deliver", QUEUE, "--grep", "pick"],
        one_in: 20,
        due: When::Soon,
        aside: false,
        ends: Ends::Delivered,
    });
}

/// A tenth is due.
pub fn deliver_late() {
    play(&Scene {
        before: &[],
        typed: &["deliver", QUEUE, "--late"],
        one_in: 10,
        due: When::Past,
        aside: false,
        ends: Ends::Delivered,
    });
}

/// A sweep.
pub fn delete() {
    play(&Scene {
        before: &[],
        typed: &["delete", QUEUE, "--grep", "pick"],
        one_in: 20,
        due: When::Soon,
        aside: false,
        ends: Ends::Deleted,
    });
}

/// And what takes it back.
pub fn undo() {
    play(&Scene {
        before: &["delete", QUEUE, "--grep", "pick"],
        typed: &["undo"],
        one_in: 20,
        due: When::Soon,
        aside: false,
        ends: Ends::Waiting,
    });
}

/// Other due times.
pub fn requeue() {
    play(&Scene {
        before: &[],
        typed: &["requeue", QUEUE, "--grep", "pick", "--by", "1h"],
        one_in: 20,
        due: When::Soon,
        aside: false,
        ends: Ends::Waiting,
    });
}

/// A burst is defused.
pub fn realign() {
    play(&Scene {
        before: &[],
        typed: &["repair", QUEUE, "--realign", "--within", "1h"],
        one_in: 20,
        due: When::Soon,
        aside: false,
        ends: Ends::Waiting,
    });
}

/// What an interrupted change left is mended.
pub fn restore_order() {
    play(&Scene {
        before: &[],
        typed: &["repair", QUEUE, "--restore-order"],
        one_in: 20,
        due: When::Soon,
        aside: true,
        ends: Ends::Waiting,
    });
}
