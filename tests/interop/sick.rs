//! Queues that real clients have made sick: our doctor names it, its repair mends it, and they go
//! on.

use std::process::{Command, Output, Stdio};

use delayscope::queue::{Era, Form, Queue, frame};
use serde_json::Value;

use crate::check::{self, wait_for_transfer_clients};
use crate::peer::{LAST_OLDER, RELEASES, Release, Side};
use crate::support::{PATIENCE, Server, wait_for};
use crate::terminal::Terminal;

const QUEUE: &str = "orders";
/// What `doctor` says in the time that it takes by itself: its findings, the worst first.
fn doctor(server: &Server) -> Vec<Value> {
    let Output { status, stdout, .. } = run(server, &["doctor", QUEUE, "--json", "--for", "4s"]);
    let said = String::from_utf8(stdout).unwrap();
    let findings: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let bad = !findings.iter().all(is_no_warning);
    assert_eq!(status.code(), Some(i32::from(bad)), "{said}");
    findings
}

/// What it says first of all; panics unless it is of that rule.
fn named(server: &Server, rule: &str) -> Value {
    let findings = doctor(server);
    assert_eq!(findings[0]["id"], rule, "{findings:#?}");
    findings[0].clone()
}

fn is_well(server: &Server) -> bool {
    doctor(server).iter().all(is_no_warning)
}

/// It is a note, or a check that takes longer.
fn is_no_warning(found: &Value) -> bool {
    found["severity"] == "note" || found["severity"] == "undecided"
}

