//! What guards a change, and how what runs on comes to an end.

use delayscope::queue::Queue;
use serde_json::json;

use crate::changing::{depths, with_orders};
use crate::program::Program;
use crate::support::{Server, wait_for};

#[test]
fn a_dry_run_writes_nothing() {
    let program = Program::start();
    let args = [
        "offer",
        "orders",
        "x",
        "--at",
        "+5m",
        "--form",
        "byte-id",
        "--count",
        "7",
        "--dry-run",
        "--json",
    ];
    let plan = &program.run(&args).done().json()[0];
    assert_eq!(plan["dry_run"], true);
    assert_eq!(plan["planned"], 7);
    assert_eq!(plan["done"], 0);
    assert_eq!(program.server.int(&["DBSIZE"]), 0);
}

#[test]
fn looking_at_what_would_be_consumed_takes_nothing() {
    let program = Program::start();
    program
        .server
        .cmd(&["RPUSH", "orders", "one", "two", "three"]);
    let peek = [
        "consume",
        "orders",
        "--peek",
        "--count",
        "2",
        "--json",
        "--read-only",
    ];
    let seen = program.run(&peek).done().json();
    assert_eq!(seen.len(), 2);
    assert_eq!(seen[0]["text"], "one");
    assert_eq!(program.server.int(&["LLEN", "orders"]), 3);
    program.run(&["consume", "empty", "--peek"]).partly();
}

#[test]
fn a_message_that_nobody_reads_is_put_back() {
    let program = Program::start();
    for queue in ["orders", "zset-list:timeouts,ready"] {
        let target = queue.rsplit(',').next().unwrap_or_default();
        program
            .server
            .cmd(&["RPUSH", target, "one", "two", "three"]);
        let mut consumer = program.begin(&["consume", queue, "--yes", "--json", "--count", "1"]);
        let first = consumer.next_json()["text"].clone();
        consumer.ended().done();
        let consumer = program.begin(&["consume", queue, "--yes", "--json"]);
        let said = consumer.close_output();
        assert_eq!((said.code, said.err.as_str()), (0, ""));
        let left = program.run(&["consume", queue, "--peek", "--json"]);
        let left = left.done().json();
        let text = |i: usize| left[i]["text"].as_str().unwrap();
        match first.as_str().unwrap() {
            "one" => assert_eq!((text(0), text(1)), ("two", "three")),
            _ => assert_eq!((text(0), text(1)), ("two", "one")),
        }
    }
}

#[test]
fn an_interrupted_consumer_has_printed_all_that_it_took() {
    let program = Program::start();
    let texts: Vec<String> = (0..500).map(|n| n.to_string()).collect();
    let mut push = vec!["RPUSH", "orders"];
    push.extend(texts.iter().map(String::as_str));
    program.server.cmd(&push);
    let mut consumer = program.begin(&["consume", "orders", "--yes", "--json"]);
    assert_eq!(consumer.next_json()["text"], "0");
    consumer.signal("INT");
    let said = consumer.ended().done();
    let printed = 1 + said.out.lines().count();
    let left = program.server.list(&["LRANGE", "orders", "0", "-1"]);
    assert_eq!(printed + left.len(), 500, "{}", said.err);
}

#[test]
fn an_interrupted_worker_ends_with_its_totals() {
    let program = Program::start();
    program.offer("orders", "hello", "0");
    let mut worker = program.begin(&["worker", "orders", "--yes", "--json"]);
    assert_eq!(worker.next_json()["moved"], 1);
    for signal in ["INT", "TERM", "HUP"] {
        worker.signal(signal);
        let said = worker.ended().done();
        assert!(said.err.contains("moved 1 entries"), "{said:?}");
        program.offer("orders", "again", "0");
        worker = program.begin(&["worker", "orders", "--yes", "--json"]);
        assert_eq!(worker.next_json()["moved"], 1);
    }
    worker.signal("INT");
    worker.ended().done();
}

#[test]
fn nothing_is_moved_or_taken_unasked_where_nobody_can_answer() {
    let program = Program::start();
    program.offer("orders", "hello", "0");
    program.server.cmd(&["RPUSH", "orders", "delivered"]);
    program
        .run(&["worker", "orders", "--until-empty"])
        .failed("--yes");
    program
        .run(&["consume", "orders", "--count", "1"])
        .failed("--yes");
    assert_eq!(program.server.int(&["LLEN", "orders"]), 1);
}

#[test]
fn a_read_only_session_changes_nothing() {
    let program = Program::start();
    let changes: [&[&str]; 3] = [
        &[
            "offer",
            "orders",
            "x",
            "--in",
            "0",
            "--form",
            "byte-id",
            "--read-only",
        ],
        &["worker", "orders", "--yes", "--until-empty", "--read-only"],
        &[
            "consume",
            "orders",
            "--yes",
            "--timeout",
            "0",
            "--read-only",
        ],
    ];
    for change in changes {
        program.run(change).failed("read-only");
    }
    assert_eq!(program.server.int(&["DBSIZE"]), 0);
}

