//! Scores that are no due time, or not the one that was meant.

mod counted;
mod micros;

use self::counted::known;
use super::id::SCORE_RANGE as ID;
use super::{Act, Advice, Beat, Finding, QueueFacts, RuleVerdict, Severity, Step, recovery};
use crate::clock::EpochMillis;
use crate::queue::change::ChangeRequest;
use crate::queue::exact::Group;
use crate::queue::{Due, Exact, JudgedMember, Pulse, text};

/// From here on Redisson cannot read what Redis answers, nor below the same negative: the reply is
/// printed as `1e+17`.
const UNREADABLE: f64 = 1e17;
/// The headline where nothing worse comes of them.
const NEVER: &str = "Entries with an impossible due time are never delivered.";
/// The lateness in ms after which an entry should have been delivered.
const LATE_MS: i64 = 10_000;
/// Clients that fail try again within this, in ms.
const GRID_MS: i64 = 7_000;
/// Clients that fail are seen to try again within this, in ms.
const GRID_SEEN_MS: i64 = 180_000;
/// The time in ms within which what falls due is not put off for good.
const YEARS_MS: i64 = 1_000_000_000_000;

/// Looks at the head of the pulse, and at what the survey counts beyond all times and in
/// microseconds.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let Some(pulse) = seen.pulse else {
        return RuleVerdict::Silent;
    };
    if let Some(score) = negative(seen, pulse) {
        return RuleVerdict::Found(below_zero(seen, score));
    }
    if let Some(due) = oldest_in_seconds(seen, pulse) {
        return RuleVerdict::Found(in_seconds(seen, due));
    }
    match seen.survey {
        Some(survey) if survey.no_time > 0 && pulse.waiting.get() != Some(0) => {
            RuleVerdict::Found(beyond(seen, pulse, survey.no_time))
        }
        _ => micros::found(seen, pulse).map_or(RuleVerdict::Fine, RuleVerdict::Found),
    }
}

/// When the oldest late one is due, if that makes sense only in seconds.
pub(super) fn oldest_in_seconds(seen: &QueueFacts, pulse: &Pulse) -> Option<EpochMillis> {
    let meant = |due: &EpochMillis| seen.queue.meant_in_seconds(*due, pulse.at).is_some();
    pulse.oldest_late.filter(meant)
}

/// The lowest score, when it is below zero.
pub(super) fn negative(seen: &QueueFacts, pulse: &Pulse) -> Option<f64> {
    match pulse.head {
        Some(Due::OutOfRange(score)) if score < 0.0 => return Some(score),
        _ if pulse.waiting.get() == Some(0) => return None,
        _ => {}
    }
    // Scrolled down, a pulse does not see it: what was seen last holds.
    let sampled = seen.watch.sample().map(|sample| {
        let first = sample.next_due.first();
        (sample.at, first.and_then(|first| first.score))
    });
    let last = seen.watch.lowest.into_iter().chain(sampled);
    let (_, lowest) = last.max_by_key(|(at, _)| *at)?;
    lowest.filter(|score| *score < 0.0)
}

/// True when clients sleep for the first entry, as if there were no other.
pub(super) fn puts_to_sleep(seen: &QueueFacts) -> bool {
    let score = seen.pulse.and_then(|pulse| negative(seen, pulse));
    score.is_some_and(|score| score <= -UNREADABLE) && !stumbles(seen)
}

/// Clients fail at the reply that names the first entry, and try again each 5 s: what is due leaves
/// all the same, by no change of ours. (They sleep where they were told of that entry on the
/// channel.)
fn stumbles(seen: &QueueFacts) -> bool {
    let Some(pulse) = seen.pulse else {
        return false;
    };
    let late_ms = pulse.oldest_late.map_or(0, |oldest| pulse.at.since(oldest));
    let theirs = recovery::ours(seen.watch, pulse.at, GRID_SEEN_MS).is_none()
        && seen.watch.own_workers == 0
        && !seen.watch.changing;
    let beats: Vec<_> = seen.watch.last(GRID_SEEN_MS).collect();
    let fell = |two: &[&Beat]| two[1].late < two[0].late && two[1].waiting < two[0].waiting;
    theirs && late_ms <= GRID_MS && beats.windows(2).any(fell)
}

