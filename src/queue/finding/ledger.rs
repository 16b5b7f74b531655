//! Since when a finding holds, whether it gets worse, and that it has gone: what no single look
//! tells.

use std::cmp::Reverse;

use super::passed::History;
use super::{Diagnosis, Finding, Passed, Severity};
use crate::clock::EpochMillis;
use crate::queue::text;

/// A finding that has gone is told for so long, in ms.
const MOMENT_MS: i64 = 10_000;
/// What was seen for less, in ms, was a moment's impression: nobody is told that it has gone.
const SEEN_MS: i64 = 3_000;
/// What was so within this of the first look, in ms, was so before it.
const FIRST_MS: i64 = 2_000;
/// Whether a figure grows is told after so long, in ms.
const TREND_MS: i64 = 3_000;
/// It is told to be less bad than it was only when it has been so for so long, in ms, and in so
/// many looks: a figure about a limit would have it come and go.
const CALMS_MS: i64 = 5_000;
const CALM_LOOKS: u32 = 3;

/// How the figure of a finding moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// By how much in a second; negative: it shrinks.
    pub per_s: f64,
    /// When it will be zero, in ms from the last look, if it goes on shrinking like this.
    pub done_in_ms: Option<i64>,
}

/// What has been found before.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    known: Vec<Known>,
    /// When it was entered first.
    began: Option<EpochMillis>,
    history: History,
}

#[derive(Clone, Debug)]
struct Known {
    finding: Finding,
    /// When it was found first.
    first: EpochMillis,
    /// When its figure was known first, and how large it was then.
    counted: Option<(EpochMillis, u64)>,
    /// How bad it was at its worst, how large its figure, and what it said then.
    worst: (Severity, Option<u64>, String),
    /// Since when it is less bad than it is told to be, and in how many looks.
    calmer: Option<(EpochMillis, u32)>,
    /// When it was not found any more.
    gone: Option<EpochMillis>,
}

impl Ledger {
    /// What is over, the newest first.
    pub(super) fn passed(&self) -> impl Iterator<Item = &Passed> {
        self.history.newest_first()
    }

    /// The same, and what has just gone before it.
    pub(super) fn over(&self) -> impl Iterator<Item = Passed> {
        let gone = |known: &Known| Some(known.as_passed(known.told_gone()?));
        let gone = self.known.iter().rev().filter_map(gone);
        gone.chain(self.passed().cloned())
    }

    /// Enters what the rules said at that moment, and completes it.
    pub(super) fn enter(&mut self, mut said: Diagnosis, at: EpochMillis) -> Diagnosis {
        self.began.get_or_insert(at);
        for known in &mut self.known {
            let id = known.finding.id;
            let found = said.findings.iter().any(|finding| finding.id == id);
            if !found && known.gone.is_none() {
                known.gone = Some(at);
            }
        }
        self.forget(&said, at);
        for finding in &mut said.findings {
            self.complete(finding, at);
        }
        // The sorting is stable: causes stay before what they cause.
        said.findings
            .sort_by_key(|finding| Reverse(finding.severity));
        let gone = |known: &Known| known.told_gone().map(|gone| known.as_gone(gone));
        said.gone = self.known.iter().filter_map(gone).collect();
        said
    }

    /// What went a moment ago is told no more: it is history. What cannot be looked at any more has
    /// not gone, and a suspicion that was not borne out was nothing.
    fn forget(&mut self, said: &Diagnosis, at: EpochMillis) {
        let blind = |id| said.blind.iter().any(|(blind, _)| *blind == id);
        let history = &mut self.history;
        self.known.retain(|known| {
            let (id, Some(gone)) = (known.finding.id, known.gone) else {
                return !blind(known.finding.id);
            };
            if blind(id) || known.finding.open.is_some() {
                return false;
            }
            let told = (0..MOMENT_MS).contains(&at.since(gone));
            if !told && known.told_gone().is_some() {
                history.add(known.as_passed(gone));
            }
            told
        });
    }

    fn complete(&mut self, finding: &mut Finding, at: EpochMillis) {
        let known = self
            .known
            .iter()
            .position(|one| one.finding.id == finding.id);
        // What comes and goes is the same one.
        let before = known.map(|i| &self.known[i]);
        let first = before.map_or(at, |known| known.first);
        let counted = before.and_then(|known| known.counted);
        let counted = counted.or_else(|| Some((at, finding.figure?)));
        finding.since = Some(finding.since.map_or(first, |since| since.min(first)));
        let began = self.began.zip(finding.since);
        finding.before = began
            .is_some_and(|(began, since)| (-FIRST_MS..=FIRST_MS).contains(&since.since(began)));
        finding.trend = trend(counted, at, finding.figure);
        let now = (finding.severity, finding.figure, finding.sentence.clone());
        let worst = match before.map(|known| known.worst.clone()) {
            Some(worst) if (worst.0, worst.1) > (now.0, now.1) => worst,
            _ => now,
        };
        let calmer = before.and_then(|known| known.calmer(finding, at));
        if let (Some(known), Some(_)) = (before, calmer) {
            finding.severity = known.finding.severity;
        }
        let entry = Known {
            finding: finding.clone(),
            first,
            counted,
            worst,
            calmer,
            gone: None,
        };
        match known {
            Some(i) => self.known[i] = entry,
            None => self.known.push(entry),
        }
    }
}

