//! A master that sentinels watch, by every spelling of them; what is printed leads there too.

use std::process::Command;

use crate::program::{Said, bare, said};
use crate::sentinel::{Group, NAME, info};
use crate::support::{frame, room, server_binary, wait_for};

/// A group with a queue of three late entries in db 3.
fn with_orders() -> Group {
    let group = Group::start();
    let mut connection = group.servers[0].connection_to(3);
    for n in 1..=3_i64 {
        let member = frame(n.unsigned_abs(), format!("entry {n}").as_bytes());
        let mut put = redis::pipe();
        put.zadd("redisson_delay_queue_timeout:{orders}", &member, n);
        put.rpush("redisson_delay_queue:{orders}", &member);
        put.exec(&mut connection).unwrap();
    }
    group
}

fn run(url: &str, args: &[&str]) -> Said {
    let home = room();
    said(bare(home.path()).arg("-u").arg(url).args(args))
}

#[test]
fn the_master_is_found_by_every_spelling_of_its_sentinels() {
    let group = with_orders();
    let places = group.places();
    let first = places.split(',').next().unwrap();
    let spellings = [
        format!("redis-sentinel://{places}/3?sentinelMasterId={NAME}"),
        format!("redis-sentinel://{first}/3"),
        format!("redis+sentinel://{places}/{NAME}/3"),
        format!("valkey-sentinel://{first}?master_name={NAME}&db=3"),
    ];
    for url in &spellings {
        let told = run(url, &["queues", "--json"]).done().json();
        assert_eq!(told[0]["waiting"], 3, "{url}");
    }
    let other = run(&format!("redis+sentinel://{places}/other/3"), &["queues"]);
    other.failed("watches no master \"other\", but: mymaster");
    let plain = run(&format!("redis://{first}"), &["queues"]);
    plain.failed(&format!(
        "use redis-sentinel://{first}?sentinelMasterId=mymaster"
    ));
    let several = run(&format!("redis://{places}"), &["queues"]);
    several.failed(&format!("use redis-sentinel://{places}?"));
    let no_sentinel = run("redis://a", &["queues", "--sentinel-user", "me"]);
    no_sentinel.failed("--sentinel-user and --sentinel-pass are for sentinels");
}

#[test]
fn a_sentinel_of_another_mind_is_told_and_leads_nobody_away() {
    let group = with_orders();
    group.mistake();
    let places = group.places();
    let url = format!("redis-sentinel://{places}/3?sentinelMasterId={NAME}");
    // The replica takes no offers.
    for _ in 0..10 {
        run(&url, &["offer", "orders", "hello", "--in", "1h"]).done();
    }
    let seen = run(&url, &["watch", "--interval", "200ms", "--count", "20"]).done();
    let lost = ["broke", "cannot reach", "trying again"];
    assert!(
        !lost.iter().any(|words| seen.err.contains(words)),
        "{}",
        seen.err
    );
    let told = |more: &[&str]| {
        let words = [&["doctor", "orders", "--json"], more].concat();
        let mut found = run(&url, &words).json().into_iter();
        found.find(|one| one["id"] == "split-view")
    };
    let split = told(&["--for", "14s"]).expect("two masters");
    assert_eq!(split["severity"], "warning", "{split}");
    let sentence = split["sentence"].as_str().unwrap();
    let port = group.servers[1].port();
    let place = places.rsplit(',').next().unwrap();
    let by = format!("127.0.0.1:{port} is named by {place}");
    assert!(sentence.contains(&by), "{sentence}");
    group.correct();
    assert_eq!(told(&["--for", "14s"]), None);
}

