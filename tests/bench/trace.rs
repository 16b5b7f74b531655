//! A log read to its end: megabytes a second on one core, for what `MONITOR` prints when messages
//! are one command in a thousand, when they are all, and when much of them has to be remembered: messages
//! that never end, or that are delivered and never taken, a thousand queues, large payloads; and the most
//! memory that it has taken by then.
//!
//! The first figure is by the time of the processor, which is ours alone however busy the machine is,
//! the second by the clock. `cargo bench --bench trace`; `-- 1024` reads that many megabytes of each.

#![expect(
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark that fails shall say where; no figure here has more than 52 bits"
)]

use std::fs::File;
use std::hint::black_box;
use std::io::{BufReader, Read, Write as _};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use delayscope::clock::instant;
use delayscope::queue::{Form, frame};
use delayscope::trace::{Log, Record, Tracker};
use nix::sys::resource::{UsageWho, getrusage};
use nix::time::ClockId;

/// A real log, which is repeated.
const REAL: &[u8] = include_bytes!("../fixtures/trace/4.7.0/monitor.log");
/// A command of somebody else.
const OTHER: &[u8] =
    b"1795409320.413224 [0 10.0.0.9:55574] \"SET\" \"session:472861\" \"{\\\"user\\\":472861}\"\n";
/// Bytes that the lives may take, as on the command line.
const MEMORY: usize = 28 << 20;

/// A log, by its name.
type Row = (&'static str, fn(usize) -> Box<dyn Read>);

/// What may stand in a log.
const ROWS: [Row; 6] = [
    ("messages alone", |bytes| repeated(0, bytes)),
    ("one command in 1,000", |bytes| {
        let lines = REAL.split(|byte| *byte == b'\n').count();
        repeated(999 * lines, bytes)
    }),
    ("messages that wait", |bytes| generated(bytes, offer)),
    ("delivered, never taken", |bytes| generated(bytes, delivery)),
    ("1,000 queues", |bytes| generated(bytes, of_many_queues)),
    ("large payloads removed", |bytes| generated(bytes, removal)),
];

/// Logs that the command line reads from a file, by their names.
const COMMANDS: [Row; 2] = [
    ("trace --from monitor.log", |bytes| repeated(0, bytes)),
    ("trace --from a.aof", |bytes| generated(bytes, appended)),
];

/// `trace --from FILE --json`: what the command line does of it, its output thrown away; with the time of
/// its process, and the most memory that it has had.
fn command_line((name, log): Row, bytes: usize) {
    let home = tempfile::tempdir().expect("a folder can be made");
    let path = home.path().join("log");
    let mut file = File::create(&path).expect("a file can be made");
    let size = std::io::copy(&mut log(bytes), &mut file).expect("there is room for a log");
    drop(file);
    let begun = instant();
    let status = Command::new(env!("CARGO_BIN_EXE_delayscope"))
        .args(["trace", "--json", "--from"])
        .arg(&path)
        .env("XDG_CONFIG_HOME", home.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.expect("the program runs").success());
    let took = begun.elapsed().as_secs_f64();
    let used = getrusage(UsageWho::RUSAGE_CHILDREN).expect("a process knows its children");
    let spent: f64 = [used.user_time(), used.system_time()]
        .iter()
        .map(|time| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6)
        .sum();
    let read = size as f64 / f64::from(1 << 20);
    println!(
        "{name:24} {:7.0} MB/s  ({:.0} by the clock)  {read:.0} MB, {} MB of memory",
        read / spent,
        read / took,
        used.max_rss() >> 10
    );
}

fn main() {
    // `cargo test` runs benchmarks too, with other arguments.
    if !std::env::args().any(|word| word == "--bench") {
        return;
    }
    let megabytes = std::env::args().find_map(|word| word.parse().ok());
    let bytes = megabytes.unwrap_or(256_usize) << 20;
    // Each in a process of its own: the most memory that one has had is never less again.
    let Some(row): Option<usize> =
        std::env::args().find_map(|word| word.strip_prefix("--row=")?.parse().ok())
    else {
        for row in 0..ROWS.len() + COMMANDS.len() {
            let row = format!("--row={row}");
            let size = (bytes >> 20).to_string();
            let program = std::env::current_exe().expect("this program has a path");
            let one = Command::new(program)
                .args(["--bench", &row, &size])
                .status();
            assert!(one.expect("this program runs again").success());
        }
        return;
    };
    if let Some(command) = row.checked_sub(ROWS.len()) {
        command_line(COMMANDS[command], bytes);
        return;
    }
    let (name, log): Row = ROWS[row];
    let counted = Arc::new(AtomicUsize::new(0));
    let log = Counted(log(bytes), counted.clone());
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
    let read = counted.load(Ordering::Relaxed) as f64 / f64::from(1 << 20);
    let figures = tracker.figures();
    println!(
        "{name:24} {:7.0} MB/s  ({:.0} by the clock)  {read:.0} MB, {events} events of {} messages, {} \
         told before their end, {} MB of memory",
        read / spent,
        read / took,
        figures.messages,
        figures.forgotten,
        memory() >> 10
    );
}

/// A log whose bytes are counted as they are read.
struct Counted(Box<dyn Read>, Arc<AtomicUsize>);

impl Read for Counted {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let read = self.0.read(into)?;
        self.1.fetch_add(read, Ordering::Relaxed);
        Ok(read)
    }
}

