//! What keeps a change from being made: the dry run, the question, read-only sessions.

use std::collections::BTreeSet;

use delayscope::queue::Queue;
use serde_json::json;

use crate::changing::{depths, with_orders};
use crate::program::{Program, local};
use crate::support::{Server, Value};
use crate::terminal::{answered, answered_by};

/// One of each change, whole.
const CHANGES: [&[&str]; 11] = [
    &["transfer", "orders"],
    &["deliver", "orders", "--all"],
    &["requeue", "orders", "--all", "--in", "5m"],
    &["delete", "orders", "--all"],
    &["delete", "orders", "--from", "delivered", "--all"],
    &["duplicate", "orders", "--all"],
    &[
        "edit",
        "orders",
        "--id",
        "0000000000000002",
        "--file",
        "/etc/hosts",
    ],
    &["kick", "orders"],
    &["repair", "orders", "--realign"],
    &["repair", "orders", "--drift"],
    &["undo"],
];

/// `orders` with something for each of [`CHANGES`].
fn with_everything() -> Program {
    let program = with_orders();
    let first = ["delete", "orders", "--grep", "entry 3"];
    program.run(&first).done();
    let server = &program.server;
    let orders = Queue::redisson("orders");
    let due = server.now().plus(1_000_000).get().to_string();
    server.put(&orders, &crate::support::frame(7, b"seven"), &due);
    server.cmd(&["RPUSH", "orders", "delivered"]);
    // Drift.
    let order = b"redisson_delay_queue:{orders}";
    server.cmd_bytes(&[b"RPUSH", order, &crate::support::frame(7, b"seven")]);
    program
}

/// Every key with its bytes.
fn bytes(server: &Server) -> Vec<(Vec<u8>, Value)> {
    let mut keys = server.list(&["KEYS", "*"]);
    keys.sort();
    let dump = |key: Vec<u8>| (key.clone(), server.cmd_bytes(&[b"DUMP", &key]));
    keys.into_iter().map(dump).collect()
}

/// The commands of that list that write.
fn writes(server: &Server, commands: &[Vec<String>]) -> BTreeSet<String> {
    let words = commands.iter().filter_map(|words| words.first());
    let words: BTreeSet<String> = words.map(|word| word.to_lowercase()).collect();
    words
        .into_iter()
        .filter(|word| {
            let told = format!("{:?}", server.cmd(&["COMMAND", "INFO", word]));
            told.contains("write") || word.starts_with("publish")
        })
        .collect()
}

#[test]
fn a_dry_run_of_any_change_writes_nothing() {
    let program = with_everything();
    let server = &program.server;
    let before = bytes(server);
    for args in CHANGES {
        let monitor = server.monitor();
        let dry = [args, &["--dry-run", "--json"]].concat();
        let said = program.run(&dry).done();
        let plan = &said.json()[0];
        assert_eq!(said.json().len(), 1, "{said:?}");
        assert_eq!(plan["dry_run"], true);
        assert_eq!([&plan["done"], &plan["left"]], [0, 0]);
        assert_eq!(plan["journal_id"], json!(null));
        assert_eq!(
            writes(server, &monitor.commands(server)),
            BTreeSet::new(),
            "{args:?}"
        );
        let in_words = program.run(&[args, &["--dry-run"]].concat()).done();
        assert!(in_words.out.contains("orders"), "{in_words:?}");
        assert!(in_words.out.contains("nothing was changed"), "{in_words:?}");
    }
    assert_eq!(bytes(server), before);
}

#[test]
fn a_write_would_be_seen_by_that_test() {
    let program = with_everything();
    let monitor = program.server.monitor();
    program.run(&["transfer", "orders", "--yes"]).done();
    let seen = writes(&program.server, &monitor.commands(&program.server));
    assert!(
        seen.contains("zrem") || seen.contains("zremrangebyrank"),
        "{seen:?}"
    );
}

