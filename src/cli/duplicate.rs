//! `duplicate`: the payloads of chosen entries, offered again.

use std::io::Write;

use super::Outcome;
use super::change::{Chosen, Making};
use super::output::Output;
use crate::args;
use crate::config::Config;
use crate::ops::plan::What;

/// Duplicates.
pub(super) async fn run<W: Write>(
    asked: &args::Duplicate,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<Outcome> {
    let chosen = Chosen::of(&asked.which)?;
    let making = Making::begin(&asked.how, config).await?;
    making
        .queue(&asked.queue, What::Duplicate, Some(chosen), out)
        .await
}
