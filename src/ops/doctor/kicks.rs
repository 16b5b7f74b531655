//! Kicks of the last minutes, from the journal: who looks once has not heard them, and would tell
//! to kick again.

use super::Examination;
use crate::clock::{EpochMillis, local_now};
use crate::ops::journal::{Journal, ServerId};
use crate::queue::Change;
use crate::store::Store;

/// Tells each queue when it was kicked last from this account; `now` by the server's clock. What cannot be read is not told: it
/// only spares a kick.
pub async fn recall_kicks(
    queues: &mut [Examination],
    journal: &Journal,
    store: &Store,
    now: EpochMillis,
) {
    let Ok(mut kicks) = journal.list().await else {
        return;
    };
    kicks.retain(|kept| kept.head.change == Change::Kick && kept.ended.is_some());
    if kicks.is_empty() {
        return;
    }
    let here = ServerId::told(store).await;
    kicks.retain(|kept| !here.differs_from(&kept.head.server));
    let local = local_now();
    for queue in queues {
        let spec = queue.queue().spec();
        // The newest comes first.
        let last = kicks.iter().find(|kept| kept.head.queue == spec);
        queue.watch().kicked_before = last.map(|kept| now.plus(kept.at.since(local)));
    }
}
