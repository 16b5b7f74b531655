//! A server that makes room for new data by dropping keys, and may drop the queue's.

use super::id::EVICTABLE as ID;
use super::{Finding, QueueFacts, RuleVerdict, Severity, Step};
use crate::queue::look::Info;
use crate::queue::{Known, text};

/// Looks at what `INFO` says of the server's memory.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let info = match seen.server.last().map(|look| &look.info) {
        None | Some(Known::None) => return RuleVerdict::Silent,
        Some(Known::Unknown(why)) => return RuleVerdict::Blind(why.to_string()),
        Some(Known::Is(info)) => info,
    };
    let Some(policy) = info.text("maxmemory_policy") else {
        return RuleVerdict::Silent;
    };
    if policy.starts_with("volatile-") {
        return volatile(seen, info, policy);
    }
    if !policy.starts_with("allkeys-") {
        return RuleVerdict::Fine;
    }
    let mut finding = match limit(info) {
        Some(limit) => {
            let dropped = match info.number("evicted_keys") {
                Some(n @ 1..) => format!(", and has dropped {}", text::counted(n, "key", "keys")),
                _ => String::new(),
            };
            let headline = "Redis may drop whole queues when its memory is full.";
            Finding::new(ID, Severity::Warning, headline).details(format!(
                "It may drop any key ({policy}) once it uses {}{dropped}.",
                text::size(limit)
            ))
        }
        None => Finding::new(
            ID,
            Severity::Note,
            "Redis would drop whole queues if its memory were limited.",
        )
        .details(format!(
            "maxmemory-policy is {policy}; maxmemory is not set."
        )),
    };
    finding.of_server = true;
    RuleVerdict::Found(with_evidence(finding, info, policy))
}

/// Of keys with an expiry only: which queues should not have.
fn volatile(seen: &QueueFacts, info: &Info, policy: &str) -> RuleVerdict {
    let keys = seen.survey.map_or(&[][..], |survey| &survey.keys);
    let key = keys.iter().find(|key| key.expires_in_ms.is_some());
    let (Some(key), Some(limit)) = (key, limit(info)) else {
        return RuleVerdict::Fine;
    };
    let headline = "Redis may drop a key of this queue even before it expires.";
    let finding = Finding::new(ID, Severity::Warning, headline).details(format!(
        "{} has an expiry, and Redis may drop such keys ({policy}) once it uses {}.",
        text::printable_bytes(&key.key),
        text::size(limit)
    ));
    RuleVerdict::Found(with_evidence(finding, info, policy))
}

/// Returns the memory that the server may take, in bytes; none: as much as there is, and nothing is
/// dropped.
fn limit(info: &Info) -> Option<u64> {
    info.number("maxmemory").filter(|&limit| limit > 0)
}

fn with_evidence(finding: Finding, info: &Info, policy: &str) -> Finding {
    let used = info.number("used_memory");
    let mut finding = finding
        .number("maxmemory_policy", policy)
        .number("maxmemory", info.number("maxmemory"))
        .number("used_memory", used)
        .number("evicted_keys", info.number("evicted_keys"));
    if let Some(used) = used {
        finding = finding.words(format!("{} are in use", text::size(used)));
    }
    finding
        .check(&["CONFIG", "GET"], b"maxmemory*")
        .check(&["INFO"], b"stats")
        .repair(
            Step::Outside,
            "CONFIG SET maxmemory-policy noeviction (and in the configuration file), or give the queues \
             a server of their own.",
        )
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pulse, survey};
    use super::*;
    use crate::queue::finding::tests::looked;
    use crate::queue::finding::{QueueFacts, Watch};
    use crate::queue::{KeyFacts, Queue, ServerWatch, Survey};

    fn verdict(server: &ServerWatch, survey: &Survey) -> RuleVerdict {
        let (queue, pulse) = (Queue::redisson("orders"), pulse(0, 1, None, 1));
        look(&QueueFacts {
            queue: &queue,
            pulse: Some(&pulse),
            survey: Some(survey),
            watch: &Watch::default(),
            server,
        })
    }

    #[test]
    fn a_policy_that_drops_any_key_is_a_warning_where_memory_is_limited() {
        let server = |maxmemory: &str| {
            looked(&format!(
                "maxmemory:{maxmemory}\r\nmaxmemory_policy:allkeys-lru\r\nevicted_keys:3\r\n\
                 used_memory:52428800\r\n"
            ))
        };
        let RuleVerdict::Found(found) = verdict(&server("104857600"), &survey(None)) else {
            panic!("nothing found");
        };
        assert_eq!((found.severity, found.of_server), (Severity::Warning, true));
        assert!(found.sentence().contains("once it uses 100 MiB"));
        assert!(found.sentence().contains("has dropped 3 keys"));
        let RuleVerdict::Found(found) = verdict(&server("0"), &survey(None)) else {
            panic!("nothing found");
        };
        assert_eq!(found.severity, Severity::Note);
    }

    #[test]
    fn one_that_drops_keys_with_an_expiry_concerns_those_queues_only() {
        let server = looked("maxmemory:1000\r\nmaxmemory_policy:volatile-ttl\r\n");
        assert_eq!(verdict(&server, &survey(None)), RuleVerdict::Fine);
        let mut expiring = survey(None);
        expiring.keys = vec![KeyFacts {
            key: b"order".to_vec(),
            wanted: "list",
            kind: "list".to_owned(),
            expires_in_ms: Some(5),
        }];
        let RuleVerdict::Found(found) = verdict(&server, &expiring) else {
            panic!("nothing found");
        };
        assert_eq!(
            (found.severity, found.of_server),
            (Severity::Warning, false)
        );
    }

    #[test]
    fn a_server_that_drops_nothing_is_well_and_one_that_tells_nothing_cannot_be_looked_at() {
        let server = looked("maxmemory:1000\r\nmaxmemory_policy:noeviction\r\n");
        assert_eq!(verdict(&server, &survey(None)), RuleVerdict::Fine);
        let unknown = verdict(&ServerWatch::default(), &survey(None));
        assert_eq!(unknown, RuleVerdict::Silent);
        let mut refused = ServerWatch::default();
        let mut last = looked("").last().unwrap().clone();
        last.info = Known::Unknown("NOPERM".into());
        refused.looked(last);
        let blind = RuleVerdict::Blind("NOPERM".to_owned());
        assert_eq!(verdict(&refused, &survey(None)), blind);
    }
}
