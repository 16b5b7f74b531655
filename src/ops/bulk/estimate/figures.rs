//! The way that a change goes, and what that costs, reckoned from what is known of it.

use std::time::Duration;

use super::{
    Ask, BATCH, ENTRY_US, LARGE_BATCH, OrderSample, READ_US, ROUND_US, SINGLE_US, STEP_US,
    SWEPT_US, TEXT_US, Walk, WorkKind, float,
};
use crate::queue::plan::{Cost, Way};
use crate::queue::{Queue, text};

/// The time for an entry that is due and first in the order list, where a transaction moves it that
/// others have not disturbed, in µs.
const WATCHED_US: f64 = 1.2;
/// The same of one that is looked up by itself: delivered, or given another score or other bytes.
const CHANGED_US: f64 = 8.0;
/// The same of one that is taken back out of target.
const TAKEN_BACK_US: f64 = 9.0;
/// The same of an element of target that is deleted or put back.
const ELEMENT_US: f64 = 1.5;
/// The time for two elements that change places; and the additional time for each element of the
/// list, since a place in it is looked for.
const SWAP_US: [f64; 2] = [20.0, 0.000_07];
/// The time for each element that is brought back, or dropped.
const BACK_US: f64 = 2.3;
/// Bytes that are in the other figures.
const SMALL: u64 = 64;
/// The time for a byte of an entry that is named to a script, or goes round.
const BYTE_US: f64 = 0.005;
/// The same where a script reads it, writes it and tells it.
const MOVED_BYTE_US: f64 = 0.010;
/// Time for each script beside its entries: its round trip, and what the journal writes down and
/// brings to disk.
const SCRIPT_US: f64 = 500.0;

/// With no more elements to pass for each entry, a script of Redisson takes at most 2 ms: in order.
const SHORT_WALK: f64 = 1_250.0;
/// Swaps in a batch at most.
const SWAPS: f64 = 250.0;
/// The factor from what is thought to what is promised, which is a bound.
const SURE: f64 = 2.0;

/// All that the way of a change and its cost depend on, but for how long a script may keep the
/// server.
#[derive(Clone, Debug)]
pub struct EstimateBasis {
    has_order_list: bool,
    expires: bool,
    ask: Ask,
    walk: Walk,
    /// Entries that are changed.
    count: f64,
    /// Elements of the list.
    length: f64,
    /// Bytes of an entry beyond those of a small one: on the average, and of the largest.
    bytes: [f64; 2],
    /// The same of an element of the list.
    element: [f64; 2],
    /// All bytes of an element of the list, on the average.
    sampled: u64,
}

/// The time for one of those that a script takes some of, in µs: on the average, and at most.
type TimePerItem = [f64; 2];

