//! The house holds: who may import whom, what every script says of itself,
//! what lies at the top of the repository. The rules are those of the crate's own documentation.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

#[path = "architecture/cycles.rs"]
mod cycles;
#[path = "architecture/features.rs"]
mod features;
#[path = "architecture/fields.rs"]
mod fields;
#[path = "architecture/layouts.rs"]
mod layouts;
#[path = "architecture/names.rs"]
mod names;
#[path = "architecture/printers.rs"]
mod printers;
#[path = "architecture/source.rs"]
mod source;
#[path = "architecture/walls.rs"]
mod walls;
#[path = "architecture/words.rs"]
mod words;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use walls::{ROOMS, breaches};

/// The longest the README may be, in lines.
const MAX_README: usize = 170;

/// What may lie at the top, beside dot files and what Git ignores.
const TOP: &[&str] = &[
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "assets",
    "build.rs",
    "src",
    "target",
    "tests",
];

/// Words that say a thing is not done. In halves, so that this file does not hold them.
const UNFINISHED: &[[&str; 2]] = &[
    ["TO", "DO"],
    ["FIX", "ME"],
    ["XX", "X:"],
    ["todo", "!("],
    ["unimplemented", "!("],
    ["#[al", "low("],
    ["#![al", "low("],
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// All files below `dir` with that extension, relative to the top, in order.
fn files(dir: &str, extension: &str) -> Vec<PathBuf> {
    let mut open = vec![root().join(dir)];
    let mut found = Vec::new();
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.extend((path.file_name() != Some("target".as_ref())).then_some(path));
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path.strip_prefix(root()).unwrap().to_path_buf());
            }
        }
    }
    found.sort();
    found
}

/// `src/store/link.rs` as `store/link`.
fn module(path: &Path) -> String {
    let below = path.strip_prefix("src").unwrap().with_extension("");
    below.to_string_lossy().into_owned()
}

