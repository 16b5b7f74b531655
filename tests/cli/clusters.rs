//! A cluster, by any of its nodes; what is printed leads there too.

use std::process::{Command, Stdio};

use delayscope::queue::Queue;
use delayscope::queue::slot::slot;
use serde_json::{Value, json};

use crate::cluster::{Cluster, MASTERS, queue_at, slot_of};
use crate::json::evidence;
use crate::metrics::{get, served_at};
use crate::program::{Said, bare, begun, said};
use crate::sentinel::info;
use crate::support::{frame, room, server_binary, wait_for};

struct Stage {
    cluster: Cluster,
    home: tempfile::TempDir,
    /// The name of a queue at each master.
    names: Vec<String>,
}

impl Stage {
    /// A cluster with a queue of so many late entries at each master.
    fn new(late: u64) -> Self {
        Self::with(late, &[])
    }

    /// The same, each node started with these arguments.
    fn with(late: u64, args: &[&str]) -> Self {
        let cluster = Cluster::start_with(args);
        let mut names = Vec::new();
        for master in 0..MASTERS {
            let queue = queue_at(master, 0);
            let node = &cluster.nodes[master];
            node.fill(&queue, late, node.now().plus(-600_000), 1);
            names.push(queue.name.text().into_owned());
        }
        Self {
            cluster,
            home: room(),
            names,
        }
    }

    fn command(&self, url: &str, args: &[&str]) -> Command {
        let mut command = bare(self.home.path());
        command.arg("-u").arg(url).args(args);
        command
    }

    /// Runs the program by the first node.
    fn run(&self, args: &[&str]) -> Said {
        said(&mut self.command(&self.cluster.url(0), args))
    }
}

#[test]
fn the_replica_of_the_queues_own_node_confirms_a_change() {
    let stage = Stage::new(5);
    let name = &stage.names[2];
    let confirmed = |by: &str, flag: &str| {
        let args = ["transfer", name, "--limit", "1", "--late", "--confirm"];
        stage.run(&[&args[..], &[by, flag]].concat())
    };
    confirmed("2", "--yes").failed("has 1 replica");
    for by in ["1", "all"] {
        let plan = confirmed(by, "--dry-run").done();
        let who = "After each batch it waits until 1 of 1 replica has it.";
        assert!(plan.out.contains(who), "{}", plan.out);
        let made = confirmed(by, "--yes").done();
        assert!(
            made.err.contains("1 of 1 replicas have all of it."),
            "{}",
            made.err
        );
    }
    // However long that takes, and also of the last batch.
    let replica = &stage.cluster.nodes[2 + MASTERS];
    replica.stop();
    let node = &stage.cluster.nodes[2];
    let began = node.now();
    let url = stage.cluster.url(0);
    let last = [
        "transfer",
        name,
        "--limit",
        "1",
        "--late",
        "--confirm",
        "1",
        "--yes",
    ];
    let waits = begun(stage.command(&url, &last));
    wait_for("a while", || node.now().since(began) > 2_500);
    replica.go_on();
    let said = waits.ended().done();
    assert!(
        said.err.contains("1 of 1 replicas have all of it."),
        "{said:?}"
    );
    // Who may not ask them is told so before.
    if node.knows("acl") {
        node.cmd(&["ACL", "SETUSER", "default", "-wait"]);
        confirmed("1", "--dry-run").failed("Give the user +wait");
        node.cmd(&["ACL", "SETUSER", "default", "+wait"]);
    }
    // Without it nobody does.
    let mut stage = stage;
    stage.cluster.nodes[2 + MASTERS].kill();
    wait_for("the replica to be missed", || {
        info(&stage.cluster.nodes[2], "replication").contains("connected_slaves:0")
    });
    let name = &stage.names[2];
    let args = ["transfer", name, "--late", "--confirm", "1", "--yes"];
    stage.run(&args).failed("has 0 replicas");
}

