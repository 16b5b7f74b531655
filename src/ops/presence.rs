//! The test whether there is a queue of a name.

use crate::queue::{Known, Pulse, Queue};
use crate::store::read::{self, KeyType};
use crate::store::{Store, StoreError};

/// Tells whether there is any sign of a queue that was looked at just now: entries, elements,
/// somebody who listens, or any key of its own or that delayscope keeps for it.
pub async fn is_there(store: &Store, queue: &Queue, pulse: &Pulse) -> Result<bool, StoreError> {
    if shows(pulse) {
        return Ok(true);
    }
    let store = &store.of(queue).await;
    let kinds = read::kinds(store, &queue.keys().own()).await?;
    // What may not be looked at is no sign.
    let is = |kind: &KeyType| !matches!(kind, KeyType::Missing | KeyType::Unknown);
    Ok(kinds.iter().any(is))
}

/// Tells whether its figures show it.
fn shows(pulse: &Pulse) -> bool {
    let figures = [&pulse.waiting, &pulse.order, &pulse.transfer_clients];
    // What cannot be counted is there: a key of another type, say. Not so a key of the target's
    // name: where there is nothing else it is somebody else's.
    let target = match &pulse.target {
        Known::Unknown(why) if why.contains("WRONGTYPE") => &Known::None,
        known => known,
    };
    figures
        .into_iter()
        .chain([target])
        .any(|known| !matches!(known, Known::Is(0) | Known::None))
}
