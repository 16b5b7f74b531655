//! The outcome of a change for its entries, one by one and in sum.

use std::io::{self, Write};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::super::output::Output;
use super::super::shape;
use crate::queue::{Change, Outcome, Queue, Summary, Tally, text};

/// The figures that the summary of every change has.
#[derive(Clone, Debug)]
pub(in super::super) struct SummaryFigures<'a> {
    /// The kind of change.
    pub(in super::super) change: Change,
    /// The queue that was changed.
    pub(in super::super) queue: &'a Queue,
    /// Nothing was done.
    pub(in super::super) dry_run: bool,
    /// Number of entries that were to be changed.
    pub(in super::super) planned: u64,
    /// The entry, where it is one and known: its payload's beginning and its id.
    pub(in super::super) entry: Option<&'a str>,
    /// The entries by outcome.
    pub(in super::super) tally: Tally,
    /// Its id in the journal.
    pub(in super::super) journal_id: Option<&'a str>,
    /// The time that it took.
    pub(in super::super) elapsed: Duration,
    /// The time for which the longest script kept the server.
    pub(in super::super) longest: Duration,
    /// Number of transfer clients that listened to a kick, where that is known.
    pub(in super::super) listening: Option<u64>,
    /// Success of a kick, where it is known.
    pub(in super::super) helped: Option<bool>,
}

impl<'a> SummaryFigures<'a> {
    /// Figures of a change that did nothing.
    pub(in super::super) fn of(change: Change, queue: &'a Queue) -> Self {
        Self {
            change,
            queue,
            dry_run: false,
            planned: 0,
            entry: None,
            tally: Tally::default(),
            journal_id: None,
            elapsed: Duration::ZERO,
            longest: Duration::ZERO,
            listening: None,
            helped: None,
        }
    }

    /// Figures of a change that has ended.
    pub(super) fn ended(summary: &'a Summary) -> Self {
        Self {
            planned: summary.tally.sum(),
            tally: summary.tally,
            journal_id: summary.journal_id.as_deref(),
            elapsed: summary.elapsed,
            longest: summary.longest_block,
            listening: summary.listening,
            helped: summary.helped,
            ..Self::of(summary.change, &summary.queue)
        }
    }
}

/// The summary's fields; more may be put behind them.
pub(in super::super) fn fields(figures: &SummaryFigures<'_>) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("change".into(), figures.change.word().into());
    shape::name(&mut fields, &figures.queue.name);
    fields.insert("dry_run".into(), figures.dry_run.into());
    fields.insert("planned".into(), figures.planned.into());
    for outcome in Outcome::ALL {
        let count = figures.tally.get(outcome);
        fields.insert(outcome.word().into(), count.into());
    }
    fields.insert("journal_id".into(), json!(figures.journal_id));
    let elapsed = u64::try_from(figures.elapsed.as_millis()).ok();
    fields.insert("elapsed_ms".into(), json!(elapsed));
    fields.insert("longest_block_ms".into(), json!(ms(figures.longest)));
    fields
}

/// Prints the summary.
pub(super) fn print<W: Write>(
    figures: &SummaryFigures<'_>,
    notes: &[String],
    out: &mut Output<W>,
) -> io::Result<()> {
    if out.is_json() {
        let mut fields = fields(figures);
        fields.insert("notes".into(), notes.into());
        if figures.change == Change::Kick {
            fields.insert("transfer_clients".into(), json!(figures.listening));
            fields.insert("helped".into(), json!(figures.helped));
        }
        out.json(&Value::Object(fields))?;
    } else {
        out.line(&line(figures))?;
    }
    out.flush()
}

/// The summary for people.
fn line(figures: &SummaryFigures<'_>) -> String {
    let name = text::printable_bytes(figures.queue.name.as_bytes());
    if figures.change == Change::Kick {
        return match figures.listening {
            // How many listened is said by a note.
            Some(1..) => format!("woke the clients of {name}"),
            Some(0) | None => format!("published on the channel of {name}"),
        };
    }
    let (done, planned) = (figures.tally.get(Outcome::Done), figures.planned);
    let of = if let (1, 1, Some(entry)) = (done, planned, figures.entry) {
        entry.to_owned()
    } else if done == planned {
        text::counted(planned, "entry", "entries")
    } else {
        format!(
            "{} of {}",
            text::thousands(done),
            text::counted(planned, "entry", "entries")
        )
    };
    let mut line = format!("{} {of} of {name}", figures.change.past());
    for outcome in Outcome::ALL.into_iter().skip(1) {
        let count = figures.tally.get(outcome);
        if count > 0 {
            line.extend([
                ", ",
                &text::thousands(count),
                " ",
                outcome.said(figures.change),
            ]);
        }
    }
    let elapsed = u64::try_from(figures.elapsed.as_millis()).unwrap_or(u64::MAX);
    line.extend([" in ", &text::span(elapsed)]);
    line
}

/// Prints what became of one entry.
pub(in super::super) fn entry<W: Write>(
    id: &str,
    outcome: Outcome,
    reason: Option<&str>,
    out: &mut Output<W>,
) -> io::Result<()> {
    if out.is_json() {
        return out.json(&json!({"id": id, "outcome": outcome.word(), "reason": reason}));
    }
    out.line(&format!(
        "{id}  {:11} {}",
        outcome.of_one(),
        reason.unwrap_or_default()
    ))
}

/// In ms, to the µs.
pub(in super::super) fn ms(span: Duration) -> f64 {
    (span.as_secs_f64() * 1e6).round() / 1e3
}
