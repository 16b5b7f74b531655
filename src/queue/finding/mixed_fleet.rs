//! Clients of both eras serve one queue: each fails at the other's entries, and delivers its own
//! again and again.

use super::id::MIXED_FLEET as ID;
use super::{Act, Advice, Finding, QueueFacts, RuleVerdict, Severity, Step};
use super::{clients, heads};
use crate::queue::frame::Era;
use crate::queue::look::Info;
use crate::queue::{Frames, JudgedMember, text};

/// Scripts that fail are counted over this time, in ms: a client tries again every 5 s.
const OVER_MS: i64 = 30_000;
/// The head has not moved for so long: where the server does not count errors, that tells too, in
/// ms.
const STANDS_MS: i64 = 3_000;
/// The head has not moved for so long where the server counts errors and scripts fail, in ms.
const HALTS_MS: i64 = 500;

/// Looks for both forms among what is due and what was offered last, and for scripts that fail.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    if !heads::framed(seen) {
        return RuleVerdict::Silent;
    }
    let (Some(pulse), Some(_)) = (seen.pulse, seen.watch.sample()) else {
        return RuleVerdict::Silent;
    };
    if let Some(eras) = heads::strangers(seen) {
        return RuleVerdict::Found(wrong_clients(seen, eras));
    }
    let next = heads::next_due(seen);
    let due = || next.iter().filter(|one| one.is_due(pulse.at)).copied();
    let due = Era::BOTH.map(|era| Frames::count(due(), era));
    let Some(offered) = heads::both_offer(seen).or_else(|| again(seen, &next)) else {
        return RuleVerdict::Fine;
    };
    let clients = pulse.transfer_clients.get();
    let one_era = heads::both_transferred(seen) == Some(false) && heads::fleet(seen).is_some();
    // One client is of one version: what the other one has left behind is another finding.
    let alone = clients.is_some_and(|count| count < 2);
    if due.contains(&0) || alone || one_era {
        return RuleVerdict::Fine;
    }
    let failed = seen.server.grew(OVER_MS, Info::failed_scripts);
    let fails = failed.is_some_and(|(count, _)| count > 0);
    let stands = seen.watch.standing();
    let stuck = |ms| stands.is_some_and(|(stood, late)| stood.min(late) >= ms);
    // What fails may be the scripts of another queue.
    if !(stuck(STANDS_MS) || fails && stuck(HALTS_MS)) {
        return RuleVerdict::Fine;
    }
    RuleVerdict::Found(finding(seen, (due, offered), failed))
}

/// It tells that clients of both eras are at work, of which each delivers again and again what it had
/// delivered before it failed.
pub(super) fn is_of_both(found: &Finding) -> bool {
    found.id == ID && found.evidence.figures.contains_key("older_due")
}

/// Counts the last offered entries by era where those who offer now are of one era, but the entry
/// that heads timeouts is of the other, and it has left the order list: somebody delivers it again
/// and again.
fn again(seen: &QueueFacts, next: &[&JudgedMember]) -> Option<[usize; 2]> {
    let (pulse, sample, head) = (seen.pulse?, seen.watch.sample()?, next.first()?);
    let several = pulse.transfer_clients.get()? >= 2;
    let other = head.form?.era() != heads::fleet(seen)?.era;
    let left = pulse.waiting.get()? > pulse.order.get()?;
    let both = heads::both_transferred(seen) == Some(true);
    let again = several && other && left && both && head.is_due(pulse.at);
    again.then(|| Era::BOTH.map(|era| Frames::count(&sample.newest, era)))
}

