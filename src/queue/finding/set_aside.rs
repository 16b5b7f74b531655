//! The order list is set aside: a change is under way that has done so, or one was interrupted.

use super::{Finding, Seen, Severity, Verdict, command};
use crate::queue::text;

pub(super) const ID: &str = "set-aside";

/// Looks whether there is a list that was set aside, and whether it grows shorter.
pub(super) fn look(seen: &Seen) -> Verdict {
    let Some(key) = seen.queue.keys().aside else {
        return Verdict::Silent;
    };
    let Some(survey) = seen.survey else {
        return Verdict::Silent;
    };
    let Some(length) = survey.aside else {
        return Verdict::Fine;
    };
    let evidence = vec![
        format!("{} in it", text::counted(length, "member", "members")),
        command(&["LLEN"], &key),
        "size(), contains(), remove() and poll() of Redisson do not see them".to_owned(),
    ];
    Verdict::Found(Finding {
        id: ID,
        severity: Severity::Warning,
        sentence: format!(
            "The order list is set aside, {} of it: a change is under way or was interrupted.",
            text::counted(length, "member", "members")
        ),
        evidence,
        repair: "If no change is under way, bring it back: restore-order (R).".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{after, pulse, survey};
    use super::*;
    use crate::queue::{Queue, Survey};

    #[test]
    fn a_list_that_is_aside_is_told_with_what_brings_it_back() {
        let queue = Queue::redisson("orders");
        let pulses = [pulse(0, 1_204, None, 1)];
        let said = after(&queue, &pulses, Some(&survey(Some(1_204))));
        let finding = &said.findings[0];
        assert_eq!((finding.id, finding.severity), (ID, Severity::Warning));
        assert!(finding.sentence.contains("1,204 members of it"));
        assert_eq!(
            finding.evidence[1],
            "redis-cli LLEN 'delayscope:aside:{orders}'"
        );
        assert!(finding.repair.contains("restore-order"));
    }

    #[test]
    fn where_none_is_aside_all_is_well_and_before_a_survey_nothing_is_said() {
        let queue = Queue::redisson("orders");
        let pulses = [pulse(0, 1, None, 1)];
        let ids = |survey: Option<&Survey>| {
            let said = after(&queue, &pulses, survey);
            (said.findings.len(), said.fine)
        };
        let (found, fine) = ids(Some(&survey(None)));
        assert_eq!(found, 0);
        assert_eq!(ids(None), (0, fine - 1));
    }
}
