//! Both frame forms in one queue: no Redisson client can unpack both.

use super::heads::{self, Fleet};
use super::id::MIXED_FRAMES as ID;
use super::{Act, Advice, Finding, QueueFacts, RuleVerdict, Severity, Step};
use super::{clients, poison, recovery};
use crate::queue::change::ChangeRequest;
use crate::queue::exact::Group;
use crate::queue::finding::id;
use crate::queue::frame::{Era, Unpack};
use crate::queue::{Exact, Frames, JudgedMember, text};

/// Counts the forms among the next due ones and the last offered.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    if !heads::framed(seen) {
        return RuleVerdict::Silent;
    }
    let Some(sample) = seen.watch.sample() else {
        return RuleVerdict::Silent;
    };
    if recovery::repaired(seen.watch) > Some(sample.at) {
        // It shows what was there before our change.
        return RuleVerdict::Kept;
    }
    let next = heads::next_due(seen);
    let of = |era| {
        let next = Frames::count(next.iter().copied(), era);
        (next, Frames::count(&sample.newest, era))
    };
    let [older, newer] = Era::BOTH.map(of);
    let exact = seen.watch.exact().filter(|exact| {
        let stands = |group: &Group| seen.pulse.is_some_and(|pulse| group.stands(pulse));
        exact.of_era.iter().all(stands)
    });
    if (older.0 + older.1 == 0 || newer.0 + newer.1 == 0) && exact.is_none() {
        return RuleVerdict::Fine;
    }
    let fleet = heads::fleet(seen);
    let unpacked = |fleet: &Fleet| unpacked(fleet.era, &next, sample, exact);
    if fleet.as_ref().is_some_and(unpacked) {
        return RuleVerdict::Fine;
    }
    let keys = seen.queue.keys();
    let offers = keys.order.unwrap_or_default();
    let line = |(next, newest): (usize, usize), era: Era| {
        let releases = era.releases();
        format!("{releases}: {next} of the next entries, {newest} of the last offered")
    };
    let (some, rarer) = match exact {
        Some(exact) => rarer_of_all(exact),
        None => rarer_of_sample([older, newer], [next.len(), sample.newest.len()]),
    };
    let details = format!(
        "{some} the format of {}, the others that of {}.",
        rarer.releases(),
        rarer.other().releases()
    );
    let headline = "Entries in two formats: no client can read all of them.";
    let finding = Finding::new(ID, Severity::Warning, headline)
        .details(details)
        .number("older_next_due", older.0)
        .number("older_newest", older.1)
        .number("newer_next_due", newer.0)
        .number("newer_newest", newer.1)
        .words(line(older, Era::Older))
        .words(line(newer, Era::Newer))
        .all_words(clients::by_format(seen))
        .check_about("ZRANGE", &keys.timeouts, &["0", "99"])
        .check_about("LRANGE", &offers, &["-100", "-1"]);
    let finding = match exact {
        Some(exact) => of_all(finding, exact),
        None => finding,
    };
    // How this is mended hangs on whether two versions are at work.
    if let Some(open) = poison::undecided(seen) {
        return RuleVerdict::Early(open);
    }
    let (step, words) = mended(seen, fleet.as_ref());
    RuleVerdict::Found(finding.repair(step, words))
}

/// The repair, where that fleet transfers; none: where nobody knows which one does.
fn mended(seen: &QueueFacts, fleet: Option<&Fleet>) -> (Step, Advice) {
    let Some(fleet) = fleet else {
        if seen.watch.own_workers > 0 {
            let words = "Use one Redisson version in all clients. The worker here transfers both meanwhile.";
            return (Step::Outside, words.into());
        }
        let words =
            Advice::of("Use one Redisson version in all clients. Until then start the worker here")
                .by(Act::Repair, ": it transfers both.");
        return (Step::Worker, words);
    };
    let form = fleet.era.form(seen.server.long);
    let words = Advice::of("Rewrite the entries that the clients cannot read")
        .by(Act::Repair, ". Then let nobody offer the other format.");
    (Step::Change(ChangeRequest::Repack(Some(form))), words)
}

