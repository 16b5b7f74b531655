//! A page of the order list, of target or of quarantine.

use crate::queue::{List, ListPage, ListRow, ListScore, Queue};
use crate::store::{Store, StoreError, read};

/// No page has more rows.
const MOST_ROWS_OF_A_PAGE: u32 = 500;

/// Elements `first .. first + count` (at most 500) of a list of `queue` and the list's length, in
/// one instant; those of the order list each with what timeouts says of them, in one round trip
/// more (two when something looks like drift); those of quarantine with their own scores. A list
/// that is not there is empty; a key of another type is an error (`WRONGTYPE`), and so is the order
/// list of a layout that has none.
///
/// The cost grows with the distance of `first` from the nearer end of the list (before Redis 7:
/// from its head), a step for each 8 kB of elements passed over; so what lies more than 10,000
/// elements from either end is to be read when somebody asks for it, not at each refresh.
pub async fn list(
    store: &Store,
    queue: &Queue,
    list: List,
    first: u64,
    count: u32,
) -> Result<ListPage, StoreError> {
    let store = &store.of(queue).await;
    let keys = queue.keys();
    let key = match list {
        List::Quarantine => {
            return read::sorted_page(
                store,
                &keys.quarantine,
                first,
                count.min(MOST_ROWS_OF_A_PAGE),
            )
            .await;
        }
        List::Target => keys.target,
        List::Order => keys.order.ok_or_else(|| StoreError::Impossible {
            server: store.endpoint().to_string(),
            attempt: "read the order list",
            why: format!("a {} queue has none", queue.layout.word()),
        })?,
    };
    let page = read::list_page(store, &key, first, count.min(MOST_ROWS_OF_A_PAGE)).await?;
    let elements = page.elements;
    let scores = match list {
        List::Target | List::Quarantine => vec![ListScore::None; elements.len()],
        List::Order => read::held(store, &keys.timeouts, &key, first, &elements).await?,
    };
    let rows = elements.into_iter().zip(scores);
    Ok(ListPage {
        first,
        len: page.length,
        rows: rows
            .map(|(element, score)| ListRow { element, score })
            .collect(),
    })
}
