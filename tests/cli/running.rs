//! `offer`, `worker`, `consume`: the whole system by hand, and what guards it.

use std::io::Write as _;

use delayscope::queue::Queue;
use serde_json::{Value, json};

use crate::changing::SUMMARY_FIELDS;
use crate::program::{Program, names};
use crate::support::{frame, wait_for};

#[test]
fn a_message_goes_from_offer_through_worker_to_consumer() {
    let program = Program::start();
    let offer = [
        "offer", "orders", "hello", "--in", "200ms", "--form", "byte-id", "--json",
    ];
    let offered = &program.run(&offer).done().json()[0];
    assert_eq!(names(offered)[..14], SUMMARY_FIELDS[..14]);
    assert_eq!(offered["change"], "offer");
    assert_eq!(offered["planned"], 1);
    assert_eq!(offered["done"], 1);
    assert!(offered["journal_id"].is_string(), "{offered}");
    assert!(offered["longest_block_ms"].as_f64().unwrap() > 0.0);

    let worker = ["worker", "orders", "--until-empty", "--yes", "--json"];
    let batches = program.run(&worker).done().json();
    assert_eq!(batches.len(), 1);
    assert_eq!(
        names(&batches[0]),
        [
            "at_ms",
            "queue",
            "moved",
            "skipped",
            "next_due_ms",
            "lateness_ms"
        ]
    );
    assert_eq!(batches[0]["moved"], 1);
    assert_eq!(batches[0]["next_due_ms"], Value::Null);
    assert_eq!(names(&batches[0]["lateness_ms"]), ["p50", "max"]);
    assert!(batches[0]["at_ms"].as_i64() >= offered["due_ms"].as_i64());

    let consume = ["consume", "orders", "--count", "1", "--yes", "--json"];
    let taken = program.run(&consume).done().json();
    assert_eq!(taken.len(), 1);
    assert_eq!(
        names(&taken[0]),
        ["at_ms", "queue", "codec", "value", "text"]
    );
    assert_eq!(taken[0]["value"], "hello");
    assert_eq!(program.server.int(&["DBSIZE"]), 0, "nothing is left of it");

    let journal = program.run(&["journal", "--json"]).done().json();
    let kept = |i: usize| [&journal[i]["change"], &journal[i]["done"]];
    assert_eq!(kept(0), [&json!("consume"), &json!(1)]);
    assert_eq!(kept(1), [&json!("worker"), &json!(1)]);
    assert_eq!(kept(2), [&json!("offer"), &json!(1)]);
    assert_eq!(journal[2]["journal_id"], offered["journal_id"]);
}

#[test]
fn the_same_goes_for_a_zset_list_queue() {
    let program = Program::start();
    let spec = "zset-list:a,b,ms,right";
    let offer = ["offer", spec, "one", "--in", "0", "--json"];
    assert_eq!(program.run(&offer).done().json()[0]["form"], "none");
    program.run(&["offer", spec, "two", "--in", "1ms"]).done();

    let again = program
        .run(&["offer", spec, "two", "--in", "1h", "--json"])
        .partly()
        .json();
    assert_eq!(again[0]["outcome"], "refused");
    assert!(
        again[0]["reason"]
            .as_str()
            .unwrap()
            .contains("waits already")
    );
    assert_eq!(again[1]["refused"], 1);

    let entries = program
        .run(&["entries", "a", "--queue", spec, "--json"])
        .done()
        .json();
    assert_eq!(entries[0]["form"], "none");
    assert_eq!(entries[0]["text"], "one");
    program
        .run(&["worker", "--queue", spec, "a", "--until-empty", "--yes"])
        .done();
    assert_eq!(
        program.server.list(&["LRANGE", "b", "0", "-1"]),
        [b"one", b"two"]
    );
    let taken = program
        .run(&["consume", spec, "--timeout", "0", "--yes", "--json"])
        .done()
        .json();
    let texts: Vec<_> = taken.iter().map(|line| line["text"].clone()).collect();
    assert_eq!(texts, ["one", "two"]);
}

#[test]
fn each_line_of_standard_input_is_a_message() {
    let program = Program::start();
    let args = [
        "offer",
        "orders",
        "-",
        "--in",
        "1h",
        "--form",
        "double-id",
        "--each",
        "--json",
    ];
    let lines = program
        .run_with_input(&args, b"one\ntwo\nthree")
        .done()
        .json();
    assert_eq!(lines.len(), 4);
    assert_eq!(names(&lines[0]), ["id", "outcome", "reason"]);
    assert_eq!(lines[0]["outcome"], "done");
    assert_eq!(lines[3]["done"], 3);
    let entries = program.run(&["entries", "orders", "--json"]).done().json();
    let mut texts: Vec<_> = entries
        .iter()
        .map(|e| e["text"].as_str().unwrap())
        .collect();
    texts.sort_unstable();
    assert_eq!(texts, ["one", "three", "two"]);
    assert_eq!(entries[0]["form"], "double-id");
    program.run_with_input(&args, b"").partly();
}

