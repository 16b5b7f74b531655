//! `repair`: mends a queue as a whole, or some of its entries.

use std::io::Write;

use anyhow::bail;

use super::Outcome;
use super::change::{Chosen, Making};
use super::output::Output;
use super::session::meant;
use crate::args;
use crate::config::Config;
use crate::ops::offer::form_of;
use crate::ops::plan::What;

/// Makes the repair that was asked for.
pub(super) async fn run<W: Write>(
    asked: &args::Repair,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<Outcome> {
    let chosen = if asked.restore {
        Some(Chosen::quarantined(&asked.which)?)
    } else {
        Chosen::if_any(&asked.which)?
    };
    if chosen.is_some() && !(asked.repack || asked.quarantine || asked.restore) {
        bail!("only --repack, --quarantine and --restore are about some of the entries.");
    }
    let making = Making::begin(&asked.how, config).await?;
    if asked.repack {
        let queue = meant(&asked.queue, config);
        let form = match asked.form {
            Some(form) => Some(form),
            None => form_of(&making.session.store, &queue).await?,
        };
        let Some(form) = form else {
            bail!("nothing tells which form the clients of this queue unpack: name it with --form");
        };
        let what = What::Repack(Some(form));
        return making.queue(&asked.queue, what, chosen, out).await;
    }
    // One of them was asked for: clap sees to it.
    let what = if asked.realign {
        What::Realign(asked.within.map(args::Span::ms))
    } else if asked.restore_order {
        What::RestoreOrder
    } else if asked.quarantine {
        What::Quarantine
    } else if asked.restore {
        What::Restore
    } else if asked.put_back {
        What::PutBack
    } else if asked.drift {
        What::Drift
    } else if asked.unwrap {
        What::Unwrap
    } else if asked.persist {
        What::Persist
    } else if asked.rename_taken {
        What::RenameTaken
    } else if asked.unit == Some(args::MeantUnit::S) {
        What::Unit
    } else if asked.score {
        What::Score
    } else {
        What::Kick
    };
    making.queue(&asked.queue, what, chosen, out).await
}
