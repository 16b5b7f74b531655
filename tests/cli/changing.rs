//! The commands that change a queue: what they do, and what they say of it.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use delayscope::queue::Queue;
use serde_json::{Value, json};

use crate::program::{Program, names};
use crate::support::frame;

/// What a change says of itself at the end.
pub(crate) const SUMMARY_FIELDS: [&str; 15] = [
    "change",
    "queue",
    "dry_run",
    "planned",
    "done",
    "gone",
    "changed",
    "undecodable",
    "refused",
    "unknown",
    "left",
    "journal_id",
    "elapsed_ms",
    "longest_block_ms",
    "notes",
];

/// `orders` with three entries: the first is late by a minute, the others wait for an hour.
pub(crate) fn with_orders() -> Program {
    let program = Program::start();
    let server = &program.server;
    let first = server.now().plus(-60_000);
    server.fill(&Queue::redisson("orders"), 3, first, 3_660_000);
    program
}

/// What is in timeouts, in the order list and in target.
pub(crate) fn depths(program: &Program) -> [i64; 3] {
    let int = |words: &[&str]| program.server.int(words);
    [
        int(&["ZCARD", "redisson_delay_queue_timeout:{orders}"]),
        int(&["LLEN", "redisson_delay_queue:{orders}"]),
        int(&["LLEN", "orders"]),
    ]
}

/// The last line of what was printed: the summary.
fn summary(lines: &[Value]) -> &Value {
    lines.last().unwrap()
}

/// A change, how it is asked for, how many entries it does, and what is there afterwards.
const CASES: [(&str, &[&str], u64, [i64; 3]); 9] = [
    ("transfer", &["transfer", "orders", "--yes"], 1, [2, 2, 1]),
    (
        "deliver",
        &["deliver", "orders", "--all", "--yes"],
        3,
        [0, 0, 3],
    ),
    (
        "requeue",
        &["requeue", "orders", "--late", "--in", "2h"],
        1,
        [3, 3, 0],
    ),
    (
        "delete",
        &["delete", "orders", "--grep", "entry 2"],
        1,
        [2, 2, 0],
    ),
    (
        "duplicate",
        &["duplicate", "orders", "--grep", "entry 2"],
        1,
        [4, 4, 0],
    ),
    (
        "transfer",
        &["transfer", "orders", "--grep", "entry", "--yes"],
        1,
        [2, 2, 1],
    ),
    (
        "deliver",
        &[
            "deliver",
            "orders",
            "--due-after",
            "+5m",
            "--limit",
            "1",
            "--yes",
        ],
        1,
        [2, 2, 1],
    ),
    (
        "delete",
        &["delete", "orders", "--all", "--yes"],
        3,
        [0, 0, 0],
    ),
    ("kick", &["kick", "orders"], 0, [3, 3, 0]),
];

#[test]
fn every_change_ends_with_a_summary_that_adds_up() {
    for (change, args, done, expected) in CASES {
        let program = with_orders();
        let said = program.run(&[args, &["--json", "--each"]].concat()).done();
        let lines = said.json();
        let sum = summary(&lines);
        let more: &[&str] = if change == "kick" {
            &["transfer_clients", "helped"]
        } else {
            &[]
        };
        assert_eq!(names(sum), [&SUMMARY_FIELDS, more].concat(), "{args:?}");
        assert_eq!(sum["change"], change);
        assert_eq!(sum["queue"], "orders");
        assert_eq!(sum["dry_run"], false);
        if change != "kick" {
            assert_eq!([&sum["planned"], &sum["done"]], [done, done], "{args:?}");
            assert!(sum["journal_id"].is_string(), "{sum}");
            assert_eq!(lines.len() as u64, done + 1, "{said:?}");
            assert_eq!(names(&lines[0]), ["id", "outcome", "reason"]);
            assert_eq!(lines[0]["outcome"], "done");
        }
        assert_eq!(depths(&program), expected, "{args:?}");
    }
}

