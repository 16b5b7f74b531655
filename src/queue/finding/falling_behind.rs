//! Entries are transferred, but late ones do not get fewer, or so slowly that it takes long.

use super::id::FALLING_BEHIND as ID;
use super::{
    Act, Advice, Beat, Finding, OpenQuestion, QueueFacts, RuleVerdict, Severity, Step, Watch,
};
use super::{flow, recovery, score_range, slow_transfer};
use crate::clock::EpochMillis;
use crate::queue::change::ChangeRequest;
use crate::queue::{Pulse, Queue, text};

/// Each pulse saw an entry that was late by more than this, in ms: a client that comes back after
/// an outage has moved what is due long before.
const LATE_MS: i64 = 10_000;
/// Watched for so long at least, in ms.
const SPAN_MS: i64 = 3_000;
/// The time in ms that says something of now.
const WINDOW_MS: i64 = 30_000;
/// The largest difference, in ms, at which the next due time still moves on as quickly as time
/// does.
const STEADY_MS: i64 = 1_000;
/// A backlog that is worked off sooner needs nobody's help, in s.
const MUCH_S: f64 = 600.0;

/// Compares how many were late in the pulses of the last half minute.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let Some(pulse) = seen.pulse else {
        return RuleVerdict::Silent;
    };
    // Where nobody is there, that is another finding; a change of ours has a pace of its own.
    if pulse.transfer_clients.get() == Some(0) || seen.watch.changing {
        return RuleVerdict::Fine;
    }
    match pace(seen.queue, seen.watch, LATE_MS) {
        Some(pace) => RuleVerdict::Found(match pace.needs_s() {
            Some(s) if s <= MUCH_S => catching_up(seen, &pace, s),
            _ => finding(seen, &pace),
        }),
        None => early(seen, pulse).map_or(RuleVerdict::Fine, RuleVerdict::Early),
    }
}

/// The moment from which on what is seen tells of the clients: not before something stopped them,
/// or we moved entries ourselves.
fn from(watch: &Watch) -> Option<EpochMillis> {
    recovery::until(watch).max(watch.changed)
}

/// In so many ms all that is late is transferred without any help, at the rate that the last pulses
/// have seen; none where nobody transfers, or where it takes so long that it is a finding.
#[must_use]
pub fn worked_off_in_ms(queue: &Queue, watch: &Watch) -> Option<i64> {
    let attended = watch.beats.back()?.clients != Some(0);
    let pace = pace(queue, watch, 0).filter(|_| attended && !watch.changing)?;
    let needs_s = pace.needs_s().filter(|s| *s <= MUCH_S)?;
    Some(in_ms(needs_s))
}

#[expect(clippy::cast_possible_truncation, reason = "saturates")]
fn in_ms(seconds: f64) -> i64 {
    (seconds * 1_000.0) as i64
}

/// Asks about entries that are late already when the first look falls on them: they are nothing to
/// be calm about, though nobody can tell yet whether they get fewer.
fn early(seen: &QueueFacts, pulse: &Pulse) -> Option<OpenQuestion> {
    let late = pulse.late.get()?;
    let late_ms = pulse.at.since(pulse.oldest_late?);
    let counted_ms = from(seen.watch).map_or(i64::MAX, |from| pulse.at.since(from));
    let watched_ms = seen.watch.watched_ms().min(counted_ms);
    let in_seconds = score_range::oldest_in_seconds(seen, pulse).is_some();
    (late_ms > LATE_MS && watched_ms < SPAN_MS && !in_seconds).then(|| {
        let (late, oldest) = (text::thousands(late), text::age(late_ms));
        let known_in_ms = SPAN_MS - watched_ms;
        let seen = format!("{late} late, oldest {oldest}");
        OpenQuestion::new(seen, "whether they get fewer", Some(known_in_ms))
    })
}

/// The change in the number of the late ones.
struct LateTrend {
    before: u64,
    now: u64,
    ms: i64,
    /// The lateness of the oldest one, in ms.
    late_ms: i64,
    /// The time by which the next due time has moved on, in ms.
    due_ms: i64,
}

