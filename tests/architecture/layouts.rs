//! Nobody but a layout's own file asks which layout a queue has: they ask what it can do, so that
//! a new layout is one file and falls on no wrong side anywhere.

use crate::source::{code, paths};
use crate::{files, module, no_complaints, read};

/// Where layouts are told apart.
const HOME: &str = "queue/layout";

/// The lines in which a file that is no layout's names one; `name` is its path below `src`, without
/// `.rs`.
fn asks_which(name: &str, source: &str) -> Vec<String> {
    if name == HOME || name.starts_with(&format!("{HOME}/")) {
        return Vec::new();
    }
    let is_one = |path: &[String]| {
        let of_layout =
            |pair: &[String]| pair[0] == "Layout" && pair[1].starts_with(char::is_uppercase);
        path.windows(2).any(of_layout)
    };
    paths(&code(source))
        .into_iter()
        .filter(|(_, path)| is_one(path))
        .map(|(line, path)| {
            let path = path.join("::");
            format!("src/{name}.rs:{line}: {path}: ask the queue what it can do, not which layout it has")
        })
        .collect()
}

#[test]
fn only_the_layouts_own_files_name_one() {
    let complaints: Vec<_> = files("src", "rs")
        .iter()
        .flat_map(|path| asks_which(&module(path), &read(path)))
        .collect();
    no_complaints(&complaints);
}

#[test]
fn a_file_that_asks_which_layout_a_queue_has_is_reported() {
    for source in [
        "fn f() -> bool {\n    queue.layout == Layout::Redisson\n}",
        "fn f() -> bool {\n    matches!(queue.layout, Layout::ZsetList(_))\n}",
        "fn f() {\n    let crate::queue::Layout::ZsetList(z) = &queue.layout else { return };\n}",
    ] {
        let said = asks_which("store/write", source).join("; ");
        assert!(
            said.starts_with("src/store/write.rs:2: "),
            "{source}: {said}"
        );
        no_complaints(&asks_which("queue/layout/redisson", source));
    }
    no_complaints(&asks_which("cli/show", "let word = queue.layout.word();"));
}
