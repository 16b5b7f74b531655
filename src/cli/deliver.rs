//! `deliver`: chosen entries to the target list, due or not.

use std::io::Write;

use super::CommandOutcome;
use super::change::{ChangeChoice, ChangeCommand};
use super::output::Output;
use crate::args;
use crate::config::Config;
use crate::ops::plan::ChangeRequest;

/// Delivers.
pub(super) async fn run<W: Write>(
    asked: &args::Deliver,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let chosen = ChangeChoice::of(&asked.those.which)?.undelivered()?;
    let making = ChangeCommand::begin(&asked.those.how, config).await?;
    making
        .queue(
            &asked.those.queue,
            ChangeRequest::Deliver,
            Some(chosen),
            out,
        )
        .await
}
