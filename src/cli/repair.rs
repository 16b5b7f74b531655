//! `repair`: mends a queue as a whole.

use std::io::Write;

use super::Outcome;
use super::change::Making;
use super::output::Output;
use crate::args;
use crate::config::Config;
use crate::ops::plan::What;

/// Makes the repair that was asked for.
pub(super) async fn run<W: Write>(
    asked: &args::Repair,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<Outcome> {
    // One of them was asked for: clap sees to it.
    let what = if asked.realign {
        What::Realign(asked.within.map(args::Span::ms))
    } else if asked.restore_order {
        What::RestoreOrder
    } else if asked.drift {
        What::Drift
    } else if asked.unwrap {
        What::Unwrap
    } else if asked.persist {
        What::Persist
    } else if asked.unit == Some(args::MeantUnit::S) {
        What::Unit
    } else {
        What::Kick
    };
    let making = Making::begin(&asked.how, config).await?;
    making.queue(&asked.queue, what, None, out).await
}