#[test]
fn every_command_works_on_a_queue_of_another_node() {
    let stage = Stage::new(20);
    let name = &stage.names[2];
    let waiting = || stage.run(&["show", name, "--json"]).done().json()[0]["waiting"].clone();
    let queues = stage.run(&["queues", "--json"]).done().json();
    let seen: Vec<_> = queues.iter().map(|queue| &queue["waiting"]).collect();
    assert_eq!(seen, [&json!(20); 3]);
    let entries = stage.run(&["entries", name, "--json", "--all"]).done();
    let entries = entries.json();
    assert_eq!(entries.len(), 20);
    let id = |n: usize| entries[n]["id"].as_str().unwrap();
    let found = stage.run(&["search", name, "entry", "--json"]).done();
    assert_eq!(found.json().len(), 20);
    stage.run(&["offer", name, "hello", "--in", "1h"]).done();
    assert_eq!(waiting(), 21);
    let chosen = |n: usize| ["--id", id(n), "--yes"];
    let change = |words: &[&str], n: usize| {
        let words = [&words[..1], &[name.as_str()], &words[1..], &chosen(n)].concat();
        stage.run(&words).done()
    };
    change(&["requeue", "--in", "2h"], 0);
    change(&["deliver"], 1);
    assert_eq!(waiting(), 20);
    change(&["delete"], 2);
    stage.run(&["undo", "--yes"]).done();
    change(&["repair", "--quarantine"], 3);
    change(&["repair", "--restore"], 3);
    stage.run(&["kick", name, "--yes"]).done();
    stage.run(&["repair", name, "--realign", "--yes"]).done();
    let taken = stage.run(&["consume", name, "--count", "1", "--yes"]);
    assert!(!taken.done().out.is_empty());
    stage.run(&["transfer", name, "--yes"]).done();
    assert_eq!(waiting(), 2);
    stage
        .run(&["requeue", name, "--all", "--at", "+1s", "--yes"])
        .done();
    stage
        .run(&["worker", name, "--until-empty", "--yes"])
        .done();
    assert_eq!(waiting(), 0);
    let told = stage.run(&["journal", "--json"]).done().json();
    assert!(
        told.iter()
            .all(|change| change["outcomes"]["unknown"] != json!(1)),
        "{told:?}"
    );
    let report = stage.run(&["report", name]).done();
    assert!(report.out.contains(name.as_str()));
    let metrics = stage.run(&["metrics"]).done();
    // The third is empty by now, and no key of it is left by which it is found.
    for name in &stage.names[..2] {
        assert!(metrics.out.contains(name.as_str()), "{}", metrics.out);
    }
}

#[test]
fn queues_of_several_nodes_are_not_traced_as_if_one_node_told_of_all() {
    let stage = Stage::new(1);
    let [first, second, ..] = &stage.names[..] else {
        panic!("{:?}", stage.names)
    };
    let trace = ["trace", "--limit", "1", "--for", "1s", "--json"];
    let all = stage.run(&trace);
    all.failed("3 nodes share this cluster's slots. Name a queue, as in trace orders");
    let named = ["--queue", first, "--queue", second];
    let two = stage.run(&[&named[..], &trace].concat());
    let port = |node: usize| stage.cluster.nodes[node].port();
    let two = two.failed(&format!("{second:?} at 127.0.0.1:{}", port(1)));
    let each = [first, second].map(|name| two.err.matches(&format!(" trace {name}")).count());
    assert_eq!(each, [1, 1], "{two:?}");
    // Those of one node are.
    let beside = queue_at(1, 1).name.text().into_owned();
    let named = ["--queue", second, "--queue", &beside];
    let trace = ["trace", "--limit", "1", "--for", "30s", "--json"];
    let mut command = stage.command(&stage.cluster.url(0), &[&named[..], &trace].concat());
    command.stdin(Stdio::null());
    let begun = begun(command);
    wait_for("MONITOR at the node", || {
        let clients = format!("{:?}", stage.cluster.nodes[1].cmd(&["CLIENT", "LIST"]));
        clients.contains("name=delayscope-trace")
    });
    let node = &stage.cluster.nodes[1];
    node.put(&queue_at(1, 1), &frame(9, b"x"), "9999999999999");
    assert_eq!(begun.ended().done().json()[0]["event"], "offered");
}

