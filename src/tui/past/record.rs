//! The record of a queue: all that changed in the last ten minutes, and ever less of what was
//! before.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::clock::EpochMillis;
use crate::queue::{Due, Finding, Known, Pulse, Severity, Survey};

/// The times for which moments are kept, and the least ones between two, both in ms, the youngest first.
const TIERS: [(i64, i64); 3] = [
    (10 * MINUTE_MS, 1_000),
    (60 * MINUTE_MS, 10_000),
    (24 * 60 * MINUTE_MS, 5 * MINUTE_MS),
];

const MINUTE_MS: i64 = 60_000;

/// With more than this, in ms, between two readings nobody knows how it was in between.
const GAP_MS: i64 = 30_000;

/// The words of findings, which tell figures, are kept anew after this, in ms, as long as the
/// findings are the same.
const REWORDED_MS: i64 = 10_000;

/// A rate is that of the last so many ms, and a little more: by then one that has ended is 0.
const RATES_MS: i64 = 12_000;

/// Bars are kept anew after this, in ms; those that are older than ten minutes once a minute.
const BARS_MS: i64 = 10_000;

/// A figure in four bytes: there are many of them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Count(u32);

impl Count {
    const UNKNOWN: Self = Self(u32::MAX);
    const NONE: Self = Self(u32::MAX - 1);
    const MOST_COUNTED: u32 = u32::MAX - 2;

    fn of(known: &Known<u64>) -> Self {
        match known {
            Known::Is(n) => {
                Self(u32::try_from(*n).map_or(Self::MOST_COUNTED, |n| n.min(Self::MOST_COUNTED)))
            }
            Known::Unknown(_) => Self::UNKNOWN,
            Known::None => Self::NONE,
        }
    }

    fn known(self) -> Known<u64> {
        match self {
            Self::UNKNOWN => Known::Unknown("it was not known then".into()),
            Self::NONE => Known::None,
            Self(n) => Known::Is(u64::from(n)),
        }
    }

    fn get(self) -> Option<u64> {
        (self.0 <= Self::MOST_COUNTED).then_some(u64::from(self.0))
    }
}

/// The figures of a pulse.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Figures {
    waiting: Count,
    late: Count,
    order: Count,
    target: Count,
    clients: Count,
    oldest_late: Option<EpochMillis>,
    next: Option<EpochMillis>,
}

/// A queue as it was for a while.
#[derive(Clone, Debug)]
pub struct PastMoment {
    /// When it was read so first, by the server's clock.
    pub at: EpochMillis,
    /// The last reading at which it was so.
    pub until: EpochMillis,
    figures: Figures,
    rates: [f32; 3],
    /// Nobody knows how it was before it.
    after_gap: bool,
    /// The findings, worst first; their figures are up to ten seconds old.
    pub findings: Arc<[Finding]>,
    /// The bars of its timeline, where they were in sight.
    pub survey: Option<Arc<Survey>>,
}

impl PastMoment {
    /// The figures as a pulse, without any entry.
    #[must_use]
    pub fn pulse(&self) -> Pulse {
        let figures = &self.figures;
        let next = figures.next.map(Due::At);
        Pulse {
            at: self.at,
            waiting: figures.waiting.known(),
            late: figures.late.known(),
            head: figures.oldest_late.map(Due::At).or(next),
            oldest_late: figures.oldest_late,
            next,
            order: figures.order.known(),
            target: figures.target.known(),
            transfer_clients: figures.clients.known(),
            first: None,
            told: None,
            beside_bytes: 0,
            page: None,
            server_us: 0,
            took_ms: 0,
        }
    }

    /// Number of entries in timeouts and of elements in target; none when neither was known.
    #[must_use]
    pub fn held(&self) -> Option<u64> {
        let (waiting, target) = (self.figures.waiting.get(), self.figures.target.get());
        let held = waiting.unwrap_or(0) + target.unwrap_or(0);
        waiting.or(target).map(|_| held)
    }

    /// The rates at which entries were offered, transferred and taken, in entries a second.
    #[must_use]
    pub fn rates(&self) -> [Option<f64>; 3] {
        self.rates
            .map(|rate| (!rate.is_nan()).then_some(f64::from(rate)))
    }

