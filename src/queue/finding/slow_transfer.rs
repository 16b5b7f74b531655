//! The next due ones stand far down the order list: each transfer of a Redisson client searches it
//! from the head for each of its entries, in one script that nobody can interrupt.

mod batch;

use serde_json::Value;

use self::batch::Batch;
use super::id::SLOW_TRANSFER as ID;
use super::{Act, Advice, Finding, PassedFinding, QueueFacts, RuleVerdict, Severity, Step, heads};
use crate::clock::EpochMillis;
use crate::queue::change::What;
use crate::queue::finding::id;
use crate::queue::frames::{JudgedMember, Place};
use crate::queue::{Bar, EntryId, Exact, Known, Pulse, text};

/// The cost of a search to the server for each element that it passes, in µs (measured: 1.19 s for
/// 100 entries behind a million, Redis 7.0).
const STEP_US: f64 = 0.012;
/// From which duration of a script on it is a note, a warning, critical; in ms.
const NOTE_MS: f64 = 10.0;
const WARNING_MS: f64 = 50.0;
const CRITICAL_MS: f64 = 500.0;
/// A burst that falls due within this, in ms, is sorted by that.
const SOON_MS: i64 = 600_000;
/// The time after the last of several bursts for which they are told, in ms.
const AGAIN_MS: i64 = 3_600_000;
/// The span of a burst, in ms: entries that fall due within it are one. A bar of the usual timeline.
const BURST_MS: i64 = 10_000;
/// Bursts that are told one by one, the newest first.
const TOLD: usize = 3;
/// From so many late entries on there is more to move than to prepare.
const BACKLOG: u64 = 1_000;
/// The oldest of a backlog is late by more than this, in ms, or by so much that it is critical.
const LATE_MS: i64 = 10_000;
const LONG_MS: i64 = 60_000;

/// The outlook on the next transfers.
struct Outlook<'a> {
    /// The one that takes longest.
    longest: Batch,
    /// For so long the server does nothing else, in ms.
    block_ms: f64,
    /// The look at all members that has met so many of them.
    looked_for: Option<(&'a Exact, usize)>,
}

/// Estimates how long the next transfers will block the server.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let Some(pulse) = seen.pulse else {
        return RuleVerdict::Silent;
    };
    let fine = || recurring(seen, pulse).map_or(RuleVerdict::Fine, RuleVerdict::Found);
    let outlook = match outlook(seen, pulse) {
        Ok(outlook) => outlook,
        Err(verdict) if *verdict == RuleVerdict::Fine => return fine(),
        Err(verdict) => return *verdict,
    };
    match severity(outlook.block_ms) {
        Some(severity) => RuleVerdict::Found(finding(seen, pulse, &outlook, severity)),
        None => fine(),
    }
}

/// When transfers have blocked the server before, the last time first.
fn earlier<'a>(seen: &QueueFacts<'a>) -> impl Iterator<Item = &'a PassedFinding> {
    let bad = |passed: &&PassedFinding| passed.id == ID && passed.severity > Severity::Note;
    seen.watch.passed().filter(bad)
}

/// `blocked Redis for 0:43, 6:12 ago`.
fn lasted(passed: &PassedFinding, at: EpochMillis) -> String {
    let lasted = text::age(passed.until.since(passed.since));
    let ago = text::age(at.since(passed.since).max(0));
    format!("blocked Redis for {lasted}, {ago} ago")
}

/// The next burst that waits: when it falls due, and of how many entries; as far as the bars of the
/// timeline reach and are narrow.
fn next_burst(seen: &QueueFacts, pulse: &Pulse) -> Option<(EpochMillis, u64)> {
    let survey = seen.survey?;
    let burst = |bar: &&Bar| {
        let narrow = bar.to.since(bar.from) <= BURST_MS;
        narrow && bar.from > pulse.at && bar.count >= BACKLOG
    };
    let bar = survey.bars.iter().find(burst)?;
    Some((bar.from, bar.count))
}

