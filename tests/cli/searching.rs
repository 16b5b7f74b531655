//! `search`, and the filter that `entries --grep` takes too.

use delayscope::queue::Queue;
use serde_json::Value;

use crate::program::{Program, names};
use crate::support::frame;

/// `orders` with so many entries, the first of them late by 10.5 s and each a second after the
/// one before, and two delivered ones.
fn with_orders(count: u64) -> Program {
    let program = Program::start();
    let server = &program.server;
    // Eleven are late, and no other one will be while a test runs.
    let first = server.now().plus(-630_000);
    server.fill(&Queue::redisson("orders"), count, first, 60_000);
    server.cmd(&["RPUSH", "orders", "delivered 1", "delivered 2"]);
    program
}

fn texts(lines: &[Value]) -> Vec<&str> {
    lines.iter().filter_map(|l| l["text"].as_str()).collect()
}

#[test]
fn hits_are_the_lines_that_entries_prints() {
    let program = with_orders(200);
    let search = ["search", "orders", "ENTRY 10", "due>-1s", "--json"];
    let hits = program.run(&search).done();
    // The id of entry 16 begins with zeros and ends in 10.
    let found = ["entry 16", "entry 100", "entry 101"];
    assert_eq!(texts(&hits.json())[..3], found);
    assert_eq!(hits.err, "");
    let grep = ["entries", "orders", "--grep", "entry 10 due>-1s", "--json"];
    assert_eq!(program.run(&grep).done().json(), hits.json());
    let table = program.run(&["search", "orders", "entry 42"]).done().out;
    let same = program
        .run(&["entries", "orders", "--grep", "entry 42"])
        .done()
        .out;
    assert_eq!(table.lines().count(), same.lines().count());
    assert!(table.starts_with("ID  ") && table.contains("entry 42"));
}

#[test]
fn a_search_looks_where_it_is_told_and_stops_when_it_has_enough() {
    let program = with_orders(3_000);
    let search = |args: &[&str]| {
        let all = [&["search", "orders", "--json"], args].concat();
        program.run(&all).done().json()
    };
    let delivered = search(&["delivered", "--from", "delivered"]);
    assert_eq!(texts(&delivered), ["delivered 1", "delivered 2"]);
    assert_eq!(delivered[0]["due_ms"], Value::Null);
    let late = search(&["re:/entry [0-9]$/", "--from", "late", "--limit", "3"]);
    assert_eq!(texts(&late), ["entry 1", "entry 2", "entry 3"]);
    assert_eq!(search(&["late", "--from", "order"]).len(), 11);
    let raw = search(&["\"entry 7\"", "id:0000000000000007", "--raw"]);
    assert_eq!(names(&raw[0])[9..], ["frame_hex", "payload_hex"]);
    assert_eq!(raw[0]["payload_hex"], "656e7472792037");
    assert_eq!(search(&["codec:text"]).len(), 3_000);
}

#[test]
fn nothing_found_is_exit_code_1_and_says_how_many_were_looked_at() {
    let program = with_orders(1_234);
    let said = program.run(&["search", "orders", "nowhere"]).partly();
    assert_eq!(said.out, "");
    let expected = "delayscope: none of the 1,234 entries of \"orders\" matches \"nowhere\".\n";
    assert_eq!(said.err, expected);
    let nowhere = ["search", "no such queue", "x"];
    let said = program.run(&nowhere).partly();
    assert!(said.err.starts_with("delayscope: no queue"), "{said:?}");
}

#[test]
fn a_bad_filter_is_quoted_where_it_is_wrong() {
    let program = with_orders(1);
    for (typed, part, why) in [
        (
            "late codec:krio",
            "codec:krio",
            "no codec is called \"krio\"; they are text, json",
        ),
        ("re:/or(der/", "or(der", "unclosed group"),
        ("due<25:00 x", "due<25:00", "a time is written 14:10"),
        ("id:order-42", "id:order-42", "put it into quotes"),
    ] {
        for args in [
            ["search", "orders", typed].as_slice(),
            &["entries", "orders", "--grep", typed],
        ] {
            let at = format!("in the filter {typed:?}, at {part:?}: ");
            let said = program.run(args).failed(&at);
            assert!(said.err.contains(why), "{}", said.err);
        }
    }
    for args in [
        ["search", "orders", "late", "--from", "delivered"].as_slice(),
        &[
            "entries",
            "orders",
            "--grep",
            "due<+1h",
            "--from",
            "delivered",
        ],
    ] {
        program.run(args).failed("has no due time any more");
    }
}

#[test]
fn asked_to_end_it_says_how_far_it_came() {
    let program = with_orders(100_000);
    let mut searching = program.begin(&["search", "orders", "entry", "--json"]);
    searching.next_json();
    searching.signal("INT");
    let said = searching.ended().partly();
    assert!(
        said.err.starts_with("delayscope: stopped after "),
        "{said:?}"
    );
    assert!(said.err.contains(" of 100,000 entries, "), "{}", said.err);
    for line in said.out.lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        assert_eq!(entry["codec"], "text", "no line is torn");
    }
}

#[test]
fn the_codec_is_the_one_that_the_queue_votes_for_or_that_was_asked_for() {
    let program = Program::start();
    let queue = Queue::redisson("mixed");
    let due = program.server.now().plus(3_600_000);
    // Alone, the first is a text and the second anything.
    let payloads: [&[u8]; 4] = [
        b"ehello",
        b"\x01",
        b"\xbf\x66@class\x6ecom.acme.Order\x62id\x18\x2a\xff",
        b"\xbf\x66@class\x6ecom.acme.Order\x62id\x18\x2b\xff",
    ];
    for (id, payload) in (1_u32..).zip(payloads) {
        let score = due.plus(i64::from(id)).get().to_string();
        program
            .server
            .put(&queue, &frame(id.into(), payload), &score);
    }
    let entries = |more: &[&str]| {
        let asked = [&["entries", "mixed", "--json"], more].concat();
        let lines = program.run(&asked).done().json();
        let codec = |line: &Value| line["codec"].as_str().unwrap().to_owned();
        lines.iter().map(codec).collect::<Vec<_>>()
    };
    assert_eq!(entries(&[]), ["cbor"; 4]);
    assert_eq!(entries(&["--grep", "codec:cbor"]).len(), 4);
    let found = program.run(&["search", "mixed", "codec:cbor", "hello", "--json"]);
    let found = found.done().json();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["value"], "hello");
    let as_hex = entries(&["--codec", "unknown"]);
    assert_eq!(as_hex, ["unknown"; 4]);
    let as_text = program.run(&["search", "mixed", "codec:text", "--codec", "text", "--json"]);
    assert_eq!(as_text.done().json()[0]["text"], "ehello");
    let deleted = program.run(&[
        "delete",
        "mixed",
        "--grep",
        "codec:cbor hello",
        "--dry-run",
        "--json",
    ]);
    assert_eq!(deleted.done().json()[0]["planned"], 1);
}
