//! Which feature of the screen may call which: what it decides of another one's, it does by a
//! function of that one's `update`, and only in one direction. What it wants of a feature that may
//! call it is a message, which it leaves as an effect: `Effect::Tell`.

use crate::source::{code, paths};
use crate::{files, module, no_complaints, read};

/// The features that decide something, each with those that it may call: only such as stand above
/// it, so no call comes round. What a feature holds, where it lies and what may be asked of it
/// without changing it is no call. `tui/update` stands below all of them, and nobody calls it.
const CALLS: &[(&str, &[&str])] = &[
    ("help", &[]),
    ("journal", &[]),
    ("awaited", &[]),
    ("dialog", &[]),
    ("lives", &["dialog"]),
    ("entry", &[]),
    ("examine", &[]),
    ("findings", &[]),
    ("marks", &[]),
    ("offer", &["dialog"]),
    ("copy", &["entry"]),
    ("departed", &["findings"]),
    ("leave", &["dialog", "offer"]),
    ("worker", &["dialog"]),
    ("entries", &["entry", "marks", "departed"]),
    ("filter", &["entry", "marks", "departed", "entries"]),
    ("lists", &["marks", "departed", "entries"]),
    ("queues", &["marks", "filter", "lists"]),
    (
        "change",
        &[
            "dialog", "marks", "copy", "departed", "worker", "filter", "journal", "queues",
        ],
    ),
    ("server", &["leave", "queues"]),
    ("tabs", &["marks", "departed", "filter", "lists", "journal"]),
    ("cursor", &["lives", "entry", "queues", "tabs"]),
    ("form", &["dialog", "offer", "change"]),
    ("jump", &["filter", "tabs"]),
    (
        "reason",
        &[
            "help", "awaited", "lives", "entry", "examine", "copy", "entries", "change", "tabs",
        ],
    ),
    ("past", &["queues"]),
    ("timeline", &["entries", "filter", "tabs"]),
    (
        "refresh",
        &[
            "lives", "entry", "marks", "departed", "entries", "filter", "lists", "queues",
            "timeline",
        ],
    ),
    ("link", &["queues", "tabs", "refresh"]),
    (
        "palette",
        &[
            "filter", "queues", "change", "server", "jump", "reason", "timeline", "refresh",
        ],
    ),
    ("prompt", &["lives", "entry", "filter", "jump", "palette"]),
];

/// What all of them may call, and what calls none of them: what is read when, what is in sight,
/// what is said for a moment.
const SHARED: &[&str] = &["schedule", "sight", "toast"];

/// Features that decide outside an `update`.
const WHOLE: &[&str] = &["awaited", "copy", "jump", "reason", "schedule", "sight"];

/// The dispatcher, which calls all of them.
const DISPATCHER: &str = "update";

/// Whose deciding part a module belongs to; none where nothing is decided.
fn feature<'a>(module: &[&'a str]) -> Option<&'a str> {
    match module {
        ["tui", DISPATCHER, ..] => Some(DISPATCHER),
        ["tui", name, ..] if WHOLE.contains(name) => Some(name),
        ["tui", name, within @ ..] if within.contains(&"update") => Some(name),
        _ => None,
    }
}

/// The calls of a file that lead to another feature: the line, and whose it is.
fn calls(name: &str, source: &str) -> Vec<(usize, String)> {
    let paths = paths(&code(source));
    let from_root = paths.iter().filter(|(_, path)| path[0] == "crate");
    let from_root = from_root.map(|(_, path)| path[1..].iter().filter(|part| *part != "self"));
    let imported: Vec<Vec<&String>> = from_root.map(Iterator::collect).collect();
    let whole = |path: &[String]| -> Vec<String> {
        if path[0] == "crate" {
            return path[1..].to_vec();
        }
        // What was imported by its name: `crate::tui::filter` and `filter::update::again()`.
        let by = imported.iter().find(|by| by.last() == Some(&&path[0]));
        let by = by.into_iter().flatten().copied();
        by.chain(&path[1..]).cloned().collect()
    };
    let own: Vec<&str> = name.split('/').collect();
    let own = feature(&own);
    let led = paths.iter().filter_map(|(line, path)| {
        let path = whole(path);
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let other = feature(&path).filter(|other| Some(*other) != own)?;
        Some((*line, other.to_owned()))
    });
    led.collect()
}

