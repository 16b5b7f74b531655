//! The next due ones stand far down the order list: each transfer of a Redisson client searches it
//! from the head for each of its entries, in one script that nobody can interrupt.

mod batch;
mod bursts;
mod coming;

use serde_json::Value;

use self::batch::{MOST_ENTRIES_IN_A_TRANSFER, ScriptBatch};
use self::bursts::SlowBurst;
pub(super) use self::bursts::SlowBursts;
use self::coming::ComingBurst;
use super::id::SLOW_TRANSFER as ID;
use super::{
    Act, Advice, Diagnosis, Finding, QueueFacts, RuleVerdict, Severity, Step, Watch, clients, heads,
};
use crate::clock::EpochMillis;
use crate::queue::change::ChangeRequest;
use crate::queue::finding::id;
use crate::queue::frames::{JudgedMember, Place};
use crate::queue::{Bar, EntryId, Exact, Known, Pulse, text};

/// The cost of a search to the server for each element that it passes, in µs (measured: 1.19 s for
/// 100 entries behind a million, Redis 7.0).
const STEP_US: f64 = 0.012;
/// The headline while slow transfers are at work on what is due.
const SLOW: &str = "Slow transfers: due entries lie deep in the order list.";
/// The headline before slow transfers are at work.
const SLOW_AHEAD: &str = "Slow transfers ahead: entries lie deep in the order list.";
/// The duration of a script from which on it is a note, a warning, critical; in ms.
const NOTE_MS: f64 = 10.0;
const WARNING_MS: f64 = 50.0;
const CRITICAL_MS: f64 = 500.0;
/// A burst that falls due within this, in ms, is sorted by that.
const SOON_MS: i64 = 600_000;
/// The time after the last of several bursts for which they are told, in ms.
const AGAIN_MS: i64 = 3_600_000;
/// The same after a single one: whoever comes in between two of them finds a queue that looks well.
const ONCE_MS: i64 = 600_000;
/// A burst has just begun for so long, in ms.
const BEGINS_MS: i64 = 15_000;
/// The span of a burst, in ms: entries that fall due within it are one. A bar of the usual timeline.
const BURST_MS: i64 = 10_000;
/// Bursts that are told one by one, the newest first.
const TOLD: usize = 3;
/// From so many late entries on there is more to move than to prepare.
const BACKLOG: u64 = 1_000;
/// The oldest of a backlog is late by more than this, in ms, or by so much that it is critical.
const LATE_MS: i64 = 10_000;
const LONG_MS: i64 = 60_000;
/// A burst is worth a warning when its transfers keep the server for so long, in ms, taken together.
const BUSY_MS: f64 = 1_000.0;
/// A burst is over before anybody has made a transfer by hand, which waits for the same server, when
/// its transfers take no longer than this taken together, in ms (measured: clients need up to twice as
/// long), and none is late by more.
const BRIEF_WORK_MS: f64 = 30_000.0;
const BRIEF_LATE_MS: i64 = 50_000;
/// The same for what is left of a burst that takes longer.
const LAST_WORK_MS: f64 = 1_500.0;

/// The outlook on the next transfers.
struct Outlook<'a> {
    /// The one that takes longest.
    longest: ScriptBatch,
    /// For so long the server does nothing else, in ms.
    block_ms: f64,
    /// The last due time of those that were sampled.
    until: Option<EpochMillis>,
    /// The look at all members that has met so many of them.
    looked_for: Option<(&'a Exact, usize)>,
}

/// Estimates how long the next transfers will block the server.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let Some(pulse) = seen.pulse else {
        return RuleVerdict::Silent;
    };
    if is_of_before(seen, pulse) {
        return RuleVerdict::Kept;
    }
    let fine =
        |judged| recurring(seen, pulse, judged).map_or(RuleVerdict::Fine, RuleVerdict::Found);
    let sorted = seen.watch.bursts.sorted_at();
    if sorted > seen.watch.sample().map(|sample| sample.at) {
        // The sample tells how it was before.
        return fine(None);
    }
    let outlook = match outlook(seen, pulse) {
        Ok(outlook) => outlook,
        Err(verdict) if *verdict == RuleVerdict::Fine => return fine(None),
        Err(verdict) => return *verdict,
    };
    match severity(outlook.block_ms) {
        Some(_) if is_rest(seen, pulse, &outlook) => {
            if seen.watch.bursts.is_running() {
                RuleVerdict::Kept
            } else {
                fine(None)
            }
        }
        Some(severity) => RuleVerdict::Found(finding(seen, pulse, &outlook, severity)),
        None => fine(outlook.until),
    }
}