#[test]
fn a_message_is_traced_on_the_node_that_owns_its_queue() {
    let stage = Stage::new(1);
    let (name, owner) = (&stage.names[2], &stage.cluster.nodes[2]);
    let trace = ["trace", name, "--json", "--limit", "1", "--for", "30s"];
    let mut command = stage.command(&stage.cluster.url(0), &trace);
    let tracing = std::thread::spawn(move || said(&mut command));
    wait_for("MONITOR to run", || {
        let clients = format!("{:?}", owner.cmd(&["CLIENT", "LIST"]));
        clients.contains("name=delayscope-trace")
    });
    stage.run(&["offer", name, "hello", "--in", "1h"]).done();
    let told = tracing.join().unwrap().done();
    // The price is of that node, not of the one that was named.
    let there = format!("MONITOR on 127.0.0.1:{}/0 for 0:30", owner.port());
    assert!(told.err.contains(&there), "{}", told.err);
    let told = told.json();
    assert_eq!(
        (&told[0]["event"], &told[0]["text"]),
        (&json!("offered"), &json!("hello"))
    );
}

#[test]
fn a_cluster_of_one_shard_is_traced_on_its_master_whichever_node_is_named() {
    let cluster = Cluster::start_of_one_shard();
    let home = room();
    for queue in [&[][..], &["orders"]] {
        let trace = ["--json", "--limit", "1", "--for", "30s"];
        let mut command = bare(home.path());
        command.arg("-u").arg(cluster.url(1)).arg("trace");
        command.args(queue).args(trace).stdin(Stdio::null());
        let begun = begun(command);
        let runs_monitor = |node: usize| {
            let clients = format!("{:?}", cluster.nodes[node].cmd(&["CLIENT", "LIST"]));
            clients.contains("name=delayscope-trace")
        };
        wait_for("MONITOR to run", || (0..2).any(runs_monitor));
        assert!(runs_monitor(0) && !runs_monitor(1), "{queue:?}");
        let orders = Queue::redisson("orders");
        cluster.nodes[0].put(&orders, &frame(9, b"x"), "9999999999999");
        assert_eq!(begun.ended().done().json()[0]["event"], "offered");
        cluster.nodes[0].cmd(&["FLUSHALL"]);
    }
}

#[test]
fn any_node_of_those_that_are_named_will_do() {
    let mut stage = Stage::new(1);
    stage.cluster.nodes[MASTERS].kill();
    let port = |n: usize| stage.cluster.nodes[n].port();
    let url = format!("redis://127.0.0.1:{},127.0.0.1:{}", port(MASTERS), port(1));
    let told = said(&mut stage.command(&url, &["queues", "--json"])).done();
    assert_eq!(told.json().len(), 3);
    let plain = crate::support::Server::start_tcp(&[]);
    let url = format!("redis://127.0.0.1:{},127.0.0.1:1", plain.port());
    said(&mut stage.command(&url, &["queues"])).failed("name one server");
    let url = format!("{}/3", stage.cluster.url(0));
    let told = said(&mut stage.command(&url, &["queues"]));
    told.failed("a cluster has no database but 0: leave 3 out");
}

#[test]
fn a_node_that_is_away_takes_its_own_queues_from_the_list_and_is_named() {
    let mut stage = Stage::with(1, &ALONE);
    let remembered = stage.run(&["queues", "--json"]).done();
    assert_eq!(remembered.json().len(), 3);
    stage.cluster.nodes[2].kill();
    let port = stage.cluster.nodes[2].port();
    let told = stage.run(&["queues", "--json"]).done();
    let names: Vec<_> = told.json().iter().map(|one| one["queue"].clone()).collect();
    assert_eq!(names, stage.names[..2]);
    let said = format!("127.0.0.1:{port} does not answer: its queues are not known");
    assert!(told.err.contains(&said), "{}", told.err);
    let watch = ["watch", "--count", "9", "--interval", "200ms", "--json"];
    let watched = stage.run(&watch).done();
    assert_eq!(watched.err.matches(&said).count(), 1, "{}", watched.err);
    assert!(!watched.err.contains("answers again"), "{}", watched.err);
    for line in told.json() {
        assert_eq!(line["nodes_away"], json!([format!("127.0.0.1:{port}")]));
    }
}

