//! `doctor`: what is wrong, with the exit code that says so.

use delayscope::queue::Queue;
use serde_json::Value;

use crate::program::{Program, names};
use crate::support::{Server, frame, wait_for};

const FIELDS: [&str; 6] = ["queue", "id", "severity", "sentence", "evidence", "repair"];

fn orders() -> Queue {
    Queue::redisson("orders")
}

/// Puts an entry that is due so many ms from now.
pub(crate) fn put(server: &Server, member: &[u8], due_ms: i64) {
    let due = server.now().plus(due_ms).get().to_string();
    server.put(&orders(), member, &due);
}

/// A server with an entry that is late, and nobody who transfers.
pub(crate) fn sick() -> Program {
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
        told.starts_with("orders\n  critical  No Redisson client runs for this queue. [")
            && told.contains("\n            1 late, oldest "),
        "{told}"
    );
    // Commands that can be pasted, and no key where there is no screen.
    let evidence = told.lines().find(|line| line.contains("PUBSUB NUMSUB"));
    let evidence = evidence.unwrap_or_default().trim();
    assert!(evidence.starts_with("$ redis-cli -s /"), "{told}");
    assert!(!told.contains("(w)") && !told.contains("(R)"), "{told}");
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
        .cmd(&["ZADD", "delay", "3000000000", "later"]);
    let well = program.run(&["doctor", zset, "--for", "300ms"]).done();
    assert!(
        well.out.starts_with("delay: nothing found, "),
        "{}",
        well.out
    );
    program
        .run(&["doctor", "ordesr", "--for", "300ms"])
        .failed("no queue \"ordesr\"");
    program.server.kill();
    program
        .run(&["doctor", zset, "--for", "300ms"])
        .failed("cannot reach");
}

#[test]
fn a_plain_queue_that_is_named_for_a_redisson_one_is_no_key_of_the_wrong_type() {
    let program = Program::start();
    program.server.cmd(&["ZADD", "delay_queue", "5", "message"]);
    program
        .run(&["doctor", "delay_queue", "--for", "200ms"])
        .failed("zset-list:TIMEOUTS,TARGET");
}

#[test]
fn what_is_not_yet_decided_is_told_with_the_command_that_waits_for_it() {
    let program = Program::start();
    let server = &program.server;
    let (queue, spec) = (["delay", "ready"], "zset-list:delay,ready");
    server.cmd(&["ZADD", queue[0], "3000000000", "later"]);
    // So many in target are no hand-over; it grows for as long as somebody looks, and nobody takes.
    server.cmd(&[&["RPUSH", queue[1]][..], &["first"; 100]].concat());
    let growing = |args: &[&str]| {
        let over = std::sync::atomic::AtomicBool::new(false);
        let order = std::sync::atomic::Ordering::Relaxed;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(order) {
                    server.cmd(&["LPUSH", queue[1], "more"]);
                    std::thread::park_timeout(std::time::Duration::from_millis(20));
                }
            });
            let run = program.run(args);
            over.store(true, order);
            run.done()
        })
    };
    let command = format!("doctor {spec},s,left --for 35s");
    let told = growing(&["doctor", spec, "--for", "700ms"]).out;
    let unknown = "to know whether any is taken, look for longer. [nothing-consumed]\n";
    assert!(told.contains("\n  unknown   1"), "{told}");
    assert!(told.contains(unknown), "{told}");
    // Once, however many checks it is for.
    assert_eq!(told.matches(&command).count(), 1, "{told}");
    assert!(told.contains(" more time\n"), "{told}");
    let lines = growing(&["doctor", spec, "--for", "700ms", "--json"]).json();
    let open = lines.iter().find(|line| line["id"] == "nothing-consumed");
    let open = open.unwrap();
    assert_eq!(names(open)[..6], FIELDS);
    assert_eq!(open["severity"], "undecided");
    let waits = open["repair_command"].as_str().unwrap();
    assert!(waits.ends_with(&command), "{waits}");
    let report = growing(&["report", spec, "--for", "700ms"]).out;
    assert!(
        report.contains("nothing-consumed needs more time"),
        "{report}"
    );
    assert!(report.contains("--for 35s"), "{report}");
}

