//! An expiry on one of the keys: when it runs out, all entries in it are lost without a word.

use super::id::TTL as ID;
use super::{Act, Advice, Finding, RuleVerdict, Seen, Severity, Step};
use crate::queue::change::What;
use crate::queue::{KeyFacts, text};

/// Entries that are lost within this, in ms, are lost before anybody looks again.
const HOUR_MS: i64 = 3_600_000;
/// The time, in ms, within which a loss comes before findings that are as bad and stay as they are.
const SOON_MS: i64 = 24 * HOUR_MS;

/// Looks at what the survey says of each key.
pub(super) fn look(seen: &Seen) -> RuleVerdict {
    let Some(survey) = seen.survey else {
        return RuleVerdict::Silent;
    };
    let expiring = survey
        .keys
        .iter()
        .filter_map(|key| Some((key, key.expires_in_ms?)));
    let mut expiring: Vec<(&KeyFacts, i64)> = expiring.collect();
    expiring.sort_by_key(|(_, ms)| *ms);
    let Some((first, ms)) = expiring.first().copied() else {
        return RuleVerdict::Fine;
    };
    let more = match expiring.len() {
        1 => String::new(),
        n => format!(" (and {} more)", n - 1),
    };
    let lost = survey.at.plus(ms);
    // The pulse is read more often than the survey.
    let left_ms = seen
        .pulse
        .map_or(ms, |pulse| lost.since(pulse.at).clamp(0, ms));
    let soon = text::age(left_ms);
    let key = text::printable_bytes(&first.key);
    let severity = if left_ms <= HOUR_MS {
        Severity::Critical
    } else {
        Severity::Warning
    };
    let mut finding = Finding::new(
        ID,
        severity,
        format!("All entries are lost in {soon}: a key of it expires."),
    )
    .details(format!("It is {key}{more}."));
    finding = finding.number("expires_ms", ms);
    if left_ms <= SOON_MS {
        finding = finding.ends(lost);
    }
    for (key, ms) in &expiring {
        let name = text::printable_bytes(&key.key);
        let left = text::age(*ms);
        finding = finding
            .words(format!("{name}: {left} left"))
            .check(&["PTTL"], &key.key);
    }
    // Redisson's expire() of a delayed queue does this, and so does one by hand.
    RuleVerdict::Found(finding.repair(
        Step::Change(What::Persist),
        Advice::of("Remove the expiry").by(Act::Repair, ", then find out who calls expire()."),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{after, pulse};
    use super::*;
    use crate::queue::{Queue, Survey};

    fn survey(expiries: [Option<i64>; 2]) -> Survey {
        let names = ["timeouts", "order"];
        let keys = names.into_iter().zip(expiries).map(|(name, expires)| {
            let wanted = if name == "order" { "list" } else { "zset" };
            KeyFacts {
                key: name.as_bytes().to_vec(),
                wanted,
                kind: wanted.to_owned(),
                expires_in_ms: expires,
            }
        });
        Survey {
            keys: keys.collect(),
            ..super::super::tests::survey(None)
        }
    }

    #[test]
    fn the_key_that_expires_first_is_named_and_the_others_counted() {
        let pulses = [pulse(0, 1, None, 1)];
        let queue = Queue::redisson("orders");
        let said = |expiries| after(&queue, &pulses, Some(&survey(expiries))).findings;
        assert_eq!(said([None, None]), []);
        let found = &said([Some(3_700_000), Some(65_000)])[0];
        assert_eq!((found.id, found.severity), (ID, Severity::Critical));
        let sentence =
            "All entries are lost in 1:05: a key of it expires. It is order (and 1 more).";
        assert_eq!(found.sentence(), sentence);
        assert_eq!(
            found.evidence.commands,
            ["redis-cli PTTL order", "redis-cli PTTL timeouts"]
        );
    }

    #[test]
    fn entries_that_are_lost_within_the_hour_are_critical() {
        let pulses = [pulse(0, 1, None, 1)];
        let queue = Queue::redisson("orders");
        let severity = |ms| {
            let said = after(&queue, &pulses, Some(&survey([Some(ms), None])));
            (said.findings[0].severity, said.findings[0].ends)
        };
        let ends = |ms| Some(pulses[0].at.plus(ms));
        let hour = 3_600_000;
        assert_eq!(severity(hour), (Severity::Critical, ends(hour)));
        assert_eq!(severity(hour + 1), (Severity::Warning, ends(hour + 1)));
    }
}