#[test]
fn a_kick_says_how_many_transfer_clients_listened_and_whether_it_has_helped() {
    let program = with_orders();
    let kicked = || summary(&program.run(&["kick", "orders", "--json"]).done().json()).clone();
    let alone = kicked();
    assert_eq!(
        (&alone["transfer_clients"], &alone["helped"]),
        (&json!(0), &json!(null))
    );
    let mut connection = program.server.connection();
    let mut client = connection.as_pubsub();
    client
        .subscribe("redisson_delay_queue_channel:{orders}")
        .unwrap();
    let told = kicked();
    assert_eq!(told["transfer_clients"], 1, "{told}");
    assert_eq!(told["notes"][0], "Published; 1 client listened.");
    // It listens, and does nothing.
    assert_eq!(told["helped"], false);
    assert!(
        told["notes"][1]
            .as_str()
            .unwrap()
            .starts_with("It has not helped"),
        "{told}"
    );
}

#[test]
fn a_requeue_says_when_entries_are_due() {
    let program = with_orders();
    let due = |text: &str| {
        let entries = program.run(&["entries", "orders", "--json"]).done().json();
        let entry = entries.iter().find(|entry| entry["text"] == text);
        entry.unwrap()["due_ms"].as_i64().unwrap()
    };
    let before = due("entry 2");
    program
        .run(&["requeue", "orders", "--grep", "entry 2", "--by", "-10m"])
        .done();
    assert_eq!(due("entry 2"), before - 600_000);
    let at = (before + 5_000).to_string();
    program
        .run(&["requeue", "orders", "--grep", "entry 2", "--at", &at])
        .done();
    assert_eq!(due("entry 2"), before + 5_000);
    let now = program.server.now().get();
    let spread = ["requeue", "orders", "--all", "--spread", "1h", "--yes"];
    program.run(&spread).done();
    let (first, last) = (due("entry 1"), due("entry 3"));
    assert!((0..10_000).contains(&(first - now)), "{first} {now}");
    assert!(
        (3_590_000..=3_600_000).contains(&(last - first)),
        "{last} {first}"
    );
}

#[test]
fn delivered_entries_are_requeued_and_deleted_by_place() {
    let program = with_orders();
    program.server.cmd(&["RPUSH", "orders", "x", "y", "x"]);
    let delete = ["delete", "orders", "--from", "delivered", "--grep", "x"];
    let limited = [&delete[..], &["--limit", "1", "--yes", "--json"]].concat();
    let lines = program.run(&limited).done().json();
    assert_eq!(summary(&lines)["done"], 1);
    assert_eq!(
        program.server.list(&["LRANGE", "orders", "0", "-1"]).len(),
        2
    );
    let requeue = [
        "requeue",
        "orders",
        "--from",
        "delivered",
        "--all",
        "--in",
        "1h",
    ];
    program.run(&[&requeue[..], &["--yes"]].concat()).done();
    assert_eq!(depths(&program), [5, 5, 0]);
}

#[test]
fn an_edit_keeps_due_time_and_codec() {
    let program = with_orders();
    let id = "0000000000000002";
    let entry = || {
        let args = ["entries", "orders", "--id", id, "--json"];
        program.run(&args).done().json().remove(0)
    };
    let before = entry();
    let edit = ["edit", "orders", "--id", id, "--file", "-", "--json"];
    let lines = program.run_with_input(&edit, b"other").done().json();
    assert_eq!(summary(&lines)["done"], 1);
    let after = entry();
    assert_eq!(after["text"], "other");
    assert_eq!(after["due_ms"], before["due_ms"]);
    assert_eq!(after["codec"], before["codec"]);
    let typed = [&edit[..], &["--codec", "kryo5"]].concat();
    program.run_with_input(&typed, b"{\"n\":1}").done();
    assert_eq!(entry()["codec"], "kryo5");
    // From now on the entry's own codec is meant.
    program.run_with_input(&edit, b"{\"n\":2}").done();
    assert_eq!(entry()["codec"], "kryo5");
    let missing = ["edit", "orders", "--id", "00000000000000ff", "--file", "-"];
    program.run_with_input(&missing, b"x").partly();
}

#[test]
fn an_edit_keeps_the_codec_that_entries_far_behind_tell() {
    let program = Program::start();
    let orders = Queue::redisson("orders");
    let put = |n: u64, payload: &[u8]| {
        let due = (4_000_000_000_000 + n).to_string();
        program.server.put(&orders, &frame(n, payload), &due);
    };
    // These may be text as well as JSON.
    (1..30).for_each(|n| put(n, b"null"));
    (30..90).for_each(|n| put(n, b"{\"n\":1}"));
    let edit = ["edit", "orders", "--id", "0000000000000001", "--file", "-"];
    program.run_with_input(&edit, b"two").done();
    let timeouts = orders.keys().timeouts;
    let first = [&b"ZRANGE"[..], &timeouts, b"0", b"0"];
    let first: Vec<Vec<u8>> = redis::from_redis_value(program.server.cmd_bytes(&first)).unwrap();
    assert_eq!(first, [frame(1, b"\"two\"")]);
}

