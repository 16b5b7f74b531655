//! No log makes the reader panic, and none makes it tell of a message that the log does not have:
//! mutations of logs and append-only files that servers wrote beside real clients.
//!
//! * A log that only looks otherwise (line ends of Windows, several records on a line, broken
//!   lines, remarks, other traffic) has the events of the log.
//! * Of a part of a log no fate is told for sure that the whole log does not tell.
//! * Where lines are missing, come twice or are cut, no message is told that the log does not have.
//! * Whatever is missing or damaged, each event stands in the log as it is: its message, its time and
//!   its author in the commands that it is of.
//! * Where bytes are damaged, the member of each message stands in the log as it is told, and of
//!   one damage comes no member with the head of a record in it.
//! * An append-only file that is cut or has garbage behind it has the first events of the file.
//!
//! A slice runs with the other tests. A million cases:
//! `LOG_CASES=1000000 cargo test --release --test unit logs::fuzz -- --nocapture`, on as many
//! threads as `FUZZ_THREADS` says (2), from `FUZZ_SEED` on. What fails is said with the seed that
//! makes it again as the only case.

#![expect(
    clippy::unwrap_used,
    reason = "a failure here is a failed test; a million cases take minutes"
)]

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fs, thread};

use delayscope::queue::Queue;
use delayscope::trace::command::TracedCommand;
use delayscope::trace::{Event, EventKind, Life, Log, MessageFate, Record, Sender, Tracker};
use proptest::test_runner::{RngAlgorithm, TestRng};

use super::mutate::{Harm, Mutator};

/// Bytes that lives may take: all are kept.
const MEMORY: usize = 64 << 20;
/// The plain queue of a fixture, which has to be named.
const PLAIN: &str = "zset-list:delay_queue,ready_queue";

/// A recorded log.
struct Recorded {
    bytes: Vec<u8>,
    /// Its lines; none of an append-only file.
    lines: Vec<String>,
    queue: Option<Queue>,
    members: HashSet<Vec<u8>>,
    events: Vec<Event>,
    /// The fate of each message in the end, and how often it was taken.
    fates: HashMap<Vec<u8>, (MessageFate, u64)>,
}

/// What a log tells.
#[derive(Default)]
struct Told {
    events: Vec<Event>,
    lives: Vec<Life>,
    /// The time of the last command.
    end_us: Option<i64>,
}

impl Told {
    fn members(&self) -> impl Iterator<Item = &[u8]> {
        let of_events = self
            .events
            .iter()
            .filter_map(|event| event.message.as_ref());
        let of_lives = self.lives.iter().map(|life| &life.message);
        of_events.chain(of_lives).map(|message| &*message.member)
    }
}

fn told(log: &[u8], queue: Option<&Queue>, memory: usize) -> Told {
    let mut log = Log::new(log).unwrap();
    let mut tracker = Tracker::new(queue.map(|queue| vec![queue.clone()]), memory);
    let mut record = Record::default();
    let mut told = Told::default();
    while log.read(&mut record).unwrap() {
        tracker.read(&record);
        told.lives.extend(tracker.let_go());
        told.events.extend(tracker.events());
    }
    told.lives.extend(tracker.finish());
    told.events.extend(tracker.events());
    told.end_us = tracker.figures().last_us;
    told
}

/// Whether a fate may still become another one.
fn is_under_way(fate: MessageFate) -> bool {
    matches!(
        fate,
        MessageFate::Waiting | MessageFate::Late | MessageFate::Delivered
    )
}

/// A part of a log tells no fate for sure that the whole log does not tell.
fn assert_fates_agree(part: &Told, whole: &Recorded) {
    for life in &part.lives {
        let fate = life.fate(part.end_us);
        if life.is_presumed || is_under_way(fate) {
            continue;
        }
        let told = &whole.fates[&*life.message.member];
        let member = text(&life.message.member);
        assert_eq!(fate, told.0, "{member}");
        assert!(life.deliveries <= told.1, "{member}");
    }
}

/// The records of a log.
fn records(log: &[u8]) -> Vec<Record> {
    let mut log = Log::new(log).unwrap();
    let mut record = Record::default();
    let mut all = Vec::new();
    while log.read(&mut record).unwrap() {
        all.push(record.clone());
    }
    all
}

/// Whether a command does what an event tells, with the message of that.
fn does(command: &TracedCommand<'_>, event: &Event) -> bool {
    let message = event.message.as_deref();
    let member = message.map_or(&b""[..], |message| &message.member);
    let payload = message.map_or(&b""[..], |message| message.payload());
    match (&event.kind, command) {
        (
            EventKind::Offered { .. } | EventKind::Requeued { .. } | EventKind::EditedFrom { .. },
            TracedCommand::Add { members, .. },
        ) => members.iter().any(|(_, one)| *one == member),
        (EventKind::Transferred { .. }, TracedCommand::Push { values, .. }) => {
            values.contains(&payload)
        }
        (
            EventKind::Removed | EventKind::Polled | EventKind::EditedInto { .. },
            TracedCommand::Take { members, .. },
        ) => members.contains(&member),
        (EventKind::Removed, TracedCommand::Remove { value, .. }) => *value == payload,
        (EventKind::Announced { .. }, TracedCommand::Publish { .. })
        | (EventKind::Removed, TracedCommand::TakeRange { .. } | TracedCommand::TakeRanks { .. })
        | (EventKind::Polled, TracedCommand::TakeEnd { .. })
        | (
            EventKind::Consumed { .. },
            TracedCommand::Pop { .. } | TracedCommand::Trim { .. } | TracedCommand::Delete { .. },
        )
        | (EventKind::Deleted, TracedCommand::Delete { .. } | TracedCommand::Flush { .. })
        | (EventKind::Renamed, TracedCommand::Rename { .. })
        | (EventKind::InVain { .. } | EventKind::Failed, TracedCommand::AskDue { .. }) => true,
        _ => false,
    }
}

