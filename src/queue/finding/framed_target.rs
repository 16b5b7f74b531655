//! Elements of target that still have their frame: consumers cannot read them.

use super::id::FRAMED_TARGET as ID;
use super::{Act, Advice, Finding, QueueFacts, RuleVerdict, Severity, Step};
use crate::queue::change::ChangeRequest;
use crate::queue::text;

/// Looks at both ends of target in the last sample.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let Some(sample) = seen.watch.sample() else {
        return RuleVerdict::Silent;
    };
    let length = seen.pulse.and_then(|pulse| pulse.target.get());
    let framed = |some: &[crate::queue::frames::DeliveredElement]| {
        let framed = some.iter().filter(|one| one.framed.is_some()).count();
        u64::try_from(framed).unwrap_or(u64::MAX)
    };
    // Both ends overlap in a short list.
    let (front, tail) = (framed(&sample.front), framed(&sample.tail));
    let seen_of = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    let looked_at = seen_of(sample.front.len());
    let whole = length.is_some_and(|length| length <= looked_at);
    let count = if whole { front } else { front.max(tail) };
    // Where both ends are well, the middle may have left since it was looked at.
    let exact = seen.watch.exact().filter(|exact| {
        let left = length.is_none_or(|length| length >= exact.target);
        exact.framed.0 >= count.max(1) && (count > 0 || left) && !whole
    });
    let count = exact.map_or(count, |exact| exact.framed.0);
    if count == 0 || length == Some(0) {
        return RuleVerdict::Fine;
    }
    let all = whole || exact.is_some();
    let at_least = if all { "" } else { "At least " };
    let target = seen.queue.keys().target;
    let elements = text::counted(count, "element", "elements");
    let has = if count == 1 { "has" } else { "have" };
    let headline = "Consumers cannot read some of what is delivered.";
    let finding = Finding::new(ID, Severity::Warning, headline)
        .details(format!(
            "{at_least}{elements} of target still {has} Redisson's frame."
        ))
        .of_sample(count, all)
        .number("framed", count)
        .number("looked_at", looked_at)
        .words("copy() of Redisson writes such elements, and a move by hand does")
        .check_about("LRANGE", &target, &["0", "9"]);
    let finding = match exact {
        Some(exact) => finding.exact(exact).number("first_place", exact.framed.1),
        None => finding,
    };
    RuleVerdict::Found(finding.repair(
        Step::Change(ChangeRequest::Unwrap),
        Advice::of("Remove the frames").by(Act::Repair, "; the elements keep their places."),
    ))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::queue::finding::Watch;
    use crate::queue::finding::tests::{pulse, sample};
    use crate::queue::frames::DeliveredElement;
    use crate::queue::{Known, Queue, ServerWatch, frame};

    fn verdict(elements: &[&[u8]], length: u64) -> RuleVerdict {
        let queue = Queue::redisson("orders");
        let mut frames = sample(Vec::new(), Vec::new());
        let delivered = elements
            .iter()
            .map(|one| DeliveredElement::new(&queue, one));
        frames.front = delivered.collect();
        frames.tail = frames.front.iter().rev().copied().collect();
        let mut watch = Watch::default();
        watch.frames.push_back(Arc::new(frames));
        let mut pulse = pulse(0, 1, None, 1);
        pulse.target = Known::Is(length);
        look(&QueueFacts {
            queue: &queue,
            pulse: Some(&pulse),
            survey: None,
            watch: &watch,
            server: &ServerWatch::default(),
        })
    }

    #[test]
    fn frames_in_target_are_counted() {
        let framed = frame::encode(crate::queue::Form::ByteId, *b"12345678", b"hello");
        assert_eq!(verdict(&[b"hello", b"world"], 2), RuleVerdict::Fine);
        let RuleVerdict::Found(found) = verdict(&[b"hello", &framed], 2) else {
            panic!("nothing found");
        };
        assert_eq!(found.figure, Some(1));
        assert!(found.details.starts_with("1 element of target"));
        let RuleVerdict::Found(found) = verdict(&[b"hello", &framed], 5_000) else {
            panic!("nothing found");
        };
        assert!(found.details.starts_with("At least 1 element"));
        // They have been consumed since the sample.
        assert_eq!(verdict(&[b"hello", &framed], 0), RuleVerdict::Fine);
    }
}
