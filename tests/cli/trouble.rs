//! What goes wrong: bad input of every kind, servers that are gone, hung or do not let us in.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::Duration;

use delayscope::clock::instant;

use crate::program::{Program, bare, local};
use crate::support::ports::Ports;
use crate::support::{Server, wait_for};

#[test]
fn bad_input_says_what_is_wrong_with_it() {
    let cases: [(&[&str], &str); 29] = [
        (&["queus"], "no command \"queus\"; did you mean queues?"),
        (
            &["localhost"],
            "\"localhost\" is neither a command nor a URL",
        ),
        (&["rediss://h:x"], "port is no number"),
        (&["http://h"], "scheme \"http\" is unknown"),
        (&["redis://h:x"], "port is no number"),
        (&["redis://h:0/1"], "port is no number"),
        (&["redis://h/one"], "database is no number"),
        (&["unix://nowhere"], "socket's path"),
        (&["redis://a", "-u", "redis://b"], "two servers"),
        (&["redis://a", "-p", "1"], "-p"),
        (&["-p", "0", "queues"], "'0'"),
        (&["-p", "65536", "queues"], "'65536'"),
        (&["-n", "-1", "queues"], "-1"),
        (&["--queue", "zset-list:a", "queues"], "lacks a key"),
        (&["--queue", "zset-list:a,b,weeks", "queues"], "weeks"),
        (&["--queue", "", "queues"], "needs a name"),
        (&["show"], "QUEUE"),
        (&["watch", "--interval", "5ms"], "200ms to 60s"),
        (&["watch", "--interval", "5"], "needs a unit"),
        (&["offer", "q", "x"], "--in"),
        (&["offer", "q", "x", "--in", "soon"], "a span is written"),
        (&["offer", "q", "x", "--in", "-5s"], "cannot be negative"),
        (&["consume", "q", "--timeout", "-5s"], "cannot be negative"),
        (&["offer", "q", "x", "--at", "1700000000"], "1700000000000"),
        (
            &["offer", "q", "x", "--in", "5s", "--form", "round"],
            "byte-id",
        ),
        (
            &["offer", "q", "x", "--in", "5s", "--codec", "avro"],
            "kryo5",
        ),
        (&["entries", "q", "--id", "xyz"], "16 hex digits"),
        (
            &["entries", "q", "--late", "--from", "order"],
            "Give one of them",
        ),
        (
            &["entries", "q", "--from", "delivered", "--due-before", "now"],
            "no due time",
        ),
    ];
    for (args, why) in cases {
        let said = local(args).failed(why);
        assert_eq!(said.out, "", "{args:?}");
    }
    local(&["decode", "--file", "/nowhere/at/all"]).failed("could not open /nowhere/at/all");
    local(&["decode", "xyz", "--as", "hex"]).partly();
}

#[test]
fn an_error_is_one_line() {
    for args in [
        ["-p", "1", "queues"].as_slice(),
        &["rediss://h"],
        &["queus"],
    ] {
        let err = local(args).failed("delayscope: ").err;
        assert_eq!(err.lines().count(), 1, "{err}");
        assert!(err.ends_with(".\n") || err.ends_with("?\n"), "{err:?}");
    }
}

#[test]
fn a_queue_that_is_not_there_is_not_made_up() {
    let program = Program::start();
    for args in [["show", "nope"], ["entries", "nope"]] {
        let said = program.run(&args).partly();
        for words in ["no queue \"nope\" on", "`delayscope queues` lists them"] {
            assert!(said.err.contains(words), "{words}: {}", said.err);
        }
    }
    program.run(&["queues"]).partly();
}

#[test]
fn a_server_that_is_gone_is_told_at_once_with_its_address() {
    let ports = Ports::free();
    let port = ports.of_nodes[0];
    let said = local(&["-p", &port.to_string(), "queues"]);
    let said = said.failed(&format!("127.0.0.1:{port}/0"));
    // Not that it did not answer for so long.
    assert!(said.err.contains("refused"), "{}", said.err);
    local(&["-s", "/nowhere/at/all", "queues"]).failed("/nowhere/at/all");
}

#[test]
fn a_server_that_goes_away_while_queues_are_looked_for_ends_it() {
    let mut program = Program::start();
    let foreign = "for i = 1, 300000 do redis.call('SET', 'user:' .. i, i) end";
    program.server.cmd(&["EVAL", foreign, "0"]);
    let queues = program.begin(&["queues"]);
    // Looking through so many keys takes a second at its pace.
    wait_for("the first SCAN", || {
        let stats = program.server.cmd(&["INFO", "commandstats"]);
        let stats = format!("{stats:?}");
        stats.contains("cmdstat_scan:") && !stats.contains("cmdstat_scan:calls=1,")
    });
    program.server.kill();
    queues.ended().failed("cannot reach");
}