/// Advises to bring scores from one unit to the other.
fn convert(from: &str, to: &str) -> Advice {
    Advice::of(format!("Convert their due times from {from} to {to}"))
        .by(Act::Repair, ", and fix the program that writes them.")
}

/// With the look at all members that has counted them.
fn counted(finding: Finding, seen: &QueueFacts, group: fn(&Exact) -> &Group) -> Finding {
    match seen.watch.exact().filter(|exact| group(exact).count > 0) {
        Some(exact) => finding.exact(exact),
        None => finding,
    }
}

fn below_zero(seen: &QueueFacts, score: f64) -> Finding {
    let group: fn(&Exact) -> &Group = |exact| &exact.negative;
    let all = known(seen, group, |score| score < 0.0);
    let (count, bad) = (all.count, &all.bad);
    let has_clients = seen.queue.keys().channel.is_some();
    let entries = match bad.first() {
        Some(one) if count == 1 => format!("Entry {} has", one.id),
        _ => all.words("At least", "entry has", "entries have"),
    };
    let is = if count == 1 { "is" } else { "are" };
    let (severity, headline, details) = if !has_clients {
        let them = if count == 1 { "it" } else { "them" };
        let headline = "Entries with a negative due time are never delivered.";
        let details = format!(
            "{entries} a negative due time: a poller that asks from 0 on never takes {them}."
        );
        (Severity::Warning, headline, details)
    } else if score <= -UNREADABLE && stumbles(seen) {
        let headline = "Deliveries are up to 5 s late: a due time has overflowed.";
        let (stands, it, are) = if count == 1 {
            ("it stands", "it", "it is")
        } else {
            ("they stand", "them", "they are")
        };
        let details = format!(
            "{entries} an overflowed due time ({score:.2e}): below zero, {stands} first. Clients fail \
             at {it} and transfer only each 5 s; once {are} announced, clients sleep forever.",
        );
        (Severity::Warning, headline, details)
    } else if score <= -UNREADABLE {
        let headline = "Clients sleep forever: the first due time has overflowed.";
        let (stands, it) = if count == 1 {
            ("it stands", "it")
        } else {
            ("they stand", "them")
        };
        let details = format!(
            "{entries} an overflowed due time ({score:.2e}): below zero, {stands} first, and clients \
             wait for {it} until the year 292 million. All others come late."
        );
        (Severity::Critical, headline, details)
    } else {
        let headline = "A negative due time makes clients flood Redis with scripts.";
        let details = format!(
            "{entries} a negative due time ({score}) and {is} never transferred. Each client sends \
             thousands of scripts a second."
        );
        (Severity::Critical, headline, details)
    };
    let mut finding = Finding::new(ID, severity, headline).details(details);
    finding.figure = all.figure();
    // One alone is named in the details.
    let finding = if count == 1 {
        with_suspects(finding, bad)
    } else {
        with_ids(finding, bad)
    };
    let finding = counted(finding, seen, group)
        .number("score", score.to_string())
        .check_about(
            "ZRANGE",
            &seen.queue.keys().timeouts,
            &["0", "9", "WITHSCORES"],
        )
        .check(&["INFO"], b"commandstats");
    let it = if count < 2 { "it" } else { "them" };
    let due = due_then(score <= -UNREADABLE);
    finding.repair(
        Step::Change(ChangeRequest::Score),
        Advice::of(format!("Make {it} due {due}"))
            .by(Act::Repair, format!(", or give {it} another due time"))
            .by(Act::Requeue, format!(", or delete {it}"))
            .by(Act::Delete, "."),
    )
}

/// When `repair --score` makes something due: see [`Queue::meant`](crate::queue::Queue::meant).
const fn due_then(far: bool) -> &'static str {
    if far { "in 100 years" } else { "now" }
}

