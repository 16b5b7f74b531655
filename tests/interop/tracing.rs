//! What happens to messages, traced beside the real client: no life is lost, and what test messages
//! tell of its times is what it tells itself.
//!
//! `LONG=1`: for half a minute, not for three seconds.

use std::collections::BTreeSet;
use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use delayscope::clock::instant;
use serde_json::Value;

use crate::peer::{RELEASES, Side};
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
    fn begin(server: &Server, seconds: usize) -> Self {
        let home = room();
        let said = File::create(home.path().join("lives")).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_delayscope"))
            .args(["-u", &server.url(), "trace", QUEUE])
            .args(["--for", &format!("{seconds}s")])
            .args(["--by", "message", "--json", "--yes"])
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
    let trace = Trace::begin(server, seconds + MORE);
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

/// Test messages beside a worker and a consumer, which says itself when it had each.
pub fn test_messages_tell_the_clients_own_times() {
    let side = Side::start(&RELEASES[2], "1");
    let [worker, consumer] = ["worker", "consumer"].map(|name| side.client(name));
    worker.work(QUEUE, "string");
    let hears = consumer.consume(QUEUE, "string");
    let home = room();
    let output = Command::new(env!("CARGO_BIN_EXE_delayscope"))
        .args(["-u", &side.server.url(), "trace", QUEUE, "--probe", "20"])
        .args(["--in", "100ms", "--form", "byte-id", "--yes", "--json"])
        .env("XDG_STATE_HOME", home.path())
        .env("XDG_CONFIG_HOME", home.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{complaints}");
    let mut probes = lines(&said);
    probes.pop();
    assert_eq!(probes.len(), 20, "{said}");
    let mut apart: Vec<i64> = probes
        .iter()
        .map(|probe| {
            let ms = |name: &str| probe[name].as_i64().unwrap();
            assert!(ms("transferred_ms") <= ms("taken_ms"), "{probe}");
            let (at, _) = hears.took().expect("each to be taken");
            at - ms("taken_ms")
        })
        .collect();
    println!("its own times behind ours, in ms: {apart:?}");
    apart.sort_unstable();
    // Half of them: what keeps the machine now and then is neither side's doing.
    let most = if std::env::var_os("QUIET_MACHINE").is_some() {
        2
    } else {
        50
    };
    assert!(
        apart[5].abs() <= most && apart[14].abs() <= most,
        "{apart:?}"
    );
}
