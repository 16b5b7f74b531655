//! The subcommands: a file each, over the same `ops` as the screen.
//!
//! Lines go to standard output ([`output`]), everything said beside them to standard error. An
//! error is one sentence: what could not be done, why, and what to do.

mod bytes;
mod confirm;
mod consume;
mod decode;
pub mod demo;
mod entries;
mod messages;
mod offer;
pub mod output;
mod queues;
mod say;
mod session;
mod shape;
mod show;
mod stop;
mod times;
mod traffic;
mod watch;
mod worker;

use std::io::{self, Write};

use crate::args::Command;
use crate::config::Config;
use output::Output;
pub use say::{NothingMatched, sentence};

/// How a subcommand ended, when nothing failed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Outcome {
    /// Everything was done: exit code 0.
    Done,
    /// Nothing matched, or not all was done: exit code 1.
    Partly,
}

/// Runs a subcommand; none prints the queues.
pub async fn run<W: Write>(
    command: Option<Command>,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<Outcome> {
    let outcome = match command {
        None | Some(Command::Queues(_)) => queues::run(config, out).await?,
        Some(Command::Demo(asked)) => demo::run(&asked, config, out).await?,
        Some(Command::Show(asked)) => show::run(&asked, config, out).await?,
        Some(Command::Entries(asked)) => entries::run(&asked, config, out).await?,
        Some(Command::Watch(asked)) => watch::run(&asked, config, out).await?,
        Some(Command::Traffic(asked)) => traffic::run(&asked, config, out).await?,
        Some(Command::Offer(asked)) => offer::run(&asked, config, out).await?,
        Some(Command::Worker(asked)) => worker::run(&asked, config, out).await?,
        Some(Command::Consume(asked)) => consume::run(&asked, config, out).await?,
        Some(Command::Decode(asked)) => decode::run(&asked, out)?,
    };
    out.flush()?;
    Ok(outcome)
}

/// Whether an error only says that nobody reads our output any more.
#[must_use]
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let json = cause
            .downcast_ref::<serde_json::Error>()
            .and_then(serde_json::Error::io_error_kind);
        io.or(json) == Some(io::ErrorKind::BrokenPipe)
    })
}
