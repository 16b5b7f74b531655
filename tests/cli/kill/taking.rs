//! A consumer is killed, and a worker: of what goes through their hands nothing is lost, and nothing
//! is delivered twice but the one message that a dying consumer was printing.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use delayscope::clock::instant;
use delayscope::queue::Queue;

use crate::kill::beside::Beside;
use crate::kill::others::is_theirs;
use crate::kill::program::{Program, Said};
use crate::kill::proxy::{PastPicture, Point, Proxy};
use crate::kill::run::{Kill, Measured, each_kill};
use crate::kill::scenario::{Lie, QUEUE};
use crate::kill::world::{Place, World};
use crate::support::{Server, wait_for};

/// So many messages a consumer takes.
const TAKEN: usize = 25;
/// What waits for others longer than that is killed all the same.
const LONG: Duration = Duration::from_secs(2);

fn queue() -> Queue {
    Queue::redisson(QUEUE)
}

/// The messages of a scenario.
fn names() -> Vec<String> {
    (1..=TAKEN).map(|n| format!("pick {n:06}")).collect()
}

/// How the messages come.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Come {
    /// They are there before.
    Before,
    /// One by one, while it waits for them.
    Meanwhile,
}

/// Puts the messages into target; one by one once somebody waits for them.
fn deliver(server: &Server, come: Come, ended: &Mutex<bool>) {
    let names = names();
    if come == Come::Before {
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        server.cmd(&[&["RPUSH", QUEUE], &all[..]].concat());
        return;
    }
    wait_for("a consumer", || {
        let clients = format!("{:?}", server.cmd(&["CLIENT", "LIST"]));
        clients.contains("cmd=blmove") || *ended.lock().unwrap()
    });
    for name in &names {
        server.cmd(&["RPUSH", QUEUE, name]);
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn empty(server: &Server) -> Program {
    server.cmd(&["SCRIPT", "FLUSH"]);
    server.cmd(&["FLUSHALL"]);
    Program::new(server)
}

/// What was printed whole, in order.
fn printed(said: &Said) -> Vec<String> {
    let texts = said.lines.iter().filter_map(|line| line["text"].as_str());
    texts.map(str::to_owned).collect()
}

/// Runs a consumer, and delivers to it.
fn consume(
    server: &Server,
    come: Come,
    run: impl FnOnce(&[&str]) -> Result<Said, String>,
) -> Result<Said, String> {
    let count = TAKEN.to_string();
    let words = ["consume", QUEUE, "--count", &count, "--yes"];
    let ended = Mutex::new(false);
    if come == Come::Before {
        deliver(server, come, &ended);
    }
    std::thread::scope(|scope| {
        let delivering =
            (come == Come::Meanwhile).then(|| scope.spawn(|| deliver(server, come, &ended)));
        let said = run(&words);
        *ended.lock().unwrap() = true;
        if let Some(delivering) = delivering {
            delivering.join().unwrap();
        }
        said
    })
}

fn kill_a_consumer(come: Come) {
    let beside = Beside::start();
    let server = beside.server();
    let program = empty(server);
    let proxy = Proxy::start(&server.socket(), Point::Never, PastPicture::Hold);
    let began = instant();
    let said = consume(server, come, |words| {
        Ok(program.run_through(words, "", &proxy))
    })
    .unwrap();
    let took = began.elapsed();
    assert_eq!(
        (printed(&said), said.code),
        (names(), Some(0)),
        "{}",
        said.told
    );
    let [scripts, bytes] = proxy.passed();
    let measured = Measured {
        scripts,
        bytes,
        took,
    };
    let mut twice = 0;
    each_kill(&format!("consume, {come:?}"), measured, |kill| {
        let (killed, again) = one(&beside, come, kill)?;
        twice += again;
        Ok(killed)
    });
    println!("{twice} messages were printed and held still");
}

/// Whether it was alive when it was killed, and how many messages came twice.
fn one(beside: &Beside, come: Come, kill: &Kill) -> Result<(bool, usize), String> {
    let server = beside.server();
    let program = empty(server);
    let others = beside.begin(kill.transfers);
    let proxy = Proxy::start(&server.socket(), kill.point, PastPicture::Hold);
    let after = kill.after.min(LONG);
    let said = consume(server, come, |words| program.kill(words, "", &proxy, after));
    let did = others.end();
    let said = said?;
    let wrong = |what: String| Err(format!("{what}\n{}", said.told));
    let dead = World::of(server, &queue());
    let first = printed(&said);
    let handed_on: BTreeSet<String> = first.iter().cloned().collect();
    if handed_on.len() < first.len() {
        return wrong(format!("printed twice: {first:?}"));
    }
    if !dead.doubled.is_empty() {
        return wrong(format!("doubled: {:?}", dead.doubled));
    }
    did.check_beside(&dead, &handed_on)?;
    let places = &dead.places;
    if let Some(lost) = names()
        .iter()
        .find(|name| !places.contains_key(*name) && !handed_on.contains(*name))
    {
        return wrong(format!("{lost:?} is lost"));
    }
    let held = |place: &Place| matches!(place, Place::Held | Place::Moved);
    let kept = places.iter().filter(|(_, place)| held(place)).count();
    let again: Vec<&String> = handed_on
        .iter()
        .filter(|name| places.contains_key(*name))
        .collect();
    if again.len() > 1 || again.iter().any(|name| places[*name] != Place::Held) {
        return wrong(format!("printed, and there still: {again:?}"));
    }
    let with = |why: String| format!("{why}\n{}", said.told);
    told(&program, &handed_on).map_err(with)?;
    put_back(server, kept).map_err(with)?;
    let rest = program.run(&["consume", QUEUE, "--timeout", "0", "--yes"], "");
    let end = World::of(server, &queue());
    let second: Vec<String> = printed(&rest);
    for name in names() {
        let times = first
            .iter()
            .chain(&second)
            .filter(|one| **one == name)
            .count();
        let due = 1 + usize::from(again.contains(&&name));
        if times != due || end.places.contains_key(&name) {
            return wrong(format!(
                "{name:?} was delivered {times} times, not {due}: {}",
                rest.told
            ));
        }
    }
    did.check_beside(&end, &first.iter().chain(&second).cloned().collect())?;
    Ok((said.code.is_none(), again.len()))
}

/// The journal tells of all that was printed.
fn told(program: &Program, printed: &BTreeSet<String>) -> Result<(), String> {
    let journal = program.run(&["journal"], "");
    let Some(head) = journal
        .lines
        .iter()
        .find(|head| head["change"] == "consume")
    else {
        return if printed.is_empty() {
            Ok(())
        } else {
            Err("the journal knows nothing of it".to_owned())
        };
    };
    let told = program.run(&["journal", head["journal_id"].as_str().unwrap()], "");
    let texts = told.lines.iter().filter_map(|line| line["text"].as_str());
    let texts: BTreeSet<&str> = texts.collect();
    match printed.iter().find(|name| !texts.contains(name.as_str())) {
        Some(name) => Err(format!(
            "the journal does not tell of {name:?}: {}",
            told.told
        )),
        None => Ok(()),
    }
}

/// While its lease runs, the message of a consumer is left where it is; then it is put back, first
/// in line. What the server moved for it is nobody's. Another machine does it, which knows nothing of
/// the consumer's journal.
fn put_back(server: &Server, kept: usize) -> Result<(), String> {
    let program = Program::new(server);
    let before = World::of(server, &queue());
    let of = |world: &World, place: &Place| {
        let names = world.places.iter().filter(|(_, at)| *at == place);
        names.map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
    if of(&before, &Place::Moved).is_empty() {
        let said = program.change(&["repair", QUEUE, "--put-back"]);
        let now = World::of(server, &queue());
        if said.code != Some(1) || now.places != before.places {
            return Err(format!("its lease runs still: {}", said.told));
        }
    }
    // As if half a minute had passed.
    let leases = queue().keys().hold.leases;
    server.cmd_bytes(&[b"DEL", &leases]);
    let said = program.change(&["repair", QUEUE, "--put-back"]);
    let now = World::of(server, &queue());
    let done = if kept > 0 { said.count("done") } else { 0 };
    if said.code != Some(i32::from(kept == 0)) || done != kept as u64 {
        return Err(format!("{kept} were held: {}", said.told));
    }
    let left = [Place::Held, Place::Moved].map(|place| of(&now, &place).len());
    if left != [0, 0] || !now.doubled.is_empty() {
        return Err(format!(
            "after it was put back: {:?}: {}",
            now.places, said.told
        ));
    }
    let line = server.list(&["LRANGE", QUEUE, "0", "0"]);
    let first = line
        .first()
        .map(|name| String::from_utf8_lossy(name).into_owned());
    let held = [of(&before, &Place::Held), of(&before, &Place::Moved)].concat();
    match first {
        _ if kept == 0 => Ok(()),
        Some(first) if held.contains(&first) => Ok(()),
        first => Err(format!("{first:?} is first in line, not one of {held:?}")),
    }
}

#[test]
fn what_a_consumer_takes_is_printed_or_held() {
    kill_a_consumer(Come::Before);
}

#[test]
fn what_a_consumer_waits_for_is_printed_or_held() {
    kill_a_consumer(Come::Meanwhile);
}

/// Kills a worker on a backlog; in the end everything is in target, once.
fn kill_a_worker(lie: Lie) {
    let beside = Beside::start();
    let server = beside.server();
    let words = ["worker", QUEUE, "--until-empty", "--yes"];
    let prepare = || {
        lie.put(server);
        Program::new(server)
    };
    let program = prepare();
    let before = World::of(server, &queue());
    let proxy = Proxy::start(&server.socket(), Point::Never, PastPicture::Hold);
    let began = instant();
    let said = program.run_through(&words, "", &proxy);
    let took = began.elapsed();
    assert_eq!(said.code, Some(0), "{}", said.told);
    let [scripts, bytes] = proxy.passed();
    let measured = Measured {
        scripts,
        bytes,
        took,
    };
    each_kill(&format!("worker, {} due", lie.waiting), measured, |kill| {
        let program = prepare();
        let others = beside.begin(kill.transfers);
        let proxy = Proxy::start(&server.socket(), kill.point, PastPicture::Hold);
        let said = program.kill(&words, "", &proxy, kill.after.min(LONG));
        let did = others.end();
        let said = said?;
        let check = |world: &World, when: &str| {
            let lost = before
                .places
                .keys()
                .find(|name| !world.places.contains_key(*name));
            let wrong = match (lost, world.disorder()) {
                (Some(name), _) => format!("{name:?} is lost"),
                (None, Err(disorder)) => disorder,
                (None, Ok(())) if !world.doubled.is_empty() => {
                    format!("doubled: {:?}", world.doubled)
                }
                (None, Ok(())) => return did.check(world),
            };
            Err(format!("{when}: {wrong}\n{}", said.told))
        };
        let dead = World::of(server, &queue());
        check(&dead, "after the death")?;
        if !dead.aside.is_empty() {
            let repaired = program.change(&["repair", QUEUE, "--restore-order"]);
            if !matches!(repaired.code, Some(0 | 1)) {
                return Err(repaired.told);
            }
        }
        let rest = program.change(&["transfer", QUEUE]);
        let end = World::of(server, &queue());
        check(&end, "at the end")?;
        let mut ours = end.places.iter().filter(|(name, _)| !is_theirs(name));
        match ours.find(|(_, place)| **place != Place::Delivered) {
            Some(left) => Err(format!("{left:?} is not delivered: {}", rest.told)),
            None => Ok(said.code.is_none()),
        }
    });
}

#[test]
fn what_a_worker_transfers_is_in_one_place() {
    kill_a_worker(Lie::new(300, 300).due());
}

#[test]
fn what_a_worker_transfers_in_bulk_is_in_one_place() {
    kill_a_worker(Lie::new(3_000, 3_000).due().shuffled());
}
