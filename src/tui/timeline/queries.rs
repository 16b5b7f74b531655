//! The timeline: when its bars start, what the survey says of them, and whose they are.

use crate::clock::EpochMillis;
use crate::queue::{Scale, Survey, text};
use crate::tui::model::{Model, now};

/// From this width of the terminal on the title has all zooms, and the names of queues in full.
pub const WIDE: u16 = 100;

/// When the timeline's bar `i` (from the left) starts. Bars stand on multiples of their width,
/// so the first one starts before now.
#[must_use]
pub fn bar_start(model: &Model, i: usize) -> EpochMillis {
    scale(model).start(now(model), i)
}

/// The survey of the selected queue, once it is one of the current zoom.
#[must_use]
pub fn surveyed(model: &Model) -> Option<&Survey> {
    let survey = model.selected()?.survey.as_ref()?;
    (survey.zoom == Some(model.timeline.zoom)).then_some(survey)
}

/// The bars of the timeline: the zoom's, or as the survey found them right.
#[must_use]
pub fn scale(model: &Model) -> Scale {
    let found = || surveyed(model).and_then(|survey| survey.scale);
    model
        .timeline
        .zoom
        .scale()
        .or_else(found)
        .unwrap_or_default()
}

/// The bar that begins at `start`, counted from the left; none when it is not among so many.
#[must_use]
pub fn bar_in_sight(model: &Model, bars: usize, start: EpochMillis) -> Option<usize> {
    let bar = scale(model).bar_of(now(model), start)?;
    (bar < bars).then_some(bar)
}

/// The name of the queue in the title, `…` where it is cut; none without a queue.
#[must_use]
pub fn name(model: &Model) -> Option<String> {
    let row = model.selected()?;
    let most = if model.size.0 >= WIDE {
        usize::from(model.size.0 / 4).min(40)
    } else {
        usize::from(model.size.0 * 3 / 10).max(16)
    };
    let clean = text::printable_bytes(row.queue.name.as_bytes());
    Some(text::cut(&clean, most).into_owned())
}
