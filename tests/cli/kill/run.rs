//! A change is run once to its end, to learn what it does; then it is killed, and what is left is
//! looked at, mended, explained and taken back.

use std::collections::BTreeSet;
use std::time::Duration;

use delayscope::clock::instant;
use delayscope::queue::{Change, Queue};

use crate::data::Random;
use crate::kill::beside::{Beside, Others};
use crate::kill::others::is_theirs;
use crate::kill::program::{Program, Said};
use crate::kill::proxy::{PastPicture, Point, Proxy};
use crate::kill::scenario::{PastPicture as Beforehand, QUEUE, Scenario, Undo};
use crate::kill::world::{Place, Places, World, astray, moved};
use crate::support::Server;

/// So many kills of each scenario unless `KILLS` says another number.
const KILLS: usize = 2;
/// So many clients come and go in one JVM, whose memory holds no thousand of them.
const CLIENTS: usize = 200;
/// Kinds of moments.
const KINDS: usize = 4;
/// Longer than any change takes.
const FOREVER: Duration = Duration::from_secs(10 * 60);

/// What a scenario does when nobody kills it.
struct Control {
    before: World,
    after: Places,
    measured: Measured,
}

/// How long a run is that nobody kills.
#[derive(Clone, Copy)]
pub struct Measured {
    /// In scripts.
    pub scripts: usize,
    /// In bytes of requests.
    pub bytes: usize,
    /// By the clock.
    pub took: Duration,
}

/// One death.
#[derive(Clone, Copy)]
pub struct Kill {
    /// There.
    pub point: Point,
    /// Or after that time.
    pub after: Duration,
    /// Whether other clients transfer what is due meanwhile.
    pub transfers: bool,
}

/// Makes a test of each scenario, and a list of them all.
macro_rules! killed {
    ($($name:ident $scenario:block)*) => {
        $(
            #[test]
            fn $name() {
                $crate::kill::run::kill(&$scenario);
            }
        )*

        /// The scenarios of this file.
        pub const ALL: &[fn() -> Scenario] = &[$(|| $scenario),*];
    };
}
pub(crate) use killed;

/// Kills a change again and again: at each step boundary, and at random.
pub fn kill(scenario: &Scenario) {
    let mut beside = Beside::start();
    let control = control(beside.server(), scenario);
    let mut clients = 0;
    each_kill(&scenario.typed.join(" "), control.measured, |kill| {
        clients += 1;
        if clients % CLIENTS == 0 {
            beside = Beside::start();
        }
        one(&beside, scenario, &control, kill)
    });
}

/// Makes the kills of a run of that length; `one` says whether the program was alive then.
pub fn each_kill(
    what: &str,
    measured: Measured,
    mut one: impl FnMut(&Kill) -> Result<bool, String>,
) {
    let kills = number("KILLS").unwrap_or(KILLS);
    let seed = number("KILL_SEED").unwrap_or_else(fresh_seed);
    let mut random = Random(u64::try_from(seed).unwrap());
    let mut died = 0;
    for n in 0..kills {
        let (point, after) = moment(n + seed % KINDS, kills, measured, &mut random);
        let told = format!(
            "{what} killed at {point:?} or after {after:?} (KILL_SEED={seed} KILLS={kills}, the \
             {n}th)"
        );
        let kill = Kill {
            point,
            after,
            transfers: random.below(2) == 0,
        };
        match one(&kill) {
            Ok(killed) => died += usize::from(killed),
            Err(wrong) => panic!("{told}:\n{wrong}"),
        }
    }
    println!("{died} of {kills} died of it: {what}");
    // Some have ended before; of a few, all may have.
    assert!(kills < 20 || 2 * died >= kills, "most had ended before");
}

fn number(variable: &str) -> Option<usize> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Another one in every run.
fn fresh_seed() -> usize {
    usize::try_from(delayscope::clock::local_now().get()).unwrap() % 1_000_000
}

/// Step boundaries and random moments take turns; which is first, the seed says, so that a few
/// kills are of another kind in every run.
fn moment(n: usize, kills: usize, measured: Measured, random: &mut Random) -> (Point, Duration) {
    let steps = measured.scripts.max(1);
    // All boundaries when there are kills enough, else any.
    let step = if kills >= KINDS * steps {
        n / KINDS % steps
    } else {
        random.below(steps)
    };
    match n % KINDS {
        0 => (Point::After(step), FOREVER),
        1 => (Point::Before(step), FOREVER),
        2 => {
            let micros = usize::try_from(measured.took.as_micros()).unwrap();
            let after = u64::try_from(random.below(micros.max(1))).unwrap();
            (Point::Never, Duration::from_micros(after))
        }
        _ => (Point::Byte(random.below(measured.bytes.max(1))), FOREVER),
    }
}

