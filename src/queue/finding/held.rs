//! Messages are held for consumers of ours that died: they are in no place where others look.

use super::id::HELD as ID;
use super::{Finding, OpenQuestion, QueueFacts, RuleVerdict, Severity, Step};
use crate::queue::change::ChangeRequest;
use crate::queue::text;

/// The time for which nothing stays in the intake where a consumer lives that takes from it, in ms.
const STILL_MS: i64 = 2_500;

/// Looks whether anything is held without a consumer that lives.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let Some(survey) = seen.survey else {
        return RuleVerdict::Silent;
    };
    let Some(count) = survey.held else {
        return RuleVerdict::Silent;
    };
    let still_ms = match (seen.watch.intake, seen.pulse) {
        (Some((_, since)), Some(pulse)) => pulse.at.since(since),
        _ => 0,
    };
    let stuck = if still_ms >= STILL_MS {
        count.intake
    } else {
        0
    };
    let (dead, all) = (count.of_dead(), count.of_dead() + stuck);
    if all == 0 && count.intake == 0 {
        return RuleVerdict::Fine;
    }
    if all == 0 {
        let n = text::counted(count.intake, "message is", "messages are");
        return RuleVerdict::Early(OpenQuestion::new(
            format!("{n} on the way to a consumer"),
            "whether it takes what was moved for it",
            Some(STILL_MS - still_ms),
        ));
    }
    let they = text::counted(all, "message was", "messages were");
    let keys = seen.queue.keys().hold;
    let headline = "A dead consumer holds messages that nobody receives.";
    let mut finding = Finding::new(ID, Severity::Warning, headline)
        .details(format!("{they} taken by a consumer that died."))
        .of(all)
        .number("held", dead)
        .number("intake", stuck);
    if dead > 0 {
        let n = text::counted(dead, "message", "messages");
        finding = finding.words(format!("{n} held by `delayscope consume` when it died"));
        if let Some(end) = survey.held.and_then(|held| held.first_end) {
            let ago = text::age(survey.at.since(end));
            finding = finding.words(format!("the first lease ran out {ago} ago"));
        }
        finding = finding.check(&["HKEYS"], &keys.held).check_about(
            "ZRANGE",
            &keys.leases,
            &["0", "9", "WITHSCORES"],
        );
    }
    if stuck > 0 {
        let n = text::counted(stuck, "message", "messages");
        finding = finding
            .words(format!("{n} moved for a consumer whose connection broke"))
            .check_about("LRANGE", &keys.intake, &["0", "9"]);
    }
    if count.living > 0 {
        let n = text::counted(
            count.living,
            "live consumer holds 1 message, which is left alone",
            "live consumers hold 1 message each, which are left alone",
        );
        finding = finding.words(n);
    }
    RuleVerdict::Found(finding.repair(
        Step::Change(ChangeRequest::PutBack),
        "Put them back into target: the next consumer takes them first. The last message of a \
         consumer may be delivered twice.",
    ))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{START, Scene, pulse, survey};
    use super::*;
    use crate::queue::HeldCount;

    fn scene(held: HeldCount, ms: i64) -> Scene {
        let mut survey = survey(None);
        survey.held = Some(held);
        Scene::default().survey(survey).pulse(pulse(ms, 1, None, 1))
    }

    #[test]
    fn what_a_dead_consumer_holds_is_a_warning_with_what_puts_it_back() {
        let held = HeldCount {
            held: 3,
            living: 1,
            intake: 0,
            first_end: Some(START.plus(-60_000)),
        };
        let found = scene(held, 0).found(ID).unwrap();
        assert_eq!(found.severity, Severity::Warning);
        assert!(
            found.details.starts_with("2 messages were taken by"),
            "{}",
            found.details
        );
        assert_eq!(
            found.evidence.commands[0],
            "redis-cli HKEYS 'delayscope:held:{q}'"
        );
        assert!(
            found
                .evidence
                .words
                .iter()
                .any(|words| words.contains("1:00 ago"))
        );
        assert_eq!(found.repair.step, Step::Change(ChangeRequest::PutBack));
    }

    #[test]
    fn what_a_living_consumer_holds_is_fine_and_what_was_moved_for_one_is_decided_by_looking_on() {
        let mut held = HeldCount {
            held: 1,
            living: 1,
            intake: 0,
            first_end: None,
        };
        assert_eq!(scene(held, 0).verdict(ID), RuleVerdict::Fine);
        held.intake = 1;
        let RuleVerdict::Early(open) = scene(held, 0).verdict(ID) else {
            panic!("nobody can tell yet whether it is taken");
        };
        assert_eq!(open.known_in_ms, Some(STILL_MS));
        let found = scene(held, STILL_MS).found(ID).unwrap();
        assert!(
            found.details.starts_with("1 message was taken"),
            "{}",
            found.details
        );
        assert!(found.evidence.commands[0].contains("LRANGE"));
    }
}
