//! The names of types: one that is said without its module means one thing in all of the crate.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{code, paths};
use crate::{files, module, no_complaints, read};

/// Names that more types have than one, and why they keep them.
const SAID_WITH_MODULE: &[(&str, &str)] = &[
    ("Effect", "a feature's own is bare within the feature only"),
    ("Msg", "a feature's own is bare within the feature only"),
];

/// The most imports that lead from a name to the type that it means.
const MOST_STEPS: usize = 16;

/// The modules of the crate, their types, and what they import. A name is its module and itself:
/// `queue/finding/Finding`.
#[derive(Default)]
struct Names {
    modules: BTreeSet<String>,
    /// The types, and whether others may import them.
    types: BTreeMap<String, bool>,
    /// The path that a module's import gives a name to.
    imported: BTreeMap<String, Vec<String>>,
    /// The imports that are no re-exports: each with its module.
    bare: Vec<(String, Vec<String>)>,
}

impl Names {
    /// The names of sources, each with its module's.
    fn of<'a>(sources: impl Iterator<Item = (String, &'a str)>) -> Self {
        let mut names = Self::default();
        for (module, source) in sources {
            let tests = source.find("#[cfg(test)]\nmod tests {");
            let code = code(&source[..tests.unwrap_or(source.len())]);
            let module = if module == "lib" { "" } else { &module };
            names.modules.insert(module.to_owned());
            for line in code.lines() {
                if let Some(name) = crate::words::defined(line) {
                    let is_open = line.trim_start().starts_with("pub");
                    names.types.insert(within(module, name), is_open);
                }
            }
            names.add_imports(module, &code);
        }
        names
    }

    fn add_imports(&mut self, module: &str, code: &str) {
        for statement in code.split_inclusive(';') {
            let Some((before, import)) = statement.rsplit_once("use ") else {
                continue;
            };
            let last = before.lines().next_back().unwrap_or_default().trim();
            if !(last.is_empty() || last.starts_with("pub")) {
                continue;
            }
            let is_bare = last.is_empty();
            for (_, mut path) in paths(import) {
                if path.last().is_some_and(|name| name == "self") {
                    path.pop();
                }
                let name = path.last().cloned().unwrap_or_default();
                if is_bare {
                    self.bare.push((module.to_owned(), path.clone()));
                }
                let name = within(module, &name);
                self.imported.entry(name).or_insert(path);
            }
        }
    }

    /// The type or module that a path in a module means; none: another crate's.
    fn meant(&self, module: &str, path: &[String], steps: usize) -> Option<String> {
        let above = |module: &str| {
            Some(
                module
                    .rsplit_once('/')
                    .map_or("", |(above, _)| above)
                    .to_owned(),
            )
        };
        let mut at: Option<String> = None;
        for part in path {
            at = match (part.as_str(), at) {
                ("crate", None) => Some(String::new()),
                ("self", None) => Some(module.to_owned()),
                ("super", at) => above(at.as_deref().unwrap_or(module)),
                (name, at) => self.found(at.as_deref().unwrap_or(module), name, steps),
            };
            at.as_ref()?;
        }
        at
    }

    /// The type or module that a name in a module means.
    fn found(&self, module: &str, name: &str, steps: usize) -> Option<String> {
        let full = within(module, name);
        if self.types.contains_key(&full) || self.modules.contains(&full) {
            return Some(full);
        }
        self.meant(module, self.imported.get(&full)?, steps.checked_sub(1)?)
    }

    /// The names that are imported bare for more types than one, and those types.
    fn doubled(&self) -> BTreeMap<&str, BTreeSet<String>> {
        let mut meanings: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for (module, path) in &self.bare {
            let meant = self.meant(module, path, MOST_STEPS);
            let is_open = |name: &String| self.types.get(name) == Some(&true);
            if let (Some(name), Some(meant)) = (path.last(), meant.filter(is_open)) {
                meanings.entry(name).or_default().insert(meant);
            }
        }
        meanings.retain(|_, types| types.len() > 1);
        meanings
    }
}

fn within(module: &str, name: &str) -> String {
    [module, name].join("/").trim_start_matches('/').to_owned()
}

#[test]
fn a_type_that_is_said_without_its_module_has_a_name_of_its_own() {
    let sources: Vec<(String, String)> = files("src", "rs")
        .iter()
        .filter(|path| {
            !path.ends_with("tests.rs") && !path.display().to_string().contains("/tests/")
        })
        .map(|path| (module(path), read(path)))
        .collect();
    let names = Names::of(
        sources
            .iter()
            .map(|(module, source)| (module.clone(), source.as_str())),
    );
    let doubled = names.doubled();
    let is_known = |name: &str| SAID_WITH_MODULE.iter().any(|(known, _)| *known == name);
    let news = doubled.iter().filter(|(name, _)| !is_known(name));
    let mut complaints: Vec<_> = news
        .map(|(name, types)| format!("{name}: {types:?}"))
        .collect();
    let gone = SAID_WITH_MODULE
        .iter()
        .filter(|(known, _)| !doubled.contains_key(known));
    complaints.extend(
        gone.map(|(known, _)| format!("{known}: has one meaning, and need not be excused")),
    );
    no_complaints(&complaints);
}

#[test]
fn an_import_is_followed_to_the_type_that_it_means() {
    let sources = [
        ("lib", "pub mod one; pub mod two; mod user;"),
        (
            "one",
            "mod deep; pub use self::deep::{Deep, Step}; use crate::two;",
        ),
        (
            "one/deep",
            "pub struct Deep;\npub enum Step {}\nstruct Own;",
        ),
        ("two", "pub(crate) struct Step;\npub struct Own;"),
        (
            "user",
            "use crate::one::{Deep, Step};\nuse serde::Own;\nfn f() { g(two::Step) }",
        ),
        ("other", "use super::two::{self, Own};\npub use two::Step;"),
    ];
    let names = |sources: &[(&str, &'static str)]| {
        Names::of(
            sources
                .iter()
                .map(|(module, source)| ((*module).to_owned(), *source)),
        )
    };
    assert!(names(&sources).doubled().is_empty());
    let with = [&sources[..], &[("last", "use crate::other::Step;")]].concat();
    let both = ["one/deep/Step".to_owned(), "two/Step".to_owned()];
    assert_eq!(names(&with).doubled(), [("Step", both.into())].into());
}