fn no_complaints(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

// --- Walls ----------------------------------------------------------------------------------------

#[test]
fn every_room_imports_only_what_it_may() {
    let complaints: Vec<_> = files("src", "rs")
        .iter()
        .flat_map(|path| breaches(&module(path), &read(path)))
        .collect();
    no_complaints(&complaints);
}

#[test]
fn every_source_file_belongs_to_a_room() {
    let strangers: Vec<_> = files("src", "rs")
        .iter()
        .map(|path| module(path))
        .filter(|name| {
            let room = name.split('/').next().unwrap();
            !["main", "lib"].contains(&room) && ROOMS.iter().all(|(known, _)| *known != room)
        })
        .collect();
    no_complaints(&strangers);
}

#[test]
fn no_module_is_called_mod_rs() {
    let old: Vec<_> = files("src", "rs")
        .into_iter()
        .filter(|path| path.ends_with("mod.rs"))
        .map(|path| path.display().to_string())
        .collect();
    no_complaints(&old);
}

/// A file, what stands in it, and what is to be said of it.
const BREACHES: &[[&str; 3]] = &[
    [
        "store/link",
        "use std::fmt;\nuse crate::tui;\nuse crate::tui::run;",
        "src/store/link.rs:3: store may not import tui",
    ],
    [
        "store/link",
        "use crate::{queue::Entry, tui};",
        "store may not import tui",
    ],
    [
        "queue",
        "use crate::{clock::{self, EpochMillis}, store::{link::Store}};",
        "queue may not import store",
    ],
    [
        "queue/name",
        "fn f() { super::super::store::go() }",
        "queue may not import store",
    ],
    [
        "queue",
        "async fn f() { tokio::spawn(g()) }",
        "queue may not use the crate tokio",
    ],
    [
        "payload/json",
        "use redis::Value;",
        "payload may not use the crate redis",
    ],
    [
        "ops/refresh",
        "fn f(_: redis::Value) {}",
        "ops may not use the crate redis",
    ],
    [
        "cli/show",
        "use ratatui::text::Line;",
        "cli may not use the crate ratatui",
    ],
    [
        "cli/show",
        "use crate::tui::theme;",
        "cli may not import tui",
    ],
    [
        "tui/header/view",
        "use crate::ops::refresh;",
        "what draws may not know ops",
    ],
    [
        "tui/view",
        "use crate::store::Store;",
        "what draws may not know store",
    ],
    [
        "tui/widget/hex",
        "use tokio::sync::mpsc;",
        "what draws may not know tokio",
    ],
    [
        "tui/update",
        "use ratatui::style::Style;",
        "what decides may not know ratatui",
    ],
    [
        "tui/queues/update",
        "use crate::tui::header;\nfn f() { header::view::place() }",
        "src/tui/queues/update.rs:2: what decides may not know view",
    ],
    [
        "tui/update/mouse",
        "use crate::tui::area::Area;",
        "what decides may not know area",
    ],
    [
        "tui/form/update",
        "fn clicked() { super::place::plan() }",
        "what decides may not know place",
    ],
    [
        "tui/update/mouse",
        "fn clicked() { layout::areas(model).queues.outer.holds(x, y) }",
        "what decides may not know areas",
    ],
    [
        "tui/form/place",
        "use ratatui::layout::Rect;",
        "what lays out may not know ratatui",
    ],
    [
        "tui/offer/run",
        "use ratatui::style::Style;",
        "what acts may not know ratatui",
    ],
    [
        "ops/worker",
        "let t = std::time::Instant::now();",
        "only clock may call Instant::now",
    ],
];

#[test]
fn an_import_through_a_wall_is_reported_with_its_line() {
    for [name, source, complaint] in BREACHES {
        let said = breaches(name, source).join("; ");
        assert!(said.contains(complaint), "{source:?} in {name}: {said:?}");
    }
}

#[test]
fn comments_literals_and_own_names_are_no_imports() {
    for (name, source) in [
        (
            "store/link",
            "//! Shown by [`crate::tui`].\n/* crate::cli::run */ use crate::queue::Link;",
        ),
        (
            "queue",
            r##"const A: &str = "redis::cmd"; const B: &str = r#"crate::"store"::x"#; fn f<'a>() {}"##,
        ),
        (
            "queue/name",
            "fn is(c: char) -> bool { c == '\"' || c == '\\'' } // tokio::spawn",
        ),
        (
            "tui/run",
            "use ratatui::Terminal; use crate::ops::refresh; use super::view;",
        ),
        (
            "store/read",
            "use redis::{self, aio::ConnectionLike as Like}; use super::link::redis_url;",
        ),
        (
            "main",
            "use delayscope::{cli, config::Config, tui}; let x = clap::Parser::parse();",
        ),
        ("clock", "let t = std::time::SystemTime::now();"),
        ("tui/view", "let x = model.store::<u8>(); area.ops();"),
        ("tui/marks/update", "fn f() { focus::place(model) }"),
        ("tui/form/place", "use crate::tui::area::Area;"),
    ] {
        no_complaints(&breaches(name, source));
    }
}

// --- Files ----------------------------------------------------------------------------------------

#[test]
fn nothing_says_that_it_is_unfinished() {
    let sources = [
        files("src", "rs"),
        files("tests", "rs"),
        files("tests", "java"),
        files("assets", "lua"),
        files("assets", "sh"),
    ]
    .concat();
    let mut unfinished = Vec::new();
    for path in sources {
        let text = read(&path);
        for word in UNFINISHED.iter().map(|halves| halves.concat()) {
            let at = text.lines().position(|line| line.contains(&word));
            unfinished.extend(at.map(|line| format!("{}:{}: {word}", path.display(), line + 1)));
        }
    }
    no_complaints(&unfinished);
}

#[test]
fn whoever_leaves_a_test_out_says_why_and_how_to_run_it() {
    let mark = ["#[ign", "ore"].concat();
    let with_reason = format!("{mark} = \"");
    let mut untold = Vec::new();
    for path in [files("src", "rs"), files("tests", "rs")].concat() {
        for (at, line) in read(&path).lines().enumerate() {
            let is_told = line.contains(&with_reason) && line.contains(": cargo test ");
            if line.trim_start().starts_with(&mark) && !is_told {
                untold.push(format!("{}:{}: {}", path.display(), at + 1, line.trim()));
            }
        }
    }
    no_complaints(&untold);
}

#[test]
fn the_top_of_the_repository_holds_only_what_the_design_says() {
    let strangers: Vec<_> = fs::read_dir(root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.') && !TOP.contains(&name.as_str()))
        .collect();
    no_complaints(&strangers);
}

// --- Scripts --------------------------------------------------------------------------------------

#[test]
fn every_script_is_included_exactly_once() {
    let sources: String = files("src", "rs").iter().map(read).collect();
    let wrong: Vec<_> = files("assets/lua", "lua")
        .iter()
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .map(|name| (times_included(&sources, &name), name))
        .filter(|(times, _)| *times != 1)
        .map(|(times, name)| format!("{name} is included {times} times"))
        .collect();
    no_complaints(&wrong);
}

#[test]
fn a_script_is_told_from_another_whose_name_ends_alike() {
    let sources = r#"script!("offer.lua", 1) include_str!("../../assets/lua/re-offer.lua")"#;
    assert_eq!(times_included(sources, "offer.lua"), 1);
    assert_eq!(times_included(sources, "re-offer.lua"), 1);
    assert_eq!(times_included(sources, "transfer.lua"), 0);
}

/// How often a script's file is named, by its name alone or at the end of a path.
fn times_included(sources: &str, name: &str) -> usize {
    ['"', '/']
        .map(|before| sources.matches(&format!("{before}{name}\"")).count())
        .iter()
        .sum()
}

#[test]
fn every_script_opens_with_its_contract() {
    let wrong: Vec<_> = files("assets/lua", "lua")
        .iter()
        .filter_map(|path| {
            let lacking = missing_from_contract(&read(path))?;
            Some(format!("{} does not say {lacking}", path.display()))
        })
        .collect();
    no_complaints(&wrong);
}

#[test]
fn a_script_without_its_contract_is_reported() {
    let whole = "-- Moves.\n--\n-- KEYS 1 timeouts\n-- ARGV 1 now\n-- returns a number\nreturn 1\n";
    assert_eq!(missing_from_contract(whole), None);
    assert_eq!(
        missing_from_contract(&whole.replace("-- ARGV", "-- args")),
        Some("ARGV")
    );
    // What stands below the first code is no header.
    assert_eq!(
        missing_from_contract(&format!("local x\n{whole}")),
        Some("KEYS")
    );
}

/// Which part of the contract a script's header lacks.
fn missing_from_contract(script: &str) -> Option<&'static str> {
    let header: BTreeSet<String> = script
        .lines()
        .map_while(|line| line.strip_prefix("--"))
        .filter_map(|line| line.split_whitespace().next())
        .map(|word| word.trim_end_matches(':').to_uppercase())
        .collect();
    ["KEYS", "ARGV", "RETURNS"]
        .into_iter()
        .find(|part| !header.contains(*part))
}

// --- README ---------------------------------------------------------------------------------------

#[test]
fn the_readme_is_short_and_holds_its_two_commands() {
    let readme = read("README.md");
    let lines = readme.lines().count();
    assert!(lines < MAX_README, "README.md has {lines} lines");
    for command in [
        "sh assets/setup.sh && cargo run -- demo",
        "sh assets/setup.sh && cargo test",
    ] {
        let stands = readme
            .lines()
            .any(|line| line == command || line.ends_with(&format!(" && {command}")));
        assert!(stands, "README.md lacks the line: {command}");
    }
    let ci = read(".ci/run");
    assert!(ci.contains("sh assets/setup.sh && cargo test;"));
}