#[test]
fn a_dry_run_says_what_the_change_would_come_to() {
    let program = with_orders();
    let args = ["deliver", "orders", "--all", "--dry-run", "--json"];
    let plan = &program.run(&args).done().json()[0];
    assert_eq!(plan["planned"], 3);
    assert_eq!([&plan["target"], &plan["target_after"]], [0, 3]);
    assert!(plan["oldest_due_ms"].as_i64() < plan["newest_due_ms"].as_i64());
    assert_eq!(plan["first"][0], "0000000000000001");
    assert_eq!(plan["can_be_undone"], true);
    assert!(
        plan["cost"]["journal_bytes"].as_u64().unwrap() > 0,
        "{plan}"
    );
    let words = program.run(&args[..4]).done().out;
    for part in [
        "transfer now 3 entries of orders on ",
        "0000000000000001",
        "0 → 3",
    ] {
        assert!(words.contains(part), "{part:?} is not in {words}");
    }
}

#[test]
fn a_read_only_session_plans_and_changes_nothing() {
    let program = with_everything();
    let before = bytes(&program.server);
    for args in CHANGES {
        let forced = [args, &["--yes", "--read-only"]].concat();
        program.run(&forced).failed("read-only");
        program
            .run(&[args, &["--dry-run", "--read-only"]].concat())
            .done();
    }
    assert_eq!(bytes(&program.server), before);
}

