//! Whatever others have named, written or answered: nothing of it commands a terminal, hides in a
//! line or turns it around, from any command, as text or as JSON.
//!
//! `MEMBERS=100000 cargo test --test cli hostile` looks at more members than the few hundred here.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

mod commands;
mod terminal;
mod traced;

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Command, Stdio};

use delayscope::queue::{Change, ConsumerTag, Holder, Queue};

use self::commands::{ALL, NO_JSON, Places};

use super::pasting::Random;
use super::program::{Program, bare};
use crate::support::{frame, room};

/// Names of queues: what a terminal obeys, what hides, what turns around, what no text is.
const NAMES: [&[u8]; 2] = [
    "o'\u{1b}]0;X\u{7}\u{1b}[31m\u{202e}\u{9b}2J`|\r\n\u{200b}\u{ad}\u{feff}\u{e0041}".as_bytes(),
    b"\0\xff\xc2\x9b\x1b",
];
/// What a server, a client or a user may be made to say.
const WORDS: &str = "EVIL\u{1b}]0;X\u{7}\u{1b}[31m \u{9b}2J\u{202e}\u{2066}\u{200b}";

/// How many members of random bytes.
fn members() -> usize {
    let asked = std::env::var("MEMBERS").ok();
    asked.map_or(300, |n| n.parse().unwrap())
}

fn random_bytes(random: &mut Random) -> Vec<u8> {
    let bytes = (0..random.below(40)).map(|_| u8::try_from(random.below(256)).unwrap());
    let mut bytes: Vec<u8> = bytes.collect();
    if random.below(2) == 0 {
        bytes.extend(WORDS.as_bytes());
    }
    bytes
}

/// A queue of random members, framed ones and others, on all sides.
fn fill(program: &Program, queue: &Queue) {
    let keys = queue.keys();
    let mut random = Random(11);
    let now = program.server.now();
    let mut connection = program.server.connection();
    let mut left = members();
    while left > 0 {
        let mut pipe = redis::pipe();
        for n in 0..left.min(5_000) {
            let bytes = random_bytes(&mut random);
            let member = if n % 2 == 0 {
                frame(n as u64, &bytes)
            } else {
                bytes.clone()
            };
            let due = now.plus(i64::try_from(random.below(7_200_000)).unwrap() - 600_000);
            pipe.zadd(&keys.timeouts, &member, due.get());
            if n % 7 != 0 {
                pipe.rpush(keys.order.as_ref().unwrap(), &member);
            }
            if n % 10 == 0 {
                pipe.rpush(&keys.target, &bytes);
                pipe.zadd(&keys.quarantine, &member, due.get());
            }
        }
        pipe.exec(&mut connection).unwrap();
        left -= left.min(5_000);
    }
    sick(program, queue);
}

/// The id of an entry that stays until the end.
const LAST: u64 = 0xffff;

/// Something for each repair.
fn sick(program: &Program, queue: &Queue) {
    let keys = queue.keys();
    let order = keys.order.unwrap();
    let member = |n: u64| frame(900_000 + n, WORDS.as_bytes());
    let now = program.server.now();
    let mut all = redis::pipe();
    for n in 0..4 {
        // Only the order list holds it; it was delivered with its frame; its due time is in seconds;
        // it has none; it is aside.
        all.rpush(&order, member(n));
        all.rpush(&keys.target, member(10 + n));
        all.zadd(&keys.timeouts, member(20 + n), now.get() / 1_000);
        all.zadd(
            &keys.timeouts,
            member(30 + n),
            -5 - i64::try_from(n).unwrap(),
        );
        all.zadd(&keys.timeouts, member(40 + n), now.plus(7_000_000).get());
        all.rpush(keys.aside.as_ref().unwrap(), member(40 + n));
    }
    // Delivered twice.
    all.rpush(&keys.target, "twice")
        .rpush(&keys.target, "twice");
    // Held by one that died.
    let holder = Holder {
        consumer: ConsumerTag {
            host: WORDS.to_owned(),
            pid: 1,
            number: 1,
        },
        at: now,
        turn: 0,
    };
    all.hset(&keys.hold.held, holder.field(), WORDS);
    all.hset(&keys.hold.held, WORDS, WORDS);
    all.pexpire(&keys.target, 3_600_000);
    let last = frame(LAST, WORDS.as_bytes());
    all.zadd(&keys.timeouts, &last, now.plus(86_400_000).get());
    all.rpush(&order, &last);
    all.exec(&mut program.server.connection()).unwrap();
}

