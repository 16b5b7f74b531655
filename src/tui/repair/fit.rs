//! The check of whether a repair suits a queue now, and why not.

use super::form_of;
use crate::clock::EpochMillis;
use crate::queue::finding::id;
use crate::queue::{Due, Finding, JudgedMember, Known, Pulse, Repair, Severity, text};
use crate::tui::model::Model;
use crate::tui::queues::QueueRow;

/// Seconds that were written for milliseconds are due before this, in ms: 1973.
const BEFORE: EpochMillis = EpochMillis::new(100_000_000_000);

/// The answer to whether a repair suits a queue.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Fit {
    /// A finding asks for it: how bad that is, and the finding in a line.
    Asked(Severity, String),
    /// It can be done: what there is for it to do, as far as can be seen.
    Can(String),
    /// It can be done, and looks at all of the queue; nothing was seen that it would change.
    Unlikely(String),
    /// It would do nothing, or cannot be done: why.
    Not(String),
}

/// Tells whether a repair suits the queue of `row`, as far as can be seen without a look at all of
/// it.
#[must_use]
pub fn fit(model: &Model, row: &QueueRow, repair: Repair) -> Fit {
    let at_work = model.workers.on(&row.queue).is_some();
    if repair == Repair::Worker && at_work {
        return Fit::Not("one runs here already".to_owned());
    }
    if let Some(why) = fails(row, repair) {
        return Fit::Not(why);
    }
    let asked = asked(row, repair);
    if let Some(found) = asked.filter(|found| !is_of_times(repair) || is_for(repair, found)) {
        return Fit::Asked(found.severity, found.headline.clone());
    }
    let Some(pulse) = &row.pulse else {
        return Fit::Not("the queue has not been read yet".to_owned());
    };
    let seen = match repair {
        Repair::Transfer => transfer(row, pulse),
        Repair::Kick => kick(model, row, pulse),
        Repair::Worker => Ok(worker(pulse)),
        Repair::Realign => realign(row, pulse),
        Repair::RestoreOrder => restore_order(row),
        Repair::Requeue | Repair::DeliverStrays | Repair::DropStrays => strays(row, pulse),
        Repair::KeepOne => nothing("no copies were seen in target"),
        Repair::Drift => drift(row, pulse),
        Repair::Repack => repack(row, pulse),
        Repair::Quarantine => quarantine(row, pulse),
        Repair::Restore => restore(row),
        Repair::PutBack => put_back(row),
        Repair::Unwrap => unwrap(row, pulse),
        Repair::Persist => persist(row, pulse.at),
        Repair::RenameTaken => rename_taken(row),
        Repair::Unit => unit(pulse),
        Repair::Score => score(row, pulse),
    };
    match (seen, asked) {
        (Ok(seen), Some(found)) => Fit::Asked(found.severity, seen),
        (Err(_), Some(found)) => Fit::Asked(found.severity, found.headline.clone()),
        (seen, None) => seen.map_or_else(|none| none, Fit::Can),
    }
}

/// The finding that asks for a repair: that which the repair is for, where it is there, else the
/// worst.
fn asked(row: &QueueRow, repair: Repair) -> Option<&Finding> {
    let asks = |found: &&Finding| Repair::of(&found.repair.step) == Some(repair);
    let mut all = row.findings.iter().filter(asks);
    let own = all.clone().find(|found| is_for(repair, found));
    own.or_else(|| all.next())
}

/// Tells whether a finding is about what that repair mends. (Others have it done first: of entries
/// that no client transfers, due times that are none are corrected before a worker moves them.)
fn is_for(repair: Repair, found: &Finding) -> bool {
    let of = match repair {
        Repair::Unit | Repair::Score => id::SCORE_RANGE,
        Repair::Transfer => id::FALLING_BEHIND,
        Repair::Kick => id::WRONG_ANNOUNCEMENT,
        Repair::Worker => id::NO_TRANSFER_CLIENT,
        Repair::Realign => id::SLOW_TRANSFER,
        Repair::RestoreOrder => id::SET_ASIDE,
        Repair::Drift | Repair::Requeue | Repair::DeliverStrays | Repair::DropStrays => id::DRIFT,
        Repair::KeepOne => id::DUPLICATES,
        Repair::Repack => id::MIXED_FRAMES,
        Repair::Quarantine => id::FOREIGN_MEMBER,
        Repair::Restore => id::QUARANTINED,
        Repair::PutBack => id::HELD,
        Repair::Unwrap => id::FRAMED_TARGET,
        Repair::Persist => id::TTL,
        Repair::RenameTaken => id::WRONG_TYPE,
    };
    found.id == of
}