#[test]
fn without_a_terminal_only_what_is_small_is_done_unasked() {
    let program = with_everything();
    let before = depths(&program);
    let asked: [&[&str]; 5] = [
        &["transfer", "orders"],
        &["deliver", "orders", "--id", "0000000000000002"],
        &["delete", "orders", "--all"],
        &["delete", "orders", "--from", "delivered", "--all"],
        &["requeue", "orders", "--all", "--by", "1s"],
    ];
    for args in asked {
        program.run(args).failed("Give --yes");
        assert_eq!(depths(&program), before, "{args:?}");
    }
    program
        .run(&["delete", "orders", "--id", "0000000000000002"])
        .done();
    program.run(&["kick", "orders"]).done();
    program.run(&["undo"]).done();
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_asked_of_the_server() {
    for (args, why) in [
        (&["delete", "q"][..], "--all"),
        (&["delete", "q", "--limit", "3"], "--all"),
        (&["delete", "q", "--from", "delivered"], "--all"),
        (&["delete", "q", "--all", "--late"], "--late"),
        (&["delete", "q", "--id", "xyz"], "16 hex digits"),
        (&["delete", "q", "--grep", "re:/[/"], "the pattern is wrong"),
        (&["deliver", "q", "--from", "delivered", "--all"], "already"),
        (&["transfer", "q", "--from", "delivered"], "already"),
        (&["transfer", "q", "--rate", "0"], "500/s"),
        (&["transfer", "q", "--max-block", "0"], "1 to 10000"),
        (&["requeue", "q", "--all"], "--spread"),
        (
            &["requeue", "q", "--all", "--in", "5m", "--at", "14:00"],
            "--at",
        ),
        (&["requeue", "q", "--all", "--by", "5"], "needs a unit"),
        (&["edit", "q", "--id", "0000000000000002"], "--file"),
        (&["edit", "q", "--id", "2", "--file", "x"], "16 hex digits"),
        (&["repair", "q"], "--realign"),
        (&["repair", "q", "--kick", "--drift"], "--drift"),
        (&["repair", "q", "--drift", "--within", "5m"], "--within"),
    ] {
        local(&[&["-s", "/nowhere"], args].concat()).failed(why);
    }
}

#[test]
fn several_entries_are_asked_for_with_the_plan_in_sight() {
    let program = with_orders();
    let one = program.server.now().plus(1_000_000).get().to_string();
    for id in 10..13 {
        let member = crate::support::frame(id, b"later");
        program
            .server
            .put(&Queue::redisson("orders"), &member, &one);
    }
    let args = ["delete", "orders", "--limit", "3", "--all"];
    for answer in ["", "n", "orders"] {
        let (shown, code) = answered(&program, &args, "[y/N]", answer);
        assert!(shown.contains("delete 3 entries of orders"), "{shown}");
        assert!(shown.contains("nothing was changed"), "{shown}");
        assert_eq!((code, depths(&program)), (1, [6, 6, 0]));
    }
    let (shown, code) = answered(&program, &args, "[y/N]", "y");
    assert!(shown.contains("deleted 3 entries of orders"), "{shown}");
    assert!(shown.contains(" undo "), "{shown}");
    assert_eq!((code, depths(&program)), (0, [3, 3, 0]));
}

#[test]
fn on_a_terminal_one_entry_is_asked_about_in_a_line_with_what_it_says() {
    let program = with_orders();
    let id = "0000000000000002";
    // A duplicate has an id of its own.
    let entry = |what: &str| match what {
        "duplicate" => "entry 2 ".to_owned(),
        _ => format!("entry 2 {id}"),
    };
    for args in [
        &["delete", "orders", "--id", id][..],
        &["requeue", "orders", "--id", id, "--by", "1s"],
        &["deliver", "orders", "--id", id],
        &["duplicate", "orders", "--id", id],
    ] {
        let (shown, code) = answered(&program, args, "[y/N]", "n");
        let mut lines = shown.lines();
        let question = lines.find(|line| line.contains("[y/N]")).unwrap();
        let word = if args[0] == "deliver" {
            "transfer now"
        } else {
            args[0]
        };
        let asked = format!("{word} 1 entry of orders on ");
        assert!(question.starts_with(&asked), "{shown}");
        assert!(question.contains(&entry(args[0])), "{shown}");
        assert_eq!((code, depths(&program)), (1, [3, 3, 0]), "{args:?}");
    }
    let kick = ["kick", "orders"];
    let (shown, code) = answered(&program, &kick, "[y/N]", "n");
    assert!(shown.contains("nothing was changed"), "{shown}");
    assert_eq!(code, 1);
    let delete = ["delete", "orders", "--id", id];
    assert_eq!(answered(&program, &delete, "[y/N]", "y").1, 0);
    assert_eq!(depths(&program), [2, 2, 0]);
}

#[test]
fn ctrl_c_at_the_question_is_a_no() {
    let program = with_orders();
    let plain = program.command(&["delete", "orders", "--grep", "entry 2"]);
    let (shown, code) = answered_by(&plain, "[y/N]", b"\x03");
    assert!(shown.contains("nothing was changed"), "{shown}");
    assert_eq!((code, depths(&program)), (1, [3, 3, 0]));
}

#[test]
fn more_than_a_thousand_entries_or_than_half_want_the_queues_name() {
    let program = Program::start();
    let first = program.server.now().plus(3_600_000);
    program
        .server
        .fill(&Queue::redisson("orders"), 1_001, first, 10);
    let by_name =
        |args: &[&str], answer| answered(&program, args, "type the queue's name:", answer);
    let half = ["delete", "orders", "--all", "--limit", "501"];
    let (shown, code) = by_name(&half, "y");
    assert!(
        shown.contains("501 entries are more than half of 1,001"),
        "{shown}"
    );
    assert_eq!(code, 1);
    let less = ["delete", "orders", "--all", "--limit", "500"];
    assert_eq!(answered(&program, &less, "[y/N]", "n").1, 1);
    let all = ["delete", "orders", "--all"];
    let (shown, code) = by_name(&all, "y");
    assert!(shown.contains("1,001 entries are many"), "{shown}");
    assert_eq!((code, depths(&program)), (1, [1_001, 1_001, 0]));
    assert_eq!(by_name(&all, "orders").1, 0);
    assert_eq!(depths(&program), [0, 0, 0]);
}

#[test]
fn a_protected_profile_wants_the_queues_name_for_a_single_entry() {
    let program = with_orders();
    let file = tempfile::NamedTempFile::new().unwrap();
    let url = program.server.url();
    let text = format!("[profiles.production]\nurl = \"{url}\"\nprotected = true\n");
    std::fs::write(file.path(), text).unwrap();
    let delete = ["delete", "orders", "--grep", "entry 2"];
    let plain = || {
        let mut plain = program.command_of_profile("production", file.path());
        plain.args(delete);
        plain
    };
    let (shown, code) = answered_by(&plain(), "type the queue's name:", b"y\n");
    assert!(shown.contains("Profile production is protected"), "{shown}");
    assert_eq!((code, depths(&program)), (1, [3, 3, 0]));
    let said = plain().stdin(std::process::Stdio::null()).output().unwrap();
    assert!(
        String::from_utf8_lossy(&said.stderr).contains("--yes"),
        "{said:?}"
    );
    assert_eq!(said.status.code(), Some(2));
    let (_, code) = answered_by(&plain(), "type the queue's name:", b"orders\n");
    assert_eq!((code, depths(&program)), (0, [2, 2, 0]));
    let mut undo = program.command_of_profile("production", file.path());
    undo.args(["undo", "--dry-run"]);
    let said = undo.output().unwrap();
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains("(profile production)"), "{said}");
}