fn in_seconds(seen: &QueueFacts, due: EpochMillis) -> Finding {
    let now = seen.pulse.map_or(due, |pulse| pulse.at);
    let unit = |score: f64| {
        let Due::At(due) = seen.queue.due(score) else {
            return false;
        };
        seen.queue.meant_in_seconds(due, now).is_some()
    };
    let group: fn(&Exact) -> &Group = |exact| &exact.in_seconds;
    let all = known(seen, group, unit);
    let entries = all.words("At least", "entry is", "entries are");
    let meant = seen.queue.meant_in_seconds(due, now);
    let late = meant.is_some_and(|meant| now.since(meant) > LATE_MS);
    let severity = if late {
        Severity::Critical
    } else {
        Severity::Warning
    };
    let headline = "Due times are in seconds instead of milliseconds.";
    let mut finding = Finding::new(ID, severity, headline).details(format!(
        "{entries} due in January 1970, and would be delivered at once."
    ));
    finding.figure = all.figure();
    let keys = seen.queue.keys();
    let finding = counted(with_ids(finding, &all.bad), seen, group)
        .number("score", due.get())
        .number("meant_ms", due.get().saturating_mul(1_000))
        .check_about(
            "ZRANGEBYSCORE",
            &keys.timeouts,
            &["1", "99999999999", "WITHSCORES", "LIMIT", "0", "10"],
        );
    finding.repair(
        Step::Change(ChangeRequest::Unit),
        convert("seconds", "milliseconds"),
    )
}

fn beyond(seen: &QueueFacts, pulse: &Pulse, entries: u64) -> Finding {
    let head = matches!(pulse.head, Some(Due::OutOfRange(score)) if score > 0.0);
    let group: fn(&Exact) -> &Group = |exact| &exact.beyond;
    let bad = known(seen, group, |score| score >= seen.queue.no_time()).bad;
    let now = pulse.at;
    let meant = |one: &&JudgedMember| {
        one.score.and_then(|s| seen.queue.meant(s, now)) < Some(now.plus(YEARS_MS))
    };
    let meant = bad.iter().all(meant);
    let never = text::counted(entries, "entry is", "entries are") + " never transferred";
    let (it, it_stands) = match entries {
        1 => ("it", "it stands"),
        _ => ("them", "they stand"),
    };
    let in_millis = meant && seen.queue.no_time() < UNREADABLE;
    let (headline, details) = match (in_millis, seen.queue.keys().channel.is_some(), head) {
        (true, ..) => (
            "Due times are in milliseconds instead of seconds.",
            format!("{never}: due after the year 5000."),
        ),
        (false, false, _) if entries == 1 => (NEVER, format!("{never}: its due time is no date.")),
        (false, false, _) => (NEVER, format!("{never}: their due times are no dates.")),
        (false, true, true) => (
            "An impossible due time makes clients log errors every 5 s.",
            format!("{never}: due after the year 3 million, and no other entry waits."),
        ),
        (false, true, false) => (
            NEVER,
            format!(
                "{never}: due after the year 3 million. Once only such entries wait, each client \
                 logs an error every 5 s."
            ),
        ),
    };
    let finding = Finding::new(ID, Severity::Warning, headline).details(details);
    let finding = counted(with_ids(finding.of(entries), &bad), seen, group)
        .number("no_time", entries)
        .number("is_head", head)
        .check_about(
            "ZREVRANGE",
            &seen.queue.keys().timeouts,
            &["0", "9", "WITHSCORES"],
        );
    let repair = if in_millis {
        convert("milliseconds", "seconds")
    } else if meant && !bad.is_empty() {
        convert("nanoseconds", "milliseconds")
    } else {
        Advice::of(format!("Make {it} due in 100 years"))
            .by(Act::Repair, format!(", or give {it} a real due time"))
            .by(Act::Requeue, format!(", or delete {it}"))
            .by(Act::Delete, format!(": {it_stands} last in the list."))
    };
    finding.repair(Step::Change(ChangeRequest::Score), repair)
}

/// The most ids that are told.
const IDS_NAMED: usize = 5;

/// With the ids of the first few of them.
fn with_ids(finding: Finding, bad: &[&JudgedMember]) -> Finding {
    if bad.is_empty() {
        return finding;
    }
    let ids: Vec<String> = bad
        .iter()
        .take(IDS_NAMED)
        .map(|one| one.id.to_string())
        .collect();
    let words = format!("such as {}", ids.join(", "));
    with_suspects(finding, bad).words(words)
}

