//! Somebody has announced a due time that is not the head's: every client that heard it has put its
//! timer off until then, and the head comes late. Only who hears the channel can tell.

use super::id::WRONG_ANNOUNCEMENT as ID;
use super::{Act, Advice, Finding, QueueFacts, RuleVerdict, Severity, Step};
use crate::queue::change::ChangeRequest;
use crate::queue::text;

/// The same entry has headed timeouts for so long before the message was heard, in ms, as no
/// message takes: it was the head when this was published.
const BEFORE_MS: i64 = 1_000;
/// The same entry has headed timeouts for so long after it, in ms: a message that puts it right
/// would have come.
const AFTER_MS: i64 = 1_000;
/// A due time that much after the head's makes it late, in ms.
const LATER_MS: i64 = 1_000;

/// Compares what was announced last with the head.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let Some(pulse) = seen.pulse.filter(|_| seen.queue.keys().channel.is_some()) else {
        return RuleVerdict::Silent;
    };
    let clients = pulse.transfer_clients.get();
    let said = seen.watch.said.zip(seen.watch.still);
    let Some(((at, said), still)) = said.filter(|_| clients != Some(0)) else {
        return RuleVerdict::Fine;
    };
    let stood = at.since(still.since) >= BEFORE_MS && still.until.since(at) >= AFTER_MS;
    // Once that time has come all of them look.
    let over = still.until.since(said) >= 0;
    let by_ms = said.since(still.due);
    if !stood || over || by_ms < LATER_MS {
        return RuleVerdict::Fine;
    }
    let by = text::age(by_ms);
    let headline = "The clients sleep too long: a wrong due time was announced.";
    let finding = Finding::new(ID, Severity::Warning, headline)
        .details(format!(
            "It is {by} after the first entry's. Clients that heard it wait until then, so entries \
             come up to {by} late."
        ))
        .since(at)
        .number("announced_ms", said.get())
        .number("head_due_ms", still.due.get())
        .number("head", still.id.to_string())
        .words(format!(
            "the first entry was the same for {} before the message and for {} after it",
            text::age(at.since(still.since)),
            text::age(still.until.since(at))
        ))
        .check_about(
            "ZRANGE",
            &seen.queue.keys().timeouts,
            &["0", "0", "WITHSCORES"],
        );
    RuleVerdict::Found(finding.repair(
        Step::Change(ChangeRequest::Kick),
        Advice::of("Wake the clients").by(
            Act::Repair,
            ": they set their timers anew. Then find out who publishes due times of entries that are \
             not the first.",
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{START, Scene, framed, pulse};
    use super::*;
    use crate::queue::{Announcement, Form};

    /// The entry 1, due after a minute, heads timeouts from 0 s on; at 2 s that is heard, in ms
    /// after the start (0: a kick); at 4 s it is looked again.
    fn scene(head_from: i64, messages: &[i64]) -> Scene {
        let headed = |scene: Scene, id: u8, at: i64, due: i64| {
            let mut seen = pulse(at, 2, None, 1);
            seen.first = Some(framed(Form::ByteId, id, Some(due)));
            scene.pulse(seen)
        };
        let mut scene = Scene::default();
        if head_from > 0 {
            scene = headed(scene, 2, 0, 90_000);
        }
        scene = headed(scene, 1, head_from, 60_000);
        for due in messages {
            let message = match due {
                0 => "0".to_owned(),
                due => START.plus(*due).get().to_string(),
            };
            scene.watch.announced(&Announcement::new(
                START.plus(2_000),
                Vec::new(),
                message.as_bytes(),
            ));
        }
        headed(scene, 1, 4_000, 60_000)
    }

    #[test]
    fn a_time_after_the_heads_is_told_and_a_kick_mends_it() {
        let found = scene(0, &[120_000]).found(ID).unwrap();
        assert_eq!(found.repair.step, Step::Change(ChangeRequest::Kick));
        assert!(
            found.sentence().contains("up to 1:00 late"),
            "{}",
            found.sentence()
        );
    }

    #[test]
    fn what_is_right_or_may_have_been_or_was_put_right_is_not_told() {
        let fine = |head_from, messages: &[i64]| {
            assert_eq!(
                scene(head_from, messages).verdict(ID),
                RuleVerdict::Fine,
                "{messages:?}"
            );
        };
        fine(0, &[]);
        fine(0, &[60_000]);
        // Earlier: they look too soon, and see the head.
        fine(0, &[30_000]);
        // Kicked since, or the right one announced.
        fine(0, &[120_000, 0]);
        fine(0, &[120_000, 60_000]);
        // What was announced may have been the head at that moment.
        fine(1_500, &[120_000]);
    }
}