/// True of a repair of due times. Where no finding is about these, what was seen of them says why it
/// is asked for: that no client runs would say nothing of it.
const fn is_of_times(repair: Repair) -> bool {
    matches!(repair, Repair::Unit | Repair::Score)
}

/// The work that there is to do, or that there is none.
type RepairWork = Result<String, Fit>;

fn nothing<T>(why: &str) -> Result<T, Fit> {
    Err(Fit::Not(why.to_owned()))
}

fn unlikely<T>(why: impl Into<String>) -> Result<T, Fit> {
    Err(Fit::Unlikely(why.into()))
}

/// Says what makes a repair fail: a key that it needs is taken, or the server refuses writes.
fn fails(row: &QueueRow, repair: Repair) -> Option<String> {
    let found = |id| {
        let found = row.findings.iter().find(|found| found.id == id)?;
        Some(&found.evidence.figures)
    };
    if let Some(figures) = found(id::REFUSED_WRITES) {
        let code = figures.get("code").and_then(|code| code.as_str());
        // A transfer frees as much as it takes.
        let fits = code == Some("OOM") && matches!(repair, Repair::Transfer | Repair::Worker);
        let code = code.unwrap_or("an error");
        return (!fits).then(|| format!("the server refuses writes ({code})"));
    }
    let taken = found(id::WRONG_TYPE)?;
    let keys = row.queue.keys();
    let (target, order) = (Some(keys.target), keys.order);
    let needed = match repair {
        Repair::Persist | Repair::RenameTaken => return None,
        Repair::Unwrap | Repair::PutBack => [target, None, None],
        Repair::Transfer | Repair::Worker => [target, order, Some(keys.timeouts)],
        _ => [None, order, Some(keys.timeouts)],
    };
    let mut names = needed
        .iter()
        .flatten()
        .map(|key| text::printable_bytes(key));
    let name = names.find(|name| taken.contains_key(name))?;
    Some(format!("{name} is of another type"))
}

fn transfer(row: &QueueRow, pulse: &Pulse) -> RepairWork {
    let idle = row
        .findings
        .iter()
        .any(|found| found.id == id::NOTHING_CONSUMED);
    match pulse.late.get() {
        Some(0) => nothing("nothing is due"),
        Some(n) if idle => Ok(format!(
            "{} due, but nobody consumes: target would grow",
            is(n)
        )),
        Some(n) => Ok(format!("{} due", is(n))),
        None => Ok("how much is due cannot be read".to_owned()),
    }
}

fn kick(model: &Model, row: &QueueRow, pulse: &Pulse) -> RepairWork {
    if row.queue.keys().channel.is_none() {
        return nothing("this layout has no channel: no client can be woken");
    }
    if let Some(found) = row.findings.iter().find(|found| found.stops_transfers()) {
        let why = format!("it does not help here: {}", found.headline);
        return Err(Fit::Not(why));
    }
    let subscribed = pulse.transfer_clients.get();
    let others = subscribed.map(|n| model.beside(&row.queue, n).0);
    match (others, pulse.late.get()) {
        (Some(0), _) if subscribed > Some(0) => {
            nothing("only a worker of delayscope would hear it")
        }
        (Some(0), _) => nothing("no client is connected: nobody would hear it"),
        (_, Some(0)) => nothing("nothing is late"),
        (Some(n), _) => Ok(format!("{} would check at once", clients(n))),
        _ => Ok("the number of clients cannot be read".to_owned()),
    }
}