/// The same as a figure, and by what they say.
fn with_suspects(finding: Finding, bad: &[&JudgedMember]) -> Finding {
    if bad.is_empty() {
        return finding;
    }
    let ids: Vec<String> = bad
        .iter()
        .take(IDS_NAMED)
        .map(|one| one.id.to_string())
        .collect();
    let finding = finding.suspects(bad.iter().copied());
    finding.number("entries", ids)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{START, Scene, pulse, sample, survey};
    use super::*;
    use crate::queue::{Known, Page, Queue, Survey};

    fn headed(score: f64) -> Pulse {
        let mut pulse = pulse(0, 2, None, 1);
        pulse.head = Some(Queue::redisson("q").due(score));
        pulse.oldest_late = pulse.head.and_then(Due::at).filter(|due| *due <= pulse.at);
        pulse
    }

    fn found(score: f64) -> Option<Finding> {
        Scene::default().pulse(headed(score)).found(ID)
    }

    fn with_survey(pulse: Pulse, no_time: u64) -> Option<Finding> {
        let survey = Survey {
            no_time,
            ..survey(None)
        };
        Scene::default().pulse(pulse).survey(survey).found(ID)
    }

    #[test]
    fn a_negative_head_and_an_overflowed_one_are_critical() {
        for (score, word) in [
            (-5.0, "thousands of scripts"),
            (-9.223_372_036_9e18, "overflowed"),
            (f64::NEG_INFINITY, "overflowed"),
        ] {
            let found = found(score).unwrap();
            assert_eq!(found.severity, Severity::Critical);
            assert!(found.sentence().contains(word), "{}", found.sentence());
        }
    }

    #[test]
    fn a_negative_head_holds_while_rows_further_down_are_in_sight() {
        let seen = |ms: i64, page: Option<(u64, f64)>| {
            let mut seen = pulse(ms, 50, None, 1);
            seen.head = Some(Queue::redisson("q").due(page.map_or(-9e18, |(_, score)| score)));
            seen.page = page.map(|(first, score)| Page {
                first,
                rows: vec![(b"row".to_vec(), score)],
            });
            seen
        };
        let mut scene = Scene::default().pulse(seen(0, None));
        for s in 1..10 {
            scene = scene.pulse(seen(s * 1_000, Some((20, 5e12))));
            assert!(scene.found(ID).is_some(), "after {s} s");
        }
        // Seen again, it is gone.
        scene = scene.pulse(seen(10_000, Some((0, 5e12))));
        assert_eq!(scene.found(ID), None);
    }

    #[test]
    fn where_what_is_due_leaves_all_the_same_clients_do_not_sleep() {
        let seen = |ms: i64, late: u64, oldest_ms: i64| {
            let mut seen = pulse(ms, 5 + late, None, 1);
            seen.head = Some(Queue::redisson("q").due(-9.223_372_036_9e18));
            seen.late = Known::Is(late);
            seen.oldest_late = (late > 0).then(|| seen.at.plus(-oldest_ms));
            seen
        };
        let sleeps = |scene: &mut Scene| {
            let found = scene.found(ID).unwrap();
            let slept = found.headline.contains("sleep forever");
            assert_eq!(slept, found.severity == Severity::Critical);
            slept
        };
        let mut scene = Scene::default();
        for (s, late) in (0..20).zip([0, 1, 1, 2, 2].into_iter().cycle()) {
            scene = scene.pulse(seen(s * 1_000, late, 4_000));
        }
        assert!(!sleeps(&mut scene));
        // What left by a change of ours shows nothing.
        scene
            .watch
            .changed_by_us(crate::queue::Change::Transfer, START.plus(19_000));
        assert!(sleeps(&mut scene));
        // Nothing leaves.
        let mut scene = Scene::default();
        for s in 0..20 {
            let late = u64::try_from(s).unwrap_or(0);
            scene = scene.pulse(seen(s * 1_000, late, 4_000));
        }
        assert!(sleeps(&mut scene));
    }

    #[test]
    fn a_due_time_that_makes_sense_in_seconds_only_is_a_warning() {
        let found_in_seconds = found(1_700_000_060.0).unwrap();
        assert_eq!(found_in_seconds.severity, Severity::Warning);
        assert!(found_in_seconds.sentence().contains("seconds"));
        // It should have been delivered by now.
        assert_eq!(found(1_699_999_989.0).unwrap().severity, Severity::Critical);
        let meant = &found_in_seconds.evidence.figures["meant_ms"];
        assert_eq!(meant, 1_700_000_060_000_i64);
        // At once, long ago, now, and in a year.
        for well in [
            0.0,
            1.0,
            86_400_000.0,
            1_700_000_000_000.0,
            1_731_000_000_000.0,
        ] {
            assert_eq!(found(well), None, "{well}");
        }
    }

    #[test]
    fn what_is_beyond_all_times_is_counted_and_told_to_be_the_head_or_not() {
        let soon = pulse(0, 3, None, 1);
        assert_eq!(with_survey(soon.clone(), 0), None);
        let two = with_survey(soon.clone(), 2).unwrap();
        assert_eq!((two.severity, two.figure), (Severity::Warning, Some(2)));
        assert!(two.details.contains("Once only such entries wait"));
        let head = with_survey(headed(f64::INFINITY), 1).unwrap();
        assert!(head.details.contains("and no other entry waits"));
        let mut gone = soon;
        gone.waiting = Known::Is(0);
        assert_eq!(with_survey(gone, 2), None);
    }

    #[test]
    fn milliseconds_in_a_queue_that_counts_seconds_are_told_as_that() {
        let queue: Queue = "zset-list:delay,ready".parse().unwrap();
        let now = super::super::tests::START;
        let mut seen = pulse(0, 3, None, 1);
        let survey = Survey {
            no_time: 2,
            ..survey(None)
        };
        let found = |seen: &Pulse| {
            let said = super::super::once(&queue, seen, Some(&survey));
            said.findings
                .into_iter()
                .find(|found| found.id == ID)
                .unwrap()
        };
        // Behind what is due in time, and as the head.
        for score in [None, Some(1_700_000_060_000.0)] {
            seen.head = score.map(|score| queue.due(score)).or(seen.head);
            let found = found(&seen);
            assert!(
                found.headline.contains("milliseconds instead of seconds"),
                "{}",
                found.sentence()
            );
            assert_eq!(found.repair.step, Step::Change(ChangeRequest::Score));
        }
        let meant = queue.meant(1_700_000_060_000.0, now);
        assert_eq!(meant, Some(EpochMillis::new(1_700_000_060_000)));
        assert_eq!(queue.meant(1_700_000_060.0, now), None);
    }

    #[test]
    fn the_ids_of_the_bad_ones_are_named() {
        let bad = super::super::tests::framed(crate::queue::Form::ByteId, 7, Some(-5));
        let mut negative = bad.clone();
        negative.score = Some(-5.0);
        let scene = Scene::default()
            .pulse(headed(-5.0))
            .sample(sample(vec![negative], Vec::new()));
        let found = scene.found(ID).unwrap();
        let id = bad.id.to_string();
        assert_eq!(found.evidence.figures["entries"][0], id.as_str());
        assert!(found.details.contains(&id), "{}", found.details);
    }

    #[test]
    fn of_a_poller_nobody_knows_whether_it_asks_below_zero() {
        let queue: Queue = "zset-list:timeouts,target,ms".parse().unwrap();
        let mut below = headed(-5.0);
        below.transfer_clients = Known::None;
        let said = super::super::tests::after(&queue, &[below], None).findings;
        assert_eq!((said[0].id, said[0].severity), (ID, Severity::Warning));
        assert!(
            said[0].sentence().contains("from 0 on"),
            "{}",
            said[0].sentence()
        );
    }

    #[test]
    fn what_is_not_all_counted_is_told_as_at_least_so_many_and_does_not_grow() {
        let mut head = headed(1_700_000_060.0);
        head.waiting = Known::Is(4);
        let one = |score| {
            let mut one = super::super::tests::judged(b"a", None);
            one.score = Some(score);
            one
        };
        let seconds = || one(1_700_000_060.0);
        let said = |next: Vec<JudgedMember>| {
            let scene = Scene::default().pulse(head.clone());
            let found = scene.sample(sample(next, Vec::new())).found(ID).unwrap();
            let count = found.details.split(" due").next().unwrap_or_default();
            (count.to_owned(), found.figure)
        };
        let told = |words: &str, figure| (words.to_owned(), figure);
        assert_eq!(said(vec![]), told("At least 1 entry is", None));
        assert_eq!(
            said(vec![seconds(); 3]),
            told("At least 3 entries are", None)
        );
        assert_eq!(said(vec![seconds(); 4]), told("4 entries are", Some(4)));
        let later = vec![seconds(), seconds(), one(1_700_000_000_000.0)];
        assert_eq!(said(later), told("2 entries are", Some(2)));
    }
}
