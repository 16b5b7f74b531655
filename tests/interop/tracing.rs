//! What happens to messages, traced beside the real client: no life is lost, and what test messages
//! tell of its times is what it tells itself.
//!
//! `LONG=1`: for half a minute, not for three seconds.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use delayscope::clock::instant;
use serde_json::Value;

use crate::check::wait_for_transfer_clients;
use crate::peer::{Answers, RELEASES, Side, Transfer};
use crate::support::{Server, room, wait_for};

const QUEUE: &str = "traced";
/// Offers in one request, and the time from one request to the next.
const AT_ONCE: usize = 10;
const EACH: Duration = Duration::from_millis(20);

/// Seconds that are traced beyond those of the offers: a busy machine needs longer for them.
const MORE: usize = 15;

/// `trace`, under way.
struct Trace {
    child: Child,
    home: tempfile::TempDir,
}

impl Trace {
    /// Begins, for so many seconds.
    fn begin(server: &Server, seconds: usize, by: &[&str]) -> Self {
        let home = room();
        let said = File::create(home.path().join("lives")).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_delayscope"))
            .args(["-u", &server.url(), "trace", QUEUE])
            .args(["--for", &format!("{seconds}s")])
            .args(["--json", "--yes"])
            .args(by)
            // On a quiet machine the clients run more commands than MONITOR is let beside.
            .args(["--max-rate", "1000000"])
            .env("XDG_STATE_HOME", home.path())
            .env("XDG_CONFIG_HOME", home.path())
            .stdin(Stdio::null())
            .stdout(said)
            .spawn()
            .unwrap();
        wait_for("MONITOR to run", || {
            let list = server.cmd(&["CLIENT", "LIST"]);
            let list: String = redis::from_redis_value(list).unwrap();
            list.lines()
                .any(|line| line.contains("name=delayscope-trace") && line.contains("flags=O"))
        });
        Self { child, home }
    }

    /// Waits for its end, by which it has read all that there was; the lives, and the figures.
    fn end(mut self) -> (Vec<Value>, Value) {
        assert!(self.child.wait().unwrap().success());
        let said = std::fs::read_to_string(self.home.path().join("lives")).unwrap();
        let mut lives = lines(&said);
        let figures = lives.pop().unwrap();
        (lives, figures)
    }
}

