//! Messages that stand in target more than once, since an entry that no client could unpack had them
//! delivered again and again. That entry is gone; the copies stay until somebody takes them.

use std::collections::HashMap;

use super::id::DUPLICATES as ID;
use super::{Act, Advice, Diagnosis, Finding, QueueFacts, RuleVerdict, Severity, Step, Watch};
use crate::queue::frames::{DeliveredElement, Fingerprint, Frames};
use crate::queue::{Pulse, text};

/// Messages that are remembered at most.
const KEPT: usize = 200;

/// Takes note of what is delivered again and again, while that can be seen.
pub(super) fn note(watch: &mut Watch, said: &Diagnosis, pulse: Option<&Pulse>) {
    let Some(pulse) = pulse else { return };
    if pulse.target.get() == Some(0) {
        watch.redelivered.clear();
        return;
    }
    let redelivers = said.findings.iter().any(Finding::redelivers);
    let Some(sample) = watch.sample().filter(|_| redelivers) else {
        return;
    };
    let stands = |payload: Fingerprint| elements(sample).any(|one| one.payload == payload);
    let due = sample.next_due.iter().filter(|one| one.is_due(pulse.at));
    let again = due
        .map(|one| one.payload)
        .filter(|payload| stands(*payload));
    let again: Vec<Fingerprint> = again.collect();
    for payload in again {
        if watch.redelivered.len() < KEPT && !watch.redelivered.contains(&payload) {
            watch.redelivered.push(payload);
        }
    }
}

/// Counts the copies of what was seen to be delivered again in the last sample.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let (Some(pulse), Some(sample)) = (seen.pulse, seen.watch.sample()) else {
        return RuleVerdict::Silent;
    };
    let looked_at = sample.front.len() + sample.tail.len();
    let length = pulse.target.get().unwrap_or(0);
    let apart = length >= u64::try_from(looked_at).unwrap_or(u64::MAX);
    let copies = copies(&seen.watch.redelivered, sample, apart);
    let too_many: u64 = copies.iter().map(|count| count - 1).sum();
    if too_many == 0 || length == 0 {
        return RuleVerdict::Fine;
    }
    let messages = copies.len() as u64;
    let several = text::counted(messages, "message", "messages");
    let copies = text::counted(too_many, "surplus copy", "surplus copies");
    let looked_at = if apart {
        looked_at
    } else {
        looked_at.div_ceil(2)
    };
    let headline = "Messages stand in target more than once.";
    let finding = Finding::new(ID, Severity::Warning, headline)
        .details(format!(
            "At least {several}: each transfer that failed on an unreadable entry delivered them once \
             more."
        ))
        .of_sample(too_many, !apart)
        .number("messages", messages)
        .number("copies_seen", too_many)
        .number("target", length)
        .words(format!(
            "{copies} among the {} of {} elements that were examined",
            text::thousands(looked_at as u64),
            text::thousands(length)
        ));
    RuleVerdict::Found(finding.repair(
        Step::KeepOne,
        Advice::of("Delete the copies and keep one of each").by(
            Act::Repair,
            ": all that stand in target are counted first. Consumers get them again until then.",
        ),
    ))
}

fn elements(sample: &Frames) -> impl Iterator<Item = &DeliveredElement> {
    sample.front.iter().chain(&sample.tail)
}

/// Counts the copies of each of these that stands there more than once. `apart`: no element is at
/// both ends.
fn copies(known: &[Fingerprint], sample: &Frames, apart: bool) -> Vec<u64> {
    let count = |elements: &[DeliveredElement]| {
        let mut counts: HashMap<Fingerprint, u64> = HashMap::new();
        for one in elements {
            *counts.entry(one.payload).or_default() += 1;
        }
        counts
    };
    let (front, tail) = (count(&sample.front), count(&sample.tail));
    let of = |counts: &HashMap<Fingerprint, u64>, payload: &Fingerprint| {
        counts.get(payload).copied().unwrap_or(0)
    };
    let all = known.iter().map(|payload| {
        let (front, tail) = (of(&front, payload), of(&tail, payload));
        if apart { front + tail } else { front.max(tail) }
    });
    all.filter(|count| *count > 1).collect()
}

#[cfg(test)]
mod tests {
    use super::super::id;
    use super::super::tests::{Scene, framed, judged, pulse, sample, server_look};
    use super::*;
    use crate::queue::{Form, JudgedMember, Known, Queue};

    fn good(id: u8) -> JudgedMember {
        framed(Form::ByteId, id, Some(-60_000))
    }

    /// A sample of these at the head of timeouts, with so many copies of a good one in target.
    fn frames(next_due: Vec<JudgedMember>, copies: usize) -> Frames {
        let one = DeliveredElement::new(&Queue::redisson("q"), b"hello");
        let newest = (3..9).map(|id| framed(Form::ByteId, id, None)).collect();
        Frames {
            tail: vec![one; copies],
            ..sample(next_due, newest)
        }
    }

    fn seen(at: i64, target: u64) -> crate::queue::Pulse {
        let mut seen = pulse(at, 9, Some(at + 60_000), 1);
        seen.first = Some(good(1));
        seen.target = Known::Is(target);
        seen
    }

    /// Something that is no frame stands behind a good entry that is due, which is delivered again
    /// and again; then it is gone.
    fn mended(copies: usize) -> Scene {
        let foreign = judged(b"no frame", Some(-50_000));
        let mut scene = Scene::default().look(server_look(0, [false, true], 0));
        for at in [0, 1_000, 2_000] {
            let frames = frames(vec![good(1), foreign.clone()], copies);
            scene = scene.sample(frames).pulse(seen(at, 60));
            let said = scene.all();
            assert!(said.findings.iter().all(|f| f.id != ID), "{said:?}");
            assert!(said.findings.iter().any(|f| f.id == id::FOREIGN_MEMBER));
        }
        let mut scene = scene
            .sample(frames(vec![good(2)], copies))
            .pulse(seen(3_000, 60));
        scene.all();
        scene
    }

    #[test]
    fn copies_that_a_blocking_entry_has_made_are_told_once_it_is_gone() {
        let found = mended(25).found(ID).unwrap();
        assert_eq!(found.severity, Severity::Warning);
        assert_eq!(found.evidence.figures["copies_seen"], 24);
        assert_eq!(mended(1).found(ID), None, "there is one");
    }

    #[test]
    fn equal_messages_that_nothing_has_delivered_again_are_no_copies() {
        let scene = Scene::default()
            .sample(frames(vec![good(1)], 25))
            .pulse(seen(0, 60));
        assert_eq!(scene.found(ID), None);
    }

    #[test]
    fn what_is_all_taken_is_forgotten() {
        let mut scene = mended(25).pulse(seen(4_000, 0));
        scene.all();
        let scene = scene.pulse(seen(5_000, 60));
        assert_eq!(scene.found(ID), None);
    }
}
