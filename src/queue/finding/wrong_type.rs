//! A key of another type: whatever touches it fails.

use super::id::WRONG_TYPE as ID;
use super::{Act, Advice, Finding, QueueFacts, RuleVerdict, Severity, Step};
use crate::queue::change::ChangeRequest;
use crate::queue::name::out_of_the_way;
use crate::queue::{Known, text};

/// Looks at what the survey says of each key; before the first one, at what the pulse was refused.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let wrong = match seen.survey {
        Some(survey) => from_survey(survey),
        None => Vec::new(),
    };
    let wrong = if wrong.is_empty() {
        from_pulse(seen)
    } else {
        wrong
    };
    let Some(first) = wrong.first() else {
        let looked = seen.pulse.is_some() || seen.survey.is_some();
        return if looked {
            RuleVerdict::Fine
        } else {
            RuleVerdict::Silent
        };
    };
    let more = match wrong.len() {
        1 => String::new(),
        n => {
            let more = u64::try_from(n - 1).unwrap_or(u64::MAX);
            let more = text::counted(more, "more key has", "more keys have");
            format!(" {more} the wrong type.")
        }
    };
    let key = text::printable_bytes(&first.key);
    let is = match &first.is {
        Some(is) => format!("a {is}; a {} belongs there", first.wanted),
        None => format!("no {}", first.wanted),
    };
    let (severity, headline) = if is_ours(seen, first) {
        // Nobody but us uses it: clients go on.
        let headline = "A key of delayscope has the wrong type: some repairs fail.";
        (Severity::Warning, headline)
    } else {
        let headline = "A key of this queue has the wrong type: commands fail.";
        (Severity::Critical, headline)
    };
    let mut finding = Finding::new(ID, severity, headline).details(format!("{key} is {is}.{more}"));
    for one in &wrong {
        finding = finding
            .number(&text::printable_bytes(&one.key), one.is.clone())
            .check(&["TYPE"], &one.key);
        finding = one.what_it_is(finding);
    }
    let (those, it) = match wrong.len() {
        1 => ("that key", "it"),
        _ => ("those keys", "them"),
    };
    finding = finding.repair(
        Step::Change(ChangeRequest::RenameTaken),
        Advice::of(format!("Rename {those}"))
            .by(Act::Repair, format!(", then find out who writes {it}.")),
    );
    finding = finding.words("MONITOR shows who writes it (slows all clients)");
    finding = finding.words("RENAMENX answers 0 where the new name is in use");
    for one in &wrong {
        let free = out_of_the_way(&one.key);
        finding = finding.by_hand("RENAMENX", &one.key, &[&free]);
    }
    RuleVerdict::Found(finding)
}

/// A key that is not what it should be; what it is instead, when that is known.
struct WrongKey {
    key: Vec<u8>,
    wanted: &'static str,
    is: Option<String>,
    /// The time after which it is gone by itself, in ms.
    expires_in_ms: Option<i64>,
}

impl WrongKey {
    /// Adds what tells of what took the name: how long it lives, how large it is and how it begins.
    /// Not when it was used last: whatever fails at it uses it.
    fn what_it_is(&self, mut finding: Finding) -> Finding {
        let key = text::printable_bytes(&self.key);
        if let Some(ms) = self.expires_in_ms {
            finding = finding.words(format!("{key} expires in {}", text::age(ms)));
        }
        match self.is.as_deref() {
            Some("string") => finding.check(&["STRLEN"], &self.key).check_about(
                "GETRANGE",
                &self.key,
                &["0", "39"],
            ),
            Some("list") => finding.check(&["LLEN"], &self.key),
            Some("zset") => finding.check(&["ZCARD"], &self.key),
            Some("set") => finding.check(&["SCARD"], &self.key),
            Some("hash") => finding.check(&["HLEN"], &self.key),
            Some("stream") => finding.check(&["XLEN"], &self.key),
            _ => finding,
        }
    }
}

/// It is one of those that stand beside the queue's own, and come after them.
fn is_ours(seen: &QueueFacts, wrong: &WrongKey) -> bool {
    let keys = seen.queue.keys();
    let hold = keys.hold;
    let ours = [keys.quarantine, hold.held, hold.leases, hold.intake];
    ours.into_iter()
        .chain(keys.aside)
        .any(|key| key == wrong.key)
}

