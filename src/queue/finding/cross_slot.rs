//! A name whose braces put the queue's keys into different slots of a cluster.

use super::id::CROSS_SLOT as ID;
use super::{Finding, QueueFacts, RuleVerdict, Severity, Step};
use crate::queue::{name, text};

/// Looks at the names alone, once the queue has been seen to be there.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let Some(pulse) = seen.pulse.filter(|_| seen.queue.is_found_by_name()) else {
        return RuleVerdict::Silent;
    };
    if !pulse.has_signs() {
        return RuleVerdict::Silent;
    }
    let keys = seen.queue.keys();
    if !name::cross_slot(&keys) {
        return RuleVerdict::Fine;
    }
    let here = seen.server.info().and_then(|i| i.number("cluster_enabled")) == Some(1);
    let name = text::printable(&seen.queue.name.text()).into_owned();
    let headline = if here {
        "The cluster refuses every script of this queue."
    } else {
        "This queue cannot move to a cluster."
    };
    let mut finding = Finding::new(ID, Severity::Warning, headline)
        .details(format!(
            "The braces in {name} put its keys into different slots."
        ))
        .number("cluster", here);
    for (word, key) in [
        ("slot_target", Some(&keys.target)),
        ("slot_timeouts", Some(&keys.timeouts)),
        ("slot_channel", keys.channel.as_ref()),
    ] {
        let Some(key) = key else { continue };
        finding = finding
            .number(word, name::slot(key))
            .words(format!(
                "{} lies in slot {}",
                text::printable_bytes(key),
                text::thousands(name::slot(key).into())
            ))
            .check(&["CLUSTER", "KEYSLOT"], key);
    }
    RuleVerdict::Found(finding.repair(
        Step::Outside,
        "Give the queue a name without braces, or with one {…} in front, in all clients; transfer or \
         offer again what waits under the old name.",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::finding::Watch;
    use crate::queue::finding::tests::{looked, pulse};
    use crate::queue::{Queue, ServerWatch};

    fn verdict(name: &str, server: &ServerWatch) -> RuleVerdict {
        let queue: Queue = name.parse().unwrap();
        look(&QueueFacts {
            queue: &queue,
            pulse: Some(&pulse(0, 1, None, 1)),
            survey: None,
            watch: &Watch::default(),
            server,
        })
    }

    #[test]
    fn only_names_with_odd_braces_are_told() {
        let server = ServerWatch::default();
        for fine in ["orders", "{orders}", "a{b}c", "a:b"] {
            assert_eq!(verdict(fine, &server), RuleVerdict::Fine, "{fine}");
        }
        assert_eq!(verdict("zset-list:a{b,c", &server), RuleVerdict::Silent);
        for odd in ["a{b", "x}", "q{}"] {
            let RuleVerdict::Found(found) = verdict(odd, &server) else {
                panic!("{odd}");
            };
            assert_eq!(found.severity, Severity::Warning);
            assert!(found.sentence().contains("cannot move to a cluster"));
        }
    }

    #[test]
    fn a_name_of_which_there_is_no_sign_is_no_queue_yet() {
        let said = |waiting, clients| {
            look(&QueueFacts {
                queue: &"a{b".parse().unwrap(),
                pulse: Some(&pulse(0, waiting, None, clients)),
                survey: None,
                watch: &Watch::default(),
                server: &ServerWatch::default(),
            })
        };
        assert_eq!(said(0, 0), RuleVerdict::Silent);
        for (waiting, clients) in [(1, 0), (0, 1)] {
            assert!(matches!(said(waiting, clients), RuleVerdict::Found(_)));
        }
    }

    #[test]
    fn in_a_cluster_it_says_that_nothing_works() {
        let RuleVerdict::Found(found) = verdict("a{b", &looked("cluster_enabled:1\r\n")) else {
            panic!("nothing found");
        };
        assert!(found.sentence().contains("refuses every script"));
        assert_eq!(found.evidence.figures["cluster"], true);
    }
}
