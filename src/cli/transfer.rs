//! `transfer`: what is due to the target list.

use std::io::Write;

use super::Outcome;
use super::change::{Chosen, Making};
use super::output::Output;
use crate::args;
use crate::config::Config;
use crate::ops::plan::What;

/// Transfers everything due, or what was chosen of it.
pub(super) async fn run<W: Write>(
    asked: &args::Transfer,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<Outcome> {
    let chosen = Chosen::or_due(&asked.those.which)?;
    let making = Making::begin(&asked.those.how, config).await?;
    making
        .queue(&asked.those.queue, What::Transfer, chosen, out)
        .await
}