fn from_survey(survey: &crate::queue::Survey) -> Vec<WrongKey> {
    let wrong = survey
        .keys
        .iter()
        .filter(|k| k.kind != k.wanted && k.kind != "none");
    wrong
        .map(|k| WrongKey {
            key: k.key.clone(),
            wanted: k.wanted,
            is: Some(k.kind.clone()),
            expires_in_ms: k.expires_in_ms,
        })
        .collect()
}

fn from_pulse(seen: &QueueFacts) -> Vec<WrongKey> {
    let Some(pulse) = seen.pulse else {
        return Vec::new();
    };
    let keys = seen.queue.keys();
    let figures = [
        (Some(keys.timeouts), "zset", &pulse.waiting),
        (keys.order, "list", &pulse.order),
        (Some(keys.target), "list", &pulse.target),
    ];
    let wrong = figures.into_iter().filter_map(|(key, wanted, figure)| {
        let refused = matches!(figure, Known::Unknown(why) if why.contains("WRONGTYPE"));
        let key = key.filter(|_| refused)?;
        Some(WrongKey {
            key,
            wanted,
            is: None,
            expires_in_ms: None,
        })
    });
    wrong.collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{after, pulse};
    use super::*;
    use crate::queue::{KeyFacts, Queue, Survey};

    fn survey(kinds: [(&str, &'static str); 2]) -> Survey {
        let keys = kinds.map(|(kind, wanted)| KeyFacts {
            key: format!("a {wanted} of orders").into_bytes(),
            wanted,
            kind: kind.to_owned(),
            expires_in_ms: None,
        });
        Survey {
            keys: keys.to_vec(),
            ..super::super::tests::survey(None)
        }
    }

    #[test]
    fn a_key_of_another_type_is_critical_and_one_that_is_not_there_is_none() {
        let queue = Queue::redisson("orders");
        let pulses = [pulse(0, 1, None, 1)];
        let well = survey([("zset", "zset"), ("none", "list")]);
        assert_eq!(after(&queue, &pulses, Some(&well)).findings, []);
        let ill = survey([("zset", "zset"), ("string", "list")]);
        let said = after(&queue, &pulses, Some(&ill));
        let finding = &said.findings[0];
        assert_eq!((finding.id, finding.severity), (ID, Severity::Critical));
        let details = "a list of orders is a string; a list belongs there.";
        assert_eq!(finding.details, details);
        assert_eq!(
            finding.evidence.commands,
            [
                "redis-cli TYPE 'a list of orders'",
                "redis-cli STRLEN 'a list of orders'",
                "redis-cli GETRANGE 'a list of orders' 0 39"
            ]
        );
        assert_eq!(
            finding.repair.lines,
            ["redis-cli RENAMENX 'a list of orders' 'taken:{a list of orders}'"]
        );
    }

    #[test]
    fn the_new_name_is_in_the_slot_of_the_old_one_and_no_key_of_a_queue() {
        use crate::queue::name::{names_for_taken, names_of_key, redisson_keys, slot};
        for name in ["orders", "{tenant}:mail", "a b"] {
            let keys = redisson_keys(&crate::queue::QueueName::new(name));
            for key in [keys.timeouts, keys.target, keys.order.unwrap()] {
                let names = names_for_taken(&key);
                assert_eq!(names[0], out_of_the_way(&key));
                for free in names {
                    assert_eq!(slot(&free), slot(&key), "{name}");
                    assert_eq!(names_of_key(&free), [], "{name}");
                }
            }
        }
    }

    #[test]
    fn a_refused_pulse_tells_of_it_before_any_survey() {
        let queue = Queue::redisson("orders");
        let mut refused = pulse(0, 1, None, 1);
        refused.target = Known::Unknown("WRONGTYPE Operation against a key".into());
        let said = after(&queue, &[refused.clone()], None);
        assert!(said.findings[0].details.ends_with("orders is no list."));
        refused.target = Known::Unknown("NOPERM this user has no permissions".into());
        assert_eq!(after(&queue, &[refused], None).findings, []);
    }
}
