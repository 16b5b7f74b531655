//! Timeouts and order list do not hold the same members: by their numbers; by their members, once
//! somebody has looked at all of them.

use serde_json::Value;

use super::id::DRIFT as ID;
use super::watch::LASTS_MS;
use super::{Act, Advice, Finding, QueueFacts, RuleVerdict, Severity, Step};
use crate::queue::change::ChangeRequest;
use crate::queue::exact::ListDifferences;
use crate::queue::finding::id;
use crate::queue::{Exact, text};

/// Says what a look at all members has shown, while the numbers bear that out; else compares these.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    if seen.queue.keys().order.is_none() {
        return RuleVerdict::Silent;
    }
    let Some(pulse) = seen.pulse else {
        return RuleVerdict::Silent;
    };
    let (Some(waiting), Some(order)) = (pulse.waiting.get(), pulse.order.get()) else {
        // What cannot be counted is of another type: that is told.
        return RuleVerdict::Silent;
    };
    let Some(survey) = seen.survey else {
        return RuleVerdict::Silent;
    };
    // What is aside counts too, but is read at another moment.
    if survey.aside.is_some() {
        return RuleVerdict::Fine;
    }
    if seen.watch.changing {
        return RuleVerdict::Kept;
    }
    if let Some((exact, drift)) = seen.watch.differences() {
        return by_members(seen, (waiting, order), exact, drift);
    }
    if waiting == order {
        return RuleVerdict::Fine;
    }
    // What a change of ours has left is judged when it is over.
    let since = seen.watch.differ_since();
    let since = since.map(|since| seen.watch.changed.map_or(since, |over| since.max(over)));
    let lasts = since.is_some_and(|since| pulse.at.since(since) >= LASTS_MS && survey.at >= since);
    if !lasts {
        // Whatever it was, it is not over: they differ.
        return RuleVerdict::Kept;
    }
    let by = waiting.abs_diff(order);
    let (headline, details) = sentences(waiting, order, (by, false));
    let finding = Finding::new(ID, Severity::Warning, headline)
        .details(details)
        .of(by);
    let finding = counted(seen, finding, (waiting, order));
    if waiting == 0 {
        return RuleVerdict::Found(last_copy(finding));
    }
    RuleVerdict::Found(if order > waiting {
        only_there(finding, false)
    } else {
        finding.repair(
            Step::Change(ChangeRequest::Drift),
            Advice::of("Repair the order list")
                .by(Act::Repair, ": the plan names the first entries."),
        )
    })
}

/// Advises what loses nothing: what only the order list holds may never have been delivered. What
/// the list lacks, or holds twice, is repaired `then`.
fn only_there(finding: Finding, then: bool) -> Finding {
    let then = if then {
        " Then repair the order list."
    } else {
        ""
    };
    finding
        .words(
            "only if they were delivered already, delete them; else they can be transferred now, \
             or wait again",
        )
        .repair(
            Step::WaitAgain,
            Advice::of("Let them wait again").by(
                Act::Repair,
                format!(", with new due times: they may never have been delivered.{then}"),
            ),
        )
}

/// The same where they may be the last copies.
fn last_copy(finding: Finding) -> Finding {
    finding
        .words(
            "only if they were delivered long ago, delete them; the journal keeps them, and undo \
             brings them back",
        )
        .repair(
            Step::WaitAgain,
            Advice::of("Let them wait again")
                .by(Act::Repair, ", with new due times: the old ones are lost."),
        )
}

/// Says what it means that one of them holds so many more: headline and details. Unless all members
/// were looked at, the other one may hold some that this one lacks, too.
fn sentences(waiting: u64, order: u64, (by, is_all): (u64, bool)) -> (String, String) {
    let entries = text::counted(by, "entry", "entries");
    let entries = if is_all || waiting == 0 || order == 0 {
        entries
    } else {
        format!("At least {entries}")
    };
    let them = if by == 1 { "it" } else { "them" };
    let ignored =
        format!("{entries} will be delivered, but size(), contains() and remove() ignore {them}");
    match (waiting, order) {
        (0, _) => (
            without_time(by, true, true),
            "Timeouts is gone, and the order list may be the last copy.".to_owned(),
        ),
        (_, 0) => (
            "The order list is gone: size() and remove() ignore entries.".to_owned(),
            format!("{ignored}."),
        ),
        _ if waiting > order => (
            missing(by, is_all),
            format!("{ignored}: timeouts holds so many more than the order list."),
        ),
        _ => (
            without_time(by, is_all, false),
            format!(
                "The order list has {them}, but timeouts does not: size() counts {them}, and no \
                 transfer finds {them}."
            ),
        ),
    }
}

