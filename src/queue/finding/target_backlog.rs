//! More is delivered than consumers take.

use super::flow::{self, TakenCount};
use super::id::TARGET_BACKLOG as ID;
use super::watch::LEAST_GROWTH;
use super::{Beat, Finding, OpenQuestion, QueueFacts, RuleVerdict, Severity, Step, recovery};
use crate::queue::look::{Info, TAKING};
use crate::queue::text;

/// Growth over so long counts, in ms.
const LONG_MS: i64 = 30_000;
/// Where it is slow, growth over longer spans counts, in ms.
const LONGER_MS: [i64; 2] = [2 * 60_000, 4 * 60_000];
/// A backlog that consumers need longer for is a warning, in s.
const MUCH_S: f64 = 600.0;
/// A backlog that may be gone within so long is none yet, in s: one wave has come, and nobody was
/// seen to take so slowly as the least that is known.
const SOON_S: f64 = 60.0;
/// The question that it takes so long to answer.
const ASKS: &str = "whether consumers keep up";

/// Looks at the length of target in the last pulses, and at what was taken between samples.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    let Some(pulse) = seen.pulse else {
        return RuleVerdict::Silent;
    };
    if pulse
        .target
        .get()
        .is_none_or(|length| length < LEAST_GROWTH)
    {
        return RuleVerdict::Fine;
    }
    let Some(lengths) = flow::lengths(seen, LONG_MS) else {
        return RuleVerdict::Silent;
    };
    let Some((growth, lengths)) = growth(&lengths)
        .map(|growth| (growth, lengths))
        .or_else(|| slow_growth(seen))
    else {
        return RuleVerdict::Fine;
    };
    if let Some((ours, ago_ms)) = recovery::we_delivered(seen.watch, pulse.at, LONG_MS) {
        let seen = format!("target has grown by {ours}");
        return RuleVerdict::Early(OpenQuestion::new(seen, ASKS, Some(LONG_MS - ago_ms)));
    }
    let span_ms = lengths.first().map_or(LONG_MS, |(since, _)| -since);
    if worked_off(seen, growth, span_ms.max(LONG_MS)) {
        // What is late comes all at once: how consumers keep up is seen when it has come.
        let seen = "target grows while what is late is transferred";
        return RuleVerdict::Early(OpenQuestion::new(seen, ASKS, None));
    }
    let watched_ms = seen.watch.watched_ms();
    if watched_ms < LONG_MS {
        let known_in_ms = LONG_MS - watched_ms;
        return RuleVerdict::Early(OpenQuestion::new("target grows", ASKS, Some(known_in_ms)));
    }
    match takes(seen, &lengths) {
        Some(takes) if takes.may_be_through_soon(&lengths) => {
            RuleVerdict::Early(OpenQuestion::new("target grows", ASKS, None))
        }
        Some(takes) => RuleVerdict::Found(finding(seen, &lengths, growth, takes)),
        // Where nothing is taken at all, that is another finding.
        None => RuleVerdict::Fine,
    }
}

/// The number of elements by which target has grown, when it grew all the time: each third of the
/// pulses saw more of it than the third before, and it has not begun to shrink.
fn growth(lengths: &[(i64, u64)]) -> Option<u64> {
    let third = lengths.len() / 3;
    let mut means = lengths.chunks_exact(third.max(1)).take(3).map(mean);
    let (first, second, third) = (means.next()?, means.next()?, means.next()?);
    let (start, end) = (lengths.first()?.1, lengths.last()?.1);
    let most = lengths.iter().map(|(_, n)| *n).max()?;
    let shrinks = end < most - most / 20;
    let grown = end.saturating_sub(start);
    (first < second && second < third && !shrinks && grown >= LEAST_GROWTH).then_some(grown)
}

/// The growth that half a minute is too short for, with the lengths that show it: pulses fill most
/// of that time, and in none of it was target moved by us.
fn slow_growth(seen: &QueueFacts) -> Option<(u64, Vec<(i64, u64)>)> {
    LONGER_MS.into_iter().find_map(|ms| {
        let lengths = flow::lengths(seen, ms)?;
        let (first, last) = (lengths.first()?.0, lengths.last()?.0);
        let is_filled = last - first >= ms * 3 / 4;
        let is_theirs = recovery::we_delivered(seen.watch, seen.pulse?.at, ms).is_none();
        let growth = growth(&lengths).filter(|_| is_filled && is_theirs && climbs(&lengths))?;
        Some((growth, lengths))
    })
}