#[test]
fn a_server_that_hangs_is_told_after_two_seconds() {
    let program = Program::start();
    program.server.stop();
    let began = instant();
    let said = program.run(&["queues"]).failed("did not answer");
    program.server.go_on();
    assert!(began.elapsed() < Duration::from_secs(10), "{said:?}");
}

#[test]
fn what_is_no_redis_server_is_said() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = stream;
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    local(&["-p", &port, "queues"]).failed(&port);
}

#[test]
fn a_wrong_password_is_told_and_never_shown() {
    let program = Program::at(Server::start_with(&["--requirepass", "right"]));
    let socket = program.server.socket();
    let socket = socket.to_str().unwrap();
    let url = format!("unix://user:hunter2@{socket}");
    for args in [
        vec!["-s", socket, "-a", "hunter2", "queues"],
        vec!["-u", &url, "queues"],
        vec![&url],
    ] {
        let said = local(&args).failed("password");
        assert!(!said.err.contains("hunter2"), "{}", said.err);
    }
    program.run(&["queues"]).failed("password");
    // With the right one from the environment there is nothing to complain about but no queues.
    let home = tempfile::tempdir().unwrap();
    let mut command = bare(home.path());
    command
        .args(["-s", socket, "queues"])
        .env("REDISCLI_AUTH", "right");
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

#[test]
fn a_password_in_a_url_is_never_repeated() {
    let cases: [&[&str]; 9] = [
        &["redis://u:hunter2@127.0.0.1:1", "queues"],
        &["redis://u:hunter2@127.0.0.1:x"],
        &["rediss://u:hunter2@h"],
        &["queues", "redis://u:hunter2@h"],
        &["show", "a", "redis://u:hunter2@h/1"],
        &["redis://u:hunter2@h", "-p", "1"],
        &["u:hunter2@h"],
        &["redis://u:hunter2/x@h"],
        &["redis://u:x?hunter2@h"],
    ];
    for args in cases {
        let said = local(args).failed("");
        assert!(!said.err.contains("hunter2"), "{args:?}: {}", said.err);
        assert!(!said.out.contains("hunter2"), "{args:?}: {}", said.out);
    }
}

#[test]
fn a_closed_pipe_ends_it_silently() {
    let program = Program::start();
    program.offer("orders", "hello", "1h");
    let mut watch = program.begin(&["watch", "--json", "--interval", "200ms"]);
    assert_eq!(watch.next_json()["queue"], "orders");
    let said = watch.close_output();
    assert_eq!((said.code, said.err.as_str()), (0, ""));
}

#[test]
fn watching_survives_a_server_that_goes_away_and_comes_back() {
    let mut program = Program::start();
    let mut watch = program.begin(&["watch", "orders", "--json", "--interval", "200ms"]);
    assert_eq!(watch.next_json()["waiting"], 0);
    program.server.restart();
    program.offer("orders", "hello", "1h");
    while watch.next_json()["waiting"] != 1 {}
    watch.signal("INT");
    watch.ended().done();
}

#[test]
fn traffic_says_when_the_server_goes_and_when_it_is_back() {
    let mut program = Program::start();
    let mut traffic = program.begin(&["traffic", "orders", "--json"]);
    let subscribed = |program: &Program| program.server.int(&["PUBSUB", "NUMPAT"]) == 1;
    wait_for("the subscription", || subscribed(&program));
    program.server.restart();
    wait_for("the subscription again", || subscribed(&program));
    let mut next = || {
        let channel = "redisson_delay_queue_channel:{orders}";
        program.server.cmd(&["PUBLISH", channel, "0"]);
        traffic.next_json()
    };
    wait_for("the link", || next()["transfer_clients"] == 0);
    // By the next one it has told what there was to tell.
    next();
    traffic.signal("INT");
    let said = traffic.ended().done();
    assert!(said.err.contains("no connection ("), "{}", said.err);
    assert!(
        said.err.contains("the server answers again"),
        "{}",
        said.err
    );
}

#[test]
fn a_password_on_the_command_line_is_warned_of_and_one_in_the_environment_is_not() {
    let program = Program::start();
    program.offer("orders", "hello", "1h");
    let warning = "a password on the command line can be seen by others";
    let socket = program.server.socket();
    let url = format!("unix://:hunter2@{}", socket.display());
    let flag = program.run(&["-a", "hunter2", "queues"]).done();
    assert_eq!(flag.err.matches(warning).count(), 1, "{flag:?}");
    let proxy = ["--proxy", "socks5://me:hunter2@127.0.0.1:1", "queues"];
    let proxy = program.run(&proxy).done();
    let kept = "proxy in the configuration keeps that of the proxy from them";
    assert!(proxy.err.contains(kept) && !proxy.err.contains("REDISCLI_AUTH"));

    let home = crate::support::room();
    let in_url = bare(home.path())
        .args(["-u", &url, "queues"])
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&in_url.stderr).contains(warning));
    let mut quiet = program.command(&["queues"]);
    let quiet = quiet.env("REDISCLI_AUTH", "hunter2").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&quiet.stderr), "");
}