/// Whether an event stands in a log as it is told: the commands that one client sent then do it, by
/// themselves or by the script that it started; or what was done then served one that waited.
fn stands(event: &Event, log: &[Record]) -> bool {
    let is_of = |record: &Record| match (&record.sender, &event.by) {
        (Sender::Client(by), Some(its)) => **by == **its,
        (Sender::Script | Sender::Unknown, None) => true,
        _ => false,
    };
    let command = |record: &Record, holds: &dyn Fn(&TracedCommand<'_>) -> bool| {
        TracedCommand::of(record).is_some_and(|command| holds(&command))
    };
    if event.kind == EventKind::Expired {
        return log
            .iter()
            .any(|record| command(record, &|c| matches!(c, TracedCommand::Expire { .. })));
    }
    let then = |record: &Record| record.at_us == event.at_us;
    let by_itself = log.iter().enumerate().any(|(at, head)| {
        // What a script sends is of the client whose command has started it, and of no other one.
        let starts = |record: &Record| {
            command(record, &|c| matches!(c, TracedCommand::Script { .. }))
                || record.sender == Sender::Script
        };
        let mut is_in_script = starts(head);
        let goes_on = |record: &&Record| {
            let is_its = match record.sender {
                Sender::Script => is_in_script,
                _ => is_of(record),
            };
            is_in_script = starts(record);
            is_its
        };
        let step = log[at + 1..].iter().take_while(goes_on);
        let mut step = std::iter::once(head).chain(step);
        then(head) && is_of(head) && step.any(|record| command(record, &|c| does(c, event)))
    });
    let waits = |c: &TracedCommand<'_>| match (&event.kind, c) {
        (EventKind::Consumed { .. }, TracedCommand::Pop { waits_us, .. })
        | (EventKind::Polled, TracedCommand::TakeEnd { waits_us, .. }) => waits_us.is_some(),
        _ => false,
    };
    by_itself
        || log.iter().enumerate().any(|(at, served)| {
            let mut before = log[..at].iter();
            then(served) && before.any(|record| is_of(record) && command(record, &waits))
        })
}

/// Each event stands in the log that tells it.
fn assert_events_stand(events: &[Event], log: &[u8]) {
    let records = records(log);
    for event in events {
        assert!(stands(event, &records), "{event:?}");
    }
}

impl Recorded {
    fn new(bytes: Vec<u8>, queue: Option<Queue>) -> Self {
        let told = told(&bytes, queue.as_ref(), MEMORY);
        let text = String::from_utf8(bytes.clone()).unwrap_or_default();
        let is_monitor = text.contains("] \"");
        let lines = text.lines().filter(|_| is_monitor).map(str::to_owned);
        Self {
            lines: lines.collect(),
            members: told.members().map(<[u8]>::to_vec).collect(),
            fates: told
                .lives
                .iter()
                .map(|life| {
                    let fate = (life.fate(told.end_us), life.deliveries);
                    (life.message.member.to_vec(), fate)
                })
                .collect(),
            events: told.events,
            queue,
            bytes,
        }
    }
}

/// All logs of the fixtures.
fn recorded() -> Vec<Recorded> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/trace");
    let mut files: Vec<PathBuf> = Vec::new();
    let mut folders = vec![fixtures];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|end| end == "log" || end == "aof")
            {
                files.push(path);
            }
        }
    }
    files.sort();
    let log = |path: PathBuf| {
        let is_plain = path.ends_with("plain.log");
        let queue = is_plain.then(|| PLAIN.parse().unwrap());
        Recorded::new(fs::read(path).unwrap(), queue)
    };
    files.into_iter().map(log).collect()
}

/// The bytes of a log without the escapes of `MONITOR` and the breaks of lines.
fn plain(log: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    for line in log.split(|byte| *byte == b'\n') {
        text.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
    }
    let mut plain = Vec::new();
    let mut rest = &text[..];
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        let (byte, length) = match (byte, behind) {
            (b'\\', [b'x', high, low, ..]) => {
                let digits = [*high, *low].map(|digit| char::from(digit).to_digit(16));
                match digits {
                    [Some(high), Some(low)] => (u8::try_from(high << 4 | low).unwrap(), 3),
                    _ => (byte, 0),
                }
            }
            (b'\\', [b'n', ..]) => (b'\n', 1),
            (b'\\', [b'r', ..]) => (b'\r', 1),
            (b'\\', [b't', ..]) => (b'\t', 1),
            (b'\\', [b'a', ..]) => (7, 1),
            (b'\\', [b'b', ..]) => (8, 1),
            (b'\\', [other @ (b'"' | b'\\'), ..]) => (*other, 1),
            _ => (byte, 0),
        };
        plain.push(byte);
        rest = &rest[length..];
    }
    plain
}