    /// The severity of its worst finding that was more than a suspicion.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        { self.findings.iter() }
            .filter(|finding| finding.open.is_none())
            .map(|finding| finding.severity)
            .max()
    }

    /// The problems that the rules had found; a mere note is none.
    pub fn problems(&self) -> impl Iterator<Item = &Finding> {
        let told = self
            .findings
            .iter()
            .filter(|finding| finding.open.is_none());
        told.filter(|finding| finding.severity > Severity::Note)
    }

    /// It is what a look at the strip should not miss.
    fn weight(&self) -> (Option<Severity>, Option<u64>, Option<u64>) {
        (self.worst(), self.figures.late.get(), self.held())
    }
}

/// The figures and findings of a queue at a moment, to be kept.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot<'a> {
    /// The figures.
    pub pulse: &'a Pulse,
    /// The rates at which entries were offered, transferred and taken, in entries a second.
    pub rates: [Option<f64>; 3],
    /// The findings, worst first.
    pub findings: &'a [Finding],
    /// The last survey.
    pub survey: Option<&'a Survey>,
    /// Readings are as far apart as this, in ms, and nothing was amiss in between.
    pub apart_ms: i64,
}

/// The problems of a queue became others.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ProblemTurn {
    /// When that was seen, by the server's clock.
    pub at: EpochMillis,
    /// The severity of the worst problem from then on; none when there was none any more.
    pub worst: Option<Severity>,
    /// The id of the problem that has come; none when none has.
    pub id: Option<&'static str>,
    /// The problem in a short sentence, as it was told last: what was said first may have been a
    /// guess, or a countdown. Empty when none has come.
    pub headline: String,
}

/// Turns, the newest first, among which the one of a problem that stands is looked for.
const TOLD: usize = 20;

/// The moments of a queue that are kept, for a day at most.
#[derive(Clone, Debug, Default)]
pub struct PastRecord {
    /// By their tier, the youngest first; in each the oldest moment first.
    tiers: [VecDeque<PastMoment>; TIERS.len()],
    /// Where problems came and went, the oldest first; at most [`PastRecord::TURNS`]. Moments grow
    /// together with age, these do not.
    turns: VecDeque<ProblemTurn>,
    /// The problems of the last reading.
    problems: Vec<(&'static str, Severity)>,
    /// When the words of the last findings were kept.
    worded: EpochMillis,
    /// The server was away since the last reading.
    interrupted: bool,
}

impl PastRecord {
    /// Changes of the problems that are kept.
    pub const TURNS: usize = 200;

    /// The server was away: how it was meanwhile, nobody knows.
    pub const fn interrupted(&mut self) {
        self.interrupted = true;
    }

    /// Keeps what was read now.
    pub fn keep(&mut self, read: &Snapshot) {
        let at = read.pulse.at;
        if self.last().is_some_and(|last| at < last.until) {
            // A clock that was set back begins anew.
            *self = Self::default();
        }
        let mut new = self.moment(read);
        self.turn(&new);
        let away = std::mem::take(&mut self.interrupted);
        if let Some(last) = self.tiers[0].back_mut() {
            let joined = at.since(last.until) <= read.apart_ms.max(GAP_MS) && !away;
            new.after_gap = !joined;
            if joined {
                // It was so until it was read to be otherwise.
                last.until = at;
            }
            let same = last.figures == new.figures && Arc::ptr_eq(&last.findings, &new.findings);
            if joined && same && new.survey.is_none() {
                if at.since(last.at) <= RATES_MS {
                    last.rates = new.rates;
                }
                return self.age(at);
            }
            if joined && at.since(last.at) < TIERS[0].1 {
                join(last, new);
                return;
            }
        }
        self.tiers[0].push_back(new);
        self.age(at);
    }

    /// Takes note when the problems are others than at the last reading; the first reading counts when
    /// it has any.
    fn turn(&mut self, new: &PastMoment) {
        let problems: Vec<_> = new
            .problems()
            .map(|found| (found.id, found.severity))
            .collect();
        let before = std::mem::replace(&mut self.problems, problems);
        let worst_of = |all: &[(&str, Severity)]| all.iter().map(|(_, severity)| *severity).max();
        let (was, worst) = (worst_of(&before), worst_of(&self.problems));
        let had = |id: &str| before.iter().any(|(old, _)| *old == id);
        let come = new.problems().find(|found| !had(found.id));
        for found in new.problems() {
            let turns = self.turns.iter_mut().rev();
            if let Some(turn) = turns.take(TOLD).find(|turn| turn.id == Some(found.id))
                && had(found.id)
                && turn.headline != found.headline
            {
                turn.headline.clone_from(&found.headline);
            }
        }
        // One of several that has gone is no end yet.
        if come.is_none() && was == worst {
            return;
        }
        let risen = || {
            new.problems()
                .find(|found| worst > was && Some(found.severity) == worst)
        };
        let told = come.or_else(risen);
        self.turns.push_back(ProblemTurn {
            at: new.at,
            worst,
            id: told.map(|found| found.id),
            headline: told.map_or_else(String::new, |found| found.headline.clone()),
        });
        if self.turns.len() > Self::TURNS {
            self.turns.pop_front();
        }
    }

