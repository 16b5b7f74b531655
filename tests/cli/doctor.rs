//! `doctor` and `report`: what is wrong, with the exit code that says so.

use delayscope::queue::Queue;
use serde_json::Value;

use crate::program::{Program, names};
use crate::support::{Server, double_frame, frame};

const FIELDS: [&str; 6] = ["queue", "id", "severity", "sentence", "evidence", "repair"];

fn orders() -> Queue {
    Queue::redisson("orders")
}

/// Puts an entry that is due so many ms from now.
fn put(server: &Server, member: &[u8], due_ms: i64) {
    let due = server.now().plus(due_ms).get().to_string();
    server.put(&orders(), member, &due);
}

/// A server with an entry that is late, and nobody who transfers.
fn sick() -> Program {
    let program = Program::start();
    put(&program.server, &frame(1, b"secret 1"), -60_000);
    program
}

fn ids(lines: &[Value]) -> Vec<&str> {
    lines
        .iter()
        .map(|line| line["id"].as_str().unwrap_or_default())
        .collect()
}

#[test]
fn a_sick_queue_is_told_in_the_agreed_fields_and_ends_with_1() {
    let program = sick();
    let args = ["doctor", "orders", "--for", "1200ms", "--json"];
    let run = program.run(&args).partly();
    let lines = run.json();
    assert_eq!(ids(&lines), ["no-transfer-client"]);
    assert_eq!(names(&lines[0])[..6], FIELDS);
    assert_eq!(lines[0]["severity"], "critical");
    assert_eq!(lines[0]["evidence"]["late"], 1);
    let command = lines[0]["repair_command"].as_str().unwrap();
    assert!(command.ends_with(" worker orders"), "{command}");
    // All queues, found by their keys; in words.
    let told = program.run(&["doctor", "--for", "1200ms"]).partly().out;
    assert!(
        told.starts_with("orders\n  critical  no-transfer-client: "),
        "{told}"
    );
    assert!(
        told.contains("\n            $ redis-cli PUBSUB NUMSUB"),
        "{told}"
    );
}

#[test]
fn what_is_less_bad_than_asked_for_does_not_fail() {
    let program = Program::start();
    // Nobody is there yet, and nothing is late: a note.
    put(&program.server, &frame(1, b"later"), 600_000);
    let run = |fail_on| {
        let args = [
            "doctor",
            "orders",
            "--for",
            "1200ms",
            "--fail-on",
            fail_on,
            "--json",
        ];
        program.run(&args)
    };
    let well = run("warning").done();
    assert_eq!(ids(&well.json()), ["no-transfer-client"]);
    assert_eq!(well.json()[0]["severity"], "note");
    run("note").partly();
}

#[test]
fn a_healthy_queue_ends_with_0_and_a_queue_or_server_that_is_not_there_with_2() {
    let mut program = Program::start();
    let zset = "zset-list:delay,ready";
    program
        .server
        .cmd(&["ZADD", "delay", "9000000000", "later"]);
    let well = program.run(&["doctor", zset, "--for", "300ms"]).done();
    assert!(
        well.out.starts_with("delay: nothing found, "),
        "{}",
        well.out
    );
    program
        .run(&["doctor", "ordesr", "--for", "300ms"])
        .failed("no such queue");
    program.server.kill();
    program
        .run(&["doctor", zset, "--for", "300ms"])
        .failed("cannot reach");
}

#[test]
fn watching_tells_what_comes_and_goes() {
    let program = sick();
    let args = ["doctor", "orders", "--watch", "--for", "2500ms", "--json"];
    let lines = program.run(&args).partly().json();
    let events: Vec<_> = lines.iter().map(|line| &line["event"]).collect();
    assert_eq!(events, ["found"], "{lines:?}");
    assert_eq!(ids(&lines), ["no-transfer-client"]);
}

#[test]
fn a_report_holds_figures_findings_late_entries_and_what_the_server_says() {
    let program = sick();
    put(&program.server, &double_frame(5.0, b"secret 2"), -30_000);
    let markdown = program
        .run(&["report", "orders", "--for", "1200ms"])
        .done()
        .out;
    for part in [
        "# Delayed queue orders\n",
        "### critical: no-transfer-client\n",
        "## Figures\n",
        "secret 1",
        "secret 2",
        "maxmemory_policy:noeviction",
        "## Changes made from this account\n\nNone.\n",
    ] {
        assert!(markdown.contains(part), "{part}: {markdown}");
    }
    let args = ["report", "orders", "--for", "300ms", "--json", "--redact"];
    let json = program.run(&args).done();
    assert!(!json.out.contains("secret"), "{}", json.out);
    let bundle = &json.json()[0];
    assert_eq!(bundle["snapshot"]["late"], 2);
    assert_eq!(bundle["late"].as_array().unwrap().len(), 2);
    assert_eq!(bundle["late"][0]["text"], "(8 bytes)");
    assert_eq!(bundle["server_info"]["maxmemory_policy"], "noeviction");
}

#[test]
fn a_report_tells_the_changes_that_were_made() {
    let program = sick();
    program.run(&["delete", "orders", "--late", "--yes"]).done();
    put(&program.server, &frame(2, b"later"), 60_000);
    let args = ["report", "orders", "--for", "300ms", "--json"];
    let bundle = program.run(&args).done().json().remove(0);
    assert_eq!(bundle["changes"][0]["change"], "delete");
    assert_eq!(bundle["changes"][0]["done"], 1);
}

#[test]
fn the_command_that_a_finding_names_mends_it() {
    let program = Program::start();
    let server = &program.server;
    let keys = orders().keys();
    put(server, &frame(1, b"later"), 600_000);
    let wrong = (server.now().get() / 1_000 + 600).to_string();
    server.put(&orders(), &frame(2, b"in seconds"), &wrong);
    server.cmd_bytes(&[b"RPUSH", b"orders", &frame(3, b"framed")]);
    server.cmd_bytes(&[b"PEXPIRE", &keys.timeouts, b"3600000"]);
    let look = || {
        let args = ["doctor", "orders", "--for", "300ms", "--json"];
        program.run(&args).json()
    };
    let found = look();
    assert_eq!(ids(&found), ["score-range", "ttl", "framed-target"]);
    for line in &found {
        let command = line["repair_command"].as_str().unwrap();
        let mut words = command.split(' ').skip_while(|word| *word != "repair");
        let mut args: Vec<&str> = words.by_ref().collect();
        args.push("--yes");
        program.run(&args).done();
    }
    assert_eq!(look(), Vec::<Value>::new());
    // The journal takes each of them back.
    for _ in 0..3 {
        program.run(&["undo", "--yes"]).done();
    }
    assert_eq!(ids(&look()), ["score-range", "ttl", "framed-target"]);
}
