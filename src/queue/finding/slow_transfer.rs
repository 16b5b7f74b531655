//! The next due ones stand far down the order list: each transfer of a Redisson client searches it
//! from the head for each of its entries, in one script that nobody can interrupt.

use super::heads;
use super::{Finding, Seen, Severity, Step, Verdict};
use crate::queue::frames::{Frames, Judged, Place};
use crate::queue::wish::What;
use crate::queue::{EntryId, Exact, Known, Pulse, text};

pub(super) const ID: &str = "slow-transfer";

/// What a search costs the server for each element that it passes, in µs (measured: 1.19 s for 100
/// entries behind a million, Redis 7.0).
const STEP_US: f64 = 0.012;
/// Entries in one transfer of a Redisson client, at most.
const BATCH: usize = 100;
/// What falls due within this is transferred together, in ms: a tick of the client's timer.
const TICK_MS: i64 = 100;
/// From which duration of a script on it is a note, a warning, critical; in ms.
const NOTE_MS: f64 = 10.0;
const WARNING_MS: f64 = 50.0;
const CRITICAL_MS: f64 = 500.0;
/// From so many late entries on there is more to move than to prepare.
const BACKLOG: u64 = 1_000;
/// The oldest of a backlog is late by more than this, in ms, or by so much that it is critical.
const LATE_MS: i64 = 10_000;
const LONG_MS: i64 = 60_000;

/// How the next transfers will go.
struct Outlook<'a> {
    /// So many entries in one of them.
    together: usize,
    /// So many elements stand before each of them in the order list.
    before: u64,
    /// That is more than a guess.
    sure: bool,
    /// For so long the server does nothing else, in ms.
    block_ms: f64,
    /// The look at all members that has met so many of them.
    looked_for: Option<(&'a Exact, usize)>,
}

/// Estimates how long the next transfers will block the server.
pub(super) fn look(seen: &Seen) -> Verdict {
    let Some(pulse) = seen.pulse else {
        return Verdict::Silent;
    };
    let outlook = match outlook(seen, pulse) {
        Ok(outlook) => outlook,
        Err(verdict) => return verdict,
    };
    match severity(outlook.block_ms) {
        Some(severity) => Verdict::Found(finding(seen, pulse, &outlook, severity)),
        None => Verdict::Fine,
    }
}

/// What the last sample says of the next transfers, and a look at all members.
fn outlook<'a>(seen: &Seen<'a>, pulse: &Pulse) -> Result<Outlook<'a>, Verdict> {
    let (Some(_), Some(order), Some(sample)) = (
        seen.queue.keys().order,
        pulse.order.get(),
        seen.watch.sample(),
    ) else {
        return Err(Verdict::Silent);
    };
    let next = heads::next_due(seen);
    let exact = seen.watch.exact();
    let exactly = exact.map_or_else(Vec::new, |exact| places(exact, &next));
    let places = match &sample.depth {
        _ if !exactly.is_empty() => &exactly,
        Known::Is(places) => places,
        Known::Unknown(why) if !why.starts_with("WRONGTYPE") => {
            return Err(Verdict::Blind(why.to_string()));
        }
        // In a short list, nobody was looked for.
        Known::Unknown(_) | Known::None => return Err(Verdict::Fine),
    };
    let together = together(&next, pulse.late.get().unwrap_or(0));
    let (before, sure) = before(places, sample, order);
    #[expect(
        clippy::cast_precision_loss,
        reason = "an estimate for reading, of figures far below 2^52"
    )]
    let block_ms = together as f64 * before as f64 * STEP_US / 1_000.0;
    Ok(Outlook {
        together,
        before,
        sure,
        block_ms,
        looked_for: exact
            .filter(|_| !exactly.is_empty())
            .map(|exact| (exact, exactly.len())),
    })
}

fn finding(seen: &Seen, pulse: &Pulse, outlook: &Outlook, severity: Severity) -> Finding {
    let keys = seen.queue.keys();
    let order = pulse.order.get().unwrap_or(0);
    #[expect(clippy::cast_possible_truncation, reason = "saturates")]
    let whole = outlook.block_ms as i64;
    let about = if outlook.sure { "" } else { "about " };
    let down = text::thousands(outlook.before);
    let blocks = format!("transfer of a Redisson client blocks the server for about {whole} ms");
    let late = pulse.late.get().unwrap_or(0);
    let finding = match overdue_ms(pulse) {
        Some(overdue_ms) => {
            let (count, oldest) = (text::thousands(late), text::countdown(overdue_ms));
            let sentence = format!(
                "{count} late, oldest {oldest}: each {blocks}, because they stand {about}{down} down the \
                 order list."
            );
            let worse = severity.max(behind(overdue_ms));
            Finding::new(ID, worse, sentence).of(late)
        }
        None => {
            let sentence = format!(
                "Each {blocks}: the next due entries stand {about}{down} down the order list."
            );
            Finding::new(ID, severity, sentence)
        }
    };
    let finding = finding
        .number("before", outlook.before)
        .number("order", order)
        .number("together", outlook.together)
        .number("block_ms", whole)
        .number("late", late)
        .words(format!(
            "{} in one transfer, each searched for from the head of {} elements",
            text::counted(outlook.together as u64, "entry", "entries"),
            text::thousands(order)
        ))
        .check(&["LLEN"], &keys.order.unwrap_or_default())
        .check(&["SLOWLOG", "GET"], b"10");
    let finding = match outlook.looked_for {
        Some((exact, places)) => looked_for(finding, exact, places),
        None => finding,
    };
    let (step, words) = mended(late);
    finding.repair(Step::Change(step), words)
}