/// Nodes that go on without those that are away, and are not taken the place of.
const ALONE: [&str; 6] = [
    "--cluster-require-full-coverage",
    "no",
    "--cluster-replica-no-failover",
    "yes",
    "--cluster-allow-reads-when-down",
    "yes",
];

#[test]
fn nobody_says_that_all_is_well_while_queues_of_a_node_are_not_known() {
    let mut stage = Stage::with(1, &ALONE);
    for master in 0..MASTERS {
        let queue = queue_at(master, 0);
        let node = &stage.cluster.nodes[master];
        node.cmd(&["FLUSHALL"]);
        node.fill(&queue, 1, node.now().plus(3_600_000), 1);
    }
    let quick = ["doctor", "--for", "1s", "--fail-on", "critical"];
    stage.run(&quick).done();
    stage.cluster.nodes[2].kill();
    let node = format!("127.0.0.1:{}", stage.cluster.nodes[2].port());
    let said = format!("{node} does not answer: its queues are not known");
    let told = stage.run(&quick).failed(&said);
    assert_eq!(told.err.matches(&said).count(), 1, "{told:?}");
    let unseen = format!("those of {node} were not looked at");
    assert!(told.out.contains(&unseen), "{told:?}");
    let watched = [&quick[..], &["--watch"]].concat();
    stage.run(&watched).failed(&said);
    let metrics = stage.run(&["metrics"]).done();
    let away = format!("delayscope_node_away{{node=\"{node}\"}} 1");
    assert!(metrics.out.contains(&away), "{}", metrics.out);
    let mut listen = stage.command(
        &stage.cluster.url(0),
        &["metrics", "--listen", "127.0.0.1:0"],
    );
    listen.stdin(Stdio::null());
    let (_serving, port) = served_at(begun(listen));
    wait_for("the node to be told", || {
        get(port, "/metrics").1.contains(&away)
    });
    // Nothing is left at the others: that says nothing of the whole.
    for node in &stage.cluster.nodes[..2] {
        node.cmd(&["FLUSHALL"]);
    }
    let watch = ["watch", "--count", "1", "--interval", "200ms"];
    for words in [&["queues"][..], &["doctor"], &watch] {
        let told = stage.run(words).failed(&said);
        assert!(told.err.contains("not all was looked through"), "{told:?}");
        assert!(!told.err.contains("no delayed queues in"), "{told:?}");
    }
}

#[test]
fn what_looks_once_amid_failovers_is_answered_as_before_them() {
    let stage = Stage::new(20);
    let cluster = &stage.cluster;
    let replication = |node: usize| info(&cluster.nodes[node], "replication");
    // The node that is named hands over too, and then leads to the others as a replica.
    let fail_over = || {
        for n in [2, 0, 2, 0] {
            let (mut old, mut new) = (n, n + MASTERS);
            if replication(new).contains("role:master") {
                (old, new) = (new, old);
            }
            cluster.fail_over(new, false);
            wait_for("the old master to follow", || {
                replication(old).contains("role:slave")
            });
            wait_for("a whole cluster", || cluster.is_whole());
        }
    };
    std::thread::scope(|scope| {
        let failing_over = scope.spawn(fail_over);
        while !failing_over.is_finished() {
            answers_rightly(&stage, 2);
            answers_rightly(&stage, 0);
        }
    });
}

#[test]
fn a_node_that_has_not_heard_yet_who_owns_a_slot_leads_there_all_the_same() {
    let stage = Stage::new(20);
    let queue = queue_at(2, 0);
    for _ in 0..3 {
        // It is told by the owner, within a second, that this is not so.
        stage.cluster.mistake(0, slot_of(&queue), 1);
        answers_rightly(&stage, 2);
    }
}

