//! Every hint at the bottom does something where it stands, or says why it cannot.

use std::collections::HashSet;

use delayscope::clock::EpochMillis;
use delayscope::queue::Change;
use delayscope::tui::change;
use delayscope::tui::change::queries;
use delayscope::tui::change::{ChangeInProgress, ChangeStage, UnfinishedChange};
use delayscope::tui::focus;
use delayscope::tui::hints;
use delayscope::tui::keys;

use delayscope::tui::journal::ChangeLine;
use delayscope::tui::keys::{Action, BINDINGS, Code, Key, KeyPlace};
use delayscope::tui::model::{Model, Pane, Screen};
use delayscope::tui::msg::Msg;
use delayscope::tui::tabs::Tab;

use crate::desk::{Desk, World};
use crate::update::changes::plan;

/// With queues and entries, with empty queues, and with none.
fn worlds() -> [Vec<World>; 3] {
    [
        vec![
            World::new("alpha", 300, -5_000, 1000),
            World::new("beta", 30, 60_000, 1000),
        ],
        vec![World::new("empty", 0, 0, 0), World::new("void", 0, 0, 0)],
        Vec::new(),
    ]
}

/// Leads to a place.
type Way = Box<dyn Fn(&mut Desk)>;

/// What leads to each place that has hints.
fn ways() -> Vec<Way> {
    let mut ways: Vec<Way> = Vec::new();
    for focus in [Pane::Queues, Pane::Timeline, Pane::Traffic] {
        ways.push(Box::new(move |desk| desk.model.focus = focus));
    }
    for tab in Tab::ALL {
        ways.push(Box::new(move |desk| {
            (desk.model.tab, desk.model.focus) = (tab, Pane::Entries);
            desk.model.screen = Screen::Queue;
        }));
    }
    ways.push(Box::new(|desk| {
        desk.tell(Msg::Resized(60, 12));
        desk.char('?');
    }));
    ways.push(Box::new(|desk| {
        desk.press(Code::Enter);
        desk.press(Code::Enter);
    }));
    for key in ['o', 'w', 'T'] {
        ways.push(Box::new(move |desk| {
            desk.char(key);
        }));
    }
    ways.push(Box::new(|desk| {
        desk.model.changes.push(line("3 deleted"));
        desk.char('6');
        desk.press(Code::Enter);
    }));
    ways.push(Box::new(under_way));
    ways
}

/// A change of `orders` that is told.
fn line(text: &str) -> ChangeLine {
    ChangeLine {
        at: EpochMillis::new(0),
        queue: "orders".to_owned(),
        text: text.to_owned(),
        id: None,
        change: None,
        undone: false,
        doubtful: false,
    }
}

/// A change is under way, and its panel has the keys.
fn under_way(desk: &mut Desk) {
    let (plan, since) = (plan(Change::Delete, 5_000), desk.model.instant);
    desk.model.changing.one = Some(UnfinishedChange {
        generation: u64::MAX,
        change: plan.change,
        called: plan.change.label(),
        queue: plan.queue.clone(),
        marks: None,
        asked_for: None,
        asked_by: None,
        since,
        stage: ChangeStage::Running(Box::new(ChangeInProgress::new(plan, since))),
    });
    desk.pass(300);
}

#[test]
fn every_hint_does_something_or_says_why_not() {
    let (mut places, mut idle) = (HashSet::new(), Vec::new());
    for (way, world) in ways()
        .iter()
        .flat_map(|way| (0..3).map(move |world| (way, world)))
    {
        let there = || {
            let [full, empty, none] = worlds();
            let mut desk = Desk::of([full, empty, none].into_iter().nth(world).unwrap());
            way(&mut desk);
            // The rows of a place are read first.
            desk.live(1_000, 1);
            // It may say already what it will say again.
            desk.model.toast = None;
            desk
        };
        // The panel of a change under way stands before what lies below it.
        let mut here = vec![focus::place(&there().model)];
        if change::progress::queries::has_keys(&there().model) {
            here.insert(0, KeyPlace::Bulk);
        }
        places.extend(here.iter().copied());
        for shown in hints::hints(&there().model) {
            // Of a pair one key may have nothing left to do: up, on the first row.
            let rows = BINDINGS
                .iter()
                .filter(|b| here.iter().any(|at| is_it(b, *at, shown.word)));
            let mut keys = rows.flat_map(|b| b.keys);
            let acts = keys.any(|key| there().acts(*key));
            if !acts {
                idle.push(format!("{} in {here:?}, world {world}", shown.word));
            }
        }
    }
    assert!(idle.is_empty(), "these do nothing: {idle:#?}");
    for place in KeyPlace::ALL {
        let has_hints = BINDINGS.iter().any(|row| hint(row, place).is_some());
        assert!(
            places.contains(&place) || !has_hints,
            "{place:?} was not looked at"
        );
    }
}

