//! An expiry on one of the keys: when it runs out, all entries in it are lost without a word. Of
//! timeouts, also what was lost.

use chrono::DateTime;

use super::id::TTL as ID;
use super::watch::ExpiredEntries;
use super::{Act, Advice, Finding, QueueFacts, RuleVerdict, Severity, Step};
use crate::clock::EpochMillis;
use crate::queue::change::ChangeRequest;
use crate::queue::{KeyFacts, Pulse, text};

/// Entries that are lost within this, in ms, are lost before anybody looks again.
const HOUR_MS: i64 = 3_600_000;
/// The time, in ms, within which a loss comes before findings that are as bad and stay as they are.
const SOON_MS: i64 = 24 * HOUR_MS;

/// A loss is told for so long, in ms.
const TOLD_MS: i64 = 24 * HOUR_MS;

/// Keys that expire within so many ms of each other expire together.
const TOGETHER_MS: i64 = 1_000;

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
    // Redisson's expire() sets one time for all keys, of which one is read a moment before another: the
    // one that holds the entries is told.
    let timeouts = seen.queue.keys().timeouts;
    expiring.sort_by_key(|(key, ms)| (*ms - i64::from(key.key == timeouts) * TOGETHER_MS, *ms));
    let Some((first, ms)) = expiring.first().copied() else {
        return RuleVerdict::Fine;
    };
    let expire = match expiring.len() {
        1 => "expires".to_owned(),
        n => format!("and {} more expire", n - 1),
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
    let mut finding = Finding::new(ID, severity, headline(seen, &first.key, &soon))
        .details(format!("{key} {expire}."));
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
        Step::Change(ChangeRequest::Persist),
        Advice::of("Remove the expiry").by(Act::Repair, ", then find out who calls expire()."),
    ))
}

/// Says what is lost with that key, in a headline.
fn headline(seen: &QueueFacts, key: &[u8], soon: &str) -> String {
    let keys = seen.queue.keys();
    let count = |known: fn(&Pulse) -> Option<u64>| seen.pulse.and_then(known);
    let lost = if key == keys.timeouts {
        count(|pulse| pulse.waiting.get())
    } else {
        None
    };
    match lost {
        Some(1) => format!("The only entry is lost in {soon}: a key expires."),
        Some(n @ 2..) => {
            let n = text::thousands(n);
            format!("All {n} entries are lost in {soon}: a key expires.")
        }
        // Without the order list what waits is delivered all the same.
        _ => format!("A key of the queue expires in {soon}: its content is lost."),
    }
}

/// The finding that entries are lost.
fn lost_with(expired: &ExpiredEntries, ago_ms: i64) -> Finding {
    let ExpiredEntries {
        key,
        at,
        waited,
        late,
    } = expired;
    let lost = text::counted(*waited, "entry is lost", "entries are lost");
    let (name, ago) = (text::printable_bytes(key), text::age(ago_ms));
    let headline = if *late == 0 {
        format!("{lost}: a key has expired.")
    } else {
        format!("Up to {lost}: a key has expired.")
    };
    let due = if *late == 0 {
        String::new()
    } else {
        let late = text::counted(*late, "of them was due", "of them were due");
        format!("; {late}, and may have been transferred before")
    };
    Finding::new(ID, Severity::Critical, headline)
        .details(format!("{name} expired {ago} ago{due}."))
        .number("lost", *waited)
        .words(format!("{name}: expired at {}", instant_of(*at)))
        .check(&["EXISTS"], key)
        .repair(
            Step::Outside,
            "Offer again from the source what is missing, and find out who calls expire().",
        )
}

