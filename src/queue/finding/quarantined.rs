//! Entries are in quarantine: nothing is wrong, but somebody should know.

use super::{Finding, Seen, Severity, Step, Verdict};
use crate::queue::text;
use crate::queue::wish::What;

pub(super) const ID: &str = "quarantined";

/// Looks whether anything is in quarantine.
pub(super) fn look(seen: &Seen) -> Verdict {
    let Some(survey) = seen.survey else {
        return Verdict::Silent;
    };
    let count = match survey.quarantined {
        None => return Verdict::Silent,
        Some(0) => return Verdict::Fine,
        Some(count) => count,
    };
    let key = seen.queue.keys().quarantine;
    let them = text::counted(count, "entry is", "entries are");
    let keep = match count {
        1 => "it keeps its due time, and is",
        _ => "they keep their due times, and are",
    };
    let finding = Finding::new(
        ID,
        Severity::Note,
        format!("{them} in quarantine: {keep} delivered to nobody."),
    );
    let finding = finding
        .of(count)
        .number("quarantined", count)
        .words("tab 7 of the screen lists what is there, and `entries --from quarantined`")
        .check_about("ZRANGE", &key, &["0", "9", "WITHSCORES"]);
    Verdict::Found(finding.repair(
        Step::Change(What::Restore),
        "Once it does no harm any more, let it wait again: restore (R).",
    ))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{after, pulse, survey};
    use super::*;
    use crate::queue::Queue;

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
        assert!(found.sentence.starts_with("3 entries are in quarantine"));
        assert_eq!(
            found.evidence.commands[0],
            "redis-cli ZRANGE 'delayscope:quarantine:{orders}' 0 9 WITHSCORES"
        );
        assert_eq!(found.repair.step, Step::Change(What::Restore));
        assert_eq!((said(Some(0)), said(None)), (None, None));
    }
}