impl Known {
    /// Since when `now` is less bad than this is told to be, and in how many looks, while that is
    /// not yet believed. What is explained by another finding is so at once.
    fn calmer(&self, now: &Finding, at: EpochMillis) -> Option<(EpochMillis, u32)> {
        let less = now.severity < self.finding.severity;
        if !less || self.gone.is_some() || now.follows.is_some() {
            return None;
        }
        let (since, looks) = self.calmer.unwrap_or((at, 0));
        let looks = looks + 1;
        let early = (0..CALMS_MS).contains(&at.since(since)) || looks < CALM_LOOKS;
        early.then_some((since, looks))
    }

    /// When it went, if it was seen for long enough that this is worth a word.
    fn told_gone(&self) -> Option<EpochMillis> {
        self.gone.filter(|gone| gone.since(self.first) >= SEEN_MS)
    }

    /// What is remembered of it: when it was seen, not since when its rule holds that it was so.
    fn as_passed(&self, gone: EpochMillis) -> Passed {
        let (severity, figure, sentence) = self.worst.clone();
        Passed {
            id: self.finding.id,
            severity,
            figure,
            sentence,
            since: self.first,
            until: gone,
            times: 1,
        }
    }

    /// Told as what it was: at its worst, not with whatever figures its last look happened to show.
    fn as_gone(&self, gone: EpochMillis) -> Finding {
        let seen = text::countdown(gone.since(self.first));
        let (severity, figure, worst) = self.worst.clone();
        Finding {
            gone: Some(gone),
            severity,
            figure,
            sentence: format!("Seen for {seen}: {worst}"),
            ..self.finding.clone()
        }
    }
}

