//! The flags of changes: which entries, how, and what each change takes besides.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args};

use super::FromFlag;
use crate::clock::when::{BadTime, Span, TypedMoment};
use crate::ops::apply::{Confirm, Limits};
use crate::queue::Queue;

/// The flags that choose entries of a queue.
#[derive(Args)]
#[command(next_help_heading = "Entries")]
pub struct Pick {
    /// Only the entry with this id (16 hex digits); repeatable: for several entries, and with the
    /// same id for several equal ones
    #[arg(long = "id", value_name = "ID")]
    pub ids: Vec<String>,
    /// Only what is late
    #[arg(long)]
    pub late: bool,
    /// Only what is due before: 14:10, +10m, 2026-11-20T14:10:00Z, epoch ms
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub due_before: Option<TypedMoment>,
    /// Only what is due at or after
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub due_after: Option<TypedMoment>,
    /// Only those that this filter lets through: words of the id or text, late, due<14:10,
    /// id:9f3c, codec:kryo5, re:/…/ (see `search --help`)
    #[arg(long, value_name = "TEXT")]
    pub grep: Option<String>,
    /// Place to look in [default: what waits and what is late]
    #[arg(long, value_name = "PLACE")]
    pub from: Option<FromFlag>,
}

/// The flags that choose the entries which a change is about.
#[derive(Args)]
#[command(next_help_heading = "Entries")]
pub struct ChoiceFlags {
    /// The flags that choose entries.
    #[command(flatten)]
    pub pick: Pick,
    /// At most N entries: the first ones
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,
    /// All that are there
    #[arg(long, conflicts_with_all = ["ids", "late", "due_before", "due_after", "grep"])]
    pub all: bool,
}

/// The flags for how a change is made.
#[derive(Args)]
#[command(next_help_heading = "Change")]
pub struct ChangeFlags {
    /// Only say what would be done
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
    /// Print every entry, not only those that were not done
    #[arg(long)]
    pub each: bool,
    /// At most N entries a second: 500/s
    #[arg(long, value_name = "N/s", value_parser = rate)]
    pub rate: Option<f64>,
    /// The longest that a script may keep the server.
    #[arg(long, value_name = "MS", value_parser = block, help = max_block())]
    pub max_block: Option<Duration>,
    /// Wait while more than so many elements are in the target list
    #[arg(long, value_name = "N")]
    pub max_target: Option<u64>,
    /// The most that a replica may be behind, in MB.
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1_000_000), help = max_lag())]
    pub max_lag: Option<u64>,
    /// After each batch, wait until so many replicas have it, or all
    #[arg(long, value_name = "all|N", value_parser = confirm)]
    pub confirm: Option<Confirm>,
}

impl ChangeFlags {
    /// The brakes.
    #[must_use]
    pub fn limits(&self) -> Limits {
        let usual = Limits::default();
        Limits {
            max_block: self.max_block.unwrap_or(usual.max_block),
            per_s: self.rate,
            max_target: self.max_target,
            max_lag: self.max_lag.map_or(usual.max_lag, |mb| mb << 20),
            confirm: self.confirm,
            ..usual
        }
    }
}

fn confirm(text: &str) -> Result<Confirm, String> {
    match text.parse() {
        _ if text == "all" => Ok(Confirm::All),
        Ok(n @ 1..) => Ok(Confirm::Replicas(n)),
        _ => Err(format!(
            "{text:?} is neither \"all\" nor a number of replicas"
        )),
    }
}

fn max_block() -> String {
    let usual = Limits::default().max_block.as_millis();
    format!("No script shall keep the server for longer, in ms [default: {usual}]")
}

fn max_lag() -> String {
    let usual = Limits::default().max_lag >> 20;
    format!("Wait while a replica is further behind, in MB [default: {usual}]")
}

/// The queue, the entries that are changed, and the flags for how.
#[derive(Args)]
pub struct ChangedEntries {
    /// The queue.
    #[arg(value_name = "QUEUE", help = super::queue_help())]
    pub queue: Queue,
    /// The flags that choose among its entries.
    #[command(flatten)]
    pub which: ChoiceFlags,
    /// The flags for how it is made.
    #[command(flatten)]
    pub how: ChangeFlags,
}

