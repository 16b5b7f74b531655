//! Commands to be pasted, run by real shells: each gives the program what was meant, and nothing
//! else is run.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::process::{Command, Stdio};

use delayscope::args::{Args, Command as Asked};
use delayscope::queue::{Queue, redis_cli, shell};

use crate::support::{Server, room};

/// Pieces of names that mean something to a shell, or cannot be seen in one.
const PIECES: &[&[u8]] = &[
    b"orders",
    b"'",
    b"\"",
    b"$(touch X)",
    b"`touch X`",
    b"; touch X #",
    b"\n",
    b"\r",
    b"\t",
    b"\\",
    b"\0",
    b"\xff",
    b"\xc3",
    b"-",
    b"--",
    b" ",
    b"=ls",
    b"!",
    b"~",
    b"*",
    b"?",
    b"[a]",
    b"{a,b}",
    b"%s",
    b"%n",
    b"\\x41",
    b"\\047",
    b"|",
    b"&",
    b"> X",
    b"< X",
    b"#",
    b"$HOME",
    b"$'",
    b"=",
    b"\x1b[31m",
    b"\xe2\x80\xae",
    b"\xe2\x80\x8b",
    b"\xc2\x9b",
    b"\xd8\xb9",
    b"\xc2\xa0",
    b"zset-list:",
    b"redisson:",
    "订单".as_bytes(),
    b"a,b",
    b"\x07",
    b"^",
    b"(",
    b")",
];

/// The same numbers in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

/// The names that were reported, and many that were not.
fn names() -> Vec<Vec<u8>> {
    let mut random = Random(7);
    let mut names: Vec<Vec<u8>> = [
        b"'; touch X #\n".as_slice(),
        b"=ls",
        b"-rf",
        b"a\0b",
        "a\u{202e};dm".as_bytes(),
        b"a\n",
        b"zset-list:a,b",
    ]
    .map(<[u8]>::to_vec)
    .to_vec();
    names.extend(PIECES.iter().map(|piece| piece.to_vec()));
    while names.len() < 400 {
        let pieces = (0..=random.below(4)).map(|_| PIECES[random.below(PIECES.len())]);
        let mut name = pieces.collect::<Vec<_>>().concat();
        if random.below(3) == 0 {
            let bytes = 1 + random.below(6);
            name.extend((0..bytes).map(|_| u8::try_from(random.below(256)).unwrap()));
        }
        names.push(name);
    }
    names
}

/// The shells of this machine; every machine has `sh`.
fn shells() -> Vec<&'static str> {
    let there = |shell: &&str| {
        let mut asked = Command::new(shell);
        asked.args(["-c", ":"]).stderr(Stdio::null());
        asked.status().is_ok()
    };
    let all: Vec<_> = ["sh", "dash", "bash", "zsh"]
        .into_iter()
        .filter(there)
        .collect();
    assert!(all.contains(&"sh"));
    all
}

/// Runs the lines by a shell in which `delayscope` says what it was given; that, line by line.
fn given(shell: &str, lines: &[String]) -> Vec<Vec<Vec<u8>>> {
    let dir = room();
    let stub = "delayscope() { printf '%d\\0' $#; printf '%s\\0' \"$@\"; }\n";
    std::fs::write(
        dir.path().join("lines"),
        stub.to_owned() + &lines.join("\n"),
    )
    .unwrap();
    let ran = Command::new(shell)
        .arg("./lines")
        .current_dir(dir.path())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&ran.stderr), "", "{shell}");
    let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "{shell}: something else was run: {left:?}");
    let mut words = ran.stdout.split(|byte| *byte == 0);
    let mut all = Vec::new();
    while let Some(count) = words.next().filter(|count| !count.is_empty()) {
        let count: usize = std::str::from_utf8(count).unwrap().parse().unwrap();
        all.push(words.by_ref().take(count).map(<[u8]>::to_vec).collect());
    }
    all
}

fn can_be_seen(line: &str) -> bool {
    let from_the_right = |c: char| matches!(c, '\u{590}'..='\u{8ff}');
    let hidden = |c: char| c.is_control() || matches!(c, '\u{200b}'..='\u{202e}' | '\u{a0}');
    !line.chars().any(|c| from_the_right(c) || hidden(c))
}

