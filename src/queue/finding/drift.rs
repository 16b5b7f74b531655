//! Timeouts and order list do not hold the same members: here by their numbers; by their members,
//! which costs a look at all of them, when the repair is planned.

use super::{Beat, Finding, Seen, Severity, Step, Verdict};
use crate::clock::EpochMillis;
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
    if waiting == order || survey.aside.is_some() || seen.watch.changing {
        return Verdict::Fine;
    }
    let since = since(seen, waiting > order);
    let lasts = since.is_some_and(|since| pulse.at.since(since) >= LASTS_MS && survey.at >= since);
    if !lasts {
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
            "Timeouts holds {entries} more than the order list: what is missing there is delivered, \
             but size(), contains() and remove() do not see it."
        ),
        _ => format!(
            "The order list holds {entries} more than timeouts: what is missing there will never be \
             delivered, but size() counts it."
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

/// Since when all pulses have seen them disagree this way, as far as that was watched.
fn since(seen: &Seen, more_waiting: bool) -> Option<EpochMillis> {
    let disagree = |beat: &&Beat| match (beat.waiting, beat.order) {
        (Some(waiting), Some(order)) => waiting != order && (waiting > order) == more_waiting,
        _ => false,
    };
    let beats = seen.watch.beats.iter().rev().take_while(disagree);
    beats.last().map(|beat| beat.at)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Scene, pulse, sample};
    use super::*;
    use crate::queue::Known;

    /// Pulses of that many in timeouts and in the order list, half a second apart.
    fn scene(counts: &[(u64, u64)]) -> Scene {
        let mut scene = Scene::default();
        for (i, (waiting, order)) in (0..).zip(counts) {
            let mut seen = pulse(i * 500, *waiting, None, 1);
            seen.order = Known::Is(*order);
            scene = scene.pulse(seen);
            if i == 0 {
                scene = scene.sample(sample(Vec::new(), Vec::new()));
            }
        }
        scene
    }

    fn figure(counts: &[(u64, u64)]) -> Option<u64> {
        scene(counts).found(ID)?.figure
    }

    #[test]
    fn it_takes_a_second_of_disagreement_on_the_same_side() {
        assert_eq!(figure(&[(5, 4), (5, 4), (5, 4)]), Some(1));
        assert_eq!(figure(&[(5, 4), (5, 4)]), None);
        assert_eq!(figure(&[(5, 4), (5, 5), (5, 4)]), None);
        assert_eq!(figure(&[(5, 4), (4, 5), (5, 4)]), None);
        assert_eq!(figure(&[(5, 9), (5, 8), (5, 7)]), Some(2));
    }

    #[test]
    fn what_a_change_has_set_aside_is_no_drift() {
        let disagree = [(5, 4), (5, 4), (5, 4)];
        let mut changing = scene(&disagree);
        changing.watch.changing = true;
        assert_eq!(changing.verdict(ID), Verdict::Fine);
        // It began after the last survey, which could not see what is aside.
        let later = [(5, 5), (5, 4), (5, 4), (5, 4), (5, 4)];
        assert_eq!(figure(&later), None);
    }

    #[test]
    fn a_side_that_is_missing_is_told_so() {
        let sentence = |counts| scene(&[counts; 3]).found(ID).unwrap().sentence;
        assert!(sentence((0, 3)).contains("last copy"));
        assert!(sentence((3, 0)).starts_with("The order list is gone: 3 entries"));
        assert!(sentence((3, 4)).contains("never be delivered"));
    }
}