/// Each look at all queues, and at that one, tells of all entries.
fn answers_rightly(stage: &Stage, n: usize) {
    let name = &stage.names[n];
    let queues = stage.run(&["queues", "--json"]).done();
    let waiting: Vec<Value> = queues
        .json()
        .iter()
        .map(|one| one["waiting"].clone())
        .collect();
    assert_eq!(waiting, [20; 3], "{queues:?}");
    assert!(!queues.err.contains("not known"), "{queues:?}");
    let shown = stage.run(&["show", name, "--json"]).done();
    assert_eq!(shown.json()[0]["waiting"], 20, "{shown:?}");
    let entries = stage.run(&["entries", name, "--json", "--all"]).done();
    assert_eq!(entries.json().len(), 20, "{entries:?}");
}

#[test]
fn a_node_that_loads_its_data_is_waited_for_by_what_looks_once() {
    let mut stage = Stage::with(1, &ALONE);
    let node = &mut stage.cluster.nodes[2];
    if !node.is_from((7, 0), "its loading cannot be made slow") {
        return;
    }
    let tag = format!("{{{}}}", stage.names[2]);
    for n in 0..1_000 {
        node.cmd(&["SET", &format!("{n}{tag}"), "x"]);
    }
    node.cmd(&["SAVE"]);
    node.restart_with(&[
        "--key-load-delay",
        "1000",
        "--loading-process-events-interval-bytes",
        "1024",
    ]);
    let told = stage.run(&["queues", "--json"]).done();
    assert_eq!(told.json().len(), MASTERS, "{told:?}");
    assert!(!told.err.contains("not known"), "{told:?}");
}

#[test]
fn all_of_forty_queues_are_found() {
    let stage = Stage::new(1);
    for number in 1..=37 {
        let queue = queue_at(number % MASTERS, number);
        let node = &stage.cluster.nodes[number % MASTERS];
        node.fill(&queue, 1, node.now(), 1);
    }
    assert_eq!(stage.run(&["queues", "--json"]).done().json().len(), 40);
}

#[test]
fn a_printed_command_leads_to_the_node_that_owns_the_queue() {
    let stage = Stage::new(20);
    let found = stage.run(&["doctor", &stage.names[2], "--json"]).json();
    let lines = found
        .iter()
        .filter_map(|f| f["evidence"]["commands"].as_array());
    let lines: Vec<&str> = lines.flatten().filter_map(|line| line.as_str()).collect();
    assert!(!lines.is_empty(), "{found:?}");
    let tools = server_binary().parent().unwrap().to_owned();
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    for line in lines {
        assert!(line.starts_with("redis-cli -c -h "), "{line}");
        let mut shell = Command::new("sh");
        let ran = shell
            .args(["-c", line])
            .env("PATH", &path)
            .output()
            .unwrap();
        let out = String::from_utf8(ran.stdout).unwrap();
        assert!(
            ran.status.success() && !out.contains("MOVED"),
            "{line}: {out}"
        );
    }
}

#[test]
fn each_node_that_refuses_writes_is_told_with_its_address_and_a_healthy_one_is_not() {
    let stage = Stage::new(5);
    let sick = [0, 2].map(|n| &stage.cluster.nodes[n]);
    for node in sick {
        node.cmd(&["CONFIG", "SET", "min-replicas-to-write", "2"]);
    }
    for (n, node) in [0, 2].into_iter().zip(sick) {
        let mut push = redis::cmd("RPUSH");
        push.arg(queue_at(n, 0).keys().target).arg("x");
        let refused = push.exec(&mut node.connection()).unwrap_err();
        assert_eq!(refused.code(), Some("NOREPLICAS"));
    }
    let addresses = sick.map(|node| format!("127.0.0.1:{}", node.port()));
    let told = stage.run(&["doctor", "--json"]).json();
    let mut told_of: Vec<(&str, &str, &str)> = told
        .iter()
        .filter(|finding| finding["id"] == "refused-writes")
        .map(|finding| {
            let evidence = &finding["evidence"];
            let word = |value: &'static str| evidence[value].as_str().unwrap();
            let command = evidence["commands"][0].as_str().unwrap();
            (finding["queue"].as_str().unwrap(), word("node"), command)
        })
        .collect();
    told_of.sort_by_key(|(_, node, _)| *node != addresses[0]);
    let expected = [0, 2].map(|n| stage.names[n].as_str());
    assert_eq!(
        told_of.iter().map(|told| told.0).collect::<Vec<_>>(),
        expected
    );
    for ((_, node, command), address) in told_of.iter().zip(&addresses) {
        let (host, port) = address.split_once(':').unwrap();
        assert_eq!(node, address);
        let there = format!("redis-cli -c -h {host} -p {port} ");
        assert!(command.starts_with(&there), "{command}");
    }
    let people = stage.run(&["doctor"]).out;
    for address in &addresses {
        let line = format!("at the node {address}");
        assert_eq!(people.matches(&line).count(), 1, "{people}");
    }
}

