//! The flags of each subcommand.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};

use super::{Pick, ScreenFlags};
use crate::clock::when::{Span, TypedMoment};
use crate::ops::demo::Scenario;
use crate::queue::{Form, Queue};

/// `demo`
#[derive(Args)]
#[command(after_help = demo_help())]
pub struct Demo {
    /// The scenarios to play.
    #[arg(long = "scenario", value_name = "NAME", value_delimiter = ',', help = scenarios())]
    pub scenarios: Vec<String>,
    /// Leave the server running afterwards
    #[arg(long)]
    pub keep: bool,
    /// With a server of your own: what the names of the demo's queues start with
    #[arg(long, value_name = "TEXT")]
    pub prefix: Option<String>,
    /// The flags of the screen: as well before the command as after it.
    #[command(flatten)]
    pub screen: ScreenFlags,
}

fn demo_help() -> String {
    let each = Scenario::ALL.map(|it| format!("  {:12} {}\n", it.name(), it.shows()));
    format!(
        "Scenarios:\n{}
Examples:
  delayscope demo
  delayscope demo --scenario classic,burst
  delayscope demo --url redis://localhost/9     on a server of your own, in an empty database
  delayscope demo --url redis://localhost/0 --prefix demo:",
        each.concat()
    )
}

fn scenarios() -> String {
    let names = Scenario::ALL.map(Scenario::name).join(", ");
    format!("What to play: {names} [default: all of them]")
}

/// `queues`
#[derive(Args, Default)]
#[command(after_help = "\
Examples:
  delayscope queues
  delayscope -u redis://localhost:6379/0 queues --json | jq -r 'select(.late > 0).queue'
  delayscope queues --queue orders --queue zset-list:delay_queue,ready_queue")]
pub struct Queues {
    /// Watch for so long first, and tell how late what leaves was
    #[arg(long = "for", value_name = "SPAN", allow_hyphen_values = true)]
    pub span: Option<Span>,
}

/// `show`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope show orders
  delayscope show orders --for 10s              how late messages are
  delayscope show orders --json | jq .transfer_clients
  delayscope show zset-list:delay_queue,ready_queue,ms,right")]
pub struct Show {
    /// The queue.
    #[arg(value_name = "QUEUE", help = super::queue_help())]
    pub queue: Queue,
    /// Watch for so long first, and tell how late what leaves was
    #[arg(long = "for", value_name = "SPAN", allow_hyphen_values = true)]
    pub span: Option<Span>,
}

/// `entries`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope entries orders --late
  delayscope entries orders --due-before +10m --grep customer-42
  delayscope entries orders --id 9f3c2a7714e08b55 --raw --json
  delayscope entries orders --from delivered --limit 5")]
pub struct Entries {
    /// The queue.
    #[arg(value_name = "QUEUE", help = super::queue_help())]
    pub queue: Queue,
    /// The flags that choose among its entries.
    #[command(flatten)]
    pub pick: Pick,
    /// At most N entries [default: 100 on a terminal, else all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,
    /// All of them, also on a terminal
    #[arg(long, conflicts_with = "limit")]
    pub all: bool,
    /// The reading of payloads.
    #[command(flatten)]
    pub payloads: Payloads,
}

/// `search`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope search orders customer-42
  delayscope search orders 'late \"not paid\"'
  delayscope search orders 'due<+1h codec:kryo5' --limit 10
  delayscope search orders 're:/refund-[0-9]{4}/i' --from order --json | jq -r .id

The filter, of which all parts must hold:
  word             in the id or the text, in any case
  \"two words\"      the same, with spaces, or a word like late
  late             the due time has passed
  due<14:10        due before; due>+1h after; also <= and >=
  id:9f3c          ids that begin so
  codec:kryo5      payloads of that codec
  re:/ord(er)?/    a regular expression in the text; re:/…/i in any case

--grep of entries takes the same.")]
pub struct Search {
    /// The queue.
    #[arg(value_name = "QUEUE", help = super::queue_help())]
    pub queue: Queue,
    /// The filter that entries are to match
    #[arg(value_name = "FILTER", required = true)]
    pub filter: Vec<String>,
    /// The place to search [default: what waits and what is late]
    #[arg(long, value_name = "PLACE")]
    pub from: Option<FromFlag>,
    /// Stop after N entries [default: 100 on a terminal, else all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,
    /// The reading of payloads.
    #[command(flatten)]
    pub payloads: Payloads,
}