impl LateTrend {
    /// Returns the time until all are transferred, in s, when they get fewer.
    fn needs_s(&self) -> Option<f64> {
        let gone = self.before.checked_sub(self.now).filter(|n| *n > 0)?;
        let needs_s = flow::per_s(self.now, 1_000) / flow::per_s(gone, self.ms);
        // A few more or less of them are no end in sight while each leaves as late as the one
        // before.
        let as_late = (self.due_ms - self.ms).abs() <= STEADY_MS;
        let as_many = gone.saturating_mul(gone) <= self.before;
        (needs_s > MUCH_S || !as_late || !as_many).then_some(needs_s)
    }
}

/// The pace that the pulses saw since the oldest one is later than that; none when that is not long
/// enough, or when nothing is transferred at all.
fn pace(queue: &Queue, watch: &Watch, least_ms: i64) -> Option<LateTrend> {
    let late = |beat: &Beat| {
        let (id, due) = beat.first?;
        let late_ms = beat.at.since(due);
        // What has seconds for milliseconds says nothing of how late the others are.
        let in_seconds = queue.meant_in_seconds(due, beat.at).is_some();
        (late_ms > least_ms && !in_seconds).then_some((beat.late?, id, due, late_ms))
    };
    let from = from(watch);
    let known = watch.last(WINDOW_MS).rev();
    let known = known.take_while(|beat| Some(beat.at) >= from);
    let known: Vec<(EpochMillis, _)> = known.map_while(|b| Some((b.at, late(b)?))).collect();
    let ((end, last), (start, first)) = (known.first()?, known.last()?);
    let ms = end.since(*start);
    (ms >= SPAN_MS && first.1 != last.1).then_some(LateTrend {
        before: first.0,
        now: last.0,
        ms,
        late_ms: last.3,
        due_ms: last.2.since(first.2),
    })
}

/// Whoever transfers is at it, and soon through: worth a word to whoever sees so many late.
fn catching_up(seen: &QueueFacts, pace: &LateTrend, needs_s: f64) -> Finding {
    let (late, oldest) = (text::thousands(pace.now), text::age(pace.late_ms));
    let in_ms = in_ms(needs_s);
    let rest = text::about(in_ms);
    let headline = format!("Late entries are being transferred, all in {rest}.");
    let found = Finding::new(ID, Severity::Note, headline)
        .details(format!("{late} late, oldest {oldest}."));
    let finding = evidence(seen, found, pace);
    finding.number("needs_ms", in_ms).repair(
        Step::Outside,
        Advice::of("Wait, or transfer from here").by(
            Act::Transfer,
            ", which is faster. Then find out why they came late.",
        ),
    )
}

/// Adds the evidence of both.
fn evidence(seen: &QueueFacts, finding: Finding, pace: &LateTrend) -> Finding {
    let timeouts = seen.queue.keys().timeouts;
    let beside = seen.watch.beside.iter();
    let beside =
        beside.map(|change| format!("your {change} is under way, and keeps the server busy too"));
    finding
        .all_words(beside.collect())
        .of(pace.now)
        .number("late", pace.now)
        .number("late_ms", pace.late_ms)
        .number("late_before", pace.before)
        .number("within_ms", pace.ms)
        .words(format!(
            "{} were late {} ago; the first due time has moved on by {} since",
            text::thousands(pace.before),
            text::span(pace.ms.unsigned_abs()),
            text::span(pace.due_ms.unsigned_abs())
        ))
        .check_about("ZRANGE", &timeouts, &["0", "0", "WITHSCORES"])
        .check(&["SLOWLOG", "GET"], b"10")
}

