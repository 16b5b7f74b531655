//! Causes and effects: of several findings the cause is told, and told first.

use std::cmp::Reverse;

use super::{Diagnosis, Finding, OpenQuestion, QueueFacts, Severity, blocked_by};
use super::{drift, mixed_fleet, mixed_frames, poison, score_range, slow_transfer, stuck_client};
use crate::clock::EpochMillis;
use crate::queue::finding::id;
use crate::queue::text;

/// The rule asks about clients or consumers that may only wait for a server that is kept from them.
#[must_use]
pub fn may_wait_for_the_server(rule: &str) -> bool {
    [
        id::FALLING_BEHIND,
        id::STUCK_CLIENT,
        id::TARGET_BACKLOG,
        id::NOTHING_CONSUMED,
    ]
    .contains(&rule)
}

/// Leaves out what another finding explains, and puts the worst first.
pub(super) fn settle(seen: &QueueFacts, all: &mut Diagnosis) {
    let found: Vec<&'static str> = all.findings.iter().map(|found| found.id).collect();
    explain(seen, all);
    let is_told = |id: &&'static str| all.findings.iter().any(|found| found.id == *id);
    all.taken_in = found.into_iter().filter(|id| !is_told(id)).collect();
}

fn explain(seen: &QueueFacts, all: &mut Diagnosis) {
    let findings = &mut all.findings;
    // Which entry it is that stops them may still be open.
    let open = all.early.iter().any(|(id, _)| *id == id::POISON);
    if open || findings.iter().any(Finding::stops_transfers) {
        let effects = [id::STUCK_CLIENT, id::FALLING_BEHIND];
        findings.retain(|found| !effects.contains(&found.id));
        all.early.retain(|(id, _)| !effects.contains(id));
    }
    if all
        .early
        .iter()
        .any(|(id, _)| [id::POISON, id::MIXED_FRAMES].contains(id))
    {
        // What a client moves and then fails at leaves the order list before it leaves timeouts.
        findings.retain(|found| found.id != id::DRIFT);
    }
    if findings.iter().any(Finding::redelivers) || findings.iter().any(mixed_fleet::is_of_both) {
        // More of them come as long as that stands, and fill target.
        let effects = [id::DUPLICATES, id::TARGET_BACKLOG];
        findings.retain(|found| !effects.contains(&found.id));
    }
    let slow = |found: &Finding| {
        let pulse = seen.pulse;
        pulse.is_some_and(|pulse| slow_transfer::explains(found, pulse))
    };
    if findings.iter().any(slow) {
        findings.retain(|found| found.id != id::FALLING_BEHIND);
    }
    if findings
        .iter()
        .any(|found| found.id == id::NO_TRANSFER_CLIENT)
    {
        // Where nobody transfers, nobody falls behind.
        all.early.retain(|(id, _)| *id != id::FALLING_BEHIND);
    }
    if findings
        .iter()
        .any(|found| found.id == id::NOTHING_CONSUMED)
    {
        // Where nobody takes anything, how they keep up is no question.
        all.early.retain(|(id, _)| *id != id::TARGET_BACKLOG);
    }
    if findings.iter().any(Finding::keeps_the_server) {
        // Whoever is late or waits for a while then waits for the server.
        all.early.retain(|(id, _)| !may_wait_for_the_server(id));
    }
    if all.early.iter().any(|(id, _)| *id == id::POISON) {
        // It asks the same.
        all.early.retain(|(id, _)| *id != id::MIXED_FRAMES);
    }
    drift::subordinate(findings);
    slow_transfer::subordinate(findings);
    poison::subordinate(findings);
    mixed_frames::subordinate(findings);
    below_what_puts_to_sleep(seen, findings);
    below_its_blocker(seen, findings);
    if seen.watch.awaits_sample {
        // An entry that they cannot read, or that makes them sleep, is a cause that only a sample shows.
        let stuck = |found: &Finding| found.id == id::STUCK_CLIENT && found.follows.is_none();
        let stuck = findings.iter().position(stuck);
        if let Some(at) = stuck {
            let late = seen.pulse.and_then(|pulse| pulse.late.get()).unwrap_or(0);
            let told = format!("{} late, and nobody transfers", text::thousands(late));
            all.early
                .push((id::STUCK_CLIENT, OpenQuestion::new(told, "why", None)));
            findings.remove(at);
        }
    }
    findings.sort_by_key(rank);
    first_breaks_first(findings);
    nest(findings);
}