/// Much has fallen due since the last sample: those that stood in it have left, and nothing is known
/// yet of those that are late now. What was told to come has come.
fn is_of_before(seen: &QueueFacts, pulse: &Pulse) -> bool {
    let Some((sample, oldest)) = seen.watch.sample().zip(pulse.oldest_late) else {
        return false;
    };
    // Until then another sample has come, or none can be had.
    let begins = pulse.at.since(oldest) < BEGINS_MS;
    let left = heads::next_due(seen)
        .iter()
        .all(|one| !sample.next_due.iter().any(|of| of.id == one.id));
    has_backlog(pulse) && sample.at < oldest && begins && left
}

/// Takes note of whether much is late while transfers are slow.
pub(super) fn note(watch: &mut Watch, said: &Diagnosis, pulse: Option<&Pulse>) {
    let Some(pulse) = pulse else {
        return;
    };
    let slow = |found: &Finding| {
        let figures = &found.evidence.figures;
        found.id == ID && found.follows.is_none() && figures.contains_key("block_ms")
    };
    let slow = said.findings.iter().any(slow);
    watch.bursts.saw(pulse.at, has_backlog(pulse), slow);
}

/// Tells whether only a few late entries of a burst are left, and nothing comes that is to be warned of.
/// A sample of before its end tells nothing of what comes.
fn is_rest(seen: &QueueFacts, pulse: &Pulse, outlook: &Outlook) -> bool {
    let bursts = &seen.watch.bursts;
    let sampled = seen.watch.sample().map(|sample| sample.at);
    let is_of_it = |ended| pulse.late.get() > Some(0) || sampled <= Some(ended);
    let is_over = bursts.is_running() || bursts.just_ended(pulse.at).is_some_and(is_of_it);
    let comes = || coming::begins_with(seen, pulse, &outlook.longest).is_some();
    // Whether somebody transfers them or not.
    is_over && pulse.late.get() < Some(BACKLOG) && !comes()
}

/// The slow bursts of the last hour, the newest first.
fn earlier<'a>(seen: &QueueFacts<'a>, at: EpochMillis) -> impl Iterator<Item = &'a SlowBurst> {
    seen.watch.bursts.within(AGAIN_MS, at)
}

/// `took 0:43 and ended 6:12 ago`.
fn took(burst: &SlowBurst, at: EpochMillis) -> String {
    let took = text::age(burst.until.since(burst.since));
    let ago = text::age(at.since(burst.until).max(0));
    format!("took {took} and ended {ago} ago")
}