    fn moment(&mut self, read: &Snapshot) -> PastMoment {
        let pulse = read.pulse;
        let at = pulse.at;
        let last = self.last();
        let same = last.filter(|last| {
            let fresh = read.findings.is_empty() || at.since(self.worded) < REWORDED_MS;
            fresh && are_alike(&last.findings, read.findings)
        });
        let findings = same.map(|last| Arc::clone(&last.findings));
        let bars = { self.tiers[0].iter().rev() }.find_map(|moment| moment.survey.as_ref());
        let survey = read.survey.filter(|survey| {
            survey.zoom.is_some() && bars.is_none_or(|kept| survey.at.since(kept.at) >= BARS_MS)
        });
        let findings = findings.unwrap_or_else(|| {
            self.worded = at;
            read.findings.into()
        });
        PastMoment {
            at,
            until: at,
            figures: Figures {
                waiting: Count::of(&pulse.waiting),
                late: Count::of(&pulse.late),
                order: Count::of(&pulse.order),
                target: Count::of(&pulse.target),
                clients: Count::of(&pulse.transfer_clients),
                oldest_late: pulse.oldest_late,
                next: pulse.next.and_then(Due::at),
            },
            after_gap: false,
            #[expect(clippy::cast_possible_truncation, reason = "a rate for reading")]
            rates: read
                .rates
                .map(|rate| rate.map_or(f32::NAN, |rate| rate as f32)),
            findings,
            survey: survey.map(|survey| {
                let mut kept = survey.clone();
                kept.frames = None;
                Arc::new(kept)
            }),
        }
    }

    /// Moments that have become old go to the next tier, where there are fewer of them.
    fn age(&mut self, now: EpochMillis) {
        for (tier, (kept_ms, _)) in TIERS.into_iter().enumerate() {
            let is_old = |moment: &PastMoment| now.since(moment.until) > kept_ms;
            while self.tiers[tier].front().is_some_and(is_old) {
                let old = self.tiers[tier].pop_front();
                if let Some((old, (_, apart_ms))) = old.zip(TIERS.get(tier + 1)) {
                    self.put(tier + 1, *apart_ms, old);
                }
            }
        }
        let begin = self.begin();
        while self.turns.front().is_some_and(|turn| Some(turn.at) < begin) {
            self.turns.pop_front();
        }
    }

    fn put(&mut self, tier: usize, apart_ms: i64, mut moment: PastMoment) {
        let minute = |at: EpochMillis| at.get().div_euclid(MINUTE_MS);
        let bars = { self.tiers[tier].iter().rev() }.find_map(|old| old.survey.as_ref());
        moment.survey = moment.survey.filter(|survey| {
            tier == 1 && bars.is_none_or(|old| minute(old.at) != minute(survey.at))
        });
        if let Some(last) = self.tiers[tier].back()
            && minute(last.at) == minute(moment.at)
            && are_alike(&last.findings, &moment.findings)
        {
            // The words of a minute are kept once.
            moment.findings = Arc::clone(&last.findings);
        }
        let slot = |at: EpochMillis| at.get().div_euclid(apart_ms);
        match self.tiers[tier].back_mut() {
            Some(last) if slot(last.at) == slot(moment.at) && !moment.after_gap => {
                join(last, moment);
            }
            _ => self.tiers[tier].push_back(moment),
        }
    }

    /// Returns the moments that are kept, the oldest first.
    #[must_use]
    pub fn moments(&self) -> impl DoubleEndedIterator<Item = &PastMoment> {
        self.tiers.iter().rev().flatten()
    }

    fn last(&self) -> Option<&PastMoment> {
        self.moments().next_back()
    }

