//! The problems of a queue that are over: short, so that whoever looks later learns of them.

use std::collections::VecDeque;

use super::Severity;
use super::found::joined;
use crate::clock::EpochMillis;

/// A note that was over sooner is not worth remembering, in ms.
const BRIEF_MS: i64 = 10_000;
/// The same again within this is the same incident, in ms.
const AGAIN_MS: i64 = 60_000;

/// A finding that has gone, as it was at its worst.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PassedFinding {
    /// The rule that found it.
    pub id: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// Its figure, in whatever the rule counts.
    pub figure: Option<u64>,
    /// Its headline.
    pub headline: String,
    /// Its details.
    pub details: String,
    /// The moment from which on it was seen, by the server's clock.
    pub since: EpochMillis,
    /// The moment until which it was seen.
    pub until: EpochMillis,
    /// Number of times that it came and went in that time: at least 1.
    pub times: u32,
}

/// The last of them, oldest first; bounded.
#[derive(Clone, Debug, Default)]
pub(super) struct PassedHistory(VecDeque<PassedFinding>);

impl PassedHistory {
    /// Findings that are remembered.
    const KEPT: usize = 20;

    /// They are over.
    pub(super) fn add(&mut self, passed: PassedFinding) {
        let lasted = passed.until.since(passed.since);
        if passed.severity == Severity::Note && lasted < BRIEF_MS {
            return;
        }
        let last = self.0.iter_mut().rev().find(|one| one.id == passed.id);
        match last.filter(|last| passed.since.since(last.until) <= AGAIN_MS) {
            Some(last) => last.join(passed),
            None => self.0.push_back(passed),
        }
        if self.0.len() > Self::KEPT {
            let notes = self.0.iter().position(|one| one.severity == Severity::Note);
            self.0.remove(notes.unwrap_or(0));
        }
    }

    /// The newest first.
    pub(super) fn newest_first(&self) -> impl Iterator<Item = &PassedFinding> {
        self.0.iter().rev()
    }
}

impl PassedFinding {
    /// Headline and details in one line.
    #[must_use]
    pub fn sentence(&self) -> String {
        joined(&self.headline, &self.details)
    }

    /// It came again, and went.
    fn join(&mut self, again: Self) {
        let (since, times) = (self.since.min(again.since), self.times + again.times);
        let until = again.until;
        if (again.severity, again.figure) > (self.severity, self.figure) {
            *self = again;
        }
        (self.since, self.until, self.times) = (since, until, times);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::START;
    use super::*;

    fn passed(id: &'static str, severity: Severity, (from, to): (i64, i64)) -> PassedFinding {
        PassedFinding {
            id,
            severity,
            figure: Some(to.unsigned_abs()),
            headline: format!("until {to}"),
            details: String::new(),
            since: START.plus(from * 1_000),
            until: START.plus(to * 1_000),
            times: 1,
        }
    }

    fn after(all: impl IntoIterator<Item = PassedFinding>) -> Vec<(&'static str, i64, u32)> {
        let mut history = PassedHistory::default();
        all.into_iter().for_each(|one| history.add(one));
        let told = history.newest_first();
        told.map(|one| (one.id, one.until.since(START) / 1_000, one.times))
            .collect()
    }

    #[test]
    fn what_comes_again_within_a_minute_is_one_incident_as_bad_as_its_worst() {
        let (note, warning) = (Severity::Note, Severity::Warning);
        let all = [
            passed("drift", warning, (0, 20)),
            passed("ttl", warning, (30, 40)),
            passed("drift", note, (80, 99)),
            passed("drift", warning, (160, 170)),
        ];
        assert_eq!(
            after(all.clone()),
            [("drift", 170, 1), ("ttl", 40, 1), ("drift", 99, 2)]
        );
        let mut history = PassedHistory::default();
        for one in all {
            history.add(one);
        }
        let first = history.0.front().unwrap();
        assert_eq!(
            (first.severity, first.sentence().as_str()),
            (warning, "until 20")
        );
        assert_eq!(first.since, START);
    }

    #[test]
    fn brief_notes_are_forgotten_at_once_and_notes_first() {
        let (note, warning) = (Severity::Note, Severity::Warning);
        assert_eq!(after([passed("ttl", note, (0, 9))]), []);
        let warnings = (1..=20).map(|n| passed("drift", warning, (n * 100, n * 100 + 1)));
        let all = [
            passed("drift", warning, (0, 1)),
            passed("ttl", note, (2, 20)),
        ];
        let told = after(all.into_iter().chain(warnings));
        assert_eq!(
            (told.len(), told[0], told[19]),
            (20, ("drift", 2_001, 1), ("drift", 101, 1))
        );
        let notes = (0..20).map(|n| passed("ttl", note, (n * 100, n * 100 + 10)));
        let told = after([passed("drift", warning, (0, 1))].into_iter().chain(notes));
        assert_eq!((told.len(), told[19].0), (20, "drift"));
    }
}