/// The same of one that is not that of now.
fn earlier_one(burst: &SlowBurst, at: EpochMillis) -> String {
    format!("an earlier burst {}", took(burst, at))
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
/// stands in timeouts already is told as soon as it does, unless what is due until `judged`, which
/// was found near the head, reaches as far.
fn recurring(seen: &QueueFacts, pulse: &Pulse, judged: Option<EpochMillis>) -> Option<Finding> {
    let sorted = seen.watch.bursts.sorted_at();
    if sorted.is_some_and(|then| pulse.at.since(then) < ONCE_MS) {
        // What waited then is transferred quickly, and whoever has sorted the list knows of the rest.
        return None;
    }
    let all = earlier(seen, pulse.at).filter(|burst| !burst.is_past);
    let all: Vec<&SlowBurst> = all.collect();
    let waits = next_burst(seen, pulse);
    let burst = waits.filter(|(from, _)| judged.is_none_or(|end| end < *from));
    let lately = |burst: &SlowBurst| pulse.at.since(burst.until) < ONCE_MS;
    // One that waits and is judged to be quick says enough.
    let tells = |last: &&SlowBurst| waits.is_none() && lately(last);
    let last = *all.first()?;
    if all.len() == 1 && burst.is_none() && !tells(&last) {
        return None;
    }
    let (headline, details) = if let Some((at, count)) = burst {
        let (many, left) = (text::number(count, 7), text::age(at.since(pulse.at)));
        (
            format!("Slow transfers may come in {left}: {many} entries fall due."),
            format!("The last burst {}.", took(last, pulse.at)),
        )
    } else {
        let (when, apart) = match next_by_the_clock(&all, pulse.at) {
            Some((every, next)) => {
                let (every, left) = (text::age(every), text::about(next.since(pulse.at)));
                (format!(" in {left}"), format!(", {every} apart"))
            }
            None => Default::default(),
        };
        let many = match all.len() {
            1 => String::new(),
            n => format!(" {n} bursts within an hour{apart}."),
        };
        let last = took(last, pulse.at);
        let details = format!("None are slow now; the last burst {last}.{many}");
        (format!("Slow transfers may come back{when}."), details)
    };
    // Between two bursts nothing is cured.
    let severity = if lately(last) {
        Severity::Warning
    } else {
        Severity::Note
    };
    // The last one stands in the details.
    let told = all.iter().skip(1).take(TOLD);
    let told = told.map(|burst| earlier_one(burst, pulse.at));
    let finding = Finding::new(ID, severity, headline)
        .details(details)
        .number("times", all.len())
        .all_words(told.collect());
    Some(match burst {
        Some((at, count)) => finding
            .number("next_burst", count)
            .number("next_burst_ms", at.get())
            .ends(at)
            .repair(
                Step::Change(ChangeRequest::Realign(None)),
                Advice::of("Sort the order list").by(
                    Act::Repair,
                    format!(" before they fall due, then {}", find_out(seen)),
                ),
            ),
        None => finding.repair(
            Step::Outside,
            "Find out who offers many entries out of due order. What waits now is quick: there is \
             nothing to sort yet.",
        ),
    })
}

/// The time in ms between bursts, the newest first, that come at equal distances, and when the next one
/// is to be expected; none where they do not, or where it should have come.
fn next_by_the_clock(all: &[&SlowBurst], now: EpochMillis) -> Option<(i64, EpochMillis)> {
    // Between two of them one may have been averted, by sorting.
    let told = all.windows(2).take_while(|two| !two[0].behind_sort);
    let apart: Vec<i64> = told
        .map(|two| two[0].since.since(two[1].since))
        .take(3)
        .collect();
    let times = i64::try_from(apart.len()).ok().filter(|times| *times > 0)?;
    let every = apart.iter().sum::<i64>() / times;
    // A pulse sees a burst up to some seconds after it has begun.
    let near = |ms: i64| ms.abs_diff(every) <= every.unsigned_abs() / 10 + 5_000;
    let next = all.first()?.since.plus(every);
    (apart.into_iter().all(near) && next > now).then_some((every, next))
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
        until: next.last().and_then(|one| one.due_at()),
        looked_for: exact
            .filter(|_| !exactly.is_empty())
            .map(|exact| (exact, exactly.len())),
    })
}