fn worker(pulse: &Pulse) -> String {
    match &pulse.transfer_clients {
        Known::Is(0) => "no client transfers here".to_owned(),
        Known::Is(n) => format!("beside {}", clients(*n)),
        Known::None => "beside whatever polls this queue".to_owned(),
        Known::Unknown(_) => "who transfers here cannot be read".to_owned(),
    }
}

fn realign(row: &QueueRow, pulse: &Pulse) -> RepairWork {
    has_order_list(row)?;
    is_at_home(row)?;
    let slow = row.findings.iter().any(Finding::is_slow_now);
    match pulse.waiting.get() {
        Some(0) => nothing("nothing waits"),
        _ if slow => Ok("transfers are slow: what is late is moved by hand first".to_owned()),
        _ => Ok("no transfer is slow now; it helps a burst that waits".to_owned()),
    }
}

fn restore_order(row: &QueueRow) -> RepairWork {
    has_order_list(row)?;
    match row.survey.as_ref().map(|survey| survey.aside) {
        Some(Some(n)) => Ok(format!("{} not in it", is(n))),
        Some(None) => nothing("no part of the order list is missing"),
        None => nothing("the queue has not been read yet"),
    }
}

/// By their numbers: which members only the order list holds the plan finds out.
fn strays(row: &QueueRow, pulse: &Pulse) -> RepairWork {
    has_order_list(row)?;
    is_at_home(row)?;
    if let Some((_, drift)) = row.watch.differences() {
        return match drift.strays.count {
            0 => unlikely("none seen: the order list holds none that does not wait"),
            n => Ok(format!(
                "{} only in the order list: they may never have been delivered",
                text::thousands(n)
            )),
        };
    }
    match (pulse.waiting.get(), pulse.order.get()) {
        (Some(waiting), Some(order)) if order > waiting => Ok(format!(
            "{} or more only in the order list: they may never have been delivered",
            text::thousands(order - waiting)
        )),
        _ => nothing("the order list does not hold more than timeouts"),
    }
}

fn drift(row: &QueueRow, pulse: &Pulse) -> RepairWork {
    has_order_list(row)?;
    is_at_home(row)?;
    if let Some((_, drift)) = row.watch.differences() {
        let say = |count: u64, words: &str| {
            (count > 0).then(|| format!("{} {words}", text::thousands(count)))
        };
        let lacking = say(drift.lacking.count, "missing from the order list");
        let twice = say(drift.twice.count, "more than once in it");
        let parts: Vec<String> = lacking.into_iter().chain(twice).collect();
        return if parts.is_empty() {
            unlikely("none seen: nothing is missing from the order list, or stands there twice")
        } else {
            Ok(parts.join(", "))
        };
    }
    match (pulse.waiting.get(), pulse.order.get()) {
        (Some(0), Some(0)) => nothing("nothing waits"),
        (Some(a), Some(b)) if a == b => unlikely(format!(
            "none seen: both sides hold {}; members are compared",
            text::thousands(a)
        )),
        (Some(a), Some(b)) => Ok(format!(
            "{} in timeouts, {} in the order list",
            text::thousands(a),
            text::thousands(b)
        )),
        _ => Ok("how many there are cannot be read".to_owned()),
    }
}

fn repack(row: &QueueRow, pulse: &Pulse) -> RepairWork {
    has_frames(row)?;
    if pulse.waiting == Known::Is(0) {
        return nothing("nothing waits");
    }
    let (Some(sample), Some(form)) = (row.watch.sample(), form_of(row)) else {
        return nothing("the format that its clients read is not known yet");
    };
    let seen = sample.next_due.iter().chain(&sample.newest);
    let seen = seen.filter_map(|one| one.form);
    let strange = seen.filter(|seen| *seen != form).count();
    let releases = form.era().releases();
    match strange {
        0 => unlikely(format!("none seen: {releases} wrote those looked at")),
        _ => Ok(format!("{releases} did not write some of those looked at")),
    }
}

fn put_back(row: &QueueRow) -> RepairWork {
    match row.survey.as_ref().map(|survey| survey.held) {
        Some(Some(count)) if count.of_dead() + count.intake == 0 => {
            nothing("no consumer died holding a message")
        }
        Some(Some(count)) => Ok(format!("{} held", is(count.of_dead() + count.intake))),
        Some(None) => Ok("what consumers hold cannot be read".to_owned()),
        None => nothing("the queue has not been read yet"),
    }
}

