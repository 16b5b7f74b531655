//! `trace`: what happened to each message, from a log of commands or live.

mod live;
mod printed;
mod probe;
mod sources;
mod summary;

use std::io::{BufRead, Write};
use std::path::Path;

use anyhow::Context as _;

use super::CommandOutcome;
use super::output::Output;
use super::say::{self, NothingMatched};
use super::session::meant;
use crate::args::{self, LineSubject};
use crate::config::Config;
use crate::queue::{Queue, text};
use crate::trace::aof::Aof;
use crate::trace::{Event, Life, Log, Record, Tracker};
use printed::LinePrinter;
use sources::{Source, sources};
use summary::{LogEnd, TraceSummary};

/// Bytes that a trace may remember: lives, the elements of targets, queues, and whoever waits. Whoever
/// reads a log beside it takes as much.
const MOST_BYTES_OF_LIVES: usize = 28 << 20;

/// Prints what a log tells, what MONITOR does, or what test messages do.
pub(super) async fn run<W: Write>(
    asked: &args::Trace,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    match &asked.from {
        Some(from) => read(from, asked, config, out),
        None => match asked.probe {
            Some(count) => Box::pin(probe::run(count, asked, config, out)).await,
            None => live::run(asked, config, out).await,
        },
    }
}

/// Prints what a log tells.
fn read<W: Write>(
    from: &Path,
    asked: &args::Trace,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let mut account = Account::new(asked, config, out)?;
    let name = from.display();
    let all = sources(from, asked.follow)?;
    let last = all.len().saturating_sub(1);
    for (at, source) in all.into_iter().enumerate() {
        let is_live = matches!(source, Source::Input(_));
        let begins_empty = at == 0 && source.may_begin_empty();
        let what = source.name();
        let why = || format!("could not read {what}");
        // However a part begins that is damaged there, it is no other kind of log.
        let is_part = matches!(source, Source::Part(_));
        let input = source.open()?;
        let mut log = if is_part {
            Log::Aof(Aof::new(input))
        } else {
            Log::new(input).with_context(why)?
        };
        let mut record = Record::default();
        let mut is_first = true;
        while !(is_live && account.is_full()) && log.read(&mut record).with_context(why)? {
            if is_first && begins_empty && matches!(log, Log::Aof(_)) && !log.skipped_snapshot() {
                account.tracker.begins_empty();
            }
            is_first = false;
            account.read(&record)?;
            if is_live {
                account.out.flush()?;
            }
        }
        let ended = ended(&log);
        account.summary.read(&what, &ended, at == last);
        if ended.damage.is_some() && at < last {
            // The parts behind it go on from what it should have told.
            account.tracker.lacks_some();
            account.tell()?;
        }
        account.summary.ended_by_limit |= is_live && account.is_full();
    }
    account.finish()?;
    if account.tracker.figures().commands == 0 && !account.summary.skipped_snapshot() {
        anyhow::bail!(
            "could not read {name} as a log: it has no line of MONITOR's, and is no append-only \
             file. Save one with `redis-cli monitor > FILE`, or name the server's appendonlydir."
        );
    }
    account.print(&format!("in {name}"))?;
    Ok(CommandOutcome::Done)
}

/// The events and lives that commands tell of, printed as they become known.
struct Account<'a, W: Write> {
    tracker: Tracker,
    printed: LinePrinter,
    summary: TraceSummary,
    by: LineSubject,
    /// The queues that it is about; none: every Redisson queue.
    wanted: Option<Vec<Queue>>,
    /// A client has appeared of which nothing is known but its address.
    has_strangers: bool,
    out: &'a mut Output<W>,
}

impl<'a, W: Write> Account<'a, W> {
    fn new(asked: &args::Trace, config: &Config, out: &'a mut Output<W>) -> anyhow::Result<Self> {
        let wanted = wanted(asked, config);
        let one = wanted.as_ref().is_some_and(|queues| queues.len() == 1);
        Ok(Self {
            tracker: Tracker::new(wanted.clone(), MOST_BYTES_OF_LIVES),
            printed: LinePrinter::new(asked, !one)?,
            summary: TraceSummary::default(),
            by: asked.by,
            wanted,
            has_strangers: false,
            out,
        })
    }

    /// True once as many lines were printed as were asked for.
    fn is_full(&self) -> bool {
        self.printed.is_full()
    }

    /// Reads the next command, and prints what is known by it.
    fn read(&mut self, record: &Record) -> anyhow::Result<()> {
        self.tracker.read(record);
        self.tell()
    }

    /// There are no more commands: prints what was not told yet.
    fn finish(&mut self) -> anyhow::Result<()> {
        let lives = self.tracker.finish();
        self.tell()?;
        lives.iter().try_for_each(|life| self.told(life))
    }

    /// Prints what is known since the last record.
    fn tell(&mut self) -> anyhow::Result<()> {
        self.printed.precision = self.tracker.figures().precision;
        let events: Vec<Event> = self.tracker.events().collect();
        let names = self.tracker.names();
        let mut addresses = events.iter().flat_map(printed::addresses_of_event);
        self.has_strangers |= addresses.any(|address| names.lacks(address));
        if self.by == LineSubject::Event {
            for event in &events {
                self.printed.event(event, self.tracker.names(), self.out)?;
            }
        }
        let let_go: Vec<Life> = self.tracker.let_go().collect();
        let_go.iter().try_for_each(|life| self.told(life))
    }

    /// Prints a life that is told for good.
    fn told(&mut self, life: &Life) -> anyhow::Result<()> {
        let end_us = self.tracker.figures().last_us;
        self.summary.count(life.fate(end_us));
        if self.by == LineSubject::Message {
            let names = self.tracker.names();
            self.printed.life(life, end_us, names, self.out)?;
        }
        Ok(())
    }

    /// Prints the summary; an error when nothing was there to be told `place`, such as "in FILE".
    fn print(&mut self, place: &str) -> anyhow::Result<()> {
        let figures = self.tracker.figures();
        let messages = text::counted(figures.messages, "message", "messages");
        self.summary.not_shown = self.printed.not_shown();
        self.summary.shows = match self.by {
            LineSubject::Event => ("event", "events"),
            LineSubject::Message => ("message", "messages"),
        };
        if figures.messages == 0 {
            if self.summary.is_live() {
                self.summary
                    .print(figures, self.tracker.names(), self.out)?;
            } else {
                // Why there may be none.
                for line in self.summary.left_out(figures) {
                    say::note(&line);
                }
            }
            let commands = text::counted(figures.commands, "command", "commands");
            return Err(NothingMatched(format!(
                "none of the {commands} {place} concerns a message of {}",
                followed(self.wanted.as_deref()),
            ))
            .into());
        }
        self.summary
            .print(figures, self.tracker.names(), self.out)?;
        if self.printed.lines() == 0 {
            return Err(NothingMatched(format!("none of the {messages} {place} matches.")).into());
        }
        Ok(())
    }
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
        too_long: log.too_long(),
        joined: log.joined(),
        skipped_snapshot: log.skipped_snapshot(),
        damage: log.damage(),
    }
}
