//! Servers that announce addresses of a network inside: through a proxy, by a mapping, or one alone.

use std::path::Path;
use std::process::Stdio;

use delayscope::queue::Queue;

use crate::cluster::{Cluster, MASTERS, queue_at};
use crate::program::{Said, bare, begun, said};
use crate::sentinel::{Group, NAME};
use crate::socks::{INSIDE, Socks};
use crate::support::{Server, frame, room, until, wait_for};

/// A cluster whose nodes call themselves by a name of the inside (Redis 7.0 and later).
struct Inside {
    cluster: Cluster,
    /// A queue of each master.
    names: Vec<String>,
}

impl Inside {
    fn start() -> Self {
        let cluster = Cluster::start_with(&[
            "--cluster-announce-hostname",
            INSIDE,
            "--cluster-preferred-endpoint-type",
            "hostname",
        ]);
        let names = (0..MASTERS).map(|master| {
            let queue = queue_at(master, 0);
            let node = &cluster.nodes[master];
            node.fill(&queue, 3, node.now(), 1);
            queue.name.text().into_owned()
        });
        let names = names.collect();
        Self { cluster, names }
    }
}

fn run(url: &str, args: &[&str]) -> Said {
    let home = room();
    said(bare(home.path()).arg("-u").arg(url).args(args))
}

#[test]
fn nodes_that_announce_addresses_of_the_inside_are_reached_by_a_mapping_and_by_a_proxy() {
    let inside = Inside::start();
    let url = inside.cluster.url(0);
    let map = format!("{INSIDE}=127.0.0.1");
    let proxy = Socks::start(Some(("me", "s3cret")));
    let by_proxy = format!("socks5://me:s3cret@127.0.0.1:{}", proxy.port);
    for way in [["--map", &map], ["--proxy", &by_proxy]] {
        let told = run(&url, &[&way[..], &["queues", "--json"]].concat()).done();
        assert_eq!(told.json().len(), MASTERS, "{way:?}");
        let nodes = run(&url, &[&way[..], &["nodes", "--json"]].concat()).done();
        for node in nodes.json() {
            assert_eq!(
                (&node["state"], &node["reached"]),
                (&"ok".into(), &true.into())
            );
        }
        let name = &inside.names[2];
        let requeue = ["requeue", name, "--all", "--in", "1h", "--yes"];
        run(&url, &[&way[..], &requeue].concat()).done();
        let split = run(&url, &[&way[..], &["doctor", name, "--json"]].concat());
        assert!(!split.out.contains("split-view"), "{}", split.out);
    }
    assert!(proxy.made() > MASTERS, "{}", proxy.made());
    let name = &inside.names[1];
    let told = run(
        &url,
        &["--map", &map, "requeue", name, "--all", "--in", "1h"],
    );
    assert!(!told.err.contains("s3cret") && !told.out.contains("s3cret"));
}

#[test]
fn a_master_and_its_sentinels_are_reached_through_a_proxy() {
    let group = Group::start();
    let proxy = Socks::start(None);
    let url = format!(
        "redis-sentinel://{}/0?sentinelMasterId={NAME}",
        group.places()
    );
    let way = ["--proxy", &format!("socks5://127.0.0.1:{}", proxy.port)];
    let told = run(&url, &[&way[..], &["nodes", "--json"]].concat()).done();
    assert_eq!(told.json().len(), 6);
    // Three sentinels, asked and listened to, and the servers.
    assert!(proxy.made() >= 6, "{}", proxy.made());
}

#[test]
fn each_fault_of_a_proxy_has_its_own_sentence() {
    let server = Server::start_tcp(&[]);
    let url = format!("redis://127.0.0.1:{}", server.port());
    let through = |proxy: &str| run(&url, &["--proxy", proxy, "queues"]);
    through("socks5://127.0.0.1:1").failed("proxy 127.0.0.1:1 does not answer");
    let redis = format!("socks5://127.0.0.1:{}", server.port());
    through(&redis).failed("is no SOCKS5 proxy: check --proxy");
    let locked = Socks::start(Some(("me", "s3cret"))).port;
    through(&format!("socks5://127.0.0.1:{locked}")).failed("wants a login: --proxy socks5://");
    let wrong = through(&format!("socks5://me:wrong-one@127.0.0.1:{locked}"));
    let wrong = wrong.failed("refuses the login");
    assert!(!wrong.err.contains("wrong-one"), "{}", wrong.err);
    let open = format!("socks5://127.0.0.1:{}", Socks::start(None).port);
    let nobody = run("redis://127.0.0.1:1", &["--proxy", &open, "queues"]);
    nobody.failed("connection refused (says proxy");
    through("http://127.0.0.1:1").failed("a proxy is written like socks5://localhost:1080 ");
    run(&url, &["--map", "nonsense", "queues"]).failed("ANNOUNCED=REACHED");
}

