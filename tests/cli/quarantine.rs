//! Entries set aside and brought back by commands.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use serde_json::Value;

use crate::changing::{depths, with_orders};
use crate::program::Program;

/// The members in quarantine.
fn kept(program: &Program) -> i64 {
    let key = "delayscope:quarantine:{orders}";
    program.server.int(&["ZCARD", key])
}

/// `repair orders` with these flags, as a program calls it; its summary.
fn repair(program: &Program, flags: &[&str]) -> Value {
    let args = [&["repair", "orders", "--json", "--yes"], flags].concat();
    program.run(&args).done().json().pop().unwrap()
}

#[test]
fn what_breaks_transfers_is_set_aside_listed_and_brought_back() {
    let program = with_orders();
    let timeouts = "redisson_delay_queue_timeout:{orders}";
    program.server.cmd(&["ZADD", timeouts, "1000", "poison"]);
    // What no client wrote is not appended to the order list, and nobody says that both are equal.
    let drift = program.run(&["repair", "orders", "--drift", "--yes"]);
    let said = drift.partly().err;
    for words in [
        "1 entry of timeouts is not in Redisson's format and stays out of the order list",
        "nothing to repair in the order list of \"orders\"",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let dry = repair(&program, &["--quarantine", "--dry-run"]);
    assert_eq!((&dry["planned"], kept(&program)), (&Value::from(1), 0));
    let command = dry["commands"][0].as_str().unwrap();
    assert!(command.contains("ZADD \"delayscope:quarantine:{orders}\" 1000 poison"));
    let done = repair(&program, &["--quarantine"]);
    assert_eq!(
        (&done["change"], &done["done"]),
        (&"quarantine".into(), &1.into())
    );
    assert_eq!((depths(&program), kept(&program)), ([3, 3, 0], 1));
    let listed = ["entries", "orders", "--from", "quarantined", "--json"];
    let listed = program.run(&listed).done().json();
    let [entry] = &listed[..] else {
        panic!("{listed:?}");
    };
    assert_eq!(
        (&entry["state"], &entry["due_ms"]),
        (&"quarantined".into(), &1_000.into())
    );
    for args in [&["show", "orders", "--json"][..], &["queues", "--json"]] {
        let shown = program.run(args).done().json();
        assert_eq!(shown[0]["quarantined"], 1, "{args:?}");
    }
    program.run(&["undo", "--yes"]).done();
    assert_eq!((depths(&program), kept(&program)), ([4, 3, 0], 0));
}

#[test]
fn doctor_tells_that_it_was_set_aside_from_here() {
    let program = with_orders();
    repair(&program, &["--quarantine", "--grep", "entry 2"]);
    let doctor = ["doctor", "orders", "--json", "--for", "100ms"];
    let told = program.run(&doctor).json();
    let found = told.iter().find(|found| found["id"] == "quarantined");
    let words = found.unwrap()["evidence"]["words"][0].as_str().unwrap();
    assert!(words.starts_with("moved there by you "), "{words}");
}

#[test]
fn the_chosen_ones_are_set_aside_and_only_these_are_restored() {
    let program = with_orders();
    let done = repair(&program, &["--quarantine", "--grep", "entry"]);
    assert_eq!((&done["done"], depths(&program)), (&3.into(), [0, 0, 0]));
    // Of a queue of which nothing else is left, it is still there.
    let done = repair(&program, &["--restore", "--grep", "entry 2"]);
    assert_eq!(
        (&done["change"], &done["done"]),
        (&"restore".into(), &1.into())
    );
    assert_eq!((depths(&program), kept(&program)), ([1, 1, 0], 2));
    repair(&program, &["--restore", "--all"]);
    assert_eq!((depths(&program), kept(&program)), ([3, 3, 0], 0));
    let nothing = ["repair", "orders", "--restore", "--all"];
    let told = program.run(&nothing).partly().err;
    assert!(told.contains("is in quarantine, or none"), "{told}");
}

#[test]
fn a_restoration_says_what_it_is_about_and_other_repairs_are_about_all() {
    let program = with_orders();
    let restore = ["repair", "orders", "--restore"];
    program.run(&restore).failed("which entries?");
    let late = [&restore[..], &["--late"]].concat();
    program.run(&late).failed("Leave out --late and --from");
    let drift = ["repair", "orders", "--drift", "--grep", "x"];
    program
        .run(&drift)
        .failed("only with --repack, --quarantine");
    let plain = "zset-list:delay,ready,ms";
    program.server.cmd(&["ZADD", "delay", "4000000000000", "a"]);
    let all = ["repair", plain, "--quarantine"];
    program.run(&all).failed("choose those");
    let one = ["repair", plain, "--quarantine", "--all"];
    program.run(&one).done();
    let key = "delayscope:zset-list-quarantine:{delay}";
    assert_eq!(program.server.int(&["ZCARD", key]), 1);
}

#[test]
fn what_is_in_quarantine_is_a_note_that_fails_nothing() {
    let program = with_orders();
    let late = repair(&program, &["--quarantine", "--late"]);
    assert_eq!(late["done"], 1);
    let doctor = ["doctor", "orders", "--for", "1s", "--json"];
    let told = program.run(&doctor).done().json();
    let note = told
        .iter()
        .find(|line| line["id"] == "quarantined")
        .unwrap();
    assert_eq!(
        (&note["severity"], &note["evidence"]["quarantined"]),
        (&"note".into(), &1.into())
    );
    let command = note["repair_command"].as_str().unwrap();
    assert!(
        command.ends_with("repair orders --restore --all"),
        "{command}"
    );
}
