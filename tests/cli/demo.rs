//! The demo: what each scenario shows, and that nothing of it stays.

mod sick;

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use delayscope::clock::instant;
use delayscope::ops::demo::{Demo, DemoError, DemoEvent, DemoOptions, Scenario};
use delayscope::ops::refresh::pulse;
use delayscope::queue::{Address, Endpoint, Pulse, Queue};
use delayscope::store::{Access, Store};
use tokio::sync::broadcast::error::RecvError;

use crate::cluster::{Cluster, MASTERS, queue_at};
use crate::support::{PATIENCE, Server, until, wait_for};

fn only(scenario: Scenario) -> DemoOptions {
    DemoOptions {
        scenarios: vec![scenario],
        ..DemoOptions::default()
    }
}

fn socket(endpoint: &Endpoint) -> PathBuf {
    match &endpoint.address {
        Address::Unix(path) => path.clone(),
        other => panic!("a private server listens on {other}"),
    }
}

/// Looks at the demo's only queue until that can be seen.
async fn see(demo: &Demo, what: &str, is_seen: impl Fn(&Pulse) -> bool) -> Pulse {
    let store = Store::open(demo.endpoint().clone(), Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    let end = instant() + PATIENCE;
    loop {
        let pulse = pulse(&store, &demo.queues()[0], None).await.unwrap();
        if is_seen(&pulse) {
            return pulse;
        }
        assert!(instant() < end, "waited too long for {what}: {pulse:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn next(events: &mut tokio::sync::broadcast::Receiver<DemoEvent>) -> DemoEvent {
    loop {
        match tokio::time::timeout(PATIENCE, events.recv()).await.unwrap() {
            Ok(event) => return event,
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => panic!("the demo is over"),
        }
    }
}

// --- What is played -------------------------------------------------------------------------------

#[tokio::test(flavor = "multi_thread")]
async fn bbbb_is_offered_after_aaaa_and_consumed_before_it_round_after_round() {
    let options = DemoOptions {
        faster: 25,
        ..only(Scenario::Classic)
    };
    let mut demo = Demo::start(options).await.unwrap();
    let mut events = demo.events();
    let (mut offered, mut consumed) = (Vec::new(), Vec::new());
    while consumed.len() < 4 {
        match next(&mut events).await {
            DemoEvent::Offered { due, .. } => offered.push(due),
            DemoEvent::Consumed { text, .. } => consumed.push(text),
            DemoEvent::Trouble { why, .. } => panic!("{why}"),
            DemoEvent::Note { .. } => {}
        }
    }
    assert_eq!(consumed, ["BBBB", "AAAA", "BBBB", "AAAA"]);
    // What was offered first is due later.
    assert!(offered[0] > offered[1] && offered[2] > offered[3]);
    demo.end().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_dead_clients_queue_has_late_entries_and_nobody_subscribed() {
    let options = DemoOptions {
        faster: 200,
        ..only(Scenario::DeadClient)
    };
    let demo = Demo::start(options).await.unwrap();
    let first = see(&demo, "late entries", |p| p.late.get() >= Some(7)).await;
    assert_eq!(first.transfer_clients.get(), Some(0));
    // One after the other becomes late, nothing is delivered, more is offered.
    let late = first.late.get().unwrap();
    let later = see(&demo, "more late entries", |p| {
        p.late.get() >= Some(late + 3) && p.waiting.get() > first.waiting.get()
    })
    .await;
    assert_eq!(later.target.get(), Some(0));
    assert_eq!(later.order, later.waiting);
}

#[tokio::test(flavor = "multi_thread")]
async fn thousands_of_orders_wait_while_others_come_and_go() {
    let mut demo = Demo::start(only(Scenario::Orders)).await.unwrap();
    let mut events = demo.events();
    see(&demo, "the bulk of the orders", |p| {
        p.waiting.get() >= Some(3_500) && p.transfer_clients.get() == Some(1)
    })
    .await;
    loop {
        match next(&mut events).await {
            DemoEvent::Consumed { text, .. } => {
                assert!(text.starts_with(r#"{"orderId":4"#), "{text}");
                break;
            }
            DemoEvent::Trouble { why, .. } => panic!("{why}"),
            DemoEvent::Offered { .. } | DemoEvent::Note { .. } => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_burst_is_5000_entries_due_at_one_moment_and_is_moved_whole() {
    let options = DemoOptions {
        faster: 100,
        ..only(Scenario::Burst)
    };
    let mut demo = Demo::start(options).await.unwrap();
    let mut events = demo.events();
    let DemoEvent::Offered { count, due, queue } = next(&mut events).await else {
        panic!("a burst begins with an offer");
    };
    assert_eq!((count, queue), (5_000, Queue::redisson("campaign")));
    let after = see(&demo, "the burst in target", |p| {
        p.target.get() >= Some(1_000)
    })
    .await;
    assert!(after.at >= due, "{after:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_entries_are_there_at_once() {
    let began = instant();
    let demo = Demo::start(DemoOptions::default()).await.unwrap();
    let took = began.elapsed();
    assert_eq!(demo.queues().len(), Scenario::ALL.len());
    let first = see(&demo, "AAAA and BBBB", |_| true).await;
    assert_eq!(first.waiting.get(), Some(2));
    // Some 40 ms alone on a machine; here with all other tests beside it.
    assert!(took < Duration::from_secs(5), "{took:?}");
    println!("from nothing to the first entries: {took:?}");
}

// --- Nothing stays --------------------------------------------------------------------------------

#[tokio::test(flavor = "multi_thread")]
async fn the_private_server_has_no_port_and_goes_with_its_directory() {
    let demo = Demo::start(only(Scenario::Classic)).await.unwrap();
    let socket = socket(demo.endpoint());
    let port = redis::cmd("CONFIG")
        .arg(&["GET", "port"])
        .query::<Vec<String>>(&mut connection(&socket));
    assert_eq!(port.unwrap(), ["port", "0"]);
    assert!(demo.end().await.unwrap().is_none());
    assert!(!socket.parent().unwrap().exists());
    assert!(UnixStream::connect(&socket).is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_demo_that_is_dropped_leaves_nothing() {
    let demo = Demo::start(DemoOptions::default()).await.unwrap();
    let socket = socket(demo.endpoint());
    drop(demo);
    assert!(!socket.parent().unwrap().exists());
}

#[test]
fn kill_9_of_the_program_leaves_neither_server_nor_directory() {
    let mut program = Program::start(&["demo"], None);
    let socket = program.socket();
    let pid = server_pid(&socket);
    assert!(is_running(&pid));
    program.child.kill().unwrap();
    wait_for("the directory to go", || !socket.parent().unwrap().exists());
    assert!(!is_running(&pid));
}

#[test]
fn ctrl_c_and_the_signals_of_a_session_that_ends_leave_nothing() {
    for signal in ["INT", "TERM", "HUP"] {
        let mut program = Program::start(&["demo"], None);
        let socket = program.socket();
        program.signal(signal);
        program.child.wait().unwrap();
        assert!(!socket.parent().unwrap().exists(), "SIG{signal}");
    }
}

#[test]
fn valkey_will_do_and_without_any_server_one_line_says_how_to_get_one() {
    let bin = tempfile::tempdir().unwrap();
    let usual = std::env::var_os("PATH").unwrap();
    let link = |name: &str, to: &Path| symlink(to, bin.path().join(name)).unwrap();
    for tool in ["sh", "mktemp", "rm"] {
        let mut places = std::env::split_paths(&usual).map(|dir| dir.join(tool));
        link(tool, &places.find(|file| file.is_file()).unwrap());
    }
    let output = Program::command(&["demo"], Some(bin.path())).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("sh assets/setup.sh"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");

    link("valkey-server", &crate::support::server_binary());
    let mut program = Program::start(&["demo"], Some(bin.path()));
    let socket = program.socket();
    program.signal("TERM");
    program.child.wait().unwrap();
    assert!(!socket.parent().unwrap().exists());
}

/// The program, playing without a terminal.
struct Program {
    child: Child,
}

impl Program {
    fn command(arguments: &[&str], path: Option<&Path>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_delayscope"));
        command.args(arguments).stdin(Stdio::null());
        if let Some(path) = path {
            command.env("PATH", path);
        }
        command
    }

    fn start(arguments: &[&str], path: Option<&Path>) -> Self {
        let child = Self::command(arguments, path)
            .arg("--json")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self { child }
    }

    /// The socket of the server that it says it plays on.
    fn socket(&mut self) -> PathBuf {
        let told = self.child.stdout.take().unwrap();
        let mut lines = BufReader::new(told);
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        // It goes on telling: somebody has to listen.
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
        let started: serde_json::Value = serde_json::from_str(&line).unwrap();
        let server = started["server"].as_str().unwrap();
        PathBuf::from(server.strip_suffix(" db 0").unwrap())
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.unwrap().success());
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kept_server_goes_on_until_it_is_stopped_and_then_leaves_nothing() {
    let options = DemoOptions {
        keep: true,
        ..only(Scenario::Classic)
    };
    let demo = Demo::start(options).await.unwrap();
    let kept = demo.end().await.unwrap().expect("something is kept");
    let socket = socket(&kept.endpoint);
    let pid = server_pid(&socket);
    let said = kept.to_string();
    assert!(said.contains(&format!("-u unix://{}", socket.display())));
    let stop = said.lines().find_map(|line| line.split_once("stop it:"));
    let words: Vec<_> = stop.unwrap().1.split_whitespace().collect();
    assert_eq!(words, ["kill", &pid]);
    assert!(Command::new("kill").arg(&pid).status().unwrap().success());
    until("the directory to go", || !socket.parent().unwrap().exists()).await;
}

fn connection(socket: &Path) -> redis::Connection {
    let client = redis::Client::open(format!("unix://{}", socket.display()));
    client.unwrap().get_connection().unwrap()
}

fn server_pid(socket: &Path) -> String {
    let info: String = redis::cmd("INFO")
        .arg("server")
        .query(&mut connection(socket))
        .unwrap();
    let line = info.lines().find_map(|l| l.strip_prefix("process_id:"));
    line.unwrap().trim().to_owned()
}

fn is_running(pid: &str) -> bool {
    let probe = Command::new("kill").args(["-0", pid]).output();
    probe.unwrap().status.success()
}

// --- A server of one's own ------------------------------------------------------------------------

fn on(server: &Server, prefix: &str) -> DemoOptions {
    DemoOptions {
        own: Some(server.endpoint()),
        prefix: prefix.to_owned(),
        ..DemoOptions::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_database_is_played_on_and_left_empty() {
    let server = Server::start();
    let demo = Demo::start(on(&server, "")).await.unwrap();
    until("all six queues", || server.int(&["DBSIZE"]) >= 12).await;
    assert!(demo.end().await.unwrap().is_none());
    assert_eq!(server.int(&["DBSIZE"]), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_in_use_is_refused_without_a_prefix_and_nothing_is_written() {
    let server = Server::start();
    server.cmd(&["SET", "theirs", "1"]);
    let refused = Demo::start(on(&server, "")).await.err().unwrap();
    assert!(matches!(refused, DemoError::NotEmpty { keys: 1, .. }));
    assert!(refused.to_string().contains("--prefix"));
    assert_eq!(server.int(&["DBSIZE"]), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn under_a_prefix_exactly_the_demos_own_keys_come_and_go() {
    let server = Server::start();
    server.put(
        &Queue::redisson("orders"),
        &crate::support::frame(1, b"x"),
        "99",
    );
    server.cmd(&["SET", "demo:theirs", "1"]);
    let before = server.int(&["DBSIZE"]);
    let demo = Demo::start(on(&server, "demo:")).await.unwrap();
    assert!(
        server.int(&["EXISTS", "redisson_delay_queue_timeout:{demo:orders}"]) == 1,
        "the demo's queues carry the prefix"
    );
    // What a repair and a change that died have left of the demo's entries.
    server.cmd(&["RPUSH", "delayscope:aside:{demo:orders}", "x"]);
    server.cmd(&["ZADD", "delayscope:quarantine:{demo:orders}", "1", "x"]);
    demo.end().await.unwrap();
    assert_eq!(server.int(&["DBSIZE"]), before);
    assert_eq!(
        server.int(&["ZCARD", "redisson_delay_queue_timeout:{orders}"]),
        1
    );
}

#[test]
fn ctrl_c_removes_the_demos_keys_from_ones_own_server() {
    let server = Server::start();
    server.cmd(&["SET", "theirs", "1"]);
    let url = server.url();
    let mut program = Program::start(&["-u", &url, "demo", "--prefix", "demo:"], None);
    program.socket();
    wait_for("the demo's keys", || server.int(&["DBSIZE"]) > 8);
    program.signal("INT");
    assert!(program.child.wait().unwrap().success());
    assert_eq!(server.int(&["DBSIZE"]), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_is_played_on_at_all_its_nodes_and_left_as_it_was() {
    let cluster = Cluster::start();
    let masters = || cluster.nodes[..MASTERS].iter();
    let keys = || masters().map(|node| node.int(&["DBSIZE"]));
    let options = || DemoOptions {
        own: Some(cluster.endpoint(0)),
        ..DemoOptions::default()
    };
    let demo = Demo::start(options()).await.unwrap();
    until("all six queues", || keys().sum::<i64>() >= 12).await;
    assert!(keys().all(|count| count > 0), "one node has them all");
    demo.end().await.unwrap();
    assert_eq!(keys().sum::<i64>(), 0);
    // Whoever has something there has it at any of the nodes.
    let theirs = queue_at(2, 0).name.text().into_owned();
    cluster.nodes[2].cmd(&["SET", &theirs, "1"]);
    let refused = Demo::start(options()).await.err().unwrap();
    assert!(matches!(refused, DemoError::NotEmpty { keys: 1, .. }));
    assert_eq!(keys().sum::<i64>(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_of_somebody_elses_is_never_played_on() {
    let server = Server::start();
    server.cmd(&["RPUSH", "demo:campaign", "theirs"]);
    let refused = Demo::start(on(&server, "demo:")).await.err().unwrap();
    assert!(matches!(&refused, DemoError::Taken { key, .. } if key == "demo:campaign"));
    assert_eq!(server.int(&["DBSIZE"]), 1);
}
