//! Clocks that disagree: this machine's with the server's, or a transfer client's, whose entries
//! leave timeouts too early or too late by the same span again and again.

use super::{Beat, Finding, Seen, Severity, Step, Verdict, slow_transfer};
use crate::clock::EpochMillis;
use crate::queue::text;

pub(super) const ID: &str = "clock-skew";

/// From this difference on it is a note, a warning; in ms.
const NOTE_MS: i64 = 250;
const WARNING_MS: i64 = 1_000;
/// So many entries in a row must have left by the same span.
const DEPARTURES: usize = 5;
/// They were due over at least so many ms.
const APART_MS: i64 = 1_000;
/// By so many ms more or less: the timer of a client ticks each 10 to 100 ms.
const JITTER_MS: i64 = 250;
/// With more late ones, the clients are merely busy.
const BUSY: u64 = 100;
/// What was late so long before the first of them may have kept the clients, in ms.
const BACKLOG_MS: i64 = 30_000;
/// Where a quarter of the answers took longer than the quickest by more than so many ms, something
/// keeps the server: who transfers waits for it too, with each of his commands.
const HINDERED_MS: u64 = 80;

/// Compares the clocks.
pub(super) fn look(seen: &Seen) -> Verdict {
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
        return Verdict::Found(of_client(seen, (severity, sure), ahead_ms));
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
/// the last entries left by one and the same span; and whether that is sure.
fn client_ahead(seen: &Seen) -> Option<(i64, bool)> {
    let leads = &seen.watch.leads;
    if leads.len() < DEPARTURES {
        return None;
    }
    let recent = || leads.iter().rev().take(DEPARTURES);
    let least = recent().map(|left| left.least_ms).max()?;
    let most = recent().map(|left| left.most_ms).min()?;
    let dues = || recent().map(|left| left.due);
    // What is due at once and is cancelled at once has one span too.
    let apart = dues().max()?.since(dues().min()?) >= APART_MS;
    // Each left between two pulses: a span that all of these allow, but for a client's ticks.
    if !apart || least - most > JITTER_MS {
        return None;
    }
    let busy = seen.pulse?.late.get()? >= BUSY;
    let (least, most) = (least.min(most), least.max(most));
    if least >= NOTE_MS {
        // Somebody who cancels his entries when they are so old leaves no more trace than this.
        return Some((least, recent().any(|left| left.delivered)));
    }
    // A client that is merely slow is no clock: ticks and pauses stay below.
    let from = dues().min()?;
    let slow = busy || hindered(seen, from) || slow_transfer::keeps_the_server(seen);
    let slow = slow || backlog(seen, from, -least);
    (most <= -WARNING_MS && !slow).then_some((most, true))
}

/// Since that moment, or shortly before it, there was another reason to be late than clocks:
/// another finding told it, we moved entries, many were late, or one was later than `lag_ms`.
fn backlog(seen: &Seen, from: EpochMillis, lag_ms: i64) -> bool {
    let watch = seen.watch;
    let before = from.plus(-BACKLOG_MS);
    let of_late = |then: Option<EpochMillis>| then.is_some_and(|then| then >= before);
    let later = |beat: &Beat| {
        let late = beat.first.map(|(_, due)| beat.at.since(due));
        late.is_some_and(|ms| ms > lag_ms + WARNING_MS) || beat.late >= Some(BUSY)
    };
    let mut beats = watch.beats.iter().filter(|beat| beat.at >= before);
    of_late(watch.explained) || of_late(watch.changed) || beats.any(later)
}

/// The server has been slow to answer since that moment: what comes late then says nothing of
/// clocks.
fn hindered(seen: &Seen, since: EpochMillis) -> bool {
    let beats = seen.watch.beats.iter().filter(|beat| beat.at >= since);
    let mut took: Vec<u64> = beats.map(|beat| beat.took_ms).collect();
    took.sort_unstable();
    let slow = took.get(took.len() * 3 / 4);
    let quick = took.first();
    slow.zip(quick)
        .is_some_and(|(slow, quick)| slow - quick > HINDERED_MS)
}

fn of_client(seen: &Seen, (severity, sure): (Severity, bool), ahead_ms: i64) -> Finding {
    let by = text::span(ahead_ms.unsigned_abs());
    let keys = seen.queue.keys();
    let sentence = if ahead_ms > 0 && !sure {
        format!(
            "Entries leave {by} before their due time: somebody cancels them, or a transfer client's \
             clock is ahead."
        )
    } else if ahead_ms > 0 {
        format!("Entries leave {by} before their due time: a transfer client's clock is ahead.")
    } else if keys.channel.is_some() {
        format!("Entries leave {by} after their due time: the transfer clients' clocks are behind.")
    } else {
        format!(
            "Entries leave {by} after their due time: the poller looks seldom, or its clock is behind."
        )
    };
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

#[cfg(test)]
mod tests {
    use super::super::tests::{Scene, framed, pulse};
    use super::*;
    use crate::queue::frame::Form;

    #[test]
    fn this_machine_is_told_from_a_quarter_of_a_second_on_once_for_all_queues() {
        let severity = |skew_ms| {
            let mut scene = Scene::default().pulse(pulse(0, 5, None, 1));
            scene.server.skew_ms = Some(skew_ms);
            scene
                .found(ID)
                .map(|found| (found.severity, found.of_server))
        };
        assert_eq!(severity(249), None);
        assert_eq!(severity(-250), Some((Severity::Note, true)));
        assert_eq!(severity(1_000), Some((Severity::Warning, true)));
    }

    /// Entries 2 s apart, each leaving so many ms before it is due, seen each 500 ms.
    fn leaving(ahead_ms: impl Fn(i64) -> i64) -> Scene {
        answered(ahead_ms, |_| 1)
    }

    /// The same on a server whose answer at that moment takes so many ms.
    fn answered(ahead_ms: impl Fn(i64) -> i64, took_ms: impl Fn(i64) -> u64) -> Scene {
        let mut scene = Scene::default();
        scene.server.skew_ms = Some(0);
        let due = |n: i64| 2_000 + n * 2_000;
        for at in (0..16_000).step_by(500) {
            let first = (0..9).find(|n| at < due(*n) - ahead_ms(*n)).unwrap();
            let mut seen = pulse(at, 5, None, 1);
            let id = u8::try_from(first).unwrap();
            seen.first = Some(framed(Form::ByteId, id, Some(due(first))));
            seen.took_ms = took_ms(at);
            scene = scene.pulse(seen);
        }
        scene
    }

    fn ahead(scene: &Scene) -> Option<i64> {
        let found = scene.found(ID)?;
        found.evidence.figures["client_ahead_ms"].as_i64()
    }

    #[test]
    fn a_client_that_is_ahead_or_behind_is_seen_by_when_entries_leave() {
        assert!((700..=1_300).contains(&ahead(&leaving(|_| 1_300)).unwrap()));
        let behind = ahead(&leaving(|_| -1_700)).unwrap();
        assert!((-1_700..=-1_000).contains(&behind), "{behind}");
    }

    #[test]
    fn on_a_server_that_is_slow_to_answer_what_leaves_late_tells_nothing_of_clocks() {
        let late = |took_ms: fn(i64) -> u64| ahead(&answered(|_| -1_700, took_ms));
        // As scripts of another queue keep it, one after the other.
        assert_eq!(late(|at| at.unsigned_abs() / 500 * 83 % 250), None);
        // Far away, and with a hiccup now and then.
        assert!(late(|_| 180).is_some());
        assert!(late(|at| if at % 4_000 == 0 { 400 } else { 3 }).is_some());
        // It is late that is excused, not early.
        let early = answered(|_| 1_300, |at| at.unsigned_abs() / 500 * 83 % 250);
        assert!(ahead(&early).is_some());
    }

    #[test]
    fn what_leaves_late_after_a_backlog_tells_nothing_of_clocks() {
        let late = || leaving(|_| -1_700);
        assert!(ahead(&late()).is_some());
        let first = late().watch.beats[0].at;
        for explained in [true, false] {
            let mut scene = late();
            let told = [&mut scene.watch.changed, &mut scene.watch.explained];
            *told[usize::from(explained)] = Some(first);
            assert_eq!(ahead(&scene), None);
        }
        let mut many = late();
        many.watch.beats[0].late = Some(BUSY);
        assert_eq!(ahead(&many), None);
        let mut later = late();
        let beat = &mut later.watch.beats[0];
        let due = first.plus(-9_000);
        beat.first = beat.first.map(|(id, _)| (id, due));
        assert_eq!(ahead(&later), None);
    }

    #[test]
    fn while_many_were_late_clients_merely_worked_them_off() {
        let late = |many: u64| {
            let mut scene = leaving(|_| -1_700);
            let beats = &mut scene.watch.beats;
            let then = beats.len() - 4;
            beats[then].late = Some(many);
            ahead(&scene)
        };
        assert_eq!(late(BUSY), None);
        assert!(late(BUSY - 1).is_some());
    }

    #[test]
    fn entries_that_leave_in_time_or_are_cancelled_at_any_moment_tell_nothing() {
        assert_eq!(ahead(&leaving(|_| 0)), None);
        assert_eq!(ahead(&leaving(|_| -100)), None);
        // A tick sooner or later is no other span.
        assert!(ahead(&leaving(|n| 1_300 + n % 3 * 100)).is_some());
        // Cancelled by their owner, all at once or one by one.
        let mut scene = Scene::default();
        for at in 0..9_u8 {
            let mut seen = pulse(i64::from(at) * 40, 5, None, 1);
            seen.first = Some(framed(Form::ByteId, at, Some(60_000)));
            scene = scene.pulse(seen);
        }
        assert_eq!(ahead(&scene), None);
        assert_eq!(ahead(&leaving(|n| 300 + n * 7 % 5 * 350)), None);
    }
}
