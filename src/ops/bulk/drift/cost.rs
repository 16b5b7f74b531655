//! The cost of mending drift.

use std::time::Duration;

use super::Difference;
use super::mend::{AT_ONCE, LOOKED_THROUGH};
use crate::ops::bulk::estimate::{
    BATCH, ENTRY_US, LARGE_BATCH, READ_US, ROUND_US, SINGLE_US, STEP_US, SWEPT_US, TEXT_US,
};
use crate::queue::plan::Cost;

/// Bytes of a command that a replica gets beside the entry itself.
const BESIDE: f64 = 8.0;
/// The promised bound, as a multiple of what is thought.
const SURE: f64 = 2.0;
/// The same for a second copy, which becomes a mark and leaves.
const MARKED: f64 = 180.0;

/// The cost of mending what was found in an order list of so many elements; nothing of the journal.
#[must_use]
pub fn cost(found: &[Difference], length: u64) -> Cost {
    let (mut lacking, mut copies, mut strays) = (0.0, 0.0, 0.0);
    for difference in found {
        match difference {
            Difference::NotInOrder(_) => lacking += 1.0,
            Difference::TooOften(_, times) => copies += float(times.saturating_sub(1)),
            Difference::OnlyInOrder(_) => strays += 1.0,
        }
    }
    let members: usize = found.iter().map(|found| found.member().len()).sum();
    let bytes = float(members as u64) / float(found.len().max(1) as u64);
    let list = float(length);
    // Whether somebody else has appended it is looked up in the whole list, where that is feasible.
    let looked = if lacking > 0.0 && lacking * list <= float(LOOKED_THROUGH) {
        list * STEP_US
    } else {
        0.0
    };
    let appended = ENTRY_US + looked;
    // The mark is walked to from the nearer end.
    let dropped = SINGLE_US + list / 2.0 * STEP_US;
    let mut takes = copies * dropped;
    let mut longest = f64::min(copies, 1.0) * dropped;
    let mut replicated = copies * (bytes + MARKED);
    if lacking > 0.0 {
        takes += list * READ_US + lacking * appended;
        let once = (float(AT_ONCE) / list.max(1.0)).clamp(1.0, BATCH);
        longest = longest.max(lacking.min(once) * appended);
        replicated += lacking * (bytes + BESIDE);
    }
    if strays > 0.0 {
        takes += list * ROUND_US + strays * SWEPT_US;
        let share = (strays / list.max(1.0)).min(1.0);
        let slice = LARGE_BATCH.min(list) * (ROUND_US + share * SWEPT_US);
        longest = longest.max(slice);
        replicated += list * (bytes + BESIDE);
    }
    let us = |us: f64| Duration::from_secs_f64(us / 1e6);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an estimate, and never below 0"
    )]
    Cost {
        longest_block: us(SURE * (longest + if found.is_empty() { 0.0 } else { TEXT_US })),
        entry: us(SURE * appended),
        // What its first script takes: of strays elements of the list, else what it lacks.
        element: us(SURE
            * if lacking > 0.0 {
                appended
            } else {
                ROUND_US + SWEPT_US
            }),
        takes: us(takes),
        replicated_bytes: replicated as u64,
        journal_bytes: 0,
    }
}

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
const fn float(n: u64) -> f64 {
    n as f64
}
