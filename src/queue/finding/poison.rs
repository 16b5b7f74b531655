//! A frame among the next due ones that the queue's clients cannot unpack: their script ends in the
//! middle, and Lua takes nothing back.

use super::heads::{self, Fleet};
use super::{Finding, Seen, Severity, Step, Verdict};
use crate::queue::wish::What;
use crate::queue::{Judged, Unpack, text};

pub(super) const ID: &str = "poison";

/// Looks at the frames of the next due ones.
pub(super) fn look(seen: &Seen) -> Verdict {
    if !heads::framed(seen) || seen.pulse.is_none() {
        return Verdict::Silent;
    }
    let next = heads::next_due(seen);
    let Some(fleet) = heads::fleet(seen) else {
        return Verdict::Fine;
    };
    let is_bad = |one: &Judged| one.form.is_some() && one.unpack(fleet.era) != Unpack::Right;
    let Some(place) = next.iter().position(|one| is_bad(one)) else {
        return Verdict::Fine;
    };
    let count = next.iter().filter(|one| is_bad(one)).count();
    Verdict::Found(finding(seen, &next, (place, count), &fleet))
}

fn finding(
    seen: &Seen,
    next: &[&Judged],
    (place, count): (usize, usize),
    fleet: &Fleet,
) -> Finding {
    let bad = next[place];
    let due = seen.pulse.is_some_and(|pulse| bad.is_due(pulse.at));
    let severity = if due {
        Severity::Critical
    } else {
        Severity::Warning
    };
    let block = heads::block(seen, next, place, fleet.era);
    let (theirs, era) = (bad.form.map(|form| form.era().releases()), fleet.era);
    let foreign = theirs.filter(|releases| *releases != era.releases());
    let what = match foreign {
        Some(releases) => format!("An entry of {releases}"),
        None => "An entry of a server with other lengths".to_owned(),
    };
    let (when, clients) = (heads::when(seen, bad), era.releases());
    let sentence = match (bad.unpack(era), due) {
        (Unpack::Garbage, _) => format!(
            "{what}, {when}, passes for another one: its clients ({clients}) deliver garbage."
        ),
        (_, true) => format!(
            "{what}, {when}, breaks every transfer of its clients ({clients}): {}.",
            block.words()
        ),
        (_, false) => {
            format!("{what}, {when}, will break every transfer of its clients ({clients}).")
        }
    };
    let timeouts = seen.queue.keys().timeouts;
    let rank = place.to_string();
    let finding = Finding::new(ID, severity, sentence)
        .of(count as u64)
        .number("entry", bad.id.to_string())
        .number("form", bad.form.map(crate::queue::Form::word))
        .number("due_ms", bad.due_at().map(crate::clock::EpochMillis::get))
        .number("clients", clients)
        .number("bad_of_next", count)
        .number("due_before", block.before)
        .number("copies_seen", block.copies)
        .words(format!(
            "{} of the next {} due ones cannot be unpacked, the first is {}",
            text::thousands(count as u64),
            text::thousands(next.len() as u64),
            bad.id
        ))
        .words(format!("its clients are {clients}: {}", fleet.because));
    let finding = if block.copies > 0 {
        let copies = text::counted(block.copies as u64, "copy", "copies");
        finding.words(format!("{copies} seen in the tail of target so far"))
    } else {
        finding
    };
    let finding = finding
        .check_about("ZRANGE", &timeouts, &[&rank, &rank, "WITHSCORES"])
        .check(&["INFO"], b"errorstats");
    if due {
        finding.repair(
            Step::Change(What::Transfer),
            "Transfer by hand what is due (R): that takes every form, and its clients go on.",
        )
    } else {
        finding.repair(
            Step::Worker,
            "Before it falls due, start a stand-in worker (R), which takes every form.",
        )
    }
}