#[test]
fn what_nobody_takes_is_a_warning_without_being_asked_to_look_for_long() {
    let program = Program::start();
    let server = &program.server;
    let spec = "zset-list:delay,ready";
    server.cmd(&["ZADD", "delay", "3000000000", "later"]);
    server.cmd(&["RPUSH", "ready", "a", "b", "c"]);
    // Each second another one is delivered, for as long as the doctor looks.
    let over = std::sync::atomic::AtomicBool::new(false);
    let order = std::sync::atomic::Ordering::Relaxed;
    let (short, long) = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(order) {
                server.cmd(&["LPUSH", "ready", "more"]);
                std::thread::park_timeout(std::time::Duration::from_millis(500));
            }
        });
        let long = scope.spawn(|| program.run(&["doctor", spec, "--json"]));
        let short = program.run(&["doctor", spec, "--for", "12s"]);
        let long = long.join().unwrap();
        over.store(true, order);
        (short, long)
    });
    let lines = long.partly().json();
    let found = lines.iter().find(|line| line["id"] == "nothing-consumed");
    assert_eq!(found.unwrap()["severity"], "warning", "{lines:?}");
    // Whoever looks for less is told how to look for long enough.
    let short = short.done().out;
    assert!(short.contains("Nobody takes what is delivered."), "{short}");
    assert!(short.contains("longer, it is a warning"), "{short}");
    assert!(short.contains("doctor zset-list:delay,ready"), "{short}");
    assert!(short.contains("--for 35s"), "{short}");
}

