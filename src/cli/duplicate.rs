//! `duplicate`: the payloads of chosen entries, offered again.

use std::io::Write;

use super::output::Output;
use super::{CommandOutcome, change};
use crate::args;
use crate::config::Config;
use crate::ops::plan::ChangeRequest;

/// Duplicates.
pub(super) async fn run<W: Write>(
    asked: &args::Duplicate,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    change::those(&asked.those, ChangeRequest::Duplicate, config, out).await
}