/// `transfer`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope transfer orders --dry-run
  delayscope transfer orders --rate 500/s --max-target 10000
  delayscope transfer orders --grep customer-42 --yes --json

Without a choice everything due is transferred. Entries that no client wrote, or with a due time
below 0, stay and are listed.")]
pub struct Transfer {
    /// The entries, and the flags for how.
    #[command(flatten)]
    pub those: ChangedEntries,
}

/// `deliver`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope deliver orders --id 9f3c2a7714e08b55
  delayscope deliver orders --due-before +10m --dry-run
  delayscope deliver orders --grep 'customer-42 codec:kryo5' --limit 10 --yes --each --json")]
pub struct Deliver {
    /// The entries, and the flags for how.
    #[command(flatten)]
    pub those: ChangedEntries,
}

/// `requeue`
#[derive(Args)]
#[command(
    group = ArgGroup::new("new_due").args(["after", "at", "by", "spread"]).required(true).multiple(true),
    after_help = "\
Examples:
  delayscope requeue orders --id 9f3c2a7714e08b55 --in 10m
  delayscope requeue orders --late --spread 30m --dry-run
  delayscope requeue orders --due-before 14:00 --by +2h --yes
  delayscope requeue orders --from delivered --limit 5 --all --at 14:10

What was delivered goes back to waiting; what waits gets a new due time."
)]
pub struct Requeue {
    /// Due after this span from now: 250ms, 90s, 1h30m
    #[arg(
        long = "in",
        value_name = "SPAN",
        conflicts_with_all = ["at", "by"],
        allow_hyphen_values = true
    )]
    pub after: Option<Span>,
    /// Due at this time: 14:10, +5m, 2026-11-20T14:10:00Z, epoch ms
    #[arg(
        long,
        value_name = "TIME",
        conflicts_with = "by",
        allow_hyphen_values = true
    )]
    pub at: Option<TypedMoment>,
    /// Shift of each due time, later or earlier: +2h, -10m
    #[arg(long, value_name = "SPAN", value_parser = shift, allow_hyphen_values = true)]
    pub by: Option<i64>,
    /// Spread evenly over this span, from that moment on (alone: from now on)
    #[arg(long, value_name = "SPAN", allow_hyphen_values = true)]
    pub spread: Option<Span>,
    /// The entries, and the flags for how.
    #[command(flatten)]
    pub those: ChangedEntries,
}

/// `delete`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope delete orders --id 9f3c2a7714e08b55
  delayscope delete orders --grep 're:/\"test\":true/' --dry-run
  delayscope delete orders --from delivered --grep customer-42 --yes --json
  delayscope delete orders --from delivered --all --keep-one

What was deleted can be put back: delayscope undo.")]
pub struct Delete {
    /// One of each that have equal payloads stays: of those that wait the one due first, of those
    /// delivered the one that a consumer takes first
    #[arg(long)]
    pub keep_one: bool,
    /// The entries, and the flags for how.
    #[command(flatten)]
    pub those: ChangedEntries,
}

/// `duplicate`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope duplicate orders --id 9f3c2a7714e08b55
  delayscope duplicate orders --grep customer-42 --dry-run

The same payload is offered again, for the same due time.")]
pub struct Duplicate {
    /// The entries, and the flags for how.
    #[command(flatten)]
    pub those: ChangedEntries,
}

/// `edit`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope edit orders --id 9f3c2a7714e08b55 --file new.json
  echo -n 'cancel 43' | delayscope edit orders --id 9f3c2a7714e08b55 --file -
  delayscope edit orders --id 9f3c2a7714e08b55 --file new.json --codec kryo5 --dry-run