/// Finds that those who transfer are of one era, and all entries of the other.
fn wrong_clients(seen: &QueueFacts, (transfers, offers): (Era, Era)) -> Finding {
    let late = seen.pulse.and_then(|pulse| pulse.late.get()).unwrap_or(0);
    let (clients, entries) = (transfers.releases(), offers.releases());
    let (severity, late_words) = if late > 0 {
        let late = text::thousands(late);
        (Severity::Critical, format!(" {late} late."))
    } else {
        (Severity::Warning, String::new())
    };
    let details = format!(
        "All entries seen here are of {entries}; the clients that transfer are of \
         {clients}.{late_words}"
    );
    let timeouts = seen.queue.keys().timeouts;
    Finding::new(
        ID,
        severity,
        "The clients cannot read the entries of this queue.",
    )
    .details(details)
    .of(late)
    .number("clients", clients)
    .number("entries", entries)
    .words(format!(
        "the server remembers the transfer script of {clients} only, and nothing in their \
             format was offered"
    ))
    .all_words(clients::by_format(seen))
    .check_about("ZRANGE", &timeouts, &["0", "9"])
    .check(&["INFO"], b"errorstats")
    .repair(
        Step::Worker,
        Advice::of(format!(
            "Replace the clients of {clients} by clients of {entries}. Until then start the \
                 worker here"
        ))
        .by(Act::Repair, "."),
    )
}

fn finding(
    seen: &QueueFacts,
    ([older, newer], offered): ([usize; 2], [usize; 2]),
    failed: Option<(u64, i64)>,
) -> Finding {
    let late = seen.pulse.and_then(|pulse| pulse.late.get()).unwrap_or(0);
    let db = seen.server.db;
    let side = |era: Era| {
        let known = clients::seen(seen).and_then(|all| all.subscribed(db, Some(era), seen.queue));
        let known = known.map_or_else(String::new, |names| format!(" ({names})"));
        format!("{}{known}", era.releases())
    };
    // Only a script that fails in its middle delivers again what it had delivered before.
    let again = match failed {
        Some((1.., _)) => ", some delivered again every 5 s",
        _ => "",
    };
    let details = format!(
        "Clients of {} and of {} each fail on the other's entries. {} late{again}.",
        side(Era::Older),
        side(Era::Newer),
        text::thousands(late),
    );
    let last = seen.watch.sample().map_or(0, |sample| sample.newest.len());
    let headline = "Two incompatible Redisson versions share this queue.";
    let mut finding = Finding::new(ID, Severity::Critical, headline)
        .details(details)
        .of(late)
        .number("older_due", older)
        .number("newer_due", newer)
        .number("older_offered", offered[0])
        .number("newer_offered", offered[1])
        .words(format!(
            "late among the next entries: {older} in the old format, {newer} in the new one"
        ))
        .words(format!(
            "{} of the last {last} offered entries {} the old format, {} the new one",
            offered[0],
            if offered[0] == 1 { "has" } else { "have" },
            offered[1]
        ));
    if let Some((count @ 1.., span)) = failed {
        let words = text::counted(count, "script has", "scripts have");
        finding = finding
            .number("failed_scripts", count)
            .number("failed_over_ms", span)
            .words(format!("{words} failed in {}", text::age(span)));
    }
    if heads::both_transferred(seen) == Some(true) {
        finding = finding.words(
            "the server remembers both transfer scripts (it does so until a restart, also after \
             a good upgrade)",
        );
    }
    let (step, words) = mended(seen);
    finding
        .all_words(clients::by_format(seen))
        .check(&["CLIENT"], b"LIST")
        .check(&["INFO"], b"errorstats")
        .repair(step, words)
}

