//! Timeouts and order list do not hold the same members: here by their numbers; by their members,
//! which costs a look at all of them, when the repair is planned.

use super::{Finding, Seen, Severity, Step, Verdict};
use crate::queue::text;
use crate::queue::wish::What;

pub(super) const ID: &str = "drift";

/// They have disagreed in all pulses of this time, in ms: who writes both without a script is not
/// caught in between.
const LASTS_MS: i64 = 1_000;

/// Compares the numbers.
pub(super) fn look(seen: &Seen) -> Verdict {
    let keys = seen.queue.keys();
    let Some(order_key) = &keys.order else {
        return Verdict::Silent;
    };
    let Some(pulse) = seen.pulse else {
        return Verdict::Silent;
    };
    let (Some(waiting), Some(order)) = (pulse.waiting.get(), pulse.order.get()) else {
        // What cannot be counted is of another type: that is told.
        return Verdict::Silent;
    };
    let Some(survey) = seen.survey else {
        return Verdict::Silent;
    };
    // What is aside counts too, but is read at another moment.
    if survey.aside.is_some() || seen.watch.changing || !lasts(seen, waiting > order) {
        return Verdict::Fine;
    }
    if waiting == order {
        return Verdict::Fine;
    }
    let by = waiting.abs_diff(order);
    let entries = text::counted(by, "entry", "entries");
    let sentence = match (waiting, order) {
        (0, _) => format!(
            "Timeouts is gone, and the order list still holds {entries}: nothing of it will be \
             delivered, and it may be the last copy."
        ),
        (_, 0) => format!(
            "The order list is gone: {entries} will be delivered, but size(), contains() and \
             remove() do not see them."
        ),
        _ if waiting > order => format!(
            "{entries} more in timeouts than in the order list: they are delivered, but size(), \
             contains() and remove() do not see them."
        ),
        _ => format!(
            "{entries} more in the order list than in timeouts: they will never be delivered, but \
             size() counts them."
        ),
    };
    let finding = Finding::new(ID, Severity::Warning, sentence)
        .of(by)
        .number("waiting", waiting)
        .number("order", order)
        .words(format!(
            "{} in timeouts, {} in the order list",
            text::thousands(waiting),
            text::thousands(order)
        ))
        .check(&["ZCARD"], &keys.timeouts)
        .check(&["LLEN"], order_key);
    Verdict::Found(finding.repair(
        Step::Change(What::Drift),
        "Compare their members and mend it (R); the plan says which.",
    ))
}

/// They have disagreed this way for long enough.
fn lasts(seen: &Seen, more_waiting: bool) -> bool {
    let recent = seen.watch.last(LASTS_MS * 3);
    let mut span = None;
    let end = seen.watch.beats.back().map(|beat| beat.at);
    for beat in recent.rev() {
        let (Some(waiting), Some(order)) = (beat.waiting, beat.order) else {
            break;
        };
        if waiting == order || (waiting > order) != more_waiting {
            break;
        }
        span = end.map(|end| end.since(beat.at));
    }
    span.is_some_and(|span| span >= LASTS_MS)
}
