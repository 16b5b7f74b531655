//! `journal purge`: forgets changes.

use std::io::Write;

use serde_json::json;

use crate::args;
use crate::cli::confirm::ask;
use crate::cli::output::Output;
use crate::cli::{CommandOutcome, say};
use crate::clock::local_now;
use crate::ops::journal::Journal;
use crate::queue::text;

/// Asks, and forgets.
pub(super) async fn run<W: Write>(
    asked: &args::Purge,
    journal: &Journal,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let before = asked
        .older_than
        .map(|span| local_now().plus(-span.signed_ms()));
    if !asked.yes {
        let list = journal.list().await?;
        let goes = list
            .iter()
            .filter(|kept| !kept.under_way && before.is_none_or(|moment| kept.at < moment));
        let count = goes.count() as u64;
        if count == 0 {
            say::note("the journal holds nothing to forget");
            return Ok(CommandOutcome::Done);
        }
        let count = text::counted(count, "change", "changes");
        let question = format!("Forget {count} of the journal? They cannot be undone then. [y/N] ");
        let answer = ask(
            &question,
            "what is forgotten cannot be undone, and there is no terminal to ask on. Give --yes.",
        )?;
        if !matches!(answer.to_lowercase().as_str(), "y" | "yes") {
            say::note("nothing was forgotten");
            return Ok(CommandOutcome::Partly);
        }
    }
    let purged = journal.purge(before).await?;
    if out.is_json() {
        out.json(&json!({"purged": purged.changes, "bytes": purged.bytes}))?;
    } else {
        out.line(&format!(
            "forgot {}, {} bytes",
            text::counted(purged.changes, "change", "changes"),
            text::thousands(purged.bytes)
        ))?;
    }
    Ok(CommandOutcome::Done)
}
