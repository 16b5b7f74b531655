//! Entries that wait for decades: a due time that overflowed was made one, most likely, and nobody
//! sees them wait.

use super::id::FAR_FUTURE as ID;
use super::{Act, Advice, Finding, QueueFacts, RuleVerdict, Severity, Step, Suspect};
use crate::clock::EpochMillis;
use crate::queue::Known;
use crate::queue::frames::FarEntry;

/// A year, in ms, as far as a number of the year goes.
const YEAR_MS: i64 = 31_556_952_000;

/// Looks at the last of timeouts in the last sample.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let (Some(pulse), Some(sample)) = (seen.pulse, seen.watch.sample()) else {
        return RuleVerdict::Silent;
    };
    let far = &sample.far;
    let (Some(last), false) = (far.first(), pulse.waiting == Known::Is(0)) else {
        return RuleVerdict::Fine;
    };
    RuleVerdict::Found(finding(seen, far, last))
}

fn finding(seen: &QueueFacts, far: &[FarEntry], last: &FarEntry) -> Finding {
    let year = year(last.due);
    let headline = match far.len() {
        1 => format!("1 entry waits until the year {year}."),
        n if n < FarEntry::READ => format!("{n} entries wait until the year {year}."),
        n => format!("At least {n} entries wait until the year {year}."),
    };
    let ids: Vec<String> = far.iter().map(|one| one.id.to_string()).collect();
    let suspects = far.iter().map(|one| Suspect {
        id: one.id,
        score: seen.queue.score(one.due),
        says: Some(one.says.clone()),
    });
    let (them, they_stand) = match far.len() {
        1 => ("it", "it stands"),
        _ => ("them", "they stand"),
    };
    Finding::new(ID, Severity::Note, headline)
        .all_suspects(suspects)
        .number("entries", ids.clone())
        .number("last_due_ms", last.due.get())
        .all_words(ids)
        .check_about(
            "ZREVRANGE",
            &seen.queue.keys().timeouts,
            &["0", "2", "WITHSCORES"],
        )
        .repair(
            Step::Outside,
            Advice::of(format!("Give {them} another due time"))
                .by(Act::Requeue, format!(", or delete {them}"))
                .by(Act::Delete, format!(": {they_stand} last in the list.")),
        )
}

const fn year(at: EpochMillis) -> i64 {
    1970 + at.get().div_euclid(YEAR_MS)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{START, Scene, framed, pulse, sample};
    use super::*;
    use crate::queue::{Form, Frames, Pulse};

    const CENTURY_MS: i64 = 100 * YEAR_MS;

    fn found(pulse: Pulse, says: &[&str]) -> Option<Finding> {
        let far = |says: &&str| FarEntry {
            id: framed(Form::ByteId, 1, None).id,
            due: START.plus(CENTURY_MS),
            says: (*says).to_owned(),
        };
        let frames = Frames {
            far: says.iter().map(far).collect(),
            ..sample(Vec::new(), Vec::new())
        };
        Scene::default().pulse(pulse).sample(frames).found(ID)
    }

    #[test]
    fn what_waits_for_a_century_stays_a_note_with_its_payload_until_it_is_gone() {
        let one = found(pulse(0, 1, None, 1), &["{\"orderId\":1}"]).unwrap();
        assert_eq!(one.severity, Severity::Note);
        assert_eq!(one.headline, "1 entry waits until the year 2123.");
        assert!(!one.evidence.words[0].contains("orderId"));
        let told = one.told_by_payload().evidence.words.remove(0);
        assert!(told.starts_with("{\"orderId\":1} ("), "{told}");
        assert_eq!(found(pulse(0, 1, None, 1), &[]), None);
        assert_eq!(found(pulse(0, 0, None, 1), &["x"]), None);
    }

    #[test]
    fn of_as_many_as_are_read_nobody_knows_whether_there_are_more() {
        let headline = |says: &[&str]| found(pulse(0, 9, None, 1), says).unwrap().headline;
        assert!(headline(&["x"; 2]).starts_with("2 entries wait"));
        assert!(headline(&["x"; FarEntry::READ]).starts_with("At least 3 entries wait"));
    }
}