/// The row is the one of that hint; the way out quits on the first screen.
fn is_it(row: &keys::Binding, place: KeyPlace, word: &str) -> bool {
    let said = hint(row, place);
    said == Some(word) || row.action == Action::Quit && said.is_some() && word == "quit"
}

fn hint(row: &keys::Binding, place: KeyPlace) -> Option<&'static str> {
    let found = row.hints.iter().find(|(at, _)| *at == place);
    found.map(|(_, word)| *word)
}

#[test]
fn help_is_the_last_hint_wherever_it_is_one() {
    for way in ways() {
        let [full, ..] = worlds();
        let mut desk = Desk::of(full);
        way(&mut desk);
        let hints = hints::hints(&desk.model);
        if let Some(at) = hints.iter().position(|hint| hint.word == "help") {
            assert_eq!(at + 1, hints.len());
        }
    }
}

#[test]
fn a_read_only_session_is_offered_no_change() {
    for way in ways() {
        let [full, ..] = worlds();
        let mut desk = Desk::of(full);
        way(&mut desk);
        let place = focus::place(&desk.model);
        let changes = |model: &Model| {
            let rows = BINDINGS.iter().filter(|row| queries::is_change(row.action));
            let words: Vec<_> = rows.filter_map(|row| hint(row, place)).collect();
            let hints: Vec<hints::Hint> = hints::hints(model);
            let offered = hints.iter().filter(|hint| words.contains(&hint.word));
            (words.len(), offered.count())
        };
        let (words, offered) = changes(&desk.model);
        assert!(words == 0 || offered > 0, "{place:?}");
        desk.model.site.read_only = true;
        assert_eq!(changes(&desk.model).1, 0, "{place:?}");
    }
}

#[test]
fn what_can_be_done_to_marked_entries_is_said_first() {
    let [full, ..] = worlds();
    let mut desk = Desk::of(full);
    desk.press(Code::Enter);
    let words = |desk: &Desk| -> Vec<&str> {
        let hints = hints::hints(&desk.model);
        hints.iter().take(3).map(|hint| hint.word).collect()
    };
    assert_eq!(words(&desk)[..2], ["repair", "open"]);
    desk.char(' ');
    assert_eq!(words(&desk), ["transfer now", "requeue", "delete"]);
    desk.press(Code::Esc);
    assert_eq!(words(&desk)[..2], ["repair", "open"]);
}

#[test]
fn each_of_the_ten_jobs_of_the_readme_is_told_with_the_key_that_does_it() {
    const ACTIONS: [(&str, &str); 10] = [
        ("doctor", "tab-findings"),
        ("search", "palette"),
        ("transfer", "transfer"),
        ("deliver", "transfer-now"),
        ("requeue", "requeue"),
        ("delete", "delete"),
        ("undo", "undo"),
        ("worker", "worker"),
        ("offer", "offer"),
        ("report", "copy-command"),
    ];
    let readme = include_str!("../../../README.md");
    let (_, section) = readme.split_once("## Ten jobs").unwrap();
    let (section, _) = section.split_once("Each change says").unwrap();
    let rows = section.lines().filter(|row| row.contains("`delayscope "));
    let mut told = 0;
    for row in rows {
        let quoted: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
        let (command, keys) = quoted.split_last().unwrap();
        let command = command.split(' ').nth(1).unwrap();
        let (_, action) = ACTIONS.iter().find(|(name, _)| *name == command).unwrap();
        // `:find TEXT` is a line that its first key begins.
        let last = keys.last().unwrap();
        let last = if last.starts_with(':') { ":" } else { last };
        let key: Key = last.parse().unwrap();
        let row = keys::BINDINGS
            .iter()
            .find(|row| row.name == *action)
            .unwrap();
        assert!(row.keys.contains(&key), "{command}: {last} is not {action}");
        told += 1;
    }
    assert_eq!(told, ACTIONS.len());
}

#[test]
fn what_the_readme_says_of_the_screen_is_so() {
    let readme = include_str!("../../../README.md");
    let (_, section) = readme.split_once("## On the screen").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let quoted: Vec<&str> = section.split('`').skip(1).step_by(2).collect();
    let bound = |key: Key| keys::BINDINGS.iter().any(|row| row.keys.contains(&key));
    let (keys, filters): (Vec<&str>, Vec<&str>) = quoted
        .iter()
        .partition(|word| word.parse().is_ok_and(bound));
    assert!(keys.len() >= 15, "{keys:?}");
    let filters: Vec<_> = filters
        .into_iter()
        .filter(|word| *word != "search")
        .collect();
    assert_eq!(filters.len(), 6, "{filters:?}");
    for filter in filters {
        let parsed = delayscope::queue::Filter::parse(&filter.replace('…', "x"));
        assert!(parsed.is_ok(), "{filter}");
    }
}
