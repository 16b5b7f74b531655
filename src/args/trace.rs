//! The flags of `trace`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Payloads;
use crate::clock::when::Span;
use crate::queue::Queue;

/// `trace`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope trace --from monitor.log
  delayscope trace orders --from monitor.log --by message --grep 472861
  delayscope trace orders --from monitor.log --by message --late-over 1s --json
  delayscope trace --from /var/lib/redis/appendonlydir --by message
  timeout 30 redis-cli monitor | delayscope trace orders --from -
  delayscope trace zset-list:delay_queue,ready_queue --from monitor.log

A log is what MONITOR printed, also pasted, broken and cut, or an append-only file (appendonly.aof,
or a folder with its manifest); the kind is found out from the content. Nothing is sent to a server.
MONITOR itself is a heavy load: a server's throughput roughly halves while it runs.

It prints one line for each event, in the order in which they happened:
  offered       by a client, with the due time
  announced     it was the new head: the transfer clients were told its due time
  transferred   moved to the target list, so long after its due time
  consumed      taken from the target list
  polled        taken from the delayed queue before it was due
  requeued      given another due time, or put back
  removed, deleted, expired, renamed    the message, or the key that it was in
  failed        a client's transfer ended half-way

With --by message it prints one line for each message: its fate (waiting, late, delivered, consumed,
polled, removed, deleted, expired, renamed), how late it was and how long it lay in the target list.

A log has commands and no answers: the order of pushes and pops tells who got a message. A fate is
marked ? where the log does not show that the target list held nothing else. A plain sorted set has
to be named, with the list that it is moved to, as in the last example. With --json the last line is
a summary.")]
pub struct Trace {
    /// The queue.
    #[arg(
        value_name = "QUEUE",
        help = format!("{} [default: every Redisson queue of the log]", super::queue_help())
    )]
    pub queue: Option<Queue>,
    /// The log: a file, a folder with an append-only file's manifest, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub from: PathBuf,
    /// Print a line for each event, or for each message
    #[arg(long, value_name = "WHAT", default_value = "event")]
    pub by: By,
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
    /// Print no more than so many lines
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,
    /// The reading of payloads.
    #[command(flatten)]
    pub payloads: Payloads,
}

/// The subject of a line of `trace`.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum By {
    /// One event
    Event,
    /// One message, with all that happened to it
    Message,
}
