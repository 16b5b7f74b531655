//! `undo`: takes a change of the journal back.

use std::io::Write;

use super::Outcome;
use super::change::Making;
use super::output::Output;
use crate::args;
use crate::config::Config;

/// Takes back the change that was named, else the newest.
pub(super) async fn run<W: Write>(
    asked: &args::Undo,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<Outcome> {
    let making = Making::begin(&asked.how, config).await?;
    making.undo(asked.id.as_deref(), asked.force, out).await
}