/// The least of each third is more than the mean of the third before it: one batch that came, or
/// batches that are worked off in between, are no such growth.
fn climbs(lengths: &[(i64, u64)]) -> bool {
    let thirds: Vec<_> = lengths.chunks_exact((lengths.len() / 3).max(1)).collect();
    let least = |third: &[(i64, u64)]| third.iter().map(|(_, n)| *n).min().unwrap_or(0);
    let above = |pair: &[&[(i64, u64)]]| flow::per_s(least(pair[1]), 1) > mean(pair[0]);
    thirds.windows(2).take(2).all(above)
}

/// By at least half as many as target has grown in the last so many ms, late entries have got fewer
/// meanwhile, or a change of ours is moving them.
fn worked_off(seen: &QueueFacts, growth: u64, ms: i64) -> bool {
    let late = |beat: Option<&Beat>| beat.and_then(|beat| beat.late);
    let mut beats = seen.watch.last(ms);
    let (before, now) = (late(beats.next()), late(beats.next_back()));
    let fewer = before
        .zip(now)
        .map(|(before, now)| before.saturating_sub(now));
    seen.watch.changing || fewer.is_some_and(|fewer| fewer * 2 >= growth)
}

/// The mean length, in thousandths of an element.
fn mean(lengths: &[(i64, u64)]) -> f64 {
    let sum: u64 = lengths.iter().map(|(_, n)| n).sum();
    flow::per_s(sum, i64::try_from(lengths.len()).unwrap_or(i64::MAX))
}

/// The rate at which consumers take.
#[derive(Clone, Copy)]
struct TakeRate {
    /// At least.
    least: f64,
    /// At most, if that is known.
    most: Option<f64>,
}

impl TakeRate {
    /// At the most that consumers may take, what waits is gone soon; and how much they take is not
    /// known.
    fn may_be_through_soon(self, lengths: &[(i64, u64)]) -> bool {
        let most = self.most.filter(|most| *most > self.least);
        let waits = lengths.last().map_or(0, |(_, n)| *n);
        #[expect(clippy::cast_precision_loss, reason = "a span for comparing")]
        let through_s = most.map(|most| waits as f64 / most);
        through_s.is_some_and(|seconds| seconds < SOON_S)
    }
}

fn takes(seen: &QueueFacts, lengths: &[(i64, u64)]) -> Option<TakeRate> {
    let (start, end) = (lengths.first()?.0, lengths.last()?.0);
    let falls = lengths
        .windows(2)
        .map(|two| two[0].1.saturating_sub(two[1].1));
    let fell = flow::per_s(falls.sum(), end - start);
    let since = seen.pulse?.at.plus(start - end);
    let (sampled, exact) = match flow::taken(seen, since.plus(-LONG_MS / 2)) {
        TakenCount::Exactly(n, ms) => (flow::per_s(n, ms), true),
        TakenCount::AtLeast(n, ms) => (flow::per_s(n, ms), false),
        TakenCount::Unsure => (0.0, false),
    };
    let least = fell.max(sampled);
    let counted = seen.server.grew(LONG_MS + LONG_MS / 2, pops);
    let most = match (exact, counted) {
        (true, _) => Some(least),
        (false, Some((n, ms))) => Some(flow::per_s(n, ms).max(least)),
        (false, None) => None,
    };
    (least > 0.0).then_some(TakeRate { least, most })
}

/// Counts the calls of commands that take elements from any list of the server, since its start.
fn pops(info: &Info) -> Option<u64> {
    let calls = TAKING.map(|name| info.part(&format!("cmdstat_{name}"), "calls"));
    calls.into_iter().flatten().reduce(|a, b| a + b)
}