#[test]
fn what_the_server_refuses_to_show_is_named_and_late_entries_are_told_all_the_same() {
    let program = sick();
    let narrow = ["ACL", "SETUSER", "default", "-client", "-pubsub"];
    program.server.cmd(&narrow);
    let run = program
        .run(&["doctor", "orders", "--for", "3200ms"])
        .partly();
    for part in [
        "1 late, oldest 1:0",
        "Entries are late, and nobody transfers.",
        "worker orders",
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    assert!(
        run.err.contains("who waits cannot be seen: NOPERM"),
        "{}",
        run.err
    );
}

#[test]
fn a_queue_that_cannot_be_read_keeps_nobody_from_what_is_known_of_the_others() {
    let program = sick();
    let server = &program.server;
    server.cmd(&["ACL", "SETUSER", "default", "resetkeys", "~*orders*"]);
    let both = ["--queue", "orders", "--queue", "secret", "doctor"];
    let run = program.run(&[&both[..], &["--for", "1200ms"]].concat());
    assert_eq!(run.code, 2, "it could not look: {}", run.err);
    for part in ["No Redisson client runs", "1 late, oldest 1:0"] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    let said = "could not look at secret: ";
    assert!(run.err.contains(said), "{}", run.err);
    // Who watches hears of it once.
    let watch = ["--watch", "--for", "2500ms", "--json"];
    let run = program.run(&[&both[..], &watch].concat());
    assert_eq!(ids(&run.json()), ["no-transfer-client"]);
    let told = run.err.matches("trying again").count();
    assert_eq!(told, 1, "{}", run.err);
    // Where none can be read, nothing is told.
    let run = program.run(&["doctor", "secret", "--for", "300ms"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""), "{}", run.err);
    let said = "could not look at queue \"secret\"";
    assert!(run.err.contains(said), "{}", run.err);
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
    assert_eq!(ids(&found), ["ttl", "score-range", "framed-target"]);
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
    assert_eq!(ids(&look()), ["ttl", "score-range", "framed-target"]);
}

#[test]
fn all_entries_are_looked_at_where_that_is_quick_and_the_repair_is_seen_to_help() {
    let program = Program::start();
    let server = &program.server;
    let keys = orders().keys();
    let order = keys.order.clone().unwrap();
    for id in 0..300 {
        put(server, &frame(id, b"later"), 600_000);
    }
    // As many are missing on either side: the numbers agree.
    server.cmd_bytes(&[b"ZREM", &keys.timeouts, &frame(7, b"later")]);
    server.cmd_bytes(&[b"LREM", &order, b"1", &frame(8, b"later")]);
    let args = ["doctor", "orders", "--for", "300ms", "--json"];
    let found = program.run(&args).partly().json();
    assert_eq!(ids(&found), ["drift"]);
    let evidence = &found[0]["evidence"];
    assert_eq!(
        (&evidence["exact"], &evidence["looked_at"]),
        (&true.into(), &299.into())
    );
    assert_eq!(
        (&evidence["not_in_order"], &evidence["only_in_order"]),
        (&1.into(), &1.into())
    );
    let left = program.run(&["repair", "orders", "--drift", "--yes"]);
    assert!(left.partly().out.contains("only the order list holds it"));
    let again = [
        "requeue",
        "orders",
        "--from",
        "order-only",
        "--all",
        "--in",
        "1h",
    ];
    program.run(&[&again[..], &["--yes"]].concat()).done();
    program.run(&args).done();
}

#[test]
fn of_what_takes_longer_than_it_looks_a_sample_is_looked_at_unless_all_is_asked_for() {
    let program = Program::start();
    let first = program.server.now().plus(60_000_000);
    program.server.fill(&orders(), 20_000, first, 1);
    let args = ["doctor", "orders", "--for", "50ms"];
    let sample = program.run(&args).done();
    assert!(
        sample.err.contains("--exact looks at all of them"),
        "{}",
        sample.err
    );
    let all = program.run(&[&args[..], &["--exact"]].concat()).done();
    assert_eq!(all.err.matches("sample").count(), 0, "{}", all.err);
    assert!(all.out.contains("all 20,000 entries"), "{}", all.out);
}

#[test]
fn scores_that_are_no_due_times_get_one_and_get_the_old_one_back() {
    let program = Program::start();
    let server = &program.server;
    put(server, &frame(9, b"good"), 600_000);
    let now = server.now();
    let nanos = (i128::from(now.get()) + 600_000) * 1_000_000;
    let scores = [
        "-5",
        "-9223372036854775808",
        "-inf",
        "1e18",
        "inf",
        &nanos.to_string(),
    ];
    for (id, score) in (10..).zip(scores) {
        server.put(&orders(), &frame(id, b"bad"), score);
    }
    let timeouts = orders().keys().timeouts;
    let all = || {
        let key = str::from_utf8(&timeouts).unwrap();
        server.list(&["ZRANGE", key, "0", "-1", "WITHSCORES"])
    };
    let before = all();
    let look = || {
        let args = ["doctor", "orders", "--for", "300ms", "--json"];
        program.run(&args).json()
    };
    let found = look();
    assert_eq!(found[0]["id"], "score-range");
    let command = found[0]["repair_command"].as_str().unwrap();
    assert!(command.ends_with(" repair orders --score"), "{command}");
    let dry = program
        .run(&["repair", "orders", "--score", "--dry-run"])
        .done();
    assert!(dry.out.contains("100 years"), "{}", dry.out);
    program
        .run(&["repair", "orders", "--score", "--yes"])
        .done();
    assert!(ids(&look()).iter().all(|id| *id != "score-range"));
    let score = |id: u64| {
        let key = str::from_utf8(&timeouts).unwrap();
        let member = frame(id, b"bad");
        let all = server.cmd_bytes(&[b"ZSCORE", key.as_bytes(), &member]);
        let redis::Value::BulkString(score) = all else {
            panic!("{all:?}")
        };
        // Whole ms, which Redis prints without a fraction.
        String::from_utf8(score).unwrap().parse::<i64>().unwrap()
    };
    let years = |id| (score(id) - now.get() + 15_778_800_000) / 31_557_600_000;
    assert_eq!(
        [10, 11, 12, 13, 14, 15].map(years),
        [0, 100, 100, 100, 100, 0]
    );
    assert!((score(15) - now.get() - 600_000).abs() < 1_000);
    program.run(&["undo", "--yes"]).done();
    assert_eq!(all(), before);
}

#[test]
fn watching_hears_of_queues_that_come() {
    let program = Program::start();
    put(&program.server, &frame(1, b"later"), 600_000);
    let args = ["doctor", "--watch", "--for", "2500ms", "--json"];
    let new = Queue::redisson("new one");
    let lines = std::thread::scope(|scope| {
        let watching = scope.spawn(|| program.run(&args).done().json());
        let server = &program.server;
        // It listens.
        wait_for("it to listen", || server.int(&["PUBSUB", "NUMPAT"]) == 1);
        let due = server.now().plus(600_000).get().to_string();
        server.put(&new, &frame(2, b"later"), &due);
        let channel = new.keys().channel.unwrap();
        server.cmd_bytes(&[b"PUBLISH", &channel, due.as_bytes()]);
        watching.join().unwrap()
    });
    let of_new = lines.iter().filter(|line| line["queue"] == "new one");
    let told: Vec<_> = of_new.map(|line| (&line["event"], &line["id"])).collect();
    assert_eq!(told[0], (&"found".into(), &"queue".into()), "{lines:?}");
    assert!(
        told.contains(&(&"found".into(), &"no-transfer-client".into())),
        "{told:?}"
    );
}

#[test]
fn watching_finds_queues_by_their_keys_and_tells_when_nothing_was_left_of_one_for_a_while() {
    let program = Program::start();
    put(&program.server, &frame(1, b"later"), 600_000);
    let server = &program.server;
    let mut watching = program.begin(&["doctor", "--watch", "--discover", "1100ms", "--json"]);
    let mut told = |event: &str| {
        loop {
            let line = watching.next_json();
            if line["id"] == "queue" && line["event"] == event {
                assert_eq!(line["queue"], "quiet one");
                return line["at_ms"].as_i64().unwrap();
            }
        }
    };
    wait_for("it to listen", || server.int(&["PUBSUB", "NUMPAT"]) == 1);
    // Nobody says so on its channel.
    let new = Queue::redisson("quiet one");
    let due = server.now().plus(600_000).get().to_string();
    server.put(&new, &frame(2, b"later"), &due);
    told("found");
    let keys = new.keys();
    server.cmd_bytes(&[b"DEL", &keys.timeouts, &keys.order.unwrap()]);
    let empty_since = server.now().get();
    assert!(told("gone") - empty_since >= 1_100);
}

#[test]
fn the_doctor_says_that_it_looks_and_breaks_its_lines_at_the_width() {
    let program = sick();
    let looked = program.command(&["doctor", "orders", "--for", "1200ms"]);
    let (shown, code) = crate::terminal::on_terminal(&looked, None);
    assert_eq!(code, 1);
    assert!(shown.contains("looking at 1 queue, "), "{shown}");
    let told = shown.rsplit("\x1b[K").next().unwrap();
    let (commands, words): (Vec<&str>, Vec<&str>) =
        { told.lines() }.partition(|line| line.trim_start().starts_with("$ "));
    assert!(!commands.is_empty(), "{told}");
    assert!(words.len() > 2, "{told}");
    for line in words {
        let plain = line.replace("\x1b[1m", "").replace("\x1b[31m", "");
        let plain = plain.replace("\x1b[0m", "");
        assert!(plain.chars().count() <= 80, "{line:?}");
    }
    // How bad it is has a colour, unless nobody wants one.
    assert!(told.contains("\x1b[31m  critical"), "{told:?}");
    let mut plain = program.command(&["doctor", "orders", "--for", "1200ms"]);
    plain.env("NO_COLOR", "1");
    let (shown, _) = crate::terminal::on_terminal(&plain, None);
    assert!(!shown.contains("\x1b[31m"), "{shown:?}");
}

/// A command that notes what it is told, a line each, and the log of it.
fn noting(room: &std::path::Path, then: &str) -> (String, std::path::PathBuf) {
    let (script, log) = (room.join("note"), room.join("log"));
    let text = format!("#!/bin/sh\ncat >> '{}'\n{then}\n", log.display());
    std::fs::write(&script, text).unwrap();
    (format!("sh {}", script.display()), log)
}

fn noted(log: &std::path::Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().unwrap_or_default()
}

#[test]
fn a_command_is_run_for_each_finding_that_begins_or_ends() {
    let program = Program::start();
    put(&program.server, &frame(1, b"later"), 600_000);
    let keys = orders().keys();
    let room = crate::support::room();
    let (command, log) = noting(room.path(), "echo printed");
    let args = ["doctor", "orders", "--watch", "--json", "--exec", &command];
    let watching = program.begin(&args);
    let told = |event: &str, id: &str| {
        let lines = noted(&log);
        let line = lines
            .into_iter()
            .find(|line| line["event"] == event && line["id"] == id);
        line.filter(|line| line["queue"] == "orders" && line["severity"].is_string())
    };
    program
        .server
        .cmd_bytes(&[b"PEXPIRE", &keys.timeouts, b"3600000"]);
    wait_for("the key's end to be told", || {
        told("found", "ttl").is_some()
    });
    program.server.cmd_bytes(&[b"PERSIST", &keys.timeouts]);
    wait_for("the repair to be told", || told("gone", "ttl").is_some());
    watching.signal("INT");
    let said = watching.ended();
    // What the command prints is no line of ours.
    assert!(!said.out.contains("printed"), "{said:?}");
}

#[test]
fn a_command_that_fails_or_takes_too_long_is_told_and_the_watch_goes_on() {
    let program = Program::start();
    put(&program.server, &frame(1, b"later"), 600_000);
    program
        .server
        .cmd_bytes(&[b"PEXPIRE", &orders().keys().timeouts, b"3600000"]);
    let room = crate::support::room();
    let (slow, log) = noting(room.path(), "sleep 600 & echo $! >&2; wait");
    for (command, limit, complaint) in [
        (slow.as_str(), "300ms", "took longer than"),
        ("false", "30s", "ended with exit status: 1"),
        ("/nowhere/notify", "30s", "could not be run"),
    ] {
        let watch = ["doctor", "orders", "--watch", "--for", "2s", "--json"];
        let exec = ["--exec", command, "--exec-limit", limit];
        let said = program.run(&[&watch[..], &exec].concat());
        assert!(said.err.contains(complaint), "{command}: {said:?}");
        assert!(said.out.contains("\"ttl\""), "{command}: {said:?}");
        if command == slow {
            // What the command had started is gone as well.
            let child = said.err.lines().find_map(|line| line.parse::<i32>().ok());
            let child = nix::unistd::Pid::from_raw(child.expect("it tells its child"));
            wait_for("its child to be killed", || {
                nix::sys::signal::kill(child, None).is_err()
            });
        }
    }
    assert!(noted(&log).iter().any(|line| line["id"] == "ttl"));
    let nothing = program.run(&["doctor", "--watch", "--exec", " "]);
    assert!(nothing.code == 2 && nothing.err.contains("names no command"));
}