fn lines(said: &str) -> Vec<Value> {
    let lines = said.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

/// 500 offers a second beside a worker and a consumer.
pub fn no_life_is_lost() {
    let seconds = if std::env::var_os("LONG").is_some() {
        30
    } else {
        3
    };
    let side = Side::start(&RELEASES[2], "1");
    let server = &side.server;
    let [worker, consumer, offers] = ["worker", "consumer", "offers"].map(|name| side.client(name));
    worker.work(QUEUE, "string");
    let hears = consumer.consume(QUEUE, "string");
    let trace = Trace::begin(server, seconds + MORE, &["--by", "message"]);
    let began = instant();
    let mut offered = BTreeSet::new();
    for request in 0..seconds * 50_usize {
        let due = EACH * u32::try_from(request).unwrap();
        // The rate is what is tried: not what the client can do.
        thread::sleep(due.saturating_sub(began.elapsed()));
        let first = request * AT_ONCE;
        let some: Vec<String> = (first..first + AT_ONCE)
            .map(|n| format!("message {n:06}"))
            .collect();
        let delays = (0..).map(|n: u64| (n * 37 + request as u64 * 11) % 500);
        offers.offer(QUEUE, "string", delays.zip(some.iter().map(String::as_str)));
        offered.extend(some);
    }
    let took = began.elapsed();
    let mut taken = BTreeSet::new();
    while taken.len() < offered.len() {
        let (_, text) = hears.took().expect("each to be taken");
        taken.insert(text);
    }
    let (lives, figures) = trace.end();
    println!("{} offers in {took:?}: {figures}", offered.len());
    assert_eq!(taken, offered);
    let mut seen = BTreeSet::new();
    for life in &lives {
        assert_eq!(life["fate"], "consumed", "{life}");
        for count in ["transfers", "deliveries"] {
            assert_eq!(life[count], 1, "{life}");
        }
        for step in ["offered_by", "transferred_by", "consumed_by"] {
            assert!(life[step].is_string(), "{life}");
        }
        assert!(life["late_ms"].as_i64().unwrap() >= 0, "{life}");
        seen.insert(life["text"].as_str().unwrap().to_owned());
    }
    assert_eq!(lives.len(), offered.len(), "{figures}");
    assert_eq!(seen, offered);
}

/// Test messages in the queue, and what is told of each.
fn probing(side: &Side, args: &[&str]) -> Vec<Value> {
    let home = room();
    let output = Command::new(env!("CARGO_BIN_EXE_delayscope"))
        .args(["-u", &side.server.url(), "trace", QUEUE, "--in", "100ms"])
        .args(["--form", "byte-id", "--yes", "--json"])
        .args(args)
        .env("XDG_STATE_HOME", home.path())
        .env("XDG_CONFIG_HOME", home.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let mut probes = lines(&said);
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(probes.pop().is_some(), "{complaints}");
    probes
}

/// The most that a time may be beside the client's own, in ms.
const BESIDE: i64 = 2;

/// A machine that is busy with other things keeps either side, but not each time.
const TRIES: usize = 4;

/// Tells whether the two times of each of 20 messages stand beside each other. Of a busy machine it
/// is half of them, of a quiet one all but two: what keeps the machine for a moment is neither
/// side's doing.
fn are_beside(what: &str, apart: &[i64]) -> bool {
    println!("{what}, its own time behind ours, in ms: {apart:?}");
    let is_quiet = std::env::var_os("QUIET_MACHINE").is_some();
    let most = if is_quiet { 2 } else { 10 };
    assert_eq!(apart.len(), 20);
    apart.iter().filter(|ms| ms.abs() > BESIDE).count() <= most
}

/// Test messages beside a worker and a consumer, which say themselves when they had each.
pub fn test_messages_tell_the_clients_own_times() {
    let side = Side::start(&RELEASES[2], "1");
    let [worker, consumer] = ["worker", "consumer"].map(|name| side.client(name));
    let transfers = worker.watch(QUEUE);
    worker.work(QUEUE, "string");
    wait_for_transfer_clients(&side.server, QUEUE, 1);
    let hears = consumer.consume(QUEUE, "string");
    let are_told = || {
        let probes = probing(&side, &["--probe", "20"]);
        let [transferred, taken] = apart(&probes, &transfers, &hears);
        are_beside("transferred", &transferred) && are_beside("taken", &taken)
    };
    assert!((0..TRIES).any(|_| are_told()), "the times are told");
}

/// By how much the client's own times of these messages are behind ours: those of its transfers, and
/// those at which it took them.
fn apart(probes: &[Value], transfers: &Answers, hears: &Answers) -> [Vec<i64>; 2] {
    let (mut transferred, mut taken) = (Vec::new(), Vec::new());
    for probe in probes {
        let ms = |name: &str| probe[name].as_i64().unwrap();
        assert_eq!(probe["fate"], "taken", "{probe}");
        assert!(ms("transferred_ms") <= ms("taken_ms"), "{probe}");
        let own = transfers.transferred(ms("due_ms"));
        // However busy the machine is: what it was seen by had been asked for, and what it was not
        // yet seen by had not been answered.
        let asked = own.asked;
        assert!(asked <= ms("transferred_ms"), "{asked}: {probe}");
        let (before, answered) = (ms("transferred_ms") - ms("within_ms"), own.answered);
        assert!(before <= answered, "{answered}: {probe}");
        transferred.push(answered - ms("transferred_ms"));
        let (at, _) = hears.took().expect("each to be taken");
        taken.push(at - ms("taken_ms"));
    }
    [transferred, taken]
}

/// Test messages beside a worker, and elements in target that nobody takes.
pub fn test_messages_that_nobody_takes_leave_target_as_it_was() {
    let side = Side::start(&RELEASES[2], "1");
    let [worker, other] = ["worker", "other"].map(|name| side.client(name));
    worker.work(QUEUE, "string");
    let server = &side.server;
    other.offer(
        QUEUE,
        "string",
        [(0, "one"), (0, "two"), (3_600_000, "later")],
    );
    wait_for("their transfer", || server.int(&["LLEN", QUEUE]) == 2);
    let timeouts = format!("redisson_delay_queue_timeout:{{{QUEUE}}}");
    let order = format!("redisson_delay_queue:{{{QUEUE}}}");
    let all = || {
        [
            server.list(&["LRANGE", QUEUE, "0", "-1"]),
            server.list(&["LRANGE", &order, "0", "-1"]),
            server.list(&["ZRANGE", &timeouts, "0", "-1", "WITHSCORES"]),
        ]
    };
    wait_for_transfer_clients(server, QUEUE, 2);
    let before = all();
    let probes = probing(&side, &["--probe", "3", "--timeout", "2s"]);
    assert_eq!(probes.len(), 3);
    for probe in probes {
        assert_eq!(probe["fate"], "not-taken", "{probe}");
        assert!(probe["late_ms"].is_i64(), "{probe}");
    }
    assert_eq!(all(), before);
}

/// Three clients that transfer what falls due in one queue: who was first with each message, and
/// who ran its transfer in vain, is what they say themselves.
pub fn of_three_clients_each_transfer_is_told_as_its_own() {
    const MESSAGES: i64 = 20;
    let side = Side::start(&RELEASES[2], "1");
    let server = &side.server;
    let clients = ["one", "two", "three"].map(|name| side.client(name));
    let own = clients.each_ref().map(|client| client.watch(QUEUE));
    for client in &clients {
        client.work(QUEUE, "string");
    }
    wait_for_transfer_clients(server, QUEUE, 3);
    let trace = Trace::begin(server, 8, &[]);
    // Far enough from each other that all three are through with one before the next.
    let delays = (1_u64..).map(|n| n * 200);
    let texts: Vec<String> = (0..MESSAGES).map(|n| format!("message {n}")).collect();
    clients[0].offer(
        QUEUE,
        "string",
        delays.zip(texts.iter().map(String::as_str)),
    );
    let (events, figures) = trace.end();
    assert_eq!(server.int(&["LLEN", QUEUE]), MESSAGES);
    let own: Vec<Vec<Transfer>> = own.iter().map(Answers::transfers_so_far).collect();
    // The client that ran a transfer from that address then.
    let who = |event: &Value| {
        let port: i64 = event["by"].as_str().unwrap()["127.0.0.1:".len()..]
            .parse()
            .unwrap();
        let at = event["at_ms"].as_i64().unwrap();
        let ran = |transfer: &Transfer| {
            transfer.port == port && transfer.asked <= at && at <= transfer.answered
        };
        let client = own.iter().position(|transfers| transfers.iter().any(ran));
        client.unwrap_or_else(|| panic!("no client ran it: {event}"))
    };
    let of = |kind: &'static str| events.iter().filter(move |event| event["event"] == kind);
    let winners: HashMap<&str, &Value> = of("transferred")
        .map(|won| (won["id"].as_str().unwrap(), won))
        .collect();
    assert_eq!(winners.len(), texts.len(), "{figures}");
    let mut racers: HashMap<&str, BTreeSet<usize>> = HashMap::new();
    for (id, won) in &winners {
        racers.entry(id).or_default().insert(who(won));
    }
    for lost in of("in-vain") {
        let id = lost["id"].as_str().unwrap();
        assert_eq!(lost["won_by"], winners[id]["by"], "{lost}");
        assert!(racers.get_mut(id).unwrap().insert(who(lost)), "{lost}");
    }
    println!("{racers:?} {figures}");
    let all = racers.values().filter(|racers| racers.len() == 3).count();
    // What keeps a busy machine longer than from one message to the next makes one race of two.
    assert!(all * 10 >= texts.len() * 8, "{racers:?}");
}

/// A client whose clock is wrong.
#[cfg(target_os = "linux")]
pub fn a_wrong_clock_is_told_to_50_ms() {
    for ahead_s in [2, -2] {
        let server = Arc::new(Server::start_tcp(&[]));
        let side = Side::with_clock(server, &RELEASES[2], "1", ahead_s);
        let client = side.client("wrong");
        client.work(QUEUE, "string");
        wait_for_transfer_clients(&side.server, QUEUE, 1);
        let trace = Trace::begin(&side.server, 5, &[]);
        let texts: Vec<String> = (0..20).map(|n| format!("message {n}")).collect();
        let delays = (1_u64..).map(|n| n * 100);
        client.offer(
            QUEUE,
            "string",
            delays.zip(texts.iter().map(String::as_str)),
        );
        let (_, figures) = trace.end();
        let clients = figures["clients"].as_array().unwrap();
        let clocks: Vec<i64> = clients
            .iter()
            .filter_map(|client| client["clock_ms"].as_i64())
            .collect();
        println!("{ahead_s} s ahead: {clocks:?} ms");
        assert_eq!(clocks.len(), 1, "{figures}");
        assert!((clocks[0] - ahead_s * 1_000).abs() <= 50, "{figures}");
    }
}
