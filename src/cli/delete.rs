//! `delete`: chosen entries out of the queue.

use std::io::Write;

use super::output::Output;
use super::{CommandOutcome, change};
use crate::args;
use crate::config::Config;
use crate::ops::plan::ChangeRequest;

/// Deletes.
pub(super) async fn run<W: Write>(
    asked: &args::Delete,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let chosen = change::ChangeChoice::of(&asked.those.which)?.but_one(asked.keep_one);
    change::chosen(&asked.those, chosen, ChangeRequest::Delete, config, out).await
}
