//! `queues`, `show`, `entries`, `watch`, `traffic`: what is read, and in which fields.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use delayscope::queue::Queue;
use serde_json::{Value, json};

use crate::program::{Program, names};
use crate::support::{frame, wait_for};

const QUEUE_FIELDS: [&str; 12] = [
    "queue",
    "layout",
    "waiting",
    "late",
    "oldest_due_ms",
    "next_due_ms",
    "lateness_ms",
    "order",
    "target",
    "transfer_clients",
    "server_ms",
    "findings",
];
const ENTRY_FIELDS: [&str; 9] = [
    "id",
    "due_ms",
    "score",
    "score_text",
    "state",
    "form",
    "codec",
    "value",
    "text",
];

fn orders() -> Queue {
    Queue::redisson("orders")
}

/// `orders` with one entry 10 s late and two that are due in an hour and later.
fn with_orders() -> (Program, i64) {
    let program = Program::start();
    let now = program.server.now();
    program.server.fill(&orders(), 1, now.plus(-10_000), 0);
    for (id, ms) in [(2, 3_600_000), (3, 3_700_000)] {
        let member = frame(id, format!("entry {id}").as_bytes());
        let score = now.plus(ms).get().to_string();
        program.server.put(&orders(), &member, &score);
    }
    (program, now.get())
}

#[test]
fn a_queue_that_is_watched_first_tells_how_late_what_left_was() {
    let program = Program::start();
    let soon = program.server.now().plus(1_500).get().to_string();
    program.server.put(&orders(), &frame(1, b"soon"), &soon);
    program
        .server
        .put(&orders(), &frame(2, b"later"), "99999999999999");
    let watching = program.begin(&["show", "orders", "--for", "4s", "--json"]);
    let worker = program.begin(&["worker", "orders", "--yes"]);
    wait_for("it to be transferred", || {
        program.server.int(&["LLEN", "orders"]) == 1
    });
    let shown = watching.ended().done().json();
    let late = &shown[0]["lateness_ms"];
    assert_eq!(late["count"], 1, "{late}");
    let ms = |name: &str| late[name].as_i64().unwrap();
    assert!(
        ms("p50") <= ms("max") && ms("error") >= 0 && ms("span") <= 4_500,
        "{late}"
    );
    drop(worker);
    for command in [&["show", "orders"][..], &["queues"]] {
        let once = program.run(&[command, &["--json"]].concat()).done().json();
        assert_eq!(once[0]["lateness_ms"], Value::Null);
    }
    let said = program.run(&["queues", "--for", "300ms"]).done();
    assert!(!said.err.contains("late by"), "{}", said.err);
}

#[test]
fn a_queue_is_one_line_with_the_agreed_fields() {
    let (program, now) = with_orders();
    program.server.cmd(&["RPUSH", "orders", "delivered"]);
    let lines = program.run(&["queues", "--json"]).done().json();
    assert_eq!(lines.len(), 1);
    let queue = &lines[0];
    assert_eq!(names(queue)[..12], QUEUE_FIELDS);
    assert_eq!(queue["queue"], "orders");
    assert_eq!(queue["layout"], "redisson");
    assert_eq!(queue["waiting"], 3);
    assert_eq!(queue["late"], 1);
    assert_eq!(queue["oldest_due_ms"], now - 10_000);
    assert_eq!(queue["next_due_ms"], now + 3_600_000);
    assert_eq!(queue["order"], 3);
    assert_eq!(queue["target"], 1);
    assert_eq!(queue["transfer_clients"], 0);
    assert!(queue["server_ms"].as_i64().unwrap() >= now);
    assert_eq!(queue["findings"], json!([]));
}

#[test]
fn a_named_queue_is_read_without_looking_for_others() {
    let (program, _) = with_orders();
    let monitor = program.server.monitor();
    let args = ["queues", "--json", "--queue", "zset-list:a,b,ms,right"];
    let lines = program.run(&args).done().json();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["layout"], "zset-list");
    assert_eq!(lines[0]["waiting"], 0);
    assert_eq!(lines[0]["order"], Value::Null);
    assert_eq!(lines[0]["transfer_clients"], Value::Null);
    // One SCAN of one key is how the program learns whether it may.
    let commands = monitor.commands(&program.server);
    let scans = commands.iter().filter(|words| words[0].contains("SCAN"));
    assert!(scans.count() <= 1, "{commands:?}");
}