fn finding(seen: &QueueFacts, pace: &LateTrend) -> Finding {
    let LateTrend { before, now, .. } = *pace;
    let (late, oldest) = (text::thousands(now), text::age(pace.late_ms));
    let keys = seen.queue.keys();
    let who = if keys.channel.is_some() {
        "the clients are too slow, or their clocks are behind"
    } else {
        "the poller is too slow, or its clock is behind"
    };
    let (headline, how) = match pace.needs_s() {
        Some(s) => (
            "Late entries get fewer only slowly.",
            format!(
                "at this rate it takes {} to transfer them",
                text::about(in_ms(s))
            ),
        ),
        None if now > before => (
            "More entries fall due than are transferred.",
            format!("{} more", flow::rate(flow::per_s(now - before, pace.ms))),
        ),
        None => (
            "Late entries do not get fewer.",
            "as many fall due as are transferred".to_owned(),
        ),
    };
    let found = Finding::new(ID, Severity::Warning, headline)
        .details(format!("{late} late, oldest {oldest}; {how}: {who}."));
    let finding = evidence(seen, found, pace);
    if slow_transfer::wants_a_hand(seen) {
        return finding.repair(
            Step::Change(ChangeRequest::Transfer),
            Advice::of("Transfer what is due from here").by(
                Act::Repair,
                ": the clients search the order list for each entry.",
            ),
        );
    }
    finding.repair(
        Step::Worker,
        Advice::of("Start the worker here beside the clients").by(
            Act::Repair,
            ". Then check their clocks, logs and connections.",
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::{START, Scene, framed, pulse};
    use super::*;
    use crate::queue::Form;

    /// A pulse each second: so many late at each, the oldest by so many ms; each sees another head.
    fn late(counts: &[u64], late_ms: i64, clients: u64) -> Scene {
        let mut scene = Scene::default();
        for (at, (id, count)) in (0..).step_by(1_000).zip((0..).zip(counts)) {
            let mut seen = pulse(at, 9_000, Some(late_ms), clients);
            seen.late = crate::queue::Known::Is(*count);
            seen.first = Some(framed(Form::ByteId, id, Some(at - late_ms)));
            scene = scene.pulse(seen);
        }
        scene
    }

    #[test]
    fn late_ones_that_do_not_get_fewer_or_only_slowly_are_told() {
        let sentence = |counts: &[u64]| late(counts, 60_000, 1).found(ID).map(|f| f.sentence());
        let told = |counts: &[u64], words: &str| {
            let sentence = sentence(counts).unwrap();
            assert!(sentence.contains(words), "{sentence}");
        };
        told(&[100, 110, 120, 130], "10/s more");
        told(&[100, 99, 101, 100], "as many fall due as are transferred");
        told(&[5_000, 4_998, 4_996, 4_994], "about 41:37");
        let soon = late(&[5_000, 4_900, 4_800, 4_700], 60_000, 1);
        let soon = soon.found(ID).unwrap();
        assert_eq!(soon.severity, Severity::Note);
        assert!(soon.headline.contains("all in about 0:47"), "{soon:?}");
    }

    #[test]
    fn one_more_or_less_while_each_is_as_late_as_the_one_before_is_no_end_in_sight() {
        let sentence = |counts: &[u64]| late(counts, 15_000, 1).found(ID).unwrap().sentence();
        let steady = sentence(&[8, 8, 8, 7]);
        assert!(steady.contains("as many fall due"), "{steady}");
        let fewer = sentence(&[8, 8, 7, 5]);
        assert!(fewer.contains("are being transferred"), "{fewer}");
    }

    #[test]
    fn what_is_worked_off_without_help_is_known_before_it_is_a_finding() {
        let left = |counts: &[u64], late_ms, clients| {
            let scene = late(counts, late_ms, clients);
            worked_off_in_ms(&Queue::redisson("q"), &scene.watch)
        };
        assert_eq!(left(&[500, 490, 480, 470], 3_000, 1), Some(47_000));
        assert_eq!(left(&[500, 490, 480, 470], 3_000, 0), None, "nobody does");
        assert_eq!(left(&[500; 4], 3_000, 1), None, "they get no fewer");
        assert_eq!(left(&[90_000, 89_990, 89_980, 89_970], 3_000, 1), None);
    }

    #[test]
    fn what_has_seconds_for_milliseconds_says_nothing_of_who_transfers() {
        let headed = |in_seconds: bool, stands: bool| {
            let mut scene = Scene::default();
            for (at, id) in (0..5_000).step_by(1_000).zip(0..) {
                let due = if in_seconds {
                    1_700_000_060
                } else {
                    START.get() - 60_000
                };
                let due = EpochMillis::new(due);
                let mut seen = pulse(at, 5, None, 1);
                (seen.late, seen.oldest_late) = (crate::queue::Known::Is(5), Some(due));
                let id = if stands { 1 } else { id };
                seen.first = Some(framed(Form::ByteId, id, Some(due.since(START))));
                scene = scene.pulse(seen);
            }
            let said = scene.all().findings;
            said.iter().map(|found| found.id).collect::<Vec<_>>()
        };
        // To kick a client would deliver all of them at once.
        for stands in [false, true] {
            assert_eq!(headed(true, stands), ["score-range"]);
        }
        assert_eq!(headed(false, false), [ID]);
        assert_eq!(headed(false, true), ["stuck-client"]);
    }

    #[test]
    fn it_takes_three_seconds_of_entries_that_are_ten_seconds_late_and_leave() {
        assert!(late(&[9; 4], 10_001, 1).found(ID).is_some());
        assert!(late(&[9; 4], 10_000, 1).found(ID).is_none());
        assert!(late(&[9; 3], 60_000, 1).found(ID).is_none());
        // Those are other rules'.
        assert!(late(&[9; 4], 60_000, 0).found(ID).is_none());
        let mut stuck = Scene::default();
        for at in (0..6_000).step_by(1_000) {
            let mut seen = pulse(at, 9, Some(60_000), 1);
            seen.first = Some(framed(Form::ByteId, 1, Some(-60_000)));
            stuck = stuck.pulse(seen);
        }
        assert!(stuck.found(ID).is_none());
    }

    #[test]
    fn until_it_knows_it_says_what_is_late_already() {
        let said = |seconds, late_ms| late(&vec![9; seconds], late_ms, 1).verdict(ID);
        let known = "9 late, oldest 1:00; checking whether they get fewer (2 s)";
        let RuleVerdict::Early(open) = said(2, 60_000) else {
            panic!("{:?}", said(2, 60_000));
        };
        assert_eq!(open.words(), known);
        assert_eq!(said(2, 10_000), RuleVerdict::Fine);
        assert!(matches!(said(4, 60_000), RuleVerdict::Found(_)));
    }

    #[test]
    fn a_change_of_ours_at_another_queue_is_told() {
        let mut scene = late(&[9; 4], 60_000, 1);
        let words = |scene: &Scene| scene.found(ID).unwrap().evidence.words[0].clone();
        assert!(!words(&scene).contains("your"));
        scene.watch.beside = Some("transfer of mail".to_owned());
        assert!(words(&scene).starts_with("your transfer of mail is under way"));
    }

    #[test]
    fn a_change_of_ours_is_no_slow_client() {
        let mut scene = late(&[9; 4], 60_000, 1);
        scene.watch.changing = true;
        assert!(scene.found(ID).is_none());
    }

    #[test]
    fn where_transfers_of_another_queue_block_the_server_they_are_the_cause() {
        let mut scene = late(&[100, 110, 120, 130], 60_000, 1);
        scene.watch.blocked_by = Some("shipping".to_owned());
        let found = scene.all().findings;
        let found = found.iter().find(|found| found.id == ID).unwrap();
        assert_eq!(found.severity, Severity::Note);
        assert_eq!(found.follows, Some(super::super::id::SLOW_TRANSFER));
        let sentence = &found.sentence();
        assert!(
            sentence.starts_with("Redis is blocked by transfers of shipping."),
            "{sentence}"
        );
    }
}