/// The worst comes first; of equally bad ones what ends soonest.
fn rank(found: &Finding) -> (Reverse<Severity>, (bool, Option<EpochMillis>)) {
    (Reverse(found.severity), found.urgency())
}

/// Puts the worst first, and what follows from another finding right behind that one. The sorting is
/// stable: causes stay before what they cause.
pub(super) fn order(findings: &mut Vec<Finding>) {
    findings.sort_by_key(rank);
    nest(findings);
}

/// Puts what follows from another finding of the queue right behind that one.
fn nest(findings: &mut Vec<Finding>) {
    let nested = |found: &Finding| findings.iter().any(|cause| cause.is_cause_of(found));
    let nested: Vec<bool> = findings.iter().map(nested).collect();
    let mut nested = nested.into_iter();
    let (effects, mut all): (Vec<Finding>, Vec<Finding>) =
        (findings.drain(..)).partition(|_| nested.next() == Some(true));
    for effect in effects {
        let of_it =
            |found: &Finding| Some(found.id) == effect.follows || found.follows == effect.follows;
        let at = all
            .iter()
            .rposition(of_it)
            .map_or(all.len(), |last| last + 1);
        all.insert(at, effect);
    }
    *findings = all;
}

/// Hangs clients that do not transfer below the entry that they sleep for.
fn below_what_puts_to_sleep(seen: &QueueFacts, findings: &mut [Finding]) {
    let sleep = score_range::puts_to_sleep(seen);
    let stuck = findings.iter_mut().find(|f| f.id == id::STUCK_CLIENT);
    let Some(stuck) = stuck.filter(|_| sleep) else {
        return;
    };
    let headline = "Same cause: clients are connected, but nobody transfers.".to_owned();
    let details = std::mem::take(&mut stuck.details);
    // Why they sleep is known.
    stuck
        .evidence
        .words
        .retain(|words| words != stuck_client::LOST_TIMER);
    let then = "Repair the overflowed due time first: that wakes the clients too.";
    stuck.follow(id::SCORE_RANGE, (headline, details), then);
}

/// Hangs lateness below the transfers of another queue that keep the server: the clients of this
/// one are not to blame.
fn below_its_blocker(seen: &QueueFacts, findings: &mut [Finding]) {
    let Some(blocker) = &seen.watch.blocked_by else {
        return;
    };
    if findings.iter().any(Finding::keeps_the_server) {
        return;
    }
    // Consumers wait for the server too.
    let effects = [id::FALLING_BEHIND, id::STUCK_CLIENT, id::TARGET_BACKLOG];
    // What is known to follow from a cause in this queue does not end with the other one's transfers.
    let explained = |found: &&mut Finding| effects.contains(&found.id) && found.follows.is_none();
    for found in findings.iter_mut().filter(explained) {
        let late = seen.pulse.and_then(|pulse| pulse.late.get());
        let late = match late {
            None => String::new(),
            Some(0) => "The clients of this queue are not to blame.".to_owned(),
            Some(n) => {
                let late = text::thousands(n);
                format!("{late} late here; the clients of this queue are not to blame.")
            }
        };
        let headline = format!("{}.", blocked_by(blocker));
        let then = format!("Repair {blocker} first; this usually disappears.");
        found.follow(id::SLOW_TRANSFER, (headline, late), then);
    }
}

/// Of two entries that break every transfer, the one that is due first is told first: clients come
/// to the other one only when it has gone.
fn first_breaks_first(findings: &mut [Finding]) {
    let place = |id| findings.iter().position(|found: &Finding| found.id == id);
    let (Some(poison), Some(foreign)) = (place(id::POISON), place(id::FOREIGN_MEMBER)) else {
        return;
    };
    let key = |at: usize| {
        let found: &Finding = &findings[at];
        (Reverse(found.severity), found.due.is_none(), found.due)
    };
    if poison < foreign && key(foreign) < key(poison) {
        findings.swap(poison, foreign);
    }
}