#[test]
fn an_edit_keeps_the_type_of_the_entry_or_says_what_it_would_take() {
    let program = with_orders();
    let id = "0000000000000002";
    let edit = ["edit", "orders", "--id", id, "--file", "-", "--json"];
    let value = || {
        let args = ["entries", "orders", "--id", id, "--json"];
        let entry = program.run(&args).done().json().remove(0);
        (entry["codec"].clone(), entry["value"].clone())
    };
    let long = [&edit[..], &["--codec", "kryo5", "--type", "Long"]].concat();
    program.run_with_input(&long, b"123456789\n").done();
    assert_eq!(value(), (json!("kryo5"), json!(123_456_789)));
    program.run_with_input(&edit, b"123456790").done();
    assert_eq!(value(), (json!("kryo5"), json!(123_456_790)));
    for why in ["java.lang.Long", "--type"] {
        program.run_with_input(&edit, b"abc").failed(why);
    }
    let text = [&edit[..], &["--type", "string"]].concat();
    program.run_with_input(&text, b"123").done();
    assert_eq!(value(), (json!("kryo5"), json!("123")));
}

#[test]
fn what_was_done_is_undone_and_done_again() {
    let program = with_orders();
    let before = program
        .server
        .cmd(&["ZRANGE", TIMEOUTS, "0", "-1", "WITHSCORES"]);
    let order = program.server.cmd(&["LRANGE", ORDER, "0", "-1"]);
    let delete = ["delete", "orders", "--all", "--yes", "--json"];
    let deleted = program.run(&delete).done().json();
    let id = summary(&deleted)["journal_id"].as_str().unwrap().to_owned();
    let undone = program.run(&["undo", &id, "--yes", "--json"]).done().json();
    assert_eq!(summary(&undone)["change"], "undo");
    assert_eq!(summary(&undone)["done"], 3);
    let after = program
        .server
        .cmd(&["ZRANGE", TIMEOUTS, "0", "-1", "WITHSCORES"]);
    assert_eq!(after, before);
    assert_eq!(program.server.cmd(&["LRANGE", ORDER, "0", "-1"]), order);
    // Twice is not possible; its own undo is.
    assert_ne!(program.run(&["undo", &id, "--yes"]).code, 0);
    let again = summary(&undone)["journal_id"].as_str().unwrap();
    program.run(&["undo", again, "--yes"]).done();
    assert_eq!(depths(&program), [0, 0, 0]);
    program
        .run(&["undo", "no-such-change", "--yes"])
        .failed("no-such-change");
}

const TIMEOUTS: &str = "redisson_delay_queue_timeout:{orders}";
const ORDER: &str = "redisson_delay_queue:{orders}";
const ASIDE: &str = "delayscope:aside:{orders}";

#[test]
fn an_order_list_is_repaired() {
    let program = with_orders();
    let server = &program.server;
    let repair = |what: &str| {
        let args = ["repair", "orders", what, "--yes", "--json"];
        let lines = program.run(&args).done().json();
        summary(&lines).clone()
    };
    server.cmd(&["RENAME", ORDER, ASIDE]);
    assert_eq!(repair("--restore-order")["change"], "restore-order");
    assert_eq!(depths(&program), [3, 3, 0]);
    assert_eq!(server.int(&["EXISTS", ASIDE]), 0);
    server.cmd(&["LPOP", ORDER]);
    assert_eq!(repair("--drift")["change"], "drift");
    assert_eq!(depths(&program), [3, 3, 0]);
    // What may never have been delivered is for people to decide about.
    server.cmd_bytes(&[b"RPUSH", ORDER.as_bytes(), &frame(9, b"stale")]);
    let drift = ["repair", "orders", "--drift", "--yes"];
    program
        .run(&drift)
        .failed("with --from order-only: `requeue`");
    let dropped = ["delete", "orders", "--from", "order-only", "--all", "--yes"];
    program.run(&dropped).done();
    assert_eq!(depths(&program), [3, 3, 0]);
    assert_eq!(repair("--realign")["change"], "realign");
    let order = server.list(&["LRANGE", ORDER, "0", "-1"]);
    assert_eq!(order, server.list(&["ZRANGE", TIMEOUTS, "0", "-1"]));
    assert_eq!(repair("--kick")["change"], "kick");
}