/// The flags for how payloads are read and shown.
#[derive(Args)]
pub struct Payloads {
    /// Read the payloads as this codec's where they can be: see `decode --list`
    #[arg(long, value_name = "CODEC")]
    pub codec: Option<String>,
    /// The exact bytes too, as hex
    #[arg(long)]
    pub raw: bool,
}

/// The place that entries are taken from.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum FromFlag {
    /// Timeouts: what waits and what is late
    Waiting,
    /// Timeouts: what is late
    Late,
    /// The target list
    Delivered,
    /// The order list
    Order,
    /// The entries that only the order list holds
    OrderOnly,
    /// Quarantine: entries that would break transfers
    Quarantined,
}

/// `watch`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope watch
  delayscope watch orders --interval 250ms
  delayscope watch --json --count 60 > minute.jsonl")]
pub struct Watch {
    /// The queue [default: all]
    #[arg(value_name = "QUEUE")]
    pub queue: Option<Queue>,
    /// Time between two refreshes, 200ms to 60s [default: 1s]
    #[arg(long, value_name = "SPAN", allow_hyphen_values = true)]
    pub interval: Option<Span>,
    /// Stop after N refreshes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
}

/// `traffic`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope traffic
  delayscope traffic orders --json

Only an entry that becomes the head of its queue is announced; the others are silent.")]
pub struct Traffic {
    /// The queue [default: all]
    #[arg(value_name = "QUEUE")]
    pub queue: Option<Queue>,
    /// Stop after N messages
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
}

/// `nodes`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope nodes
  delayscope -u redis-sentinel://a,b,c/0?sentinelMasterId=orders nodes
  delayscope nodes --json | jq -r 'select(.state != \"ok\").node'

LAG is what a replica has not said yet to have, and so what a failover to it would lose.")]
pub struct Nodes {}

/// An offer repeats a message no more often: a server that holds as many is full already.
const MOST_COPIES: u64 = 10_000_000;

/// `offer`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope offer orders 'cancel 42' --in 30m
  delayscope offer orders '{\"id\":42}' --codec typed-json --at 14:10
  delayscope offer orders 42 --codec kryo5 --type Long --in 30m
  printf 'one\\ntwo\\n' | delayscope offer orders - --in 5s
  delayscope offer fresh hello --in 5s --form byte-id
  delayscope offer zset-list:delay_queue,ready_queue hello --in 5s

Without --type, in kryo5, marshalling and serialization a text is a string, save
[\"java.lang.Long\",42] and the like: a value of that class; a date is
[\"java.util.Date\",\"2023-11-14T22:13:20.123Z\"], or its epoch ms, and [\"java.lang.String\",null] is
null. A string that looks so itself is [\"java.lang.String\",\"[\\\"java.lang.Long\\\",42]\"].

The frame's format must be the one that the queue's Redisson clients read: byte-id from 3.21.1 on,
double-id before; with /4 on Windows and 32-bit servers. It is taken from the queue's entries.")]
pub struct Offer {
    /// The queue.
    #[arg(value_name = "QUEUE", help = super::queue_help())]
    pub queue: Queue,
    /// The message; - takes one from each line of standard input
    #[arg(
        value_name = "TEXT",
        required_unless_present = "file",
        allow_hyphen_values = true
    )]
    pub text: Option<String>,
    /// Due after this span: 250ms, 90s, 1h30m
    #[arg(
        long = "in",
        value_name = "SPAN",
        required_unless_present = "at",
        allow_hyphen_values = true
    )]
    pub after: Option<Span>,
    /// Due at this time: 14:10, +5m, 2026-11-20T14:10:00Z, epoch ms
    #[arg(
        long,
        value_name = "TIME",
        conflicts_with = "after",
        allow_hyphen_values = true
    )]
    pub at: Option<TypedMoment>,
    /// Offer each message N times, at most 10,000,000
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=MOST_COPIES))]
    pub count: u64,
    /// The codec of the message.
    #[arg(long, value_name = "CODEC", help = super::codecs("the queue's own, else text"))]
    pub codec: Option<String>,
    /// Of which type it is: String, Integer, Long, Double, Boolean, Float, Short, Byte, Character,
    /// Date; in text only the first four [default: that of the queue's entries, else String]
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Option<String>,
    /// The frame form.
    #[arg(long, value_name = "FORMAT", value_parser = form, help = format!("The frame's format: {} [default: the queue's own]", super::forms()))]
    pub form: Option<Form>,
    /// The message is what this file holds
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    pub file: Option<PathBuf>,
    /// Only say what would be done
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask, not even for more than 1,000 messages
    #[arg(long)]
    pub yes: bool,
    /// Print every entry, not only those that were not done
    #[arg(long)]
    pub each: bool,
}

