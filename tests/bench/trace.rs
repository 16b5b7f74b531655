//! A log read to its end: megabytes a second on one core, for what `MONITOR` prints when messages
//! are one command in a thousand, and when they are all.
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
use std::io::{BufReader, Read};
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
    for (name, others) in [("messages alone", 0), ("one command in 1,000", 999 * lines)] {
        let round = [REAL, &OTHER.repeat(others)].concat();
        let rounds = bytes.div_ceil(round.len());
        let (begun, spent) = (instant(), processor());
        let input = BufReader::with_capacity(256 << 10, Repeated::new(&round, rounds));
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
        let read = (rounds * round.len()) as f64 / f64::from(1 << 20);
        println!(
            "{name:22} {:7.0} MB/s  ({:.0} by the clock)  {read:.0} MB, {events} events",
            read / spent,
            read / took
        );
    }
}

/// The time that this process has had of a processor, in seconds.
fn processor() -> f64 {
    let time = ClockId::CLOCK_PROCESS_CPUTIME_ID.now();
    Duration::from(time.expect("the clock can be read")).as_secs_f64()
}

/// The same bytes again and again.
struct Repeated<'a> {
    round: &'a [u8],
    left: &'a [u8],
    rounds: usize,
}

impl<'a> Repeated<'a> {
    fn new(round: &'a [u8], rounds: usize) -> Self {
        Self {
            round,
            left: &[],
            rounds,
        }
    }
}

impl Read for Repeated<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.left.is_empty() && self.rounds > 0 {
            self.rounds -= 1;
            self.left = self.round;
        }
        self.left.read(into)
    }
}
