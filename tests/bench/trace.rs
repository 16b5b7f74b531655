//! A log read to its end: megabytes a second on one core, for what `MONITOR` prints when messages
//! are one command in a thousand, when they are all, and when they are all and none of them ever ends;
//! and the most memory that it has taken by then.
//!
//! The first figure is by the time of the processor, which is ours alone however busy the machine is,
//! the second by the clock. `cargo bench --bench trace`; `-- 1024` reads that many megabytes of each.

#![expect(
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark that fails shall say where; no figure here has more than 52 bits"
)]

use std::hint::black_box;
use std::io::{BufReader, Read, Write as _};
use std::time::Duration;

use delayscope::clock::instant;
use delayscope::trace::{Log, Record, Tracker};
use nix::time::ClockId;

/// A real log, which is repeated.
const REAL: &[u8] = include_bytes!("../fixtures/trace/4.7.0/monitor.log");
/// A command of somebody else.
const OTHER: &[u8] =
    b"1795409320.413224 [0 10.0.0.9:55574] \"SET\" \"session:472861\" \"{\\\"user\\\":472861}\"\n";
/// Bytes that the lives may take, as on the command line.
const MEMORY: usize = 32 << 20;

fn main() {
    // `cargo test` runs benchmarks too, with other arguments.
    if !std::env::args().any(|word| word == "--bench") {
        return;
    }
    let megabytes = std::env::args().find_map(|word| word.parse().ok());
    let bytes = megabytes.unwrap_or(256_usize) << 20;
    let lines = REAL.split(|byte| *byte == b'\n').count();
    let repeated = |others: usize| {
        let round = REAL.len() + OTHER.len() * others;
        let rounds = bytes.div_ceil(round);
        let log: Box<dyn Read> = Box::new(Repeated::new(others, rounds));
        (log, rounds * round)
    };
    let waiting = || -> (Box<dyn Read>, usize) { (Box::new(Waiting::new(bytes)), bytes) };
    for (name, (log, bytes)) in [
        ("messages alone", repeated(0)),
        ("one command in 1,000", repeated(999 * lines)),
        ("messages that wait", waiting()),
    ] {
        let (begun, spent) = (instant(), processor());
        let input = BufReader::with_capacity(256 << 10, log);
        let mut log = Log::new(input).expect("memory can be read");
        let mut tracker = Tracker::new(None, MEMORY);
        let mut record = Record::default();
        let mut events = 0;
        while log.read(&mut record).expect("memory can be read") {
            tracker.read(&record);
            events += tracker.events().count();
            for life in tracker.let_go() {
                black_box(life);
            }
        }
        let (took, spent) = (begun.elapsed().as_secs_f64(), processor() - spent);
        let read = bytes as f64 / f64::from(1 << 20);
        println!(
            "{name:22} {:7.0} MB/s  ({:.0} by the clock)  {read:.0} MB, {events} events, {} MB of memory",
            read / spent,
            read / took,
            memory() >> 10
        );
    }
}

/// The time that this process has had of a processor, in seconds.
fn processor() -> f64 {
    let time = ClockId::CLOCK_PROCESS_CPUTIME_ID.now();
    Duration::from(time.expect("the clock can be read")).as_secs_f64()
}

/// The most memory that this process has had, in kB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let figure = most.and_then(|most| most.split_whitespace().next()?.parse().ok());
    figure.unwrap_or(0)
}

/// The real log again and again, so many commands of others behind it each time.
struct Repeated {
    left: &'static [u8],
    others: usize,
    others_left: usize,
    rounds: usize,
}

impl Repeated {
    fn new(others: usize, rounds: usize) -> Self {
        Self {
            left: &[],
            others,
            others_left: 0,
            rounds,
        }
    }
}

impl Read for Repeated {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let mut all = 0;
        while all < into.len() {
            if self.left.is_empty() {
                if self.others_left > 0 {
                    self.others_left -= 1;
                    self.left = OTHER;
                } else if self.rounds > 0 {
                    self.rounds -= 1;
                    (self.left, self.others_left) = (REAL, self.others);
                } else {
                    break;
                }
            }
            all += self.left.read(&mut into[all..])?;
        }
        Ok(all)
    }
}

/// Offers of messages that are all different and fall due long after the log: the most to remember.
struct Waiting {
    offers: u64,
    record: Vec<u8>,
    /// Bytes of the record that are still to be read.
    left: usize,
    /// Bytes of the log that are still to be read.
    log_left: usize,
}

impl Waiting {
    const fn new(bytes: usize) -> Self {
        Self {
            offers: 0,
            record: Vec::new(),
            left: 0,
            log_left: bytes,
        }
    }

    /// What `MONITOR` prints of one more offer.
    fn offer(&mut self) -> std::io::Result<()> {
        self.offers += 1;
        let at = 1_795_409_320_000_000 + self.offers * 500;
        let (second, micros) = (at / 1_000_000, at % 1_000_000);
        let due = at / 1_000 + 3_600_000;
        // Eight bytes, all printable.
        let id = format!("{:08x}", self.offers);
        let length = r"9\x00\x00\x00\x00\x00\x00\x00";
        let member = format!(
            r#"\b{id}{length}{{\"orderId\":{:010},\"customer\":\"alice\",\"amount\":645.88}}"#,
            self.offers
        );
        let timeouts = "redisson_delay_queue_timeout:{orders}";
        self.record.clear();
        write!(
            self.record,
            "{second}.{micros:06} [0 10.0.0.9:55574] \"EVALSHA\" \"c04f\" \"4\" \"orders\" \"{timeouts}\"\n\
             {second}.{micros:06} [0 lua] \"zadd\" \"{timeouts}\" \"{due}\" \"{member}\"\n\
             {second}.{micros:06} [0 lua] \"rpush\" \"redisson_delay_queue:{{orders}}\" \"{member}\"\n\
             {second}.{micros:06} [0 lua] \"zrange\" \"{timeouts}\" \"0\" \"0\"\n"
        )?;
        self.left = self.record.len();
        Ok(())
    }
}

impl Read for Waiting {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.left == 0 {
            self.offer()?;
        }
        let from = self.record.len() - self.left;
        let some = self.left.min(into.len()).min(self.log_left);
        into[..some].copy_from_slice(&self.record[from..from + some]);
        self.left -= some;
        self.log_left -= some;
        Ok(some)
    }
}