fn finding(seen: &QueueFacts, pulse: &Pulse, outlook: &Outlook, severity: Severity) -> Finding {
    let keys = seen.queue.keys();
    let order = pulse.order.get().unwrap_or(0);
    let ScriptBatch {
        together,
        before,
        sure,
        ..
    } = outlook.longest;
    let late = pulse.late.get().unwrap_or(0);
    let coming = coming::begins_with(seen, pulse, &outlook.longest);
    let finding = if let Some(overdue_ms) = overdue_ms(pulse) {
        let (count, oldest) = (text::thousands(late), text::age(overdue_ms));
        let details = format!("{count} late, oldest {oldest}. {}", outlook.cost());
        let worse = severity.max(behind(overdue_ms));
        Finding::new(ID, worse, SLOW).details(details).of(late)
    } else if let Some(burst) = coming.filter(|_| !has_backlog(pulse)) {
        let last = earlier(seen, pulse.at).find(|burst| !burst.is_past);
        ahead(pulse, outlook, &burst, (severity, last))
    } else {
        let busy = has_backlog(pulse) && outlook.work_ms(late) >= BUSY_MS;
        let worse = warned(severity, busy);
        let (headline, details) = if has_backlog(pulse) {
            let count = text::thousands(late);
            (SLOW, format!("{count} late. {}", outlook.cost()))
        } else {
            (SLOW_AHEAD, outlook.cost())
        };
        let finding = Finding::new(ID, worse, headline).details(details);
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
        .number("block_ms", whole(outlook.block_ms))
        .number("late", late)
        .words(format!(
            "{} in one transfer, each searched for from the head of {} elements",
            text::counted(together as u64, "entry", "entries"),
            text::thousands(order)
        ))
        .check(&["LLEN"], &keys.order.unwrap_or_default())
        .check(&["SLOWLOG", "GET"], b"10");
    let told = earlier(seen, pulse.at).take(TOLD);
    let told: Vec<String> = told.map(|burst| earlier_one(burst, pulse.at)).collect();
    let again = !told.is_empty();
    let finding = finding.all_words(told);
    let finding = match outlook.looked_for {
        Some((exact, places)) => looked_for(finding, exact, places),
        None => finding,
    };
    let (step, words) = mended(seen, pulse, outlook, (coming.is_some(), again));
    finding.repair(step, words)
}

/// Tells of a burst that is about to fall due, and how long the last one took: how much longer clients
/// need than their scripts do depends on the machine.
fn ahead(
    pulse: &Pulse,
    outlook: &Outlook,
    burst: &ComingBurst,
    (severity, last): (Severity, Option<&SlowBurst>),
) -> Finding {
    let ComingBurst { at, count, sure } = *burst;
    let about = if sure { "" } else { "about " };
    let (many, left) = (text::number(count, 7), text::age(at.since(pulse.at)));
    let headline = format!("Slow transfers in {left}: {about}{many} entries block Redis.");
    let work_ms = outlook.work_ms(count);
    let transfers = text::thousands(count.div_ceil(MOST_ENTRIES_IN_A_TRANSFER as u64));
    let each = text::span(whole(outlook.block_ms));
    let all = text::span(whole(work_ms));
    let last = last.map_or_else(String::new, |last| {
        let took = text::age(last.until.since(last.since));
        format!(", and longer with the pauses in between: the last burst took {took}")
    });
    let details = format!(
        "They lie {}{} deep in the order list, which each transfer searches: about {transfers} \
         transfers of {each} or more, together {all} or more{last}.",
        outlook.about(),
        text::thousands(outlook.longest.before)
    );
    Finding::new(ID, warned(severity, work_ms >= BUSY_MS), headline)
        .details(details)
        .number("next_burst", count)
        .number("next_burst_ms", at.get())
        .number("work_ms", whole(work_ms))
        .ends(at)
}

impl Outlook<'_> {
    /// Says why a transfer takes long, and for how long nobody else is answered.
    fn cost(&self) -> String {
        let blocks = text::span(whole(self.block_ms));
        let (about, before) = (self.about(), text::thousands(self.longest.before));
        format!(
            "Each transfer searches past {about}{before} others, and blocks Redis for about {blocks}."
        )
    }

    /// The word before a depth that was estimated.
    const fn about(&self) -> &'static str {
        if self.longest.sure { "" } else { "about " }
    }

    /// The time for which the transfers of so many entries keep the server, taken together, in ms.
    fn work_ms(&self, count: u64) -> f64 {
        self.longest.steps_of(count) * STEP_US / 1_000.0
    }
}

/// The severity where the server is `busy` for long with a burst, however short each transfer is.
fn warned(severity: Severity, busy: bool) -> Severity {
    severity.max(if busy {
        Severity::Warning
    } else {
        Severity::Note
    })
}

/// Whole ms.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates, and no span is negative"
)]
const fn whole(ms: f64) -> u64 {
    ms as u64
}

/// When what waits begins to fall due, where that is soon and nothing is due yet.
fn falls_due(pulse: &Pulse) -> Option<EpochMillis> {
    let next = pulse.next?.at().filter(|_| pulse.late == Known::Is(0))?;
    (next.since(pulse.at) <= SOON_MS).then_some(next)
}

/// The time for which the oldest of a backlog has been late, in ms, where somebody transfers; none
/// where there is no backlog.
fn overdue_ms(pulse: &Pulse) -> Option<i64> {
    let late_ms = pulse.at.since(pulse.oldest_late?);
    (has_backlog(pulse) && late_ms > LATE_MS).then_some(late_ms)
}

/// Much is late, and somebody transfers it.
fn has_backlog(pulse: &Pulse) -> bool {
    pulse.late.get() >= Some(BACKLOG) && pulse.transfer_clients.get() != Some(0)
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
    found.is_slow_now() && overdue_ms(pulse).is_some()
}