impl EstimateBasis {
    /// Gathers what is known of a change whose entries are walked to like this.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub fn new(queue: &Queue, sample: &OrderSample, ask: &Ask, walk: Walk) -> Self {
        Self {
            has_order_list: queue.keys().order.is_some(),
            expires: sample.expires,
            ask: *ask,
            walk,
            count: ask.count as f64,
            length: sample.length as f64,
            bytes: ask.bytes.map(|bytes| bytes.saturating_sub(SMALL) as f64),
            sampled: sample.bytes[0],
            element: sample.bytes.map(|bytes| bytes.saturating_sub(SMALL) as f64),
        }
    }

    /// The way that a change should go when no script shall keep the server for longer than
    /// `max_block`, and what it costs. Of a `zset-list` queue always in order. A way that keeps the
    /// bound comes before one that is faster.
    #[must_use]
    pub fn choose(&self, max_block: Duration) -> (Way, Cost) {
        let most = max_block.as_secs_f64() * 1e6;
        let way = self.way(most);
        (way, self.cost(way, most))
    }

    /// Says why a single entry keeps the server for longer than a script shall, where it does.
    #[must_use]
    pub fn why_long(&self, max_block: Duration) -> Option<String> {
        let most = max_block.as_secs_f64() * 1e6;
        let way = self.way(most);
        if SURE * self.longest_one(way) <= most {
            return None;
        }
        let largest = if way == Way::InOrder {
            self.bytes[1]
        } else {
            self.bytes[1].max(self.element[1])
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a length, for people"
        )]
        let [bytes, length] = [largest, self.length].map(|n| n as u64);
        let bytes = bytes + SMALL;
        Some(if largest * MOVED_BYTE_US > self.longest_one(way) / 2.0 {
            format!("the largest has {}", text::bytes(bytes))
        } else {
            let elements = text::counted(length, "element", "elements");
            format!("it is searched for in a list of {elements}")
        })
    }

    fn way(&self, most: f64) -> Way {
        let takes = |way| self.takes_us(way, most);
        let better = |a: Way, b: Way| {
            let [one, other] = [a, b].map(|way| self.longest_one(way).max(most));
            if (one - other).abs() > other * 0.2 {
                one < other
            } else {
                takes(a) < takes(b)
            }
        };
        if !self.has_order_list {
            return Way::InOrder;
        }
        match self.ask.kind {
            WorkKind::Realign => Way::Swap,
            WorkKind::Delete
            | WorkKind::Quarantine
            | WorkKind::PutBack
            | WorkKind::Restore
            | WorkKind::Edit
                if better(Way::Sweep, Way::InOrder) =>
            {
                Way::Sweep
            }
            WorkKind::Transfer | WorkKind::Deliver => {
                let short = self.walk.turn <= SHORT_WALK && self.longest_one(Way::InOrder) <= most;
                match () {
                    // Few are done before the list has been read once.
                    () if short || better(Way::InOrder, Way::Swap) => Way::InOrder,
                    () if !self.ask.due => Way::Swap,
                    () if self.count < self.length / 1_000.0 => Way::Swap,
                    () if self.ask.clients == 0 && self.count < self.length / 15.0 => Way::Swap,
                    () if self.expires => Way::Swap,
                    () => Way::SetAside,
                }
            }
            _ => Way::InOrder,
        }
    }

    /// Estimates the time for an entry that is changed by itself.
    fn entry_us(&self) -> TimePerItem {
        let Walk {
            turn,
            head,
            near,
            most: [turn_most, head_most, near_most],
        } = self.walk;
        let (fixed, steps, byte) = match self.ask.kind {
            // It is looked for from both ends, and then all of its copies are taken out.
            WorkKind::Delete | WorkKind::Quarantine if self.has_order_list => {
                let all = self.length;
                (
                    SINGLE_US,
                    [2.3 * near + all, 2.3 * near_most + all],
                    BYTE_US,
                )
            }
            WorkKind::Delete | WorkKind::Quarantine | WorkKind::Append => {
                (SINGLE_US, [0.0; 2], BYTE_US)
            }
            WorkKind::PutBack | WorkKind::Restore => (SINGLE_US, [head, head_most], BYTE_US),
            // Its place is looked for, and then all copies of the old bytes are taken out.
            WorkKind::Edit if self.has_order_list => {
                let all = self.length;
                (CHANGED_US, [head + all, head_most + all], BYTE_US)
            }
            // Its place is looked for twice.
            WorkKind::Replace => (CHANGED_US, [2.0 * head, 2.0 * head_most], BYTE_US),
            WorkKind::OrderList => (CHANGED_US, [self.length; 2], BYTE_US),
            WorkKind::Transfer if turn < 1.0 => (WATCHED_US, [0.0; 2], MOVED_BYTE_US),
            WorkKind::Transfer => (ENTRY_US, [turn, turn_most], MOVED_BYTE_US),
            WorkKind::Deliver => (CHANGED_US, [turn, turn_most], BYTE_US),
            WorkKind::TakeBack => (TAKEN_BACK_US, [turn, turn_most], BYTE_US),
            // What is held is looked up, and its lease leaves beside it.
            WorkKind::Stay | WorkKind::Edit | WorkKind::GiveBack => (CHANGED_US, [0.0; 2], BYTE_US),
            WorkKind::Discard => (ELEMENT_US, [turn, turn_most], BYTE_US),
            // It is looked for twice, and its neighbour once, before it is taken out.
            WorkKind::DiscardNewest => (CHANGED_US, [4.0 * turn, 4.0 * turn_most], BYTE_US),
            WorkKind::PutElements => (ELEMENT_US, [0.0; 2], BYTE_US),
            // Its place is looked for from both ends, and from one of them once more.
            WorkKind::PutAmong => (CHANGED_US, [2.0 * self.length; 2], BYTE_US),
            WorkKind::Realign => (ENTRY_US, [0.0; 2], BYTE_US),
        };
        let each = |i: usize| fixed + steps[i] * STEP_US + self.bytes[i] * byte;
        [each(0), each(1)]
    }

    /// Estimates the time for an entry that is delivered once nothing stands before it.
    fn delivered_us(&self) -> TimePerItem {
        let (fixed, byte) = match self.ask.kind {
            WorkKind::Deliver => (CHANGED_US, BYTE_US),
            WorkKind::Transfer => (ENTRY_US, MOVED_BYTE_US),
            _ => return [0.0; 2],
        };
        self.bytes.map(|bytes| fixed + bytes * byte)
    }

    /// Elements that a sweep lets go round, with those that it puts among them.
    fn rounds(&self) -> f64 {
        match self.ask.kind {
            WorkKind::PutBack | WorkKind::Restore => self.length + self.count,
            _ => self.length,
        }
    }

    /// Estimates the time for each element of the list that goes round, comes back or changes its
    /// place.
    fn element_us(&self, way: Way) -> TimePerItem {
        let [mean, most] = self.element.map(|bytes| bytes * BYTE_US);
        match way {
            Way::InOrder => [0.0; 2],
            Way::Swap => {
                let place = SWAP_US[0] + self.length * SWAP_US[1];
                [place + 2.0 * mean, place + 2.0 * most]
            }
            Way::SetAside => [BACK_US + mean, BACK_US + most],
            Way::Sweep => {
                let share = (self.count / self.rounds().max(1.0)).min(1.0);
                let swept = |i: usize| SWEPT_US + self.bytes[i] * MOVED_BYTE_US;
                [
                    ROUND_US + mean + share * swept(0),
                    (ROUND_US + most).max(ROUND_US + swept(1)),
                ]
            }
        }
    }

    /// Estimates the longest time for a single entry or element.
    fn longest_one(&self, way: Way) -> f64 {
        match way {
            Way::InOrder => self.entry_us()[1],
            way => self.element_us(way)[1].max(self.delivered_us()[1]),
        }
    }

    /// Estimates the time for the scripts that take `count` of what costs so much each, at most
    /// `batch` at once.
    fn scripts(count: f64, [each, _]: TimePerItem, batch: f64, most: f64) -> f64 {
        let at_once = (most / each.max(0.01)).clamp(1.0, batch);
        // Those of full batches are in the other figures.
        count * each + ((count / at_once).ceil() - count / batch).max(0.0) * SCRIPT_US
    }

    fn takes_us(&self, way: Way, most: f64) -> f64 {
        let scripts = |count, each, batch| Self::scripts(count, each, batch, most);
        let delivered = scripts(self.count, self.delivered_us(), LARGE_BATCH);
        let element = self.element_us(way);
        match way {
            Way::InOrder => scripts(self.count, self.entry_us(), self.batch()),
            Way::Swap => {
                let swapped = self.read() + scripts(self.count, element, SWAPS);
                if self.ask.kind == WorkKind::Realign {
                    swapped
                } else {
                    swapped + delivered
                }
            }
            Way::SetAside => delivered + scripts(self.length.max(self.count), element, LARGE_BATCH),
            Way::Sweep => {
                // What leaves is counted before: it may stand there more than once.
                let counted = match self.ask.kind {
                    WorkKind::PutBack | WorkKind::Restore => 0.0,
                    _ => self.read(),
                };
                counted + scripts(self.rounds(), element, LARGE_BATCH)
            }
        }
    }

    /// Estimates the time for reading the list.
    fn read(&self) -> f64 {
        self.length * (READ_US + self.element[0] * BYTE_US / 4.0)
    }

    const fn batch(&self) -> f64 {
        match self.ask.kind {
            WorkKind::Transfer => LARGE_BATCH,
            _ => BATCH,
        }
    }

    /// The time for which the longest script keeps the server, in µs: no longer than it may, unless
    /// a single entry takes longer.
    fn longest_us(&self, way: Way, most: f64) -> f64 {
        let (batch, [each, _], all) = match way {
            Way::InOrder => (self.batch(), self.entry_us(), self.count),
            Way::Swap => (SWAPS, self.element_us(way), self.count),
            Way::SetAside => {
                let all = self.length.max(self.count);
                (LARGE_BATCH, self.element_us(way), all)
            }
            Way::Sweep => (LARGE_BATCH, self.element_us(way), self.rounds()),
        };
        // Large ones may stand in a row: a script of them ends by its bytes, where it is longest.
        let row = match self.ask.kind {
            WorkKind::Transfer => (self.bytes[1] - self.bytes[0]).max(0.0) * MOVED_BYTE_US,
            _ => 0.0,
        };
        let thought = SURE * (batch.min(all) * (each + row) + TEXT_US);
        thought.min(most).max(self.longest_one(way) * SURE)
    }

    /// Estimates the bytes that replicas and the append-only file get: the commands that the
    /// scripts run.
    fn replicated(&self, way: Way) -> f64 {
        let kind = self.ask.kind;
        let [bytes, element] = [self.ask.bytes[0], self.sampled].map(float);
        let staying = (self.length - self.count).max(0.0);
        // Into target, out of timeouts.
        let delivered = self.count * (2.0 * bytes + 16.0);
        match (way, kind) {
            // All of them at once, if none stands before them that stays.
            (Way::InOrder, WorkKind::Transfer) if self.walk.turn < 1.0 => delivered,
            (Way::InOrder, WorkKind::Stay) => self.count * (bytes + 100.0),
            (Way::InOrder, WorkKind::Discard | WorkKind::DiscardNewest) => {
                self.count * (bytes + 45.0)
            }
            (Way::InOrder, WorkKind::PutElements | WorkKind::OrderList) => {
                self.count * (bytes + 8.0)
            }
            (Way::InOrder, WorkKind::TakeBack) => self.count * (2.0 * bytes + 180.0),
            // LREM or LINSERT beside them names the entry once more.
            (
                Way::InOrder,
                WorkKind::Quarantine | WorkKind::Restore | WorkKind::Append | WorkKind::Edit,
            ) => self.count * (4.0 * bytes + 190.0),
            (Way::InOrder, _) => self.count * (3.0 * bytes + 100.0),
            (Way::Swap, WorkKind::Realign) => self.count * 2.0 * (bytes + 90.0),
            (Way::Swap, _) => self.count * 2.0 * (bytes + 90.0) + delivered,
            (Way::SetAside, _) => delivered + staying * (element + 8.0),
            (Way::Sweep, WorkKind::PutBack) => {
                (self.length + self.count) * (element + 8.0) + self.count * (bytes + 90.0)
            }
            (Way::Sweep, WorkKind::Restore) => {
                (self.length + self.count) * (element + 8.0) + self.count * (2.0 * bytes + 180.0)
            }
            (Way::Sweep, WorkKind::Edit) => {
                self.length * (element + 8.0) + self.count * (bytes + 100.0)
            }
            (Way::Sweep, WorkKind::Quarantine) => {
                staying * (element + 8.0) + self.count * (2.0 * bytes + 30.0)
            }
            (Way::Sweep, _) => staying * (element + 8.0) + self.count * (bytes + 8.0),
        }
    }

    fn cost(&self, way: Way, most: f64) -> Cost {
        let us = |us: f64| Duration::from_secs_f64(us / 1e6);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an estimate, and never below 0"
        )]
        let whole = |n: f64| n as u64;
        let entry = match way {
            Way::InOrder => self.entry_us(),
            _ => self.delivered_us(),
        };
        Cost {
            longest_block: us(self.longest_us(way, most)),
            entry: us(SURE * entry[1]),
            element: us(SURE * self.element_us(way)[1]),
            takes: us(self.takes_us(way, most)),
            replicated_bytes: whole(self.replicated(way)),
            journal_bytes: 0,
        }
    }
}
