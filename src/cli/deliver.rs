//! `deliver`: chosen entries to the target list, due or not.

use std::io::Write;

use super::Outcome;
use super::change::{Chosen, Making};
use super::output::Output;
use crate::args;
use crate::config::Config;
use crate::ops::plan::What;

/// Delivers.
pub(super) async fn run<W: Write>(
    asked: &args::Deliver,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<Outcome> {
    let chosen = Chosen::of(&asked.those.which)?.undelivered()?;
    let making = Making::begin(&asked.those.how, config).await?;
    making
        .queue(&asked.those.queue, What::Deliver, Some(chosen), out)
        .await
}
