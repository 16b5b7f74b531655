//! A member among the next due ones that is no frame at all.

use super::heads::{self, BlockHarm};
use super::id::FOREIGN_MEMBER as ID;
use super::{Act, Advice, Finding, QueueFacts, RuleVerdict, Severity, Step};
use crate::queue::change::ChangeRequest;
use crate::queue::frame::Era;
use crate::queue::{Entry, Exact, JudgedMember, State, Unpack, text};

/// Looks for members without a frame.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    if !heads::framed(seen) || seen.pulse.is_none() {
        return RuleVerdict::Silent;
    }
    let next = heads::next_due(seen);
    let Some(place) = next.iter().position(|one| one.form.is_none()) else {
        return deeper(seen).map_or(RuleVerdict::Fine, RuleVerdict::Found);
    };
    let finding = finding(seen, &next, place);
    RuleVerdict::Found(match seen.watch.exact() {
        Some(exact) if exact.foreign.count > 0 => of_all(finding, exact),
        _ => finding,
    })
}

/// The finding about a foreign member behind the next due ones, which a look at all members has
/// found.
fn deeper(seen: &QueueFacts) -> Option<Finding> {
    let (exact, pulse) = (seen.watch.exact()?, seen.pulse?);
    let bad = heads::deeper(seen, &exact.foreign)?;
    let timeouts = seen.queue.keys().timeouts;
    let score = bad.score.unwrap_or_default().to_string();
    let count = exact.foreign.count;
    // How many stand before it is not known: what it does to them is not told.
    let finding = Finding::new(
        ID,
        severity(bad.is_due(pulse.at)),
        headline(seen, bad, (false, count)),
    )
    .details(details(seen, bad, BlockHarm::default()));
    let finding = finding.of(exact.foreign.count).suspects([bad]);
    let finding = about(finding, bad).check_about(
        "ZRANGEBYSCORE",
        &timeouts,
        &[&score, &score, "WITHSCORES"],
    );
    let finding = of_all(finding, exact);
    Some(repaired(finding, bad, bad.is_due(pulse.at), count))
}

/// Adds how many of all waiting entries are foreign.
fn of_all(finding: Finding, exact: &Exact) -> Finding {
    let ids = exact.foreign.first.iter().map(|one| one.id.to_string());
    let ids: Vec<String> = ids.collect();
    finding
        .exact(exact)
        .suspects(&exact.foreign.first)
        .number("foreign_of_all", exact.foreign.count)
        .words(format!(
            "{} of the waiting entries{}{}",
            text::thousands(exact.foreign.count),
            if exact.foreign.count == 1 {
                ": "
            } else {
                ", such as "
            },
            ids.join(", ")
        ))
}

const fn severity(due: bool) -> Severity {
    if due {
        Severity::Critical
    } else {
        Severity::Warning
    }
}

/// Says what is wrong, in a headline: of the first of `count` such entries, due or not.
fn headline(seen: &QueueFacts, bad: &JudgedMember, (due, count): (bool, u64)) -> &'static str {
    let era = heads::fleet(seen).map_or(Era::Newer, |fleet| fleet.era);
    match (bad.unpack(era), due, count) {
        (Unpack::Fails, true, 1) => "An entry that no client wrote blocks this queue.",
        (Unpack::Fails, true, _) => "Entries that no client wrote block this queue.",
        (Unpack::Fails, false, 1) => "An entry that no client wrote will block this queue.",
        (Unpack::Fails, false, _) => "Entries that no client wrote will block this queue.",
        (_, true, 1) => "Consumers get broken payloads: one entry is not Redisson's.",
        (_, true, _) => "Consumers get broken payloads: entries are not Redisson's.",
        (_, false, 1) => "Consumers will get a payload that Redisson did not write.",
        (_, false, _) => "Consumers will get payloads that Redisson did not write.",
    }
}

/// Says which entry it is, and what it does to the others.
fn details(seen: &QueueFacts, bad: &JudgedMember, block: BlockHarm) -> String {
    let era = heads::fleet(seen).map_or(Era::Newer, |fleet| fleet.era);
    let due = seen.pulse.is_some_and(|pulse| bad.is_due(pulse.at));
    let harm = if due && bad.unpack(era) == Unpack::Fails {
        block.words(seen)
    } else {
        String::new()
    };
    format!(
        "Entry {}, {}, is not in Redisson's format.{harm}",
        bad.id,
        heads::when(seen, bad)
    )
}

/// Adds what is known of the member.
fn about(finding: Finding, bad: &JudgedMember) -> Finding {
    finding
        .number("entry", bad.id.to_string())
        .number("bytes", bad.bytes)
        .due(bad.due_at())
}

/// Adds what repairs it; `count`: as many are known.
fn repaired(finding: Finding, bad: &JudgedMember, due: bool, count: u64) -> Finding {
    let Some(member) = bad.member.as_ref().filter(|_| count == 1) else {
        return finding.repair(
            Step::Change(ChangeRequest::Quarantine),
            Advice::of("Move these entries to quarantine")
                .by(Act::Repair, ", then find out who writes them."),
        );
    };
    let entry = Entry {
        member: member.clone(),
        score: bad.score,
        state: if due { State::Late } else { State::Waiting },
    };
    finding.repair(
        Step::Entry(ChangeRequest::Quarantine, entry),
        Advice::of("Move it to quarantine").by(Act::Repair, ", then find out who writes it."),
    )
}

fn finding(seen: &QueueFacts, next: &[&JudgedMember], place: usize) -> Finding {
    let (bad, count) = (
        next[place],
        next.iter().filter(|one| one.form.is_none()).count(),
    );
    let due = seen.pulse.is_some_and(|pulse| bad.is_due(pulse.at));
    let era = heads::fleet(seen).map_or(Era::Newer, |fleet| fleet.era);
    let block = heads::block(seen, next, place, era);
    let timeouts = seen.queue.keys().timeouts;
    let rank = place.to_string();
    let finding = Finding::new(ID, severity(due), headline(seen, bad, (due, count as u64)))
        .details(details(seen, bad, block))
        .of_sample(count as u64, heads::is_whole(seen, next));
    let all = next.iter().copied().filter(|one| one.form.is_none());
    let finding = about(finding.suspects(all), bad)
        .number("foreign_of_next", count)
        .number("due_before", block.before)
        .number("copies_seen", block.copies)
        .words(format!(
            "{} of the next {} entries, the first is {} ({} bytes)",
            text::thousands(count as u64),
            text::thousands(next.len() as u64),
            bad.id,
            text::thousands(bad.bytes as u64)
        ))
        .check_about("ZRANGE", &timeouts, &[&rank, &rank, "WITHSCORES"]);
    repaired(finding, bad, due, count as u64)
}