/// Tells of bursts that came before: they come once more, though all is well in between. One that
/// stands in timeouts already is told as soon as it does.
fn recurring(seen: &QueueFacts, pulse: &Pulse) -> Option<Finding> {
    let all: Vec<&PassedFinding> = earlier(seen).collect();
    let burst = next_burst(seen, pulse);
    let last = all.first().filter(|_| all.len() > 1 || burst.is_some())?;
    if pulse.at.since(last.until) > AGAIN_MS {
        return None;
    }
    let times = text::thousands(all.len() as u64);
    let headline = match burst {
        Some((at, count)) => {
            let left = text::age(at.since(pulse.at));
            let blocked = text::age(last.until.since(last.since));
            let count = text::number(count, 7);
            format!("{count} due in {left}; the last burst blocked Redis for {blocked}.")
        }
        None => format!("Transfers have blocked Redis {times} times, and may again."),
    };
    let told = all.iter().take(TOLD).map(|passed| lasted(passed, pulse.at));
    let finding = Finding::new(ID, Severity::Note, headline)
        .number("times", all.len())
        .all_words(told.collect());
    let finding = match burst {
        Some((at, count)) => finding
            .number("next_burst", count)
            .number("next_burst_ms", at.get())
            .ends(at),
        None => finding,
    };
    Some(finding.repair(
        Step::Outside,
        "Find out who offers many entries out of due order, or sort the order list before the next \
         ones fall due.",
    ))
}

/// The outlook on the next transfers, from the last sample and a look at all members.
fn outlook<'a>(seen: &QueueFacts<'a>, pulse: &Pulse) -> Result<Outlook<'a>, Box<RuleVerdict>> {
    let (Some(_), Some(order), Some(sample)) = (
        seen.queue.keys().order,
        pulse.order.get(),
        seen.watch.sample(),
    ) else {
        return Err(RuleVerdict::Silent.into());
    };
    let next = heads::next_due(seen);
    let exact = seen.watch.exact();
    let exactly = exact.map_or_else(Vec::new, |exact| places(exact, &next));
    let places = match &sample.depth {
        _ if !exactly.is_empty() => &exactly,
        Known::Is(places) => places,
        Known::Unknown(why) if !why.starts_with("WRONGTYPE") => {
            return Err(RuleVerdict::Blind(why.to_string()).into());
        }
        // In a short list, nobody was looked for.
        Known::Unknown(_) | Known::None => return Err(RuleVerdict::Fine.into()),
    };
    let late = pulse.late.get().unwrap_or(0);
    let Some(longest) = batch::longest(&next, late, places, (sample, order)) else {
        return Err(RuleVerdict::Fine.into());
    };
    Ok(Outlook {
        block_ms: longest.steps() * STEP_US / 1_000.0,
        longest,
        looked_for: exact
            .filter(|_| !exactly.is_empty())
            .map(|exact| (exact, exactly.len())),
    })
}

fn finding(seen: &QueueFacts, pulse: &Pulse, outlook: &Outlook, severity: Severity) -> Finding {
    let keys = seen.queue.keys();
    let order = pulse.order.get().unwrap_or(0);
    #[expect(clippy::cast_possible_truncation, reason = "saturates")]
    let whole = outlook.block_ms as i64;
    let Batch {
        together,
        before,
        sure,
    } = outlook.longest;
    let about = if sure { "" } else { "about " };
    let down = text::thousands(before);
    let blocks = text::span(whole.unsigned_abs());
    let headline = format!("Transfers are slow: each blocks Redis for about {blocks}.");
    let late = pulse.late.get().unwrap_or(0);
    let finding = if let Some(overdue_ms) = overdue_ms(pulse) {
        let (count, oldest) = (text::thousands(late), text::age(overdue_ms));
        let details = format!(
            "{count} late, oldest {oldest}. Due entries lie {about}{down} deep in the order list."
        );
        let worse = severity.max(behind(overdue_ms));
        Finding::new(ID, worse, headline).details(details).of(late)
    } else {
        let details = format!("The next entries lie {about}{down} deep in the order list.");
        let finding = Finding::new(ID, severity, headline).details(details);
        match falls_due(pulse) {
            Some(at) => finding.ends(at),
            None => finding,
        }
    };
    let finding = finding
        .number("before", before)
        .number("sure", sure)
        .number("order", order)
        .number("together", together)
        .number("block_ms", whole)
        .number("late", late)
        .words(format!(
            "{} in one transfer, each searched for from the head of {} elements",
            text::counted(together as u64, "entry", "entries"),
            text::thousands(order)
        ))
        .check(&["LLEN"], &keys.order.unwrap_or_default())
        .check(&["SLOWLOG", "GET"], b"10");
    let finding = match earlier(seen).next() {
        Some(last) => finding.words(format!("it {}, too", lasted(last, pulse.at))),
        None => finding,
    };
    let finding = match outlook.looked_for {
        Some((exact, places)) => looked_for(finding, exact, places),
        None => finding,
    };
    let (step, words) = mended(late);
    finding.repair(Step::Change(step), words)
}

