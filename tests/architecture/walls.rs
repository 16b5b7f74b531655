//! Which room may know which: the table, and what breaks it.

use crate::source::{Path, code, paths};

/// The rooms of the house, each with those it may import. `main` stands in front of all of them.
pub(crate) const ROOMS: &[(&str, &[&str])] = &[
    ("clock", &[]),
    ("printable", &[]),
    ("queue", &["clock", "printable"]),
    ("payload", &["clock", "printable"]),
    ("store", &["clock", "queue", "payload"]),
    ("ops", &["clock", "queue", "payload", "store"]),
    ("args", &["clock", "queue", "payload"]),
    ("config", &["args", "clock", "queue", "payload"]),
    (
        "cli",
        &[
            "args", "config", "clock", "queue", "payload", "store", "ops",
        ],
    ),
    (
        "tui",
        &["config", "clock", "queue", "payload", "store", "ops"],
    ),
];

/// Crates that only some rooms may name.
const CRATES: &[(&str, &[&str])] = &[
    ("redis", &["store"]),
    ("ratatui", &["tui"]),
    ("tui_textarea", &["tui"]),
    ("crossterm", &["tui"]),
    ("clap", &["args", "config", "cli", "main"]),
    ("anyhow", &["cli", "tui", "main"]),
    ("tokio", &["store", "ops", "cli", "tui", "main"]),
    ("futures_util", &["store", "ops", "cli", "tui", "main"]),
];

/// Walls inside rooms: parts (files, with what lies in the directory of their name) and the rooms
/// and crates that they may not name.
const PARTS: &[(&str, &[&str])] = &[
    ("tui/view", &["ops", "store", "tokio", "crossterm"]),
    ("tui/widget", &["ops", "store", "tokio", "crossterm"]),
    ("tui/update", &["ratatui", "tokio", "crossterm"]),
    ("tui/model", &["ratatui", "tokio", "crossterm"]),
];

/// Readers of a clock, which only `clock` may call.
const CLOCKS: &[[&str; 2]] = &[
    ["SystemTime", "now"],
    ["Instant", "now"],
    ["Utc", "now"],
    ["Local", "now"],
];

/// What is wrong with the imports of a file; `name` is its path below `src`, without `.rs`.
pub(crate) fn breaches(name: &str, source: &str) -> Vec<String> {
    let room = name.split('/').next().unwrap_or(name);
    let mut wrong = Vec::new();
    for (line, path) in paths(&code(source)) {
        let mut report = |what: String| wrong.push(format!("src/{name}.rs:{line}: {what}"));
        let named = named(name, &(line, path.clone()));
        for (part, banned) in PARTS {
            let inside = name == *part || name.starts_with(&format!("{part}/"));
            if inside && banned.contains(&named.as_str()) {
                report(format!("{part} may not know {named}"));
            }
        }
        if let Some((known, allowed)) = CRATES.iter().find(|(name, _)| *name == path[0]) {
            if !allowed.contains(&room) {
                report(format!("{room} may not use the crate {known}"));
            }
        } else if is_room(&named) && path[0] != named && !may_import(room, &named) {
            report(format!("{room} may not import {named}"));
        }
        let last_two = &path[path.len() - 2..];
        if room != "clock" && CLOCKS.iter().any(|clock| clock[..] == *last_two) {
            report(format!("only clock may call {}", last_two.join("::")));
        }
    }
    wrong
}

/// The room (or crate) that a path of this file leads to.
fn named(file: &str, (_, path): &Path) -> String {
    let supers = path
        .iter()
        .take_while(|segment| *segment == "super")
        .count();
    let depth = file.split('/').count();
    let at = match path[0].as_str() {
        "crate" | "delayscope" => 1,
        // Up to the root of the crate, or past it from a module inside the file.
        "super" if supers >= depth => supers,
        _ => 0,
    };
    path.get(at).cloned().unwrap_or_default()
}

fn is_room(name: &str) -> bool {
    ROOMS.iter().any(|(room, _)| *room == name)
}

fn may_import(room: &str, other: &str) -> bool {
    room == other
        || room == "main"
        || room == "lib"
        || ROOMS
            .iter()
            .any(|(name, allowed)| *name == room && allowed.contains(&other))
}
