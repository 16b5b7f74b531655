//! The course of findings: since when each holds, whether it gets worse, and that it has gone,
//! which no single look tells.

use super::causes;
use super::id;
use super::past::PassedHistory;
use super::trend::Trend;
use super::{Diagnosis, Finding, FindingEnd, PassedFinding};
use crate::clock::EpochMillis;

/// A finding that has gone is told for so long, in ms.
const MOMENT_MS: i64 = 10_000;
/// The shortest time in ms that is more than a moment's impression of something: nobody is told
/// that it has gone.
const SEEN_MS: i64 = 3_000;
/// The time in ms after the first look in which all that is so was so before it.
const FIRST_MS: i64 = 2_000;
/// The time in ms after which a figure is told to grow or shrink.
const TREND_MS: i64 = 3_000;
/// A rate is that of so long a time at least, in ms, where the figure was known for as long.
const RATE_MS: i64 = 30_000;
/// Counts that are further apart than this, in ms, are of two times.
const TOO_LONG_MS: i64 = 4 * RATE_MS;
/// It is told to be less bad than it was only when it has been so for so long, in ms, and in so
/// many looks: a figure about a limit would have it come and go.
const CALMS_MS: i64 = 5_000;
const CALM_LOOKS: u32 = 3;
/// The time in ms after another finding in which what follows from it is seen to go, or to stay.
const WITH_MS: i64 = 2_500;

/// The time after a change of ours, in ms, within which a finding that goes was mended by it: clients
/// need a moment to go on.
const HELPS_MS: i64 = 30_000;

/// All that has been found before.
#[derive(Clone, Debug, Default)]
pub(super) struct FindingLedger {
    known: Vec<KnownEntry>,
    /// The time of its first entry.
    began: Option<EpochMillis>,
    /// The end of our last change that may have repaired something.
    pub(super) repaired: Option<EpochMillis>,
    /// The finding that is told on when it has gone.
    pub(super) held: Option<&'static str>,
    history: PassedHistory,
}

#[derive(Clone, Debug)]
struct KnownEntry {
    finding: Finding,
    /// The time at which it was found first.
    first: EpochMillis,
    /// Its figure of a while ago, to which that of now is compared.
    counted: Option<Counts>,
    /// The finding at its worst.
    worst: Finding,
    /// The time since which it is less bad than it is told to be, and the looks since then.
    calmer: Option<(EpochMillis, u32)>,
    /// The time at which it was told last as what follows from another one.
    followed: Option<EpochMillis>,
    /// Another finding takes it in: it holds, and is not told.
    taken_in: bool,
    /// The time from which on it was not found any more.
    gone: Option<EpochMillis>,
    /// Its end, once it has gone.
    ending: FindingEnd,
}

impl FindingLedger {
    /// Findings that are over, the newest first.
    pub(super) fn passed(&self) -> impl Iterator<Item = &PassedFinding> {
        self.history.newest_first()
    }

    /// The same, and what has just gone before it.
    pub(super) fn over(&self) -> impl Iterator<Item = PassedFinding> {
        let gone = |known: &KnownEntry| Some(known.as_passed(known.told_gone()?));
        let gone = self.known.iter().rev().filter_map(gone);
        gone.chain(self.passed().cloned())
    }

    /// Before all was read again after a change of ours, or after the server was away, nothing has
    /// gone: what is not found stays as it was told last. So does at any time (not `all`) what its
    /// rule says is not over.
    pub(super) fn hold(&self, said: &mut Diagnosis, all: bool) {
        let told = |known: &&KnownEntry| known.gone.is_none() && !known.taken_in;
        for known in self.known.iter().filter(told) {
            let id = known.finding.id;
            if said.taken_in.contains(&id) || !all && !said.kept.contains(&id) {
                continue;
            }
            let found = said.findings.iter().any(|finding| finding.id == id);
            let blind = said.blind.iter().any(|(blind, _)| *blind == id);
            if !found && !blind {
                said.findings.push(known.finding.clone());
                said.fine = said.fine.saturating_sub(1);
            }
        }
    }

