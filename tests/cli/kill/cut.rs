//! The answer of a script never comes, but the program lives: it reads again and says what became
//! of each entry.

use std::time::Duration;

use crate::kill::program::{Program, Said};
use crate::kill::proxy::{PastPicture, Point, Proxy};
use crate::kill::run::all_told;
use crate::kill::scenario::{Lie, PastPicture as Beforehand, QUEUE};
use crate::kill::world::{Place, World, moved};
use crate::support::{Server, wait_for};

const SOME: Lie = Lie::new(1_200, 700).shuffled();

/// What is typed, cut at its script number 1, before or after that ran. What it said, and how many
/// messages are elsewhere.
fn cut(lie: Lie, typed: &[&str], point: Point) -> (Said, u64) {
    let queue = delayscope::queue::Queue::redisson(QUEUE);
    let server = Server::start();
    lie.put(&server);
    let before = World::of(&server, &queue);
    let program = Program::new(&server);
    let proxy = Proxy::start(&server.socket(), point, PastPicture::Cut);
    let said = program.run_through(&[typed, &["--yes"]].concat(), "", &proxy);
    assert!(proxy.reached(), "the point was reached: {}", said.told);
    let after = World::of(&server, &queue);
    assert!(after.doubled.is_empty(), "{:?}", after.doubled);
    after.disorder().unwrap();
    let moved = moved(&before.places, &after.places).len() as u64;
    assert!(all_told(&said), "each entry has one outcome: {}", said.told);
    (said, moved)
}

/// Nobody but this change can have moved what is not due: it says so, whatever was cut.
fn resolved(typed: &[&str], point: Point) {
    let (said, moved) = cut(SOME, typed, point);
    let told = [said.count("done"), said.count("unknown")];
    assert_eq!((told, said.code), ([moved, 0], Some(0)), "{}", said.told);
}

#[test]
fn a_deletion_whose_answer_never_came_is_read_again() {
    resolved(
        &["delete", QUEUE, "--grep", "pick", "--limit", "250"],
        Point::After(1),
    );
}

#[test]
fn a_deletion_that_never_arrived_is_made_again() {
    resolved(
        &["delete", QUEUE, "--grep", "pick", "--limit", "250"],
        Point::Before(1),
    );
}

#[test]
fn a_sweep_whose_answer_never_came_is_read_again() {
    resolved(&["delete", QUEUE, "--grep", "pick"], Point::After(1));
}

#[test]
fn a_requeue_whose_answer_never_came_is_read_again() {
    resolved(
        &["requeue", QUEUE, "--grep", "pick", "--by", "1h"],
        Point::After(1),
    );
}

#[test]
fn a_delivery_whose_answer_never_came_is_read_again() {
    resolved(&["deliver", QUEUE, "--grep", "pick"], Point::After(1));
}

/// The order list is put right by whichever script: what became of that is not told as somebody
/// else's work.
#[test]
fn a_repair_of_the_order_list_whose_answer_never_came_is_not_told_as_gone() {
    let lie = SOME.then(Beforehand::Drift);
    for script in 0..3 {
        let typed = ["repair", QUEUE, "--drift"];
        let (said, _) = cut(lie, &typed, Point::After(script));
        let told = [said.count("gone"), said.count("left")];
        assert_eq!(told, [0, 0], "{script}: {}", said.told);
    }
}

/// What is due may have been transferred before the script came to delete it: of that it says that
/// it does not know, since taking it back might double it.
#[test]
fn of_a_late_entry_whose_deletion_was_never_answered_it_says_that_it_does_not_know() {
    let all = ["delete", QUEUE, "--grep", "pick"];
    for typed in [&all[..], &[&all[..], &["--limit", "250"]].concat()] {
        let (said, moved) = cut(SOME.due(), typed, Point::After(1));
        let [done, unknown] = [said.count("done"), said.count("unknown")];
        assert!(unknown > 0 && done + unknown == moved, "{}", said.told);
    }
}

/// The server is stopped in the middle of a change, for as long as `pause` takes.
fn stopped(pause: impl FnOnce()) {
    let queue = delayscope::queue::Queue::redisson(QUEUE);
    let server = Server::start();
    SOME.put(&server);
    let program = Program::new(&server);
    let proxy = Proxy::start(&server.socket(), Point::Never, PastPicture::Hold);
    let typed = [
        "deliver", QUEUE, "--grep", "pick", "--rate", "2000/s", "--yes",
    ];
    let child = program.begin(&typed, &proxy);
    wait_for("the second script", || proxy.passed()[0] >= 2);
    server.stop();
    pause();
    server.go_on();
    let said = program.end(&typed, child);
    let done = [
        said.count("planned"),
        said.count("done"),
        said.count("unknown"),
    ];
    assert_eq!((done, said.code), ([700, 700, 0], Some(0)), "{}", said.told);
    let world = World::of(&server, &queue);
    let delivered = world
        .places
        .values()
        .filter(|place| **place == Place::Delivered);
    assert_eq!((delivered.count(), world.doubled.len()), (700, 0));
    world.disorder().unwrap();
}

#[test]
fn a_server_that_pauses_is_waited_for() {
    stopped(|| {});
}

/// Longer than an answer may take.
#[test]
#[ignore = "takes 12 s: cargo test --test cli kill::cut -- --ignored"]
fn what_a_server_that_stood_still_did_is_read_again() {
    stopped(|| std::thread::sleep(Duration::from_secs(12)));
}