#[test]
fn a_file_is_one_message_and_count_repeats_it() {
    let program = Program::start();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("message");
    std::fs::write(&path, b"two\nlines \xff").unwrap();
    let path = path.to_str().unwrap();
    let args = [
        "offer", "orders", "--file", path, "--in", "1h", "--form", "byte-id", "--count", "3",
    ];
    program.run(&args).done();
    let entries = program
        .run(&["entries", "orders", "--raw", "--json"])
        .done()
        .json();
    assert_eq!(entries.len(), 3);
    assert_eq!(entries[0]["payload_hex"], "74776f0a6c696e657320ff");
}

#[test]
fn an_offer_takes_form_and_codec_from_the_queue() {
    let program = Program::start();
    let first = [
        "offer",
        "orders",
        "{\"id\":1}",
        "--in",
        "1h",
        "--form",
        "double-id",
        "--codec",
        "kryo5",
    ];
    program.run(&first).done();
    let next = program
        .run(&["offer", "orders", "next", "--in", "1h", "--json"])
        .done()
        .json();
    assert_eq!(next[0]["form"], "double-id");
    assert_eq!(next[0]["codec"], "kryo5");
}

#[test]
fn a_form_that_the_queue_does_not_have_is_warned_of() {
    let program = Program::start();
    program.offer("orders", "hello", "1h");
    let offer = ["offer", "orders", "hi", "--in", "1h", "--form"];
    let said = program.run(&[&offer[..], &["double-id"]].concat()).done();
    assert!(said.err.contains("byte-id so far"), "{}", said.err);
    let said = program.run(&[&offer[..], &["double-id"]].concat()).done();
    assert_eq!(said.err, "");
}

#[test]
fn an_unknown_form_is_asked_for_by_its_flag() {
    let program = Program::start();
    program
        .run(&["offer", "orders", "hello", "--in", "5s"])
        .failed("--form byte-id");
    assert_eq!(program.server.int(&["DBSIZE"]), 0);
}

#[test]
fn what_cannot_be_unpacked_is_left_and_told() {
    let program = Program::start();
    let orders = Queue::redisson("orders");
    program.server.put(&orders, b"poison!!", "5");
    program.server.put(&orders, &frame(1, b"good"), "6");
    let worker = ["worker", "orders", "--until-empty", "--yes", "--json"];
    let said = program.run(&worker).partly();
    let moved = said
        .json()
        .iter()
        .map(|b| b["moved"].as_u64().unwrap())
        .sum::<u64>();
    assert_eq!(moved, 1);
    assert!(said.err.contains("no client wrote it"), "{}", said.err);
    assert_eq!(program.server.int(&["LLEN", "orders"]), 1);
}

#[test]
fn a_consumer_that_got_less_than_it_was_asked_for_says_so() {
    let program = Program::start();
    program.server.cmd(&["RPUSH", "orders", "one"]);
    let args = [
        "consume",
        "orders",
        "--count",
        "2",
        "--timeout",
        "50ms",
        "--yes",
        "--json",
    ];
    assert_eq!(program.run(&args).partly().json().len(), 1);
    let none = ["consume", "orders", "--timeout", "0", "--yes"];
    program.run(&none).partly();
}

#[test]
fn a_consumed_payload_that_nothing_explains_is_not_lost() {
    let program = Program::start();
    program
        .server
        .cmd_bytes(&[b"RPUSH", b"orders", b"\x00\xfe\xff\x01"]);
    let args = ["consume", "orders", "--count", "1", "--yes", "--json"];
    let taken = &program.run(&args).done().json()[0];
    assert_eq!(taken["codec"], "unknown");
    assert_eq!(taken["payload_hex"], "00feff01");
}

#[test]
fn a_consumed_payload_whose_value_is_not_its_bytes_comes_as_bytes_too() {
    let program = Program::start();
    let twice = r#"{"id": 1, "id": 2}"#;
    let once = r#"{"id":1}"#;
    program.server.cmd(&["RPUSH", "orders", twice, once, twice]);
    let args = ["consume", "orders", "--count", "2", "--yes", "--json"];
    let taken = program.run(&args).done().json();
    let hex = "7b226964223a20312c20226964223a20327d";
    assert_eq!(taken[0]["payload_hex"], hex);
    assert_eq!(taken[1].get("payload_hex"), None);
    let said = program.run(&["consume", "orders", "--count", "1", "--yes"]);
    assert!(said.done().out.contains(twice));
}

#[test]
fn a_worker_counts_as_a_transfer_client() {
    let program = Program::start();
    program.offer("orders", "hello", "1h");
    let worker = program.begin(&["worker", "orders", "--yes"]);
    wait_for("the subscription", || {
        let queue = &program.run(&["queues", "--json"]).done().json()[0];
        queue["transfer_clients"] == json!(1)
    });
    // It calls itself by a name, from the same moment on or hardly later.
    for what in [&["queues", "--json"][..], &["show", "orders", "--json"]] {
        wait_for("it to be told from others", || {
            let queue = &program.run(what).done().json()[0];
            queue["stand_in_workers"] == json!(1)
        });
    }
    let shown = program.run(&["show", "orders"]).done().out;
    assert!(shown.contains("1 of them is a worker"), "{shown}");
    worker.signal("TERM");
    worker.ended().done();
}

