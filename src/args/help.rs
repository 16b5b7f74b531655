//! The help of the whole command line, and the error for a word that is no command.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

/// The commands in the groups of the help, by what they are for.
const GROUPS: [(&str, &[&str]); 5] = [
    (
        "Look",
        &[
            "queues", "show", "entries", "search", "watch", "traffic", "trace", "nodes",
        ],
    ),
    ("Find out why", &["doctor", "report", "metrics"]),
    (
        "Change",
        &[
            "transfer",
            "deliver",
            "requeue",
            "delete",
            "edit",
            "duplicate",
            "kick",
            "repair",
            "undo",
            "journal",
        ],
    ),
    ("Run", &["offer", "worker", "consume", "demo"]),
    ("Tools", &["decode", "acl", "completions", "man", "help"]),
];

/// The line of each help that says how a server is named.
const SERVER: &str = "\
Server: a URL, or the flags of redis-cli (-h -p -s -a -n); `delayscope help connection` has all.";

/// Letters in which a mistyped word may differ from the command that is meant.
const MOST_LETTERS: usize = 2;

/// Commands that reach no server: their help does not say how.
const ALONE: [&str; 7] = [
    "acl",
    "completions",
    "connection",
    "decode",
    "journal",
    "man",
    "trace",
];

/// Arranges the help: the commands in groups, and the flags that reach a server in one line.
pub(super) fn arranged(command: Command) -> Command {
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}Options:\n{{options}}\n\n{SERVER}{{after-help}}",
        groups(&command)
    );
    let each = |sub: Command| {
        if ALONE.contains(&sub.get_name()) {
            return sub;
        }
        let after = sub.get_after_help().map(ToString::to_string);
        let after = after.map_or_else(String::new, |after| format!("\n\n{after}"));
        sub.after_help(format!("{SERVER}{after}"))
    };
    command
        .mut_subcommands(each)
        .help_template(template)
        .subcommand(
            Command::new("connection")
                .hide(true)
                .about("How to reach a server: the flags of every command that reads one"),
        )
}

/// Lists the commands in their groups, a line each.
fn groups(command: &Command) -> String {
    let mut out = String::new();
    for (title, names) in GROUPS {
        out.push_str(title);
        out.push_str(":\n");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map_or_else(
                || "Print this, or the help of a command".to_owned(),
                ToString::to_string,
            );
            out.extend([&format!("  {name:11}  {about}"), "\n"]);
        }
        out.push('\n');
    }
    out
}

/// Finds the command that a mistyped word is most like.
fn meant(word: &str) -> Option<&'static str> {
    let names = GROUPS.iter().flat_map(|(_, names)| names.iter().copied());
    let each = names.map(|name| (strsim::osa_distance(word, name), name));
    let (letters, name) = each.min()?;
    (letters <= MOST_LETTERS && letters < name.len()).then_some(name)
}

/// The sentence for a word that is no command but looks like one.
#[must_use]
pub fn no_command(word: &str) -> Option<String> {
    let name = meant(word)?;
    Some(format!("no command {word:?}; did you mean {name}?"))
}

/// Names the command that was meant in the error for a mistyped one. A word before another one
/// passes for a URL, and only the one behind it for the command, so both are looked at.
pub(super) fn plainer(error: Error, typed: &[String]) -> Error {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return error;
    }
    let Some(ContextValue::String(behind)) = error.get(ContextKind::InvalidSubcommand).cloned()
    else {
        return error;
    };
    let at = typed.iter().position(|word| *word == behind);
    let before = at.and_then(|at| typed.get(at.checked_sub(1)?));
    let said = [before.filter(|_| at > Some(1)), Some(&behind)];
    let mut said = said.into_iter().flatten();
    let said = said.find_map(|word| no_command(word));
    match said {
        Some(said) => Error::raw(
            ErrorKind::InvalidSubcommand,
            format!("{said}\n\nFor all of them, try 'delayscope --help'.\n"),
        ),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Args;

    #[test]
    fn each_command_stands_in_one_group() {
        let command = Args::command();
        let named = GROUPS.iter().flat_map(|(_, names)| names.iter().copied());
        let mut shown: Vec<&str> = named.collect();
        shown.retain(|name| *name != "help");
        let there: BTreeSet<&str> = command.get_subcommands().map(Command::get_name).collect();
        assert_eq!(shown.iter().copied().collect::<BTreeSet<_>>(), there);
        assert_eq!(shown.len(), there.len());
    }

    #[test]
    fn a_mistyped_command_is_told_with_the_one_that_is_meant() {
        let said = |line: &str| Args::typed(line.split(' ')).err().unwrap().to_string();
        for line in ["delayscope shw orders", "delayscope -p 7000 shw orders"] {
            assert!(said(line).contains("no command \"shw\"; did you mean show?"));
        }
        assert!(said("delayscope redis://h/0 quues").contains("did you mean queues?"));
        assert!(said("delayscope orders shwo").contains("did you mean show?"));
        // Nothing is like it: clap says so.
        assert!(!said("delayscope redis://h/0 xyzzy").contains("did you mean"));
    }

    #[test]
    fn the_connection_flags_stand_in_one_place() {
        let help = |line: &str| Args::typed(line.split(' ')).err().unwrap().to_string();
        for line in ["delayscope --help", "delayscope show --help"] {
            assert!(!help(line).contains("--pass"), "{line}");
            assert!(help(line).contains("delayscope help connection"), "{line}");
            assert!(help(line).contains("--json"), "{line}");
        }
        assert!(help("delayscope help connection").contains("--pass"));
        for alone in ALONE.iter().filter(|name| **name != "connection") {
            let shown = help(&format!("delayscope {alone} --help"));
            assert!(!shown.contains("help connection"), "{alone}");
        }
    }

    #[test]
    fn the_flags_stand_in_groups_each_with_a_name_of_its_own() {
        let names = GROUPS.iter().flat_map(|(_, names)| names.iter());
        for name in names.filter(|name| **name != "help") {
            let line = format!("delayscope {name} --help");
            let shown = Args::typed(line.split(' ')).err().unwrap().to_string();
            let heads = shown.lines().filter(|line| line.ends_with(':'));
            let heads: Vec<&str> = heads.filter(|line| !line.starts_with(' ')).collect();
            let each: BTreeSet<&str> = heads.iter().copied().collect();
            assert_eq!(each.len(), heads.len(), "{name}: {heads:?}");
            let chooses = shown.contains("--due-before");
            assert_eq!(chooses, each.contains("Entries:"), "{name}: {heads:?}");
        }
    }

    #[test]
    fn an_h_alone_asks_for_help() {
        let asked = Args::typed(["delayscope", "-h"]).err().unwrap();
        assert_eq!(asked.kind(), ErrorKind::DisplayHelp);
    }
}
