//! Due times in microseconds where milliseconds belong: as good as never, and at the far end of
//! timeouts, which no pulse sees. A survey counts them.

use super::{ChangeRequest, Finding, ID, QueueFacts, Severity, Step, convert, text, with_ids};
use crate::queue::Pulse;

/// Finds those that the survey has counted; a look at all members tells which.
pub(super) fn found(seen: &QueueFacts, pulse: &Pulse) -> Option<Finding> {
    let [overdue, later] = seen.survey?.micros;
    let count = overdue + later;
    if count == 0 || pulse.waiting.get() == Some(0) {
        return None;
    }
    let subject = text::counted(count, "entry is", "entries are");
    let missed = match (overdue, later) {
        (0, _) => "",
        (1, 0) => ", though meant to be there by now",
        (_, 0) => ", though all were meant to be there by now",
        _ => ", though some were meant to be there by now",
    };
    let details = format!("{subject} not due for some 50,000 years{missed}.");
    let severity = if overdue > 0 {
        Severity::Critical
    } else {
        Severity::Warning
    };
    let headline = "Due times are in microseconds instead of milliseconds.";
    let finding = Finding::new(ID, severity, headline)
        .details(details)
        .of(count)
        .number("micros", count)
        .number("overdue", overdue)
        .check_about(
            "ZREVRANGE",
            &seen.queue.keys().timeouts,
            &["0", "9", "WITHSCORES"],
        );
    let exact = seen.watch.exact().filter(|all| all.finer.stands(pulse));
    let finding = match exact {
        Some(exact) => {
            let bad: Vec<_> = exact.finer.first.iter().collect();
            with_ids(finding, &bad).exact(exact)
        }
        None => finding,
    };
    let advice = convert("microseconds", "milliseconds");
    Some(finding.repair(Step::Change(ChangeRequest::Score), advice))
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::{START, Scene, pulse, survey};
    use super::*;
    use crate::queue::{Exact, Form, Queue, Survey, frame};

    fn scene(micros: [u64; 2]) -> Scene {
        let survey = Survey {
            micros,
            ..survey(None)
        };
        Scene::default().pulse(pulse(0, 2, None, 1)).survey(survey)
    }

    #[test]
    fn what_a_survey_counts_is_a_warning_and_critical_when_it_should_be_there_by_now() {
        assert_eq!(scene([0, 0]).found(ID), None);
        let found = scene([0, 40]).found(ID).unwrap();
        assert_eq!(
            (found.severity, found.figure),
            (Severity::Warning, Some(40))
        );
        assert!(found.sentence().contains("microseconds"), "{found:?}");
        assert_eq!(found.repair.step, Step::Change(ChangeRequest::Score));
        let missed = scene([1, 0]).found(ID).unwrap();
        assert_eq!(missed.severity, Severity::Critical);
        // Repaired or deleted since the survey, with all others.
        assert_eq!(
            scene([0, 40]).pulse(pulse(1_000, 0, None, 1)).found(ID),
            None
        );
    }

    #[test]
    fn a_look_at_all_members_tells_which_they_are() {
        let queue = Queue::redisson("q");
        let mut scene = scene([0, 1]);
        let mut exact = Exact::new(&queue, START);
        let member = frame::encode(Form::ByteId, [1; 8], b"{}");
        exact.waits(&queue, &member, 1.7e15, 8);
        exact.waiting = 2;
        scene.watch.examined(exact);
        let found = scene.found(ID).unwrap();
        let id = queue.id(&member).to_string();
        assert_eq!(found.evidence.figures["entries"][0], id.as_str());
    }
}