/// Returns the step that mends it, with its words: a worker that runs already is not started again.
fn mended(seen: &QueueFacts) -> (Step, Advice) {
    let names = clients::namesakes(seen);
    let stop = match names.as_slice() {
        [] => "Upgrade or stop one version.".to_owned(),
        // Which of two it is, whoever runs them knows.
        [one, other] => format!("Upgrade or stop one: {one} or {other}."),
        names => format!(
            "Upgrade or stop one version (by their names {}).",
            names.join(", ")
        ),
    };
    if seen.watch.own_workers > 0 {
        let words = format!("{stop} The worker here transfers both meanwhile.");
        return (Step::Outside, words.into());
    }
    let words = Advice::of(format!("{stop} Until then start the worker here"))
        .by(Act::Repair, ": it transfers both.");
    (Step::Worker, words)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Scene, framed, pulse, sample, server_look};
    use super::*;
    use crate::queue::Known;
    use crate::queue::frame::Form;
    use crate::queue::look::{Client, Clients};
    use crate::queue::redis_cli::RedisCli;

    /// Both forms are due and were offered last; the head has just come.
    fn scene() -> Scene {
        let form = |i: u8| [Form::ByteId, Form::DoubleId][usize::from(i % 2)];
        let due = (0..6).map(|i| framed(form(i), i, Some(-100)));
        let newest = (0..6).map(|i| framed(form(i), i, None));
        let mut seen = pulse(100, 6, Some(200), 2);
        seen.first = Some(framed(form(0), 0, Some(-100)));
        Scene::default()
            .pulse(seen)
            .sample(sample(due.collect(), newest.collect()))
    }

    #[test]
    fn scripts_that_fail_while_both_forms_are_due_name_it() {
        let two_looks = |failed, ms| {
            let mut seen = pulse(ms, 6, Some(100 + ms), 2);
            seen.first = Some(framed(Form::ByteId, 0, Some(-100)));
            scene()
                .look(server_look(0, [true, true], 1))
                .look(server_look(10_000, [true, true], failed))
                .pulse(seen)
        };
        assert_eq!(two_looks(1, 1_000).verdict(ID), RuleVerdict::Fine);
        // Those of another queue.
        assert_eq!(two_looks(5, 500).verdict(ID), RuleVerdict::Fine);
        let found = two_looks(5, 1_000).found(ID).unwrap();
        assert_eq!(found.evidence.figures["failed_scripts"], 4);
        assert!(
            found
                .evidence_by_payload(&RedisCli::default())
                .any(|line| line.contains("remembers both"))
        );
    }

    #[test]
    fn where_one_client_is_left_what_the_other_left_behind_is_no_mixed_fleet() {
        let with = |clients| {
            let mut seen = pulse(1_000, 6, Some(1_100), clients);
            seen.first = Some(framed(Form::ByteId, 0, Some(-100)));
            scene()
                .look(server_look(0, [true, true], 1))
                .look(server_look(10_000, [true, true], 5))
                .pulse(seen)
        };
        assert!(with(2).found(ID).is_some());
        assert!(with(1).found(ID).is_none());
    }

    #[test]
    fn each_side_is_told_with_the_addresses_of_its_clients_where_these_name_their_version() {
        let client = |addr: &str, name: &str, version: &str| Client {
            addr: format!("{addr}:51234"),
            name: name.to_owned(),
            lib_name: "redisson".to_owned(),
            lib_version: version.to_owned(),
            channels: 1,
            ..Client::default()
        };
        let clients = Clients {
            listed: vec![
                client("10.0.3.7", "orders-7f", "3.15.1"),
                client("10.0.4.2", "orders-8a", "3.45.0"),
            ],
            ..Clients::default()
        };
        let mut seen = pulse(1_000, 6, Some(1_100), 2);
        seen.first = Some(framed(Form::ByteId, 0, Some(-100)));
        let mut last = server_look(10_000, [true, true], 5);
        last.clients = Known::Is(clients.into());
        let found = scene()
            .look(server_look(0, [true, true], 1))
            .look(last)
            .pulse(seen)
            .found(ID)
            .unwrap();
        let sides = "Clients of Redisson up to 3.21.0 (10.0.3.7 (orders-7f, redisson 3.15.1)) and of \
                     Redisson 3.21.1 or later (10.0.4.2 (orders-8a, redisson 3.45.0)) each fail on \
                     the other's entries.";
        assert!(found.details.starts_with(sides), "{}", found.details);
    }

    #[test]
    fn a_worker_that_runs_here_already_is_not_to_be_started() {
        let mut seen = pulse(1_000, 6, Some(1_100), 2);
        seen.first = Some(framed(Form::ByteId, 0, Some(-100)));
        let mut scene = scene()
            .look(server_look(0, [true, true], 1))
            .look(server_look(10_000, [true, true], 5))
            .pulse(seen);
        let step = |scene: &Scene| scene.found(ID).unwrap().repair.step;
        assert_eq!(step(&scene), Step::Worker);
        scene.watch.own_workers = 1;
        assert_eq!(step(&scene), Step::Outside);
    }

    #[test]
    fn where_one_side_has_offered_long_before_the_other_its_copies_tell_it() {
        let due = |form, id| framed(form, id, Some(-100));
        let next = vec![due(Form::DoubleId, 0), due(Form::ByteId, 1)];
        let newest = (0..30).map(|id| framed(Form::ByteId, id, None));
        let newest: Vec<JudgedMember> = newest.collect();
        let seen = |at, order| {
            let mut seen = pulse(at, 20, Some(at + 100), 2);
            seen.first = Some(due(Form::DoubleId, 0));
            seen.order = crate::queue::Known::Is(order);
            seen
        };
        let after = |ms, order| {
            Scene::default()
                .pulse(seen(0, order))
                .sample(sample(next.clone(), newest.clone()))
                .look(server_look(0, [true, true], 1))
                .pulse(seen(ms, order))
        };
        let scene = |order| after(3_200, order);
        let told = |order| {
            let told = scene(order).all().findings.into_iter();
            let told = told.map(|found| (found.id, found.severity, found.follows));
            told.collect::<Vec<_>>()
        };
        // What it offers blocks the other one: that is no matter of its own.
        let [fleet, rest @ ..] = &told(19)[..] else {
            panic!()
        };
        assert_eq!(*fleet, (ID, Severity::Critical, None));
        assert!(rest.contains(&("poison", Severity::Note, Some(ID))));
        assert!(rest.iter().all(|one| one.2 == Some(ID)), "{rest:?}");
        assert!(rest.iter().all(|one| one.0 != "mixed-frames"), "{rest:?}");
        assert_eq!(scene(19).all().taken_in, ["mixed-frames"]);
        // What is delivered again and again is remembered all the same.
        assert!(scene(19).all().findings.iter().any(Finding::redelivers));
        // It only stands in the way.
        assert_eq!(scene(20).verdict(ID), RuleVerdict::Fine);
        assert!(scene(20).found("poison").is_none(), "it may be of both");
        assert!(after(6_200, 20).found("poison").is_some());
    }

    #[test]
    fn a_head_that_stands_still_tells_it_where_nobody_counts_errors() {
        let mut seen = pulse(3_200, 6, Some(3_300), 2);
        seen.first = Some(framed(Form::ByteId, 0, Some(-100)));
        assert!(scene().pulse(seen.clone()).found(ID).is_some());
        seen.transfer_clients = crate::queue::Known::Is(0);
        assert!(scene().pulse(seen).found(ID).is_none());
    }

    #[test]
    fn a_client_of_the_other_era_that_offers_nothing_is_named_and_not_the_entries() {
        let said = |own: bool, late: i64| {
            let entry = |id: u8| framed(Form::ByteId, id, Some(i64::from(id) - late));
            let mut next: Vec<JudgedMember> = (0..4).map(entry).collect();
            if own {
                next.push(framed(Form::DoubleId, 9, Some(9_000)));
            }
            let mut seen = pulse(0, 4, (late > 0).then_some(late), 1);
            seen.first = next.first().cloned();
            let mut scene = Scene::default()
                .pulse(seen)
                .sample(sample(next.clone(), next))
                .look(server_look(1_000, [true, false], 0));
            let said = scene.all().findings.into_iter();
            said.map(|found| (found.id, found.severity))
                .collect::<Vec<_>>()
        };
        assert_eq!(said(false, 1_000)[0], (ID, Severity::Critical));
        assert!(said(false, 1_000).iter().all(|found| found.0 != "poison"));
        assert_eq!(said(false, -60_000), [(ID, Severity::Warning)]);
        // It has offered as well: the entries of the others are what is strange.
        assert_eq!(said(true, 1_000)[0].0, "poison");
    }

    #[test]
    fn where_one_era_alone_has_ever_transferred_the_other_is_poison() {
        let mut later = pulse(10_000, 6, Some(10_100), 2);
        later.first = Some(framed(Form::ByteId, 0, Some(-100)));
        let scene = scene()
            .look(server_look(0, [false, true], 1))
            .look(server_look(10_000, [false, true], 5))
            .pulse(later);
        assert_eq!(scene.verdict(ID), RuleVerdict::Fine);
        assert!(scene.found("poison").is_some());
    }
}