    /// Enters what the rules said at that moment, and completes it.
    pub(super) fn enter(&mut self, mut said: Diagnosis, at: EpochMillis) -> Diagnosis {
        self.began.get_or_insert(at);
        self.take_in(&said);
        // A worker of ours is what helps where no client runs.
        let ours = said
            .findings
            .iter()
            .any(|finding| finding.id == id::OWN_WORKER);
        for known in &mut self.known {
            let id = known.finding.id;
            let found = said.findings.iter().any(|finding| finding.id == id);
            if !found && !known.taken_in && known.gone.is_none() {
                known.gone = Some(at);
                let repaired = |then: EpochMillis| {
                    then >= known.first && (0..HELPS_MS).contains(&at.since(then))
                };
                known.ending = match self.repaired {
                    _ if ours && id == id::NO_TRANSFER_CLIENT => FindingEnd::Repaired,
                    Some(then) if repaired(then) => FindingEnd::Repaired,
                    _ => FindingEnd::ByItself,
                };
            }
        }
        self.forget(&said, at);
        for finding in &mut said.findings {
            self.complete(finding, at);
        }
        without_causes(&mut said.findings);
        causes::order(&mut said.findings);
        let gone = |known: &KnownEntry| known.told_gone().map(|gone| known.as_gone(gone));
        said.gone = self.known.iter().filter_map(gone).collect();
        said
    }

    /// Marks what another finding takes in: it is not over. When it has gone with that one, it is
    /// forgotten: what is told as over is the cause.
    fn take_in(&mut self, said: &Diagnosis) {
        let is_found = |id: &str| said.findings.iter().any(|finding| finding.id == id);
        let is_open =
            |id: &str| said.kept.contains(&id) || said.early.iter().any(|(early, _)| *early == id);
        let mut told = self
            .known
            .iter()
            .filter(|one| one.gone.is_none() && !one.taken_in);
        let cause_ends = told.any(|one| !is_found(one.finding.id));
        self.known.retain_mut(|known| {
            let id = known.finding.id;
            // What its rule does not decide now stays where it is.
            let stays = known.taken_in && !is_found(id) && is_open(id);
            let before = known.taken_in;
            known.taken_in = stays || said.taken_in.contains(&id);
            if known.taken_in {
                known.gone = None;
            }
            is_found(id) || known.taken_in || !(before && cause_ends)
        });
    }