/// The real log again and again, so many commands of others behind it each time.
fn repeated(others: usize, bytes: usize) -> Box<dyn Read> {
    let round = REAL.len() + OTHER.len() * others;
    Box::new(Repeated::new(others, bytes.div_ceil(round)))
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

/// Writes what `MONITOR` prints of the message with this number.
type Writer = fn(&mut Vec<u8>, u64) -> std::io::Result<()>;

/// A log of messages that are all different.
struct Generated {
    write: Writer,
    messages: u64,
    record: Vec<u8>,
    /// Bytes of the record that are still to be read.
    left: usize,
    /// Bytes of the log that are still to be read.
    log_left: usize,
}

fn generated(bytes: usize, write: Writer) -> Box<dyn Read> {
    Box::new(Generated {
        write,
        messages: 0,
        record: Vec::new(),
        left: 0,
        log_left: bytes,
    })
}

/// The head of a record of the message with this number.
fn head(message: u64) -> String {
    let at = 1_795_409_320_000_000 + message * 500;
    let (second, micros) = (at / 1_000_000, at % 1_000_000);
    format!("{second}.{micros:06}")
}

/// The frame of a message, and its payload.
fn framed(message: u64) -> (String, String) {
    let payload =
        format!(r#"{{\"orderId\":{message:010},\"customer\":\"alice\",\"amount\":645.88}}"#);
    // Eight bytes, all printable.
    let length = r"9\x00\x00\x00\x00\x00\x00\x00";
    (format!(r"\b{message:08x}{length}{payload}"), payload)
}

/// An offer of what falls due long after the log: the most to remember.
fn offer(into: &mut Vec<u8>, message: u64) -> std::io::Result<()> {
    offer_to(into, message, "orders")
}

fn offer_to(into: &mut Vec<u8>, message: u64, queue: &str) -> std::io::Result<()> {
    let (at, (member, _)) = (head(message), framed(message));
    let due = 1_795_409_320_000 + message / 2 + 3_600_000;
    let timeouts = format!("redisson_delay_queue_timeout:{{{queue}}}");
    write!(
        into,
        "{at} [0 10.0.0.9:55574] \"EVALSHA\" \"c04f\" \"4\" \"{queue}\" \"{timeouts}\"\n\
         {at} [0 lua] \"zadd\" \"{timeouts}\" \"{due}\" \"{member}\"\n\
         {at} [0 lua] \"rpush\" \"redisson_delay_queue:{{{queue}}}\" \"{member}\"\n\
         {at} [0 lua] \"zrange\" \"{timeouts}\" \"0\" \"0\"\n"
    )
}

/// A transfer of what was offered before, and nobody takes.
fn delivery(into: &mut Vec<u8>, message: u64) -> std::io::Result<()> {
    let (at, (member, payload)) = (head(message), framed(message));
    let timeouts = "redisson_delay_queue_timeout:{orders}";
    let order = "redisson_delay_queue:{orders}";
    write!(
        into,
        "{at} [0 10.0.0.9:55574] \"EVALSHA\" \"a3a8\" \"3\" \"orders\" \"{timeouts}\"\n\
         {at} [0 lua] \"rpush\" \"orders\" \"{payload}\"\n\
         {at} [0 lua] \"lrem\" \"{order}\" \"1\" \"{member}\"\n\
         {at} [0 lua] \"zrem\" \"{timeouts}\" \"{member}\"\n"
    )
}

/// An offer to one queue after another, and the transfer of a client that looks there.
fn of_many_queues(into: &mut Vec<u8>, message: u64) -> std::io::Result<()> {
    let queue = format!("orders-{}", message % 1_000);
    offer_to(into, message, &queue)?;
    let at = head(message);
    let timeouts = format!("redisson_delay_queue_timeout:{{{queue}}}");
    let now = 1_795_409_320_000 + message / 2;
    write!(
        into,
        "{at} [0 10.0.0.9:55574] \"EVALSHA\" \"a3a86b949561b56e14c274ad54368afeff259bc8\" \"3\" \
         \"{queue}\" \"{timeouts}\"\n\
         {at} [0 lua] \"zrangebyscore\" \"{timeouts}\" \"0\" \"{now}\" \"limit\" \"0\" \"100\"\n\
         {at} [0 lua] \"zrange\" \"{timeouts}\" \"0\" \"0\" \"WITHSCORES\"\n"
    )
}

/// A message of 100 kB that is offered, and removed before anybody transfers it.
fn removal(into: &mut Vec<u8>, message: u64) -> std::io::Result<()> {
    let at = head(message);
    let member = format!("{message:08}{}", "x".repeat(100_000));
    let timeouts = "redisson_delay_queue_timeout:{orders}";
    write!(
        into,
        "{at} [0 10.0.0.9:55574] \"ZADD\" \"{timeouts}\" \"1795409999000\" \"{member}\"\n\
         {at} [0 10.0.0.9:55574] \"ZREM\" \"{timeouts}\" \"{member}\"\n"
    )
}

/// What an append-only file holds of a message that is offered and transferred.
fn appended(into: &mut Vec<u8>, message: u64) -> std::io::Result<()> {
    let payload =
        format!(r#"{{"orderId":{message:010},"customer":"alice","amount":645.88}}"#).into_bytes();
    let member = frame::encode(Form::ByteId, message.to_be_bytes(), &payload);
    let timeouts: &[u8] = b"redisson_delay_queue_timeout:{orders}";
    let order: &[u8] = b"redisson_delay_queue:{orders}";
    let second = 1_795_409_320 + message / 2_000;
    let due = format!("{second}000").into_bytes();
    write!(into, "#TS:{second}\r\n")?;
    for words in [
        &[&b"MULTI"[..]][..],
        &[b"zadd", timeouts, &due, &member],
        &[b"rpush", order, &member],
        &[b"EXEC"],
        &[b"MULTI"],
        &[b"rpush", b"orders", &payload],
        &[b"lrem", order, b"1", &member],
        &[b"zrem", timeouts, &member],
        &[b"EXEC"],
        &[b"LPOP", b"orders"],
    ] {
        write!(into, "*{}\r\n", words.len())?;
        for word in words {
            write!(into, "${}\r\n", word.len())?;
            into.extend_from_slice(word);
            into.extend_from_slice(b"\r\n");
        }
    }
    Ok(())
}

impl Read for Generated {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.left == 0 {
            self.messages += 1;
            self.record.clear();
            (self.write)(&mut self.record, self.messages)?;
            self.left = self.record.len();
        }
        let from = self.record.len() - self.left;
        let some = self.left.min(into.len()).min(self.log_left);
        into[..some].copy_from_slice(&self.record[from..from + some]);
        self.left -= some;
        self.log_left -= some;
        Ok(some)
    }
}
