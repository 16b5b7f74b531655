//! The cost of mending drift.

use std::time::Duration;

use super::Difference;
use super::mend::{AT_ONCE, is_looked_for};
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

/// The time for the tail of the list, which the script that appends looks at.
const TAIL_US: f64 = 400.0;

/// The cost of mending what was found in an order list of so many elements, of which so many are
/// [`passed`](super::Drift::passed); nothing of the journal.
#[must_use]
pub fn cost(found: &[Difference], length: u64, passed: [u64; 2]) -> Cost {
    let (mut lacking, mut copies, mut strays) = (0, 0.0, 0.0);
    for difference in found {
        match difference {
            Difference::NotInOrder(_) => lacking += 1,
            Difference::TooOften(_, times) => copies += float(times.saturating_sub(1)),
            Difference::OnlyInOrder(_) => strays += 1.0,
        }
    }
    let members: usize = found.iter().map(|found| found.member().len()).sum();
    let bytes = float(members as u64) / float(found.len().max(1) as u64);
    let list = float(length);
    // Whether somebody else has appended it is looked up in the whole list, where that is feasible.
    let is_looked_for = is_looked_for(lacking, length);
    let lacking = float(lacking);
    let looked = if is_looked_for { list * STEP_US } else { 0.0 };
    let appended = ENTRY_US + looked;
    // The mark is walked to from the nearer end.
    let [all_passed, most_passed] = passed.map(float);
    let dropped = f64::min(copies, 1.0) * (SINGLE_US + most_passed * STEP_US);
    let mut takes = copies * SINGLE_US + all_passed * STEP_US;
    let mut longest = dropped;
    let mut replicated = copies * (bytes + MARKED);
    if lacking > 0.0 {
        let readings = if is_looked_for { 1.0 } else { 2.0 };
        takes += readings * list * READ_US + lacking * appended;
        let once = if is_looked_for {
            (float(AT_ONCE) / list.max(1.0)).clamp(1.0, BATCH)
        } else {
            LARGE_BATCH
        };
        longest = longest.max(lacking.min(once) * appended + TAIL_US);
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
        // Copies leave one by one.
        entry: us(SURE * appended.max(dropped)),
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
