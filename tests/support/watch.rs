//! What others notice of a change: how long another client waits, and the slowest script.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use delayscope::clock::instant;
use redis::Value;

use crate::support::Server;

/// Another client, which sends a PING each millisecond.
pub struct Watch {
    ended: Arc<AtomicBool>,
    pinging: JoinHandle<Duration>,
}

/// What it noticed.
#[derive(Clone, Copy, Default)]
pub struct Noticed {
    /// The longest that a PING waited for its answer.
    pub ping: Duration,
    /// The longest that a script or a transaction kept the server.
    pub script: Duration,
}

impl Watch {
    /// Begins to look.
    pub fn begin(server: &Server) -> Self {
        server.cmd(&["CONFIG", "SET", "slowlog-log-slower-than", "200"]);
        server.cmd(&["CONFIG", "SET", "slowlog-max-len", "20000"]);
        server.cmd(&["SLOWLOG", "RESET"]);
        server.cmd(&["CONFIG", "SET", "latency-monitor-threshold", "1"]);
        server.cmd(&["LATENCY", "RESET"]);
        server.cmd(&["CONFIG", "RESETSTAT"]);
        let ended = Arc::new(AtomicBool::new(false));
        let stream = UnixStream::connect(server.socket()).unwrap();
        let end = Arc::clone(&ended);
        let pinging = std::thread::spawn(move || longest_ping(stream, &end));
        Self { ended, pinging }
    }

    /// What there was to notice up to now.
    pub fn end(self, server: &Server) -> Noticed {
        self.ended.store(true, Ordering::Relaxed);
        Noticed {
            ping: self.pinging.join().unwrap(),
            script: slowest_script(server, |_| true).max(slowest_transaction(server)),
        }
    }
}

fn longest_ping(mut stream: UnixStream, ended: &AtomicBool) -> Duration {
    let mut longest = Duration::ZERO;
    let mut pong = [0; 7];
    while !ended.load(Ordering::Relaxed) {
        let asked = instant();
        stream.write_all(b"PING\r\n").unwrap();
        stream.read_exact(&mut pong).unwrap();
        longest = longest.max(asked.elapsed());
        std::thread::sleep(Duration::from_millis(1));
    }
    longest
}

/// The slowest script since the slow log was emptied, of those whose text or SHA-1 is wanted.
pub fn slowest_script(server: &Server, wanted: impl Fn(&str) -> bool) -> Duration {
    let took = script_times(server, wanted).into_iter().max();
    took.unwrap_or_default()
}

/// The slowest transaction can have taken no longer than this since a [`Watch`] began: the slow log
/// has the commands of one, but not their EXEC. The histogram of EXEC ends at a power of two; the
/// latency monitor has the slowest of all commands, in whole ms.
pub fn slowest_transaction(server: &Server) -> Duration {
    let mut asked = redis::cmd("LATENCY");
    let exec = asked.arg("HISTOGRAM").arg("exec");
    let within = match exec.query(&mut server.connection()) {
        Ok(exec) => largest_key(&exec).map_or(Duration::ZERO, Duration::from_micros),
        // Before Redis 7.0 there is the monitor alone.
        Err(_) => Duration::MAX,
    };
    let events: Vec<Vec<Value>> =
        redis::from_redis_value(server.cmd(&["LATENCY", "LATEST"])).unwrap();
    // The name, when it was last, how long it took then, how long it took at most; later servers
    // tell more.
    let slowest = events.iter().map(|event| match &event[..] {
        [Value::BulkString(name), _, _, Value::Int(most), ..] if name == b"command" => *most,
        _ => 0,
    });
    let slowest = u64::try_from(slowest.max().unwrap_or(0)).unwrap();
    within.min(Duration::from_millis(slowest + 1))
}

/// The largest upper bound of `[exec, [calls, N, histogram_usec, [BOUND, COUNT, …]]]`.
fn largest_key(value: &Value) -> Option<u64> {
    let Value::Array(of) = value else { return None };
    let Value::Array(fields) = of.get(1)? else {
        return None;
    };
    let Value::Array(bounds) = fields.get(3)? else {
        return None;
    };
    let bounds = bounds.iter().step_by(2);
    bounds
        .filter_map(|bound| redis::from_redis_value(bound.clone()).ok())
        .max()
}

/// How long each of them took.
pub fn script_times(server: &Server, wanted: impl Fn(&str) -> bool) -> Vec<Duration> {
    let log: Vec<Vec<Value>> =
        redis::from_redis_value(server.cmd(&["SLOWLOG", "GET", "-1"])).unwrap();
    let took = log.into_iter().filter_map(|mut line| {
        // Arguments are any bytes.
        let words: Vec<Vec<u8>> = redis::from_redis_value(line.remove(3)).unwrap();
        let micros: u64 = redis::from_redis_value(line.remove(2)).unwrap();
        let word = |i: usize| String::from_utf8_lossy(&words[i]);
        let script = word(0).to_uppercase().starts_with("EVAL") && wanted(&word(1));
        script.then(|| Duration::from_micros(micros))
    });
    took.collect()
}