#[test]
fn a_change_at_a_master_that_lacks_replicas_waits_for_them_and_ends() {
    let stage = Stage::new(5);
    let (node, name) = (&stage.cluster.nodes[1], &stage.names[1]);
    let waiting = || {
        let timeouts = queue_at(1, 0).keys().timeouts;
        node.cmd_bytes(&[b"ZCARD", &timeouts])
    };
    node.cmd(&["CONFIG", "SET", "min-replicas-to-write", "2"]);
    let change = ["transfer", name, "--yes"];
    let said = stage.run(&change);
    assert!(
        said.code != 0 && said.err.contains("NOREPLICAS"),
        "{said:?}"
    );
    assert_eq!(waiting(), redis::Value::Int(5));
    // Where they are back in time, it goes on.
    node.cmd(&["CONFIG", "RESETSTAT"]);
    let mut change = stage.command(&stage.cluster.url(0), &change);
    let change = change.stdout(Stdio::piped()).stderr(Stdio::piped());
    let change = change.spawn().unwrap();
    wait_for("it to be refused", || {
        let errors = info(node, "errorstats");
        // Servers before 6.2 do not count them.
        let counts = errors.contains("errorstat_") || node.version() >= (6, 2);
        errors.contains("NOREPLICAS")
            || !counts && info(node, "commandstats").contains("cmdstat_eval")
    });
    node.cmd(&["CONFIG", "SET", "min-replicas-to-write", "1"]);
    let told = change.wait_with_output().unwrap();
    assert!(told.status.success(), "{told:?}");
    assert_eq!(waiting(), redis::Value::Int(0));
}

#[test]
fn the_rules_that_acl_prints_are_all_that_a_cluster_has_to_allow() {
    let stage = Stage::new(2);
    let rules = stage.run(&[
        "acl",
        "--cluster",
        "--for",
        "all",
        "--name",
        "anna",
        "--json",
    ]);
    let rule = rules.done().json()[0]["rule"].clone();
    let words: Vec<&str> = rule.as_str().unwrap().split(' ').collect();
    let words: Vec<&str> = words.iter().map(|word| word.trim_matches('"')).collect();
    for node in &stage.cluster.nodes {
        node.cmd(&[&words[..], &[">one"]].concat());
    }
    let as_anna = |args: &[&str]| {
        let mut command = stage.command(&stage.cluster.url(0), &["--user", "anna"]);
        said(command.env("REDISCLI_AUTH", "one").args(args))
    };
    let told = as_anna(&["queues", "--json"]).done();
    assert_eq!((told.json().len(), told.err.as_str()), (3, ""));
    as_anna(&["transfer", &stage.names[2], "--yes"]).done();
    as_anna(&["undo", "--yes"]).done();
    for node in &stage.cluster.nodes {
        node.cmd(&["ACL", "SETUSER", "anna", "-cluster|slots"]);
    }
    as_anna(&["queues"]).failed("a user needs +cluster|slots and +cluster|info");
}

/// What `doctor` says of a queue by that rule; null: nothing.
fn found(stage: &Stage, name: &str, rule: &str, more: &[&str]) -> Value {
    let words = [&["doctor", name, "--json"], more].concat();
    let told = stage.run(&words);
    assert!(told.code < 2, "{told:?}");
    let found = told.json().into_iter();
    let mut found = found.filter(|finding| finding["id"] == rule);
    found.next().unwrap_or_default()
}