#[test]
fn one_node_of_a_cluster_can_be_looked_at_alone() {
    let inside = Inside::start();
    let told = run(&inside.cluster.url(1), &["--node", "queues", "--json"]).done();
    let told: Vec<_> = told
        .json()
        .into_iter()
        .map(|queue| queue["queue"].clone())
        .collect();
    assert_eq!(told, [inside.names[1].as_str()]);
}

/// A command that leads to an address, as `ssh -W` does, and says each time in a file that it ran.
fn tunnel(log: &Path) -> String {
    let script = "exec 3<>/dev/tcp/$0/$1; cat <&3 & exec cat >&3";
    let log = log.display();
    format!("echo $$ >>{log}; exec bash -c '{script}' {{host}} {{port}}")
}

#[tokio::test]
async fn a_server_is_reached_and_changed_through_a_command_that_ends_with_its_connection() {
    let server = Server::start_tcp(&[]);
    let orders: Queue = "orders".parse().unwrap();
    server.fill(&orders, 3, server.now(), 1);
    let home = room();
    let log = home.path().join("ran");
    // The name is known to the command alone.
    let command = tunnel(&log).replace("{host}", "127.0.0.1");
    let url = format!("redis://inside.example:{}", server.port());
    let way = ["--tunnel-command", &command];
    let told = run(&url, &[&way[..], &["queues", "--json"]].concat()).done();
    assert_eq!(told.json()[0]["queue"], "orders");
    let requeue = ["requeue", "orders", "--all", "--in", "1h", "--yes"];
    let done = run(&url, &[&way[..], &requeue].concat()).done();
    let text = format!("{}{}", done.out, done.err);
    assert!(
        !text.contains("undo") || text.contains("--tunnel-command"),
        "{text}"
    );
    let ran = std::fs::read_to_string(&log).unwrap();
    let alive = |pid: &&str| Path::new("/proc").join(pid).exists();
    until("the commands end", || {
        ran.lines().filter(alive).count() == 0
    })
    .await;
}

#[test]
fn each_fault_of_a_tunnel_command_has_its_own_sentence() {
    let through = |command: &str, url: &str| run(url, &["--tunnel-command", command, "queues"]);
    let url = "redis://inside.example:6379";
    through("echo no route to {host} >&2; exit 3", url)
        .failed("tunnel_command ended with exit status: 3: no route to inside.example");
    through("exit 4", url).failed("tunnel_command ended with exit status: 4");
    through("exit 0", url).failed("tunnel_command ended with exit status: 0");
    through(
        "echo to {host}:{port} >&2; exit 5",
        "redis://[fe80::1]:6379",
    )
    .failed("exit status: 5: to [fe80::1]:6379");
    through(
        "echo to {host} {port} >&2; exit 5",
        "redis://[fe80::1]:6379",
    )
    .failed("exit status: 5: to fe80::1 6379");
    through("cat", "unix:///tmp/redis.sock").failed("needs no tunnel_command");
    let both = ["--tunnel-command", "cat", "--proxy", "socks5://a", "queues"];
    run(url, &both).failed("cannot be used with");
}

#[test]
fn what_a_server_says_is_told_although_the_command_ends_with_it() {
    let server = Server::start_tcp(&["--maxclients", "1"]);
    let mut only = server.connection();
    wait_for("the one place to be ours", || {
        let ours = redis::cmd("PING").exec(&mut only).is_ok();
        if !ours {
            only = server.connection();
        }
        ours
    });
    // As ssh does it: it ends, and well, when the server closes the connection.
    let script = "exec 3<>/dev/tcp/$0/$1 4<&0; cat <&4 >&3 & cat <&3; kill $!; exit 0";
    let command = format!("exec bash -c '{script}' {{host}} {{port}}");
    let url = format!("redis://127.0.0.1:{}", server.port());
    let told = run(&url, &["--tunnel-command", &command, "queues"]);
    let told = told.failed("max number of clients reached");
    assert!(!told.err.contains("ended with"), "{told:?}");
}

#[test]
fn a_command_has_no_terminal_at_which_it_would_be_stopped() {
    let command = "echo session $(ps -o sid= -p $$) of $$ >&2; exit 3";
    let way = ["--tunnel-command", command, "queues"];
    let told = run("redis://inside.example", &way).failed("exit status: 3: session");
    let numbers: Vec<u32> = told
        .err
        .split_whitespace()
        .filter_map(|word| word.trim_end_matches(['.', ';']).parse().ok())
        .collect();
    assert!(numbers.len() >= 2, "{told:?}");
    assert_eq!(numbers[numbers.len() - 2], numbers[numbers.len() - 1]);
}