/// For how long the oldest of a backlog has been late, in ms, where somebody transfers; none where
/// there is no backlog.
fn overdue_ms(pulse: &Pulse) -> Option<i64> {
    let backlog = pulse.late.get()? >= BACKLOG && pulse.transfer_clients.get() != Some(0);
    let late_ms = pulse.at.since(pulse.oldest_late?);
    (backlog && late_ms > LATE_MS).then_some(late_ms)
}

/// How bad it is that those who transfer lag behind by so many ms because each transfer is slow.
const fn behind(overdue_ms: i64) -> Severity {
    if overdue_ms > LONG_MS {
        Severity::Critical
    } else {
        Severity::Warning
    }
}

/// Much is late, and slow transfers are why.
pub(super) fn explains(found: &Finding, pulse: &Pulse) -> bool {
    found.id == ID && overdue_ms(pulse).is_some()
}

/// Transfers of this queue are under way that keep the server from all else.
pub(super) fn keeps_the_server(seen: &Seen) -> bool {
    let late = seen.pulse.and_then(|pulse| pulse.late.get());
    late > Some(0) && matches!(look(seen), Verdict::Found(_))
}

/// So much is due so far down the order list that whoever transfers it by searching needs long for
/// it, while a transfer by hand does not search.
pub(super) fn wants_a_hand(seen: &Seen) -> bool {
    let by_hand = |found: &Finding| found.repair.step == Step::Change(What::Transfer);
    matches!(&look(seen), Verdict::Found(found) if by_hand(found))
}

/// What repairs it: what is due is moved in less time than it takes to bring it into order.
const fn mended(late: u64) -> (What, &'static str) {
    if late < BACKLOG {
        let words = "Realign (R): the order list comes into due order, best before they fall due.";
        return (What::Realign(None), words);
    }
    let words = "Transfer what is due by hand (R), which does not search; realign the rest \
                 before it falls due.";
    (What::Transfer, words)
}

/// By how long a transfer keeps the server.
fn severity(block_ms: f64) -> Option<Severity> {
    match block_ms {
        ms if ms > CRITICAL_MS => Some(Severity::Critical),
        ms if ms > WARNING_MS => Some(Severity::Warning),
        ms if ms > NOTE_MS => Some(Severity::Note),
        _ => None,
    }
}

/// With how many of the next due ones a look at all members has met.
fn looked_for(finding: Finding, exact: &Exact, places: usize) -> Finding {
    finding
        .exact(exact)
        .number("places", places)
        .words(format!("{places} of the next due ones were looked for"))
}

/// Where those of the next due ones stand that a look at all members has met.
fn places(exact: &Exact, next: &[&Judged]) -> Vec<Place> {
    let of = |(id, place): &(EntryId, u64)| {
        let waits = next.iter().any(|one| one.id == *id);
        waits.then_some(Place::At(*place))
    };
    exact.places.iter().filter_map(of).collect()
}

/// How many of the next due ones a client will transfer in one script: what is late, or the most
/// that fall due within a tick.
fn together(next: &[&Judged], late: u64) -> usize {
    let late = usize::try_from(late).unwrap_or(BATCH);
    let due: Vec<_> = next.iter().filter_map(|one| one.due_at()).collect();
    let within = |from: usize| {
        let end = due[from].plus(TICK_MS);
        due[from..].partition_point(|due| *due <= end)
    };
    let burst = (0..due.len()).map(within).max().unwrap_or(0);
    late.max(burst).min(BATCH)
}

