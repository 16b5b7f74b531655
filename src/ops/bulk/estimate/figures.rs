//! What a way costs, reckoned from its figures.

use std::time::Duration;

use super::{
    Ask, BACK_US, BATCH, BLOCK_US, CHANGED_US, ELEMENT_US, ENTRY_US, Kind, LARGE_BATCH, READ_US,
    ROUND_US, SINGLE_US, STEP_US, SWAP_US, SWAPS, SWEPT_US, Sample, TAKEN_BACK_US, TEXT_US,
    WATCHED_US,
};
use crate::queue::plan::{Cost, Way};

/// What the cost of a way is made of.
pub(super) struct Figures {
    /// Entries that are changed.
    count: f64,
    /// Elements of the order list.
    length: f64,
    /// Bytes of an entry.
    bytes: f64,
    walk: f64,
}

impl Figures {
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub(super) const fn new(sample: &Sample, ask: &Ask, walk: f64) -> Self {
        Self {
            count: ask.count as f64,
            length: sample.length as f64,
            bytes: ask.bytes as f64,
            walk,
        }
    }

    /// What an entry costs that is changed by itself, in µs.
    fn entry_us(&self, kind: Kind) -> f64 {
        match kind {
            // It is looked for, and then taken out.
            Kind::Delete | Kind::PutBack | Kind::Restore => SINGLE_US + 2.0 * self.walk * STEP_US,
            // It is looked for, and then all of its copies are taken out.
            Kind::Quarantine => SINGLE_US + (self.walk + self.length) * STEP_US,
            Kind::Append => SINGLE_US,
            Kind::Transfer if self.walk < 1.0 => WATCHED_US,
            Kind::Transfer => ENTRY_US + self.walk * STEP_US,
            Kind::Deliver => CHANGED_US + self.walk * STEP_US,
            Kind::TakeBack => TAKEN_BACK_US + self.walk * STEP_US,
            Kind::Stay => CHANGED_US,
            Kind::Discard => ELEMENT_US + self.walk * STEP_US,
            Kind::PutElements => ELEMENT_US,
            Kind::Realign => ENTRY_US,
        }
    }

    pub(super) fn takes_us(&self, way: Way, kind: Kind) -> f64 {
        let delivered = match (kind, way) {
            (Kind::Deliver, _) => self.count * CHANGED_US,
            // In due order by then.
            (Kind::Transfer, Way::Swap) => self.count * WATCHED_US,
            _ => self.count * ENTRY_US,
        };
        match way {
            Way::InOrder => self.count * self.entry_us(kind),
            Way::Swap => {
                let swapped = self.length * READ_US + self.count * SWAP_US;
                swapped
                    + if kind == Kind::Realign {
                        0.0
                    } else {
                        delivered
                    }
            }
            Way::SetAside => delivered + self.length.max(self.count) * BACK_US,
            Way::Sweep => self.length * ROUND_US + self.count * SWEPT_US,
        }
    }

    fn longest_us(&self, way: Way, kind: Kind) -> f64 {
        let (most, one) = match way {
            Way::InOrder if kind == Kind::Transfer => (LARGE_BATCH, self.entry_us(kind)),
            Way::InOrder => (BATCH, self.entry_us(kind)),
            Way::Swap => (SWAPS, SWAP_US),
            Way::SetAside => (LARGE_BATCH, BACK_US),
            Way::Sweep => {
                let chosen = self.count / self.length.max(1.0);
                (LARGE_BATCH, ROUND_US + SWEPT_US * chosen.min(1.0))
            }
        };
        let all = match way {
            Way::InOrder | Way::Swap => self.count,
            Way::SetAside | Way::Sweep => self.length.max(self.count),
        };
        one.max((most.min(all) * one + TEXT_US).min(BLOCK_US))
    }

    /// What replicas and the append-only file get: the commands that the scripts run.
    fn replicated(&self, way: Way, kind: Kind) -> f64 {
        let staying = (self.length - self.count).max(0.0);
        // Into target, out of timeouts.
        let delivered = self.count * (2.0 * self.bytes + 16.0);
        match (way, kind) {
            // All of them at once, if none stands before them that stays.
            (Way::InOrder, Kind::Transfer) if self.walk < 1.0 => delivered,
            (Way::InOrder, Kind::Stay) => self.count * (self.bytes + 100.0),
            (Way::InOrder, Kind::Discard) => self.count * (self.bytes + 45.0),
            (Way::InOrder, Kind::PutElements) => self.count * (self.bytes + 8.0),
            (Way::InOrder, Kind::TakeBack) => self.count * (2.0 * self.bytes + 180.0),
            // LREM or LINSERT beside them names the entry once more.
            (Way::InOrder, Kind::Quarantine | Kind::Restore | Kind::Append) => {
                self.count * (4.0 * self.bytes + 190.0)
            }
            (Way::InOrder, _) => self.count * (3.0 * self.bytes + 100.0),
            (Way::Swap, Kind::Realign) => self.count * 2.0 * (self.bytes + 90.0),
            (Way::Swap, _) => self.count * 2.0 * (self.bytes + 90.0) + delivered,
            (Way::SetAside, _) => delivered + staying * (self.bytes + 8.0),
            (Way::Sweep, Kind::PutBack) => {
                (self.length + self.count) * (self.bytes + 8.0) + self.count * (self.bytes + 90.0)
            }
            (Way::Sweep, Kind::Restore) => {
                (self.length + self.count) * (self.bytes + 8.0)
                    + self.count * (2.0 * self.bytes + 180.0)
            }
            (Way::Sweep, Kind::Quarantine) => {
                staying * (self.bytes + 8.0) + self.count * (2.0 * self.bytes + 30.0)
            }
            (Way::Sweep, _) => staying * (self.bytes + 8.0) + self.count * (self.bytes + 8.0),
        }
    }

    pub(super) fn cost(&self, way: Way, kind: Kind) -> Cost {
        let us = |us: f64| Duration::from_secs_f64(us / 1e6);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an estimate, and never below 0"
        )]
        let whole = |n: f64| n as u64;
        Cost {
            longest_block: us(self.longest_us(way, kind)),
            takes: us(self.takes_us(way, kind)),
            replicated_bytes: whole(self.replicated(way, kind)),
            journal_bytes: 0,
        }
    }
}