#[test]
fn a_printed_command_leads_to_the_master_of_the_moment() {
    let group = with_orders();
    let url = format!(
        "redis-sentinel://{}/3?sentinelMasterId={NAME}",
        group.places()
    );
    let found = run(&url, &["doctor", "orders", "--json"]).json();
    // Another master than the one that was there when the line was printed.
    group.fail_over();
    wait_for("another master", || group.master() != 0);
    wait_for("its role", || {
        let master = &group.servers[group.master()];
        info(master, "replication").contains("role:master")
    });
    let mut lines = found
        .iter()
        .filter_map(|f| f["evidence"]["commands"].as_array());
    let line = lines.next().expect("evidence")[0].as_str().unwrap();
    assert!(line.starts_with("redis-cli $("), "{line}");
    let home = room();
    let tools = server_binary().parent().unwrap().to_owned();
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    let ran = Command::new("sh")
        .args(["-c", line])
        .env("PATH", &path)
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8(ran.stdout), String::from_utf8(ran.stderr));
    let (out, err) = (out.unwrap(), err.unwrap());
    assert!(ran.status.success() && err.is_empty(), "{line}: {err}");
    assert!(
        !out.trim().is_empty() && !out.contains("ERR"),
        "{line}: {out}"
    );
    // A client may be subscribed at a replica: each is asked by a line of its own.
    let nobody = found.iter().find(|f| f["id"] == "no-transfer-client");
    let lines = nobody.expect("nobody listens")["evidence"]["commands"]
        .as_array()
        .unwrap();
    let place = |at: usize| format!("redis-cli -h 127.0.0.1 -p {} ", group.servers[at].port());
    for replica in [1, 2] {
        let mut of_it = lines.iter().filter_map(|line| line.as_str());
        let line = of_it.find(|line| line.starts_with(&place(replica)));
        let line = line.unwrap_or_else(|| panic!("{lines:?}"));
        let mut shell = Command::new("sh");
        let ran = shell.args(["-c", line]).env("PATH", &path).output();
        let told = String::from_utf8(ran.unwrap().stdout).unwrap();
        assert!(told.trim().ends_with('0'), "{line}: {told}");
    }
    // The same for our own.
    let repair = found.iter().find_map(|f| f["repair_command"].as_str());
    let repair = repair.expect("a finding that is repaired");
    let program = repair.strip_suffix(" worker orders").expect(repair);
    let ours = std::path::Path::new(env!("CARGO_BIN_EXE_delayscope"));
    let path = format!("{}:{path}", ours.parent().unwrap().display());
    let mut shell = Command::new("sh");
    for (name, value) in bare(home.path()).get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.args(["-c", &format!("{program} queues")]);
    shell.env("PATH", path);
    said(&mut shell).done();
}

