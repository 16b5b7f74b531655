//! The flags of `trace`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Payloads;
use crate::clock::when::Span;
use crate::ops::trace::Brakes;
use crate::queue::{Form, Queue};

/// Test messages at most: each takes seconds.
const MOST_PROBES: u64 = 1_000;

/// Test messages, unless told how many.
const USUAL_PROBES: &str = "5";

/// The flags of logs and of MONITOR.
const NOT_OF_A_PROBE: [&str; 10] = [
    "from",
    "follow",
    "span",
    "max_rate",
    "by",
    "ids",
    "grep",
    "late_over",
    "limit",
    "raw",
];

/// `trace`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope trace orders --for 30s
  delayscope trace orders --for 2m --by message --late-over 1s --json
  delayscope trace orders --probe
  delayscope trace --from monitor.log
  delayscope trace orders --from monitor.log --by message --grep 472861
  delayscope trace orders --from monitor.log --by message --late-over 1s --json
  delayscope trace orders --from monitor.log --follow
  delayscope trace --from /var/lib/redis/appendonlydir --by message
  timeout 30 redis-cli monitor | delayscope trace orders --from -
  delayscope trace zset-list:delay_queue,ready_queue --from monitor.log

Without --from it follows messages while they live, by MONITOR: the server copies each command that
it runs to us, and its throughput roughly halves. So it says first how many commands a second that
is, asks where they are more than 5,000, and ends by itself after 30 seconds, above --max-rate, when
16 MB wait on the server to be sent, and when we read too slowly. However it ends, MONITOR is off
then. It needs the right to run MONITOR, which managed services often do not give. To name the clients
it asks for CLIENT LIST at the beginning, and where others have come at the end, unless the server has
more than 10,000 of them, or INFO may not be asked how many.

With --probe it needs no MONITOR: test messages are offered to the queue, and looked up until a
consumer has taken them. One that nobody transfers, or nobody takes, within 10 seconds (--timeout) is taken
back. Their times are right to a few milliseconds, as is told of each.

With --from it reads a log, and nothing is sent to a server. A log is what MONITOR printed, also
pasted, broken and cut, or an append-only file (appendonly.aof, or a folder with its manifest); the
kind is found out from the content.

It prints one line for each event, in the order in which they happened:
  offered       by a client, with the due time
  announced     it was the new head: the transfer clients were told its due time
  transferred   moved to the target list, so long after its due time
  in-vain       another client ran the same transfer after that, and found nothing
  consumed      taken from the target list
  polled        taken from the delayed queue before it was due
  requeued      given another due time, or put back
  edited        given other bytes: a line for what it was, and one for what it is now
  removed, deleted, expired, renamed    the message, or the key that it was in
  failed        a client's transfer ended half-way

With --by message it prints one line for each message: its fate (waiting, late, delivered, consumed,
polled, removed, edited, deleted, expired, renamed), how late it was and how long it lay in the target list. Behind its text stand the steps between: which
client had set its timer to it, since when that listens, and when a client first asked for it.

MONITOR and a log have commands and no answers: the order of pushes and pops tells who got a message. A fate is
marked ? where other messages may have been in the target list. A plain sorted set has
to be named, with the list that it is moved to, as in the last example. With --json the last line is
a summary.")]
pub struct Trace {
    /// The queue.
    #[arg(
        value_name = "QUEUE",
        help = format!("{} [default: every Redisson queue]", super::queue_help())
    )]
    pub queue: Option<Queue>,
    /// Read a log instead of a server: a file, a folder with an append-only file's manifest, or -
    /// for standard input
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// At the end of the log go on as it grows, also where another file takes its name, until
    /// Ctrl-C
    #[arg(long, requires = "from")]
    pub follow: bool,
    /// Run MONITOR for so long, at most 5m [default: 30s]
    #[arg(long = "for", value_name = "SPAN", conflicts_with = "from")]
    pub span: Option<Span>,
    /// Let --for be longer than 5m
    #[arg(long, requires = "span")]
    pub long: bool,
    /// End MONITOR when the server runs more commands a second
    #[arg(long, value_name = "N", conflicts_with = "from", value_parser = clap::value_parser!(u64).range(1..), help = max_rate())]
    pub max_rate: Option<u64>,
    /// Offer so many test messages, 5 unless told otherwise, one after another, and tell how each
    /// fares, without MONITOR; consumers get them
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = USUAL_PROBES, conflicts_with_all = NOT_OF_A_PROBE, value_parser = clap::value_parser!(u64).range(1..=MOST_PROBES))]
    pub probe: Option<u64>,
    /// The text of a test message, in the codec of the queue [default: one with a mark]
    #[arg(long, value_name = "TEXT", requires = "probe")]
    pub payload: Option<String>,
    /// A test message is due after this [default: 1s]
    #[arg(long = "in", value_name = "SPAN", requires = "probe")]
    pub after: Option<Span>,
    /// Take a test message back when nothing happened to it for so long [default: 10s]
    #[arg(long, value_name = "SPAN", requires = "probe")]
    pub timeout: Option<Span>,
    /// The frame's format of a test message [default: the queue's own]
    #[arg(long, value_name = "FORMAT", value_parser = super::commands::form, requires = "probe")]
    pub form: Option<Form>,
    /// Do not ask before MONITOR, nor before test messages
    #[arg(long, conflicts_with = "from")]
    pub yes: bool,
    /// Print a line for each event, or for each message
    #[arg(long, value_name = "WHAT", default_value = "event")]
    pub by: LineSubject,
    /// Only messages whose id begins so; repeatable
    #[arg(long = "id", value_name = "ID")]
    pub ids: Vec<String>,
    /// Only messages that this filter lets through: words of the id or text, due<14:10, id:9f3c,
    /// codec:kryo5, re:/…/ (see `search --help`)
    #[arg(long, value_name = "TEXT")]
    pub grep: Option<String>,
    /// Only what was transferred so long after its due time, or with --by message is late by so
    /// much at the end
    #[arg(long, value_name = "SPAN")]
    pub late_over: Option<Span>,
    /// Print at most N lines
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,
    /// The reading of payloads.
    #[command(flatten)]
    pub payloads: Payloads,
}

fn max_rate() -> String {
    let usual = Brakes::USUAL.commands_per_s;
    format!("End MONITOR when the server runs more commands a second [default: {usual}]")
}

/// The subject of a line of `trace`.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum LineSubject {
    /// One event
    Event,
    /// One message, with all that happened to it
    Message,
}