/// Clients of that era unpack all of them, whatever their form: they read a frame of the other one
/// rightly when its first byte is 7.
fn unpacked(era: Era, next: &[&JudgedMember], sample: &Frames, exact: Option<&Exact>) -> bool {
    let right = |one: &&JudgedMember| one.unpack(era) == Unpack::Right;
    let none_left = exact.is_none_or(|exact| exact.unreadable(era).count == 0);
    none_left
        && next
            .iter()
            .copied()
            .chain(&sample.newest)
            .all(|one| right(&one))
}

/// Says how many have the rarer form, of all that waits; and returns its era.
fn rarer_of_all(exact: &Exact) -> (String, Era) {
    let [older, newer] = exact.of_era.each_ref().map(|group| group.count);
    let (count, rarer) = if older < newer {
        (older, Era::Older)
    } else {
        (newer, Era::Newer)
    };
    let has = if count == 1 { "has" } else { "have" };
    let (count, all) = (text::thousands(count), text::thousands(older + newer));
    (format!("{count} of {all} {has}"), rarer)
}

/// The same of the next due ones, or of the last offered ones when they all have one form.
fn rarer_of_sample(
    [older, newer]: [(usize, usize); 2],
    [next, newest]: [usize; 2],
) -> (String, Era) {
    let mixed = older.0 > 0 && newer.0 > 0;
    let (counts, of, which) = if mixed {
        ([older.0, newer.0], next, "next")
    } else {
        ([older.1, newer.1], newest, "last offered")
    };
    let rarer = if counts[0] < counts[1] {
        Era::Older
    } else {
        Era::Newer
    };
    let count = counts[0].min(counts[1]);
    if count == 0 {
        // All that was offered lately has one form, all that is due next the other.
        return ("Some have".to_owned(), rarer);
    }
    let has = if count == 1 { "has" } else { "have" };
    (format!("{count} of the {of} {which} entries {has}"), rarer)
}

/// Beside an entry that breaks every transfer for that reason, or clients of both formats, it is not
/// told as another matter: one repair mends both.
pub(super) fn subordinate(findings: &mut [Finding]) {
    let Some(at) = findings.iter().position(|found| found.id == ID) else {
        return;
    };
    let step = &findings[at].repair.step;
    let is_cause = |found: &&Finding| match found.id {
        id::MIXED_FLEET => true,
        id::POISON => found.repair.step == *step,
        _ => false,
    };
    let Some(cause) = findings.iter().find(is_cause).map(|found| found.id) else {
        return;
    };
    let then = if cause == id::POISON {
        "Fix the blocking entry first: the same repair rewrites these too."
    } else {
        "Upgrade or stop one version first; the worker transfers both formats."
    };
    let mixed = &mut findings[at];
    let headline = "Same cause: entries in two formats.".to_owned();
    let details = std::mem::take(&mut mixed.details);
    mixed.follow(cause, (headline, details), then);
}

