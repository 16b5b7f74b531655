//! Questions and progress, on a terminal.

use delayscope::queue::Queue;

use super::{LAST, NAMES, fill, harm};
use crate::program::Program;
use crate::terminal::on_terminal;

/// What is wrong with what was shown, but for what a line is written over with.
fn harm_on_terminal(shown: &str) -> Option<String> {
    let shown = shown.replace("\r\x1b[K", "").replace("\r\n", "\n");
    harm(shown.as_bytes())
}

/// What each asks, and what it is answered.
const ASKED: &[(&[&str], &str)] = &[
    (&["delete", "Q", "--id", "000000000000ffff"], "[y/N]"),
    (&["delete", "Q", "--all"], "the queue's name:"),
    (&["deliver", "Q", "--all", "--limit", "3"], "[y/N]"),
    (
        &["requeue", "Q", "--all", "--limit", "3", "--in", "1h"],
        "[y/N]",
    ),
    (&["duplicate", "Q", "--all", "--limit", "3"], "[y/N]"),
    (&["transfer", "Q"], "[y/N]"),
    (&["repair", "Q", "--put-back"], "[y/N]"),
    (&["repair", "Q", "--persist"], "[y/N]"),
    (&["kick", "Q"], "[y/N]"),
    (&["consume", "Q", "--count", "1"], "[y/N]"),
    (&["worker", "Q"], "[y/N]"),
    (&["trace", "Q", "--probe", "1"], "[y/N]"),
    (&["undo"], "[y/N]"),
    (&["offer", "FRESH", "x", "--in", "1h"], "Format [byte-id]:"),
];

#[test]
fn no_question_passes_on_what_commands_a_terminal() {
    for name in NAMES {
        let program = Program::start();
        let queue = Queue::redisson(name);
        fill(&program, &queue);
        let hex = hex::encode(name);
        let fresh = hex::encode([name, b"fresh"].concat());
        let last = format!("{LAST:016x}");
        let duplicate = ["duplicate", "--queue-hex", &hex, "--id", &last, "--yes"];
        program.run(&duplicate).done();
        for (words, question) in ASKED {
            let word = |word: &&'static str| match *word {
                "Q" => vec!["--queue-hex", &hex],
                "FRESH" => vec!["--queue-hex", &fresh],
                word => vec![word],
            };
            let words: Vec<&str> = words.iter().flat_map(word).collect();
            let (shown, _) = on_terminal(&program.command(&words), Some((question, b"n\n")));
            assert_eq!(harm_on_terminal(&shown), None, "{words:?}");
        }
    }
}

#[test]
fn no_progress_passes_on_what_commands_a_terminal() {
    for name in NAMES {
        let program = Program::start();
        let queue = Queue::redisson(name);
        fill(&program, &queue);
        let hex = hex::encode(name);
        for words in [
            &["doctor", "--queue-hex", &hex, "--for", "1s"][..],
            &[
                "delete",
                "--queue-hex",
                &hex,
                "--grep",
                "EVIL",
                "--limit",
                "20",
                "--rate",
                "20/s",
                "--yes",
            ],
        ] {
            let mut command = program.command(words);
            // The colours of a finding are ours.
            command.env("TERM", "xterm").env("NO_COLOR", "1");
            let (shown, _) = on_terminal(&command, None);
            assert!(shown.contains("\r\x1b[K"), "no progress: {shown}");
            assert_eq!(harm_on_terminal(&shown), None, "{words:?}");
        }
    }
}