fn finding(seen: &QueueFacts, lengths: &[(i64, u64)], growth: u64, takes: TakeRate) -> Finding {
    let span = |lengths: &[(i64, u64)]| Some(lengths.last()?.0 - lengths.first()?.0);
    let ms = span(lengths).unwrap_or(LONG_MS);
    let length = lengths.last().map_or(0, |(_, n)| *n);
    let grows = flow::per_s(growth, ms);
    #[expect(clippy::cast_precision_loss, reason = "a span for reading")]
    let seconds = |per_s: f64| length as f64 / per_s;
    // Only a rate that is no lower bound tells that it takes long.
    let long = takes.most.is_some_and(|most| seconds(most) > MUCH_S);
    let exact = takes.most == Some(takes.least);
    #[expect(clippy::cast_possible_truncation, reason = "saturates")]
    let needs_ms = (seconds(takes.least) * 1_000.0) as i64;
    let at_most = if exact { "" } else { "at most " };
    let at_least = if exact { "" } else { "at least " };
    let severity = if long {
        Severity::Warning
    } else {
        Severity::Note
    };
    Finding::new(ID, severity, "More is delivered than consumers take.")
        .details(format!(
            "{} in target, {at_most}{} of work: {at_least}{} come, {at_least}{} are taken.",
            text::counted(length, "waits", "wait"),
            text::age(needs_ms),
            flow::rate(takes.least + grows),
            flow::rate(takes.least),
        ))
        .of(length)
        .number("target", length)
        .number("grows_per_s", grows)
        .number("taken_per_s", takes.least)
        .number("delivered_per_s", takes.least + grows)
        .number("exact", exact)
        .number("needs_ms", needs_ms)
        .words(format!(
            "{} more than {} ago",
            text::thousands(growth),
            text::age(ms)
        ))
        .check(&["LLEN"], &seen.queue.keys().target)
        .repair(
            Step::Outside,
            "Start more consumers, or slow the transfers down (`transfer --max-target` waits for \
             consumers).",
        )
}

#[cfg(test)]
mod tests {
    use super::super::tests::{START, Scene, pulse, sample};
    use super::*;
    use crate::queue::frames::DeliveredElement;
    use crate::queue::{Change, Known, Pulse, Queue};

    /// Pulses of these lengths a second apart; meanwhile so many elements are taken in 10 s.
    fn scene(lengths: &[u64], taken: usize) -> Scene {
        let mut scene = Scene::default();
        for (second, length) in (0..).zip(lengths) {
            scene = scene.pulse(Pulse {
                target: Known::Is(*length),
                ..pulse(second * 1_000, 5, None, 1)
            });
        }
        let queue = Queue::redisson("q");
        for (i, ms) in [0, 10_000, 20_000].into_iter().enumerate() {
            let mut frames = sample(Vec::new(), Vec::new());
            frames.at = START.plus(ms);
            let elements = i * taken..i * taken + 100;
            let one = |n: usize| DeliveredElement::new(&queue, n.to_string().as_bytes());
            frames.front = elements.map(one).collect();
            scene = scene.sample(frames);
        }
        scene
    }

    #[test]
    fn growth_that_consumers_do_not_keep_up_with_is_told_with_both_rates() {
        let grows: Vec<u64> = (0..=31).map(|second| 100 + second * 2).collect();
        let found = scene(&grows, 30).found(ID).unwrap();
        assert_eq!(found.severity, Severity::Note);
        assert!(
            found.sentence().contains("5.0/s come, 3.0/s are taken"),
            "{}",
            found.sentence()
        );
        let long: Vec<u64> = grows.iter().map(|n| n + 2_000).collect();
        assert_eq!(
            scene(&long, 30).found(ID).unwrap().severity,
            Severity::Warning
        );
        // More is taken than samples can tell: how long it takes is not known.
        assert_eq!(
            scene(&long, 500).found(ID).unwrap().severity,
            Severity::Note
        );
    }

    /// Pulses of these lengths a second apart for four minutes; one element is taken in 10 s.
    fn long(length: impl Fn(u64) -> u64) -> RuleVerdict {
        let lengths: Vec<u64> = (0..240).map(length).collect();
        let mut watched = Scene::default();
        for (second, length) in (0..).zip(&lengths) {
            watched = watched.pulse(Pulse {
                target: Known::Is(*length),
                ..pulse(second * 1_000, 5, None, 1)
            });
        }
        let queue = Queue::redisson("q");
        for ms in [209_000, 219_000, 229_000, 239_000] {
            let mut frames = sample(Vec::new(), Vec::new());
            frames.at = START.plus(ms);
            let first = ms / 10_000;
            let one = |n: i64| DeliveredElement::new(&queue, n.to_string().as_bytes());
            frames.front = (first..first + 100).map(one).collect();
            watched = watched.sample(frames);
        }
        watched.verdict(ID)
    }

    #[test]
    fn growth_too_slow_for_half_a_minute_is_seen_in_minutes() {
        let RuleVerdict::Found(found) = long(|second| 100 + second / 8) else {
            panic!("{:?}", long(|second| 100 + second / 8));
        };
        assert_eq!(found.severity, Severity::Warning);
        let words = "21:30 of work: 0.2/s come, 0.1/s are taken";
        assert!(found.sentence().contains(words), "{}", found.sentence());
        assert_eq!(long(|_| 100), RuleVerdict::Fine);
        // One batch that came, and batches that are worked off before the next.
        assert_eq!(long(|s| if s < 120 { 100 } else { 160 }), RuleVerdict::Fine);
        for shift in 0..90 {
            let saw = |s: u64| 10 + 90 - ((s + shift) % 90).min(60);
            assert_eq!(long(saw), RuleVerdict::Fine, "{shift}");
        }
    }