#[test]
fn a_worker_beside_an_order_list_that_was_left_aside_says_what_restores_it() {
    let program = Program::start();
    let orders = Queue::redisson("orders");
    program.server.put(&orders, &frame(1, b"late"), "5");
    program.server.cmd(&[
        "RENAME",
        "redisson_delay_queue:{orders}",
        "delayscope:aside:{orders}",
    ]);
    let worker = ["worker", "orders", "--until-empty", "--yes"];
    let said = program.run(&worker).done().err;
    assert!(
        said.contains("1 element is missing from the order list"),
        "{said}"
    );
    assert!(
        said.contains("repair orders --restore-order` restores it"),
        "{said}"
    );
}

#[test]
fn a_worker_that_is_to_empty_a_queue_ends_at_a_key_of_another_type() {
    let program = Program::start();
    let timeouts = "redisson_delay_queue_timeout:{orders}";
    program.server.cmd(&["SET", timeouts, "text"]);
    let worker = ["worker", "orders", "--until-empty", "--yes"];
    program
        .run(&worker)
        .failed("is a string where a zset belongs");
}

#[test]
fn a_worker_tells_of_trouble_once_and_of_its_end() {
    let program = Program::start();
    let server = &program.server;
    let timeouts = "redisson_delay_queue_timeout:{orders}";
    server.cmd(&["SET", timeouts, "text"]);
    let mut worker = program.begin(&["worker", "orders", "--yes", "--json"]);
    let attempts = || {
        let stats = format!("{:?}", server.cmd(&["INFO", "commandstats"]));
        let scripts = stats.split("cmdstat_eval").skip(1);
        let calls = scripts.filter_map(|rest| rest.split(['=', ',']).nth(1));
        calls.map(|n| n.parse::<u64>().unwrap()).sum::<u64>()
    };
    wait_for("four attempts", || attempts() >= 4);
    server.cmd(&["DEL", timeouts]);
    server.put(&Queue::redisson("orders"), &frame(1, b"x"), "5");
    assert_eq!(worker.next_json()["moved"], 1);
    worker.signal("TERM");
    let err = worker.ended().done().err;
    let count = |words: &str| err.matches(words).count();
    assert_eq!(count("is a string where a zset belongs; "), 1, "{err}");
    assert_eq!(count("works again after "), 1, "{err}");
}

#[test]
fn a_worker_listens_also_with_a_password_that_the_server_does_not_want() {
    let program = Program::start();
    let worker = program.begin(&["-a", "unwanted", "worker", "orders", "--yes"]);
    let channel = "redisson_delay_queue_channel:{orders}";
    wait_for("the subscription", || {
        program.server.int(&["PUBLISH", channel, "0"]) == 1
    });
    worker.signal("TERM");
    worker.ended().done();
}

#[test]
fn what_is_in_is_told_when_the_rest_of_the_input_is_bad() {
    let program = Program::start();
    let args = [
        "offer", "orders", "-", "--in", "1h", "--form", "byte-id", "--codec", "json", "--json",
    ];
    let input = [b"1\n".repeat(1_900), b"\xff\n".to_vec()].concat();
    let said = program.run_with_input(&args, &input).failed("no UTF-8");
    assert_eq!(said.json()[0]["done"], 1_900);
    let waiting = program
        .server
        .int(&["ZCARD", "redisson_delay_queue_timeout:{orders}"]);
    assert_eq!(waiting, 1_900);
}

#[test]
fn an_offer_that_is_interrupted_tells_what_is_in() {
    let program = Program::start();
    let timeouts = "redisson_delay_queue_timeout:{orders}";
    let args = [
        "offer", "orders", "-", "--in", "1h", "--form", "byte-id", "--json",
    ];
    let (input, mut lines) = std::io::pipe().unwrap();
    let offer = program.begin_reading(&args, input);
    lines.write_all(b"one\ntwo\nthree\n").unwrap();
    let waiting = || program.server.int(&["ZCARD", timeouts]);
    wait_for("three lines", || waiting() == 3);
    offer.signal("INT");
    let said = offer.ended().partly();
    let summary = &said.json()[0];
    assert_eq!(
        (&summary["done"], &summary["left"]),
        (&json!(3), &json!(0)),
        "{said:?}"
    );
    assert!(said.err.contains("interrupted"), "{}", said.err);
}

#[test]
fn a_repeated_offer_that_is_interrupted_tells_what_is_left() {
    let program = Program::start();
    let timeouts = "redisson_delay_queue_timeout:{orders}";
    let args = [
        "offer", "orders", "x", "--in", "1h", "--form", "byte-id", "--count", "1000000", "--json",
    ];
    let offer = program.begin(&args);
    let waiting = || program.server.int(&["ZCARD", timeouts]);
    wait_for("the first batch", || waiting() > 0);
    offer.signal("INT");
    let summary = &offer.ended().partly().json()[0];
    let done = summary["done"].as_i64().unwrap();
    assert_eq!(done, waiting());
    assert_eq!(summary["left"], 1_000_000 - done);
    assert_eq!(summary["planned"], 1_000_000);
}