#[test]
fn show_adds_histogram_keys_and_skew() {
    let (program, now) = with_orders();
    let lines = program.run(&["show", "orders", "--json"]).done().json();
    assert_eq!(lines.len(), 1);
    let queue = &lines[0];
    assert_eq!(names(queue)[..12], QUEUE_FIELDS);
    let bars = queue["histogram"].as_array().unwrap();
    assert_eq!(names(&bars[0]), ["from_ms", "to_ms", "count"]);
    let counts = bars.iter().map(|bar| bar["count"].as_u64().unwrap());
    assert_eq!(counts.sum::<u64>(), 2, "the two that are not late");
    assert!(bars[0]["from_ms"].as_i64().unwrap() >= now);
    assert_eq!(
        queue["keys"],
        json!({
            "timeouts": "redisson_delay_queue_timeout:{orders}",
            "order": "redisson_delay_queue:{orders}",
            "target": "orders",
            "channel": "redisson_delay_queue_channel:{orders}",
            "quarantine": "delayscope:quarantine:{orders}",
        })
    );
    assert!(queue["clock_skew_ms"].as_i64().unwrap().abs() < 1_000);
    let table = program.run(&["show", "orders"]).done().out;
    assert!(
        table.contains("\nlate                        1   oldest 0:1"),
        "{table}"
    );
}

#[test]
fn an_entry_is_one_line_with_the_agreed_fields() {
    let (program, now) = with_orders();
    let lines = program.run(&["entries", "orders", "--json"]).done().json();
    assert_eq!(lines.len(), 3);
    let entry = &lines[0];
    assert_eq!(names(entry), ENTRY_FIELDS);
    assert_eq!(entry["due_ms"], now - 10_000);
    assert_eq!(entry["score"], now - 10_000);
    assert_eq!(entry["score_text"], (now - 10_000).to_string());
    assert_eq!(entry["state"], "late");
    assert_eq!(lines[1]["state"], "waiting");
    assert_eq!(entry["form"], "byte-id");
    assert_eq!(entry["codec"], "text");
    assert_eq!(entry["value"], "entry 1");
    assert_eq!(entry["text"], "entry 1");

    let id = entry["id"].as_str().unwrap();
    let raw = ["entries", "orders", "--id", id, "--raw", "--json"];
    let lines = program.run(&raw).done().json();
    assert_eq!(lines.len(), 1);
    assert_eq!(names(&lines[0])[9..], ["frame_hex", "payload_hex"]);
    assert_eq!(lines[0]["payload_hex"], "656e7472792031");
    let whole = lines[0]["frame_hex"].as_str().unwrap();
    assert!(whole.starts_with("08") && whole.ends_with("656e7472792031"));
}