/// The queue as it lies on the server, with all that the scenario is about.
fn world(server: &Server, scenario: &Scenario) -> World {
    let mut world = World::of(server, &Queue::redisson(QUEUE));
    if scenario.lie.has_strays() {
        world = world.with_strays();
    }
    if scenario.copies {
        world = world.with_copies();
    }
    world
}

/// Lays the queue out, and makes the changes that come before.
fn prepare(server: &Server, scenario: &Scenario) -> Program {
    scenario.lie.put(server);
    let program = Program::new(server);
    if !scenario.before.is_empty() {
        let said = program.change(scenario.before);
        assert_eq!(said.code, Some(0), "{}", said.told);
    }
    program
}

/// The words, with what they need to be killed rather than asked.
fn words(scenario: &Scenario) -> Vec<&'static str> {
    let mut words = scenario.typed.to_vec();
    // An offer has nothing to ask.
    if words[0] != "offer" {
        words.push("--yes");
    }
    words
}

fn control(server: &Server, scenario: &Scenario) -> Control {
    let program = prepare(server, scenario);
    let before = world(server, scenario);
    if !scenario.way.is_empty() {
        let plan = program.run(&[scenario.typed, &["--dry-run"]].concat(), scenario.input);
        assert_eq!(plan.summary()["way"], scenario.way, "{}", plan.told);
    }
    let proxy = Proxy::start(&server.socket(), Point::Never, PastPicture::Hold);
    let began = instant();
    let said = program.run_through(&words(scenario), scenario.input, &proxy);
    let took = began.elapsed();
    assert_eq!(said.code, Some(0), "{}", said.told);
    let after = world(server, scenario);
    after
        .disorder()
        .unwrap_or_else(|wrong| panic!("{wrong}\n{}", said.told));
    assert!(after.aside.is_empty(), "{}", said.told);
    let moved = moved(&before.places, &after.places);
    assert_eq!(moved.len(), scenario.moves, "{}", said.told);
    let [scripts, bytes] = proxy.passed();
    Control {
        before,
        after: after.places,
        measured: Measured {
            scripts,
            bytes,
            took,
        },
    }
}

/// Whether it was alive when it was killed.
fn one(
    beside: &Beside,
    scenario: &Scenario,
    control: &Control,
    kill: &Kill,
) -> Result<bool, String> {
    let server = beside.server();
    let program = prepare(server, scenario);
    let others = (!scenario.alone).then(|| beside.begin(kill.transfers));
    let proxy = Proxy::start(&server.socket(), kill.point, PastPicture::Hold);
    let said = program.kill(&words(scenario), scenario.input, &proxy, kill.after);
    let did = others.map(Others::end).unwrap_or_default();
    let said = said?;
    let dead = world(server, scenario);
    let found = look(&dead, control).and_then(|()| did.check(&dead));
    found.map_err(|wrong| format!("after the death: {wrong}\n{}", said.told))?;
    mend(&program, scenario, &dead)?;
    let mended = world(server, scenario);
    // To mend these is to go on with the change.
    if scenario.lie.has_strays() || scenario.change() == Change::PutBack {
        let gone_on = astray(&mended, &control.after, &control.after, is_theirs);
        gone_on.map_err(|wrong| format!("after going on: {wrong}"))?;
    } else if mended.places != dead.places {
        let moved = moved(&dead.places, &mended.places);
        return Err(format!("mending the order list moved {moved:?}"));
    }
    if mended.listed() != mended.waiting || !mended.aside.is_empty() {
        return Err("after mending, the order list is not what waits".to_owned());
    }
    // What others may have transferred is no change of ours to explain or take back.
    let transferred = |name: &String| {
        let place = mended.places.get(name);
        kill.transfers && scenario.lie.due && place == Some(&Place::Delivered)
    };
    let mut changed = moved(&control.before.places, &mended.places);
    changed.retain(|name| !is_theirs(name) && !transferred(name));
    let ids = explain(&program, scenario, control, &changed)?;
    take_back(server, &program, scenario, control, &ids, &changed)?;
    Ok(said.code.is_none())
}

/// Every message is where it was or where it shall be, and the order list holds its promises.
fn look(world: &World, control: &Control) -> Result<(), String> {
    astray(world, &control.before.places, &control.after, is_theirs)?;
    // What was in disorder before may be so until it is mended.
    control
        .before
        .disorder()
        .map_or(Ok(()), |()| world.disorder())
}

