//! Waiting for what is about to be decided: whoever asks what is wrong wants to know it, not that
//! it will be known in a moment.

use std::time::Duration;

use super::super::meter::Meter;
use super::super::stop::StopSignal;
use super::{Doctor, PAUSE, SPAN};
use crate::clock::instant;
use crate::queue::finding::{DECIDED_MS, Diagnosis};
use crate::queue::{Severity, text};

/// The longest that it looks on where something as bad as a warning is known already.
const LONGER_MS: u64 = 10_000;

impl Doctor<'_> {
    /// Looks on, round by round, as long as something is decided soon; whoever cannot wait for it
    /// ends that, and is told what is known by then.
    pub(super) async fn until_decided(
        &mut self,
        mut said: Vec<Diagnosis>,
        stop: &mut StopSignal,
    ) -> anyhow::Result<Vec<Diagnosis>> {
        let begun = instant();
        let mut meter = (!self.quiet).then(Meter::new);
        loop {
            let spent = instant().saturating_duration_since(begun);
            let Some((at, question)) = soonest(&said, spent) else {
                break;
            };
            if let Some(meter) = &mut meter {
                let name = text::printable_bytes(self.queues[at].queue().name.as_bytes());
                meter.show(&format!("{name}: {question}, Ctrl-C ends it"));
            }
            tokio::select! {
                () = stop.asked() => break,
                () = tokio::time::sleep(PAUSE) => {}
            }
            tokio::select! {
                () = stop.asked() => break,
                round = self.round() => self.take(round, &mut said),
            }
            if self.broken.is_some() {
                break;
            }
        }
        if let Some(meter) = &mut meter {
            meter.clear();
        }
        Ok(said)
    }
}

/// The question that is answered first, if it is worth waiting for after so much time spent, with
/// the place of its queue. Where nothing bad is known it is, for as long as the slowest rule needs:
/// all would look well else.
fn soonest(said: &[Diagnosis], spent: Duration) -> Option<(usize, String)> {
    let spent_ms = u64::try_from(spent.as_millis()).unwrap_or(u64::MAX);
    let longest_ms = DECIDED_MS.saturating_sub(SPAN.as_secs() * 1_000);
    let of_queue = |(at, said): (usize, &Diagnosis)| {
        let bad = said.worst() >= Some(Severity::Warning);
        let most_ms = if bad { LONGER_MS } else { longest_ms };
        let left_ms = most_ms.saturating_sub(spent_ms);
        let open = said.open().map(|open| (open.known_in_ms, open.words()));
        let worsens = said.findings.iter().filter_map(|found| {
            let ms = found.worsens_in_ms?;
            let words = format!("{} Checking whether that lasts", found.headline);
            Some((
                Some(ms),
                format!("{words} ({} s)", (ms.max(0) + 999) / 1_000),
            ))
        });
        let timed = open.chain(worsens).filter_map(move |(ms, words)| {
            let ms = u64::try_from(ms?.max(1)).ok();
            // What was to be known by now, and is not, has its time too.
            let ms = ms.filter(|ms| *ms <= left_ms)?;
            Some((ms, at, words))
        });
        timed.collect::<Vec<_>>()
    };
    let all = said.iter().enumerate().flat_map(of_queue);
    let first = all.min_by_key(|(ms, _, _)| *ms);
    first.map(|(_, at, words)| (at, words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Finding;
    use crate::queue::finding::OpenQuestion;

    fn open(known_in_ms: i64) -> Diagnosis {
        let open = OpenQuestion {
            seen: "3 wait".to_owned(),
            asks: "whether any is taken".to_owned(),
            known_in_ms: Some(known_in_ms),
        };
        Diagnosis {
            early: vec![("nothing-consumed", open)],
            ..Diagnosis::default()
        }
    }

    fn asks(said: &[Diagnosis], spent_s: u64) -> Option<usize> {
        soonest(said, Duration::from_secs(spent_s)).map(|(at, _)| at)
    }

    #[test]
    fn half_a_minute_is_waited_where_nothing_bad_is_known() {
        assert_eq!(asks(&[open(26_000)], 0), Some(0));
        assert_eq!(asks(&[open(26_000), open(20_000)], 0), Some(1));
        assert_eq!(asks(&[open(1_000)], 31), None);
        assert_eq!(asks(&[open(0)], 20), Some(0));
        assert_eq!(asks(&[open(0)], 40), None, "it is never known");
        assert_eq!(asks(&[open(60_000)], 0), None);
        assert_eq!(asks(&[Diagnosis::default()], 0), None);
    }

    #[test]
    fn less_is_waited_where_something_bad_is_known_of_the_queue() {
        let mut bad = open(26_000);
        let found = Finding::new("poison", Severity::Warning, "One entry is unreadable.");
        bad.findings.push(found);
        assert_eq!(asks(&[bad.clone()], 0), None);
        assert_eq!(asks(&[bad, open(26_000)], 0), Some(1));
    }

    #[test]
    fn a_note_that_becomes_a_warning_is_waited_for() {
        let mut note = Finding::new("nothing-consumed", Severity::Note, "Nobody takes.");
        let said = |note: &Finding| Diagnosis {
            findings: vec![note.clone()],
            ..Diagnosis::default()
        };
        assert_eq!(asks(&[said(&note)], 0), None);
        note.worsens_in_ms = Some(20_000);
        assert_eq!(asks(&[said(&note)], 0), Some(0));
    }
}
