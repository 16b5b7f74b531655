//! Queues of which only that is left which delayscope keeps for them.

use crate::changing::depths;
use crate::program::Program;
use crate::support::{frame, wait_for};

const ASIDE: &str = "delayscope:aside:{orders}";

/// Three entries in an order list that a change left aside; timeouts is gone.
fn only_aside() -> Program {
    let program = Program::start();
    for n in 1..=3 {
        let member = frame(n, format!("entry {n}").as_bytes());
        let words = [&b"RPUSH"[..], ASIDE.as_bytes(), &member];
        program.server.cmd_bytes(&words);
    }
    program
}

#[test]
fn a_queue_of_which_only_a_list_set_aside_is_left_is_told_with_a_repair_that_works() {
    let program = only_aside();
    let listed = program.run(&["queues", "--json"]).done().json();
    assert_eq!(listed[0]["queue"], "orders");
    // Within moments nobody can tell a change under way from one that died: it is no good news.
    let told = ["doctor", "orders", "--for", "200ms"];
    let told = program.run(&told).partly().out;
    assert!(
        told.contains("  unknown   ") && told.contains(" [set-aside]\n"),
        "{told}"
    );
    for command in ["repair orders --restore-order", "doctor orders --for "] {
        assert!(told.contains(command), "{told}");
    }
    let repair = ["repair", "orders", "--restore-order"];
    let dry = program.run(&[&repair[..], &["--dry-run", "--json"]].concat());
    let dry = dry.done().json();
    let warnings = dry[0]["warnings"].to_string();
    assert!(warnings.contains("the last copy"), "{warnings}");
    let instead = "requeue orders --from order-only --all --in 0s";
    assert!(warnings.contains(instead), "{warnings}");
    let refused = program.run(&repair);
    assert_eq!(refused.code, 2, "it asks: {refused:?}");
    // They are not wanted: all that there was to do is done.
    program.run(&[&repair[..], &["--yes"]].concat()).done();
    assert_eq!(program.server.int(&["EXISTS", ASIDE]), 0);
}

#[test]
fn the_last_copies_in_a_list_set_aside_wait_again() {
    let program = only_aside();
    let listed = ["entries", "orders", "--from", "order", "--json"];
    assert_eq!(program.run(&listed).done().json().len(), 3);
    let requeue = "requeue orders --from order-only --all --in 1h --yes";
    let requeue: Vec<&str> = requeue.split(' ').collect();
    program.run(&requeue).done();
    assert_eq!(program.server.int(&["LLEN", ASIDE]), 3);
    program
        .run(&["repair", "orders", "--restore-order", "--yes"])
        .done();
    assert_eq!(depths(&program), [3, 3, 0]);
    assert_eq!(program.server.int(&["EXISTS", ASIDE]), 0);
}

#[test]
fn a_queue_of_which_only_a_quarantine_is_left_is_there() {
    let program = Program::start();
    let key = "delayscope:quarantine:{orders}";
    program.server.cmd(&["ZADD", key, "5", "poison"]);
    let listed = program.run(&["queues", "--json"]).done().json();
    assert_eq!(listed[0]["queue"], "orders");
    for args in [
        &["doctor", "orders", "--for", "200ms"][..],
        &["show", "orders"],
    ] {
        program.run(args).done();
    }
    let repair = "repair orders --restore --all --yes";
    let repair: Vec<&str> = repair.split(' ').collect();
    program.run(&repair).done();
    assert_eq!(depths(&program)[0], 1);
}

#[test]
fn a_consumer_that_is_refused_does_not_say_that_it_may_hold_a_message() {
    for key in ["held", "lease", "intake"] {
        let program = Program::start();
        program.server.cmd(&["RPUSH", "orders", "message"]);
        let key = format!("delayscope:{key}:{{orders}}");
        program.server.cmd(&["SET", &key, "x"]);
        let consumer = [
            "consume",
            "orders",
            "--yes",
            "--count",
            "1",
            "--timeout",
            "1s",
        ];
        let ended = program.run(&consumer);
        assert_ne!(ended.code, 0, "{key}");
        assert!(ended.err.contains(&key), "{}", ended.err);
        assert!(!ended.err.contains("held still"), "{}", ended.err);
        assert_eq!(depths(&program)[2], 1, "{key}");
    }
}

/// Of a message that is longer than a pipe, it cannot tell the end: it is killed amid that. What
/// repairs it runs on another machine.
#[test]
fn what_a_killed_consumer_held_is_back_in_target_after_the_command_that_doctor_prints() {
    let program = Program::start();
    let long = "x".repeat(1_000_000);
    let all = [long.as_bytes(), b"second", b"third"];
    for message in all {
        program.server.cmd_bytes(&[b"RPUSH", b"orders", message]);
    }
    let consumer = program.begin(&["consume", "orders", "--yes", "--json"]);
    let held = || program.server.int(&["HLEN", "delayscope:held:{orders}"]);
    wait_for("a message in the consumer's hands", || held() == 1);
    consumer.signal("KILL");
    assert_eq!(consumer.ended().code, -1);
    assert_eq!([held(), depths(&program)[2]], [1, 2]);
    // As if half a minute had passed.
    program.server.cmd(&["DEL", "delayscope:lease:{orders}"]);

    let doctor = ["doctor", "orders", "--for", "1s", "--json"];
    let found = program.run_elsewhere(&doctor).partly().json();
    let found = found.iter().find(|found| found["id"] == "held").unwrap();
    let command = found["repair_command"].as_str().unwrap();
    let (_, repair) = command.split_once(" repair ").unwrap();
    assert_eq!(repair, "orders --put-back");
    let words = ["repair"].into_iter().chain(repair.split(' '));
    let words: Vec<&str> = words.chain(["--yes"]).collect();
    program.run_elsewhere(&words).done();

    let target = program.server.list(&["LRANGE", "orders", "0", "-1"]);
    assert!(target == all, "{} in target", target.len());
    assert_eq!(held(), 0);
    let well = program.run_elsewhere(&doctor).json();
    assert!(well.iter().all(|found| found["id"] != "held"), "{well:?}");
}
