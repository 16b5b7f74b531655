//! Entries are in quarantine: nothing is wrong, but somebody should know.

use super::id::QUARANTINED as ID;
use super::{Act, Advice, Finding, QueueFacts, RuleVerdict, Severity, Step, recovery};
use crate::queue::change::ChangeRequest;
use crate::queue::{Change, text};

/// A quarantine of ours is told for so long, in ms.
const LATELY_MS: i64 = 600_000;

/// Looks whether anything is in quarantine.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let Some(survey) = seen.survey else {
        return RuleVerdict::Silent;
    };
    let count = match survey.quarantined {
        None => return RuleVerdict::Silent,
        Some(0) => return RuleVerdict::Fine,
        Some(count) => count,
    };
    let key = seen.queue.keys().quarantine;
    let them = text::counted(count, "entry is", "entries are");
    let keep = match count {
        1 => "it keeps its due time",
        _ => "they keep their due times",
    };
    let headline = "Entries in quarantine are delivered to nobody.";
    let finding = Finding::new(ID, Severity::Note, headline)
        .details(format!("{them} in quarantine; {keep}."));
    let at = seen.pulse.map_or(survey.at, |pulse| pulse.at);
    let ours = recovery::ours(seen.watch, at, LATELY_MS);
    let ours = ours.filter(|(change, _)| *change == Change::Quarantine);
    let ours = ours.map(|(_, ago)| format!("moved there by you {} ago", text::age(ago)));
    let finding = finding
        .all_words(ours.into_iter().collect())
        .of(count)
        .number("quarantined", count)
        .words("they stay there until somebody restores or deletes them")
        .check_about("ZRANGE", &key, &["0", "9", "WITHSCORES"]);
    RuleVerdict::Found(finding.repair(
        Step::Change(ChangeRequest::Restore),
        Advice::of("Restore them").by(Act::Repair, " once they do no harm any more."),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{START, Scene, after, pulse, survey};
    use super::*;
    use crate::queue::Queue;

    #[test]
    fn what_we_have_set_aside_is_told_to_be_ours() {
        let mut aside = survey(None);
        aside.quarantined = Some(1);
        let mut scene = Scene::default().survey(aside).pulse(pulse(0, 1, None, 1));
        let words = |scene: &Scene| scene.found(ID).unwrap().evidence.words[0].clone();
        assert!(!words(&scene).contains("by you"));
        let before = START.plus(-30_000);
        scene.watch.changed_by_us(Change::Restore, before);
        assert!(!words(&scene).contains("by you"));
        scene.watch.changed_by_us(Change::Quarantine, before);
        assert_eq!(words(&scene), "moved there by you 0:30 ago");
    }

    #[test]
    fn what_is_in_quarantine_is_a_note_with_what_restores_it() {
        let queue = Queue::redisson("orders");
        let said = |quarantined| {
            let mut survey = survey(None);
            survey.quarantined = quarantined;
            let pulses = [pulse(0, 1, None, 1)];
            let said = after(&queue, &pulses, Some(&survey));
            said.findings.into_iter().find(|found| found.id == ID)
        };
        let found = said(Some(3)).unwrap();
        assert_eq!(found.severity, Severity::Note);
        assert!(found.details.starts_with("3 entries are in quarantine"));
        assert_eq!(
            found.evidence.commands[0],
            "redis-cli ZRANGE 'delayscope:quarantine:{orders}' 0 9 WITHSCORES"
        );
        assert_eq!(found.repair.step, Step::Change(ChangeRequest::Restore));
        assert_eq!((said(Some(0)), said(None)), (None, None));
    }
}