/// `worker`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope worker orders
  delayscope worker orders --until-empty --yes
  delayscope worker zset-list:delay_queue,ready_queue --yes --json

Runs beside Redisson's own clients: each entry is delivered once. Entries that no client wrote are
skipped and counted, and stay where they are. A backlog that lies deep in the order list is first
transferred in bulk, as `transfer` does it, and journalled so: undo takes that back.")]
pub struct Worker {
    /// The queue.
    #[arg(value_name = "QUEUE", help = super::queue_help())]
    pub queue: Queue,
    /// Move at most N entries in one script. Below 500, a backlog is never worked off in bulk
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=2000))]
    pub batch: u32,
    /// Stop when nothing waits any more
    #[arg(long)]
    pub until_empty: bool,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
}

/// `consume`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope consume orders --peek
  delayscope consume orders --count 1 --yes
  delayscope consume orders --timeout 10s --yes --json

Each message is held on the server until it was printed, and is gone then; it is printed before the
next one is taken. What a consumer that died holds is told by doctor and put back by
`repair QUEUE --put-back`: nothing is lost, but the message that was being printed may come twice.")]
pub struct Consume {
    /// The queue.
    #[arg(value_name = "QUEUE", help = super::queue_help())]
    pub queue: Queue,
    /// Stop after N messages
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// Stop when nothing came for so long [default: wait for more]
    #[arg(long, value_name = "SPAN", allow_hyphen_values = true)]
    pub timeout: Option<Span>,
    /// Only show; take nothing
    #[arg(long, conflicts_with_all = ["timeout", "yes"])]
    pub peek: bool,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
}

/// `decode`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope decode 08a1b2c3d4e5f60718050000000000000068656c6c6f
  redis-cli --no-raw zrange 'redisson_delay_queue_timeout:{orders}' 0 9 | delayscope decode -
  delayscope decode '\\x08\\xa1\\xb2' --json
  redis-cli monitor | delayscope decode -
  delayscope decode --list

Of a line of MONITOR the values of its command are decoded, or what looks like a frame or a payload;
argument counts from 1, behind the command.

What is said as JSON besides the data itself: @class, the type of an object; @fields, its values
where the codec keeps no names; @value, what it is besides its own fields where its class extends a
list, a map or a date; @written, what a class wrote in its own way; @entries, the pairs of a map of
which two keys are the same text; @same, a value that stands around this place; {\"bytes\": hex};
a text that begins with … says what was cut. A key of the data that looks like one of these has one
more @ in front.")]
pub struct Decode {
    /// A member, element or payload; - takes one from each line of standard input
    #[arg(value_name = "TEXT", allow_hyphen_values = true, required_unless_present_any = ["file", "list"])]
    pub text: Option<String>,
    /// The encoding of its bytes. auto: an even number of 8 or more hex digits is hex, a JSON
    /// object or array is as it stands, else escaped
    #[arg(
        long = "as",
        value_name = "ENCODING",
        default_value = "auto",
        hide_possible_values = false
    )]
    pub encoding: Encoding,
    /// Take one from each line of this file
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    pub file: Option<PathBuf>,
    /// Print the names of the codecs
    #[arg(long, action = ArgAction::SetTrue, conflicts_with_all = ["text", "file"])]
    pub list: bool,
    /// Read the payloads as this codec's where they can be: see --list
    #[arg(long, value_name = "CODEC")]
    pub codec: Option<String>,
    /// The payload's bytes too, as hex
    #[arg(long)]
    pub raw: bool,
}

/// The encodings of bytes as text.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum Encoding {
    /// Hex or escaped, by its looks
    Auto,
    /// Two hex digits a byte
    Hex,
    /// Base64, the URL alphabet too
    Base64,
    /// As redis-cli prints it, and we: \xHH, \u{H}, \n, \t, \"
    Escaped,
    /// Its own bytes
    Text,
}

/// The format of a frame by its word.
pub(super) fn form(word: &str) -> Result<Form, String> {
    Form::from_word(word).ok_or_else(|| format!("the formats are {}", super::forms()))
}
