//! A server of one's own as the demo's ground: nothing of anybody else's is touched, and nothing
//! of the demo's stays.

use super::DemoError;
use crate::queue::{Keys, Queue};
use crate::store::read::{KeyType, kinds, scan};
use crate::store::write::Writer;
use crate::store::{Store, StoreError};

/// Looks whether the demo may play there: in an empty database, or under a prefix and on keys that
/// nobody uses.
pub(super) async fn claim(store: &Store, prefix: &str, queues: &[Queue]) -> Result<(), DemoError> {
    let server = || store.endpoint().to_string();
    let keys = scan(store, 0, b"*", 1).await?.of;
    if prefix.is_empty() && keys > 0 {
        let server = server();
        return Err(DemoError::NotEmpty { server, keys });
    }
    let own = keys_of(queues);
    let kinds = kinds(store, &own).await?;
    let taken = own
        .iter()
        .zip(kinds)
        .find(|(_, kind)| *kind != KeyType::Missing);
    match taken {
        None => Ok(()),
        Some((key, _)) => Err(DemoError::Taken {
            server: server(),
            key: String::from_utf8_lossy(key).into_owned(),
        }),
    }
}

/// Removes the demo's keys: those that [`claim`] found free.
pub(super) async fn clear(writer: &Writer, queues: &[Queue]) -> Result<(), StoreError> {
    writer.erase(&keys_of(queues)).await
}

fn keys_of(queues: &[Queue]) -> Vec<Vec<u8>> {
    let keys = queues.iter().map(Queue::keys);
    let of = |keys: Keys| {
        let mut all = keys.own();
        all.extend([keys.target, keys.hold.leases]);
        all
    };
    keys.flat_map(of).collect()
}
