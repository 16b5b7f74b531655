//! Two queues, `q` and `{q}`, that share all keys but their targets.

use super::id::NAME_COLLISION as ID;
use super::{Finding, Open, QueueFacts, RuleVerdict, Severity, Step};
use crate::queue::{Twin, text};

/// The headline where both of them are used.
const SHARED: &str = "Two queues share keys: messages may reach the wrong one.";

/// Looks at what the last sample says of the other queue's target.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let keys = seen.queue.keys();
    if seen.queue.twin().is_none() {
        return RuleVerdict::Fine;
    }
    let Some(sample) = seen.watch.sample() else {
        return RuleVerdict::Silent;
    };
    let Some(twin) = &sample.twin else {
        return RuleVerdict::Fine;
    };
    let own = text::printable(&seen.queue.name.text()).into_owned();
    let other = text::printable(&twin.name.text()).into_owned();
    let (headline, details, repair) = match twin {
        Twin { stands: true, .. } => (
            SHARED,
            format!(
                "What is offered to {own} may be delivered to {other}: both names lead to the same \
                 timeouts and channel."
            ),
            format!(
                "Rename one of the two queues in all clients; if {other} is only left over, empty \
                 or rename its list."
            ),
        ),
        Twin {
            written: true,
            own: Some(true),
            ..
        } => (
            SHARED,
            format!(
                "What is offered to {own} may be delivered to {other}, where it is taken at once: \
                 both names lead to the same timeouts and channel."
            ),
            "Rename one of the two queues in all clients.".to_owned(),
        ),
        Twin {
            written: true,
            own: Some(false),
            ..
        } => (
            "Messages reach another list, not this queue's target.",
            format!(
                "They are delivered to {other}, where they are taken at once, and none to {own}: \
                 both names lead to the same timeouts and channel."
            ),
            format!(
                "If the queue is called {other}, look at it by that name; else two queues share \
                 keys: rename one of them in all clients."
            ),
        ),
        Twin { written: true, .. } => {
            let told = format!("messages are delivered to {other}");
            let asks = format!("whether any reach {own}");
            return RuleVerdict::Early(Open::new(told, asks, None));
        }
        Twin { .. } => return RuleVerdict::Fine,
    };
    let finding = Finding::new(ID, Severity::Warning, headline)
        .details(details)
        .number("other", other.as_str())
        .number("stands", twin.stands)
        .number("written", twin.written)
        .number("own_target_used", twin.own);
    let finding = if twin.written {
        finding.words(format!("somebody was seen to write to {other}"))
    } else {
        finding
    };
    let finding = finding
        .words(format!(
            "a client that has both of them delivers all to the one that it made first; \
             of {other} it cannot be seen here whose entries wait"
        ))
        .check(&["TYPE"], twin.name.as_bytes())
        .check(&["TYPE"], &keys.target);
    RuleVerdict::Found(finding.repair(Step::Outside, repair))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::queue::finding::Watch;
    use crate::queue::finding::tests::sample;
    use crate::queue::{Queue, ServerWatch};

    fn verdict(name: &str, twin: Option<Twin>) -> RuleVerdict {
        let queue: Queue = name.parse().unwrap();
        let mut watch = Watch::default();
        let mut frames = sample(Vec::new(), Vec::new());
        frames.twin = twin;
        watch.frames.push_back(Arc::new(frames));
        look(&QueueFacts {
            queue: &queue,
            pulse: None,
            survey: None,
            watch: &watch,
            server: &ServerWatch::default(),
        })
    }

    fn twin(stands: bool, written: bool, own: Option<bool>) -> Twin {
        Twin {
            name: "{orders}".into(),
            stands,
            written,
            own,
        }
    }

    fn told(twin: Twin) -> String {
        let RuleVerdict::Found(found) = verdict("orders", Some(twin)) else {
            panic!("nothing found");
        };
        assert_eq!(found.severity, Severity::Warning);
        found.sentence()
    }

    #[test]
    fn a_second_list_with_the_other_name_is_told() {
        let told = told(twin(true, false, None));
        assert!(
            told.contains("to orders may be delivered to {orders}:"),
            "{told}"
        );
        assert_eq!(verdict("orders", None), RuleVerdict::Fine);
    }

    #[test]
    fn one_that_is_emptied_at_once_is_told_by_what_is_written_to_it() {
        let both = told(twin(false, true, Some(true)));
        assert!(both.starts_with("Two queues share keys:"), "{both}");
        assert!(
            both.contains("{orders}, where it is taken at once"),
            "{both}"
        );
    }

    #[test]
    fn where_all_reaches_the_other_list_the_queue_may_have_its_name() {
        let other = told(twin(false, true, Some(false)));
        assert!(other.starts_with("Messages reach another list"), "{other}");
        assert!(other.contains("and none to orders"), "{other}");
    }

    #[test]
    fn as_long_as_it_is_not_known_where_messages_go_nothing_is_told() {
        let RuleVerdict::Early(open) = verdict("orders", Some(twin(false, true, None))) else {
            panic!("decided");
        };
        assert!(open.words().contains("messages are delivered to {orders}"));
        assert_eq!(
            verdict("orders", Some(twin(false, false, None))),
            RuleVerdict::Fine
        );
    }

    #[test]
    fn a_name_that_no_other_queue_shares_its_keys_with_is_well() {
        for alone in ["a{b}c", "{a}{b}", "zset-list:a,b"] {
            assert_eq!(verdict(alone, None), RuleVerdict::Fine, "{alone}");
        }
    }
}
