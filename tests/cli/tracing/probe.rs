//! `trace --probe`: test messages of our own, and that nothing of them stays.

use serde_json::Value;

use crate::program::{Program, Said};
use crate::support::{Server, wait_for};

const PROBE: [&str; 8] = [
    "trace",
    "orders",
    "--form",
    "byte-id",
    "--in",
    "50ms",
    "--timeout",
    "300ms",
];

fn probing(program: &Program, args: &[&str]) -> Said {
    program.run(&[&PROBE[..], args].concat())
}

/// Nothing of the queue is there.
fn assert_as_before(program: &Program) {
    assert_eq!(program.server.int(&["DBSIZE"]), 0);
}

fn transferring(program: &Program) -> crate::program::Running {
    let mut worker = program.begin(&["worker", "orders", "--yes"]);
    worker.error_has("listening on");
    worker
}

#[test]
fn a_test_message_is_followed_until_a_consumer_takes_it() {
    let program = Program::start();
    let _worker = transferring(&program);
    let _consumer = program.begin(&["consume", "orders", "--yes"]);
    let timeout = ["--timeout", "10s", "--probe", "3", "--yes", "--json"];
    let args = [&PROBE[..6], &timeout].concat();
    let mut lines = program.run(&args).done().json();
    let summary = lines.pop().unwrap();
    assert_eq!(lines.len(), 3);
    let ms = |line: &Value, name: &str| line[name].as_i64().unwrap();
    for line in &lines {
        assert_eq!(line["fate"], "taken", "{line}");
        assert_eq!(line["announced"], true);
        assert!(ms(line, "late_ms") >= 0, "{line}");
        assert!(ms(line, "taken_ms") >= ms(line, "transferred_ms"));
        let late = ms(line, "transferred_ms") - ms(line, "due_ms");
        assert_eq!(ms(line, "late_ms"), late);
    }
    assert_eq!(summary["probes"], 3);
    assert_eq!(summary["late_ms"]["count"], 3);
    assert_eq!(summary["not_taken"], 0);
    wait_for("the consumer to let go", || {
        program.server.int(&["DBSIZE"]) == 0
    });
}

#[test]
fn a_test_message_that_nobody_takes_is_taken_back_from_target() {
    let program = Program::start();
    let _worker = transferring(&program);
    let said = probing(&program, &["--probe", "1", "--yes", "--json"]).partly();
    let line = &said.json()[0];
    assert_eq!(line["fate"], "not-taken", "{line}");
    assert!(line["late_ms"].is_i64());
    assert_eq!(line["taken_ms"], Value::Null);
    assert_as_before(&program);
}

#[test]
fn a_test_message_that_nobody_transfers_is_deleted() {
    let program = Program::start();
    let said = probing(&program, &["--probe", "2", "--yes"]).partly();
    let titles: Vec<&str> = said
        .out
        .lines()
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    assert_eq!(titles[..3], ["OFFERED", "ANNOUNCED", "DUE"], "{}", said.out);
    assert_eq!(said.out.matches("  yes  ").count(), 2, "{}", said.out);
    assert!(said.out.contains("transferred by nobody"), "{}", said.out);
    let advice = "nobody transferred 2 messages";
    assert!(said.err.contains(advice), "{}", said.err);
    assert_as_before(&program);
    let journal = program.run(&["journal", "--json"]).done().json();
    assert_eq!(journal[0]["change"], "offer");
    assert_eq!(journal[0]["done"], 2);
}

#[test]
fn five_test_messages_are_offered_unless_it_is_told_how_many_and_each_says_whether_it_was_announced()
 {
    let program = Program::start();
    // Due before all of them.
    program.offer("orders", "first", "0s");
    let args = [
        "--timeout",
        "0ms",
        "--in",
        "0ms",
        "--yes",
        "--json",
        "--probe",
    ];
    let args = [&PROBE[..4], &args].concat();
    let lines = program.run(&args).partly().json();
    assert_eq!(lines.len(), 6);
    assert!(
        lines[..5].iter().all(|line| line["announced"] == false),
        "{lines:?}"
    );
    let said = program.run(&[&args[..4], &["--timeout", "0ms", "--probe", "1", "--yes"]].concat());
    assert!(said.partly().out.contains("  no         "));
}

#[test]
fn a_test_message_under_way_is_taken_back_when_it_is_interrupted() {
    let program = Program::start();
    let args = [
        "trace", "orders", "--form", "byte-id", "--in", "1h", "--probe", "1", "--yes",
    ];
    let probe = program.begin(&args);
    wait_for("the offer", || program.server.int(&["DBSIZE"]) == 2);
    probe.signal("INT");
    let said = probe.ended().partly();
    assert!(said.err.contains("was taken back"), "{}", said.err);
    assert_as_before(&program);
}

#[test]
fn test_messages_are_asked_about_and_never_taken_for_others() {
    let program = Program::start();
    probing(&program, &["--probe", "1"]).failed("Give --yes");
    let read_only = ["--probe", "1", "--yes", "--read-only"];
    probing(&program, &read_only).failed("read-only");
    program.server.cmd(&["RPUSH", "orders", "hello"]);
    let same = ["--probe", "1", "--yes", "--payload", "hello"];
    probing(&program, &same).failed("an equal message is there");
    assert_eq!(program.server.int(&["DBSIZE"]), 1);
    program.run(&["trace", "--probe", "1"]).failed("name it");
}

#[test]
fn a_server_without_lpos_is_told_to_be_too_old_before_anything_is_offered() {
    let program = Program::at(Server::without(&["LPOS"]));
    let said = probing(&program, &["--probe", "1", "--yes"]);
    let said = said.failed("it came with Redis 6.0.6");
    assert!(said.err.contains("--from FILE"), "{}", said.err);
    assert_as_before(&program);
    let journal = program.run(&["journal", "--json"]);
    assert!(!journal.out.contains("offer"), "{}", journal.out);
}
