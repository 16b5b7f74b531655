//! Recall of what was done from this account a moment ago, from the journal: who looks once has not
//! seen it, and would tell to kick again, or take what a change has brought about for trouble.

use super::Examination;
use crate::clock::{EpochMillis, local_now};
use crate::ops::journal::{Journal, JournalledChange, ServerId};
use crate::queue::Change;
use crate::store::Store;

/// The changes that are no hand of ours in what waits: it comes and goes like that without us.
const USUAL: [Change; 4] = [Change::Kick, Change::Offer, Change::Worker, Change::Consume];

/// Tells each queue when it was kicked last and what else was done to it last; `now` by the
/// server's clock. What cannot be read is not told: the rest is told all the same.
pub async fn recall(
    queues: &mut [Examination],
    journal: &Journal,
    store: &Store,
    now: EpochMillis,
) {
    let Ok(mut all) = journal.list().await else {
        return;
    };
    all.retain(|kept| kept.ended.is_some());
    if all.is_empty() {
        return;
    }
    let here = ServerId::told(store).await;
    all.retain(|kept| kept.is_of(&here));
    let local = local_now();
    let at = |kept: &JournalledChange| now.plus(kept.at.since(local));
    for queue in queues {
        let spec = queue.queue().spec();
        // The newest comes first.
        let mut of_queue = all.iter().filter(|kept| kept.head.queue == spec);
        let kick = of_queue.clone().find(|k| k.head.change == Change::Kick);
        queue.watch().kicked_before = kick.map(at);
        if let Some(moved) = of_queue.find(|kept| !USUAL.contains(&kept.head.change)) {
            queue.watch().changed_by_us(moved.head.change, at(moved));
        }
    }
}
