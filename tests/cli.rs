//! The command line as others use it: the real binary against private servers.

#[path = "cli/acl.rs"]
mod acl;
#[path = "cli/asking.rs"]
mod asking;
#[path = "cli/busy.rs"]
mod busy;
#[path = "cli/changing.rs"]
mod changing;
#[path = "cli/config.rs"]
mod config;
#[path = "cli/decoding.rs"]
mod decoding;
#[path = "cli/doctor.rs"]
mod doctor;
#[path = "cli/guards.rs"]
mod guards;
#[path = "cli/hostile.rs"]
mod hostile;
#[path = "cli/journal.rs"]
mod journal;
#[path = "cli/keeping.rs"]
mod keeping;
#[path = "cli/offering.rs"]
mod offering;
#[path = "cli/pasting.rs"]
mod pasting;
#[path = "cli/program.rs"]
mod program;
#[path = "cli/quarantine.rs"]
mod quarantine;
#[path = "cli/reading.rs"]
mod reading;
#[path = "cli/reporting.rs"]
mod reporting;
#[path = "cli/running.rs"]
mod running;
#[path = "cli/searching.rs"]
mod searching;
#[path = "cli/several.rs"]
mod several;
#[path = "cli/stopping.rs"]
mod stopping;
mod support;
#[path = "cli/taken.rs"]
mod taken;
#[path = "cli/terminal.rs"]
mod terminal;
#[path = "cli/trouble.rs"]
mod trouble;

use program::{Program, local};

#[test]
fn help_shows_the_commands_with_examples() {
    insta::assert_snapshot!("help", local(&["--help"]).done().out);
}

#[test]
fn help_of_a_command_shows_its_flags_with_examples() {
    insta::assert_snapshot!("help_offer", local(&["offer", "--help"]).done().out);
}

#[test]
fn help_of_search_explains_the_filter() {
    insta::assert_snapshot!("help_search", local(&["search", "--help"]).done().out);
}

#[test]
fn every_command_has_an_example_in_its_help() {
    for command in [
        "demo",
        "queues",
        "show",
        "entries",
        "search",
        "watch",
        "traffic",
        "doctor",
        "report",
        "offer",
        "transfer",
        "deliver",
        "requeue",
        "delete",
        "edit",
        "duplicate",
        "kick",
        "repair",
        "undo",
        "worker",
        "consume",
        "journal",
        "acl",
        "decode",
    ] {
        let help = local(&[command, "-?"]).done().out;
        let example = format!("\nExamples:\n  delayscope {command}");
        assert!(help.contains(&example), "{command}: {help}");
    }
}

#[test]
fn the_version_is_that_of_the_crate() {
    let expected = format!("delayscope {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(local(&["--version"]).done().out, expected);
}

#[test]
fn without_a_terminal_the_queues_are_printed() {
    let program = Program::start();
    program.offer("orders", "hello", "1h");
    let bare = program.run(&["--json"]).done().json();
    let queues = program.run(&["queues", "--json"]).done().json();
    assert_eq!(bare.len(), 1);
    assert_eq!(bare[0]["queue"], queues[0]["queue"]);
    assert_eq!(bare[0]["waiting"], 1);
    let table = program.run(&[]).done().out;
    assert!(table.starts_with("QUEUE "), "{table}");
    assert!(table.contains("\norders "), "{table}");
}
