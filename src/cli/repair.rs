//! `repair`: mends a queue as a whole, or some of its entries.

use std::io::Write;

use anyhow::{Context as _, bail};

use super::CommandOutcome;
use super::change::{ChangeChoice, ChangeCommand};
use super::output::Output;
use super::session::meant;
use crate::args;
use crate::config::Config;
use crate::ops::offer::form_of;
use crate::queue::Repair;

/// Makes the repair that was asked for.
pub(super) async fn run<W: Write>(
    asked: &args::Repair,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let repair = asked.flag.repair;
    let chosen = if repair == Repair::Restore {
        Some(ChangeChoice::quarantined(&asked.which)?)
    } else {
        ChangeChoice::if_any(&asked.which)?
    };
    if chosen.is_some() && !repair.flag().is_some_and(|flag| flag.takes_entries) {
        bail!(
            "entries can be chosen (--id, --late, --grep, --limit, ...) only with {}.",
            of_entries()
        );
    }
    let making = ChangeCommand::begin(&asked.how, config).await?;
    let form = match (repair, asked.form) {
        (Repair::Repack, None) => {
            let queue = meant(&asked.queue, config);
            let form = form_of(&making.session.store, &queue).await?;
            Some(form.context(
                "nothing tells which format the clients of this queue read: name it with --form",
            )?)
        }
        (_, form) => form,
    };
    let what = repair.what(form, asked.flag.within.map(args::Span::ms));
    let what =
        what.context("this repair needs more than its flag tells: choose it on the screen")?;
    making.queue(&asked.queue, what, chosen, out).await
}

/// The flags that can be about some of the entries.
fn of_entries() -> String {
    let takes = |repair: &&Repair| repair.flag().is_some_and(|flag| flag.takes_entries);
    let flags = Repair::ALL.iter().filter(takes);
    let flags: Vec<String> = flags.map(|repair| format!("--{}", repair.name())).collect();
    match flags.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
        None => String::new(),
    }
}