    #[test]
    fn while_a_backlog_is_transferred_consumers_are_not_to_blame() {
        let late = |late: fn(u64) -> u64| {
            let mut scene = Scene::default();
            for second in 0..=31_u32 {
                let mut seen = pulse(i64::from(second) * 1_000, 5, None, 1);
                seen.target = Known::Is(100 + u64::from(second) * 20);
                seen.late = Known::Is(late(u64::from(second)));
                scene = scene.pulse(seen);
            }
            scene.verdict(ID)
        };
        let seen = "target grows while what is late is transferred";
        let early = RuleVerdict::Early(OpenQuestion::new(seen, ASKS, None));
        assert_eq!(late(|s| 9_000 - s * 30), early);
        assert_ne!(late(|s| 9_000 - s * 9), early);
    }

    #[test]
    fn what_we_have_brought_ourselves_is_told_to_be_ours_and_judged_later() {
        let grows: Vec<u64> = (0..=40).map(|second| 100 + second * 2).collect();
        let mut scene = scene(&grows, 30);
        assert!(scene.found(ID).is_some());
        let after = |scene: &mut Scene, change, ms| {
            scene.watch.changed_by_us(change, START.plus(ms));
            scene.verdict(ID)
        };
        let early = after(&mut scene, Change::Deliver, 28_000);
        let words = "target has grown by your \"transfer now\" 0:12 ago; checking whether consumers keep \
                     up (18 s)";
        assert!(
            matches!(&early, RuleVerdict::Early(open) if open.words() == words),
            "{early:?}"
        );
        for (change, ms) in [(Change::Deliver, 10_000), (Change::Edit, 28_000)] {
            let verdict = after(&mut scene, change, ms);
            assert!(matches!(verdict, RuleVerdict::Found(_)), "{change:?}");
        }
    }

    #[test]
    fn a_burst_that_is_worked_off_is_none_nor_what_nobody_takes() {
        let burst: Vec<u64> = (0..=35)
            .map(|s| [0, 900, 800][s.min(2)] - 20 * s as u64 % 700)
            .collect();
        assert_eq!(scene(&burst, 30).verdict(ID), RuleVerdict::Fine);
        let grows: Vec<u64> = (100..=140).collect();
        assert_eq!(scene(&grows, 0).verdict(ID), RuleVerdict::Fine);
        let steady: Vec<u64> = (0..40).map(|second| 20 + second % 7).collect();
        assert_eq!(scene(&steady, 30).verdict(ID), RuleVerdict::Fine);
    }

    #[test]
    fn a_wave_that_may_be_gone_in_a_minute_is_waited_for() {
        let lengths = [(-26_000, 5_771), (0, 10_795)];
        let soon = |least, most| TakeRate { least, most }.may_be_through_soon(&lengths);
        assert!(soon(2.0, Some(222.0)));
        assert!(!soon(2.0, Some(100.0)), "two minutes at best");
        assert!(!soon(2.0, None), "nobody counts");
        assert!(!soon(222.0, Some(222.0)), "it is known");
    }

    #[test]
    fn consumers_that_wait_for_a_blocked_server_are_not_to_blame() {
        let grows: Vec<u64> = (0..=31).map(|second| 100 + second * 2).collect();
        let mut scene = scene(&grows, 30);
        scene.watch.blocked_by = Some("stock".to_owned());
        let mut all = scene.all().findings.into_iter();
        let found = all.find(|found| found.id == ID).unwrap();
        assert_eq!(found.headline, "Redis is blocked by transfers of stock.");
        let told = found.sentence();
        assert!(
            told.contains("clients of this queue are not to blame"),
            "{told}"
        );
        let repair = found.repair.sentence.to_string();
        assert!(repair.starts_with("Repair stock first"), "{repair}");
    }

    #[test]
    fn before_half_a_minute_it_says_when_it_will_know() {
        let grows: Vec<u64> = (0..12).map(|second| 100 + second * 2).collect();
        let early = scene(&grows, 30).verdict(ID);
        let words = "target grows; checking whether consumers keep up (19 s)";
        assert!(matches!(early, RuleVerdict::Early(open) if open.words() == words));
    }
}
