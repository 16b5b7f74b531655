//! Clocks that disagree: this machine's with the server's, or a transfer client's, whose entries
//! leave timeouts too early or too late by the same span again and again.

use super::id::CLOCK_SKEW as ID;
use super::{Beat, Finding, OpenQuestion, QueueFacts, RuleVerdict, Severity, Step, slow_transfer};
use crate::clock::EpochMillis;
use crate::queue::text;

/// From this difference on it is a note, a warning; in ms.
const NOTE_MS: i64 = 250;
const WARNING_MS: i64 = 1_000;
/// Entries in a row that must have left by the same span.
const DEPARTURES: usize = 5;
/// Entries that suggest it already.
const SUGGESTING_DEPARTURES: usize = 2;
/// Lateness in ms from which one that left may be the first of them.
const LAGS_MS: i64 = 2_000;
/// They were due over at least so many ms.
const APART_MS: i64 = 1_000;
/// By so many ms more or less: the timer of a client ticks each 10 to 100 ms.
const JITTER_MS: i64 = 250;
/// With more late ones, the clients are merely busy.
const BUSY: u64 = 100;
/// The time in ms before the first of them in which a backlog may have kept the clients.
const BACKLOG_MS: i64 = 30_000;
/// No more than one is seen to leave in so many ms.
const PULSE_MS: i64 = 1_000;
/// The time beyond the quickest answer, in ms, that a quarter of the answers exceeds where
/// something keeps the server: who transfers waits for it too, with each of his commands.
const HINDERED_MS: u64 = 80;

/// Compares the clocks.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    if let Some((ahead_ms, sure)) = client_ahead(seen)
        && let Some(severity) = severity(ahead_ms)
    {
        // A poller may well come so late each time: nothing wakes it.
        let polled = ahead_ms < 0 && seen.queue.keys().channel.is_none();
        let severity = if sure && !polled {
            severity
        } else {
            Severity::Note
        };
        return RuleVerdict::Found(of_client(seen, (severity, sure), ahead_ms));
    }
    let Some(skew_ms) = seen.server.skew_ms else {
        return RuleVerdict::Silent;
    };
    let Some(severity) = severity(skew_ms) else {
        return early(seen).map_or(RuleVerdict::Fine, RuleVerdict::Early);
    };
    let way = if skew_ms > 0 { "ahead of" } else { "behind" };
    let by = text::span(skew_ms.unsigned_abs());
    let mut finding = Finding::new(
        ID,
        severity,
        format!("This machine's clock is {by} {way} the server's."),
    )
    .details(
        "Clients with such a clock transfer too early or too late; delayscope uses the server's.",
    );
    finding.of_server = true;
    let finding = finding.number("clock_skew_ms", skew_ms).check(&[], b"TIME");
    RuleVerdict::Found(finding.repair(Step::Outside, "Set both clocks by one source (NTP)."))
}

fn severity(ms: i64) -> Option<Severity> {
    match ms.unsigned_abs().cast_signed() {
        WARNING_MS.. => Some(Severity::Warning),
        NOTE_MS.. => Some(Severity::Note),
        _ => None,
    }
}

/// Returns the least and the most ms before their due times at which the last `count` entries left,
/// when one and the same span fits them all; and when the first of them was due.
fn span(seen: &QueueFacts, count: usize) -> Option<(i64, i64, EpochMillis)> {
    let leads = &seen.watch.leads;
    if leads.len() < count {
        return None;
    }
    let recent = || leads.iter().rev().take(count);
    let least = recent().map(|left| left.least_ms).max()?;
    let most = recent().map(|left| left.most_ms).min()?;
    let dues = || recent().map(|left| left.due);
    let first = dues().min()?;
    // What is due at once and is cancelled at once has one span too.
    let apart = count == 1 || dues().max()?.since(first) >= APART_MS;
    // Each left between two pulses: a span that all of these allow, but for a client's ticks.
    (apart && least - most <= JITTER_MS).then(|| (least.min(most), least.max(most), first))
}

/// Returns the ms by which a transfer client is ahead of the server (negative: all of them are
/// behind), when the last entries left by one and the same span; and whether that is sure.
fn client_ahead(seen: &QueueFacts) -> Option<(i64, bool)> {
    let (least, most, from) = span(seen, DEPARTURES)?;
    if least >= NOTE_MS {
        // Somebody who cancels his entries when they are so old leaves no more trace than this.
        let mut recent = seen.watch.leads.iter().rev().take(DEPARTURES);
        return Some((least, recent.any(|left| left.delivered)));
    }
    (most <= -WARNING_MS && !merely_slow(seen, from, -least)?).then_some((most, true))
}

/// A client that is merely slow is no clock (ticks and pauses stay below): whether something else
/// explains that what was due from that moment on left late by `lag_ms`.
fn merely_slow(seen: &QueueFacts, from: EpochMillis, lag_ms: i64) -> Option<bool> {
    let busy = seen.pulse?.late.get()? >= BUSY;
    let slow = busy || hindered(seen, from) || slow_transfer::keeps_the_server(seen);
    Some(slow || seldom(seen, from) || backlog(seen, from, lag_ms))
}

