//! What an undo says is so, and what it advises works: after a change was killed, after the undo
//! itself was killed, once or again and again, beside other clients, and with equal elements.

use std::collections::BTreeMap;
use std::time::Duration;

use delayscope::queue::Queue;

use crate::kill::others::{Others, is_theirs};
use crate::kill::program::{Program, Said};
use crate::kill::proxy::{PastPicture as ChangeRequest, Point, Proxy};
use crate::kill::scenario::{Lie, PastPicture, QUEUE};
use crate::kill::world::{World, moved};
use crate::support::Server;

const FOREVER: Duration = Duration::from_secs(10 * 60);
/// A sweep of the order list.
const MANY: Lie = Lie::new(4_000, 2_400).shuffled();
/// A batch or two, one after the other.
const SOME: Lie = Lie::new(1_200, 600).shuffled();

/// So many rounds unless `KILLS` says another number.
fn rounds() -> usize {
    let kills = std::env::var("KILLS").ok();
    kills.and_then(|kills| kills.parse().ok()).unwrap_or(2)
}

/// A server, a program, and the queue as it was before all changes.
struct Desk {
    server: Server,
    program: Program,
    before: World,
}

impl Desk {
    fn new(lie: Lie) -> Self {
        let server = Server::start();
        lie.put(&server);
        Self {
            program: Program::new(&server),
            before: World::of(&server, &Queue::redisson(QUEUE)),
            server,
        }
    }

    fn world(&self) -> World {
        World::of(&self.server, &Queue::redisson(QUEUE))
    }

    /// Kills what is typed at that point; whether it came to it.
    fn killed(&self, typed: &[&str], point: Point) -> bool {
        let proxy = Proxy::start(&self.server.socket(), point, ChangeRequest::Hold);
        let words = [typed, &["--yes"]].concat();
        let said = self.program.kill(&words, "", &proxy, FOREVER);
        said.unwrap().code.is_none()
    }

    /// The newest change of that kind.
    fn id(&self, change: &str) -> String {
        let journal = self.program.run(&["journal"], "");
        let mut heads = journal.lines.iter();
        let head = heads.find(|head| head["change"] == change);
        let head = head.unwrap_or_else(|| panic!("no {change}: {}", journal.told));
        head["journal_id"].as_str().unwrap().to_owned()
    }

    /// Everything is where it was.
    fn is_as_before(&self, told: &str) {
        let now = self.world();
        let elsewhere = moved(&self.before.places, &now.places);
        let some: Vec<_> = elsewhere.iter().take(5).collect();
        assert!(
            elsewhere.is_empty() && now.doubled.is_empty(),
            "{} elsewhere, {some:?}, doubled {:?}\n{told}",
            elsewhere.len(),
            now.doubled.len()
        );
        now.disorder()
            .unwrap_or_else(|wrong| panic!("{wrong}\n{told}"));
    }
}

/// The commands that it advises to give.
fn advice(said: &Said) -> Vec<String> {
    let reasons = said.lines.iter().filter_map(|line| line["reason"].as_str());
    let commands = reasons.filter_map(|reason| reason.split('`').nth(1));
    let mut commands: Vec<String> = commands.map(str::to_owned).collect();
    commands.sort();
    commands.dedup();
    commands
}

const DELETE: &[&str] = &["delete", QUEUE, "--grep", "pick"];
const TAKEN: &[&str] = &["delete", QUEUE, "--from", "delivered", "--grep", "pick"];
const REQUEUE: &[&str] = &["requeue", QUEUE, "--grep", "pick", "--by", "1h"];
const DELIVER: &[&str] = &["deliver", QUEUE, "--grep", "pick"];
const QUARANTINE: &[&str] = &["repair", QUEUE, "--quarantine", "--grep", "pick"];
const TRANSFER: &[&str] = &["transfer", QUEUE];

/// A change; then its undo, killed at these points one after the other; then the same command, and
/// what that advises, is typed: everything is where it was. What was advised; none when an undo came
/// to its end before such a point.
fn continued(lie: Lie, typed: &[&str], points: &[Point]) -> Option<Vec<String>> {
    let desk = Desk::new(lie);
    let said = desk.program.change(typed);
    assert_eq!(said.code, Some(0), "{}", said.told);
    let id = said.summary()["journal_id"].as_str().unwrap().to_owned();
    let undo = ["undo", &id];
    for point in points {
        if !desk.killed(&undo, *point) {
            desk.is_as_before(&format!("{typed:?} {points:?}"));
            return None;
        }
    }
    let left = moved(&desk.before.places, &desk.world().places).len();
    let said = desk.program.change(&undo);
    let advised = advice(&said);
    // Killed after its last script, it had done all: then nothing is left for another one.
    let nothing = said.summary()["planned"] == 0;
    let code = i32::from(nothing || !advised.is_empty());
    assert_eq!(said.code, Some(code), "{typed:?} {points:?}: {}", said.told);
    assert_eq!(
        nothing,
        left == 0,
        "{typed:?} {points:?}, {left} left: {}",
        said.told
    );
    for command in &advised {
        let said = desk.program.as_printed(command);
        assert_eq!(said.code, Some(0), "{command}: {}", said.told);
    }
    desk.is_as_before(&format!("{typed:?} {points:?}\n{}", said.told));
    Some(advised)
}