fn quarantine(row: &QueueRow, pulse: &Pulse) -> RepairWork {
    has_frames(row)?;
    match pulse.waiting.get() {
        Some(0) => nothing("nothing waits"),
        _ => unlikely("none seen: the members looked at are frames"),
    }
}

fn restore(row: &QueueRow) -> RepairWork {
    match row.survey.as_ref().map(|survey| survey.quarantined) {
        Some(Some(0)) => nothing("nothing is in quarantine"),
        Some(Some(n)) => Ok(format!("{} in quarantine", is(n))),
        Some(None) => Ok("what is in quarantine cannot be read".to_owned()),
        None => nothing("the queue has not been read yet"),
    }
}

fn unwrap(row: &QueueRow, pulse: &Pulse) -> RepairWork {
    has_frames(row)?;
    match pulse.target.get() {
        Some(0) => nothing("target is empty"),
        _ => unlikely("none seen: the elements looked at are bare"),
    }
}

fn persist(row: &QueueRow, now: EpochMillis) -> RepairWork {
    let Some(survey) = &row.survey else {
        return nothing("the queue has not been read yet");
    };
    let expires = survey.keys.iter().filter_map(|key| key.expires_in_ms).min();
    let Some(left) = expires else {
        return nothing("no key of it expires");
    };
    let left = survey.at.plus(left).since(now).max(0);
    Ok(format!("keys expire in {}", text::countdown(left)))
}

fn rename_taken(row: &QueueRow) -> RepairWork {
    let Some(survey) = &row.survey else {
        return nothing("the queue has not been read yet");
    };
    match survey.keys.iter().find(|key| key.is_taken()) {
        Some(key) => Ok(format!(
            "{} is a {}",
            text::printable_bytes(&key.key),
            key.kind
        )),
        None => nothing("all keys are of their types"),
    }
}

fn unit(pulse: &Pulse) -> RepairWork {
    let first = pulse.first.as_ref();
    match first.and_then(JudgedMember::due_at) {
        Some(due) if due < BEFORE => Ok("the first is due before 1973".to_owned()),
        _ if pulse.waiting == Known::Is(0) => nothing("nothing waits"),
        _ => nothing("no due time looks like seconds"),
    }
}

fn score(row: &QueueRow, pulse: &Pulse) -> RepairWork {
    let below = matches!(pulse.head, Some(Due::OutOfRange(_)));
    let survey = row.survey.as_ref();
    let beyond = survey.map_or(0, |survey| survey.no_time);
    let micros: u64 = survey.map_or(0, |survey| survey.micros.iter().sum());
    match (below, beyond) {
        _ if pulse.waiting == Known::Is(0) => nothing("nothing waits"),
        (true, _) => Ok("the first has a score that is no due time".to_owned()),
        (false, 0) if micros > 0 => {
            let words = text::counted(micros, "score is", "scores are");
            Ok(format!("{words} most likely microseconds"))
        }
        (false, 0) => nothing("all scores are due times"),
        (false, some) => {
            let words = text::counted(some, "score is", "scores are");
            Ok(format!("{words} beyond all times"))
        }
    }
}

fn has_order_list(row: &QueueRow) -> Result<(), Fit> {
    match row.queue.keys().order {
        Some(_) => Ok(()),
        None => nothing("this layout has no order list"),
    }
}

/// The order list is where it belongs.
fn is_at_home(row: &QueueRow) -> Result<(), Fit> {
    match row.survey.as_ref().and_then(|survey| survey.aside) {
        Some(_) => nothing("part of the order list is missing: restore that first"),
        None => Ok(()),
    }
}

fn has_frames(row: &QueueRow) -> Result<(), Fit> {
    if row.queue.has_frames() {
        Ok(())
    } else {
        nothing("this layout has no frames")
    }
}

fn is(n: u64) -> String {
    let verb = if n == 1 { "is" } else { "are" };
    format!("{} {verb}", text::thousands(n))
}

fn clients(n: u64) -> String {
    text::counted(n, "client", "clients")
}
