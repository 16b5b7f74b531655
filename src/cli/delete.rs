//! `delete`: chosen entries out of the queue.

use std::io::Write;

use super::Outcome;
use super::change::{Chosen, Making};
use super::output::Output;
use crate::args;
use crate::config::Config;
use crate::ops::plan::What;

/// Deletes.
pub(super) async fn run<W: Write>(
    asked: &args::Delete,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<Outcome> {
    let chosen = Chosen::of(&asked.which)?;
    let making = Making::begin(&asked.how, config).await?;
    making
        .queue(&asked.queue, What::Delete, Some(chosen), out)
        .await
}
