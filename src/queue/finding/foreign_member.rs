//! A member among the next due ones that is no frame at all.

use super::heads;
use super::{Finding, Seen, Severity, Step, Verdict};
use crate::queue::frame::Era;
use crate::queue::wish::What;
use crate::queue::{Entry, Judged, State, Unpack, text};

pub(super) const ID: &str = "foreign-member";

/// Looks for members without a frame.
pub(super) fn look(seen: &Seen) -> Verdict {
    if !heads::framed(seen) || seen.pulse.is_none() {
        return Verdict::Silent;
    }
    let next = heads::next_due(seen);
    let Some(place) = next.iter().position(|one| one.form.is_none()) else {
        return Verdict::Fine;
    };
    Verdict::Found(finding(seen, &next, place))
}

fn finding(seen: &Seen, next: &[&Judged], place: usize) -> Finding {
    let (bad, count) = (
        next[place],
        next.iter().filter(|one| one.form.is_none()).count(),
    );
    let due = seen.pulse.is_some_and(|pulse| bad.is_due(pulse.at));
    let severity = if due {
        Severity::Critical
    } else {
        Severity::Warning
    };
    let era = heads::fleet(seen).map_or(Era::Newer, |fleet| fleet.era);
    let block = heads::block(seen, next, place, era);
    let when = heads::when(seen, bad);
    let what = format!("A member that no client has offered (no frame), {when},");
    let sentence = match (bad.unpack(era), due) {
        (Unpack::Fails, true) => format!("{what} breaks every transfer: {}.", block.words()),
        (Unpack::Fails, false) => format!("{what} will break every transfer."),
        (_, true) => format!("{what} is delivered as garbage."),
        (_, false) => format!("{what} will be delivered as garbage."),
    };
    let timeouts = seen.queue.keys().timeouts;
    let rank = place.to_string();
    let finding = Finding::new(ID, severity, sentence)
        .of(count as u64)
        .number("entry", bad.id.to_string())
        .number("bytes", bad.bytes)
        .number("foreign_of_next", count)
        .number("due_ms", bad.due_at().map(crate::clock::EpochMillis::get))
        .number("due_before", block.before)
        .number("copies_seen", block.copies)
        .words(format!(
            "{} of the next {} due ones, the first is {} ({} bytes)",
            text::thousands(count as u64),
            text::thousands(next.len() as u64),
            bad.id,
            text::thousands(bad.bytes as u64)
        ))
        .check_about("ZRANGE", &timeouts, &[&rank, &rank, "WITHSCORES"]);
    let Some(member) = bad.member.as_ref().filter(|_| count == 1) else {
        return finding.repair(
            Step::Change(What::Quarantine),
            "Find out who writes them; R sets all that is no frame aside in quarantine, u takes it back.",
        );
    };
    let entry = Entry {
        member: member.clone(),
        score: bad.score,
        state: if due { State::Late } else { State::Waiting },
    };
    finding.repair(
        Step::Entry(What::Quarantine, entry),
        "Find out who writes it; R sets it aside in quarantine, and u takes it back.",
    )
}