#[test]
fn a_killed_undo_is_continued_by_the_same_command_until_all_is_back() {
    for typed in [DELETE, REQUEUE, DELIVER, QUARANTINE] {
        for lie in [SOME, MANY] {
            for point in [Point::Before(0), Point::After(0), Point::After(1)] {
                let advised = continued(lie, typed, &[point]);
                // Nobody else transfers what is not due: that is seen to be back, or not to be.
                assert_eq!(advised, Some(Vec::new()), "{typed:?} {point:?}");
            }
        }
    }
}

#[test]
fn an_undo_that_is_killed_again_and_again_comes_to_its_end() {
    let points = [
        Point::After(0),
        Point::Before(1),
        Point::After(1),
        Point::Before(0),
    ];
    for typed in [DELETE, REQUEUE, DELIVER] {
        assert_eq!(continued(MANY, typed, &points), Some(Vec::new()));
    }
}

/// What is due, or in target, others may have taken: then `--force` is advised, and does it.
#[test]
fn what_a_killed_undo_advises_brings_the_rest_back() {
    let mut advised = 0;
    for round in 0..rounds() {
        for (lie, typed) in [
            (MANY.due(), DELETE),
            (SOME.then(PastPicture::Delivered), TAKEN),
        ] {
            for point in [Point::Before(round), Point::After(round)] {
                advised += continued(lie, typed, &[point]).map_or(0, |advised| advised.len());
            }
        }
    }
    assert!(advised > 0, "some were in doubt");
}

/// The tally is what is there afterwards.
fn told_as_it_is(lie: Lie, typed: &[&str], change: &str, point: Point) {
    let desk = Desk::new(lie);
    if !desk.killed(typed, point) {
        return;
    }
    if !desk.world().aside.is_empty() {
        desk.program.change(&["repair", QUEUE, "--restore-order"]);
    }
    let dead = desk.world();
    let id = desk.id(change);
    let said = desk.program.change(&["undo", &id]);
    let told = format!("{typed:?} {point:?}\n{}", said.told);
    let now = desk.world();
    now.disorder()
        .unwrap_or_else(|wrong| panic!("{wrong}\n{told}"));
    assert!(now.doubled.is_empty(), "{told}");
    let left = moved(&desk.before.places, &now.places).len() as u64;
    if said.lines.is_empty() || said.lines.last().unwrap()["planned"] == 0 {
        assert_eq!((left, said.code), (0, Some(1)), "{told}");
        return;
    }
    let back = moved(&dead.places, &now.places).len() as u64;
    assert_eq!(said.count("done"), back, "{told}");
    let [gone, changed] = ["gone", "changed"].map(|word| said.count(word));
    assert_eq!([gone, changed], [0; 2], "{told}");
    let open = said.count("refused") + said.count("unknown");
    assert!(open >= left, "{left} are not back, {open} told: {told}");
    assert_eq!(said.code, Some(i32::from(open > 0)), "{told}");
    for command in advice(&said) {
        let said = desk.program.as_printed(&command);
        assert_eq!(said.code, Some(0), "{command}: {}", said.told);
        desk.is_as_before(&said.told);
    }
}

#[test]
fn of_a_killed_change_all_comes_back_and_untouched_entries_are_not_counted() {
    let delivered = SOME.then(PastPicture::Delivered);
    let changes: [(Lie, &[&str], &str); 6] = [
        (MANY, DELETE, "delete"),
        (SOME, DELETE, "delete"),
        (delivered, TAKEN, "delete"),
        (Lie::new(1_500, 1_200), REQUEUE, "requeue"),
        (Lie::new(1_500, 1_200), DELIVER, "deliver"),
        (MANY, QUARANTINE, "quarantine"),
    ];
    for (lie, typed, change) in changes {
        for n in 0..rounds() {
            told_as_it_is(lie, typed, change, Point::Before(n));
            told_as_it_is(lie, typed, change, Point::After(n));
        }
    }
}

#[test]
fn of_a_killed_transfer_it_is_said_how_much_is_not_known() {
    // One that watches, one with the order list aside, which the server tells what it moved.
    let lies = [
        Lie::new(3_000, 2_500).due(),
        Lie::new(8_000, 8_000).due().shuffled(),
    ];
    for lie in lies {
        for n in 0..=rounds() {
            told_as_it_is(lie, TRANSFER, "transfer", Point::Before(n));
            told_as_it_is(lie, TRANSFER, "transfer", Point::After(n));
        }
    }
}