#[test]
fn each_node_is_told_with_its_slots_its_master_and_its_state() {
    let mut stage = Stage::new(1);
    let place = |stage: &Stage, n: usize| format!("127.0.0.1:{}", stage.cluster.nodes[n].port());
    let told = stage.run(&["nodes", "--json"]).done().json();
    assert_eq!(told.len(), 2 * MASTERS);
    for n in 0..MASTERS {
        let [master, replica] = [&told[2 * n], &told[2 * n + 1]];
        assert_eq!(master["node"], place(&stage, n));
        assert_eq!(master["role"], "master");
        assert!(master["slot_count"].as_u64() > Some(5_000), "{master}");
        assert_eq!(replica["node"], place(&stage, n + MASTERS));
        assert_eq!(replica["of"], master["node"]);
        for node in [master, replica] {
            assert_eq!(
                (&node["state"], &node["reached"]),
                (&json!("ok"), &json!(true))
            );
            assert!(
                node["version"].is_string() && node["clock_skew_ms"].is_i64(),
                "{node}"
            );
        }
        assert!(replica["lag_bytes"].is_u64(), "{replica}");
    }
    stage.cluster.begin_move(7, 0, 1);
    let rows = stage.run(&["nodes"]).done().out;
    let way = format!("0-5461, 7 to {}", place(&stage, 1));
    assert!(rows.contains(&way), "{rows}");
    let lost = place(&stage, MASTERS);
    stage.cluster.nodes[MASTERS].kill();
    let told_of = |stage: &Stage| {
        let told = stage.run(&["nodes", "--json"]).done().json();
        told.into_iter()
            .find(|node| node["node"] == lost.as_str())
            .unwrap()
    };
    wait_for("the others to give it up", || {
        told_of(&stage)["state"] == "failed"
    });
    assert!(
        told_of(&stage)["reason"]
            .as_str()
            .unwrap()
            .contains("refused")
    );
    let name = &stage.names[0];
    let gone = found(&stage, name, "lagging-replicas", &[]);
    assert!(gone["sentence"].as_str().unwrap().contains(&lost), "{gone}");
    assert_eq!(evidence(&gone), Vec::<String>::new());
    assert_eq!(
        found(&stage, &stage.names[1], "lagging-replicas", &[]),
        Value::Null
    );
}

#[test]
fn a_slot_on_its_way_is_told_and_those_of_other_queues_are_not() {
    let stage = Stage::new(1);
    let queue = queue_at(0, 0);
    stage.cluster.begin_move(slot_of(&queue), 0, 1);
    let open = found(&stage, &stage.names[0], "stuck-migration", &[]);
    assert!(open.to_string().contains("is being moved"), "{open}");
    assert_eq!(
        found(&stage, &stage.names[1], "stuck-migration", &[]),
        Value::Null
    );
}

#[test]
fn a_queue_whose_slot_is_on_its_way_takes_no_figures_from_the_others() {
    let stage = Stage::new(2);
    let (queue, name) = (queue_at(0, 0), &stage.names[0]);
    let slot = slot_of(&queue);
    stage.cluster.begin_move(slot, 0, 1);
    let waiting = |told: &Value| told["waiting"].as_u64();
    // Its target, which is empty, is asked for at the other node: ASK.
    let told = stage.run(&["queues", "--json"]).done().json();
    assert_eq!(told.len(), MASTERS);
    for row in &told {
        assert!(waiting(row) > Some(0), "{row}");
        let is_it = row["queue"] == name.as_str();
        assert_eq!(row["target"].is_null(), is_it, "{row}");
    }
    // Nothing of it is left at the node that still has the slot.
    while stage.cluster.move_a_key(slot, 0, 1) {}
    let queues = stage.run(&["queues", "--json"]).done();
    for row in queues.json() {
        let is_it = row["queue"] == name.as_str();
        assert_eq!(waiting(&row).is_none(), is_it, "{row}");
        if is_it {
            let why = row["why"]["waiting"].as_str().unwrap();
            assert!(why.contains("ASK"), "{why}");
        }
    }
    let seen = stage.run(&["watch", "--count", "1"]).done();
    for name in &stage.names {
        assert!(seen.out.contains(name), "{seen:?}");
    }
    let told = stage.run(&["doctor", "--for", "300ms"]);
    assert!(told.out.contains("is being moved"), "{told:?}");
    stage.cluster.end_move(slot, 0, 1);
    wait_for("all figures", || {
        let told = stage.run(&["queues", "--json"]).done().json();
        told.iter().all(|row| waiting(row) > Some(0))
    });
}

