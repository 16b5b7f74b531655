//! Who may write to the terminal: names, payloads and words of the server are chosen by others, so
//! what leaves goes through one of the few files that let nothing harmful out.

use crate::source::code;
use crate::{files, module, no_complaints, read};

/// They write what they are given, printable.
const PRINTERS: &[&str] = &[
    // What the parser of the command line has to say.
    "cli",
    "cli/output",
    "cli/say",
    // What is said when the screen has gone.
    "tui",
    "tui/terminal",
    "tui/terminal/panics",
];

/// The lines in which a file that is no printer takes hold of the terminal, other than to ask what
/// it is; `name` is its path below `src`, without `.rs`. (Macros that print are clippy's business.)
fn prints(name: &str, source: &str) -> Vec<String> {
    let asks = |line: &str| line.contains(".is_terminal()") || line.contains("terminal_size_of(");
    let takes = |line: &str| line.contains("stdout()") || line.contains("stderr()");
    code(source)
        .lines()
        .enumerate()
        .filter(|(_, line)| takes(line) && !asks(line) && !PRINTERS.contains(&name))
        .map(|(at, _)| {
            format!(
                "src/{name}.rs:{}: only printers write to a terminal",
                at + 1
            )
        })
        .collect()
}

#[test]
fn only_what_lets_nothing_harmful_out_writes_to_a_terminal() {
    let complaints: Vec<_> = files("src", "rs")
        .iter()
        .flat_map(|path| prints(&module(path), &read(path)))
        .collect();
    no_complaints(&complaints);
}

#[test]
fn a_file_that_writes_to_a_terminal_by_itself_is_reported() {
    let source = "fn f() {\n    writeln!(io::stderr(), \"{name}\");\n}";
    let said = ["src/cli/show.rs:2: only printers write to a terminal"];
    assert_eq!(prints("cli/show", source), said);
    no_complaints(&prints("cli/say", source));
    no_complaints(&prints("cli/show", "if io::stderr().is_terminal() {}"));
}
