//! The bar, or the class of what is late, under the timeline's cursor.

use crate::clock::EpochMillis;
use crate::queue::classes::LATE;
use crate::tui::model::{self, Model};

/// The reason why there is nothing under the cursor; none when there is.
pub(crate) fn why_no_bar(model: &Model) -> Option<&'static str> {
    if chosen(model).is_none() {
        return Some("← → chooses a bar");
    }
    is_empty(model).then_some("nothing falls due in this bar")
}

/// The times between which (the first included) the entries under the cursor are due; none while
/// nothing is chosen. The first bar begins now: what is late is not in it.
pub(crate) fn chosen(model: &Model) -> Option<(EpochMillis, EpochMillis)> {
    let now = model::now(model);
    if let Some(class) = model.timeline.late_class {
        let from = match class.checked_sub(1) {
            Some(older) => now.plus(-LATE[older].edge_ms),
            None => EpochMillis::new(0),
        };
        return Some((from, now.plus(-LATE[class].edge_ms)));
    }
    let bar = model.timeline.bar?;
    Some((bar.max(now), bar.plus(super::queries::scale(model).bar_ms)))
}

/// The last survey saw nothing under the cursor.
fn is_empty(model: &Model) -> bool {
    count(model) == Some(0)
}

/// The number of entries that the last survey saw under the cursor; none when it did not look there.
fn count(model: &Model) -> Option<u64> {
    let survey = super::queries::surveyed(model)?;
    if let Some(class) = model.timeline.late_class {
        return survey.late.get(class).copied();
    }
    let bar = model.timeline.bar?;
    let end = bar.plus(super::queries::scale(model).bar_ms);
    let bars = survey.bars.iter();
    let within = bars.filter(|b| b.from >= bar && b.from < end);
    within.map(|b| b.count).reduce(|a, b| a + b)
}

/// The times between which the entries under the cursor are due, and how many the last survey saw
/// there.
pub(crate) fn bar_span(model: &Model) -> Option<(EpochMillis, EpochMillis, Option<u64>)> {
    let (from, to) = chosen(model)?;
    Some((from, to, count(model)))
}