#[test]
fn entries_are_chosen_by_state_due_time_text_and_number() {
    let (program, _) = with_orders();
    program
        .server
        .cmd(&["RPUSH", "orders", "delivered 1", "delivered 2"]);
    let texts = |flags: &[&str]| -> Vec<String> {
        let args = [&["entries", "orders", "--json"], flags].concat();
        let lines = program.run(&args).done().json();
        lines
            .iter()
            .map(|l| l["text"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(texts(&["--late"]), ["entry 1"]);
    assert_eq!(texts(&["--due-before", "now"]), ["entry 1"]);
    assert_eq!(texts(&["--due-after", "+30m"]), ["entry 2", "entry 3"]);
    let between = ["--due-after", "-1h", "--due-before", "+61m"];
    assert_eq!(texts(&between), ["entry 1", "entry 2"]);
    assert_eq!(texts(&["--grep", "entry 3"]), ["entry 3"]);
    assert_eq!(texts(&["--limit", "2"]), ["entry 1", "entry 2"]);
    assert_eq!(texts(&["--from", "order", "--limit", "1"]), ["entry 1"]);
    assert_eq!(
        texts(&["--from", "delivered"]),
        ["delivered 1", "delivered 2"]
    );
    let said = program.run(&["entries", "orders", "--grep", "nothing"]);
    assert!(said.partly().err.contains("no entry of \"orders\" matched"));
}

#[test]
fn a_word_is_found_also_where_a_long_text_is_cut() {
    let program = Program::start();
    let text = format!("{} needle", "x".repeat(5_000));
    program.offer("orders", &text, "1h");
    let args = ["entries", "orders", "--grep", "needle", "--json"];
    let entry = &program.run(&args).done().json()[0];
    assert!(!entry["text"].as_str().unwrap().contains("needle"));
    assert_eq!(entry["value"], text);
}

#[test]
fn an_element_of_target_has_neither_frame_nor_due_time() {
    let (program, _) = with_orders();
    program.server.cmd(&["RPUSH", "orders", "hello"]);
    let args = ["entries", "orders", "--from", "delivered", "--json"];
    let entry = &program.run(&args).done().json()[0];
    assert_eq!(entry["state"], "delivered");
    assert_eq!(entry["form"], "none");
    assert_eq!(entry["due_ms"], Value::Null);
    assert_eq!(entry["score"], Value::Null);
    assert_eq!(entry["id"], "aaf4c61ddcc5e8a2", "SHA-1 of its bytes");
}

#[test]
fn what_is_no_frame_or_has_no_time_is_a_row_not_the_end() {
    let (program, _) = with_orders();
    program.server.put(&orders(), b"stray", "5");
    program.server.put(&orders(), &frame(9, b"never"), "1e17");
    let lines = program.run(&["entries", "orders", "--json"]).done().json();
    assert_eq!(lines.len(), 5);
    let stray = &lines[0];
    assert_eq!(stray["form"], "none");
    assert_eq!(stray["codec"], "unknown");
    assert_eq!(stray["text"], "7374726179");
    assert!(stray["error"].as_str().unwrap().contains("too few"));
    let never = &lines[4];
    assert_eq!(never["due_ms"], Value::Null);
    assert_eq!(never["score_text"], "1e+17");
    assert_eq!(never["text"], "never");
}

#[test]
fn a_key_of_a_wrong_type_is_marked_and_the_rest_is_read() {
    let (program, _) = with_orders();
    program.server.cmd(&["SET", "orders", "no list"]);
    let queue = &program.run(&["queues", "--json"]).done().json()[0];
    assert_eq!(queue["waiting"], 3);
    assert_eq!(queue["target"], Value::Null);
    assert!(
        queue["why"]["target"]
            .as_str()
            .unwrap()
            .contains("WRONGTYPE")
    );
    let said = program.run(&["show", "orders"]).done();
    assert!(said.out.contains("! should be a list"), "{}", said.out);
}

#[test]
fn due_times_that_cannot_be_counted_are_unknown_and_not_zero() {
    let program = Program::start();
    let timeouts = "redisson_delay_queue_timeout:{orders}";
    program.server.cmd(&["SET", timeouts, "no zset"]);
    let queue = &program.run(&["show", "orders", "--json"]).done().json()[0];
    assert_eq!(queue["beyond"], Value::Null);
    let bars = queue["histogram"].as_array().unwrap();
    assert!(!bars.is_empty());
    for bar in bars {
        assert_eq!(names(bar), ["from_ms", "to_ms", "count"]);
        assert_eq!(bar["count"], Value::Null);
    }
    for name in ["waiting", "late", "histogram", "beyond"] {
        let why = queue["why"][name].as_str().unwrap();
        assert!(why.contains("WRONGTYPE"), "{name}: {why}");
    }
    let said = program.run(&["show", "orders"]).done().out;
    assert!(said.contains("due in           unknown: "), "{said}");
    assert!(!said.contains("nothing"), "{said}");
}

#[test]
fn names_cannot_command_the_terminal() {
    let program = Program::start();
    program.offer("a\x1b[31m\nb", "evil \x1b]0;x\x07", "1h");
    let queues = program.run(&["queues"]).done().out;
    assert!(queues.contains("a\\x1b[31m\\nb"), "{queues}");
    let entries = program.run(&["entries", "a\x1b[31m\nb"]).done().out;
    for shown in [queues, entries] {
        assert!(!shown.contains(['\x1b', '\x07']), "{shown}");
    }
}

#[test]
fn a_queue_whose_name_is_no_text_can_be_named() {
    let program = Program::start();
    let name = OsStr::from_bytes(b"a\xff");
    let run = |args: &[&OsStr]| {
        let output = program.command(&[]).args(args).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let word = OsStr::new;
    let spec = OsStr::from_bytes(b"zset-list:a\xff,b\xff,ms");
    for (queue, layout) in [(name, "redisson"), (spec, "zset-list")] {
        let message = [word("offer"), queue, word("x"), word("--in"), word("1h")];
        let form = [word("--form"), word("byte-id"), word("--json")];
        run(&[&message[..], &form[..]].concat());
        for args in [
            [word("show"), queue, word("--json")].as_slice(),
            &[word("queues"), word("--queue"), queue, word("--json")],
        ] {
            let seen = run(args);
            assert_eq!(seen["queue_hex"], "61ff");
            assert_eq!(seen["layout"], layout);
            assert_eq!(seen["waiting"], 1);
        }
    }
}

#[test]
fn watch_prints_each_queue_at_each_look() {
    let (program, _) = with_orders();
    let args = [
        "watch",
        "orders",
        "--count",
        "2",
        "--interval",
        "200ms",
        "--json",
    ];
    let lines = program.run(&args).done().json();
    assert_eq!(lines.len(), 2);
    assert_eq!(names(&lines[0])[..12], QUEUE_FIELDS);
    let at = |i: usize| lines[i]["server_ms"].as_i64().unwrap();
    assert!(at(1) - at(0) >= 100, "{lines:?}");
    let all = program.run(&["watch", "--count", "1", "--json"]).done();
    assert_eq!(all.json()[0]["queue"], "orders");
}

#[test]
fn traffic_prints_each_announcement() {
    let program = Program::start();
    let server = &program.server;
    let mut traffic = program.begin(&["traffic", "orders", "--json", "--count", "3"]);
    wait_for("the subscription", || {
        server.int(&["PUBSUB", "NUMPAT"]) == 1
    });
    let channel = "redisson_delay_queue_channel:{orders}";
    server.cmd(&["PUBLISH", "redisson_delay_queue_channel:{other}", "1"]);
    for message in ["1700000000123", "0", "1e+17"] {
        server.cmd(&["PUBLISH", channel, message]);
    }
    let line = traffic.next_json();
    assert_eq!(
        names(&line)[..4],
        ["at_ms", "queue", "due_ms", "transfer_clients"]
    );
    assert_eq!(line["queue"], "orders");
    assert_eq!(line["due_ms"], 1_700_000_000_123_i64);
    assert_eq!(line["transfer_clients"], 0, "we do not count ourselves");
    assert_eq!(traffic.next_json()["kick"], true);
    let odd = traffic.next_json();
    assert_eq!(odd["due_ms"], Value::Null);
    assert_eq!(odd["message"], "1e+17");
    traffic.ended().done();
}

#[test]
fn an_order_list_that_is_set_aside_is_counted_and_said() {
    let (program, _) = with_orders();
    let [order, aside] = ["redisson_delay_queue:{orders}", "delayscope:aside:{orders}"];
    program.server.cmd(&["RENAME", order, aside]);
    let table = program.run(&["show", "orders"]).done().out;
    assert!(
        table.contains("\norder list                  3   3 of it in a list of their own\n"),
        "{table}"
    );
    let shown = || program.run(&["show", "orders", "--json"]).done().json()[0].clone();
    let told = shown();
    assert_eq!([&told["order"], &told["aside"]], [3, 3], "{told}");
    // Others have offered meanwhile.
    let newer = Queue::redisson("orders");
    program
        .server
        .put(&newer, &frame(9, b"newer"), "1900000000000");
    for args in [
        &["queues", "--json"][..],
        &["watch", "--count", "1", "--json"],
    ] {
        let told = program.run(args).done().json()[0].clone();
        assert_eq!([&told["waiting"], &told["order"]], [4, 4], "{told}");
    }
    let table = program.run(&["queues"]).done().out;
    // From the right: before midnight AT has a date beside its time.
    let mut row = table.lines().last().unwrap().split_whitespace().rev();
    let late_for_10_s = row.next();
    assert_eq!(late_for_10_s, Some("!"), "{table}");
    assert_eq!(row.nth(2), Some("4"), "the order list, {table}");
    program.server.cmd(&["RPOP", order]);
    program.server.cmd(&["RENAME", aside, order]);
    let told = shown();
    assert_eq!([&told["order"], &told["aside"]], [&json!(3), &Value::Null]);
}

#[test]
fn an_order_list_that_differs_from_timeouts_has_a_sign() {
    let (program, _) = with_orders();
    let told = || program.run(&["queues", "--json"]).done().json()[0].clone();
    assert_eq!(told()["order_differs"], false);
    program
        .server
        .cmd(&["RPOP", "redisson_delay_queue:{orders}"]);
    let said = program.run(&["queues"]).done();
    assert!(said.out.contains("  2 ≠  "), "{}", said.out);
    assert!(
        said.err
            .contains("orders: the order list differs (≠): it holds 2, and 3 wait; why: "),
        "{}",
        said.err
    );
    let watched = program.run(&["watch", "--count", "1"]).done().out;
    assert!(watched.contains("  2 ≠  "), "{watched}");
    assert_eq!(told()["order_differs"], true);
    let shown = program.run(&["show", "orders", "--json"]).done().json();
    assert_eq!(shown[0]["order_differs"], true);
    // Where there is no order list, nothing differs from it.
    let plain = ["queues", "--json", "--queue", "zset-list:a,b"];
    let plain = program.run(&plain).done().json();
    assert_eq!(plain[0]["order_differs"], Value::Null);
}

#[test]
fn a_transfer_says_before_that_what_is_no_frame_is_left_alone() {
    let (program, _) = with_orders();
    let timeouts = "redisson_delay_queue_timeout:{orders}";
    program.server.cmd(&["ZADD", timeouts, "1000", "x"]);
    let said = program.run(&["transfer", "orders", "--dry-run"]).done().out;
    assert!(said.contains("left alone"), "{said}");
    // The commands behind it make a sentence.
    let runs = said
        .lines()
        .find(|line| line.starts_with("  runs      moves "));
    let runs = runs.unwrap_or(&said);
    assert!(runs.contains(", one by one: RPUSH orders, LREM "), "{said}");
    program
        .run(&["offer", "orders", "hello", "--in", "5m", "--yes"])
        .done();
}