The entry keeps its due time, its place and its type: 43 in the place of a Long is a Long, and a
document keeps the types that Jackson wrote into it.")]
pub struct Edit {
    /// The queue.
    #[arg(value_name = "QUEUE", help = super::queue_help())]
    pub queue: Queue,
    /// The entry with this id (16 hex digits)
    #[arg(long, value_name = "ID", required = true)]
    pub id: String,
    /// Its new payload is what this file holds; - reads standard input
    #[arg(long, value_name = "FILE", required = true)]
    pub file: PathBuf,
    /// The codec of the new payload.
    #[arg(long, value_name = "CODEC", help = super::codecs("the entry's own; where that is unknown its bytes are taken as they are"))]
    pub codec: Option<String>,
    /// Of which type it is: String, Integer, Long, Double, Boolean, Float, Short, Byte, Character,
    /// Date; in text only the first four [default: the entry's own]
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Option<String>,
    /// The flags for how it is made.
    #[command(flatten)]
    pub how: ChangeFlags,
}

/// `kick`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope kick orders
  delayscope kick orders --json | jq .transfer_clients

Every client of the queue checks at once what is due. Where something is late, the result says
after up to 2 s whether this has helped.")]
pub struct Kick {
    /// The queue.
    #[arg(value_name = "QUEUE", help = super::queue_help())]
    pub queue: Queue,
    /// The flags for how it is made.
    #[command(flatten)]
    pub how: ChangeFlags,
}

/// `undo`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope undo
  delayscope undo --dry-run
  delayscope undo 01jd3vh4 --yes --json

Without an id it takes back the newest change on this server that can be and was not; again goes
further back. delayscope journal lists them. An undo can itself be undone.")]
pub struct Undo {
    /// The change's id in the journal [default: the newest]
    #[arg(value_name = "ID")]
    pub id: Option<String>,
    /// Also when the server is not the one that the change was made on; and put back what nobody
    /// wrote down to be deleted, and may be there twice then
    #[arg(long)]
    pub force: bool,
    /// The flags for how it is made.
    #[command(flatten)]
    pub how: ChangeFlags,
}

/// Entries a second.
fn rate(typed: &str) -> Result<f64, &'static str> {
    let number = typed.strip_suffix("/s").unwrap_or(typed).trim();
    let rate = number.parse::<f64>().ok();
    rate.filter(|rate| rate.is_finite() && *rate > 0.0)
        .ok_or("a rate is written 500/s")
}

/// A number of ms, with or without its unit.
fn block(typed: &str) -> Result<Duration, &'static str> {
    let number = typed.strip_suffix("ms").unwrap_or(typed).trim();
    let ms = number.parse::<u64>().ok();
    ms.filter(|ms| (1..=10_000).contains(ms))
        .map(Duration::from_millis)
        .ok_or("it is written in ms, 1 to 10000")
}

/// A span with a sign, in ms; without one it is later.
fn shift(typed: &str) -> Result<i64, BadTime> {
    let typed = typed.trim();
    if let Some(earlier) = typed.strip_prefix('-') {
        return Ok(-earlier.parse::<Span>()?.signed_ms());
    }
    let later = typed.strip_prefix('+').unwrap_or(typed);
    Ok(later.parse::<Span>()?.signed_ms())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_more_than_nothing_a_second() {
        assert_eq!(rate("500/s"), Ok(500.0));
        assert_eq!(rate("0.5"), Ok(0.5));
        for wrong in ["0", "-1/s", "inf", "NaN", "fast", "5/m"] {
            assert!(rate(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_block_is_written_in_ms() {
        assert_eq!(block("25"), Ok(Duration::from_millis(25)));
        assert_eq!(block("25ms"), Ok(Duration::from_millis(25)));
        for wrong in ["0", "1s", "-5", "10001", ""] {
            assert!(block(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_shift_is_later_unless_it_says_earlier() {
        assert_eq!(shift("2h"), Ok(7_200_000));
        assert_eq!(shift("+90s"), Ok(90_000));
        assert_eq!(shift("-10m"), Ok(-600_000));
        assert!(shift("--10m").is_err());
        assert!(shift("10").is_err());
    }
}
