//! `kick`: every transfer client of a queue looks at once.

use std::io::Write;

use super::CommandOutcome;
use super::change::ChangeCommand;
use super::output::Output;
use crate::args;
use crate::config::Config;
use crate::ops::plan::ChangeRequest;

/// Kicks.
pub(super) async fn run<W: Write>(
    asked: &args::Kick,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let making = ChangeCommand::begin(&asked.how, config).await?;
    making
        .queue(&asked.queue, ChangeRequest::Kick, None, out)
        .await
}