/// What is wrong with the calls of a file.
fn breaches(name: &str, source: &str) -> Vec<String> {
    let own: Vec<&str> = name.split('/').collect();
    let Some(own) = feature(&own).filter(|own| *own != DISPATCHER) else {
        return Vec::new();
    };
    let known = CALLS.iter().find(|(feature, _)| *feature == own);
    let may =
        |other: &str| known.is_some_and(|(_, may)| SHARED.contains(&other) || may.contains(&other));
    let calls = calls(name, source).into_iter();
    let wrong = calls.filter(|(_, other)| !may(other));
    wrong
        .map(|(line, other)| format!("src/{name}.rs:{line}: {own} may not call {other}"))
        .collect()
}

#[test]
fn each_feature_calls_only_those_that_it_may() {
    let complaints: Vec<_> = files("src/tui", "rs")
        .iter()
        .flat_map(|path| breaches(&module(path), &read(path)))
        .collect();
    no_complaints(&complaints);
}

#[test]
fn no_call_comes_round() {
    let order: Vec<&str> = CALLS.iter().map(|(feature, _)| *feature).collect();
    let mut wrong = Vec::new();
    for (at, (feature, may)) in CALLS.iter().enumerate() {
        let below = may.iter().filter(|other| !order[..at].contains(other));
        wrong.extend(below.map(|other| format!("{other} does not stand above {feature}")));
    }
    no_complaints(&wrong);
}

#[test]
fn each_call_that_is_allowed_is_made() {
    let all: Vec<(String, String)> = files("src/tui", "rs")
        .iter()
        .flat_map(|path| {
            let name = module(path);
            let own: Vec<&str> = name.split('/').collect();
            let own = feature(&own).unwrap_or_default().to_owned();
            let calls = calls(&name, &read(path)).into_iter();
            calls
                .map(move |(_, other)| (own.clone(), other))
                .collect::<Vec<_>>()
        })
        .collect();
    let mut idle = Vec::new();
    for (feature, may) in CALLS {
        let made = |other: &&&str| all.iter().any(|(a, b)| a == feature && b == **other);
        let never = may.iter().filter(|other| !made(other));
        idle.extend(never.map(|other| format!("{feature} never calls {other}")));
    }
    no_complaints(&idle);
}

#[test]
fn a_call_against_the_table_is_reported_with_its_line() {
    for (name, source, complaint) in [
        (
            "tui/filter/update/found",
            "use crate::tui::{marks, tabs};\nfn f() { marks::update::moved(); tabs::update::show() }",
            "src/tui/filter/update/found.rs:2: filter may not call tabs",
        ),
        (
            "tui/dialog/update",
            "use crate::tui::change::update::agreed;",
            "dialog may not call change",
        ),
        (
            "tui/marks/update",
            "use crate::tui::tabs::{self, Tab};\nfn f() { tabs::update::show(Tab::Waiting) }",
            "src/tui/marks/update.rs:2: marks may not call tabs",
        ),
        (
            "tui/form/update",
            "use crate::tui::update::act;",
            "form may not call update",
        ),
        (
            "tui/sight",
            "use crate::tui::tabs;\nfn f() { tabs::update::show() }",
            "sight may not call tabs",
        ),
        (
            "tui/novelty/update",
            "use crate::tui::toast;\nfn f() { toast::update::say() }",
            "novelty may not call toast",
        ),
    ] {
        let said = breaches(name, source).join("; ");
        assert!(said.contains(complaint), "{source:?} in {name}: {said:?}");
    }
    for (name, source) in [
        (
            "tui/filter/update",
            "use crate::tui::tabs::Tab;\nuse crate::tui::sight;\nfn f() { sight::keep() }",
        ),
        (
            "tui/update/act",
            "use crate::tui::tabs;\nfn f() { tabs::update::show() }",
        ),
        ("tui/filter/queries", "use crate::tui::layout;"),
    ] {
        no_complaints(&breaches(name, source));
    }
}
