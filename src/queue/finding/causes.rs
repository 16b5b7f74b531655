//! What follows from what: of several findings the cause is told, and told first.

use std::cmp::Reverse;

use super::{Diagnosis, Finding, Seen};
use super::{drift, mixed_frames, slow_transfer};
use crate::queue::finding::id;

/// Leaves out what another finding explains, and puts the worst first.
pub(super) fn settle(seen: &Seen, all: &mut Diagnosis) {
    let findings = &mut all.findings;
    if findings.iter().any(Finding::stops_transfers) {
        let effects = [id::STUCK_CLIENT, id::FALLING_BEHIND];
        findings.retain(|found| !effects.contains(&found.id));
        all.early.retain(|(id, _)| !effects.contains(id));
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
    drift::subordinate(findings);
    slow_transfer::subordinate(findings);
    mixed_frames::subordinate(findings);
    findings.sort_by_key(|found| Reverse(found.severity));
    first_breaks_first(findings);
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
