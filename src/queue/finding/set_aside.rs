//! The order list is set aside: a change is under way that has done so, or one was interrupted.

use super::id::SET_ASIDE as ID;
use super::{Act, Advice, Finding, OpenQuestion, QueueFacts, RuleVerdict, Severity, Step};
use crate::queue::change::ChangeRequest;
use crate::queue::text;

/// A change that sets it aside moves on within this, in ms: it is brought back little by little,
/// and not long after it was set aside.
const STILL_MS: i64 = 10_000;

fn repair() -> Advice {
    Advice::of("If no change is under way, restore the order list").by(Act::Repair, ".")
}

/// Looks whether there is a list that was set aside, and whether it stands still.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let Some(key) = seen.queue.keys().aside else {
        return RuleVerdict::Silent;
    };
    let Some(survey) = seen.survey else {
        return RuleVerdict::Silent;
    };
    let Some(length) = survey.aside else {
        return RuleVerdict::Fine;
    };
    let members = text::counted(length, "member", "members");
    let still_ms = match (seen.watch.aside, seen.pulse) {
        (Some((_, since)), Some(pulse)) => pulse.at.since(since),
        _ => 0,
    };
    let mut open = None;
    let (severity, headline, repair) = if seen.watch.changing {
        let repair = "Wait: the change restores it when it ends, pauses or is stopped.";
        let headline = "A change is under way and holds part of the order list.";
        (Severity::Note, headline, repair.into())
    } else if still_ms < STILL_MS {
        open = Some(OpenQuestion::new(
            format!("{members} of the order list stand in another list"),
            "whether a change is under way or was interrupted",
            Some(STILL_MS - still_ms),
        ));
        let headline = "Part of the order list is missing: a change has moved it.";
        (Severity::Note, headline, repair())
    } else {
        let headline = "Part of the order list is missing: a change was interrupted.";
        (Severity::Warning, headline, repair())
    };
    let kept = text::printable_bytes(&key);
    let mut finding = Finding::new(ID, severity, headline)
        .details(format!(
            "{} in {kept}: size(), contains(), remove() and poll() of Redisson ignore {}.",
            text::counted(
                length,
                "member of the order list is",
                "members of the order list are"
            ),
            if length == 1 { "it" } else { "them" }
        ))
        .of(length)
        .number("aside", length);
    finding.open = open.map(Into::into);
    if severity == Severity::Warning {
        let still = text::age(still_ms);
        finding = finding
            .number("still_ms", still_ms)
            .words(format!("unchanged for {still}"));
    }
    let finding = finding.check(&["LLEN"], &key);
    RuleVerdict::Found(finding.repair(Step::Change(ChangeRequest::RestoreOrder), repair))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{after, pulse, survey};
    use super::*;
    use crate::queue::finding::Watch;
    use crate::queue::{Queue, ServerWatch, Survey};

    #[test]
    fn a_list_that_is_aside_is_told_with_what_brings_it_back() {
        let queue = Queue::redisson("orders");
        let pulses = [pulse(0, 1_204, None, 1), pulse(STILL_MS, 1_204, None, 1)];
        let said = after(&queue, &pulses, Some(&survey(Some(1_204))));
        let finding = &said.findings[0];
        assert_eq!((finding.id, finding.severity), (ID, Severity::Warning));
        assert!(
            finding
                .details
                .starts_with("1,204 members of the order list are")
        );
        assert_eq!(
            finding.evidence.commands[0],
            "redis-cli LLEN 'delayscope:aside:{orders}'"
        );
        assert!(
            finding
                .repair
                .sentence
                .to_string()
                .contains("restore the order list")
        );
    }

    #[test]
    fn it_is_a_note_while_it_moves_and_while_a_change_of_ours_is_under_way() {
        let queue = Queue::redisson("orders");
        let severity = |watch: Watch, ms: i64, aside: u64| {
            let (pulse, survey) = (pulse(ms, 1_204, None, 1), survey(Some(aside)));
            let seen = QueueFacts {
                queue: &queue,
                pulse: Some(&pulse),
                survey: Some(&survey),
                watch: &watch,
                server: &ServerWatch::default(),
            };
            match look(&seen) {
                RuleVerdict::Found(finding) => {
                    let open = finding.open.as_ref().and_then(|open| open.known_in_ms);
                    let decided = watch.changing || finding.severity == Severity::Warning;
                    assert_eq!(
                        open.is_none(),
                        decided,
                        "whoever asks is told when it is known"
                    );
                    finding.severity
                }
                other => panic!("{other:?}"),
            }
        };
        let mut watch = Watch::default();
        watch.surveyed(&survey(Some(1_204)));
        assert_eq!(severity(watch.clone(), STILL_MS - 1, 1_204), Severity::Note);
        assert_eq!(severity(watch.clone(), STILL_MS, 1_204), Severity::Warning);
        let mut ours = watch.clone();
        ours.changing = true;
        assert_eq!(severity(ours, STILL_MS, 1_204), Severity::Note);
        // It is being brought back.
        let mut later = survey(Some(700));
        later.at = later.at.plus(STILL_MS);
        watch.surveyed(&later);
        assert_eq!(severity(watch.clone(), STILL_MS + 1, 700), Severity::Note);
        assert_eq!(
            severity(watch.clone(), 2 * STILL_MS, 700),
            Severity::Warning
        );
    }

    #[test]
    fn where_none_is_aside_all_is_well_and_before_a_survey_nothing_is_said() {
        let queue = Queue::redisson("orders");
        let pulses = [pulse(0, 1, None, 1)];
        let said = |survey: Option<&Survey>| {
            let mut watch = Watch::default();
            watch.saw(&pulses[0]);
            look(&QueueFacts {
                queue: &queue,
                pulse: pulses.last(),
                survey,
                watch: &watch,
                server: &ServerWatch::default(),
            })
        };
        assert_eq!(said(Some(&survey(None))), RuleVerdict::Fine);
        assert_eq!(said(None), RuleVerdict::Silent);
    }
}
