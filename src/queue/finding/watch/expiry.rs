//! An expiry of timeouts that a survey has seen, and what it has taken.

use super::{Beat, Watch};
use crate::clock::EpochMillis;
use crate::queue::{KeyFacts, Survey};

/// The moment at which a key expires is known to so many ms: its rest and the time are not read in
/// the same instant, and each is rounded.
const NEARLY_MS: i64 = 1_000;

/// A key that expires.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Expiry {
    key: Vec<u8>,
    at: EpochMillis,
}

/// The entries that an expiry of timeouts has taken.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in super::super) struct ExpiredEntries {
    /// The key.
    pub(in super::super) key: Vec<u8>,
    /// When it expired, by the server's clock.
    pub(in super::super) at: EpochMillis,
    /// Entries that waited in it when it was read last.
    pub(in super::super) waited: u64,
    /// Entries of them that were due then: they may have been transferred since.
    pub(in super::super) late: u64,
}

impl Watch {
    /// A survey tells which keys expire.
    pub(super) fn surveyed_expiry(&mut self, survey: &Survey) {
        let timeouts = survey.keys.iter().find(|key| key.wanted == "zset");
        let is_there = |key: &&KeyFacts| key.kind == key.wanted;
        let Some(key) = timeouts.filter(is_there) else {
            // It may just have expired: the next pulse tells.
            return;
        };
        self.expiry = key.expires_in_ms.map(|ms| Expiry {
            key: key.key.clone(),
            at: survey.at.plus(ms),
        });
    }

    /// A pulse tells what has become of a key that was to expire.
    pub(super) fn expires(&mut self, beat: &Beat) {
        let gone = beat.waiting == Some(0);
        let Some(expiry) = self.expiry.take_if(|expiry| {
            let over_ms = beat.at.since(expiry.at);
            over_ms > NEARLY_MS || gone && over_ms >= -NEARLY_MS
        }) else {
            return;
        };
        let last = self.beats.back().copied();
        let Some((waited, late)) = last.and_then(|last| last.waiting.zip(last.late)) else {
            return;
        };
        // The head may have fallen due, and been transferred, before the key expired.
        let head = last.and_then(|last| last.first);
        let is_due = head.is_some_and(|(_, due)| due <= beat.at);
        let late = late.max(u64::from(is_due));
        // What was due may have been transferred, up to the last one.
        if gone && waited > late && !self.changing {
            self.expired = Some(ExpiredEntries {
                key: expiry.key,
                at: expiry.at.min(beat.at),
                waited,
                late,
            });
            // Figures of before would make this a transfer.
            self.beats.clear();
            self.still = None;
            self.lateness.forget();
        }
    }
}