/// Transfers of this queue are under way that keep the server from all else.
pub(super) fn keeps_the_server(seen: &QueueFacts) -> bool {
    let late = seen.pulse.and_then(|pulse| pulse.late.get());
    late > Some(0) && matches!(&look(seen), RuleVerdict::Found(found) if found.is_slow_now())
}

/// Tells whether so much is due so far down the order list that whoever transfers it by searching
/// needs long for it, while a transfer by hand does not search.
pub(super) fn wants_a_hand(seen: &QueueFacts) -> bool {
    let by_hand = |found: &Finding| found.repair.step == Step::Change(ChangeRequest::Transfer);
    matches!(&look(seen), RuleVerdict::Found(found) if by_hand(found))
}

/// Says what cures it: sorting does so for one burst.
fn find_out(seen: &QueueFacts) -> String {
    let perhaps = match clients::namesakes(seen).as_slice() {
        [one] => format!(" (perhaps {one})"),
        _ => String::new(),
    };
    format!("find out who offers out of due order{perhaps}.")
}

/// The repair: what is due is moved in less time than it takes to bring it into order, unless it is
/// gone before anybody has typed that.
fn mended(
    seen: &QueueFacts,
    pulse: &Pulse,
    outlook: &Outlook,
    (presses, again): (bool, bool),
) -> (Step, Advice) {
    let late = pulse.late.get().unwrap_or(0);
    let late_ms = pulse.oldest_late.map_or(0, |oldest| pulse.at.since(oldest));
    let left_ms = outlook.work_ms(late);
    // To the end of a burst, and not the other way about for its last moments.
    let brief = late_ms <= BRIEF_LATE_MS && left_ms <= BRIEF_WORK_MS
        || late_ms <= 2 * BRIEF_LATE_MS && left_ms <= LAST_WORK_MS;
    if late < BACKLOG {
        let words = if presses && again {
            // Whoever sorts it each time has not cured it.
            let then = format!(", then {}", find_out(seen));
            Advice::of("Sort the order list now").by(Act::Repair, then)
        } else if presses {
            Advice::of("Sort the order list now").by(Act::Repair, ".")
        } else {
            Advice::of("Sort the order list").by(Act::Repair, ", best before they fall due.")
        };
        return (Step::Change(ChangeRequest::Realign(None)), words);
    }
    if brief && has_backlog(pulse) {
        let words = "Wait: it is over in about a minute. Then sort the order list, before the next ones \
                     fall due.";
        // Nobody who presses a key now shall begin what waits for the burst.
        return (Step::Outside, words.into());
    }
    let words = Advice::of("Transfer what is due from here")
        .by(Act::Repair, ", which is fast. Then sort the order list.");
    (Step::Change(ChangeRequest::Transfer), words)
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
        let realign = found.repair.step == Step::Change(ChangeRequest::Realign(None));
        found.id == ID && realign && figures["sure"] == false && together <= Some(lacking)
    };
    if let Some(slow) = findings.iter_mut().find(guessed) {
        let headline = "Possible side effect: each transfer searches the order list.";
        let details = "The next entries lie deep in the order list, or are missing from it.";
        let then = "Repair the order list first; what is slow then has its own finding.";
        slow.follow(id::DRIFT, (headline.to_owned(), details.to_owned()), then);
    }
}

/// The severity of transfers that keep the server for so long each; none where that is not much.
fn severity(block_ms: f64) -> Option<Severity> {
    match block_ms {
        ms if ms > CRITICAL_MS => Some(Severity::Critical),
        ms if ms > WARNING_MS => Some(Severity::Warning),
        ms if ms > NOTE_MS => Some(Severity::Note),
        _ => None,
    }
}

/// Adds how many of the next due ones a look at all members has met.
fn looked_for(finding: Finding, exact: &Exact, places: usize) -> Finding {
    finding
        .exact(exact)
        .number("places", places)
        .words(format!("{places} of the next entries were searched for"))
}

/// Returns the places of the next due entries that a look at all members has met.
fn places(exact: &Exact, next: &[&JudgedMember]) -> Vec<(EntryId, Place)> {
    let of = |(id, place): &(EntryId, u64)| {
        let waits = next.iter().any(|one| one.id == *id);
        waits.then_some((*id, Place::At(*place)))
    };
    exact.places.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests;
