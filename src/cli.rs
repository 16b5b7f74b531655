//! The subcommands: a file each, over the same `ops` as the screen.
//!
//! Lines go to standard output ([`output`]), everything said beside them to standard error. An
//! error is one sentence: what could not be done, why, and what to do.

mod acl;
mod bytes;
mod change;
mod codec;
pub mod completions;
mod confirm;
mod consume;
mod decode;
mod delete;
mod deliver;
pub mod demo;
mod doctor;
mod duplicate;
mod edit;
mod entries;
mod entry;
mod finding;
mod input;
mod journal;
mod kick;
mod lateness;
mod man;
mod messages;
mod meter;
mod metrics;
mod monitor;
mod nodes;
mod offer;
pub mod output;
mod pick;
mod queues;
mod repair;
mod report;
mod requeue;
mod say;
mod search;
mod session;
mod shape;
mod show;
mod stand_ins;
mod stop;
mod suspend;
mod times;
mod trace;
mod traffic;
mod transfer;
mod undo;
mod watch;
mod worker;

use std::io::{self, IsTerminal as _, Write};

use crate::args::{Command, without_passwords};
use crate::config::{Config, Terminal};
use crate::queue::text;
use output::Output;
use say::{NothingMatched, sentence};
pub use suspend::hold_stops;

/// The exit code of what failed.
const FAILED: u8 = 2;

/// The end of a subcommand in which nothing failed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CommandOutcome {
    /// Everything was done: exit code 0.
    Done,
    /// Nothing matched, or not all was done: exit code 1.
    Partly,
}

impl CommandOutcome {
    /// The exit code.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Partly => 1,
        }
    }
}

/// Tells whether somebody sits in front of us, at a screen: both standard input and output are a
/// terminal, and not one that calls itself dumb because it can move no cursor.
#[must_use]
pub fn is_on_terminal() -> bool {
    let dumb = Terminal::of(|name| std::env::var(name).ok()).dumb;
    io::stdin().is_terminal() && io::stdout().is_terminal() && !dumb
}

/// Says on standard error what the configuration warns of.
pub fn warned(config: &Config) {
    for warning in &config.warnings {
        say::note(&format!("warning: {warning}."));
    }
}

/// Says on standard error why it failed; returns the exit code. A reader of our output that went
/// away is no failure.
#[must_use]
pub fn failed(error: &anyhow::Error) -> u8 {
    if is_closed_pipe(error) {
        return CommandOutcome::Done.code();
    }
    let mut line = sentence(error);
    if line.contains("WRONGTYPE") {
        line.push_str(" `delayscope doctor` names such keys and the repair.");
    }
    say::note(&line);
    if error.is::<NothingMatched>() {
        CommandOutcome::Partly.code()
    } else {
        FAILED
    }
}

/// Says what clap has to say: help and version on standard output, what it does not understand on
/// standard error, without passwords; returns the exit code.
#[must_use]
pub fn usage(error: &clap::Error) -> u8 {
    let (is_terminal, mut to): (_, Box<dyn Write>) = if error.use_stderr() {
        (io::stderr().is_terminal(), Box::new(io::stderr()))
    } else {
        (io::stdout().is_terminal(), Box::new(io::stdout()))
    };
    let plain = error.render().to_string();
    // What was typed is repeated: colours only where nothing in it commands a terminal.
    let harmless = text::printable_lines(&plain) == plain;
    let coloured = is_terminal && harmless && std::env::var_os("NO_COLOR").is_none();
    let said = if coloured {
        error.render().ansi().to_string()
    } else {
        text::printable_lines(&plain)
    };
    let said = if error.use_stderr() {
        without_passwords(&said)
    } else {
        said
    };
    // Whoever closed the pipe wants no more of it.
    let _ = write!(to, "{said}");
    u8::try_from(error.exit_code()).unwrap_or(FAILED)
}

/// Runs a subcommand; none prints the queues.
pub async fn run<W: Write>(
    command: Option<Command>,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let outcome = match command {
        None => queues::run(&crate::args::Queues::default(), config, out).await?,
        Some(Command::Queues(asked)) => queues::run(&asked, config, out).await?,
        Some(Command::Demo(asked)) => demo::run(&asked, config, out).await?,
        Some(Command::Show(asked)) => show::run(&asked, config, out).await?,
        Some(Command::Entries(asked)) => entries::run(&asked, config, out).await?,
        Some(Command::Search(asked)) => search::run(&asked, config, out).await?,
        Some(Command::Watch(asked)) => watch::run(&asked, config, out).await?,
        Some(Command::Traffic(asked)) => traffic::run(&asked, config, out).await?,
        Some(Command::Nodes(_)) => nodes::run(config, out).await?,
        Some(Command::Doctor(asked)) => doctor::run(&asked, config, out).await?,
        Some(Command::Report(asked)) => report::run(&asked, config, out).await?,
        Some(Command::Metrics(asked)) => metrics::run(&asked, config, out).await?,
        Some(Command::Offer(asked)) => offer::run(&asked, config, out).await?,
        Some(Command::Transfer(asked)) => transfer::run(&asked, config, out).await?,
        Some(Command::Deliver(asked)) => deliver::run(&asked, config, out).await?,
        Some(Command::Requeue(asked)) => requeue::run(&asked, config, out).await?,
        Some(Command::Delete(asked)) => delete::run(&asked, config, out).await?,
        Some(Command::Edit(asked)) => edit::run(&asked, config, out).await?,
        Some(Command::Duplicate(asked)) => duplicate::run(&asked, config, out).await?,
        Some(Command::Kick(asked)) => kick::run(&asked, config, out).await?,
        Some(Command::Repair(asked)) => repair::run(&asked, config, out).await?,
        Some(Command::Undo(asked)) => undo::run(&asked, config, out).await?,
        Some(Command::Worker(asked)) => worker::run(&asked, config, out).await?,
        Some(Command::Consume(asked)) => consume::run(&asked, config, out).await?,
        Some(Command::Journal(asked)) => journal::run(&asked, config, out).await?,
        Some(Command::Acl(asked)) => acl::run(&asked, config, out)?,
        Some(Command::Decode(asked)) => decode::run(&asked, out)?,
        Some(Command::Trace(asked)) => trace::run(&asked, config, out).await?,
        Some(Command::Completions(asked)) => completions::run(&asked, out)?,
        Some(Command::Man(asked)) => man::run(&asked, out)?,
    };
    out.flush()?;
    Ok(outcome)
}

/// Tells whether an error only says that nobody reads our output any more.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let json = cause
            .downcast_ref::<serde_json::Error>()
            .and_then(serde_json::Error::io_error_kind);
        io.or(json) == Some(io::ErrorKind::BrokenPipe)
    })
}
