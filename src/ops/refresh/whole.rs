//! Pulses whose order list is told whole.

use super::pulses;
use crate::queue::{Keys, Known, Pulse, Queue};
use crate::store::{Store, StoreError, read};

/// The same as [`pulses`], with what a bulk change has set aside counted as order list. Only where
/// that is shorter than timeouts anything can be aside: there both lists are counted once more, in
/// one instant and one round trip for all queues.
pub async fn whole_pulses(store: &Store, queues: &[Queue]) -> Result<Vec<Pulse>, StoreError> {
    let mut seen = pulses(store, queues).await?;
    let is_short = |pulse: &Pulse| match (&pulse.order, &pulse.waiting) {
        (Known::Is(order), Known::Is(waiting)) => order < waiting,
        _ => false,
    };
    let (keys, short): (Vec<Keys>, Vec<&mut Pulse>) = (queues.iter())
        .zip(&mut seen)
        .filter(|(_, pulse)| is_short(pulse))
        .map(|(queue, pulse)| (queue.keys(), pulse))
        .unzip();
    if !keys.is_empty() {
        let ask = async |store: Store, keys: Vec<Keys>| read::whole_order(&store, &keys).await;
        let whole = store
            .by_node_apart(&keys, |keys| keys.timeouts.clone(), ask)
            .await;
        for (pulse, whole) in short.into_iter().zip(whole) {
            if let Ok(Some(whole)) = whole {
                pulse.order = Known::Is(whole);
            }
        }
    }
    Ok(seen)
}
