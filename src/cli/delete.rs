//! `delete`: chosen entries out of the queue.

use std::io::Write;

use super::output::Output;
use super::{Outcome, change};
use crate::args;
use crate::config::Config;
use crate::ops::plan::What;

/// Deletes.
pub(super) async fn run<W: Write>(
    asked: &args::Delete,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<Outcome> {
    let chosen = change::ChangeChoice::of(&asked.those.which)?.but_one(asked.keep_one);
    change::chosen(&asked.those, chosen, What::Delete, config, out).await
}
