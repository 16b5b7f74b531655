//! `requeue`: chosen entries get another due time.

use std::io::Write;

use super::CommandOutcome;
use super::change::{ChangeChoice, ChangeCommand};
use super::output::Output;
use crate::args;
use crate::clock::EpochMillis;
use crate::config::Config;
use crate::ops::plan::{Base, ChangeRequest, NewDue};

/// Requeues.
pub(super) async fn run<W: Write>(
    asked: &args::Requeue,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let chosen = ChangeChoice::of(&asked.those.which)?;
    let making = ChangeCommand::begin(&asked.those.how, config).await?;
    let what = ChangeRequest::Requeue(new_due(asked, making.session.now()));
    making
        .queue(&asked.those.queue, what, Some(chosen), out)
        .await
}

/// The new due time, at this time of the server's clock.
fn new_due(asked: &args::Requeue, now: EpochMillis) -> NewDue {
    let base = match (asked.at, asked.by) {
        (Some(when), _) => Base::At(when.next(now)),
        (None, Some(ms)) => Base::By(ms),
        // Alone, a spread begins now.
        (None, None) => Base::In(asked.after.map_or(0, args::Span::ms)),
    };
    NewDue {
        base,
        spread_ms: asked.spread.map_or(0, args::Span::ms),
    }
}