/// A queue of which all is due, and of whose names one was taken.
fn taken(program: &Program, queue: &Queue) {
    let keys = queue.keys();
    let mut all = redis::pipe();
    all.hset(&keys.target, WORDS, WORDS);
    all.zadd(&keys.timeouts, frame(1, WORDS.as_bytes()), 1);
    all.rpush(keys.order.as_ref().unwrap(), frame(1, WORDS.as_bytes()));
    all.exec(&mut program.server.connection()).unwrap();
}

/// What is wrong with an output; nothing when all of it is what it looks like.
fn harm(output: &[u8]) -> Option<String> {
    let Ok(output) = std::str::from_utf8(output) else {
        return Some("it is no UTF-8".to_owned());
    };
    let harms = |c: char| {
        c.is_control() && c != '\n'
            || matches!(c,
                '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}'
                | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
                | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
                | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
    };
    let found = output.find(harms)?;
    let line = output[..found].rsplit('\n').next().unwrap_or_default();
    Some(format!(
        "{:?} after {line:?}",
        output[found..].chars().next().unwrap()
    ))
}

/// Runs a command as text and as JSON; whatever comes of it, it says nothing that does harm.
fn says_no_harm(command: impl Fn() -> Command, args: &[&str]) {
    says_no_harm_as(&[false, true], command, args);
}

/// The same, as JSON or not.
fn says_no_harm_as(json: &[bool], command: impl Fn() -> Command, args: &[&str]) {
    for json in json.iter().copied() {
        let mut command = command();
        command.args(args).stdin(Stdio::null());
        if json {
            command.arg("--json");
        }
        let said = command.output().unwrap();
        for output in [&said.stdout, &said.stderr] {
            if let Some(harm) = harm(output) {
                panic!("{args:?}, JSON {json}: {harm}");
            }
        }
        // A report in Markdown stays one: the acl is a line for redis-cli, also in JSON.
        let json = json && !args.iter().any(|word| NO_JSON.contains(word));
        for line in said.stdout.split(|byte| *byte == b'\n').filter(|_| json) {
            if !line.is_empty() {
                let parsed = serde_json::from_slice::<serde_json::Value>(line);
                assert!(
                    parsed.is_ok(),
                    "{args:?}: {:?}",
                    String::from_utf8_lossy(line)
                );
            }
        }
    }
}

/// A user whose name is hostile, which stands in what the server says of missing rights.
fn hostile_user(program: &Program) {
    let set = [
        "ACL",
        "SETUSER",
        WORDS_OF_USER,
        "on",
        "nopass",
        "~*",
        "&*",
        "+@all",
    ];
    let less = [
        "-eval", "-evalsha", "-info", "-client", "-zcard", "-publish",
    ];
    program.server.cmd(&[&set[..], &less[..]].concat());
}

const WORDS_OF_USER: &str = "EVIL\u{1b}[31m\u{9b}\u{202e}";

#[test]
fn no_command_passes_on_what_commands_a_terminal() {
    every_command(NAMES[0]);
}

#[test]
fn no_command_passes_on_what_is_no_text() {
    every_command(NAMES[1]);
}

fn every_command(name: &[u8]) {
    let program = Program::start();
    let input = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(input.path(), format!("edited {WORDS}")).unwrap();
    hostile_user(&program);
    fill(&program, &Queue::redisson(name));
    let other = [name, b"taken"].concat();
    taken(&program, &Queue::redisson(other.as_slice()));
    let places = Places {
        queue: hex::encode(name),
        taken: hex::encode(other),
        file: input.path().to_str().unwrap().to_owned(),
    };
    let _ = redis::cmd("EVAL")
        .arg(format!(
            "return redis.error_reply('{}')",
            WORDS.replace(' ', "X")
        ))
        .arg(0)
        .exec(&mut program.server.connection());
    // It takes its time.
    let metrics = program.begin(&["metrics"]);
    for words in ALL {
        says_no_harm(|| program.command(&[]), &places.filled(words));
    }
    for words in [
        &["show", "Q"][..],
        &["doctor", "Q", "--for", "100ms"],
        &["transfer", "Q", "--yes"],
        &["kick", "Q"],
        &["nodes"],
        &["trace", "Q", "--for", "100ms"],
    ] {
        let user = || program.command(&["--user", WORDS_OF_USER, "-a", "x"]);
        says_no_harm(user, &places.filled(words));
    }
    let metrics = metrics.ended().done();
    assert_eq!(harm(metrics.out.as_bytes()), None);
    traffic(&program, name);
    journal(&program);
}

/// Every change that was made, entry by entry, and its undo; among them is one of each kind that
/// the journal keeps.
fn journal(program: &Program) {
    let heads = program.run(&["journal", "--json"]).done().json();
    let made: BTreeSet<&str> = heads
        .iter()
        .filter(|head| head["done"].as_u64() > Some(0))
        .map(|head| head["change"].as_str().unwrap())
        .collect();
    let missing: Vec<&str> = Change::ALL
        .into_iter()
        .map(Change::word)
        .filter(|word| !made.contains(word))
        .collect();
    assert_eq!(missing, UNWRITTEN, "kinds of changes that were not made");
    for (n, head) in heads.iter().enumerate() {
        let id = head["journal_id"].as_str().unwrap();
        let command = || program.command(&[]);
        says_no_harm(command, &["journal", id]);
        says_no_harm_as(&[n % 2 == 0], command, &["undo", id, "--yes", "--each"]);
    }
}

/// Changes of which the journal says nothing.
const UNWRITTEN: [&str; 1] = ["kick"];

/// What is announced is told while it happens.
fn traffic(program: &Program, name: &[u8]) {
    for json in [&[][..], &["--json"]] {
        let queue = Queue::redisson(name);
        let channel = queue.keys().channel.unwrap();
        let watching = program.begin(&[&["traffic", "--count", "1"], json].concat());
        let listens = || program.server.int(&["PUBSUB", "NUMPAT"]) == 1;
        crate::support::wait_for("traffic to listen", listens);
        program
            .server
            .cmd_bytes(&[b"PUBLISH", &channel, WORDS.as_bytes()]);
        let said = watching.ended();
        assert_eq!(harm(said.out.as_bytes()), None);
        assert!(said.out.contains("EVIL"), "{said:?}");
    }
}

#[test]
fn a_report_tells_errors_by_names_that_command_nothing() {
    let program = Program::start();
    program.offer("orders", "hello", "1h");
    let script = r"return redis.error_reply('\27]0;X\7\27[31mEVIL x')";
    let refused = redis::cmd("EVAL")
        .arg(script)
        .arg(0)
        .exec(&mut program.server.connection());
    assert!(refused.is_err());
    let said = program.run(&["report", "orders", "--for", "100ms"]);
    assert!(
        said.out.contains("errorstat_\\x1b]0;X\\x07\\x1b[31mEVIL"),
        "{}",
        said.out
    );
    let told = program.run(&["report", "orders", "--for", "100ms", "--json"]);
    assert!(
        told.out.contains("errorstat_\\u001b]0;X\\u0007"),
        "{}",
        told.out
    );
    let info = &told.json()[0]["server_info"];
    let name = "errorstat_\u{1b}]0;X\u{7}\u{1b}[31mEVIL";
    assert!(info.get(name).is_some(), "{info}");
}

#[test]
fn what_a_server_answers_commands_no_terminal() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    // It answers each write with words of its own, and lets nobody in.
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            std::thread::spawn(move || {
                let mut asked = vec![0; 65_536];
                while stream.read(&mut asked).is_ok_and(|n| n > 0) {
                    let answer = format!("-{WORDS}\r\n").repeat(8);
                    if stream.write_all(answer.as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    let home = room();
    let command = || {
        let mut command = bare(home.path());
        command.args(["-p", &port]);
        command
    };
    for words in [
        &["queues"][..],
        &["show", "--queue-hex", "1b"],
        &["nodes"],
        &["metrics"],
        &["trace", "--queue-hex", "1b", "--yes"],
        &["transfer", "--queue-hex", "1b", "--yes"],
        &["consume", "--queue-hex", "1b", "--yes"],
    ] {
        says_no_harm(command, words);
    }
}

#[test]
fn a_name_is_taken_as_it_is_also_where_it_is_no_text() {
    let program = Program::start();
    let name = std::ffi::OsStr::from_bytes(b"\xffq");
    let offered = program
        .command(&["offer"])
        .arg(name)
        .args(["hello", "--form", "byte-id", "--in", "1h"])
        .output();
    let offered = offered.unwrap();
    assert!(offered.status.success(), "{offered:?}");
    let shown = program
        .run(&["show", "--queue-hex", "ff71", "--json"])
        .done()
        .json();
    assert_eq!(shown[0]["waiting"], 1);
}