    /// Forgets what went a moment ago: it is history. What cannot be looked at any more has
    /// not gone, and a suspicion that was not borne out was nothing.
    fn forget(&mut self, said: &Diagnosis, at: EpochMillis) {
        let blind = |id| said.blind.iter().any(|(blind, _)| *blind == id);
        let (held, history) = (self.held, &mut self.history);
        self.known.retain(|known| {
            let (id, Some(gone)) = (known.finding.id, known.gone) else {
                return !blind(known.finding.id);
            };
            if blind(id) || known.finding.open.is_some() {
                return false;
            }
            let found = said.findings.iter().any(|finding| finding.id == id);
            // What is held is told for as long as it is over; what comes again then is another one.
            let is_held = held == Some(id) && !found;
            let told = (0..MOMENT_MS).contains(&at.since(gone)) || is_held;
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
        let followed = match finding.follows {
            Some(_) => Some(at),
            None => before.and_then(|known| known.followed),
        };
        if let Some(known) = before.filter(|known| known.goes_with_its_cause(finding, at)) {
            *finding = known.finding.clone();
        }
        let first = before.map_or(at, |known| known.first);
        let counted = before.and_then(|known| known.counted);
        // What we took of it ourselves goes on by no rate.
        let ours = |counts: &Counts| self.repaired.is_some_and(|at| at >= counts.earlier.0);
        let counted = counted.filter(|counted| !ours(counted));
        let figure = finding.figure.filter(|_| !finding.sampled);
        let counted = match (counted, figure) {
            (Some(counts), Some(figure)) => Some(counts.then((at, figure))),
            (counts, figure) => counts.or_else(|| Some(Counts::of((at, figure?)))),
        };
        finding.evidence.told_at = Some(at);
        finding.since = Some(finding.since.map_or(first, |since| since.min(first)));
        let began = self.began.zip(finding.since);
        finding.before = began
            .is_some_and(|(began, since)| (-FIRST_MS..=FIRST_MS).contains(&since.since(began)));
        finding.trend = trend(counted.map(|counts| counts.earlier), at, figure);
        let harm = |found: &Finding| (found.severity, found.figure);
        let worst = match before.map(|known| known.worst.clone()) {
            Some(worst) if harm(&worst) > harm(finding) => worst,
            _ => finding.clone(),
        };
        let calmer = before.and_then(|known| known.calmer(finding, at));
        if let (Some(known), Some(_)) = (before, calmer) {
            finding.severity = known.finding.severity;
        }
        let entry = KnownEntry {
            finding: finding.clone(),
            first,
            counted,
            worst,
            calmer,
            followed,
            taken_in: false,
            gone: None,
            ending: FindingEnd::ByItself,
        };
        match known {
            Some(i) => self.known[i] = entry,
            None => self.known.push(entry),
        }
    }
}

/// Takes out what is told as what follows from a finding of this queue that is not told: alone,
/// "Same cause: …" says nothing, and in a moment it has gone too, or stands for itself. So does what
/// follows from one of these.
fn without_causes(findings: &mut Vec<Finding>) {
    loop {
        let told: Vec<&'static str> = findings.iter().map(|found| found.id).collect();
        // Slow transfers are those of another queue.
        let stands = |cause: &str| cause == id::SLOW_TRANSFER || told.contains(&cause);
        findings.retain(|found| found.follows.is_none_or(stands));
        if findings.len() == told.len() {
            return;
        }
    }
}

/// Two counts of a figure, so that its rate is that of the last minute or so: what happened before that
/// says nothing of how it goes on.
#[derive(Clone, Copy, Debug)]
struct Counts {
    earlier: (EpochMillis, u64),
    later: (EpochMillis, u64),
}

impl Counts {
    /// The first count.
    const fn of(count: (EpochMillis, u64)) -> Self {
        Self {
            earlier: count,
            later: count,
        }
    }

    /// Takes in another count: the later one becomes the earlier once it is old enough itself.
    fn then(self, now: (EpochMillis, u64)) -> Self {
        match now.0.since(self.later.0) {
            0..RATE_MS => self,
            // Of a longer time in which it was not known, or of one that a clock was set back by, no
            // rate of now comes.
            ..0 | TOO_LONG_MS.. => Self::of(now),
            _ => Self {
                earlier: self.later,
                later: now,
            },
        }
    }
}

impl KnownEntry {
    /// The time since which `now` is less bad than this is told to be, and the looks since then,
    /// while that is not yet believed. What is explained by another finding is so at once.
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

    /// It was told as what follows from another finding until just now: when that one has gone, the
    /// next look tells whether it has gone with it.
    fn goes_with_its_cause(&self, now: &Finding, at: EpochMillis) -> bool {
        let just_now = |then| (0..WITH_MS).contains(&at.since(then));
        now.follows.is_none() && self.gone.is_none() && self.followed.is_some_and(just_now)
    }

    /// The time at which it went, if it was seen for long enough that this is worth a word.
    fn told_gone(&self) -> Option<EpochMillis> {
        self.gone.filter(|gone| gone.since(self.first) >= SEEN_MS)
    }

    /// The memory of it: for as long as was told while it stood.
    fn as_passed(&self, gone: EpochMillis) -> PassedFinding {
        let since = self.finding.since;
        let since = since.filter(|_| self.finding.stands_as_long());
        PassedFinding {
            id: self.finding.id,
            severity: self.worst.severity,
            figure: self.worst.figure,
            headline: self.worst.headline.clone(),
            details: self.worst.details.clone(),
            since: since.unwrap_or(self.first),
            until: gone,
            times: 1,
        }
    }

    /// Told as what it was: at its worst, not with whatever figures its last look happened to show.
    fn as_gone(&self, gone: EpochMillis) -> Finding {
        let Finding {
            severity,
            figure,
            headline,
            details,
            ..
        } = self.worst.clone();
        Finding {
            gone: Some(gone),
            lasted_ms: gone.since(self.first),
            ending: self.ending,
            severity,
            figure,
            headline,
            details,
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
mod tests;
