//! An expiry on one of the keys: when it runs out, all entries in it are lost without a word. Of
//! timeouts, also what was lost.

use super::id::TTL as ID;
use super::watch::ExpiredEntries;
use super::{Act, Advice, Finding, QueueFacts, RuleVerdict, Severity, Step};
use crate::clock::EpochMillis;
use crate::queue::change::What;
use crate::queue::{KeyFacts, text};

/// Entries that are lost within this, in ms, are lost before anybody looks again.
const HOUR_MS: i64 = 3_600_000;
/// The time, in ms, within which a loss comes before findings that are as bad and stay as they are.
const SOON_MS: i64 = 24 * HOUR_MS;

/// A loss is told for so long, in ms.
const TOLD_MS: i64 = 24 * HOUR_MS;

/// Looks at what the survey says of each key, and at what pulses have seen since.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let now = seen.pulse.map(|pulse| pulse.at);
    let lost = seen.watch.expired.as_ref().zip(now);
    let lost = lost.map(|(expired, now)| (expired, now.since(expired.at)));
    // That another key expires comes after what has gone already.
    if let Some((expired, ago_ms)) = lost.filter(|(_, ago_ms)| (0..TOLD_MS).contains(ago_ms)) {
        return RuleVerdict::Found(lost_with(expired, ago_ms));
    }
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

/// The finding that entries are lost.
fn lost_with(expired: &ExpiredEntries, ago_ms: i64) -> Finding {
    let ExpiredEntries {
        key,
        at,
        waited,
        late,
    } = expired;
    let those = text::counted(*waited, "entry", "entries");
    let (name, ago) = (text::printable_bytes(key), text::age(ago_ms));
    let headline = if *late == 0 {
        format!("Lost {those}: a key of it has expired.")
    } else {
        format!("Lost up to {those}: a key of it has expired.")
    };
    let due = if *late == 0 {
        String::new()
    } else {
        let late = text::counted(*late, "one of them was due", "of them were due");
        format!("; {late}, and may have been transferred before")
    };
    Finding::new(ID, Severity::Critical, headline)
        .details(format!("It was {name}, {ago} ago{due}."))
        .number("lost", *waited)
        .words(format!("{name}: expired at {}", instant_of(*at)))
        .check(&["EXISTS"], key)
        .repair(
            Step::Outside,
            "Offer again from the source what is missing, and find out who calls expire().",
        )
}

/// Seconds since the epoch, as `date -d @…` takes them.
fn instant_of(at: EpochMillis) -> String {
    format!("@{}", at.get().div_euclid(1_000))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{START, Scene, after, pulse};
    use super::*;
    use crate::queue::{Known, Queue, Survey};

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

    /// A queue whose timeouts expires at 5 s, and has so many entries at 4 s, so many of them late;
    /// then it has so many, at 6 s and at the end.
    fn ran_out(counts: (u64, u64), then: u64, end_ms: i64) -> Option<Finding> {
        after_it(counts, then, end_ms).found(ID)
    }

    fn after_it((waiting, late): (u64, u64), then: u64, end_ms: i64) -> Scene {
        let mut scene = Scene::default();
        for (at, waiting) in [
            (0, waiting),
            (4_000, waiting),
            (6_000, then),
            (end_ms, then),
        ] {
            let mut seen = pulse(at, waiting, (late > 0).then_some(1_000), 1);
            seen.late = Known::Is(late.min(waiting));
            scene = scene.pulse(seen);
            if at < 5_000 {
                let mut now = survey([Some(5_000 - at), None]);
                now.at = START.plus(at);
                scene = scene.survey(now);
            }
        }
        scene
    }

    #[test]
    fn what_an_expiry_has_taken_was_not_transferred() {
        let scene = after_it((1_204, 0), 0, 8_000);
        let counts: Vec<_> = scene.watch.last(60_000).map(|beat| beat.waiting).collect();
        assert_eq!(counts, [Some(0), Some(0)]);
    }

    #[test]
    fn what_an_expiry_has_taken_is_told_for_a_day() {
        let found = ran_out((1_204, 0), 0, 8_000).unwrap();
        assert_eq!(found.severity, Severity::Critical);
        let sentence = "Lost 1,204 entries: a key of it has expired. It was timeouts, 3.0 s ago.";
        assert_eq!(found.sentence(), sentence);
        let found = ran_out((1_204, 4), 0, 8_000).unwrap();
        let sentence = "Lost up to 1,204 entries: a key of it has expired. It was timeouts, 3.0 s \
                        ago; 4 of them were due, and may have been transferred before.";
        assert_eq!(found.sentence(), sentence);
        let day = 24 * HOUR_MS;
        assert!(ran_out((9, 0), 0, 5_000 + day - 1).is_some());
        let later = ran_out((9, 0), 0, 5_000 + day);
        assert!(later.is_none_or(|found| !found.headline.starts_with("Lost")));
    }

    #[test]
    fn an_expiry_that_has_taken_nothing_for_sure_is_no_loss() {
        let lost = |counts, then| {
            let found = ran_out(counts, then, 8_000);
            found.is_some_and(|found| found.headline.starts_with("Lost"))
        };
        // Somebody has taken the expiry away; all was due, and may have been transferred.
        assert!(!lost((9, 0), 9));
        assert!(!lost((9, 9), 0));
        assert!(lost((9, 8), 0));
    }
}
