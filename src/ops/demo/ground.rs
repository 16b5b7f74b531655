//! A server of one's own as the demo's ground: nothing of anybody else's is touched, and nothing
//! of the demo's stays.

use super::DemoError;
use crate::queue::Queue;
use crate::store::read::{KeyType, kinds, scan};
use crate::store::write::Writer;
use crate::store::{Store, StoreError};

/// Looks whether the demo may play there: in an empty database, or under a prefix and on keys that
/// nobody uses.
pub(super) async fn claim(store: &Store, prefix: &str, queues: &[Queue]) -> Result<(), DemoError> {
    let server = || store.endpoint().to_string();
    let mut keys = 0;
    for node in store.masters().await {
        keys += scan(&node, 0, b"*", 1).await?.of;
    }
    if prefix.is_empty() && keys > 0 {
        let server = server();
        return Err(DemoError::NotEmpty { server, keys });
    }
    for queue in queues {
        let own = keys_of(queue);
        let kinds = kinds(&store.of(queue).await, &own).await?;
        let mut taken = own.iter().zip(kinds);
        if let Some((key, _)) = taken.find(|(_, kind)| *kind != KeyType::Missing) {
            return Err(DemoError::Taken {
                server: server(),
                key: String::from_utf8_lossy(key).into_owned(),
            });
        }
    }
    Ok(())
}

/// Removes the demo's keys: those that [`claim`] found free.
pub(super) async fn clear(writers: &[Writer], queues: &[Queue]) -> Result<(), StoreError> {
    let mut cleared = Ok(());
    for (writer, queue) in writers.iter().zip(queues) {
        // A node that is away keeps the others from nothing.
        cleared = cleared.and(writer.erase(&keys_of(queue)).await);
    }
    cleared
}

fn keys_of(queue: &Queue) -> Vec<Vec<u8>> {
    let keys = queue.keys();
    let mut all = keys.own();
    all.extend([keys.target, keys.hold.leases]);
    all
}
