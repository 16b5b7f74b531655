//! Since when a finding holds, whether it gets worse, and that it has gone: what no single look tells.

use super::{Diagnosis, Finding, Severity};
use crate::clock::EpochMillis;
use crate::queue::text;

/// A finding that has gone is told for so long, in ms.
const MOMENT_MS: i64 = 10_000;
/// Whether a figure grows is told after so long, in ms.
const TREND_MS: i64 = 3_000;

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
}

#[derive(Clone, Debug)]
struct Known {
    finding: Finding,
    /// When it was found first, and how large its figure was then.
    first: (EpochMillis, Option<u64>),
    /// How bad it was at its worst, how large its figure, and what it said then.
    worst: (Severity, Option<u64>, String),
    /// When it was not found any more.
    gone: Option<EpochMillis>,
}

impl Ledger {
    /// Enters what the rules said at that moment, and completes it.
    pub(super) fn enter(&mut self, mut said: Diagnosis, at: EpochMillis) -> Diagnosis {
        for known in &mut self.known {
            let id = known.finding.id;
            let found = said.findings.iter().any(|finding| finding.id == id);
            if !found && known.gone.is_none() {
                known.gone = Some(at);
            }
        }
        // What cannot be looked at any more has not gone.
        self.known.retain(|known| {
            let told = known
                .gone
                .is_none_or(|gone| (0..MOMENT_MS).contains(&at.since(gone)));
            told && !said.blind.iter().any(|(id, _)| *id == known.finding.id)
        });
        for finding in &mut said.findings {
            self.complete(finding, at);
        }
        let gone = self.known.iter().filter(|known| known.gone.is_some());
        said.gone = gone.map(Known::as_gone).collect();
        said
    }

    fn complete(&mut self, finding: &mut Finding, at: EpochMillis) {
        let known = self
            .known
            .iter()
            .position(|one| one.finding.id == finding.id);
        let first = match known {
            Some(i) => {
                let first = self.known[i].first;
                // It comes and goes: the same one.
                self.known[i].gone = None;
                first
            }
            None => (at, finding.figure),
        };
        finding.since = Some(finding.since.map_or(first.0, |since| since.min(first.0)));
        finding.trend = trend(first, at, finding.figure);
        let now = (finding.severity, finding.figure, finding.sentence.clone());
        let before = known.map(|i| self.known[i].worst.clone());
        let entry = Known {
            finding: finding.clone(),
            first,
            worst: match before {
                Some(worst) if (worst.0, worst.1) > (now.0, now.1) => worst,
                _ => now,
            },
            gone: None,
        };
        match known {
            Some(i) => self.known[i] = entry,
            None => self.known.push(entry),
        }
    }
}

impl Known {
    /// Told as what it was: at its worst, not with whatever figures its last look happened to show.
    fn as_gone(&self) -> Finding {
        let ms = self.finding.since.zip(self.gone);
        let lasted = ms.map_or(0, |(since, gone)| gone.since(since).max(0));
        let (severity, figure, worst) = self.worst.clone();
        Finding {
            gone: self.gone,
            severity,
            figure,
            sentence: format!("It was so for {}: {worst}", text::countdown(lasted)),
            ..self.finding.clone()
        }
    }
}

fn trend(first: (EpochMillis, Option<u64>), at: EpochMillis, now: Option<u64>) -> Option<Trend> {
    let (since, Some(before), Some(now)) = (first.0, first.1, now) else {
        return None;
    };
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
    use super::super::{Finding, Severity};
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
        assert_eq!(gone[0].sentence, "It was so for 1:07: 20 late.");
        assert_eq!((gone[0].severity, gone[0].figure), (critical, Some(20)));
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
