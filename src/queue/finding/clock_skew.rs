//! Clocks that disagree: this machine's with the server's, or a transfer client's, whose entries
//! leave timeouts too early or too late by the same span again and again.

use super::{Finding, Seen, Severity, Step, Verdict};
use crate::queue::text;

pub(super) const ID: &str = "clock-skew";

/// From this difference on it is a note, a warning; in ms.
const NOTE_MS: i64 = 250;
const WARNING_MS: i64 = 1_000;
/// So many entries in a row must have left by the same span.
const DEPARTURES: usize = 5;
/// With more late ones, the clients are merely busy.
const BUSY: u64 = 100;

/// Compares the clocks.
pub(super) fn look(seen: &Seen) -> Verdict {
    if let Some(ahead_ms) = client_ahead(seen)
        && let Some(severity) = severity(ahead_ms)
    {
        return Verdict::Found(of_client(seen, severity, ahead_ms));
    }
    let Some(skew_ms) = seen.server.skew_ms else {
        return Verdict::Silent;
    };
    let Some(severity) = severity(skew_ms) else {
        return Verdict::Fine;
    };
    let way = if skew_ms > 0 { "ahead of" } else { "behind" };
    let by = text::span(skew_ms.unsigned_abs());
    let mut finding = Finding::new(
        ID,
        severity,
        format!("The clock of this machine is {by} {way} the server's."),
    );
    finding.of_server = true;
    let finding = finding
        .number("clock_skew_ms", skew_ms)
        .words("due times are compared with the server's clock here; clients use their own")
        .check(&[], b"TIME");
    Verdict::Found(finding.repair(
        Step::Outside,
        "Let both machines take the time from one source (NTP).",
    ))
}

fn severity(ms: i64) -> Option<Severity> {
    match ms.unsigned_abs().cast_signed() {
        WARNING_MS.. => Some(Severity::Warning),
        NOTE_MS.. => Some(Severity::Note),
        _ => None,
    }
}

/// By how many ms a transfer client is ahead of the server (negative: all of them are behind), when
/// the last entries left by one and the same span.
fn client_ahead(seen: &Seen) -> Option<i64> {
    let leads = &seen.watch.leads;
    if leads.len() < DEPARTURES {
        return None;
    }
    let recent = leads.iter().rev().take(DEPARTURES);
    let (least, most) = recent.fold((i64::MIN, i64::MAX), |(least, most), (from, to)| {
        (least.max(*from), most.min(*to))
    });
    if least > most {
        return None;
    }
    let busy = seen.pulse?.late.get()? >= BUSY;
    if least >= NOTE_MS {
        return Some(least);
    }
    // A client that is merely slow is no clock: ticks and pauses stay below.
    (most <= -WARNING_MS && !busy).then_some(most)
}

fn of_client(seen: &Seen, severity: Severity, ahead_ms: i64) -> Finding {
    let by = text::span(ahead_ms.unsigned_abs());
    let sentence = if ahead_ms > 0 {
        format!("Entries leave {by} before their due time: a transfer client's clock is ahead.")
    } else {
        format!("Entries leave {by} after their due time: the transfer clients' clocks are behind.")
    };
    let keys = seen.queue.keys();
    Finding::new(ID, severity, sentence)
        .number("client_ahead_ms", ahead_ms)
        .words(format!("the last {DEPARTURES} left by the same span"))
        .check(&[], b"TIME")
        .check_about("ZRANGE", &keys.timeouts, &["0", "0", "WITHSCORES"])
        .repair(
            Step::Outside,
            "Set the clocks of its clients (NTP); delayscope transfers by the server's.",
        )
}