fn run(server: &Server, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_delayscope"))
        .args(["-u", &server.url()])
        .args(words)
        .env("XDG_STATE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .env("XDG_CONFIG_HOME", env!("CARGO_TARGET_TMPDIR"))
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The command that a finding prints, done.
fn repaired(server: &Server, found: &Value) {
    let command = found["repair_command"].as_str().expect("a command");
    let words: Vec<&str> = command
        .split(' ')
        .skip_while(|word| !word.starts_with('/'))
        .skip(1)
        .collect();
    let flags: &[&str] = match words[0] {
        "worker" => &["--yes", "--until-empty"],
        _ => &["--yes"],
    };
    let Output {
        status,
        stdout,
        stderr,
    } = run(server, &[&words[..], flags].concat());
    let said = [stdout, stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(status.success(), "{command}: {}", said.concat());
}

/// An entry that the worker cannot unpack is due amid others: what is before it is delivered again
/// every 5 s, what is behind it waits; repacked, all of it goes on by itself.
pub fn poison(release: &'static Release) {
    let side = Side::start(release, "1");
    let server = &side.server;
    let offering = side.client("offers");
    let delays = [(60_000, "before"), (60_500, "behind"), (61_000, "last")];
    offering.offer(QUEUE, "string", delays);
    offering.offer(QUEUE, "string", [(900_000, "later")]);
    offering.leave();
    wait_for_transfer_clients(server, QUEUE, 0);
    let other = match release.form.era() {
        Era::Older => Form::ByteId,
        Era::Newer => Form::DoubleId,
    };
    // Never a 7 at the front: that one both could unpack.
    let member = frame::encode(other, [8, 1, 2, 3, 4, 5, 6, 0x43], b"poison");
    let due = side.due_times(QUEUE)[0] + 200;
    server.put(&Queue::redisson(QUEUE), &member, &due.to_string());
    pass(server, 120_000);

    let client = side.client("worker");
    client.work(QUEUE, "string");
    wait_for("the worker to choke", || check::errors(server) > 0);
    let found = named(server, "poison");
    assert_eq!(found["severity"], "critical");
    let sentence = found["sentence"].as_str().unwrap();
    let clients = release.form.era().releases();
    assert!(sentence.contains(clients), "{sentence}");
    wait_for("it to be delivered again", || {
        check::depths(server, QUEUE)[2] >= 2
    });
    repaired(server, &named(server, "poison"));
    wait_for("what is due to go on", || {
        check::depths(server, QUEUE)[..2] == [1, 1]
    });
    let mut delivered = delivered(server);
    assert_eq!(delivered[0], delivered[1], "again and again");
    delivered.sort();
    delivered.dedup();
    assert_eq!(delivered, ["before", "behind", "last", "poison"]);
    wait_for("the queue to be well", || is_well(server));
}

/// Lets so many ms pass for the entries of the queue: their due times move.
fn pass(server: &Server, ms: i64) {
    const PASS: &[u8] = b"for _, m in ipairs(redis.call('zrange', KEYS[1], 0, -1)) do \
        redis.call('zincrby', KEYS[1], ARGV[1], m) end";
    let timeouts = Queue::redisson(QUEUE).keys().timeouts;
    let by = (-ms).to_string();
    server.cmd_bytes(&[b"EVAL", PASS, b"1", &timeouts, by.as_bytes()]);
}

/// What consumers will take.
fn delivered(server: &Server) -> Vec<String> {
    server
        .list(&["LRANGE", QUEUE, "0", "-1"])
        .into_iter()
        .map(|element| String::from_utf8(element).unwrap())
        .collect()
}

/// A client of each era, both offer and transfer: each is in the way of the other.
pub fn mixed_fleet() {
    let older = Side::start(&LAST_OLDER, "1");
    let server = &older.server;
    let newer = Side::joining(older.server.clone(), &RELEASES[2], "1");
    let texts: Vec<String> = (0..40).map(|n| format!("order {n}")).collect();
    let clients = [&older, &newer].map(|side| side.client("both"));
    // In turn, four each.
    for (n, some) in texts.chunks(4).enumerate() {
        let due = (400 + 60 * n as u64..).step_by(60);
        let some = due.zip(some.iter().map(String::as_str));
        clients[n % 2].offer(QUEUE, "string", some);
    }
    wait_for("them to choke", || check::errors(server) > 1);
    wait_for("all to be due", || {
        let due = older.due_times(QUEUE);
        due.last()
            .is_none_or(|last| *last + 1_000 < server.now().get())
    });
    let found = named(server, "mixed-fleet");
    let sentence = found["sentence"].as_str().unwrap();
    for era in Era::BOTH {
        assert!(sentence.contains(era.releases()), "{sentence}");
    }
    let [stays, goes] = clients;
    goes.leave();
    repaired(server, &found);
    assert!(is_well(server));
    let delivered = delivered(server);
    assert!(
        texts.iter().all(|text| delivered.contains(text)),
        "none is lost"
    );
    drop(stays);
}

/// A JVM is killed with ten thousand entries ahead of it; they are late when somebody looks. From
/// the screen a stand-in worker delivers them.
pub fn killed_worker() {
    const ALL: u64 = 10_000;
    let mut side = Side::start(&RELEASES[2], "1");
    let server = side.server.clone();
    let client = side.client("worker");
    client.work(QUEUE, "string");
    server.fill(&Queue::redisson(QUEUE), ALL, server.now().plus(60_000), 0);
    std::mem::forget(client);
    side.kill();
    wait_for_transfer_clients(&server, QUEUE, 0);
    assert_eq!(
        check::depths(&server, QUEUE)[0],
        10_000,
        "nothing was due yet"
    );
    pass(&server, 120_000);
    assert_eq!(named(&server, "no-transfer-client")["figure"], ALL);

    let program = [env!("CARGO_BIN_EXE_delayscope"), "-u", &server.url()].map(str::to_owned);
    let program: Vec<&str> = program.iter().map(String::as_str).collect();
    let mut screen = Terminal::start(&program, (120, 40), &[]);
    screen.wait_text("No Redisson client runs");
    screen.send(b"5");
    screen.wait_text("✖ CRIT  No Redisson client runs");
    screen.wait_text("→ Start the application, or the worker here (R)");
    screen.send(b"R");
    screen.wait_text("Repair ── ");
    screen.send(b"\r");
    // A worker is no bulk change: no name is typed.
    screen.wait_text("[ y start");
    screen.send(b"y");
    screen.wait("all moved", PATIENCE, |shown| {
        shown.text().contains("10,000 moved")
    });
    assert_eq!(check::depths(&server, QUEUE), [0, 0, 10_000]);
    wait_for("the queue to be well", || is_well(&server));
}