/// What others delivered since is not delivered again: only the last script is in doubt.
#[test]
fn a_forced_undo_beside_a_client_that_delivers_doubles_at_most_what_it_was_told_of() {
    for n in 0..rounds() {
        let desk = Desk::new(Lie::new(6_000, 5_000).due().shuffled());
        let others = Others::begin(&desk.server, true);
        desk.killed(DELETE, Point::After(n + 1));
        others.end();
        let id = desk.id("delete");
        let said = desk.program.change(&["undo", &id]);
        let in_doubt = said.count("refused");
        assert!(desk.world().doubled.is_empty(), "{}", said.told);
        // A slice of the list, and what is looked at beyond it.
        assert!(in_doubt <= 1_256, "{}", said.told);
        for command in advice(&said) {
            let said = desk.program.as_printed(&command);
            assert_eq!(said.count("done"), in_doubt, "{}", said.told);
        }
        let now = desk.world();
        let ours = desk.before.places.keys();
        let lost: Vec<_> = ours
            .filter(|name| !now.places.contains_key(*name))
            .collect();
        assert_eq!(lost, [""; 0], "{}", said.told);
        let doubled = now.doubled.iter().filter(|name| !is_theirs(name)).count() as u64;
        assert!(doubled <= in_doubt, "{doubled} of {in_doubt} came twice");
    }
}

/// Three of each message, deleted from target by a change that is killed, whose undo is killed too.
#[test]
fn equal_elements_come_back_as_often_as_they_were_deleted_or_are_told_to_be_in_doubt() {
    for point in [Point::Before(1), Point::After(1)] {
        for again in [Point::Before(0), Point::After(0), Point::Never] {
            let server = Server::start();
            let target = Queue::redisson(QUEUE).keys().target;
            let mut push = redis::cmd("RPUSH");
            push.arg(&target);
            for n in 0..1_500 {
                push.arg(format!("pick {:03}", n % 500));
            }
            push.exec(&mut server.connection()).unwrap();
            let counts = || -> BTreeMap<String, u64> {
                let all = server.cmd_bytes(&[b"LRANGE", &target, b"0", b"-1"]);
                let all: Vec<String> = redis::from_redis_value(all).unwrap();
                let mut counts = BTreeMap::new();
                for element in all {
                    *counts.entry(element).or_insert(0) += 1;
                }
                counts
            };
            let before = counts();
            let desk = Desk {
                program: Program::new(&server),
                before: World::default(),
                server,
            };
            let counts = || -> BTreeMap<String, u64> {
                let all = desk.server.cmd_bytes(&[b"LRANGE", &target, b"0", b"-1"]);
                let all: Vec<String> = redis::from_redis_value(all).unwrap();
                let mut counts = BTreeMap::new();
                for element in all {
                    *counts.entry(element).or_insert(0) += 1;
                }
                counts
            };
            desk.killed(TAKEN, point);
            let id = desk.id("delete");
            let undo = ["undo", &id];
            desk.killed(&undo, again);
            let mut said = desk.program.change(&undo);
            for command in advice(&said) {
                said = desk.program.as_printed(&command);
            }
            // Which of equal ones were taken cannot be seen: then that is told, and none comes
            // twice.
            let refused = said.count("refused");
            let [now, all] = [counts(), before.clone()].map(|one| one.values().sum::<u64>());
            let most = counts().into_values().max();
            let told = format!("{point:?} {again:?}: {now} of {all}\n{}", said.told);
            assert!(most <= Some(3) && all - now <= refused, "{told}");
        }
    }
}

/// Copies of which one is kept, whose undo is killed: each is where it stood.
#[test]
fn what_was_kept_one_of_comes_back_to_its_place_although_the_undo_is_killed() {
    let keep_one = [
        "delete",
        QUEUE,
        "--from",
        "delivered",
        "--all",
        "--keep-one",
    ];
    for point in [
        Point::Before(0),
        Point::After(0),
        Point::Before(1),
        Point::After(1),
    ] {
        let server = Server::start();
        let target = Queue::redisson(QUEUE).keys().target;
        let mut push = redis::cmd("RPUSH");
        push.arg(&target);
        // Of one message another number of copies than of the next, and others between them.
        for n in 0..2_400_u64 {
            push.arg(format!("pick {:03}", n * n * 7 % 601));
        }
        push.exec(&mut server.connection()).unwrap();
        let desk = Desk {
            program: Program::new(&server),
            before: World::default(),
            server,
        };
        let standing = || -> Vec<String> {
            let all = desk.server.cmd_bytes(&[b"LRANGE", &target, b"0", b"-1"]);
            redis::from_redis_value(all).unwrap()
        };
        let before = standing();
        let said = desk.program.change(&keep_one);
        assert_eq!(said.code, Some(0), "{}", said.told);
        assert!(standing().len() < 602, "one of each");
        let id = desk.id("delete");
        assert!(desk.killed(&["undo", &id], point), "{point:?}");
        let said = desk.program.change(&["undo", &id]);
        assert_eq!(said.code, Some(0), "{point:?}: {}", said.told);
        assert!(standing() == before, "{point:?}: {}", said.told);
    }
}
