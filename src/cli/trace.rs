//! `trace`: what happened to each message, from a log of commands.

mod printed;
mod sources;
mod summary;

use std::io::{BufRead, Write};

use anyhow::Context as _;

use super::Outcome;
use super::output::Output;
use super::say::NothingMatched;
use super::session::meant;
use crate::args::{self, By};
use crate::config::Config;
use crate::queue::{Queue, text};
use crate::trace::{Life, Log, Record, Tracker};
use printed::Printed;
use sources::{Source, sources};
use summary::{LogEnd, Summary};

/// Bytes that the lives of messages may take; whoever reads a log beside them takes as much.
const MOST_BYTES_OF_LIVES: usize = 32 << 20;

/// Prints what a log tells.
pub(super) fn run<W: Write>(
    asked: &args::Trace,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<Outcome> {
    let mut printed = Printed::new(asked)?;
    let name = asked.from.display();
    let sources = sources(&asked.from)?;
    let mut tracker = Tracker::new(wanted(asked, config), MOST_BYTES_OF_LIVES);
    let mut summary = Summary::default();
    for (at, source) in sources.into_iter().enumerate() {
        let is_live = matches!(source, Source::Input(_));
        let begins_empty = at == 0 && source.may_begin_empty();
        let what = source.name();
        let why = || format!("could not read {what}");
        let mut log = Log::new(source.open()?).with_context(why)?;
        let mut record = Record::default();
        let mut is_first = true;
        while !printed.is_full() && log.read(&mut record).with_context(why)? {
            if is_first && begins_empty && matches!(log, Log::Aof(_)) && !log.skipped_snapshot() {
                tracker.begins_empty();
            }
            is_first = false;
            tracker.read(&record);
            tell(&mut tracker, &mut printed, &mut summary, asked.by, out)?;
            if is_live {
                out.flush()?;
            }
        }
        summary.read(&what, &ended(&log));
    }
    let lives = tracker.finish();
    tell(&mut tracker, &mut printed, &mut summary, asked.by, out)?;
    for life in &lives {
        told(life, &tracker, &mut printed, &mut summary, asked.by, out)?;
    }
    let figures = tracker.figures();
    if figures.commands == 0 && !summary.skipped_snapshot() {
        anyhow::bail!(
            "could not read {name} as a log: it has no line of MONITOR's, and is no append-only \
             file. Save one with `redis-cli monitor > FILE`, or name the server's appendonlydir."
        );
    }
    if figures.messages == 0 {
        let commands = text::counted(figures.commands, "command", "commands");
        return Err(NothingMatched(format!(
            "none of the {commands} in {name} concerns a message of {}",
            followed(wanted(asked, config).as_deref()),
        ))
        .into());
    }
    summary.print(figures, out)?;
    if printed.lines() == 0 {
        let messages = text::counted(figures.messages, "message", "messages");
        return Err(NothingMatched(format!("none of the {messages} in {name} matches.")).into());
    }
    Ok(Outcome::Done)
}

/// The queues that were named; none where every Redisson queue is meant.
fn wanted(asked: &args::Trace, config: &Config) -> Option<Vec<Queue>> {
    match &asked.queue {
        Some(queue) => Some(vec![meant(queue, config)]),
        None if config.queues.is_empty() => None,
        None => Some(config.queues.clone()),
    }
}

/// The queues that were looked for, for the message that none was found.
fn followed(wanted: Option<&[Queue]>) -> String {
    match wanted {
        None => "a Redisson queue. A plain sorted set has to be named: \
                 zset-list:TIMEOUTS,TARGET."
            .to_owned(),
        Some(queues) => {
            let names = queues
                .iter()
                .map(|queue| format!("{:?}", queue.name.text()));
            format!("{}.", names.collect::<Vec<_>>().join(", "))
        }
    }
}

fn ended<R: BufRead>(log: &Log<R>) -> LogEnd {
    LogEnd {
        unreadable: log.unreadable(),
        skipped_snapshot: log.skipped_snapshot(),
        damage: log.damage(),
    }
}

/// Prints what is known since the last record.
fn tell<W: Write>(
    tracker: &mut Tracker,
    printed: &mut Printed,
    summary: &mut Summary,
    by: By,
    out: &mut Output<W>,
) -> anyhow::Result<()> {
    for event in tracker.events() {
        if by == By::Event {
            printed.event(&event, out)?;
        }
    }
    let let_go: Vec<Life> = tracker.let_go().collect();
    for life in &let_go {
        told(life, tracker, printed, summary, by, out)?;
    }
    Ok(())
}

/// Prints a life that is told for good.
fn told<W: Write>(
    life: &Life,
    tracker: &Tracker,
    printed: &mut Printed,
    summary: &mut Summary,
    by: By,
    out: &mut Output<W>,
) -> anyhow::Result<()> {
    let end_us = tracker.figures().last_us;
    summary.count(life.fate(end_us));
    if by == By::Message {
        printed.life(life, end_us, out)?;
    }
    Ok(())
}
