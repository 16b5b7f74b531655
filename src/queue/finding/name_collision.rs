//! Two queues, `q` and `{q}`, that share all keys but their targets.

use super::id::NAME_COLLISION as ID;
use super::{Finding, RuleVerdict, Seen, Severity, Step};
use crate::queue::text;

/// Looks at what the last sample says of the other queue's target.
pub(super) fn look(seen: &Seen) -> RuleVerdict {
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
    let other = text::printable(&twin.text()).into_owned();
    let headline = "Two queues share keys: messages may reach the wrong one.";
    let finding = Finding::new(ID, Severity::Warning, headline)
        .details(format!(
            "What is offered to {own} may be delivered to {other}: both names lead to the same \
             timeouts and channel."
        ))
        .number("other", other.as_str())
        .words(format!(
            "a client that has both of them delivers all to the one that it made first; \
             of {other} it cannot be seen here whose entries wait"
        ))
        .check(&["TYPE"], twin.as_bytes())
        .check(&["TYPE"], &keys.target);
    RuleVerdict::Found(finding.repair(
        Step::Outside,
        format!(
            "Rename one of the two queues in all clients; if {other} is only left over, empty or \
             rename its list."
        ),
    ))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::queue::finding::Watch;
    use crate::queue::finding::tests::sample;
    use crate::queue::{Queue, ServerWatch};

    fn verdict(name: &str, twin: Option<&str>) -> RuleVerdict {
        let queue: Queue = name.parse().unwrap();
        let mut watch = Watch::default();
        let mut frames = sample(Vec::new(), Vec::new());
        frames.twin = twin.map(Into::into);
        watch.frames.push_back(Arc::new(frames));
        look(&Seen {
            queue: &queue,
            pulse: None,
            survey: None,
            watch: &watch,
            server: &ServerWatch::default(),
        })
    }

    #[test]
    fn a_second_list_with_the_other_name_is_told() {
        let RuleVerdict::Found(found) = verdict("orders", Some("{orders}")) else {
            panic!("nothing found");
        };
        assert!(
            found
                .sentence()
                .contains("to orders may be delivered to {orders}:")
        );
        assert_eq!(verdict("orders", None), RuleVerdict::Fine);
    }

    #[test]
    fn a_name_that_no_other_queue_shares_its_keys_with_is_well() {
        for alone in ["a{b}c", "{a}{b}", "zset-list:a,b"] {
            assert_eq!(verdict(alone, None), RuleVerdict::Fine, "{alone}");
        }
    }
}