#[test]
fn what_may_hold_a_password_is_never_repeated() {
    for args in [
        &["redis:hunter2"][..],
        &["redis:hunter2@h", "queues"],
        &["u:hunter2"],
        &["redis://user:hunter2"],
        &["redis://h/hunter2"],
        &["redis://h?hunter2"],
        &["u:hunter2@http://h"],
        &["show", "a", "redis:hunter2"],
        &["queues", "redis://user:hunter2"],
        &["queues", "--password=hunter2"],
        &["-u", "hunter2", "queues"],
    ] {
        let said = local(args);
        assert_eq!(said.code, 2, "{args:?}: {said:?}");
        assert!(!said.err.contains("hunter2"), "{args:?}: {}", said.err);
    }
}

#[test]
fn a_server_that_speaks_something_else_is_named() {
    for (answer, words) in [
        (
            "HTTP/1.1 400 Bad Request\r\n\r\n",
            "does not speak Redis, but HTTP",
        ),
        (
            "SSH-2.0-OpenSSH_9\r\n",
            "does not speak Redis: it says \"SSH-2.0-OpenSSH_9\"",
        ),
    ] {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port().to_string();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut asked = [0; 1024];
                if stream.read(&mut asked).is_ok_and(|n| n > 0) {
                    let _ = stream.write_all(answer.as_bytes());
                }
            }
        });
        local(&["-p", &port, "queues"]).failed(words);
    }
}

#[test]
fn an_offer_of_too_many_is_refused_at_once_and_one_of_many_is_planned_at_once() {
    let program = Program::start();
    let offer = |count| {
        let args = [
            "offer",
            "q",
            "x",
            "--in",
            "1h",
            "--form",
            "byte-id",
            "--dry-run",
            "--count",
        ];
        program.run(&[&args[..], &[count]].concat())
    };
    offer("4294967296").failed("10000000");
    let many = offer("10000000").done();
    assert!(
        many.out.contains("would offer 10,000,000 messages"),
        "{many:?}"
    );
}

#[test]
fn a_dry_run_refuses_the_due_time_that_an_offer_would_refuse() {
    let program = Program::start();
    let args = [
        "offer",
        "q",
        "x",
        "--form",
        "byte-id",
        "--at",
        "1969-12-31T00:00:00Z",
    ];
    program.run(&args).failed("is no due time");
    program
        .run(&[&args[..], &["--dry-run"]].concat())
        .failed("is no due time");
}

#[test]
fn a_pattern_says_of_what_it_saw_only_the_beginning() {
    let program = Program::start();
    let large = format!("{}needle", "x".repeat(300_000));
    for message in [large.as_str(), "small"] {
        let args = ["offer", "q", "-", "--in", "1h", "--form", "byte-id"];
        program.run_with_input(&args, message.as_bytes()).done();
    }
    let none = program.run(&["search", "q", "re:/needle/"]).partly();
    let said = "of 1 large value only the first 256 kB were looked at";
    assert!(none.err.contains(said), "{none:?}");
    let some = program.run(&["search", "q", "re:/small/"]).done();
    assert!(some.err.contains(said), "{some:?}");
    let all = program.run(&["search", "q", "needle"]).done();
    assert_eq!(all.err, "");
    let none = program
        .run(&["entries", "q", "--grep", "re:/needle/"])
        .partly();
    assert!(none.err.contains(said), "{none:?}");
    let some = program
        .run(&["entries", "q", "--grep", "re:/small/"])
        .done();
    assert!(some.err.contains(said), "{some:?}");
    let plan = ["delete", "q", "--grep", "re:/small/", "--dry-run"];
    let plan = program.run(&plan).done();
    assert!(
        plan.out.contains("More may match: of 1 large value"),
        "{plan:?}"
    );
}
