//! The elements that stand in target: since when none of them was seen to go. It is kept for as long
//! as that is so, however few pulses are kept, and also while the server is away: only what was read
//! before and after tells that something was taken meanwhile.

use super::sampling::{APART_MS, BEYOND_HAND_OVER};
use super::{Beat, Watch};
use crate::clock::EpochMillis;
use crate::queue::finding::flow::{self, TakenCount};

/// Of a standstill that was there before the first look, samples so long before its first pulse
/// count, in ms: they are read beside it.
const BESIDE_MS: i64 = 2_000;

/// Target has elements, none has been seen to go, and it has grown, or was long before the first
/// look.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::queue::finding) struct StandingTarget {
    /// The moment since which none was seen to go.
    pub(in crate::queue::finding) since: EpochMillis,
    /// Elements by which it has grown since then (or just before).
    pub(in crate::queue::finding) grown: u64,
    /// Elements that stand in target.
    pub(in crate::queue::finding) length: u64,
    /// It was so before the first pulse: nobody knows for how long.
    pub(in crate::queue::finding) before: bool,
    /// Samples that are apart have shown that none was taken.
    pub(in crate::queue::finding) untaken: bool,
    /// The first pulse since which it has not become shorter.
    rises: EpochMillis,
}

impl StandingTarget {
    /// The first moment of which samples tell of it.
    pub(in crate::queue::finding) fn sampled(&self) -> EpochMillis {
        let beside = if self.before { BESIDE_MS } else { 0 };
        self.rises.plus(-beside)
    }
}

/// The memory of target's length.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TargetMemory {
    /// It has been read.
    known: bool,
    stands: Option<StandingElements>,
}

/// Elements stand in target.
#[derive(Clone, Copy, Debug)]
struct StandingElements {
    since: EpochMillis,
    rises: EpochMillis,
    /// The length at `since`; nothing, where it was empty just before.
    least: u64,
    length: u64,
    before: bool,
    untaken: bool,
}

impl TargetMemory {
    /// A pulse has been read. One that could not read target tells nothing of it. `ours`: a change of
    /// this program has gone on since the one before: what went then, nobody has consumed.
    pub(super) fn saw(&mut self, beat: &Beat, ours: bool) {
        let Some(length) = beat.target else { return };
        let anew = |least, before| StandingElements {
            since: beat.at,
            rises: beat.at,
            least,
            length,
            before,
            untaken: false,
        };
        self.stands = match self.stands {
            _ if length == 0 => None,
            // A clock that was set back begins anew.
            Some(stands) if length >= stands.length && beat.at >= stands.since => {
                Some(StandingElements { length, ..stands })
            }
            Some(stands) if ours && beat.at >= stands.since => Some(StandingElements {
                rises: beat.at,
                least: stands.least.saturating_sub(stands.length - length),
                length,
                ..stands
            }),
            Some(_) => Some(anew(length, false)),
            None if self.known => Some(anew(0, false)),
            None => Some(anew(length, true)),
        };
        self.known = true;
    }
}

impl Watch {
    /// A sample has been read: whether its front tells that an element was taken, or that none was.
    pub(super) fn sampled_target(&mut self) {
        let Some(stands) = self.target.stands else {
            return;
        };
        match flow::taken_last(self) {
            Some(at) if at > stands.since => {
                self.target.stands = Some(StandingElements {
                    since: at,
                    least: stands.length,
                    before: false,
                    untaken: false,
                    ..stands
                });
            }
            _ => {
                let sampled = self.standing_target().map(|standing| standing.sampled());
                let taken = sampled.map(|since| flow::taken_of(self, since));
                let none = matches!(taken, Some(TakenCount::Exactly(0, ms)) if ms >= APART_MS);
                if let Some(stands) = self.target.stands.as_mut().filter(|_| none) {
                    stands.untaken = true;
                }
            }
        }
    }

    /// The elements that have stood in a target that has grown, and since when; none when any was
    /// seen to go.
    pub(in crate::queue::finding) fn standing_target(&self) -> Option<StandingTarget> {
        let stands = self.target.stands?;
        let grown = stands.length - stands.least;
        let heap = stands.before && stands.length >= BEYOND_HAND_OVER;
        (grown > 0 || heap).then_some(StandingTarget {
            since: stands.since,
            grown,
            length: stands.length,
            before: stands.before,
            untaken: stands.untaken,
            rises: stands.rises,
        })
    }
}