/// Tells whether whoever transfers looks seldom: with what was late then, others left that were much
/// less late.
fn seldom(seen: &QueueFacts, from: EpochMillis) -> bool {
    let mut since = seen.watch.leads.iter().filter(|left| left.due >= from);
    since.any(|left| left.takes_others)
}

/// The last entries, few as they are, have left late by one and the same span: by how much at most,
/// in ms, and how many they are.
fn lagging(seen: &QueueFacts) -> Option<(i64, usize)> {
    let late = |count: &usize| span(seen, *count).filter(|(_, most, _)| *most <= -LAGS_MS);
    let count = (1..=DEPARTURES).rfind(|count| late(count).is_some())?;
    let (least, _, from) = late(&count)?;
    (!merely_slow(seen, from, -least)?).then_some((-least, count))
}

/// Tells whether the entry that heads timeouts is not later than those before it were when they
/// left: it leaves as they did.
pub(super) fn leaves_soon(seen: &QueueFacts, late_ms: i64) -> bool {
    lagging(seen).is_some_and(|(lag_ms, count)| {
        count >= SUGGESTING_DEPARTURES && late_ms <= lag_ms + WARNING_MS
    })
}

/// Some have left late already, and so will the next one, as it looks.
fn early(seen: &QueueFacts) -> Option<OpenQuestion> {
    let pulse = seen.pulse?;
    let late_ms = pulse.at.since(pulse.oldest_late?);
    let (lag_ms, count) = lagging(seen)?;
    // Where nobody is woken, nothing leaves in time.
    seen.queue.keys().channel.as_ref()?;
    let last = seen.watch.leads.back()?;
    let of_now = pulse.at.since(last.due) <= lag_ms + BACKLOG_MS;
    let next = seen.watch.still?.due.since(last.due);
    let each_ms = next.clamp(PULSE_MS, BACKLOG_MS);
    let missing = i64::try_from(DEPARTURES - count.min(DEPARTURES)).unwrap_or(0);
    (of_now && missing > 0 && late_ms >= 0).then(|| {
        let late = text::thousands(pulse.late.get().unwrap_or(1));
        let seen = format!("{late} late, and the last left late too");
        let asks = "whether the clients' clocks are behind";
        OpenQuestion::new(seen, asks, Some(missing * each_ms))
    })
}

/// Tells whether there was, from that moment on or shortly before it, another reason to be late
/// than clocks: another finding told it, we moved entries, many were late, or one was later than
/// `lag_ms`.
fn backlog(seen: &QueueFacts, from: EpochMillis, lag_ms: i64) -> bool {
    let watch = seen.watch;
    let before = from.plus(-BACKLOG_MS);
    let of_late = |then: Option<EpochMillis>| then.is_some_and(|then| then >= before);
    let later = |beat: &Beat| {
        let late = beat.first.map(|(_, due)| beat.at.since(due));
        late.is_some_and(|ms| ms > lag_ms + WARNING_MS) || beat.late >= Some(BUSY)
    };
    let mut beats = watch.beats.iter().filter(|beat| beat.at >= before);
    let ours = of_late(watch.changed) || watch.beside.is_some();
    ours || of_late(watch.explained) || beats.any(later)
}

/// The server has been slow to answer since that moment: what comes late then says nothing of
/// clocks.
fn hindered(seen: &QueueFacts, since: EpochMillis) -> bool {
    let beats = seen.watch.beats.iter().filter(|beat| beat.at >= since);
    let mut took: Vec<u64> = beats.map(|beat| beat.took_ms).collect();
    took.sort_unstable();
    let slow = took.get(took.len() * 3 / 4);
    let quick = took.first();
    slow.zip(quick)
        .is_some_and(|(slow, quick)| slow - quick > HINDERED_MS)
}

fn of_client(seen: &QueueFacts, (severity, sure): (Severity, bool), ahead_ms: i64) -> Finding {
    let by = text::span(ahead_ms.unsigned_abs());
    let keys = seen.queue.keys();
    let way = if ahead_ms > 0 { "before" } else { "after" };
    let details = if ahead_ms > 0 && !sure {
        "Somebody cancels them, or a client's clock is ahead."
    } else if ahead_ms > 0 {
        "A client's clock is ahead."
    } else if keys.channel.is_some() {
        "The clients' clocks are behind."
    } else {
        "The poller asks seldom, or its clock is behind."
    };
    let headline = format!("Entries leave {by} {way} their due time.");
    Finding::new(ID, severity, headline)
        .details(details)
        .number("client_ahead_ms", ahead_ms)
        .words(format!("the last {DEPARTURES} left by the same span"))
        .check(&[], b"TIME")
        .check_about("ZRANGE", &keys.timeouts, &["0", "0", "WITHSCORES"])
        .repair(
            Step::Outside,
            "Set the clients' clocks (NTP). The worker here goes by the server's clock.",
        )
}

#[cfg(test)]
mod tests;