/// Says that so many, or at least so many, are not in the order list.
fn missing(by: u64, is_all: bool) -> String {
    let about = if is_all { "" } else { "At least " };
    let are = match by {
        1 => "entry is",
        _ => "entries are",
    };
    format!(
        "{about}{} {are} missing from the order list.",
        text::number(by, 7)
    )
}

/// Says that so many, or at least so many, have no due time, or none any more.
fn without_time(by: u64, is_all: bool, lost: bool) -> String {
    let about = if is_all { "" } else { "At least " };
    let have = match (by, lost) {
        (1, false) => "entry has no due time",
        (1, true) => "entry has lost its due time",
        (_, false) => "entries have no due time",
        (_, true) => "entries have lost their due times",
    };
    format!("{about}{} {have}: not delivered.", text::number(by, 7))
}

/// With the numbers, and how to see them.
fn counted(seen: &QueueFacts, finding: Finding, (waiting, order): (u64, u64)) -> Finding {
    let keys = seen.queue.keys();
    finding
        .number("waiting", waiting)
        .number("order", order)
        .words(format!(
            "{} in timeouts, {} in the order list",
            text::thousands(waiting),
            text::thousands(order)
        ))
        .check(&["ZCARD"], &keys.timeouts)
        .check(&["LLEN"], &keys.order.unwrap_or_default())
}

/// The verdict after a look at all members.
fn by_members(
    seen: &QueueFacts,
    (waiting, order): (u64, u64),
    exact: &Exact,
    drift: &ListDifferences,
) -> RuleVerdict {
    if drift.is_none() {
        return RuleVerdict::Fine;
    }
    let [lacking, strays, twice] = [&drift.lacking, &drift.strays, &drift.twice];
    let by = lacking.count + strays.count + twice.count;
    let (headline, details) = match (lacking.count, strays.count, twice.count) {
        (_, 0, 0) | (0, _, 0) => {
            let order = i128::from(exact.waiting) - i128::from(drift.balance);
            sentences(
                exact.waiting,
                u64::try_from(order).unwrap_or(0),
                (by, !drift.at_least),
            )
        }
        (_, strays, _) if strays > 0 => (
            without_time(strays, !drift.at_least, false),
            format!("{}.", sides(drift)),
        ),
        _ => (
            "The order list differs from timeouts.".to_owned(),
            format!("{}.", sides(drift)),
        ),
    };
    let mut finding = Finding::new(ID, Severity::Warning, headline)
        .details(details)
        .of(by)
        .exact(exact)
        .number("not_in_order", lacking.count)
        .number("only_in_order", strays.count)
        .number("too_often", twice.count)
        .number("at_least", drift.at_least);
    for (what, some) in [
        ("not in the order list", lacking),
        ("only in the order list", strays),
        ("more than once in the order list", twice),
    ] {
        if some.count > 0 {
            let count = text::thousands(some.count);
            let such = if some.count == 1 { ": " } else { ", such as " };
            let ids: Vec<String> = some.named.iter().map(|(id, _)| id.to_string()).collect();
            finding = finding
                .words(format!("{count} {what}{such}{}", ids.join(", ")))
                .names(&some.named);
        }
    }
    let finding = counted(seen, finding, (waiting, order));
    if exact.waiting == 0 {
        return RuleVerdict::Found(last_copy(finding));
    }
    if strays.count > 0 {
        let then = lacking.count > 0 || twice.count > 0;
        return RuleVerdict::Found(only_there(finding, then));
    }
    let does = match (lacking.count, twice.count) {
        (_, 0) => ": it gets what is missing.",
        (0, _) => ": what stands twice stays there once.",
        _ => ": it gets what is missing, and what stands twice stays there once.",
    };
    RuleVerdict::Found(finding.repair(
        Step::Change(ChangeRequest::Drift),
        Advice::of("Repair the order list").by(Act::Repair, does),
    ))
}

