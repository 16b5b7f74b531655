//! Nobody but a stand-in worker of this screen transfers: all looks well, and stops with the
//! screen.

use super::id::OWN_WORKER as ID;
use super::{Finding, QueueFacts, RuleVerdict, Severity, Step};

/// Compares who is subscribed with our own.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let ours = seen.watch.own_workers;
    let (Some(pulse), Some(channel), 1..) = (seen.pulse, seen.queue.keys().channel, ours) else {
        return RuleVerdict::Silent;
    };
    let Some(subscribed) = pulse.transfer_clients.get() else {
        return RuleVerdict::Silent;
    };
    if subscribed > ours {
        return RuleVerdict::Fine;
    }
    let headline = "Only the worker here transfers: it stops with the screen.";
    let finding = Finding::new(ID, Severity::Note, headline)
        .number("transfer_clients", subscribed)
        .number("own_workers", ours)
        .check(&["PUBSUB", "NUMSUB"], &channel)
        .repair(
            Step::Outside,
            "Start the application before you quit. Quitting prints a command that goes on without the \
             screen.",
        );
    RuleVerdict::Found(finding)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Scene, pulse};
    use super::*;

    #[test]
    fn it_is_told_while_nobody_else_is_subscribed() {
        let severity = |own, subscribed| {
            let mut scene = Scene::default().pulse(pulse(0, 5, None, subscribed));
            scene.watch.own_workers = own;
            scene.found(ID).map(|found| found.severity)
        };
        assert_eq!(severity(1, 1), Some(Severity::Note));
        for (own, subscribed) in [(1, 2), (0, 1), (0, 0)] {
            assert_eq!(severity(own, subscribed), None, "{own} of {subscribed}");
        }
    }
}
