//! How many files import each other in a circle: whoever reads one of them has to read them all.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{code, paths};
use crate::{files, module, read};

/// The most files that may stand in one circle. To be lowered with each arrow of it that is cut,
/// never raised.
const MOST_FILES_IN_A_CIRCLE: usize = 4;

/// Which file names which, both by their modules.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// The files that a file's paths lead to; `known` are the modules that have a file. A folder's own
/// file and what lies in the folder are one idea: what they name of each other does not count.
fn imports(name: &str, source: &str, known: &BTreeSet<String>) -> BTreeSet<String> {
    let tests = source.find("#[cfg(test)]").unwrap_or(source.len());
    let paths = paths(&code(&source[..tests]));
    let mut own: Vec<String> = name.split('/').map(str::to_owned).collect();
    own.retain(|part| part != "lib");
    // What a path from the root leads to: a file, and whether something in it is named.
    let resolved = |from_root: &[String]| {
        let ends = (1..=from_root.len()).rev();
        let mut found = ends.map(|end| (from_root[..end].join("/"), end < from_root.len()));
        found.find(|(file, _)| known.contains(file))
    };
    let from_root = |path: &[String]| -> Option<Vec<String>> {
        let supers = path.iter().take_while(|part| *part == "super").count();
        let (base, rest) = match path[0].as_str() {
            "crate" => (&own[..0], &path[1..]),
            "self" => (&own[..], &path[1..]),
            "super" => (&own[..own.len().checked_sub(supers)?], &path[supers..]),
            _ => return None,
        };
        let rest = rest.iter().filter(|part| *part != "self");
        Some(base.iter().chain(rest).cloned().collect())
    };
    let mut modules: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut named = BTreeSet::new();
    for (_, path) in &paths {
        let Some(path) = from_root(path) else {
            continue;
        };
        match resolved(&path) {
            Some((file, true)) => {
                named.insert(file);
            }
            Some((_, false)) => {
                modules.insert(path.last().cloned().unwrap_or_default(), path);
            }
            None => {}
        }
    }
    for (_, path) in &paths {
        let child = [own.clone(), vec![path[0].clone()]].concat();
        let head = modules
            .get(&path[0])
            .or_else(|| known.contains(&child.join("/")).then_some(&child));
        let Some(head) = head else {
            continue;
        };
        let path = [head, &path[1..]].concat();
        named.extend(
            resolved(&path)
                .filter(|(_, inside)| *inside)
                .map(|(file, _)| file),
        );
    }
    let is_below = |file: &str, folder: &str| file.starts_with(&format!("{folder}/"));
    named.retain(|file| file != name && !is_below(file, name) && !is_below(name, file));
    named
}

/// The files that can be reached from `start`, itself when it stands in a circle.
fn reached<'a>(imports: &'a Imports, start: &str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = imports[start].iter().map(String::as_str).collect();
    while let Some(file) = open.pop() {
        if found.insert(file) {
            open.extend(imports.get(file).into_iter().flatten().map(String::as_str));
        }
    }
    found
}

/// The largest circle.
fn largest(imports: &Imports) -> Vec<&str> {
    let ways: BTreeMap<&str, BTreeSet<&str>> = imports
        .keys()
        .map(|name| (name.as_str(), reached(imports, name)))
        .collect();
    let circle = |name: &str| -> Vec<&str> {
        let back = |other: &&&str| ways.get(**other).is_some_and(|ways| ways.contains(name));
        ways[name].iter().filter(back).copied().collect()
    };
    let circles = ways.keys().map(|name| circle(name));
    circles.max_by_key(Vec::len).unwrap_or_default()
}

fn of_the_house() -> Imports {
    let files = files("src", "rs");
    let known: BTreeSet<String> = files.iter().map(|path| module(path)).collect();
    files
        .iter()
        .map(|path| (module(path), imports(&module(path), &read(path), &known)))
        .collect()
}

#[test]
fn no_circle_of_imports_is_larger_than_those_that_are_known() {
    let imports = of_the_house();
    let circle = largest(&imports);
    assert!(
        circle.len() <= MOST_FILES_IN_A_CIRCLE,
        "{} files import each other in a circle: {circle:#?}",
        circle.len()
    );
}

#[test]
fn a_circle_is_seen_through_groups_parents_and_imported_modules() {
    let house = [
        ("a", "use crate::{b, c::Thing};\nfn f() { b::d::go() }"),
        ("b", "pub mod d;\nfn go() { d::go() }"),
        ("b/d", "use super::super::c;\nfn go() { c::go() }"),
        ("b/f", "use super::go;\nuse crate::a::f;"),
        ("c", "use crate::a::f;\nstruct Thing;"),
        (
            "e",
            "use crate::a;\n#[cfg(test)]\nmod tests { use crate::e::x; }",
        ),
    ];
    let known: BTreeSet<String> = house.iter().map(|(name, _)| (*name).to_owned()).collect();
    let imports: Imports = house
        .iter()
        .map(|(name, source)| ((*name).to_owned(), imports(name, source, &known)))
        .collect();
    assert_eq!(largest(&imports), ["a", "b/d", "c"]);
}