fn trend(counted: Option<(EpochMillis, u64)>, at: EpochMillis, now: Option<u64>) -> Option<Trend> {
    let ((since, before), now) = counted.zip(now)?;
    let span = at.since(since);
    if span < TREND_MS {
        return None;
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "a rate for reading, not for accounting"
    )]
    let (before, now, seconds) = (before as f64, now as f64, span as f64 / 1000.0);
    let per_s = (now - before) / seconds;
    #[expect(clippy::cast_possible_truncation, reason = "saturates")]
    let done = (per_s < 0.0).then(|| (now / -per_s * 1000.0) as i64);
    Some(Trend {
        per_s,
        done_in_ms: done,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::START;
    use super::super::{Finding, Open, Severity};
    use super::*;

    fn found(figure: Option<u64>) -> Diagnosis {
        let mut finding = Finding::new("drift", Severity::Warning, "it drifts");
        finding.figure = figure;
        Diagnosis {
            findings: vec![finding],
            ..Diagnosis::default()
        }
    }

    fn at(ms: i64) -> EpochMillis {
        START.plus(ms)
    }

    #[test]
    fn a_finding_says_since_when_and_how_its_figure_moves() {
        let mut ledger = Ledger::default();
        let said = ledger.enter(found(Some(100)), at(0));
        assert_eq!(
            (said.findings[0].since, said.findings[0].trend),
            (Some(at(0)), None)
        );
        let said = ledger.enter(found(Some(150)), at(5_000));
        let trend = said.findings[0].trend.unwrap();
        assert_eq!((trend.per_s, trend.done_in_ms), (10.0, None));
        assert_eq!(said.findings[0].since, Some(at(0)));
        let said = ledger.enter(found(Some(20)), at(8_000));
        let trend = said.findings[0].trend.unwrap();
        assert_eq!((trend.per_s, trend.done_in_ms), (-10.0, Some(2_000)));
    }

    #[test]
    fn what_has_gone_says_so_for_a_moment_and_what_comes_back_has_never_gone() {
        let mut ledger = Ledger::default();
        ledger.enter(found(None), at(0));
        let said = ledger.enter(Diagnosis::default(), at(4_000));
        assert_eq!(said.gone[0].gone, Some(at(4_000)));
        let said = ledger.enter(found(None), at(5_000));
        assert_eq!((said.gone.len(), said.findings[0].since), (0, Some(at(0))));
        ledger.enter(Diagnosis::default(), at(6_000));
        let said = ledger.enter(Diagnosis::default(), at(15_999));
        assert_eq!(said.gone.len(), 1);
        let said = ledger.enter(Diagnosis::default(), at(16_000));
        assert_eq!(said.gone.len(), 0);
    }

    #[test]
    fn what_has_gone_is_told_as_it_was_at_its_worst() {
        let found = |figure, severity| {
            let mut said = found(Some(figure));
            said.findings[0].severity = severity;
            said.findings[0].sentence = format!("{figure} late.");
            said
        };
        let mut ledger = Ledger::default();
        let (note, critical) = (Severity::Note, Severity::Critical);
        for (second, (figure, severity)) in (0..).zip([
            (30, note),
            (10, critical),
            (20, critical),
            (3, critical),
            (50, note),
        ]) {
            ledger.enter(found(figure, severity), at(second * 10_000));
        }
        let gone = ledger.enter(Diagnosis::default(), at(67_000)).gone;
        assert_eq!(gone[0].sentence, "Seen for 1:07: 20 late.");
        assert_eq!((gone[0].severity, gone[0].figure), (critical, Some(20)));
    }

    #[test]
    fn what_is_over_is_told_for_as_long_as_it_was_seen_and_not_at_all_when_that_was_a_moment() {
        let long_ago = || {
            let mut said = found(None);
            said.findings[0].since = Some(at(-500_000));
            said
        };
        let after = |seen_ms| {
            let mut ledger = Ledger::default();
            let before = ledger.enter(Diagnosis::default(), at(-60_000)).findings;
            assert_eq!(before, []);
            ledger.enter(long_ago(), at(0));
            let gone = ledger.enter(Diagnosis::default(), at(seen_ms)).gone;
            ledger.enter(Diagnosis::default(), at(seen_ms + 10_000));
            let sentence = gone.first().map(|gone| gone.sentence.clone());
            (sentence, ledger.passed().next().map(|one| one.since))
        };
        assert_eq!(after(2_999), (None, None));
        let told = "Seen for 0:32: it drifts".to_owned();
        assert_eq!(after(32_000), (Some(told), Some(at(0))));
    }

    #[test]
    fn what_was_so_at_the_first_look_was_so_before_it() {
        let mut ledger = Ledger::default();
        assert!(ledger.enter(found(None), at(0)).findings[0].before);
        assert!(ledger.enter(found(None), at(9_000)).findings[0].before);
        let mut ledger = Ledger::default();
        ledger.enter(Diagnosis::default(), at(0));
        assert!(!ledger.enter(found(None), at(3_000)).findings[0].before);
    }

    #[test]
    fn what_has_been_gone_for_a_moment_is_history_and_an_unborne_suspicion_is_none() {
        let mut ledger = Ledger::default();
        ledger.enter(found(Some(3)), at(0));
        ledger.enter(found(Some(9)), at(20_000));
        ledger.enter(Diagnosis::default(), at(30_000));
        assert_eq!(ledger.passed().count(), 0, "still told as gone");
        ledger.enter(Diagnosis::default(), at(40_000));
        let passed: Vec<_> = ledger.passed().collect();
        assert_eq!(
            (passed[0].since, passed[0].until, passed[0].figure),
            (at(0), at(30_000), Some(9))
        );
        let mut suspected = found(None);
        suspected.findings[0].open = Some(Open::new("3 wait", "whether", None).into());
        let mut ledger = Ledger::default();
        ledger.enter(suspected, at(0));
        assert_eq!(ledger.enter(Diagnosis::default(), at(30_000)).gone, []);
        ledger.enter(Diagnosis::default(), at(40_000));
        assert_eq!(ledger.passed().count(), 0);
    }

    #[test]
    fn what_gets_less_bad_is_told_so_when_it_has_stayed_so_and_what_gets_worse_at_once() {
        let (warning, critical) = (Severity::Warning, Severity::Critical);
        let told = |ledger: &mut Ledger, ms, severity, follows| {
            let mut said = found(None);
            (said.findings[0].severity, said.findings[0].follows) = (severity, follows);
            ledger.enter(said, at(ms)).findings[0].severity
        };
        let mut ledger = Ledger::default();
        for ms in (0..20_000).step_by(2_000) {
            let severity = [critical, warning][usize::from(ms % 4_000 > 0)];
            assert_eq!(told(&mut ledger, ms, severity, None), critical, "{ms}");
        }
        assert_eq!(told(&mut ledger, 20_000, critical, None), critical);
        for (ms, expected) in [(21_000, critical), (25_999, critical), (26_000, warning)] {
            assert_eq!(told(&mut ledger, ms, warning, None), expected, "{ms}");
        }
        assert_eq!(told(&mut ledger, 27_000, critical, None), critical);
        assert_eq!(told(&mut ledger, 28_000, warning, Some("poison")), warning);
    }

    #[test]
    fn what_cannot_be_looked_at_any_more_has_not_gone() {
        let mut ledger = Ledger::default();
        ledger.enter(found(None), at(0));
        let blind = Diagnosis {
            blind: vec![("drift", "NOPERM".to_owned())],
            ..Diagnosis::default()
        };
        assert_eq!(ledger.enter(blind, at(1_000)).gone, []);
    }
}
