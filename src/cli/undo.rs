//! `undo`: takes a change of the journal back.

use std::io::Write;

use super::change::ChangeCommand;
use super::output::Output;
use super::{CommandOutcome, say};
use crate::args;
use crate::config::Config;
use crate::ops::journal::Journal;

/// Takes back the change that was named, else the newest.
pub(super) async fn run<W: Write>(
    asked: &args::Undo,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let unreadable = Journal::of_user(config.keep_days).unreadable().await;
    if let Ok(Some(why)) = unreadable {
        say::note(&why);
    }
    let making = ChangeCommand::begin(&asked.how, config).await?;
    making.undo(asked.id.as_deref(), asked.force, out).await
}
