//! The interval between two readings of the queues.

use crate::tui::model::Model;
use crate::tui::schedule::pace;
use crate::tui::toast::{self, Tone};

/// The intervals that `,` steps through, in ms.
const INTERVALS: [u64; 8] = [200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000];

/// Chooses the next interval; after the longest comes the shortest.
pub(crate) fn next(model: &mut Model) {
    let next = INTERVALS.iter().find(|ms| **ms > model.interval_ms);
    set(model, *next.unwrap_or(&INTERVALS[0]));
}

/// Refreshes every so many ms from now on.
pub(crate) fn set(model: &mut Model, ms: u64) {
    model.interval_ms = ms;
    toast::update::say(model, said(ms), Tone::Good);
    pace::interval_changed(model);
}

/// `refreshed every 2 s`, `refreshed every 0.25 s`.
pub(crate) fn said(ms: u64) -> String {
    let fraction = format!("{:03}", ms % 1000);
    let fraction = fraction.trim_end_matches('0');
    let dot = if fraction.is_empty() { "" } else { "." };
    format!("refreshed every {}{dot}{fraction} s", ms / 1000)
}