/// `2026-11-30 21:13:09 UTC`.
fn instant_of(at: EpochMillis) -> String {
    let known = DateTime::from_timestamp_millis(at.get());
    known.map_or_else(
        || format!("{} ms since the epoch", at.get()),
        |at| at.format("%F %T UTC").to_string(),
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::{START, Scene, after, framed, pulse};
    use super::*;
    use crate::queue::frame::Form;
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
            "A key of the queue expires in 1:05: its content is lost. order and 1 more expire.";
        assert_eq!(found.sentence(), sentence);
        assert_eq!(
            found.evidence.commands,
            ["redis-cli PTTL order", "redis-cli PTTL timeouts"]
        );
    }

    #[test]
    fn of_keys_that_expire_together_the_one_that_holds_the_entries_is_told() {
        let queue = Queue::redisson("orders");
        let said = |expiries| {
            let mut survey = survey(expiries);
            survey.keys[0].key = queue.keys().timeouts;
            let said = after(&queue, &[pulse(0, 7, None, 1)], Some(&survey));
            said.findings[0].headline.clone()
        };
        let all = "All 7 entries are lost in 1:05: a key expires.";
        assert_eq!(said([Some(65_000), Some(65_000)]), all);
        assert_eq!(said([Some(65_001), Some(65_000)]), all);
        let other = "A key of the queue expires in 1:05: its content is lost.";
        assert_eq!(said([Some(67_000), Some(65_000)]), other);
    }

    #[test]
    fn what_is_lost_is_counted_where_it_is_known() {
        let queue = Queue::redisson("orders");
        let said = |waiting: u64, key: Vec<u8>| {
            let mut survey = survey([Some(65_000), None]);
            survey.keys[0].key = key;
            let said = after(&queue, &[pulse(0, waiting, None, 1)], Some(&survey));
            said.findings[0].headline.clone()
        };
        let keys = queue.keys();
        let many = said(9_999_999, keys.timeouts.clone());
        assert_eq!(
            many,
            "All 9,999,999 entries are lost in 1:05: a key expires."
        );
        let one = said(1, keys.timeouts);
        assert_eq!(one, "The only entry is lost in 1:05: a key expires.");
        assert!(said(7, keys.order.unwrap()).starts_with("A key of the queue expires"));
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
        let pulses = [
            (0, waiting),
            (4_000, waiting),
            (6_000, then),
            (end_ms, then),
        ];
        pulses_of(&pulses, late)
    }

    /// A queue whose timeouts expires at 5 s, as surveys say, and has so many entries at such times.
    fn pulses_of(pulses: &[(i64, u64)], late: u64) -> Scene {
        let mut scene = Scene::default();
        for &(at, waiting) in pulses {
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
        let sentence = "1,204 entries are lost: a key has expired. timeouts expired 3.0 s ago.";
        assert_eq!(found.sentence(), sentence);
        let found = ran_out((1_204, 4), 0, 8_000).unwrap();
        let sentence = "Up to 1,204 entries are lost: a key has expired. timeouts expired 3.0 s \
                        ago; 4 of them were due, and may have been transferred before.";
        assert_eq!(found.sentence(), sentence);
        let day = 24 * HOUR_MS;
        assert!(ran_out((9, 0), 0, 5_000 + day - 1).is_some());
        let later = ran_out((9, 0), 0, 5_000 + day);
        assert!(later.is_none_or(|found| !found.headline.contains("lost:")));
    }

    #[test]
    fn a_loss_is_told_also_where_the_key_goes_a_moment_before_or_after_the_time_that_was_read() {
        for gone_ms in [4_001, 4_999, 5_000, 5_001, 6_000] {
            let before = (gone_ms - 1, 7);
            let pulses = [(0, 7), before, (gone_ms, 0), (8_000, 0)];
            let found = pulses_of(&pulses, 0).found(ID);
            let headline = found.map(|found| found.headline);
            let lost = Some("7 entries are lost: a key has expired.");
            assert_eq!(headline.as_deref(), lost, "at {gone_ms}");
        }
    }

    #[test]
    fn an_entry_that_fell_due_before_the_key_expired_may_have_been_transferred() {
        let lost = |waiting: u64, due_ms: i64| {
            let mut scene = Scene::default();
            for (at, waiting) in [(4_000, waiting), (6_000, 0)] {
                let mut seen = pulse(at, waiting, None, 1);
                seen.late = Known::Is(0);
                seen.first = (waiting > 0).then(|| framed(Form::ByteId, 1, Some(due_ms)));
                let mut keys = survey([Some(1_000), None]);
                keys.at = START.plus(4_000);
                scene = scene.pulse(seen).survey(keys);
            }
            let found = scene.found(ID).map(|found| found.headline);
            found.filter(|headline| headline.contains("lost:"))
        };
        assert_eq!(lost(1, 4_300), None);
        let one = Some("1 entry is lost: a key has expired.".to_owned());
        assert_eq!(lost(1, 9_000), one);
        let up_to = Some("Up to 2 entries are lost: a key has expired.".to_owned());
        assert_eq!(lost(2, 4_300), up_to);
    }

    #[test]
    fn an_expiry_that_has_taken_nothing_for_sure_is_no_loss() {
        let lost = |counts, then| {
            let found = ran_out(counts, then, 8_000);
            found.is_some_and(|found| found.headline.contains("lost:"))
        };
        // Somebody has taken the expiry away; all was due, and may have been transferred.
        assert!(!lost((9, 0), 9));
        assert!(!lost((9, 9), 0));
        assert!(lost((9, 8), 0));
    }
}
