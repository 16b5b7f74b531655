//! Nobody is subscribed to the queue's channel, so nobody transfers what falls due.

use super::{Finding, Seen, Severity, Step, Verdict};
use crate::queue::{Known, text};

pub(super) const ID: &str = "no-transfer-client";

/// Two pulses this far apart must have seen nobody, in ms: a client that reconnects is no finding.
const TWO_LOOKS_MS: i64 = 1_000;
/// Nobody there for this long is a warning, in ms.
const LONG_MS: i64 = 30_000;
/// Later than this is critical, in ms.
const LATE_MS: i64 = 10_000;

/// Looks at who was subscribed in the last pulses.
pub(super) fn look(seen: &Seen) -> Verdict {
    let Some(pulse) = seen.pulse else {
        return Verdict::Silent;
    };
    match &pulse.transfer_clients {
        Known::None => return Verdict::Silent,
        Known::Unknown(why) => return Verdict::Blind(why.to_string()),
        Known::Is(_) => {}
    }
    let waiting = pulse.waiting.get().unwrap_or(0);
    let (Some((first, last)), 1..) = (seen.watch.unattended, waiting) else {
        return Verdict::Fine;
    };
    let alone_ms = last.since(first);
    if alone_ms < TWO_LOOKS_MS {
        return Verdict::Fine;
    }
    let late_ms = pulse.oldest_late.map_or(0, |due| pulse.at.since(due));
    let severity = match () {
        () if late_ms > LATE_MS => Severity::Critical,
        () if alone_ms >= LONG_MS => Severity::Warning,
        () => Severity::Note,
    };
    let count = |n: u64, what: &str| format!("{} {what}", text::thousands(n));
    let what = match pulse.late.get() {
        Some(late @ 1..) if late_ms > LATE_MS => {
            let oldest = text::countdown(late_ms);
            format!("{}, oldest {oldest}", count(late, "late"))
        }
        _ => count(waiting, "waiting"),
    };
    let channel = seen.queue.keys().channel.unwrap_or_default();
    let finding = Finding::new(
        ID,
        severity,
        format!("{what}: no client is subscribed to transfer."),
    );
    let finding = finding
        .of(pulse.late.get().unwrap_or(0))
        .since(first)
        .number("unattended_ms", alone_ms)
        .number("waiting", waiting)
        .number("late", pulse.late.get())
        .words(format!(
            "nobody for {} of watching",
            text::countdown(alone_ms)
        ))
        .check(&["PUBSUB", "NUMSUB"], &channel);
    Verdict::Found(finding.repair(
        Step::Worker,
        "Start one of its clients, or a stand-in worker (w).",
    ))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{after, pulse};
    use super::*;
    use crate::queue::{Pulse, Queue};

    fn severity(pulses: &[Pulse]) -> Option<Severity> {
        let said = after(&Queue::redisson("q"), pulses, None);
        said.findings.first().map(|f| f.severity)
    }

    #[test]
    fn it_takes_two_looks_a_second_apart_and_something_that_waits() {
        assert_eq!(severity(&[pulse(0, 5, Some(60_000), 0)]), None);
        let soon = [pulse(0, 5, None, 0), pulse(999, 5, None, 0)];
        assert_eq!(severity(&soon), None);
        let later = [pulse(0, 5, None, 0), pulse(1_000, 5, None, 0)];
        assert_eq!(severity(&later), Some(Severity::Note));
        let empty = [pulse(0, 0, None, 0), pulse(1_000, 0, None, 0)];
        assert_eq!(severity(&empty), None);
    }

    #[test]
    fn it_gets_worse_after_half_a_minute_and_when_something_is_late() {
        let long = [pulse(0, 5, None, 0), pulse(30_000, 5, None, 0)];
        assert_eq!(severity(&long), Some(Severity::Warning));
        let hardly = [pulse(0, 5, None, 0), pulse(2_000, 5, Some(10_000), 0)];
        assert_eq!(severity(&hardly), Some(Severity::Note));
        let late = [pulse(0, 5, None, 0), pulse(2_000, 5, Some(10_001), 0)];
        assert_eq!(severity(&late), Some(Severity::Critical));
    }

    #[test]
    fn a_client_that_shows_up_ends_it() {
        let back = [
            pulse(0, 5, None, 0),
            pulse(2_000, 5, None, 1),
            pulse(4_000, 5, None, 0),
        ];
        assert_eq!(severity(&back), None);
    }

    #[test]
    fn where_subscribers_cannot_be_counted_it_says_that_it_cannot_look() {
        let mut refused = pulse(0, 5, None, 0);
        refused.transfer_clients = Known::Unknown("NOPERM".into());
        let said = after(&Queue::redisson("q"), &[refused.clone()], None);
        assert_eq!(said.findings, []);
        assert!(said.blind.contains(&(ID, "NOPERM".to_owned())));
        refused.transfer_clients = Known::None;
        assert_eq!(after(&Queue::redisson("q"), &[refused], None).blind, []);
    }
}
