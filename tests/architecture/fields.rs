//! Whose the fields of the screen's two large types are: what only one feature names is that
//! feature's own, and stands in a type of it. So whoever reads the model reads what all share.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{code, paths};
use crate::{files, module, no_complaints, read};

/// Names that the model has in the code of the screen.
const MODELS: &[&str] = &["model", "m", "past", "shown", "new", "self"];

/// Features whose own the schedule is.
const READERS: &[&str] = &["refresh", "schedule"];

/// The dispatcher and the loop, which act for all features.
const FOR_ALL: &[&str] = &["update", "run", "tui"];

/// Fields that only one feature names, whose types cannot be that feature's, and why.
const LEFT: &[(&str, &str)] = &[(
    "put_away",
    "holds an overlay of any feature: the changes may not know the model's types",
)];

/// The fields of a struct, each with its type.
fn fields(source: &str, name: &str) -> Vec<(String, String)> {
    let head = format!("pub struct {name} {{\n");
    let body = source.split(&head).nth(1).unwrap_or_default();
    let body = body.split("\n}").next().unwrap_or_default();
    let lines = body.lines().map(str::trim);
    let fields = lines.filter(|line| line.starts_with("pub"));
    let parts = fields.filter_map(|line| {
        let (before, kind) = line.split_once(": ")?;
        Some((before.split_whitespace().last()?, kind))
    });
    parts
        .map(|(name, kind)| (name.to_owned(), kind.trim_end_matches(',').to_owned()))
        .collect()
}

/// The fields that a source names of what is called so.
fn named(source: &str, receivers: &[&str]) -> BTreeSet<String> {
    // A chain that goes over lines is one word.
    let mut joined = String::new();
    for word in code(source).split_whitespace() {
        joined.push_str(if word.starts_with('.') { "" } else { " " });
        joined.push_str(word);
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let of_one = |receiver: &&str| {
        let with_dot = format!("{receiver}.");
        let found = joined.match_indices(&with_dot).filter_map(|(at, _)| {
            let is_whole = !joined[..at].ends_with(is_word);
            let rest = &joined[at + with_dot.len()..];
            let field = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
            let is_call = rest[field.len()..].starts_with('(');
            (is_whole && !is_call).then(|| field.to_owned())
        });
        found.collect::<Vec<_>>()
    };
    receivers.iter().flat_map(of_one).collect()
}

/// The feature that a file of the screen belongs to.
fn feature(module: &str) -> &str {
    module.split('/').nth(1).unwrap_or(module)
}

/// The features that name each field of what is called so.
fn users(sources: &[(String, String)], receivers: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let mut users: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, source) in sources {
        for field in named(source, receivers) {
            let of_field = users.entry(field).or_default();
            of_field.insert(feature(module).to_owned());
        }
    }
    users
}

/// The one feature that names a field, where it is only one.
fn only<'a>(users: &'a BTreeMap<String, BTreeSet<String>>, field: &str) -> Option<&'a str> {
    let of_field = users.get(field)?;
    let one = of_field.iter().next().filter(|_| of_field.len() == 1)?;
    Some(one.as_str())
}

/// The complaints about fields of the schedule: each that only one feature names is that one's.
fn strays_of_schedule(schedule: &str, sources: &[(String, String)]) -> Vec<String> {
    let users = users(sources, &["schedule"]);
    let fields = fields(schedule, "Schedule");
    assert!(!fields.is_empty(), "the schedule has fields");
    let fields = fields.into_iter();
    let owned = fields.filter_map(|(field, _)| Some((only(&users, &field)?.to_owned(), field)));
    owned
        .filter(|(owner, _)| !READERS.contains(&owner.as_str()))
        .map(|(owner, field)| format!("Schedule::{field}: only {owner} names it"))
        .collect()
}

/// The complaints about fields of the model: each that only one feature names is of a type of that
/// feature.
fn strays_of_model(model: &str, sources: &[(String, String)]) -> Vec<String> {
    let users = users(sources, MODELS);
    let imports = paths(&code(model));
    let is_of = |kind: &str, owner: &str| {
        imports.iter().any(|(_, path)| {
            let leads = path.len() > 3 && path[..3] == ["crate", "tui", owner];
            leads && kind.contains(path[path.len() - 1].as_str())
        })
    };
    let mut wrong = Vec::new();
    let fields = fields(model, "Model");
    assert!(!fields.is_empty(), "the model has fields");
    for (field, kind) in fields {
        let Some(owner) = only(&users, &field) else {
            continue;
        };
        let is_left = LEFT.iter().any(|(left, _)| *left == field);
        if !is_left && !FOR_ALL.contains(&owner) && !is_of(&kind, owner) {
            wrong.push(format!("Model::{field}: {kind}: only {owner} names it"));
        }
    }
    wrong
}

/// The sources of the screen, without those of the two types themselves.
fn of_the_screen() -> Vec<(String, String)> {
    let all = files("src", "rs").into_iter();
    let all = all.map(|path| (module(&path), read(&path)));
    all.filter(|(name, _)| {
        let is_its = name.starts_with("tui/") || name == "tui";
        is_its && name != "tui/model" && name != "tui/schedule"
    })
    .collect()
}

#[test]
fn the_schedule_holds_nothing_that_is_one_features_own() {
    no_complaints(&strays_of_schedule(
        &read("src/tui/schedule.rs"),
        &of_the_screen(),
    ));
}

#[test]
fn the_model_holds_what_is_one_features_own_in_a_type_of_that_feature() {
    no_complaints(&strays_of_model(
        &read("src/tui/model.rs"),
        &of_the_screen(),
    ));
}

#[test]
fn what_is_left_is_still_one_features_own() {
    let users = users(&of_the_screen(), MODELS);
    let gone: Vec<String> = LEFT
        .iter()
        .filter(|(field, _)| only(&users, field).is_none())
        .map(|(field, _)| format!("{field} has not one owner any more"))
        .collect();
    no_complaints(&gone);
}

#[test]
fn a_field_that_is_one_features_own_is_reported() {
    let source = |module: &str, source: &str| (module.to_owned(), source.to_owned());
    let sources = [
        source(
            "tui/findings/update",
            "fn f() { model.schedule.held = None; model\n    .bar\n    .take(); m.top() }",
        ),
        source("tui/refresh/update", "fn f() { model.schedule.turn += 1 }"),
        source("tui/lives/run", "fn f() { model.lives.clear(); model.all }"),
        source("tui/marks/update", "fn f() { a_model.bar; model.all }"),
    ];
    let schedule =
        "pub struct Schedule {\n    pub(crate) held: Option<u8>,\n    pub(crate) turn: u8,\n}";
    assert_eq!(
        strays_of_schedule(schedule, &sources),
        ["Schedule::held: only findings names it"]
    );
    let model = "use crate::tui::lives::Lives;\npub struct Model {\n    pub bar: Option<u8>,\n    pub lives: Lives,\n    pub all: u8,\n    pub top: u8,\n}";
    assert_eq!(
        strays_of_model(model, &sources),
        ["Model::bar: Option<u8>: only findings names it"]
    );
}