fn mend(program: &Program, scenario: &Scenario, dead: &World) -> Result<(), String> {
    let mut repairs = Vec::new();
    if !dead.aside.is_empty() {
        repairs.push("--restore-order");
    }
    if dead.disorder().is_err() || scenario.typed.contains(&"--drift") {
        repairs.push("--drift");
    }
    let mut commands: Vec<Vec<&str>> = repairs
        .into_iter()
        .map(|repair| vec!["repair", QUEUE, repair])
        .collect();
    if scenario.lie.then == Beforehand::Strays {
        commands = vec![scenario.typed.to_vec()];
    }
    // From any machine, by whoever finds it.
    if scenario.change() == Change::PutBack {
        commands.push(scenario.typed.to_vec());
    }
    for command in commands {
        let said = program.change(&command);
        // 1: there was nothing (more) to mend.
        if !matches!(said.code, Some(0 | 1)) {
            return Err(format!("{}: {}", command.join(" "), said.told));
        }
    }
    Ok(())
}

/// The ids in the journal of the change, and of what has gone on with it, the newest first: they
/// must tell of everything that is elsewhere now.
fn explain(
    program: &Program,
    scenario: &Scenario,
    control: &Control,
    changed: &BTreeSet<String>,
) -> Result<Vec<String>, String> {
    let word = scenario.change().word();
    let journal = program.run(&["journal"], "");
    let heads = journal.lines.iter().filter(|head| head["change"] == word);
    let ids = heads.map(|head| head["journal_id"].as_str().expect("journal_id").to_owned());
    let ids: Vec<String> = ids.collect();
    let told: Vec<Said> = ids
        .iter()
        .map(|id| program.run(&["journal", id], ""))
        .collect();
    let lines = || told.iter().flat_map(|told| &told.lines);
    let named = |field: &'static str| lines().filter_map(move |line| line[field].as_str());
    let listed: BTreeSet<&str> = named("id").chain(named("text")).collect();
    // What was made by the change is told by what it was made of.
    let made = |name: &str| !control.before.places.contains_key(name);
    let known = |name: &&String| {
        made(name) || listed.contains(name.as_str()) || listed.contains(&*id_of(name))
    };
    let unknown: Vec<&String> = changed.iter().filter(|name| !known(name)).collect();
    // What was killed before it had written anything has changed nothing.
    let untold = if ids.is_empty() {
        0
    } else {
        scenario.undo.untold()
    };
    if unknown.len() > untold {
        let told: Vec<&str> = told.iter().map(|said| said.told.as_str()).collect();
        return Err(format!(
            "the journal does not tell of {unknown:?}: {} {told:?}",
            journal.told
        ));
    }
    Ok(ids)
}

/// The id of an entry of a scenario: the number in its name.
fn id_of(name: &str) -> String {
    let number: u64 = name
        .split(' ')
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(0);
    format!("{number:016x}")
}

fn take_back(
    server: &Server,
    program: &Program,
    scenario: &Scenario,
    control: &Control,
    ids: &[String],
    changed: &BTreeSet<String>,
) -> Result<(), String> {
    if scenario.undo == Undo::Nothing || changed.is_empty() {
        return Ok(());
    }
    let dead = world(server, scenario);
    let (mut done, mut told) = (0, String::new());
    for id in ids {
        // Nobody else was at it: what nobody wrote down was done by the one that died.
        let said = program.change(&["undo", "--force", id]);
        if !matches!(said.code, Some(0 | 1)) {
            return Err(format!("undo failed: {}", said.told));
        }
        done += said.count("done");
        told.push_str(&said.told);
    }
    let undone = world(server, scenario);
    let wrong = |what: String| Err(format!("{what}: {told}"));
    if let Err(disorder) = undone.disorder()
        && control.before.disorder().is_ok()
        && !scenario.lie.has_strays()
    {
        return wrong(format!("after the undo: {disorder}"));
    }
    let moved_back = moved(&dead.places, &undone.places);
    // An edit takes one message away and brings another one, and so does a frame of another length.
    let edits = ["edit", "--repack"]
        .iter()
        .any(|it| scenario.typed.contains(it));
    let each = if edits { 2 } else { 1 };
    if moved_back.len() as u64 != each * done {
        return wrong(format!("the undo moved {} messages", moved_back.len()));
    }
    let mut left = moved(&control.before.places, &undone.places);
    left.retain(|name| changed.contains(name));
    if left.len() > scenario.undo.untold() {
        return wrong(format!("not taken back: {left:?}"));
    }
    Ok(())
}

/// Whether a run said that it did all it was asked to do, for those that were cut and not killed.
pub fn all_told(said: &Said) -> bool {
    let words = [
        "done",
        "gone",
        "changed",
        "undecodable",
        "refused",
        "unknown",
        "left",
    ];
    words.iter().map(|word| said.count(word)).sum::<u64>() == said.count("planned")
}