/// Says what is wrong on each side.
fn sides(drift: &ListDifferences) -> String {
    let say =
        |count: u64, one: &str, many: &str| (count > 0).then(|| text::counted(count, one, many));
    let some = [
        say(
            drift.strays.count,
            "entry stands in the order list only (size() counts it, but nobody delivers it)",
            "entries stand in the order list only (size() counts them, but nobody delivers them)",
        ),
        say(
            drift.lacking.count,
            "entry is missing from the order list (delivered when due, but remove() ignores it)",
            "entries are missing from the order list (delivered when due, but remove() ignores them)",
        ),
        say(
            drift.twice.count,
            "entry stands in the order list more than once",
            "entries stand in the order list more than once",
        ),
    ];
    some.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Tells a drift as what follows from another finding. Entries in timeouts that are not in the
/// order list come from failing scripts: where a script fails in its middle, what it had pushed to
/// target has left the order list only; and what is no frame was never in it. Told beside one of
/// these, a drift of that kind is what follows from it, and goes with it.
pub(super) fn subordinate(findings: &mut [Finding]) {
    let Some(at) = findings.iter().position(|found| found.id == ID) else {
        return;
    };
    let figures = &findings[at].evidence.figures;
    let figure = |name| figures.get(name).and_then(Value::as_u64);
    let other_side = ["only_in_order", "too_often"].map(figure);
    if other_side.iter().any(|count| *count > Some(0)) || figure("waiting") <= figure("order") {
        return;
    }
    let by = findings[at].figure;
    let causes = |found: &&Finding| match found.id {
        id::MIXED_FLEET | id::POISON => found.severity == Severity::Critical,
        id::FOREIGN_MEMBER => found.severity == Severity::Critical || found.figure >= by,
        _ => false,
    };
    let Some(cause) = findings.iter().find(causes).map(|found| found.id) else {
        return;
    };
    let missing = text::counted(by.unwrap_or(0), "entry is", "entries are");
    let headline = format!("Side effect: {missing} not in the order list.");
    let details = if by == Some(1) {
        "It will be delivered, but size(), contains() and remove() ignore it."
    } else {
        "They will be delivered, but size(), contains() and remove() ignore them."
    };
    let then = match cause {
        id::MIXED_FLEET => "Upgrade or stop one version first; this usually disappears.",
        _ => "Fix the blocking entry first; this usually disappears.",
    };
    findings[at].follow(cause, (headline, details.to_owned()), then);
}

#[cfg(test)]
mod tests {
    use super::super::tests::{START, Scene, pulse, sample};
    use super::*;
    use crate::queue::frame::{self, Form};
    use crate::queue::{Change, Known};

    /// Pulses of that many in timeouts and in the order list, half a second apart.
    fn scene(counts: &[(u64, u64)]) -> Scene {
        let mut scene = Scene::default();
        for (i, (waiting, order)) in (0..).zip(counts) {
            let mut seen = pulse(i * 500, *waiting, None, 1);
            seen.order = Known::Is(*order);
            scene = scene.pulse(seen);
            if i == 0 {
                scene = scene.sample(sample(Vec::new(), Vec::new()));
            }
        }
        scene
    }

    fn figure(counts: &[(u64, u64)]) -> Option<u64> {
        scene(counts).found(ID)?.figure
    }

    #[test]
    fn it_takes_a_second_of_disagreement_on_the_same_side() {
        assert_eq!(figure(&[(5, 4), (5, 4), (5, 4)]), Some(1));
        assert_eq!(figure(&[(5, 4), (5, 4)]), None);
        assert_eq!(figure(&[(5, 4), (5, 5), (5, 4)]), None);
        assert_eq!(figure(&[(5, 4), (4, 5), (5, 4)]), None);
        assert_eq!(figure(&[(5, 9), (5, 8), (5, 7)]), Some(2));
    }

    #[test]
    fn beside_what_it_follows_from_it_is_a_note_that_proposes_nothing() {
        let beside = |counts, cause: (&'static str, Severity, u64)| {
            let drift = scene(&[counts; 3]).found(ID).unwrap();
            let cause = Finding::new(cause.0, cause.1, "That.").of(cause.2);
            let mut all = [cause, drift];
            subordinate(&mut all);
            let [_, drift] = all;
            (drift.severity, drift.repair.step)
        };
        let follows = (Severity::Note, Step::Outside);
        let stands = (Severity::Warning, Step::Change(ChangeRequest::Drift));
        assert_eq!(beside((5, 3), ("poison", Severity::Critical, 1)), follows);
        assert_eq!(
            beside((5, 3), ("mixed-fleet", Severity::Critical, 1)),
            follows
        );
        assert_eq!(
            beside((5, 3), ("foreign-member", Severity::Warning, 2)),
            follows
        );
        // It will break something, and has not yet; what it explains is less; it explains the
        // other side only; it explains nothing.
        assert_eq!(beside((5, 3), ("poison", Severity::Warning, 1)), stands);
        assert_eq!(
            beside((5, 3), ("foreign-member", Severity::Warning, 1)),
            stands
        );
        let alone = (Severity::Warning, Step::WaitAgain);
        assert_eq!(beside((3, 5), ("poison", Severity::Critical, 1)), alone);
        assert_eq!(beside((5, 3), ("ttl", Severity::Critical, 9)), stands);
    }

    #[test]
    fn what_a_change_has_set_aside_is_no_drift() {
        let disagree = [(5, 4), (5, 4), (5, 4)];
        let mut changing = scene(&disagree);
        changing.watch.changing = true;
        assert_eq!(changing.verdict(ID), RuleVerdict::Kept);
        // It began after the last survey, which could not see what is aside.
        let later = [(5, 5), (5, 4), (5, 4), (5, 4), (5, 4)];
        assert_eq!(figure(&later), None);
    }

    #[test]
    fn a_change_of_ours_is_given_time_until_the_next_survey() {
        let mut scene = scene(&[(5, 4); 5]);
        assert!(scene.found(ID).is_some());
        scene
            .watch
            .changed_by_us(Change::Quarantine, START.plus(1_900));
        assert_eq!(scene.verdict(ID), RuleVerdict::Kept);
        scene = scene.survey(crate::queue::Survey {
            at: START.plus(2_500),
            ..super::super::tests::survey(None)
        });
        assert_eq!(scene.verdict(ID), RuleVerdict::Kept, "not for a second yet");
        let mut seen = pulse(3_000, 5, None, 1);
        seen.order = Known::Is(4);
        assert!(scene.pulse(seen).found(ID).is_some());
    }

    #[test]
    fn it_is_told_to_be_repaired_when_neither_side_holds_more_than_the_other() {
        // 200 entries only in the order list, 50 only in timeouts.
        let mut scene = scene(&[(350, 500); 5]);
        let found = scene.all().findings.remove(0);
        let told = "At least 150 entries have no due time: not delivered.";
        assert_eq!(found.headline, told);
        let read = |scene: Scene, ms: i64, order: u64| {
            let mut seen = pulse(ms, 550, None, 1);
            seen.order = Known::Is(order);
            let survey = crate::queue::Survey {
                at: START.plus(ms),
                ..super::super::tests::survey(None)
            };
            scene.survey(survey).pulse(seen)
        };
        let over = |scene: Scene, at: i64, order: u64| {
            let mut scene = scene;
            scene.watch.changed_by_us(Change::Drift, START.plus(at));
            let mut told = Vec::new();
            for ms in (500..=3_500).step_by(500) {
                scene = read(scene, at + ms, order);
                let said = scene.all();
                told.push((
                    said.findings.first().and_then(|one| one.figure),
                    said.gone.len(),
                ));
            }
            (scene, told)
        };
        scene.watch.changing = true;
        scene = read(scene, 3_000, 400);
        assert_eq!(scene.all().gone, [], "under way");
        scene.watch.changing = false;
        let (scene, told) = over(scene, 4_000, 500);
        assert!(told.iter().all(|(_, gone)| *gone == 0), "{told:?}");
        assert_eq!(told.last(), Some(&(Some(50), 0)));
        let (_, told) = over(scene, 8_000, 550);
        assert_eq!(told.last(), Some(&(None, 1)));
    }

    #[test]
    fn where_timeouts_is_gone_what_loses_nothing_is_proposed_first() {
        let mut gone = scene(&[(0, 3); 3]);
        let step = |scene: &Scene| scene.found(ID).unwrap().repair.step;
        assert_eq!(step(&gone), Step::WaitAgain);
        let mut exact = Exact::new(
            &crate::queue::Queue::redisson("q"),
            super::super::tests::START,
        );
        let mut drift = ListDifferences::default();
        (drift.strays.count, drift.balance) = (3, -3);
        exact.drift = Some(drift);
        gone.watch.examined(exact);
        let found = gone.found(ID).unwrap();
        assert_eq!(found.evidence.figures["exact"], true);
        assert_eq!(found.repair.step, Step::WaitAgain);
        let words = &found.evidence.words;
        assert!(
            words
                .iter()
                .any(|line| line.contains("delete them; the journal keeps"))
        );
        assert_eq!(step(&scene(&[(1, 3); 3])), Step::WaitAgain);
        assert_eq!(
            step(&scene(&[(3, 0); 3])),
            Step::Change(ChangeRequest::Drift)
        );
    }

    #[test]
    fn what_one_side_holds_alone_is_named_by_what_it_says() {
        let queue = crate::queue::Queue::redisson("q");
        let mut exact = Exact::new(&queue, super::super::tests::START);
        (exact.waiting, exact.order) = (1, 5);
        let mut drift = ListDifferences::default();
        for id in 1..=4_u8 {
            let payload = format!("{{\"orderId\":{id}}}");
            let id = [id, 1, 2, 3, 4, 5, 6, 0x43];
            let member = frame::encode(Form::ByteId, id, payload.as_bytes());
            drift.strays.add(&queue, &member);
        }
        drift.balance = -4;
        exact.drift = Some(drift);
        let mut differs = scene(&[(1, 5); 3]);
        differs.watch.examined(exact);
        let found = differs.found(ID).unwrap();
        // Whether somebody may see payloads is not the rule's to decide.
        let words = found.evidence.words.join("\n");
        assert!(words.contains("0101020304050643") && !words.contains("orderId"));
        let words = found.told_by_payload().evidence.words.join("\n");
        let told = "4 only in the order list, such as {\"orderId\":1} (0101020304050643), ";
        assert!(words.contains(told), "{words}");
        // The first three; of the others the ids are enough.
        assert!(words.contains("{\"orderId\":3}") && !words.contains("{\"orderId\":4}"));
    }

    #[test]
    fn a_side_that_is_missing_is_told_so() {
        let told = |counts| scene(&[counts; 3]).found(ID).unwrap().sentence();
        let gone = "3 entries have lost their due times: not delivered. Timeouts is gone";
        assert!(told((0, 3)).starts_with(gone));
        assert!(told((3, 0)).contains(" 3 entries will be delivered, but"));
        let one = "At least 1 entry has no due time: not delivered. The order list has it";
        assert!(told((3, 4)).starts_with(one));
    }

    #[test]
    fn a_look_at_all_members_tells_what_the_numbers_hide_while_they_bear_it_out() {
        let exact = |lacking: u64, strays: u64| {
            let mut exact = Exact::new(
                &crate::queue::Queue::redisson("q"),
                super::super::tests::START,
            );
            exact.waiting = 5;
            let mut drift = ListDifferences::default();
            (drift.lacking.count, drift.strays.count) = (lacking, strays);
            drift.balance = i64::try_from(lacking).unwrap() - i64::try_from(strays).unwrap();
            exact.drift = Some(drift);
            exact
        };
        let mut even = scene(&[(5, 5), (5, 5), (5, 5)]);
        even.watch.examined(exact(2, 2));
        let found = even.found(ID).unwrap();
        assert_eq!(found.figure, Some(4));
        assert_eq!(found.headline, "2 entries have no due time: not delivered.");
        assert_eq!(found.repair.step, Step::WaitAgain);
        let then = "never have been delivered. Then repair the order list.";
        assert!(found.repair.sentence.to_string().ends_with(then));
        assert!(
            found.sentence().contains("2 entries are missing"),
            "{}",
            found.sentence()
        );
        let stray = "2 entries stand in the order list only";
        assert!(found.sentence().contains(stray));
        // One side only: the same words as by the numbers.
        let mut odd = scene(&[(5, 4); 4]);
        let by_numbers = odd.found(ID).unwrap().sentence();
        odd.watch.examined(exact(1, 0));
        assert!(by_numbers.contains("timeouts holds so many more"));
        assert_eq!(odd.found(ID).unwrap().evidence.figures["exact"], true);
        // They have come to say something else.
        odd.watch.examined(exact(3, 0));
        assert_eq!(odd.found(ID).unwrap().figure, Some(1));
    }
}