#[test]
fn the_demo_plays_and_leaves_nothing_behind() {
    let program = Program::start();
    let args = [
        "demo",
        "--scenario",
        "dead-client",
        "--prefix",
        "show:",
        "--json",
    ];
    program.server.cmd(&["SET", "mine", "1"]);
    let mut demo = program.begin(&args);
    let started = demo.next_json();
    assert_eq!(started["event"], "started");
    assert_eq!(started["queues"], json!(["show:reminders"]));
    assert_eq!(demo.next_json()["event"], "offered");
    demo.signal("INT");
    demo.ended().done();
    assert_eq!(program.server.list(&["KEYS", "*"]), [b"mine"]);
}

#[test]
fn the_demo_refuses_what_it_must_not_touch() {
    let program = Program::start();
    program.server.cmd(&["SET", "mine", "1"]);
    program.run(&["demo"]).failed("--prefix");
    program
        .run(&["demo", "--scenario", "opera", "--prefix", "x:"])
        .failed("dead-client");
    program
        .run(&["demo", "--prefix", "x:", "--read-only"])
        .failed("--read-only");
    assert_eq!(program.server.int(&["DBSIZE"]), 1);
}

#[test]
fn a_change_that_the_server_breaks_off_is_ended_in_the_journal_and_says_how_far_it_came() {
    let program = with_orders();
    program.server.cmd(&["REPLICAOF", "127.0.0.1", "1"]);
    let transfer: &[&str] = &["transfer", "orders", "--yes", "--json"];
    let delete: &[&str] = &["delete", "orders", "--late", "--yes", "--json"];
    for (what, args) in [("transfer", transfer), ("delete", delete)] {
        let said = program.run(args).failed("READONLY");
        let summary = said.json().pop().unwrap();
        assert_eq!(summary["left"], 1, "{summary}");
        let newest = program.run(&["journal", "--json"]).done().json().remove(0);
        assert_eq!(newest["change"], what);
        assert_eq!(newest["done"], 0, "{newest}");
    }
}

#[test]
fn more_replicas_than_the_server_has_confirm_nothing_and_the_plan_says_who_does() {
    let at_once = ["--repl-diskless-sync-delay", "0"];
    let program = Program::at(Server::start_tcp(&at_once));
    let first = program.server.now().plus(-60_000);
    program
        .server
        .fill(&Queue::redisson("orders"), 3, first, 1_000);
    let confirmed = |by: &str, flag: &str| {
        let args = ["transfer", "orders", "--limit", "1", "--late", "--confirm"];
        program.run(&[&args[..], &[by, flag]].concat())
    };
    for flag in ["--dry-run", "--yes"] {
        let why = "2 replicas shall confirm each batch, and";
        let refused = confirmed("2", flag).failed(why);
        assert!(refused.err.contains("has 0 replicas"), "{}", refused.err);
    }
    assert_eq!(depths(&program), [3, 3, 0]);
    let nobody = confirmed("all", "--dry-run").done();
    let none = "The server has no replica: nobody confirms";
    assert!(nobody.out.contains(none), "{}", nobody.out);

    let port = program.server.port().to_string();
    let follows = ["--replicaof", "127.0.0.1", &port];
    let _replica = Server::start_tcp(&[&at_once[..], &follows].concat());
    wait_for("the replica to follow", || {
        let info: String =
            redis::from_redis_value(program.server.cmd(&["INFO", "replication"])).unwrap();
        info.contains("state=online")
    });
    confirmed("2", "--yes").failed("has 1 replica");
    for by in ["1", "all"] {
        let plan = confirmed(by, "--dry-run").done();
        let who = "After each batch it waits until 1 of 1 replica has it.";
        assert!(plan.out.contains(who), "{}", plan.out);
        let made = confirmed(by, "--yes").done();
        let all = "1 of 1 replicas have all of it.";
        assert!(made.err.contains(all), "{}", made.err);
    }
    assert_eq!(depths(&program), [1, 1, 2]);
}

#[test]
fn a_server_that_is_full_is_read_and_rid_of_entries_but_takes_none() {
    let program = with_orders();
    program.server.cmd(&["CONFIG", "SET", "maxmemory", "1"]);
    let entries = program.run(&["entries", "orders", "--json"]).done();
    assert_eq!(entries.json().len(), 3);
    program.run(&["transfer", "orders", "--yes"]).failed("OOM");
    program.run(&["delete", "orders", "--late", "--yes"]).done();
    assert_eq!(depths(&program), [2, 2, 0]);
}
