//! Every binding of the key table is pressed in the real program on a real server, in a place of
//! each kind where it acts; what it does, or why it cannot, is seen on the screen.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use delayscope::clock::EpochMillis;
use delayscope::queue::Queue;
use delayscope::tui::keys::{Action, BINDINGS, Binding, Code, Key, KeyPlace, Section};

use crate::PROGRAM;
use crate::support::{Server, frame, wait_for};
use crate::terminal::{Shown, Terminal};

mod expected;

use expected::{Seen, expected};

/// How long a key may take before the test fails.
const SOON: Duration = Duration::from_secs(6);

/// The kinds of places: a binding is pressed in one of each, where it acts there.
const KINDS: &[&[KeyPlace]] = &[
    &[KeyPlace::Queues, KeyPlace::Timeline],
    &[
        KeyPlace::Entries,
        KeyPlace::Delivered,
        KeyPlace::Order,
        KeyPlace::Traffic,
        KeyPlace::Findings,
        KeyPlace::Changes,
        KeyPlace::Nodes,
    ],
    &[KeyPlace::Entry],
    &[KeyPlace::Help],
    &[KeyPlace::Dialog],
    &[KeyPlace::Form],
];

/// What leads to a place from the start, and what is seen there.
fn way(place: KeyPlace) -> (&'static [u8], &'static str) {
    match place {
        KeyPlace::Queues => (b"", "? help"),
        KeyPlace::Timeline => (b"\t", "⏎ list"),
        KeyPlace::Entries => (b"1", "Space mark"),
        KeyPlace::Delivered => (b"2", "delivered 2"),
        KeyPlace::Order => (b"3", "[3 order list"),
        KeyPlace::Traffic => (b"4", "[4 traffic"),
        KeyPlace::Findings => (b"5", "[5 findings"),
        KeyPlace::Changes => (b"6", "[6 journal"),
        KeyPlace::Nodes => (b"8", "[8 nodes"),
        KeyPlace::Entry => (b"1\r", "next view"),
        KeyPlace::Help => (b"?", "Why is it late"),
        KeyPlace::Dialog => (b"w", "⇥ button"),
        KeyPlace::Form => (b"o", "^S offer"),
        KeyPlace::Lives | KeyPlace::Change | KeyPlace::Bulk => {
            panic!("{place:?} needs a change that was made")
        }
    }
}

/// As a terminal sends it.
fn bytes(key: Key) -> Vec<u8> {
    let csi = |end: &str| format!("\x1b[{end}").into_bytes();
    match key.code {
        Code::Char(c) if key.ctrl => vec![u8::try_from(c).unwrap() & 0x1f],
        Code::Char(c) => c.to_string().into_bytes(),
        Code::Enter => b"\r".to_vec(),
        Code::Esc => b"\x1b".to_vec(),
        Code::Tab => b"\t".to_vec(),
        Code::BackTab => csi("Z"),
        Code::Up => csi("A"),
        Code::Down => csi("B"),
        Code::Right => csi("C"),
        Code::Left => csi("D"),
        Code::Home => csi("H"),
        Code::End => csi("F"),
        Code::PageUp => csi("5~"),
        Code::PageDown => csi("6~"),
        Code::F(_) | Code::Backspace | Code::Delete => panic!("{key:?} is not in the table"),
    }
}

/// Two queues: one with late entries, of which the first is long, with something delivered; one
/// where all is well.
fn server() -> Server {
    let server = Server::start();
    let orders = Queue::redisson("orders");
    let (now, minute) = (server.now(), 60_000);
    let lines: Vec<String> = (0..100).map(|n| format!("\"line-{n:03}\"")).collect();
    let long = format!("[{}]", lines.join(","));
    let at = |due: EpochMillis| due.get().to_string();
    server.put(
        &orders,
        &frame(7777, long.as_bytes()),
        &at(now.plus(-minute)),
    );
    server.fill(&orders, 300, now.plus(minute), 1000);
    let delivered: Vec<String> = (0..60).map(|n| format!("delivered {n}")).collect();
    let push = ["RPUSH", "orders"].into_iter();
    let push: Vec<&str> = push.chain(delivered.iter().map(String::as_str)).collect();
    server.cmd(&push);
    server.fill(&Queue::redisson("zeta"), 40, now.plus(120 * minute), 10);
    server
}

/// A binding in a place, with one of its keys.
struct Case {
    binding: &'static Binding,
    place: KeyPlace,
    key: Key,
}

/// One place of each kind, and every key.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (i, binding) in BINDINGS.iter().enumerate() {
        let mut own = Vec::new();
        for kind in KINDS {
            let acts = |place: &&KeyPlace| {
                binding.places.contains(place) && expected(binding.action, **place).is_some()
            };
            let places: Vec<KeyPlace> = kind.iter().filter(acts).copied().collect();
            own.extend(places.get(i % places.len().max(1)));
        }
        let elsewhere = matches!(
            binding.action,
            Action::Pause | Action::Stop | Action::Monitor
        );
        assert!(
            elsewhere || !own.is_empty(),
            "nobody says what {} does",
            binding.name
        );
        if own.is_empty() {
            continue;
        }
        for at in 0..own.len().max(binding.keys.len()) {
            cases.push(Case {
                binding,
                place: own[at % own.len()],
                key: binding.keys[at % binding.keys.len()],
            });
        }
    }
    cases
}

