//! The command line as others use it: the real binary against private servers.

#![expect(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "what programs share is used in part; a failure here is a failed test"
)]

#[path = "../support/cluster.rs"]
mod cluster;
#[path = "../support/data.rs"]
mod data;
#[path = "../support/redisson.rs"]
mod redisson;
#[path = "../support/resp.rs"]
mod resp;
#[path = "../support/sentinel.rs"]
mod sentinel;
#[path = "../support/socks.rs"]
mod socks;
#[path = "../support/mod.rs"]
mod support;

#[cfg(feature = "interop")]
#[path = "../interop/build.rs"]
mod build;
#[cfg(feature = "interop")]
#[path = "../interop/check.rs"]
mod check;
#[cfg(feature = "interop")]
#[path = "../interop/peer.rs"]
mod peer;

mod acl;
mod asking;
mod busy;
mod changing;
mod clusters;
mod config;
mod decoding;
mod demo;
mod doctor;
mod findings;
mod guards;
mod hostile;
mod journal;
mod json;
mod keeping;
mod kill;
mod metrics;
mod offering;
mod packages;
mod pasting;
mod program;
mod quarantine;
mod reading;
mod readme;
mod reporting;
mod running;
mod searching;
mod sentinels;
mod setup;
mod several;
mod stopping;
mod taken;
mod terminal;
mod tls;
mod tools;
mod tracing;
mod trouble;
mod via;

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
        "nodes",
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
        "trace",
    ] {
        let help = local(&[command, "-?"]).done().out;
        let example = format!("\nExamples:\n  delayscope {command}");
        assert!(help.contains(&example), "{command}: {help}");
    }
}

#[test]
fn the_version_is_that_of_the_crate() {
    let expected = format!("delayscope {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(local(&["-V"]).done().out, expected);
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

#[test]
fn queues_marks_one_whose_entries_will_expire_although_nothing_is_late() {
    let program = Program::start();
    program.offer("orders", "hello", "1h");
    program.offer("well", "hello", "1h");
    program
        .server
        .cmd(&["PEXPIRE", "redisson_delay_queue_timeout:{orders}", "600000"]);
    let ended = program.run(&["queues"]).done();
    let row = |name: &str| {
        ended
            .out
            .lines()
            .find(|row| row.starts_with(name))
            .unwrap()
            .to_owned()
    };
    assert!(row("orders").ends_with('✖'), "{}", ended.out);
    assert!(!row("well").contains(['✖', '▲', '!']), "{}", ended.out);
    assert!(
        ended.err.contains("have problems; which: delayscope"),
        "{}",
        ended.err
    );
    let shown = program.run(&["show", "orders"]).done().out;
    assert!(shown.contains("problems         delayscope"), "{shown}");
    let json = program.run(&["queues", "--json"]).done().json();
    let orders = json.iter().find(|line| line["queue"] == "orders").unwrap();
    let found = orders["findings"].as_array().unwrap();
    assert!(found.iter().any(|id| id == "ttl"), "{orders}");
}