fn has(text: &[u8], part: &[u8]) -> bool {
    part.is_empty() || text.windows(part.len()).any(|some| some == part)
}

/// Reads the case of a seed, and looks at what is told of it.
fn case(all: &[Recorded], seed: u64) {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..].copy_from_slice(&seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
    let random = TestRng::from_seed(RngAlgorithm::XorShift, &bytes);
    let mut mutator = Mutator { random };
    let log = &all[mutator.below(all.len())];
    let queue = log.queue.as_ref();
    if log.lines.is_empty() {
        append_only(&mut mutator, log);
        return;
    }
    let lines = mutator.part(&log.lines);
    let part = told(lines.join("\n").as_bytes(), queue, MEMORY);
    assert_fates_agree(&part, log);
    assert_events_stand(&part.events, lines.join("\n").as_bytes());
    let (mutated, harm) = mutator.monitor(lines);
    if mutator.one_in(8) {
        // Lives are let go before their time.
        let kept = told(&mutated, queue, 2_000);
        // What was forgotten may begin again, but no life is told of which nothing was.
        assert!(kept.lives.len() <= kept.events.len());
        let whole = told(&mutated, queue, MEMORY);
        let members: HashSet<&[u8]> = whole.members().collect();
        assert!(kept.members().all(|member| members.contains(member)));
    }
    let told_now = told(&mutated, queue, MEMORY);
    match harm {
        Harm::None => assert_same(&told_now.events, &part.events),
        Harm::Lost => {
            assert_events_stand(&told_now.events, &mutated);
            for member in told_now.members() {
                assert!(log.members.contains(member), "{:?}", text(member));
            }
        }
        Harm::Bytes(times) => {
            assert_events_stand(&told_now.events, &mutated);
            let plain = plain(&mutated);
            for member in told_now.members() {
                assert!(has(&plain, member), "{:?}", text(member));
                let is_two = has(member, b" [0 lua] ") || has(member, b" [0 127.0.0.1:");
                assert!(times > 1 || !is_two, "{:?}", text(member));
            }
        }
    }
}

/// The events are the same; says the first that is not.
fn assert_same(events: &[Event], expected: &[Event]) {
    for (at, (event, expected)) in events.iter().zip(expected).enumerate() {
        assert_eq!(event, expected, "event {at}");
    }
    assert_eq!(events.len(), expected.len());
}

/// The same of an append-only file.
fn append_only(mutator: &mut Mutator<TestRng>, file: &Recorded) {
    let whole = &file.bytes;
    match mutator.below(3) {
        0 => {
            let end = mutator.below(whole.len());
            let mut cut = told(&whole[..end], None, MEMORY);
            for event in &mut cut.events {
                // What left just before the end may have been about to be pushed.
                event.is_presumed &= event.kind != EventKind::Removed;
            }
            assert_same(&cut.events, &file.events[..cut.events.len()]);
            assert_fates_agree(&cut, file);
        }
        1 => {
            let garbage: Vec<u8> = (0..mutator.below(100))
                .map(|_| u8::try_from(mutator.below(256)).unwrap())
                .collect();
            let told = told(&[whole, &garbage[..]].concat(), None, MEMORY);
            assert_same(&told.events, &file.events);
        }
        _ => {
            let (damaged, _) = mutator.damaged(whole.clone());
            assert_events_stand(&told(&damaged, None, MEMORY).events, &damaged);
            for member in told(&damaged, None, MEMORY).members() {
                assert!(has(&damaged, member), "{:?}", text(member));
            }
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A number that is told by the environment.
fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |said| said.parse().unwrap())
}

#[test]
fn no_mutation_of_a_recorded_log_panics_or_invents_a_message() {
    let cases = number("LOG_CASES", 600);
    let first = number("FUZZ_SEED", 20_261_124);
    let threads = number("FUZZ_THREADS", 2).clamp(1, cases.max(1));
    let all = recorded();
    assert_eq!(all.len(), 9);
    let (done, failed) = (AtomicU64::new(0), AtomicU64::new(0));
    let fuzz = |thread: u64| {
        for seed in (first + thread..first + cases).step_by(usize::try_from(threads).unwrap()) {
            if catch_unwind(AssertUnwindSafe(|| case(&all, seed))).is_err() {
                eprintln!("FUZZ_SEED={seed} LOG_CASES=1");
                failed.fetch_add(1, Ordering::Relaxed);
            }
            let all = done.fetch_add(1, Ordering::Relaxed) + 1;
            if all.is_multiple_of(100_000) {
                println!("{all} cases, up to seed {seed}");
            }
        }
    };
    thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || fuzz(thread));
        }
    });
    assert_eq!(failed.into_inner(), 0, "of {cases} cases from seed {first}");
}
