//! The first seconds: each picture that the program draws is looked at, from the first one on.

use std::time::Duration;

use delayscope::clock::instant;
use delayscope::ops::demo::Scenario;
use delayscope::queue::Queue;

use crate::support::{PATIENCE, Server, frame};
use crate::terminal::{Terminal, cells};
use crate::{PROGRAM, SIZE};

/// The end of a picture.
const DRAWN: &[u8] = b"\x1b[?2026l";

/// The texts of all pictures of the first three seconds.
fn pictures(terminal: &Terminal) -> Vec<String> {
    let end = terminal.started + Duration::from_secs(3);
    // The clock ticks: each second there is a picture.
    terminal.wait("pictures of three seconds", PATIENCE, |shown| {
        shown.whole() && shown.at >= end && instant() >= end
    });
    let bytes = terminal.shown().bytes.clone();
    let (columns, rows) = SIZE;
    let mut parser = vt100::Parser::new(cells(rows), cells(columns), 0);
    let ends = (DRAWN.len()..=bytes.len()).filter(|at| bytes[..*at].ends_with(DRAWN));
    let mut from = 0;
    let mut pictures = Vec::new();
    for end in ends {
        parser.process(&bytes[from..end]);
        pictures.push(parser.screen().contents());
        from = end;
    }
    pictures
}

/// What is selected in the table of queues, or the queue that the screen is of.
fn selected(picture: &str) -> Option<String> {
    let row = picture.lines().skip(2).take(10).find(|l| l.contains('▌'))?;
    let (_, row) = row.split_once('▌')?;
    let name = row
        .split_whitespace()
        .find(|word| word.starts_with(char::is_alphabetic));
    name.map(str::to_owned)
}

/// The first entry is there, below the heads of the entries.
fn has_entries(picture: &str) -> bool {
    let mut rows = picture.lines().skip_while(|line| !line.contains("due at"));
    rows.nth(1).is_some_and(|row| row.contains(':'))
}

/// What the header says is wrong, without what ticks; none while it says that of nothing.
fn alarm(picture: &str) -> Option<String> {
    let header = picture.lines().next()?;
    let part = header.split("   ").find(|part| {
        ["✖ ", "▲ ", "! "]
            .iter()
            .any(|sign| part.trim_start().starts_with(sign))
    })?;
    let steady = part
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c });
    Some(steady.collect())
}

/// A list without what is equal to the one before it.
fn changes(values: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = values.collect();
    all.dedup();
    all
}

/// Looks at the pictures of a program that has just been started.
fn calm(terminal: &Terminal) {
    let pictures = pictures(terminal);
    let all = || pictures.iter();
    let chosen = changes(all().filter_map(|picture| selected(picture)));
    assert_eq!(chosen.len(), 1, "the selection moves: {chosen:?}");
    let data = all().position(|picture| has_entries(picture));
    let data = data.unwrap_or_else(|| panic!("no entries on:\n{}", pictures.join("\n\n")));
    for picture in &pictures[data..] {
        assert!(!picture.contains("reading"), "no timeline on:\n{picture}");
    }
    let figures =
        |picture: &String| picture.contains("in view") && !picture.contains("in view            ?");
    assert!(
        figures(&pictures[data]),
        "no figures of the timeline on:\n{}",
        pictures[data]
    );
    let alarms = changes(all().filter_map(|picture| alarm(picture)));
    assert_eq!(alarms.len(), 1, "the alarm changes: {alarms:?}");
    let first = all().position(|picture| alarm(picture).is_some());
    for picture in &pictures[data..first.unwrap_or(pictures.len())] {
        assert!(
            picture.contains("checking"),
            "neither alarm nor check on:\n{picture}"
        );
    }
}

#[test]
fn the_demo_selects_a_queue_once_and_says_once_what_is_wrong() {
    let terminal = Terminal::start(&[PROGRAM, "demo"], SIZE, &[]);
    calm(&terminal);
}

#[test]
fn of_forty_queues_one_is_selected_and_stays_so() {
    let server = Server::start();
    for i in 0..40 {
        let queue = Queue::redisson(format!("queue-{i:02}"));
        server.fill(&queue, 50, server.now().plus(60_000), 10_000);
    }
    let sick = Queue::redisson("queue-17");
    let due = server.now().plus(-300_000).get().to_string();
    server.put(&sick, &frame(4242, b"late"), &due);
    let terminal = Terminal::start(&[PROGRAM, &server.url()], SIZE, &[]);
    calm(&terminal);
    assert_eq!(
        selected(&terminal.shown().text()).as_deref(),
        Some("queue-17")
    );
}

#[test]
fn each_queue_of_the_demo_has_lives_to_show_from_the_start() {
    for scenario in Scenario::ALL {
        let program = [PROGRAM, "demo", "--scenario", scenario.name()];
        let mut terminal = Terminal::start(&program, SIZE, &[]);
        terminal.wait_text(scenario.queue());
        terminal.send(b"T");
        terminal.wait("the lives of its messages", PATIENCE, |shown| {
            let text = shown.text();
            let pane = text.split_once("Lives of messages");
            pane.is_some_and(|(_, below)| {
                let mut lanes = below.lines();
                lanes.any(|lane| lane.contains(" seen ") && lane.contains(" due "))
            })
        });
    }
}

/// What a row of the screen says when a key of the README's incident has been pressed, step by step.
const INCIDENT: &[&[&str]] = &[
    &["5 findings"],
    &["✖ {", "double-id, Redisson up to 3.21.0"],
    &[
        "1 waiting",
        "5 findings",
        "Repair ── invoices",
        "[ y rewrite ]",
        "FIXED",
    ],
    &["rewritten"],
];

#[test]
fn the_incident_of_the_readme_is_played_by_the_keys_that_it_names() {
    let readme = include_str!("../../README.md");
    let (_, table) = readme
        .split_once("## An incident in three minutes")
        .unwrap();
    let step = |n: usize| {
        let mut rows = table.lines();
        let row = rows
            .find(|row| row.starts_with(&format!("| {n} |")))
            .unwrap();
        let keys = row.split('|').nth(2).unwrap();
        keys.split('`').skip(1).step_by(2).collect::<Vec<_>>()
    };
    assert_eq!(step(1), ["demo --scenario poison"]);
    let program = [PROGRAM, "demo", "--scenario", "poison"];
    let mut terminal = Terminal::start(&program, SIZE, &[]);
    terminal.wait_text("An entry in the old format blocks this queue.");
    // What was wrong for a moment only is not told as mended.
    let read = instant() + Duration::from_secs(8);
    terminal.wait("an incident", PATIENCE, |_| instant() >= read);
    for (n, said) in (2..).zip(INCIDENT) {
        let keys = step(n);
        assert_eq!(keys.len(), said.len(), "step {n}");
        for (key, words) in keys.into_iter().zip(*said) {
            terminal.send(match key {
                "Enter" => b"\r",
                "Esc" => b"\x1b",
                letter => letter.as_bytes(),
            });
            // An entry is opened once the cursor is on it.
            let is_there =
                |row: &str| row.contains(words) && (*words != "✖ {" || row.contains('▌'));
            terminal.wait(words, PATIENCE, |shown| {
                shown.whole() && shown.text().lines().any(is_there)
            });
        }
    }
}