#[test]
fn a_command_names_the_queue_that_was_meant_in_every_shell() {
    let of_name = |name: Vec<u8>| {
        let plain = Queue::typed(&[b"zset-list:", name.as_slice(), b",t"].concat());
        [Some(Queue::redisson(name)), plain.ok()]
    };
    let queues: Vec<Queue> = names().into_iter().flat_map(of_name).flatten().collect();
    let line = |queue: &Queue| shell::about("delayscope", "repair", queue, &["--drift", "--yes"]);
    let lines: Vec<String> = queues.iter().map(line).collect();
    for line in &lines {
        assert!(can_be_seen(line), "{line:?}");
    }
    // The shells mostly agree on the words.
    let mut read = HashSet::new();
    for shell in shells() {
        let given = given(shell, &lines);
        assert_eq!(given.len(), queues.len(), "{shell}");
        for ((queue, words), line) in queues.iter().zip(given).zip(&lines) {
            if !read.insert((queue, words.clone())) {
                continue;
            }
            let words = words.into_iter().map(OsString::from_vec);
            let words = std::iter::once("delayscope".into()).chain(words);
            let args = Args::typed(words);
            let asked = args.map_err(|why| format!("{shell}: {line}: {why}"));
            let Some(Asked::Repair(asked)) = asked.unwrap().command else {
                panic!("{shell}: {line}");
            };
            assert_eq!(asked.queue, *queue, "{shell}: {line}");
            assert!(
                asked.flag.repair == delayscope::queue::Repair::Drift && asked.how.yes,
                "{shell}: {line}"
            );
        }
    }
}

#[test]
fn a_word_is_these_bytes_in_every_shell() {
    let can_be_said = |word: &Vec<u8>| !word.contains(&0) && !word.ends_with(b"\n");
    let words: Vec<Vec<u8>> = names().into_iter().filter(can_be_said).collect();
    let lines = words
        .iter()
        .map(|word| format!("delayscope {}", shell::word(word)));
    let lines: Vec<String> = lines.collect();
    for shell in shells() {
        for (word, given) in words.iter().zip(given(shell, &lines)) {
            assert_eq!(
                given,
                std::slice::from_ref(word),
                "{shell}: {}",
                shell::word(word)
            );
        }
    }
}

#[test]
fn what_no_shell_can_pass_on_as_a_word_names_nothing() {
    let lines = ["a\0b", "a\n", "\0'; touch X #"];
    let lines = lines.map(|word| format!("delayscope {}", shell::word(word.as_bytes())));
    for shell in shells() {
        for given in given(shell, &lines) {
            assert!(given[0].windows(2).any(|two| two == b"\\\\"), "{given:?}");
        }
    }
}

#[test]
fn redis_cli_gets_the_bytes_that_were_meant_from_every_shell() {
    let names: Vec<Vec<u8>> = names().into_iter().take(40).collect();
    for shell in shells() {
        let server = Server::start();
        let program = redis_cli::program(&server.endpoint());
        let lines = names
            .iter()
            .map(|name| redis_cli::line(&program, &[b"SADD", b"names", name]));
        let lines: Vec<String> = lines.collect();
        assert!(lines.iter().all(|line| can_be_seen(line)));
        run(shell, &lines);
        let mut added: Vec<Vec<u8>> = server.list(&["SMEMBERS", "names"]);
        added.sort();
        let meant: BTreeSet<Vec<u8>> = names.iter().cloned().collect();
        assert_eq!(added, meant.into_iter().collect::<Vec<_>>(), "{shell}");
    }
}

fn run(shell: &str, lines: &[String]) {
    let dir = room();
    std::fs::write(dir.path().join("lines"), lines.join("\n")).unwrap();
    let mut command = Command::new(shell);
    let ran = command.arg("./lines").current_dir(dir.path()).output();
    assert_eq!(String::from_utf8_lossy(&ran.unwrap().stderr), "", "{shell}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "{shell}");
}
