//! The signs of the other queue that has the same keys, gathered from sample to sample: one in which
//! nothing is to be seen of it shows only that nothing was delivered or taken in that moment.

use super::Watch;
use crate::clock::EpochMillis;
use crate::queue::Twin;
use crate::queue::frames::Frames;

/// A sign counts for so long, in ms: longer than from one sample to the next.
pub(in crate::queue::finding) const TWIN_LASTS_MS: i64 = 180_000;
/// A list that stood there, to which nobody was seen to write, may have been emptied by its consumers:
/// it has been cleared away when it has not come back for so long, in ms.
const COMES_BACK_MS: i64 = 60_000;

/// The signs, each with the last sample that showed it.
#[derive(Clone, Debug, Default)]
pub(super) struct TwinSigns {
    /// The last sample that showed anything of the other one.
    last: Option<(EpochMillis, Twin)>,
    stands: Option<EpochMillis>,
    /// The last write to the other one that was seen.
    written: Option<EpochMillis>,
    /// By the last sample, somebody writes to it still.
    is_written: bool,
    /// The first sample of those without a pause that showed it.
    written_since: Option<EpochMillis>,
    own: Option<EpochMillis>,
    not_own: Option<EpochMillis>,
}

impl TwinSigns {
    /// A sample has been read.
    pub(super) fn saw(&mut self, frames: &Frames) {
        let at = frames.at;
        let written = frames.twin.as_ref().and_then(|twin| twin.written_ago_ms);
        let goes_on = std::mem::replace(&mut self.is_written, written.is_some());
        let Some(twin) = &frames.twin else {
            if self.written.is_none() && !self.are_doubted(at) {
                // A list that only stood there, and to which nobody writes, has gone.
                *self = Self::default();
            }
            return;
        };
        let sign = |known: &mut Option<EpochMillis>, is_seen: bool| {
            if is_seen {
                *known = Some(at);
            }
        };
        sign(&mut self.stands, twin.stands);
        if let Some(ago_ms) = written {
            let is_old = |last: EpochMillis| at.since(last) >= TWIN_LASTS_MS;
            if !goes_on && self.written.is_none_or(is_old) {
                self.written_since = Some(at);
            }
            self.written = self.written.max(Some(at.plus(-ago_ms)));
        }
        sign(&mut self.own, twin.own == Some(true));
        sign(&mut self.not_own, twin.own == Some(false));
        self.last = Some((at, twin.clone()));
    }
}

impl TwinSigns {
    /// A list stood there a moment ago, and another look tells whether it comes back.
    pub(super) fn are_doubted(&self, at: EpochMillis) -> bool {
        let lately = |stood: EpochMillis| at.since(stood) < COMES_BACK_MS;
        self.written.is_none() && self.stands.is_some_and(lately)
    }
}

impl Watch {
    /// The time for which it is known that somebody writes to the other one, in ms.
    pub(in crate::queue::finding) fn twin_written_ms(&self) -> i64 {
        let last = self.sample().map(|sample| sample.at);
        let since = self
            .twins
            .written_since
            .filter(|_| self.twins.written.is_some());
        last.zip(since).map_or(0, |(last, since)| last.since(since))
    }

    /// The time in ms since a list of the other one's, or a write to it, was seen last; none while
    /// somebody writes to it.
    pub(in crate::queue::finding) fn twin_quiet_ms(&self) -> Option<i64> {
        let last = self.twins.written.max(self.twins.stands);
        let last = last.filter(|_| !self.twins.is_written)?;
        Some(self.sample()?.at.since(last))
    }

    /// The other queue that has the same keys, by all samples of the last minutes; none when none of
    /// them shows anything of it. Where nothing is left of this queue, none are taken any more.
    pub(in crate::queue::finding) fn twin(&self) -> Option<Twin> {
        let signs = &self.twins;
        let beat = self.beats.back();
        let is_empty = |beat: &&super::Beat| {
            let counts = [beat.waiting, beat.order, beat.target];
            counts.iter().all(|count| *count == Some(0))
        };
        let now = match (self.sample(), beat.filter(is_empty)) {
            (Some(last), Some(beat)) => beat.at.max(last.at),
            (Some(last), None) => last.at,
            (None, _) => return None,
        };
        let counts = |at: Option<EpochMillis>| at.is_some_and(|at| now.since(at) < TWIN_LASTS_MS);
        let (_, last) = signs.last.as_ref().filter(|(at, _)| counts(Some(*at)))?;
        let is_written = signs.is_written && counts(self.sample().map(|last| last.at));
        Some(Twin {
            name: last.name.clone(),
            stands: counts(signs.stands),
            written_ago_ms: signs
                .written
                .filter(|_| is_written || counts(signs.written))
                .map(|last| now.since(last)),
            own: match () {
                () if counts(signs.own) => Some(true),
                () if counts(signs.not_own) => Some(false),
                () => None,
            },
        })
    }
}