#[test]
fn what_cannot_be_undone_is_nowhere_said_to_be() {
    let program = with_orders();
    let order_only = frame(9, b"stale");
    program
        .server
        .cmd_bytes(&[b"RPUSH", ORDER.as_bytes(), &order_only]);
    let requeue = "requeue orders --from order-only --all --in 1h";
    let words: Vec<&str> = requeue.split(' ').collect();
    let plan = program
        .run(&[&words[..], &["--dry-run", "--json"]].concat())
        .done();
    assert_eq!(summary(&plan.json())["can_be_undone"], false);
    let plan = program.run(&[&words[..], &["--dry-run"]].concat()).done();
    assert!(plan.out.contains("This cannot be undone"), "{}", plan.out);
    assert!(!plan.out.contains("delayscope undo"), "{}", plan.out);
    let done = program.run(&[&words[..], &["--yes"]].concat()).done();
    assert!(!done.err.contains("to take it back"), "{}", done.err);
}

#[test]
fn nothing_matched_is_no_failure_and_changes_nothing() {
    let program = with_orders();
    let nothing: [&[&str]; 4] = [
        &["delete", "orders", "--grep", "nobody"],
        &["transfer", "orders", "--due-before", "-1h"],
        &["repair", "orders", "--restore-order"],
        &["delete", "nowhere", "--all"],
    ];
    for args in nothing {
        let said = program.run(&[args, &["--yes"]].concat()).partly();
        assert!(!said.err.is_empty(), "{args:?}");
        assert_eq!(said.out, "", "{args:?}");
    }
    assert_eq!(depths(&program), [3, 3, 0]);
}

#[test]
fn what_was_not_done_is_told_with_its_id() {
    let program = with_orders();
    let orders = Queue::redisson("orders");
    program.server.put(&orders, b"poison!!", "5");
    let args = ["deliver", "orders", "--late", "--yes", "--json"];
    let lines = program.run(&args).partly().json();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(lines[0]["outcome"], "undecodable");
    assert_eq!(lines[0]["id"].as_str().unwrap().len(), 16);
    assert_eq!([&lines[1]["done"], &lines[1]["undecodable"]], [1, 1]);
    let said = program.run(&args[..4]).partly();
    assert!(said.out.contains("undecodable"), "{said:?}");
    assert!(said.out.contains("delivered 0 of 1 entry"), "{said:?}");
}