#[test]
fn a_command_with_a_password_in_it_is_not_printed() {
    let server = Server::start_tcp(&[]);
    let orders: Queue = "orders".parse().unwrap();
    server.fill(&orders, 3, server.now().plus(-600_000), 1);
    let home = room();
    let command = format!("SECRET=s3cret; {}", tunnel(&home.path().join("ran")));
    let url = format!("redis://127.0.0.1:{}", server.port());
    let way = ["--tunnel-command", &command];
    let lines = [
        &["doctor", "orders", "--for", "300ms"][..],
        &["doctor", "orders", "--for", "300ms", "--json"],
        &["requeue", "orders", "--all", "--in", "1h", "--yes"],
    ];
    for words in lines {
        let told = run(&url, &[&way[..], words].concat());
        assert!(!told.out.contains("s3cret"), "{told:?}");
        assert!(!told.err.contains("s3cret"), "{told:?}");
        let names = told.out.contains("--tunnel-command") || told.err.contains("--tunnel-command");
        assert!(names, "{told:?}");
    }
}

#[test]
fn a_sentinel_whose_command_logs_in_later_than_the_others_is_waited_for_once() {
    let group = Group::start();
    let home = room();
    let log = home.path().join("ran");
    let places = group.places();
    let slow = places.rsplit(':').next().unwrap();
    let command = format!(
        "echo port {{port}} >>{}; [ {{port}} = {slow} ] && sleep 0.5; {}",
        home.path().join("ports").display(),
        tunnel(&log)
    );
    let url = format!("redis-sentinel://{places}/0?sentinelMasterId={NAME}");
    let watch = ["watch", "orders", "--interval", "500ms", "--count", "14"];
    let way = ["--tunnel-command", &command];
    run(&url, &[&way[..], &watch].concat()).done();
    let ran = std::fs::read_to_string(home.path().join("ports")).unwrap();
    let line = format!("port {slow}");
    let times = ran.lines().filter(|told| *told == line).count();
    // When the first has answered it is given up, and is then asked and listened to.
    assert!((2..=4).contains(&times), "{ran}");
}

/// A command that logs in for longer than any answer is waited for.
fn slow_tunnel(home: &Path) -> String {
    format!("sleep 3.5; {}", tunnel(&home.join("ran")))
}

#[test]
fn everything_waits_for_the_login_of_a_command() {
    let server = Server::start_tcp(&[]);
    let orders: Queue = "orders".parse().unwrap();
    server.fill(&orders, 3, server.now(), 1);
    let home = room();
    let command = slow_tunnel(home.path());
    let url = format!("redis://127.0.0.1:{}", server.port());
    let begin = |words: &[&str]| {
        let mut command_line = bare(home.path());
        command_line.args(["-u", &url, "--tunnel-command", &command]);
        command_line.args(words).stdin(Stdio::null());
        begun(command_line)
    };
    let worker = begin(&["worker", "orders", "--yes"]);
    let traffic = begin(&["traffic", "orders", "--count", "1", "--json"]);
    let trace = begin(&["trace", "orders", "--limit", "1", "--for", "30s", "--json"]);
    let channel = "redisson_delay_queue_channel:{orders}";
    wait_for("what goes on to be heard", || {
        let clients = format!("{:?}", server.cmd(&["CLIENT", "LIST"]));
        let channels = server.list(&["PUBSUB", "CHANNELS", channel]);
        let patterns = server.int(&["PUBSUB", "NUMPAT"]);
        clients.contains("name=delayscope-trace") && channels.len() == 1 && patterns > 0
    });
    worker.signal("INT");
    assert_eq!(server.list(&["LRANGE", "orders", "0", "-1"]).len(), 3);
    server.put(&orders, &frame(1, b"x"), "9999999999999");
    server.cmd(&["PUBLISH", channel, "5"]);
    assert_eq!(traffic.ended().done().json().len(), 1);
    assert_eq!(trace.ended().done().json()[0]["event"], "offered");
}

#[test]
fn sentinels_are_waited_for_through_a_command_too() {
    let group = Group::start();
    let home = room();
    let url = format!(
        "redis-sentinel://{}/0?sentinelMasterId={NAME}",
        group.places()
    );
    let way = ["--tunnel-command", &slow_tunnel(home.path())];
    let told = run(&url, &[&way[..], &["nodes", "--json"]].concat()).done();
    assert_eq!(told.json().len(), 6);
}