#[test]
fn a_queue_whose_keys_lie_in_two_slots_is_told_and_takes_no_figures_from_the_others() {
    let stage = Stage::new(1);
    let owner = |key: &[u8]| stage.cluster.owner_of(slot(key)).unwrap();
    let is_at_one_node = |queue: &Queue| {
        let keys = queue.keys();
        owner(&keys.timeouts) == owner(&keys.target)
    };
    let odd = ('a'..='z').map(|letter| Queue::redisson(format!("{letter}}}")));
    let (at_one, at_two): (Vec<Queue>, Vec<Queue>) = odd.partition(is_at_one_node);
    let (at_one, at_two) = (&at_one[0], &at_two[0]);
    for queue in [at_one, at_two] {
        let key = queue.keys().timeouts;
        let put: [&[u8]; 4] = [b"ZADD", &key, b"9e12", &frame(1, b"odd")];
        stage.cluster.nodes[owner(&key)].cmd_bytes(&put);
    }
    let name = |queue: &Queue| queue.name.text().into_owned();
    let told = stage.run(&["queues", "--json"]).done().json();
    assert_eq!(told.len(), 2 + MASTERS);
    for row in &told {
        assert!(row["waiting"].as_u64() > Some(0), "{row}");
        let is_it = row["queue"] == name(at_two);
        assert_eq!(row["target"].is_null(), is_it, "{row}");
    }
    let note = stage.run(&["queues"]).done().err;
    assert!(note.contains("lie in two slots"), "{note}");
    for queue in [at_one, at_two] {
        let name = name(queue);
        let found = found(&stage, &name, "cross-slot", &["--for", "300ms"]);
        let sentence = found["sentence"].as_str().unwrap();
        assert!(sentence.contains("refuses every script"), "{found}");
        let told = stage.run(&["doctor", &name, "--for", "300ms"]).out;
        assert!(told.contains("refuses every script"), "{told}");
    }
}

#[test]
fn nodes_that_disagree_on_the_owner_are_told_until_they_agree() {
    let stage = Stage::new(1);
    let slot = slot_of(&queue_at(2, 0));
    stage.cluster.mistake_for_long(slot);
    let name = &stage.names[2];
    let split = found(&stage, name, "split-view", &["--for", "14s"]);
    assert_eq!(split["severity"], "warning", "{split}");
    let sentence = split["sentence"].as_str().unwrap();
    let place = |n: usize| format!("127.0.0.1:{}", stage.cluster.nodes[n].port());
    let by = format!("{} is named by {}", place(1), place(0));
    assert!(sentence.contains(&by), "{sentence}");
    assert_eq!(
        found(&stage, &stage.names[1], "split-view", &["--for", "14s"]),
        Value::Null
    );
    stage.cluster.settle(0, slot);
    wait_for("nodes that agree", || {
        found(&stage, name, "split-view", &[]) == Value::Null
    });
}

#[test]
#[ignore = "takes half a minute: cargo test --test cli stuck_for -- --ignored"]
fn a_slot_that_is_stuck_for_half_a_minute_is_found_until_it_arrives() {
    let stage = Stage::new(1);
    let slot = slot_of(&queue_at(0, 0));
    stage.cluster.begin_move(slot, 0, 1);
    let name = &stage.names[0];
    let stuck = found(&stage, name, "stuck-migration", &["--for", "45s"]);
    assert_eq!(stuck["severity"], "critical", "{stuck}");
    assert_eq!(evidence(&stuck), Vec::<String>::new());
    while stage.cluster.move_a_key(slot, 0, 1) {}
    stage.cluster.end_move(slot, 0, 1);
    assert_eq!(found(&stage, name, "stuck-migration", &[]), Value::Null);
}
