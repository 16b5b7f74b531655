//! Both frame forms in one queue: no Redisson client can unpack both.

use super::heads;
use super::{Finding, Seen, Severity, Step, Verdict};
use crate::queue::exact::Group;
use crate::queue::frame::Era;
use crate::queue::wish::What;
use crate::queue::{Exact, Frames, text};

pub(super) const ID: &str = "mixed-frames";

/// Counts the forms among the next due ones and the last offered.
pub(super) fn look(seen: &Seen) -> Verdict {
    if !heads::framed(seen) {
        return Verdict::Silent;
    }
    let Some(sample) = seen.watch.sample() else {
        return Verdict::Silent;
    };
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
        return Verdict::Fine;
    }
    let keys = seen.queue.keys();
    let offers = keys.order.unwrap_or_default();
    let line = |(next, newest): (usize, usize), era: Era| {
        let releases = era.releases();
        format!("{releases}: {next} of the next due, {newest} of the last offered")
    };
    let finding = Finding::new(
        ID,
        Severity::Warning,
        "No client can transfer all that waits: entries of Redisson up to 3.21.0 and of later \
         releases stand in one queue.",
    );
    let finding = finding
        .number("older_next_due", older.0)
        .number("older_newest", older.1)
        .number("newer_next_due", newer.0)
        .number("newer_newest", newer.1)
        .words(line(older, Era::Older))
        .words(line(newer, Era::Newer))
        .check_about("ZRANGE", &keys.timeouts, &["0", "99"])
        .check_about("LRANGE", &offers, &["-100", "-1"]);
    let finding = match exact {
        Some(exact) => of_all(finding, exact),
        None => finding,
    };
    if let Some(fleet) = heads::fleet(seen) {
        let form = fleet.era.form(seen.server.long);
        return Verdict::Found(finding.repair(
            Step::Change(What::Repack(Some(form))),
            "Repack (R): all that waits gets the form of its clients; then let nobody offer the \
             other one.",
        ));
    }
    Verdict::Found(finding.repair(
        Step::Worker,
        "Bring all its clients to one side of 3.21.1; a stand-in worker (R) transfers both.",
    ))
}

/// With how many there are of each, and which the first of the rarer ones are.
fn of_all(finding: Finding, exact: &Exact) -> Finding {
    let [older, newer] = &exact.of_era;
    let rarer = if older.count < newer.count {
        older
    } else {
        newer
    };
    let ids: Vec<String> = rarer.first.iter().map(|one| one.id.to_string()).collect();
    finding
        .exact(exact)
        .of(rarer.count)
        .number("older", older.count)
        .number("newer", newer.count)
        .words(format!(
            "{} of the older form and {} of the newer wait; the first of the rarer ones: {}",
            text::thousands(older.count),
            text::thousands(newer.count),
            ids.join(", ")
        ))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Scene, framed, pulse, sample, server_look};
    use super::*;
    use crate::queue::{Form, wish};

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
        let repacked = |form| Step::Change(wish::What::Repack(Some(form)));
        assert_eq!(step([false, true]), repacked(Form::ByteId));
        assert_eq!(step([true, false]), repacked(Form::DoubleId));
        assert_eq!(step([true, true]), Step::Worker);
    }
}