/// Adds how many entries there are in each format, and which the first of the rarer ones are.
fn of_all(finding: Finding, exact: &Exact) -> Finding {
    let [older, newer] = &exact.of_era;
    let (rarer, format) = if older.count < newer.count {
        (older, "old")
    } else {
        (newer, "new")
    };
    let ids: Vec<String> = rarer.first.iter().map(|one| one.id.to_string()).collect();
    finding
        .exact(exact)
        .suspects(&rarer.first)
        .of(rarer.count)
        .number("older", older.count)
        .number("newer", newer.count)
        .words(format!(
            "{} in the old format and {} in the new one wait; the first in the {format} format: {}",
            text::thousands(older.count),
            text::thousands(newer.count),
            ids.join(", ")
        ))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{START, Scene, framed, pulse, sample, server_look};
    use super::*;
    use crate::queue::{Form, change};

    #[test]
    fn it_says_how_many_of_how_many_have_the_rarer_form() {
        let sentence = |next: Vec<JudgedMember>, newest: Vec<JudgedMember>| {
            let scene = Scene::default().pulse(pulse(0, 9, None, 1));
            scene
                .sample(sample(next, newest))
                .found(ID)
                .unwrap()
                .sentence()
        };
        let newer = |id| framed(Form::ByteId, id, Some(60_000));
        let older = |id| framed(Form::DoubleId, id, Some(60_000));
        let next = sentence(vec![newer(1), older(2), newer(3)], vec![newer(3)]);
        assert!(
            next.contains("1 of the 3 next entries has the format of Redisson up to 3.21.0"),
            "{next}"
        );
        let newest = sentence(vec![older(1)], vec![older(4), older(3), newer(2), newer(1)]);
        assert!(
            newest.contains("2 of the 4 last offered entries have"),
            "{newest}"
        );
        let turned = sentence(vec![older(1)], vec![newer(2)]);
        assert!(turned.contains("Some have the format"), "{turned}");
    }

    #[test]
    fn a_sample_of_before_our_change_says_nothing_of_what_is_left() {
        let both = || {
            vec![
                framed(Form::ByteId, 1, None),
                framed(Form::DoubleId, 2, None),
            ]
        };
        let mut scene = Scene::default()
            .pulse(pulse(0, 2, None, 1))
            .sample(sample(both(), both()));
        assert!(scene.found(ID).is_some());
        let change = crate::queue::Change::Repack;
        scene.watch.changed_by_us(change, START.plus(1_000));
        assert_eq!(scene.verdict(ID), RuleVerdict::Kept);
        let mut after = sample(both(), both());
        after.at = START.plus(2_000);
        assert!(scene.sample(after).found(ID).is_some());
    }

    #[test]
    fn beside_an_entry_that_breaks_transfers_the_same_repair_is_not_told_twice() {
        let due = |form, id| framed(form, id, Some(i64::from(id) - 60_000));
        let next = vec![
            due(Form::ByteId, 1),
            due(Form::DoubleId, 2),
            due(Form::ByteId, 3),
        ];
        let mut scene = Scene::default()
            .pulse(pulse(0, 3, Some(60_000), 1))
            .sample(sample(next.clone(), next))
            .look(server_look(1_000, [false, true], 0));
        let said = scene.all().findings;
        let told: Vec<_> = said
            .iter()
            .map(|found| (found.id, found.severity))
            .collect();
        assert_eq!(told, [("poison", Severity::Critical), (ID, Severity::Note)]);
        assert_eq!(said[1].repair.step, Step::Outside);
        assert!(said[1].headline.starts_with("Same cause: "));
    }

    #[test]
    fn what_the_clients_cannot_unpack_is_repacked_where_it_is_known_who_they_are() {
        let step = |transferred| {
            let next = vec![
                framed(Form::ByteId, 1, Some(60_000)),
                framed(Form::DoubleId, 2, Some(61_000)),
            ];
            let scene = Scene::default()
                .pulse(pulse(0, 2, None, 1))
                .sample(sample(next.clone(), next))
                .look(server_look(1_000, transferred, 0));
            scene.found(ID).unwrap().repair.step
        };
        let repacked = |form| Step::Change(change::ChangeRequest::Repack(Some(form)));
        assert_eq!(step([false, true]), repacked(Form::ByteId));
        assert_eq!(step([true, false]), repacked(Form::DoubleId));
        assert_eq!(step([true, true]), Step::Worker);
    }

    #[test]
    fn what_the_clients_unpack_though_it_has_the_other_form_is_no_trouble() {
        let found = |id, transferred| {
            let next = vec![
                framed(Form::ByteId, 1, Some(60_000)),
                framed(Form::DoubleId, id, Some(61_000)),
            ];
            let scene = Scene::default()
                .pulse(pulse(0, 2, None, 1))
                .sample(sample(next.clone(), next))
                .look(server_look(1_000, transferred, 0));
            scene.found(ID).is_some()
        };
        let (older, newer) = ([true, false], [false, true]);
        assert_eq!([found(7, newer), found(6, newer)], [false, true]);
        assert!(found(7, older));
    }
}
