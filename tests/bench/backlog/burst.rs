//! A burst in a large shuffled queue, worked off by the real client alone: as it stands, and after
//! `repair --realign` has brought it to the head of the order list before it fell due.

use std::time::Duration;

use delayscope::clock::{EpochMillis, instant};
use delayscope::queue::Queue;

use crate::data::Data;
use crate::peer::{RELEASES, Side};
use crate::program::Program;
use crate::watch::{Noticed, Watch};
use crate::{check, ms, rate};

const QUEUE: &str = "burst";
const ALL: usize = 1_000_000;
const BURST: usize = 40_000;
/// From the making of the data to the moment at which the burst is due: what loading and
/// realigning may take. In ms.
const AHEAD: i64 = 25_000;
/// For how long the client is watched, where it does not end before.
const LONGEST: Duration = Duration::from_secs(20);
/// How many times as fast it is after a realignment.
const CLAIM: f64 = 500.0;

/// Prints both; what missed its claim.
pub fn compare() -> Vec<String> {
    println!("\nA burst of {BURST} in {ALL} shuffled entries, worked off by Redisson alone\n");
    println!("{:<20}{:>12}{:>9}{:>9}", "", "entries/s", "script", "PING");
    let before = worked_off(false);
    let after = worked_off(true);
    let times = after / before;
    println!("{:<20}{times:>12.0}  times as fast, claimed {CLAIM:.0}", "");
    if times >= CLAIM {
        Vec::new()
    } else {
        vec![format!("a realigned burst: {times:.0} times as fast")]
    }
}

/// Entries a second, from the moment at which the burst falls due.
fn worked_off(realigned: bool) -> f64 {
    let side = Side::start(&RELEASES[2], "4");
    let server = &side.server;
    let queue = Queue::redisson(QUEUE);
    let due = server.now().plus(AHEAD);
    let later = due.plus(86_400_000);
    let data = Data::new(
        ALL,
        |n| {
            if n < BURST {
                due.get()
            } else {
                later.plus(i64::try_from(n).unwrap()).get()
            }
        },
        |n| format!("order {n:018}"),
    );
    data.shuffled().load(server, &queue);
    let mut note = String::new();
    if realigned {
        let run = Program::new(server).change(&["repair", QUEUE, "--realign", "--within", "10m"]);
        note = format!("realigned in {:.1} s", run.took.as_secs_f64());
    }
    let client = side.client(QUEUE);
    client.work(QUEUE, "string");
    check::wait_for_transfer_clients(server, QUEUE, 1);
    assert!(
        server.now() < due,
        "too slow a machine: the burst is due already"
    );
    let (moved, took, noticed) = watched(&side, due);
    let name = if realigned {
        "realigned"
    } else {
        "as it stands"
    };
    println!(
        "{name:<20}{:>12.0}{:>9.1}{:>9.1}  {moved} in {:.1} s{}{note}",
        rate(moved, took),
        ms(noticed.script),
        ms(noticed.ping),
        took.as_secs_f64(),
        if note.is_empty() { "" } else { "; " }
    );
    client.leave();
    rate(moved, took)
}

/// How many the client moved, in which time, and what others noticed.
fn watched(side: &Side, due: EpochMillis) -> (usize, Duration, Noticed) {
    let server = &side.server;
    let left = || usize::try_from(check::depths(server, QUEUE)[0]).unwrap();
    while server.now() < due {
        std::thread::sleep(Duration::from_millis(1));
    }
    let watch = Watch::begin(server);
    let began = instant();
    let (mut moved, mut took) = (0, Duration::ZERO);
    while moved < BURST && took < LONGEST {
        std::thread::sleep(Duration::from_millis(2));
        moved = ALL - left();
        took = began.elapsed();
    }
    (moved, took, watch.end(server))
}
