//! Whatever others have named, written or answered: nothing of it commands a terminal, hides in a
//! line or turns it around, from any command, as text or as JSON.
//!
//! `MEMBERS=100000 cargo test --test cli hostile` looks at more members than the few hundred here.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Command, Stdio};

use delayscope::queue::Queue;

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
    for json in [false, true] {
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

/// Every subcommand that is about a queue, what is first to be looked at first.
const ALL: &[&[&str]] = &[
    &["queues"],
    &["show", "Q"],
    &["entries", "Q"],
    &["entries", "Q", "--from", "order", "--limit", "50"],
    &["entries", "Q", "--from", "delivered", "--raw"],
    &["entries", "Q", "--from", "quarantined", "--limit", "50"],
    &["search", "Q", "EVIL"],
    &["search", "Q", "re:/\u{1b}[/"],
    &["watch", "Q", "--count", "1"],
    &["doctor", "Q", "--for", "100ms"],
    &["doctor", "--for", "100ms"],
    &["report", "Q", "--for", "100ms"],
    &["report", "--for", "100ms"],
    &["acl", "Q"],
    &["kick", "Q", "--yes"],
    &[
        "offer",
        "Q",
        "\u{1b}[31mmessage\u{202e}",
        "--form",
        "byte-id",
        "--in",
        "1h",
    ],
    &["offer", "Q", "x", "--form", "\u{1b}[31m"],
    &["requeue", "Q", "--late", "--in", "1h", "--dry-run"],
    &[
        "requeue", "Q", "--limit", "3", "--all", "--in", "1h", "--yes", "--each",
    ],
    &["duplicate", "Q", "--limit", "3", "--all", "--yes", "--each"],
    &["transfer", "Q", "--dry-run"],
    &["transfer", "Q", "--limit", "5", "--yes", "--each"],
    &["deliver", "Q", "--limit", "5", "--all", "--yes", "--each"],
    &["undo", "--yes"],
    &["delete", "Q", "--limit", "5", "--all"],
    &["delete", "Q", "--limit", "5", "--all", "--yes", "--each"],
    &["delete", "Q", "--id", "\u{1b}[31m", "--yes"],
    &[
        "edit",
        "Q",
        "--id",
        "0000000000000001",
        "--file",
        "/no/\u{1b}[31m\u{202e}",
    ],
    &["repair", "Q", "--drift", "--dry-run"],
    &["repair", "Q", "--drift", "--yes", "--each"],
    &["repair", "Q", "--quarantine", "--yes", "--each"],
    &["repair", "Q", "--restore", "--all", "--yes"],
    &["repair", "Q", "--restore-order", "--yes"],
    &["repair", "Q", "--realign", "--within", "1h", "--yes"],
    &["consume", "Q", "--peek", "--count", "5"],
    &["consume", "Q", "--count", "2", "--yes"],
    &[
        "worker",
        "Q",
        "--until-empty",
        "--batch",
        "\u{1b}[31m",
        "--yes",
    ],
    &["journal"],
    &["journal", "\u{1b}[31m"],
    &["decode", "\u{1b}[31m\u{202e}"],
    &["demo", "--scenario", "\u{1b}[31m\u{202e}"],
    &["\u{1b}[31m\u{202e}"],
    &["queues", "--\u{1b}[31m\u{202e}"],
    &["queues", "--queue", "zset-list:\u{1b}[31m,\u{1b}[31m"],
    &["queues", "--profile", "\u{1b}[31m\u{202e}"],
    &["queues", "-u", "redis://\u{1b}[31m\u{202e}:1"],
    &["queues", "-s", "/no/\u{1b}[31m\u{202e}"],
];

/// The words of a command, with a queue's digits for `Q`.
fn about<'a>(words: &[&'a str], hex: &'a str) -> Vec<&'a str> {
    let word = |word: &&'a str| match *word {
        "Q" => vec!["--queue-hex", hex],
        word => vec![word],
    };
    words.iter().flat_map(word).collect()
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
    let program = Program::start();
    for name in NAMES {
        let queue = Queue::redisson(name);
        fill(&program, &queue);
        let _ = redis::cmd("EVAL")
            .arg(format!(
                "return redis.error_reply('{}')",
                WORDS.replace(' ', "X")
            ))
            .arg(0)
            .exec(&mut program.server.connection());
    }
    hostile_user(&program);
    for name in NAMES {
        let hex = hex::encode(name);
        for words in ALL {
            says_no_harm(|| program.command(&[]), &about(words, &hex));
        }
        for words in [
            &["show", "Q"][..],
            &["doctor", "Q", "--for", "100ms"],
            &["transfer", "Q", "--yes"],
            &["kick", "Q"],
        ] {
            let user = || program.command(&["--user", WORDS_OF_USER, "-a", "x"]);
            says_no_harm(user, &about(words, &hex));
        }
    }
    traffic(&program);
}

/// What is announced is told while it happens.
fn traffic(program: &Program) {
    for json in [&[][..], &["--json"]] {
        let queue = Queue::redisson(NAMES[0]);
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
        &["show", "Q"],
        &["transfer", "Q", "--yes"],
        &["consume", "Q", "--yes"],
    ] {
        says_no_harm(command, &about(words, "1b"));
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
