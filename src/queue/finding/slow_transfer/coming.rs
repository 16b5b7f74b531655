//! The burst that falls due next: when, and of how many entries, as far as a survey and a sample
//! tell.

use super::batch::ScriptBatch;
use super::{BACKLOG, BURST_MS, QueueFacts};
use crate::clock::EpochMillis;
use crate::queue::classes::DUE;
use crate::queue::{Bar, Pulse, Survey};

/// A burst that falls due within this, in ms, is worth a warning.
const HOUR_MS: i64 = 3_600_000;
/// From so many entries of one moment on, a burst goes on behind the end of a sample.
const GOES_ON: usize = 50;

/// Many entries that fall due together, or nearly so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ComingBurst {
    /// When the first of them does.
    pub(super) at: EpochMillis,
    /// Number of them.
    pub(super) count: u64,
    /// The number is that of bars about that moment, and not of all until an hour, say.
    pub(super) sure: bool,
}

/// The burst that begins with this batch, if there is one within the hour.
pub(super) fn begins_with(
    seen: &QueueFacts,
    pulse: &Pulse,
    batch: &ScriptBatch,
) -> Option<ComingBurst> {
    let ahead = |at: &EpochMillis| *at > pulse.at && at.since(pulse.at) <= HOUR_MS;
    let (at, survey) = (batch.at.filter(ahead)?, seen.survey?);
    let (count, sure) = match in_bars(survey, at) {
        Some(count) => (count, true),
        None if batch.together >= GOES_ON => (in_classes(survey, at)?, false),
        None => return None,
    };
    (count >= BACKLOG).then_some(ComingBurst { at, count, sure })
}

/// Counts what falls due from the bar of that moment on; none where bars are wide, or do not reach
/// as far.
fn in_bars(survey: &Survey, at: EpochMillis) -> Option<u64> {
    let first = survey.bars.iter().position(|bar| is_of(bar, at))?;
    let end = at.plus(BURST_MS);
    let bars = survey.bars[first..].iter().take_while(|bar| bar.from < end);
    Some(bars.fold(0, |sum: u64, bar| sum.saturating_add(bar.count)))
}

/// The bar is narrow, and of that moment.
fn is_of(bar: &Bar, at: EpochMillis) -> bool {
    bar.to.since(bar.from) <= BURST_MS && (bar.from..bar.to).contains(&at)
}

/// Counts what falls due until the end of the class of that moment.
fn in_classes(survey: &Survey, at: EpochMillis) -> Option<u64> {
    let ahead = at.since(survey.at);
    let class = DUE.iter().position(|class| ahead <= class.edge_ms)?;
    let until = survey.classes.iter().take(class + 1);
    Some(until.fold(0, |sum: u64, count| sum.saturating_add(*count)))
}
