//! What follows from what: of several findings the cause is told, and told first.

use std::cmp::Reverse;

use super::{Diagnosis, Finding, Repair, Seen, Severity, Step};
use super::{drift, falling_behind, foreign_member, mixed_frames, poison, recovery, slow_transfer};
use super::{no_transfer_client, nothing_consumed, stuck_client, target_backlog};

/// Leaves out what another finding explains, and puts the worst first.
pub(super) fn settle(seen: &Seen, all: &mut Diagnosis) {
    let findings = &mut all.findings;
    if findings.iter().any(recovery::stops) {
        let effects = [stuck_client::ID, falling_behind::ID];
        findings.retain(|found| !effects.contains(&found.id));
        all.early.retain(|(id, _)| !effects.contains(id));
    }
    let slow = |found: &Finding| {
        let pulse = seen.pulse;
        pulse.is_some_and(|pulse| slow_transfer::explains(found, pulse))
    };
    if findings.iter().any(slow) {
        findings.retain(|found| found.id != falling_behind::ID);
    }
    if findings
        .iter()
        .any(|found| found.id == no_transfer_client::ID)
    {
        // Where nobody transfers, nobody falls behind.
        all.early.retain(|(id, _)| *id != falling_behind::ID);
    }
    if findings
        .iter()
        .any(|found| found.id == nothing_consumed::ID)
    {
        // Where nobody takes anything, how they keep up is no question.
        all.early.retain(|(id, _)| *id != target_backlog::ID);
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
    let (Some(poison), Some(foreign)) = (place(poison::ID), place(foreign_member::ID)) else {
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

/// `finding` is told as what follows from that rule's, with the step that is left to be taken.
pub(super) fn follows(finding: &mut Finding, cause: &'static str, sentence: String, then: String) {
    finding.severity = Severity::Note;
    finding.follows = Some(cause);
    finding.sentence = sentence;
    *finding.repair = Repair {
        sentence: then,
        step: Step::Outside,
        lines: Vec::new(),
    };
}