/// How many elements stand before a due one, on the average, and whether that is more than a guess:
/// what is not near the head is taken to be in the middle, or, if it was offered last, at the end.
fn before(places: &[Place], sample: &Frames, order: u64) -> (u64, bool) {
    let last = |one: &Judged| sample.newest.iter().any(|new| new.id == one.id);
    let at_end = sample.next_due.iter().filter(|one| last(one)).count() * 2;
    let far = if at_end > sample.next_due.len() {
        order
    } else {
        order / 2
    };
    let before = |place: &Place| match place {
        Place::At(before) => *before,
        Place::Beyond(most) => far.max(*most),
    };
    let sum: u64 = places.iter().map(before).sum();
    let sure = places.iter().all(|place| matches!(place, Place::At(_)));
    (sum / (places.len() as u64).max(1), sure)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Scene, framed, pulse, sample};
    use super::*;
    use crate::queue::frame::Form;

    /// A hundred entries that fall due together, found at that place of a list of so many.
    fn burst(place: Place, order: u64) -> Scene {
        let due = (0..100).map(|id| framed(Form::ByteId, id, Some(60_000)));
        let mut frames = sample(due.collect(), vec![framed(Form::ByteId, 200, None)]);
        frames.depth = Known::Is(vec![place; 3]);
        Scene::default()
            .pulse(pulse(0, order, None, 1))
            .sample(frames)
    }

    fn severity(place: Place, order: u64) -> Option<Severity> {
        burst(place, order).found(ID).map(|found| found.severity)
    }

    #[test]
    fn the_longer_a_script_will_block_the_server_the_worse() {
        assert_eq!(severity(Place::At(900), 1_000_000), None);
        assert_eq!(severity(Place::Beyond(1_000), 10_000), None);
        assert_eq!(severity(Place::Beyond(1_000), 40_000), Some(Severity::Note));
        assert_eq!(
            severity(Place::Beyond(1_000), 100_000),
            Some(Severity::Warning)
        );
        assert_eq!(
            severity(Place::Beyond(1_000), 1_000_000),
            Some(Severity::Critical)
        );
    }

    #[test]
    fn entries_that_fall_due_one_by_one_are_searched_for_one_by_one() {
        let mut scene = burst(Place::Beyond(1_000), 1_000_000);
        let due = (0..100).map(|id| framed(Form::ByteId, id, Some(60_000 + i64::from(id) * 1_000)));
        let mut frames = sample(due.collect(), Vec::new());
        frames.depth = Known::Is(vec![Place::Beyond(1_000)]);
        scene = scene.sample(frames);
        assert_eq!(scene.found(ID), None);
    }

    #[test]
    fn a_backlog_far_down_is_transferred_by_hand_before_anybody_searches_for_it() {
        let step = |late, clients, rule| {
            let due = (0..100).map(|id| framed(Form::ByteId, id, Some(-60_000)));
            let mut frames = sample(due.collect(), Vec::new());
            frames.depth = Known::Is(vec![Place::Beyond(1_000); 3]);
            let mut scene = Scene::default();
            for (at, id) in (0..5_000).step_by(1_000).zip(0..) {
                let mut seen = pulse(at, 100_000, Some(60_000), clients);
                seen.late = Known::Is(late);
                seen.first = Some(framed(Form::ByteId, id, Some(-60_000)));
                scene = scene.pulse(seen);
            }
            scene.sample(frames).found(rule).unwrap().repair.step
        };
        let by_hand = Step::Change(What::Transfer);
        for (clients, rule) in [(0, "no-transfer-client"), (1, "falling-behind")] {
            assert_eq!(step(BACKLOG, clients, rule), by_hand);
            assert_eq!(step(BACKLOG - 1, clients, rule), Step::Worker);
        }
    }

    #[test]
    fn where_much_is_late_already_slow_transfers_are_why_and_worse() {
        let found = |late, late_ms, clients| {
            let mut seen = pulse(0, 60_000, Some(late_ms), clients);
            seen.late = Known::Is(late);
            let scene = burst(Place::Beyond(1_000), 60_000).pulse(seen);
            scene.found(ID).unwrap()
        };
        let severity = |late, late_ms, clients| found(late, late_ms, clients).severity;
        assert_eq!(severity(54_900, 60_001, 1), Severity::Critical);
        assert_eq!(severity(BACKLOG, 10_001, 1), Severity::Warning);
        for (late, late_ms, clients) in [
            (BACKLOG - 1, 60_001, 1),
            (BACKLOG, 10_000, 1),
            (BACKLOG, 60_001, 0),
        ] {
            assert_eq!(severity(late, late_ms, clients), Severity::Note);
        }
        let sentence = found(54_900, 240_000, 1).sentence;
        assert!(
            sentence.starts_with("54,900 late, oldest 4:00: each transfer"),
            "{sentence}"
        );
    }

    #[test]
    fn a_server_that_cannot_search_lists_is_told_so() {
        let mut frames = sample(vec![framed(Form::ByteId, 1, Some(1))], Vec::new());
        frames.depth = Known::Unknown("ERR unknown command".into());
        let scene = Scene::default()
            .pulse(pulse(0, 9_000, None, 1))
            .sample(frames);
        assert_eq!(
            scene.verdict(ID),
            Verdict::Blind("ERR unknown command".to_owned())
        );
    }
}