/// When what waits begins to fall due, where that is soon and nothing is due yet.
fn falls_due(pulse: &Pulse) -> Option<EpochMillis> {
    let next = pulse.next?.at().filter(|_| pulse.late == Known::Is(0))?;
    (next.since(pulse.at) <= SOON_MS).then_some(next)
}

/// For how long the oldest of a backlog has been late, in ms, where somebody transfers; none where
/// there is no backlog.
fn overdue_ms(pulse: &Pulse) -> Option<i64> {
    let backlog = pulse.late.get()? >= BACKLOG && pulse.transfer_clients.get() != Some(0);
    let late_ms = pulse.at.since(pulse.oldest_late?);
    (backlog && late_ms > LATE_MS).then_some(late_ms)
}

/// Returns the severity where those who transfer lag behind by so many ms because each transfer is
/// slow.
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
pub(super) fn keeps_the_server(seen: &QueueFacts) -> bool {
    let late = seen.pulse.and_then(|pulse| pulse.late.get());
    late > Some(0) && matches!(look(seen), RuleVerdict::Found(_))
}

/// Tells whether so much is due so far down the order list that whoever transfers it by searching
/// needs long for it, while a transfer by hand does not search.
pub(super) fn wants_a_hand(seen: &QueueFacts) -> bool {
    let by_hand = |found: &Finding| found.repair.step == Step::Change(What::Transfer);
    matches!(&look(seen), RuleVerdict::Found(found) if by_hand(found))
}

/// The repair: what is due is moved in less time than it takes to bring it into order.
fn mended(late: u64) -> (What, Advice) {
    if late < BACKLOG {
        let words =
            Advice::of("Sort the order list").by(Act::Repair, ", best before they fall due.");
        return (What::Realign(None), words);
    }
    let words = Advice::of("Transfer what is due from here")
        .by(Act::Repair, ", which is fast. Then sort the order list.");
    (What::Transfer, words)
}

/// Entries that the order list lacks stand nowhere in it: what was looked for near its head, and
/// not found there, may be of them. A transfer searches the whole list for such a one, and what
/// brings the list into due order cannot bring it in.
pub(super) fn subordinate(findings: &mut [Finding]) {
    let lacks = |found: &Finding| {
        let figure = |name| found.evidence.figures.get(name).and_then(Value::as_u64);
        let more = figure("waiting")?.checked_sub(figure("order")?)?;
        (found.id == id::DRIFT && found.severity > Severity::Note).then_some(more)
    };
    let Some(lacking) = findings.iter().find_map(lacks) else {
        return;
    };
    let guessed = |found: &&mut Finding| {
        let figures = &found.evidence.figures;
        let together = figures.get("together").and_then(Value::as_u64);
        let realign = found.repair.step == Step::Change(What::Realign(None));
        found.id == ID && realign && figures["sure"] == false && together <= Some(lacking)
    };
    if let Some(slow) = findings.iter_mut().find(guessed) {
        let headline = "Possible side effect: each transfer searches the order list.";
        let details = "The next entries lie deep in the order list, or are missing from it.";
        let then = "Repair the order list first; what is slow then has its own finding.";
        slow.follow(id::DRIFT, (headline.to_owned(), details.to_owned()), then);
    }
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
        .words(format!("{places} of the next entries were searched for"))
}

/// Returns the places of those of the next due ones that a look at all members has met.
fn places(exact: &Exact, next: &[&JudgedMember]) -> Vec<(EntryId, Place)> {
    let of = |(id, place): &(EntryId, u64)| {
        let waits = next.iter().any(|one| one.id == *id);
        waits.then_some((*id, Place::At(*place)))
    };
    exact.places.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests;
