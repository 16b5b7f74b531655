//! Which room may know which: the table, and what breaks it.

use crate::source::{Path, code, paths};

/// The rooms of the house, each with those it may import. `main` stands in front of all of them.
pub(crate) const ROOMS: &[(&str, &[&str])] = &[
    ("clock", &[]),
    ("printable", &[]),
    ("stops", &[]),
    ("payload", &["clock", "printable"]),
    ("queue", &["clock", "printable", "payload"]),
    ("trace", &["clock", "queue"]),
    ("store", &["clock", "queue", "payload"]),
    ("ops", &["clock", "queue", "payload", "trace", "store"]),
    ("args", &["clock", "queue", "payload", "ops"]),
    ("config", &["args", "clock", "queue", "payload"]),
    (
        "cli",
        &[
            "args", "config", "clock", "stops", "queue", "payload", "trace", "store", "ops",
        ],
    ),
    (
        "tui",
        &[
            "config", "clock", "stops", "queue", "payload", "trace", "store", "ops",
        ],
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

/// What a file of the screen does, told by its place, and what it may not name for that: rooms,
/// crates, and the roles of others.
const ROLES: &[(&str, &[&str])] = &[
    ("draws", &["ops", "store", "tokio", "crossterm"]),
    ("acts", &["ratatui", "crossterm", "view"]),
    (
        "decides",
        &[
            "ops",
            "store",
            "ratatui",
            "tokio",
            "crossterm",
            "view",
            "draw",
            "area",
            "areas",
            "place",
        ],
    ),
    (
        "lays out",
        &[
            "ops",
            "store",
            "ratatui",
            "tokio",
            "crossterm",
            "view",
            "draw",
        ],
    ),
];

/// What of these words is a folder or file of some feature, wherever a path leads through it.
const FOLDERS: &[&str] = &["view", "draw", "area", "place"];

/// What of them must not be at the end of a path either.
const ITEMS: &[&str] = &["view", "draw", "areas"];

/// Files of the screen that no feature owns: what they do. Those without a role are the loop and
/// what stands beside it, which may know all.
const TOOLS: &[(&str, Option<&str>)] = &[
    ("tui", None),
    ("tui/area", Some("lays out")),
    ("tui/draw", Some("draws")),
    ("tui/hints", Some("draws")),
    ("tui/hitmap", Some("lays out")),
    ("tui/layout", Some("lays out")),
    ("tui/run", None),
    ("tui/start", None),
    ("tui/tasks", Some("acts")),
    ("tui/terminal", None),
    ("tui/theme", Some("draws")),
    ("tui/widget", Some("draws")),
];

/// The role of a file of the screen: that of a folder or file `view`, `run` or `place` on its way,
/// else it decides. What decides asks the picture where something lies, and computes no place
/// again.
fn role(name: &str) -> Option<&'static str> {
    let below = |tool: &str| tool != "tui" && name.starts_with(&format!("{tool}/"));
    let tool = TOOLS.iter().find(|(tool, _)| name == *tool || below(tool));
    match tool {
        Some((_, role)) => *role,
        None if !name.starts_with("tui/") => None,
        None if name.split('/').any(|part| part == "view") => Some("draws"),
        None if name.split('/').any(|part| part == "run") => Some("acts"),
        None if name.ends_with("/place") => Some("lays out"),
        None => Some("decides"),
    }
}

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
        let banned = ROLES.iter().find(|(part, _)| role(name) == Some(part));
        if let Some((part, banned)) = banned {
            let foreign = |word: &&&str| {
                let (way, last) = path.split_at(path.len() - 1);
                named == **word
                    || FOLDERS.contains(*word) && way.iter().any(|segment| segment == **word)
                    || ITEMS.contains(*word) && last[0] == **word
            };
            if let Some(word) = banned.iter().find(foreign) {
                report(format!("what {part} may not know {word}"));
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