/// The id of the entry of [`with_orders`] that says so.
fn id_of(program: &Program, says: &str) -> String {
    let found = program.run(&["entries", "orders", "--grep", says, "--json"]);
    found.done().json()[0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn an_id_that_no_entry_has_is_told_and_the_others_are_changed() {
    let program = with_orders();
    let (late, other) = (id_of(&program, "entry 0"), "00112233445566ff");
    let both = ["--id", &late, "--id", other, "--yes"];
    let told = program.run(&[&["transfer", "orders"][..], &both].concat());
    let told = told.partly();
    assert!(
        told.out.contains("no entry has the id 00112233445566ff"),
        "{told:?}"
    );
    assert!(told.out.contains("transferred 1 of 2 entries"), "{told:?}");
    assert_eq!(depths(&program), [2, 2, 1]);
    let later = id_of(&program, "entry 2");
    let twice = ["--id", &later, "--id", &later, "--yes", "--json"];
    let told = program.run(&[&["delete", "orders"][..], &twice].concat());
    let told = told.partly().json();
    let why = told[0]["reason"].as_str().unwrap();
    assert!(why.starts_with("only 1 entry has the id"), "{why}");
    let counted = ["planned", "done", "refused"].map(|field| summary(&told)[field].clone());
    assert_eq!(counted, [2, 1, 1]);
    let alone = ["delete", "orders", "--id", other, "--yes"];
    let told = program.run(&alone).partly();
    assert!(
        told.err.contains("No entry has the id 00112233445566ff."),
        "{told:?}"
    );
}

#[test]
fn of_entries_that_were_named_one_that_is_not_due_is_told() {
    let program = with_orders();
    let ids = ["entry 0", "entry 2"].map(|says| id_of(&program, says));
    let both = ["transfer", "orders", "--id", &ids[0], "--id", &ids[1]];
    let told = program.run(&[&both[..], &["--yes"]].concat()).partly();
    assert!(told.out.contains("it is not due yet"), "{told:?}");
    let unknown = ["--id", "00112233445566ff", "--yes"];
    let other = [&["transfer", "orders", "--id", &ids[1]], &unknown[..]].concat();
    let none = program.run(&other).partly();
    assert!(none.out.contains("it is not due yet"), "{none:?}");
    assert!(none.out.contains("transferred 0 of 2 entries"), "{none:?}");
    assert!(told.out.contains("transferred 1 of 2 entries"), "{told:?}");
    assert_eq!(depths(&program), [2, 2, 1]);
}

#[test]
fn who_finds_nothing_due_is_told_that_elements_of_the_order_list_are_missing() {
    let program = with_orders();
    program.run(&["transfer", "orders", "--yes"]).done();
    let order = ["redisson_delay_queue:{orders}", "delayscope:aside:{orders}"];
    program.server.cmd(&["RENAME", order[0], order[1]]);
    let told = program.run(&["transfer", "orders", "--yes"]).partly();
    assert!(told.err.contains("nothing due was found"), "{told:?}");
    assert!(
        told.err
            .contains("2 elements are missing from the order list"),
        "{told:?}"
    );
    assert!(
        told.err.contains("repair orders --restore-order"),
        "{told:?}"
    );
    let told = program.run(&["transfer", "orders", "--yes", "--json"]);
    let notes = summary(&told.partly().json())["notes"].to_string();
    assert!(notes.contains("--restore-order"), "{notes}");
}

#[test]
fn a_zset_list_queue_is_changed_too() {
    let program = Program::start();
    let spec = "zset-list:waiting,ready,ms,right";
    for text in ["one", "two", "three"] {
        program.run(&["offer", spec, text, "--in", "1h"]).done();
    }
    program
        .run(&["deliver", spec, "--grep", "one", "--yes"])
        .done();
    program
        .run(&["requeue", spec, "--grep", "two", "--in", "0"])
        .done();
    program.run(&["transfer", spec, "--yes"]).done();
    program.run(&["delete", spec, "--grep", "three"]).done();
    let ready = program.server.list(&["LRANGE", "ready", "0", "-1"]);
    assert_eq!(ready, [b"one", b"two"]);
    assert_eq!(program.server.int(&["EXISTS", "waiting"]), 0);
    program.run(&["undo"]).done();
    assert_eq!(program.server.int(&["ZCARD", "waiting"]), 1);
    program.run(&["kick", spec]).failed("zset-list");
}

#[test]
fn of_equal_elements_as_many_are_deleted_as_were_asked_for() {
    let program = with_orders();
    let push = |says: &[&str]| {
        for says in says {
            program.server.cmd(&["RPUSH", "orders", says]);
        }
    };
    push(&["a", "b", "a", "a"]);
    let id = delayscope::queue::EntryId::of_bytes(b"a").to_string();
    let delete = ["delete", "orders", "--from", "delivered", "--yes"];
    let twice = [&delete[..], &["--id", &id, "--id", &id]].concat();
    let dry = program.run(&[&twice[..], &["--dry-run"]].concat()).done();
    for words in [
        "1 equal copy stays in target: the one that consumers would take last.",
        "if a consumer takes one first, the consumer keeps it",
    ] {
        assert!(dry.out.contains(words), "{}", dry.out);
    }
    let told = program.run(&twice);
    assert_eq!(told.code, 0, "{}", told.err);
    assert_eq!(depths(&program)[2], 2);
    // The one that stands alone is no copy of anything.
    push(&["a", "b", "alone"]);
    let copies = [&delete[..], &["--all", "--keep-one", "--dry-run"]].concat();
    let dry = program.run(&copies).done();
    let headline = "delete 2 copies of 2 entries of orders";
    assert!(dry.out.contains(headline), "{}", dry.out);
    let but_one = [&delete[..], &["--all", "--keep-one", "--json"]].concat();
    let told = program.run(&but_one);
    assert_eq!(told.code, 0, "{}", told.err);
    assert_eq!(depths(&program)[2], 3);
}