fn open(server: &Server, case: &Case, editor: &str) -> Terminal {
    // Only where little fits has the help something to scroll; elsewhere the header is in sight.
    let size = match (case.place, case.binding.section) {
        (KeyPlace::Help, Section::Move) => (80, 14),
        (KeyPlace::Help, _) => (120, 44),
        _ => (120, 40),
    };
    let env = [("VISUAL", editor)];
    if case.binding.action != Action::Suspend {
        return Terminal::start(&[PROGRAM, &server.url()], size, &env);
    }
    // Only what a shell can continue is stopped.
    let mut shell = Terminal::start(&["sh", "-i"], size, &env);
    shell.wait_text("$ ");
    shell.send(format!("{PROGRAM} {}\n", server.url()).as_bytes());
    shell
}

/// Goes to the place, and does there what is done before the key.
fn reach(
    terminal: &mut Terminal,
    place: KeyPlace,
    expected: &expected::Expected,
    what: &dyn Fn(&str) -> String,
) {
    let step = |terminal: &Terminal, text: &str| {
        terminal.wait(&what(text), SOON, |s| s.text().contains(text));
    };
    step(terminal, "line-000");
    let (keys, there) = way(place);
    terminal.send(keys);
    step(terminal, there);
    if place == KeyPlace::Order {
        // A list that has not been read yet has no rows to act on.
        step(terminal, "line-000");
    }
    for (keys, there) in &expected.before {
        terminal.send(keys.as_bytes());
        step(terminal, there);
    }
}

fn press(server: &Server, case: &Case, editor: &str) {
    let (name, place) = (case.binding.name, case.place);
    let expected = expected(case.binding.action, place).unwrap();
    let what = |what: &str| format!("{what} for {name} in {place:?} by {:?}", case.key);
    let mut terminal = open(server, case, editor);
    reach(&mut terminal, place, &expected, &what);
    let (before, written) = {
        let shown = terminal.shown();
        (picture(&shown), shown.bytes.len())
    };
    let scans = scans(server);
    terminal.send(&bytes(case.key));
    let wait = |said: &str, condition: &dyn Fn(&Shown) -> bool| {
        terminal.wait(&what(said), SOON, condition);
    };
    match expected.seen {
        Seen::Text(text) => {
            assert!(
                !before.0.contains(text),
                "{} stands there before",
                what(text)
            );
            wait(text, &|s| s.text().contains(text));
        }
        Seen::Gone(text) => {
            assert!(
                before.0.contains(text),
                "{} does not stand there",
                what(text)
            );
            wait(text, &|s| !s.text().contains(text));
        }
        Seen::Line(text) => wait(text, &|s| {
            s.text()
                .lines()
                .last()
                .is_some_and(|line| line.trim_start().starts_with(text))
        }),
        Seen::Cursor => wait("another row", &|s| picture(s).1 != before.1),
        Seen::Hints => wait("other hints", &|s| picture(s).2 != before.2),
        Seen::Scroll => wait("other lines", &|s| {
            lines_of(&picture(s).0) != lines_of(&before.0)
        }),
        Seen::Redrawn => wait("all cells again", &|s| s.bytes.len() > written + 4000),
        Seen::Looked => wait_for(&what("another look"), || self::scans(server) > scans),
        Seen::Stopped => wait("the shell", &|s| {
            s.given_back() && s.text().contains("Stopped")
        }),
        Seen::Ended => assert_eq!(terminal.exit_code(), 0, "{}", what("the end")),
    }
}

/// The text, where the cursor marks stand, and the last line.
fn picture(shown: &Shown) -> (String, Vec<(usize, usize)>, String) {
    let text = shown.text();
    let marks = text.lines().enumerate().flat_map(|(y, line)| {
        let at = line.chars().enumerate();
        at.filter(|(_, c)| *c == '▌').map(move |(x, _)| (y, x))
    });
    let mut marks: Vec<(usize, usize)> = marks.collect();
    // A page further the mark stands on the same line, and on another row.
    marks.extend(
        text.match_indices("entry ")
            .chain(text.match_indices("delivered "))
            .map(|(at, word)| {
                let digits = text[at + word.len()..].chars();
                let number: String = digits.take_while(char::is_ascii_digit).collect();
                (usize::MAX, number.parse().unwrap_or(0))
            }),
    );
    let last = text.lines().last().unwrap_or_default().to_owned();
    (text, marks, last)
}

/// What does not change by itself: the lines of an entry, or of the help below its title.
fn lines_of(text: &str) -> Vec<String> {
    let own = |line: &&str| line.contains("line-") || line.contains('│');
    text.lines().filter(own).map(str::to_owned).collect()
}

/// How often the server was looked through for queues.
fn scans(server: &Server) -> i64 {
    let stats = server.cmd(&["INFO", "commandstats"]);
    let text: String = redis::from_redis_value(stats).unwrap();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("cmdstat_scan:calls="));
    line.map_or(0, |rest| rest.split(',').next().unwrap().parse().unwrap())
}

#[test]
fn every_binding_does_something_on_the_screen_or_says_why_not() {
    let editors = tempfile::tempdir().unwrap();
    let editor = editors.path().join("editor");
    std::fs::write(&editor, "#!/bin/sh\necho from the editor > \"$1\"\n").unwrap();
    let editor = format!("sh {}", editor.display());
    let cases = cases();
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                // What one terminal changes or looks for is not seen by another.
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let server = server();
                    let press = || press(&server, case, &editor);
                    let pressed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(press));
                    if pressed.is_err() {
                        let case = format!("{} in {:?}", case.binding.name, case.place);
                        failed.lock().unwrap().push(case);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(
        failed.is_empty(),
        "{} of {}: {failed:#?}",
        failed.len(),
        cases.len()
    );
}