#[test]
fn the_rules_that_acl_prints_are_all_that_sentinels_and_master_have_to_allow() {
    let group = with_orders();
    let url = format!("redis-sentinel://{}/3", group.places());
    let rules = run(
        &url,
        &["acl", "--for", "read", "--name", "watcher", "--json"],
    );
    let rules = rules.done().json();
    let words = |rule: &serde_json::Value| -> Vec<String> {
        let words = rule["rule"].as_str().unwrap().split(' ');
        words
            .map(|word| word.trim_matches('"').to_owned())
            .collect()
    };
    let [of_master, of_sentinels] = &rules[..] else {
        panic!("{rules:?}")
    };
    assert_eq!(of_sentinels["user"], "watcher-sentinels");
    for server in &group.servers {
        let mut rule = words(of_master);
        rule.push(">one".to_owned());
        server.cmd(&rule.iter().map(String::as_str).collect::<Vec<_>>());
    }
    for sentinel in &group.sentinels {
        let mut rule = words(of_sentinels);
        rule.push(">two".to_owned());
        sentinel.cmd(&rule.iter().map(String::as_str).collect::<Vec<_>>());
        // Who does not log in may nothing.
        sentinel.cmd(&["ACL", "SETUSER", "default", "-sentinel"]);
    }
    let home = room();
    let mut command = bare(home.path());
    command.env("REDISCLI_AUTH", "one");
    command.env("DELAYSCOPE_SENTINEL_AUTH", "two");
    command.args(["-u", &url, "--user", "watcher"]);
    command.args(["--sentinel-user", "watcher-sentinels", "queues", "--json"]);
    let told = said(&mut command).done();
    assert_eq!(told.json()[0]["waiting"], 3);
    assert_eq!(told.err, "", "nothing is refused");
    // A line for redis-cli knows both logins too, and a mapping.
    let port = group.servers[0].port();
    let mut command = bare(home.path());
    let logins = [
        ("REDISCLI_AUTH", "one"),
        ("DELAYSCOPE_SENTINEL_AUTH", "two"),
    ];
    command.envs(logins).args(["-u", &url, "--user", "watcher"]);
    command.args(["--sentinel-user", "watcher-sentinels"]);
    command.args(["--map", &format!("127.0.0.1:{port}=localhost:{port}")]);
    let found = said(command.args(["doctor", "orders", "--json"])).json();
    let mut commands = found
        .iter()
        .filter_map(|f| f["evidence"]["commands"].as_array());
    let line = commands.next().expect("evidence")[0].as_str().unwrap();
    assert!(!line.contains("two") && !line.contains("one"), "{line}");
    let mut shell = Command::new("sh");
    let traced = shell.args(["-xc", line]).envs(logins).output().unwrap();
    let (out, err) = (
        String::from_utf8(traced.stdout).unwrap(),
        String::from_utf8(traced.stderr).unwrap(),
    );
    assert!(traced.status.success() && !out.trim().is_empty(), "{err}");
    assert!(!out.contains("NOAUTH") && !out.contains("NOPERM"), "{out}");
    let there = format!("redis-cli -h localhost -p {port} ");
    assert!(
        err.contains(&there) && !err.contains("AUTH failed"),
        "{err}"
    );
    let mut wrong = bare(home.path());
    wrong.args(["-u", &url, "--sentinel-user", "watcher-sentinels"]);
    wrong.args(["--sentinel-pass", "sesame", "queues"]);
    let wrong = said(&mut wrong).failed("check --sentinel-user and --sentinel-pass");
    assert!(!wrong.err.contains("sesame"), "{}", wrong.err);
    assert!(
        wrong.err.contains("keeps that of sentinels from them"),
        "{}",
        wrong.err
    );
}

#[test]
fn the_master_its_replicas_and_the_sentinels_are_told_and_a_replica_that_is_gone() {
    let mut group = with_orders();
    let url = format!(
        "redis-sentinel://{}/3?sentinelMasterId={NAME}",
        group.places()
    );
    let told = run(&url, &["nodes", "--json"]).done().json();
    let roles: Vec<_> = told
        .iter()
        .filter_map(|node| node["role"].as_str())
        .collect();
    let expected = [
        "master", "replica", "replica", "sentinel", "sentinel", "sentinel",
    ];
    assert_eq!(roles, expected);
    let master = format!("127.0.0.1:{}", group.servers[0].port());
    assert_eq!(told[0]["node"], master.as_str());
    for node in &told[1..] {
        assert_eq!(node["of"], master.as_str(), "{node}");
    }
    for node in &told {
        assert_eq!(node["state"], "ok", "{node}");
    }
    let lagging = |of: &str| {
        let found = run(of, &["doctor", "orders", "--json"]).json().into_iter();
        let mut found = found.filter(|finding| finding["id"] == "lagging-replicas");
        found.next().unwrap_or_default()
    };
    assert_eq!(lagging(&url), serde_json::Value::Null);
    group.servers[1].kill();
    wait_for("the master to notice", || {
        info(&group.servers[0], "replication").contains("connected_slaves:1")
    });
    let gone = lagging(&url);
    assert_eq!(gone["evidence"]["gone"], 1, "{gone}");
    assert_eq!(crate::json::evidence(&gone), Vec::<String>::new());
}
