//! `transfer`: what is due to the target list.

use std::io::Write;

use super::CommandOutcome;
use super::change::{ChangeChoice, ChangeCommand};
use super::output::Output;
use crate::args;
use crate::config::Config;
use crate::ops::plan::ChangeRequest;

/// Transfers everything due, or what was chosen of it.
pub(super) async fn run<W: Write>(
    asked: &args::Transfer,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let chosen = ChangeChoice::or_due(&asked.those.which)?;
    let making = ChangeCommand::begin(&asked.those.how, config).await?;
    making
        .queue(&asked.those.queue, ChangeRequest::Transfer, chosen, out)
        .await
}