    /// The queue as it was at a time; none when it was not read around then.
    #[must_use]
    pub fn at(&self, at: EpochMillis) -> Option<&PastMoment> {
        let last = self.moments().rev().find(|moment| moment.at <= at)?;
        (at.since(last.until) <= GAP_MS).then_some(last)
    }

    /// The bars that were in sight at a time, if they were.
    #[must_use]
    pub fn survey(&self, at: EpochMillis) -> Option<&Survey> {
        let before = self.moments().rev().filter(|moment| moment.at <= at);
        let last = { before }.find_map(|moment| moment.survey.as_deref())?;
        (at.since(last.at) <= MINUTE_MS).then_some(last)
    }

    /// When it was read first, of what is kept.
    #[must_use]
    pub fn begin(&self) -> Option<EpochMillis> {
        self.moments().next().map(|moment| moment.at)
    }

    /// Returns the moments at which the problems became others, the oldest first.
    #[must_use]
    pub fn turns(&self) -> impl DoubleEndedIterator<Item = &ProblemTurn> {
        self.turns.iter()
    }
}

/// The same findings, in words that differ in their figures at most.
fn are_alike(one: &[Finding], other: &[Finding]) -> bool {
    fn signs(found: &Finding) -> (&'static str, Severity, bool, String) {
        let words = found.headline.chars().filter(|c| !c.is_ascii_digit());
        let open = found.open.is_some();
        (found.id, found.severity, open, words.collect())
    }
    one.iter().map(signs).eq(other.iter().map(signs))
}

/// Makes one moment of two that follow each other: it looks like the one that matters more, the
/// later one of equals.
fn join(last: &mut PastMoment, new: PastMoment) {
    let survey = new.survey.clone().or_else(|| last.survey.clone());
    let (at, until, after_gap) = (last.at, new.until, last.after_gap);
    if new.weight() >= last.weight() {
        *last = new;
    }
    (last.at, last.until, last.after_gap, last.survey) = (at, until, after_gap, survey);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Zoom;
    use crate::queue::finding::id;
    use crate::queue::finding::tests::survey;

    const START: EpochMillis = EpochMillis::new(1_700_000_000_000);

    /// A pulse at that second, with so many entries that wait.
    fn pulse(second: i64, waiting: u64) -> Pulse {
        let known = Known::Is(waiting);
        Pulse {
            at: START.plus(second * 1_000),
            waiting: known.clone(),
            late: Known::Is(0),
            head: None,
            oldest_late: None,
            next: None,
            order: known,
            target: Known::Is(0),
            transfer_clients: Known::Unknown("no PUBSUB".into()),
            first: None,
            told: None,
            beside_bytes: 0,
            page: None,
            server_us: 0,
            took_ms: 0,
        }
    }

    fn keep(record: &mut PastRecord, pulse: &Pulse, findings: &[Finding]) {
        record.keep(&Snapshot {
            pulse,
            rates: [None; 3],
            findings,
            survey: None,
            apart_ms: 0,
        });
    }

    fn waiting(record: &PastRecord, second: i64) -> Option<u64> {
        record.at(START.plus(second * 1_000))?.figures.waiting.get()
    }

    #[test]
    fn a_queue_that_stands_still_is_one_moment_however_long() {
        let mut record = PastRecord::default();
        for second in 0..7_200 {
            keep(&mut record, &pulse(second, 5), &[]);
        }
        assert_eq!(record.moments().count(), 1);
        assert_eq!(
            [0, 3_599, 7_199].map(|at| waiting(&record, at)),
            [Some(5); 3]
        );
    }

    #[test]
    fn what_changes_each_second_is_kept_by_the_second_then_by_ten_then_by_five_minutes_for_a_day() {
        let mut record = PastRecord::default();
        let day = 24 * 3_600;
        for second in 0..day + 3_600 {
            keep(&mut record, &pulse(second, second.unsigned_abs()), &[]);
        }
        let last = day + 3_599;
        assert_eq!(
            waiting(&record, last - 599),
            Some((last - 599).unsigned_abs())
        );
        let near = |ago: i64, apart: u64| {
            let then = (last - ago).unsigned_abs();
            waiting(&record, last - ago).is_some_and(|kept| kept.abs_diff(then) <= apart)
        };
        assert!(near(3_000, 10));
        assert!(near(day - 600, 300));
        assert_eq!(waiting(&record, last - day - 600), None);
        let count = record.moments().count();
        assert!(count <= 601 + 301 + 278, "{count} moments");
        let bytes = count * size_of::<PastMoment>();
        assert!(bytes <= 150_000, "{bytes} bytes");
    }

    #[test]
    fn what_was_worst_is_not_thinned_away() {
        let mut record = PastRecord::default();
        for second in 0..4_500 {
            let critical = [Finding::new(
                id::WRONG_TYPE,
                Severity::Critical,
                "A list stands there.",
            )];
            let findings: &[Finding] = if second == 417 { &critical } else { &[] };
            keep(&mut record, &pulse(second, 5), findings);
        }
        let worst = record.moments().filter_map(PastMoment::worst).max();
        assert_eq!(worst, Some(Severity::Critical));
        assert_eq!(record.turns().count(), 2);
    }

    #[test]
    fn nobody_knows_how_it_was_while_nothing_was_read() {
        let mut record = PastRecord::default();
        keep(&mut record, &pulse(0, 5), &[]);
        keep(&mut record, &pulse(20, 6), &[]);
        keep(&mut record, &pulse(200, 7), &[]);
        let known = [0, 19, 20, 50, 51, 199, 200].map(|at| waiting(&record, at));
        let expected = [Some(5), Some(5), Some(6), Some(6), None, None, Some(7)];
        assert_eq!(known, expected);
    }

    #[test]
    fn an_outage_leaves_a_gap_however_short() {
        let mut record = PastRecord::default();
        keep(&mut record, &pulse(0, 5), &[]);
        record.interrupted();
        keep(&mut record, &pulse(20, 5), &[]);
        let spans = record.moments().map(|moment| moment.until.since(moment.at));
        assert_eq!(spans.collect::<Vec<_>>(), [0, 0]);
    }

    #[test]
    fn an_outage_stays_a_gap_however_old_it_gets_and_a_slow_interval_makes_none() {
        let mut record = PastRecord::default();
        for second in (0..100).chain(220..5_000) {
            keep(&mut record, &pulse(second, second.unsigned_abs()), &[]);
        }
        assert_eq!(
            [150, 5_001].map(|at| waiting(&record, at).is_some()),
            [false, true]
        );
        let mut record = PastRecord::default();
        for second in [0, 60, 120] {
            record.keep(&Snapshot {
                pulse: &pulse(second, 5),
                rates: [None; 3],
                findings: &[],
                survey: None,
                apart_ms: 180_000,
            });
        }
        assert_eq!(waiting(&record, 50), Some(5));
    }

    #[test]
    fn what_gets_worse_is_told_and_what_comes_back_within_a_second_is_no_end() {
        let mut record = PastRecord::default();
        let found = |severity| [Finding::new(id::TTL, severity, "A key expires.")];
        let (warning, critical) = (found(Severity::Warning), found(Severity::Critical));
        let readings: [(i64, &[Finding]); 4] = [(0, &[]), (5, &warning), (9, &critical), (12, &[])];
        for (second, findings) in readings {
            keep(&mut record, &pulse(second, 5), findings);
        }
        let told = record
            .turns()
            .map(|turn| (turn.worst, !turn.headline.is_empty()));
        let expected = [
            (Some(Severity::Warning), true),
            (Some(Severity::Critical), true),
            (None, false),
        ];
        assert_eq!(told.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn where_a_problem_came_it_is_told_as_it_was_said_last() {
        let mut record = PastRecord::default();
        let found = |words: &str| [Finding::new(id::DRIFT, Severity::Warning, words.to_owned())];
        let guess = found("At least 150 entries have no due time.");
        let known = found("200 entries have no due time.");
        let again = found("3 entries have no due time.");
        let readings: [(i64, &[Finding]); 6] = [
            (0, &[]),
            (5, &guess),
            (20, &known),
            (40, &[]),
            (60, &again),
            (80, &again),
        ];
        for (second, findings) in readings {
            keep(&mut record, &pulse(second, 5), findings);
        }
        let told: Vec<&str> = record.turns().map(|turn| turn.headline.as_str()).collect();
        assert_eq!(
            told,
            [
                "200 entries have no due time.",
                "",
                "3 entries have no due time."
            ]
        );
    }

    #[test]
    fn a_rate_that_has_ended_is_nothing_soon() {
        let mut record = PastRecord::default();
        for second in 0..60 {
            let rate = if second < 10 { 0.5 } else { 0.0 };
            record.keep(&Snapshot {
                pulse: &pulse(second, 5),
                rates: [Some(rate), None, None],
                findings: &[],
                survey: None,
                apart_ms: 0,
            });
        }
        let then = record.at(START.plus(40_000)).map(PastMoment::rates);
        assert_eq!(then.map(|rates| rates[0]), Some(Some(0.0)));
    }

    #[test]
    fn what_was_wrong_from_the_first_reading_on_began_there_however_old_it_gets() {
        let mut record = PastRecord::default();
        for second in 0..5_000 {
            let critical = [Finding::new(
                id::WRONG_TYPE,
                Severity::Critical,
                "A list stands there.",
            )];
            let findings: &[Finding] = if second < 700 { &critical } else { &[] };
            keep(&mut record, &pulse(second, 5), findings);
        }
        let turns = record
            .turns()
            .map(|turn| (turn.at.since(START), turn.worst));
        let expected = [(0, Some(Severity::Critical)), (700_000, None)];
        assert_eq!(turns.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_clock_that_was_set_back_begins_anew() {
        let mut record = PastRecord::default();
        keep(&mut record, &pulse(100, 5), &[]);
        keep(&mut record, &pulse(10, 6), &[]);
        assert_eq!(record.moments().count(), 1);
        assert_eq!(waiting(&record, 10), Some(6));
    }

    #[test]
    fn figures_come_back_as_they_were_known() {
        let mut record = PastRecord::default();
        let read = Pulse {
            order: Known::None,
            waiting: Known::Is(u64::MAX),
            oldest_late: Some(START),
            ..pulse(5, 0)
        };
        keep(&mut record, &read, &[]);
        let then = record.at(read.at).map(PastMoment::pulse);
        let then = then.as_ref();
        assert_eq!(then.map(|p| &p.order), Some(&Known::None));
        assert_eq!(
            then.and_then(|p| p.waiting.get()),
            Some(u64::from(Count::MOST_COUNTED))
        );
        assert!(then.is_some_and(|p| matches!(p.transfer_clients, Known::Unknown(_))));
        assert_eq!(then.and_then(|p| p.oldest_late), Some(START));
    }

    #[test]
    fn a_problem_that_stays_is_told_with_figures_of_the_last_ten_seconds() {
        let mut record = PastRecord::default();
        for second in 0..300 {
            let headline = format!("{second} are late.");
            let found = [Finding::new(id::WRONG_TYPE, Severity::Critical, headline)];
            keep(&mut record, &pulse(second, second.unsigned_abs()), &found);
        }
        let told = record
            .at(START.plus(299_000))
            .map(|then| then.findings[0].headline.clone());
        assert_eq!(told.as_deref(), Some("290 are late."));
        let mut kept: Vec<*const Finding> = record.moments().map(|m| m.findings.as_ptr()).collect();
        kept.dedup();
        assert_eq!(kept.len(), 30);
    }

    #[test]
    fn bars_are_kept_each_ten_seconds_and_later_once_a_minute() {
        let mut record = PastRecord::default();
        for second in 0..1_800 {
            let pulse = pulse(second, second.unsigned_abs());
            let survey = Survey {
                at: pulse.at,
                zoom: Some(Zoom::default()),
                ..survey(None)
            };
            record.keep(&Snapshot {
                pulse: &pulse,
                rates: [Some(0.5), None, Some(2.0)],
                findings: &[],
                survey: Some(&survey),
                apart_ms: 0,
            });
        }
        let bars = |from: i64, to: i64| {
            let span = START.plus(from * 1_000)..START.plus(to * 1_000);
            let all = record.moments().filter(|moment| span.contains(&moment.at));
            all.filter(|moment| moment.survey.is_some()).count()
        };
        assert_eq!(bars(1_500, 1_800), 30);
        assert!((9..=11).contains(&bars(300, 900)), "{}", bars(300, 900));
        let read = record.survey(START.plus(615_000)).map(|survey| survey.at);
        assert!(read.is_some_and(|at| START.plus(615_000).since(at) <= 60_000));
        let rates = record.at(START.plus(1_700_000)).map(PastMoment::rates);
        assert_eq!(rates, Some([Some(0.5), None, Some(2.0)]));
    }
}
