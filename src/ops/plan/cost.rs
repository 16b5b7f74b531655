//! In which way a change goes, and what it costs.

use std::time::Duration;

use super::ChangeError;
use super::make::Making;
use super::work::Work;
use crate::queue::plan::{Cost, Way};

/// What an entry costs the server in a script, without its walk through the order list.
const ENTRY: Duration = Duration::from_nanos(2_500);
/// A script's round trip and what is fixed in it.
const SCRIPT: Duration = Duration::from_micros(300);
/// Entries in a batch, once it is known how long one takes.
const BATCH: u64 = 500;
/// What an entry costs in the journal beside its bytes: id, scores, lengths, checksum, result.
const KEPT: u64 = 48;

/// The way for chosen entries, and what they cost.
pub(super) async fn of(making: &Making<'_>, work: &[Work]) -> Result<(Way, Cost), ChangeError> {
    let _ = making;
    let (mut entries, mut bytes, mut kept) = (0, 0, 0);
    for work in work {
        let long = |i| u64::try_from(work.bytes(i)).unwrap_or(0);
        let all: u64 = (0..work.len()).map(long).sum();
        let n = u64::try_from(work.len()).unwrap_or(0);
        entries += n;
        bytes += all;
        // A delivery is kept by its hash.
        kept += n * KEPT
            + if matches!(work, Work::Deliver(_)) {
                n * 21
            } else {
                all
            };
    }
    Ok((Way::InOrder, in_order(entries, bytes, kept)))
}

/// Batch after batch, when the order list holds them in due order.
pub(super) fn in_order(entries: u64, bytes: u64, journal_bytes: u64) -> Cost {
    let many = |n: u64, each: Duration| {
        Duration::from_nanos(n.saturating_mul(u64::try_from(each.as_nanos()).unwrap_or(u64::MAX)))
    };
    Cost {
        longest_block: many(entries.min(BATCH), ENTRY) + SCRIPT / 3,
        takes: many(entries, ENTRY) + many(entries.div_ceil(BATCH), SCRIPT),
        // Payload to target, member out of timeouts and order list.
        replicated_bytes: bytes.saturating_mul(3),
        journal_bytes,
    }
}
